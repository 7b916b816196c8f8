"""A lake of dense vectors: answers equal brute force, in every mode and partition; the embedder is frozen."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mere
from mere.errors import LakeError, UsageError
from mere.indexes.similar import by_pexeso
from mere.indexes.similar import search as similar
from mere.indexes.similar.plan import MODES
from mere.indexes.similar.sparse import search as sparse
from mere.indexes.similar.train import EMBEDDER
from tests.indexes.similar.lakes import SIMILAR, columns, part_of, tables_of
from tests.indexes.similar.own_embedder import embed
from tests.kinds.harness import ask, build_parts, dicts, folder
from tests.oracles.similar import brute

NAME = "tests.indexes.similar.own_embedder:embed"
OWN = {EMBEDDER: NAME}


def queries(**more: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "values": columns,
            "share": st.sampled_from([0.0, 0.2, 0.5, 0.8]),
            "distance": st.sampled_from([None, "strict", 0.02, 0.06, 0.3, 1.0]),
            "matches": st.sampled_from(["best", "all"]),
            "mode": st.sampled_from(MODES),
            "per": st.just("column"),
            "k": st.just(0),
            "embedder": st.sampled_from([embed, NAME]),
            **more,
        }
    )


def shown(hits: list) -> list:
    """What brute force knows of hits too."""
    keys = ("shared", "share", "equal", "pairs", "fan_out", "limit")
    return [{**hit, "evidence": {key: hit["evidence"][key] for key in keys}} for hit in dicts(hits)]


@given(st.lists(columns, min_size=1, max_size=4), queries())
def test_answers_from_a_users_vectors_equal_brute_force(contents: list, query: dict) -> None:
    tables = tables_of(contents)
    trained = dict(SIMILAR.train(tables, OWN))
    expected = brute(query, tables, OWN, trained)
    with folder() as path:
        parts = build_parts(SIMILAR, path, [tables[::2], tables[1::2]][: len(tables)], trained, OWN)
        assert shown(ask(SIMILAR, parts, query, 0)) == shown(expected)


@given(st.lists(columns, min_size=1, max_size=6), columns, st.sampled_from([0.3, 0.68]), st.integers(1, 2000))
def test_partitions_of_any_size_give_the_same_counts(contents: list, query: list, limit: float, memory: int) -> None:
    with part_of(contents) as (part, _, _trained):
        probe = SIMILAR.plan({"values": query, "share": 0.0, "distance": limit / 2}, [part])
        sets = len(part.arrays["column.starts"]) - 1
        wanted = similar.Wanted(limit, 1, np.ones(sets, bool))
        lists, vectors = sparse.lists_of(part), similar.vectors_of(probe)
        groups = by_pexeso.partitioned(part, lists, sets, memory)
        assert sorted(np.concatenate(groups).tolist()) == list(range(sets))
        none = np.full(len(vectors.norms), similar.NO_PLACE)
        expected = sparse.counted(part, vectors, none, wanted, sparse.Limits(scan=True)).tolist()
        for mode in ("pexeso", "pexeso-h"):
            assert by_pexeso.counted(part, lists, vectors, wanted, (mode, memory)).tolist() == expected


def test_only_one_partition_is_in_memory_at_a_time() -> None:
    contents = [[f"word{n} {m}ab" for n in range(40)] for m in range(30)]
    with part_of(contents) as (part, _, _trained):
        lists, sets = sparse.lists_of(part), len(contents)
        groups = by_pexeso.partitioned(part, lists, sets, 20_000)
        assert len(groups) > 3 and "pexeso" not in part.memo
        before = None
        for index, _ in by_pexeso.indexes(part, lists, sets, 20_000):
            assert before is None or before() is None  # the last one was dropped
            before = weakref.ref(index.mapped)
            del index
        assert "pexeso" not in part.memo


def lake_of_own_vectors(path: Any) -> str:
    (path / "raw").mkdir()
    (path / "raw" / "a.csv").write_text("name\nanna\nrita\ntina\n")
    (path / "raw" / "b.csv").write_text("name\nanan\ntira\nzzz\n")
    mere.index(path / "raw", path / "lake", settings=mere.Settings(similar_embedder=NAME))
    return str(path / "lake")


@pytest.mark.spark
def test_a_lake_of_a_users_vectors_is_asked_with_the_function(tmp_path: Any) -> None:
    with mere.open(lake_of_own_vectors(tmp_path)) as lake:
        [hit, *_] = lake.similar(["nana", "rati"], embedder=embed, table="b.csv")
        assert sorted(pair[:2] for pair in hit.evidence["pairs"]) == [["nana", "anan"], ["rati", "tira"]]
        with pytest.raises(UsageError, match="your own function"):
            lake.similar(["nana"])
        with pytest.raises(UsageError, match="returned an array of shape"):
            lake.similar(["nana"], embedder=len)
        with pytest.raises(UsageError, match="not from"):
            lake.similar(["nana"], embedder=lambda texts: [[1.0] for _ in texts])
        embed.version = "2"
        try:
            with pytest.raises(LakeError, match="version '1'"):
                lake.similar(["nana"], embedder=embed)
        finally:
            embed.version = "1"


def test_an_unknown_embedder_is_refused_before_anything_is_read(tmp_path: Any) -> None:
    with pytest.raises(UsageError, match="there is no embedder 'spellin'"):
        mere.Settings(similar_embedder="spellin")
