"""Which of my columns are asked together: the slow, obvious choice, on made-up matches."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mere.ranking import SIGNALS, scores, usual_model
from mere.search.joinable.combined import MOST, promising

MODEL = usual_model()
TABLES = ["a", "b", "c"]
ROWS, SHARED = SIGNALS.index("rows"), SIGNALS.index("named_table")
match = st.tuples(
    st.integers(0, 2), st.integers(0, 3), st.sampled_from([0.29, 0.3, 0.6, 1.0]), st.sampled_from([0.0, 1.0])
)
column = st.tuples(st.lists(match, max_size=6), st.booleans(), st.booleans())
cells = st.lists(st.integers(0, 3), min_size=12, max_size=12)


def candidates(place: int, matches: list[Any], accident: bool, numeric: bool) -> Any:
    signals = np.zeros((len(matches), len(SIGNALS)))
    for row, (_, _, rows, shared) in enumerate(matches):
        signals[row, [ROWS, SHARED]] = rows, shared
    asked = SimpleNamespace(place=place, accident=accident, mine=SimpleNamespace(numeric=numeric))
    return SimpleNamespace(
        asked=asked, signals=signals, segment=SimpleNamespace(names=TABLES),
        tables=np.array([table for table, *_ in matches], np.int64),
        columns=np.array([10 * table + number for table, number, *_ in matches], np.int64),
    )  # fmt: skip


def brute(found: list[Any], codes: list[list[int]]) -> list[tuple[int, ...]]:
    """Pairs, and pairs with a third column: the best by the sum over tables of the lowest score of their columns."""
    best: list[dict[str, tuple[int, int]]] = []
    for each in found:
        of_table: dict[str, tuple[int, int]] = {}
        for row in range(len(each.columns)):
            if each.signals[row, ROWS] >= 0.3:
                level = round(1_000_000 * float(scores(each.signals[row : row + 1], MODEL)[0]))
                table, entry = TABLES[each.tables[row]], (level, int(each.columns[row]))
                of_table[table] = max(of_table.get(table, entry), entry)
        best.append(of_table)

    def worth(places: tuple[int, ...]) -> int:
        entries = [[best[place][table] for place in places if table in best[place]] for table in TABLES]
        whole = [each for each in entries if len(each) == len(places) == len({number for _, number in each})]
        return sum(min(level for level, _ in each) for each in whole)

    def keys(places: tuple[int, ...]) -> int:
        rows = zip(*(codes[place] for place in places), strict=True)
        return len({row for row in rows if all(row)})

    def chosen(pool: set[tuple[int, ...]], most: int) -> list[tuple[int, ...]]:
        telling = {p for p, each in enumerate(found) if not each.asked.accident and not each.asked.mine.numeric}
        ranked = sorted((-worth(p), p) for p in pool if telling & set(p) and worth(p) > 0)[:24]
        adds = [p for _, p in ranked if all(keys(p) >= 1.05 * keys(q) for q in combinations(p, len(p) - 1))]
        return adds[:most]

    highest = [max((level for level, _ in each.values()), default=0) for each in best]
    places = sorted(sorted(range(len(found)), key=lambda place: (-highest[place], place))[:16])
    pairs = chosen(set(combinations(places, 2)), 6)
    wider = chosen({tuple(sorted({*p, q})) for p in pairs for q in places if q not in p}, 2)
    return pairs[: 6 - len(wider)] + wider


@given(st.lists(st.tuples(column, cells), max_size=6))
@settings(max_examples=200)
def test_the_pairs_and_triples_that_match_most_are_asked(mine: list[Any]) -> None:
    found = [candidates(place, *each) for place, (each, _) in enumerate(mine)]
    codes = [cells for _, cells in mine]
    whole = SimpleNamespace(coded=lambda place: SimpleNamespace(codes=codes[place]))
    asked = promising([[each] for each in found], MODEL, whole)
    assert asked == brute(found, codes) and len(asked) <= MOST


def test_the_best_pairs_and_two_triples_are_asked_of_many() -> None:
    matches = [[(table, place % 4, 0.6 + place / 100, 1.0) for table in range(3)] for place in range(7)]
    found = [candidates(place, each, False, False) for place, each in enumerate(matches)]
    codes = np.random.default_rng(5).integers(1, 4, (7, 400)).tolist()
    whole = SimpleNamespace(coded=lambda place: SimpleNamespace(codes=codes[place]))
    asked = promising([[each] for each in found], MODEL, whole)
    assert asked == brute(found, codes)
    assert [len(places) for places in asked] == [2, 2, 2, 2, 3, 3]


@pytest.mark.parametrize("seed", range(12))
def test_of_many_columns_the_sixteen_best_are_combined_and_the_best_of_their_pairs_are_tried(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.permutation(np.linspace(0.3, 1.0, 20))
    found = [candidates(place, [(0, place, rows[place], 1.0)], False, False) for place in range(20)]
    varied = rng.random(20) < 0.3
    codes = [rng.integers(1, 5, 200).tolist() if each else [1] * 200 for each in varied]
    whole = SimpleNamespace(coded=lambda place: SimpleNamespace(codes=codes[place]))
    assert promising([[each] for each in found], MODEL, whole) == brute(found, codes)


@pytest.mark.parametrize(("values", "asked"), [(20, [(0, 1)]), (21, [])])
def test_a_pair_is_asked_if_it_has_a_twentieth_more_keys_than_a_column(values: int, asked: list[Any]) -> None:
    found = [candidates(place, [(0, place, 1.0, 1.0)], False, False) for place in range(2)]
    codes = [[*range(1, values + 1), 1], [*[1] * values, 2]]
    whole = SimpleNamespace(coded=lambda place: SimpleNamespace(codes=codes[place]))
    assert promising([[each] for each in found], MODEL, whole) == asked == brute(found, codes)
