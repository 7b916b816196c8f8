"""What every mode must get right: equal values come first, and match even where an embedder knows nothing of them."""

from __future__ import annotations

from typing import Any

import pytest

from mere.indexes.similar.plan import MODES
from mere.indexes.similar.train import EMBEDDER
from tests.indexes.similar.lakes import SIMILAR, part_of, tables_of
from tests.indexes.similar.own_embedder import embed
from tests.kinds.harness import ask, build_parts, folder

SPELLINGS = ["ab cd", "ab-cd", "ab/cd", "ab.cd", "ab,cd", "(ab) cd", "ab: cd", "ab; cd"]
OWN = {EMBEDDER: "tests.indexes.similar.own_embedder:embed"}


def question(values: list[str], **more: Any) -> dict[str, Any]:
    return {"values": values, "share": 1.0, "k": 0, "per": "column", **more}


@pytest.mark.parametrize("mode", MODES)
def test_an_equal_value_is_the_best_of_those_that_are_as_close(mode: str) -> None:
    with part_of([SPELLINGS]) as (part, _, _trained):
        [hit] = ask(SIMILAR, [part], question(SPELLINGS, mode=mode), 0)
        assert sorted(hit.evidence["pairs"]) == sorted([text, text, 0.0] for text in SPELLINGS)
        [hit] = ask(SIMILAR, [part], question(SPELLINGS[:1], mode=mode, matches="all"), 0)
        assert len(hit.evidence["pairs"]) == len(SPELLINGS) and hit.evidence["equal"] == 1


@pytest.mark.parametrize("mode", MODES)
def test_equal_values_without_letters_match(mode: str) -> None:
    values = ["(*)", "&&", "a word", "!!"]
    with part_of([values, ["(*)", "*!"]]) as (part, _, _trained):
        [hit] = ask(SIMILAR, [part], question(values, mode=mode), 0)
        assert (hit.table, hit.score, hit.evidence["equal"]) == ("t0", 1.0, 4)
        hits = ask(SIMILAR, [part], question(["(*)"], mode=mode, distance=0.5), 0)
        assert [hit.evidence["pairs"] for hit in hits] == [[["(*)", "(*)", 0.0]]] * 2


@pytest.mark.parametrize("mode", MODES)
def test_equal_values_match_although_a_model_gives_them_other_vectors_now(mode: str) -> None:
    """Of many models the last bits depend on which texts are embedded together."""

    def unstable(texts: list[str]) -> Any:
        return embed(texts) + 0.001

    unstable.__module__, unstable.__qualname__ = embed.__module__, embed.__qualname__
    unstable.version, unstable.distances = embed.version, embed.distances
    values = ["anna", "rita", "xyz"]
    tables = tables_of([values])
    trained = dict(SIMILAR.train(tables, OWN))
    with folder() as path:
        parts = build_parts(SIMILAR, path, [tables], trained, OWN)
        [hit] = ask(SIMILAR, parts, question(values[:2], mode=mode, distance=0.0, embedder=unstable), 0)
        assert sorted(hit.evidence["pairs"]) == [["anna", "anna", 0.0], ["rita", "rita", 0.0]]
