"""What columns share with the query is the same by kernel, by NumPy and by Python's own sets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mere.compiled import read_only
from mere.indexes.kind import Part
from mere.indexes.sets import comparing
from mere.indexes.sets.comparing import EXAMPLES, Compared, Known, Stored, first_missing
from mere.indexes.sets.evidence import Examples, fan_out, fan_out_of
from mere.store import Strings, offsets_of

sizes = st.sampled_from([0, 1, 2, 5, 6, 30, 300])  # alike, and so different that values are sought by doubling steps
seeds = st.integers(0, 1 << 30)


class Sets:
    """The sets of a segment: all that NumPy's version reads of one."""

    def __init__(self, sets: list[np.ndarray], counts: list[np.ndarray]) -> None:
        starts = offsets_of(np.array([len(each) for each in sets], np.int64))
        nothing = [np.zeros(0, np.uint32)]
        arrays = (starts, np.concatenate(nothing + sets), np.concatenate(nothing + counts))
        self.values = dict(zip(("set.starts", "set.ids", "set.counts"), map(read_only, arrays), strict=True))
        self.set_of, self.counts_of = sets.__getitem__, counts.__getitem__


def drawn(chance: np.random.Generator, size: int, most: int) -> np.ndarray:
    return np.sort(chance.choice(most, min(size, most), replace=False)).astype(np.uint32)


def brute(known: Known, ids: np.ndarray, counts: np.ndarray) -> tuple[list[int], list[int], list[int]]:
    theirs = dict(zip(ids.tolist(), counts.tolist(), strict=True))
    mine = zip(known.ids.tolist(), known.places.tolist(), known.rows.tolist(), strict=True)
    shared = [(place, rows, theirs[value]) for value, place, rows in mine if value in theirs]
    places = [place for place, _, _ in shared]
    left, right = [rows for _, rows, _ in shared], [rows for _, _, rows in shared]
    join = sum(a * b for a, b in zip(left, right, strict=True))
    counted = [len(shared), join, sum(left), sum(right), max(left, default=0), max(right, default=0)]
    return counted, places[:EXAMPLES], [place for place in range(known.size) if place not in places][:EXAMPLES]


@settings(max_examples=150, deadline=None)
@given(sizes, st.lists(sizes, max_size=6), st.sampled_from([8, 400, 5000]), st.integers(0, 12), seeds)
def test_kernel_and_numpy_agree_with_sets(size: int, others: list[int], most: int, unknown: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    ids = drawn(chance, size, most)
    whole = len(ids) + unknown
    places = np.sort(chance.choice(whole, len(ids), replace=False)) if whole else np.zeros(0, np.int64)
    known = Known(ids, places.astype(np.int64), chance.integers(1, 4, len(ids)), whole)
    sets = [drawn(chance, each, most) for each in others]
    counts = [chance.integers(1, 4, len(each)).astype(np.uint32) for each in sets]
    segment: Any = Sets(sets, counts)
    columns = chance.integers(0, len(sets), 8) if sets else np.zeros(0, np.int64)
    stored = Stored(*segment.values.values())
    for result in (
        comparing._compared_compiled(stored, known, columns),
        comparing._compared_in_numpy(segment, known, columns),
    ):
        assert [as_lists(result, number) for number in range(len(columns))] == [
            brute(known, sets[column], counts[column]) for column in columns.tolist()
        ]


def as_lists(result: Compared, number: int) -> tuple[list[int], list[int], list[int]]:
    matched, unmatched = ([place for place in side[number].tolist() if place >= 0] for side in result[1:3])
    return result.counted[number].tolist(), matched, unmatched


@given(st.sets(st.integers(0, 30)), st.integers(0, 8))
def test_the_first_missing_numbers(numbers: set[int], more: int) -> None:
    size = max(numbers, default=0) + more
    ascending = np.array(sorted(number for number in numbers if number < size), np.int64)
    assert first_missing(ascending, size).tolist() == [n for n in range(size) if n not in numbers][:EXAMPLES]


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), max_size=6))
def test_the_fan_out_of_a_join_is_that_of_its_rows(pairs: list[tuple[int, int]]) -> None:
    left, right = (np.array([pair[side] for pair in pairs], np.uint32) for side in (0, 1))
    known = fan_out(left, right)
    if not pairs:
        assert known == fan_out_of(0, 0, 0, 0, 0, 0) and known["shape"] == "none"
        return
    rows = [(number, a, b) for number, (m, n) in enumerate(pairs) for a in range(m) for b in range(n)]
    sides = [{(number, each[side]) for number, *each in rows} for side in (0, 1)]
    most = [max(sum(n == number for n, _ in side) for number in range(len(pairs))) for side in sides]
    assert known["rows"] == len(rows)
    assert (known["left"], known["right"]) == tuple(len(side) / len(pairs) for side in sides)
    assert [known["left_max"], known["right_max"]] == most
    assert known["shape"] == "-to-".join("one" if number == 1 else "many" for number in most)


def test_examples_are_sorted_and_decoded_once() -> None:
    examples = Examples(Strings.of(["b", "c", "a"]))
    assert examples.at([0, 2, -1]) == ["a", "b"] and examples.at([2, -1, -1]) == ["a"]
    assert set(examples._known) == {0, 2}


class Counting:
    """A dictionary that counts what it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def find(self, values: Strings, hashes: np.ndarray) -> np.ndarray:
        self.asked += 1
        return hashes.astype(np.int64)


@pytest.fixture
def part() -> Any:
    class Segment:
        dictionary = Counting()

    nothing: Any = None
    return Part(Segment(), nothing, nothing)  # type: ignore[arg-type]


def test_values_are_looked_up_once_per_question(part: Any) -> None:
    values, hashes = Strings.of(["a", "b", "c"]), np.array([1, 2, 3], np.uint64)
    asked = part.for_question()
    assert asked.memo is part.memo and asked.find(values, hashes).tolist() == [1, 2, 3]
    assert asked.find(values, hashes.view()).tolist() == [1, 2, 3] and part.segment.dictionary.asked == 1
    assert asked.find(values, hashes[:2]).tolist() == [1, 2]  # other values, at the same address
    assert asked.find(values, hashes.copy() + np.uint64(1)).tolist() == [2, 3, 4]
    assert part.segment.dictionary.asked == 3
    assert part.for_question().find(values, hashes).tolist() == [1, 2, 3] and part.segment.dictionary.asked == 4


def test_a_part_outside_a_question_remembers_no_values(part: Any) -> None:
    hashes = np.array([1, 2], np.uint64)
    assert part.find(Strings.of(["a", "b"]), hashes).tolist() == [1, 2]
    hashes += np.uint64(5)
    assert part.find(Strings.of(["c", "d"]), hashes).tolist() == [6, 7]
