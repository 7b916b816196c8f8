"""The pieces of `containment`: signatures, size classes, the table of bands and rows, and what they find together."""

from __future__ import annotations

import os
import random
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mere
from mere.compiled import background, code, groups, read_only
from mere.indexes.containment import Containment
from mere.indexes.containment import numpy as in_numpy_module
from mere.indexes.containment.kernels import walk
from mere.indexes.containment.minhash import _sign_compiled, signatures
from mere.indexes.containment.records import HASHES, Forest
from mere.indexes.containment.tuning import (
    CLASSES,
    DEPTH,
    MISS,
    RATIOS,
    THRESHOLDS,
    bands_with,
    best_shapes,
    shapes_for,
)
from mere.pipeline import index
from mere.pipeline.engine import Inline
from mere.segments import Facts, digest, summarise
from mere.values import hash_values
from tests.conftest import write_files
from tests.kinds.harness import ask, build_parts, folder
from tests.oracles.containment import signature


@settings(max_examples=200)
@given(st.integers(1, 2**32 - 1) | st.integers(0, 31).map(lambda n: 2**n + 1) | st.integers(1, 20))
def test_the_largest_of_a_size_class_is_less_than_half_larger_than_any_of_it(size: int) -> None:
    upper = int(CLASSES[np.searchsorted(CLASSES, size)])
    assert size <= upper and upper**2 <= 2 * size**2


sets = st.lists(st.sets(st.integers(0, 300), min_size=1, max_size=60), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(sets)
def test_signing_in_numpy_compiled_and_by_definition_is_the_same(several: list[set[int]]) -> None:
    texts = [sorted(str(number) for number in numbers) for numbers in several]
    hashes = np.concatenate([hash_values(pa.array(words)) for words in texts])
    starts = np.concatenate([[0], np.cumsum([len(words) for words in texts])])
    compiled, signed = np.empty((len(texts), HASHES), np.uint32), np.empty((len(texts), HASHES), np.uint32)
    _sign_compiled(hashes, starts, compiled)
    in_numpy_module.sign(hashes, starts, signed)
    assert (compiled == signed).all()
    assert compiled[0].tolist() == signature(frozenset(texts[0]))


def test_signing_in_blocks_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(1)
    hashes = chance.integers(0, 1 << 63, 1000, np.uint64)
    starts = np.array([0, 1, 17, 18, 400, 999, 1000])
    at_once, in_blocks = np.empty((6, HASHES), np.uint32), np.empty((6, HASHES), np.uint32)
    in_numpy_module.sign(hashes, starts, at_once)
    monkeypatch.setattr(in_numpy_module, "BLOCK", 7)
    in_numpy_module.sign(hashes, starts, in_blocks)
    assert (at_once == in_blocks).all()


def test_agreement_is_the_jaccard_similarity() -> None:
    chance = np.random.default_rng(2)
    for shared in (100, 500, 900):
        one = chance.integers(0, 1 << 63, 1000, np.uint64)
        other = np.concatenate([one[:shared], chance.integers(0, 1 << 63, 1000 - shared, np.uint64)])
        both = signatures(np.concatenate([one, other]), np.array([0, 1000, 2000]))
        similarity = shared / (2000 - shared)
        error = np.sqrt(similarity * (1 - similarity) / HASHES)
        assert abs((both[0] == both[1]).mean() - similarity) < 4 * error


def test_the_chosen_shape_has_the_least_error() -> None:
    """Against the integrals of the definition, by another rule, on some points of the grid."""
    for ratio in RATIOS[::31]:
        for level in (4, 24, 49, 79, 98):
            threshold, most = THRESHOLDS[level], min(1.0, ratio)
            if threshold >= most:
                continue
            chosen = _error(ratio, threshold, most, *best_shapes()[list(RATIOS).index(ratio), level].tolist())
            others = [(b, r) for r in range(1, DEPTH + 1) for b in bands_with(r)]
            assert chosen <= min(_error(ratio, threshold, most, b, r) for b, r in others) + 2e-3


def _error(ratio: float, threshold: float, most: float, bands: int, rows: int) -> float:
    def candidate(t: np.ndarray) -> np.ndarray:
        return 1 - (1 - (t / (ratio + 1 - t)) ** rows) ** bands

    below, above = np.linspace(0, threshold, 801), np.linspace(threshold, most, 801)
    return float(np.trapezoid(candidate(below), below) / threshold) + MISS * float(
        np.trapezoid(1 - candidate(above), above) / (most - threshold)
    )


def test_classes_whose_sets_are_too_small_are_skipped() -> None:
    bounds = np.array([10, 49, 50, 200])
    shapes = shapes_for(best_shapes(), bounds, 100, 0.5)
    assert (shapes[:, 0] == 0).tolist() == [True, True, False, False]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 1 << 30), size=st.sampled_from([0, 1, 2, 50, 400]), alike=st.floats(0, 1))
def test_searching_the_trees_finds_what_comparing_everything_finds(seed: int, size: int, alike: float) -> None:
    chance = np.random.default_rng(seed)
    query = chance.integers(0, 1 << 32, HASHES, np.uint32)
    signed = chance.integers(0, 1 << 32, (size, HASHES), np.uint32)
    signed = np.where(chance.random((size, HASHES)) < alike * chance.random((size, 1)), query, signed)
    from mere.indexes.containment.build import _tree

    trees = np.array([_tree(signed, i) for i in range(HASHES)], np.uint32).reshape(HASHES, size)
    keys = (signed[trees, np.arange(HASHES)[:, None]] >> np.uint32(16)).astype(np.uint16)
    classes = chance.integers(0, 3, size).astype(np.uint16)
    rows = chance.integers(1, DEPTH + 1, 3)
    shapes = np.stack([chance.integers(0, HASHES // rows + 1), rows], axis=1)
    forest = Forest(read_only(signed), read_only(keys), read_only(trees))
    sets, agreed = walk(read_only(query), forest, read_only(classes), read_only(shapes))
    expected_sets, expected_agreed = in_numpy_module.walk(query, signed, classes, shapes)
    order = np.argsort(sets)
    assert sets[order].tolist() == expected_sets.tolist() and agreed[order].tolist() == expected_agreed.tolist()


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.8, 1.0])
def test_planted_columns_are_found(threshold: float) -> None:
    """Columns up to eight times the query's size that hold enough of it: hardly any is missed."""
    chance = np.random.default_rng(int(threshold * 10))
    query = [f"q{i}" for i in range(200)]
    frames, wanted = [], set()
    for number in range(300):
        share = float(chance.random())
        shared = list(chance.choice(query, round(share * len(query)), replace=False))
        other = [f"{number}-{i}" for i in range(int(chance.integers(1, 1400)))]
        frames.append(pa.table({"c": pa.array(shared + other)}))
        if len(shared) / len(query) >= threshold:
            wanted.add(f"t{number:03d}")
    frames += [pa.table({"c": pa.array(query + [f"x{i}" for i in range(n)])}) for n in (0, 10, 500)]
    wanted |= {"t300", "t301", "t302"}
    tables = summarise([Facts(f"t{n:03d}", "", "") for n in range(len(frames))], digest(frames))
    kind = Containment()
    with folder() as path:
        parts = build_parts(kind, os.path.join(path, "s"), [tables], {}, {})
        hits = ask(kind, parts, {"values": query, "threshold": threshold, "k": 0}, 0)
    found = {hit.table for hit in hits}
    assert found <= wanted  # verified
    assert len(found) >= 0.9 * len(wanted)


def test_an_estimate_comes_with_its_interval() -> None:
    query = [f"q{i}" for i in range(500)]
    frames = [pa.table({"c": pa.array(query[:n] + [f"x{i}" for i in range(100)])}) for n in (250, 400, 500)]
    tables = summarise([Facts(f"t{n}", "", "") for n in range(3)], digest(frames))
    kind = Containment()
    with folder() as path:
        parts = build_parts(kind, os.path.join(path, "s"), [tables], {}, {})
        hits = ask(kind, parts, {"values": query, "threshold": 0.3, "k": 0, "verify": False}, 0)
    assert {hit.table for hit in hits} == {"t0", "t1", "t2"}
    for hit, share in zip(sorted(hits, key=lambda hit: hit.table), (0.5, 0.8, 1.0), strict=True):
        low, high = hit.evidence["interval"]
        assert not hit.exact and low <= hit.score <= high and hit.evidence["found_by"] == "signatures"
        assert low - 0.05 <= share <= high + 0.05


def test_numpy_answers_until_the_kernels_are_compiled_and_answers_stay_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    query = [f"q{i}" for i in range(300)]
    frames = [pa.table({"c": pa.array(query[:n] + [f"x{i}" for i in range(50)])}) for n in (100, 200, 300)]
    tables = summarise([Facts(f"t{n}", "", "") for n in range(3)], digest(frames))
    kind, jobs = Containment(), []
    with folder() as path:
        parts = build_parts(kind, os.path.join(path, "s"), [tables], {}, {})
        monkeypatch.setattr(groups, "_states", {})
        monkeypatch.setattr(code, "LOADING", 0.0)
        monkeypatch.setattr(code, "load_cost", lambda group: 0.0)
        monkeypatch.setattr(background, "start", lambda *job: jobs.append(job))

        def answer() -> list[Any]:
            return ask(kind, parts, {"values": query, "threshold": 0.5, "k": 0}, 0)

        with monkeypatch.context() as patch:
            for name in ("sign", "walk"):
                patch.setattr(f"mere.indexes.containment.kernels.{name}", _refuse)
            in_numpy = [answer() for _ in range(3)]
        assert list(groups._states) == ["signing", "containment", "lookup"]
        for work, ended in jobs:
            work()
            ended(None)
        for name in ("sign", "walk"):
            monkeypatch.setattr(in_numpy_module, name, _refuse)
        assert len(in_numpy[0]) == 2 and [answer()] * 3 == in_numpy


def _refuse(*arguments: Any) -> Any:
    raise AssertionError("not to be used now")


@pytest.mark.parametrize("threshold", [0, -1, 1.01, "0.5", None, True, float("nan")])
def test_a_threshold_that_is_not_a_share_is_refused(threshold: Any) -> None:
    from mere.errors import QueryError

    with pytest.raises(QueryError, match="threshold"):
        Containment().plan({"values": ["a"], "threshold": threshold}, [])


def files_of_similar_columns(seed: int) -> dict[str, str]:
    """Six tables of eight columns that hold between a tenth and all of the words, among up to 300 others."""
    chance = random.Random(seed)

    def column(name: str) -> list[str]:
        shared = [word for word in WORDS if chance.random() < 0.1 + 0.9 * chance.random()]
        return shared + [f"{name} {i}" for i in range(int(300 ** chance.random()))]

    frames = {f"t{n}.csv": {f"c{i}": column(f"{n} {i}") for i in range(8)} for n in range(6)}
    return {
        name: "\n".join([",".join(columns), *map(",".join, zip_longest(*columns.values(), fillvalue="")), ""])
        for name, columns in frames.items()
    }


WORDS = [f"word {i}" for i in range(50)]


def approximate_answers(lake: str) -> list[Any]:
    asked = [(WORDS[::step], threshold) for step in (1, 3) for threshold in (0.3, 0.5, 0.7, 0.9)]
    with mere.open(lake) as opened:
        found = [
            opened.containment(values, threshold, exact=False, verify=verify, per="column")
            for values, threshold in asked
            for verify in (True, False)
        ]
        return [(hits.to_dicts(), hits.notes) for hits in found]


@settings(max_examples=6)
@given(seed=st.integers(0, 1 << 20), data=st.data())
def test_an_updated_lake_answers_from_signatures_as_a_new_one_in_whichever_order_tables_came(
    seed: int, data: Any
) -> None:
    files = files_of_similar_columns(seed)
    order = data.draw(st.permutations(sorted(files)), label="order")
    with folder() as path:
        raw, updated, fresh = (os.path.join(path, name) for name in ("raw", "updated", "fresh"))
        for some in (order[:1], order[1:4], order[4:]):
            write_files(Path(raw), {name: files[name] for name in some})
            index([raw], updated, engine=Inline())
        index([raw], fresh, engine=Inline())
        assert approximate_answers(updated) == approximate_answers(fresh)
