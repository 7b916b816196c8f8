"""What columns share with the query is what Python's own dictionaries share, whatever the counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mere.indexes.kind import Part
from mere.indexes.sets import comparing
from mere.indexes.sets.comparing import EXAMPLES, Compared, compared
from mere.indexes.sets.evidence import Examples, fan_out, fan_out_of
from mere.indexes.sets.question import Question, distinct_of
from mere.segments import Facts, Segment, Table, digest, summarise, write_segment
from mere.store import Strings
from tests.kinds.harness import folder

# how many rows hold a value: at the edges of one, two and four bytes
rows = st.sampled_from([1, 1, 2, 254, 255, 256, 257, 65_534, 65_535, 65_536, 2**31 - 1, 2**31, 2**32 - 1])
words = st.sampled_from([f"v{i}" for i in range(15)])
held = st.dictionaries(words, rows, max_size=12)  # the values of a column, with the rows that hold each


def table_of(columns: list[dict[str, int]]) -> Table:
    """A table with these columns; it has only as many rows as values, but says of each how many hold it."""
    longest = max(map(len, columns), default=0)
    cells = [[*column, *[None] * (longest - len(column))] for column in columns]
    frame = pa.table([pa.array(column, pa.string()) for column in cells], names=[f"c{i}" for i in range(len(columns))])
    [table] = summarise([Facts("t", "", "")], digest([frame]))
    starts, values = table.sets.starts.tolist(), table.sets.values.tolist()
    owners = [number for number in range(len(columns)) for _ in range(starts[number + 1] - starts[number])]
    counts = [columns[number][value] for number, value in zip(owners, values, strict=True)]
    return replace(table, sets=replace(table.sets, counts=np.array(counts, np.uint32)))


def question_of(mine: dict[str, int]) -> Question:
    distinct = distinct_of(list(mine))
    counts = np.array([mine[value] for value in distinct.values.tolist()], np.int64)
    return Question(distinct.values, distinct.hashes, counts, False)


def brute(question: Question, theirs: dict[str, int]) -> tuple[list[int], list[int], list[int]]:
    mine = list(zip(question.values.tolist(), question.counts.tolist(), strict=True))
    shared = [(place, count, theirs[value]) for place, (value, count) in enumerate(mine) if value in theirs]
    places = [place for place, _, _ in shared]
    left, right = [count for _, count, _ in shared], [count for _, _, count in shared]
    join = sum(a * b for a, b in zip(left, right, strict=True))
    counted = [len(shared), join, sum(left), sum(right), max(left, default=0), max(right, default=0)]
    return counted, places[:EXAMPLES], [place for place in range(len(mine)) if place not in places][:EXAMPLES]


@settings(max_examples=150)
@given(held, st.lists(held, min_size=1, max_size=5), st.data())
def test_what_columns_share_is_what_dictionaries_share(
    mine: dict[str, int], columns: list[dict[str, int]], data: Any
) -> None:
    asked = data.draw(st.lists(st.integers(0, len(columns) - 1), max_size=7), label="columns")
    long, at_once = data.draw(st.sampled_from([0, 3, 3, 4096])), data.draw(st.sampled_from([1, 5, 1 << 18]))
    near = data.draw(st.sampled_from([0, 0, 1, 8]))
    question, nothing = question_of(mine), cast(Any, None)
    with folder() as path, pytest.MonkeyPatch.context() as patch:
        segment = Segment(path, write_segment(path, [table_of(columns)]))
        for name, value in (("LONG", long), ("AT_ONCE", at_once), ("NEAR", near)):
            patch.setattr(comparing, name, value)
        result = compared(Part(segment, nothing, nothing), question, np.array(asked, np.int64))
        assert [as_lists(result, number) for number in range(len(asked))] == [
            brute(question, columns[number]) for number in asked
        ]


def test_long_columns_are_found_between_short_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "LONG", 3)
    monkeypatch.setattr(comparing, "NEAR", 0)
    mine, nothing = {f"v{i}": 1 for i in range(5)}, cast(Any, None)
    columns = [mine, {"v1": 300}, dict.fromkeys(mine, 255), {"v4": 2, "x": 9}, {}]
    with folder() as path:
        segment = Segment(path, write_segment(path, [table_of(columns)]))
        result = compared(Part(segment, nothing, nothing), question_of(mine), np.arange(5))
    assert [counts[:2] for counts in result.counted.tolist()] == [[5, 5], [1, 300], [5, 1275], [1, 2], [0, 0]]


def as_lists(result: Compared, number: int) -> tuple[list[int], list[int], list[int]]:
    matched, unmatched = ([place for place in side[number].tolist() if place >= 0] for side in result[1:])
    return result.counted[number].tolist(), matched, unmatched


def test_values_of_billions_of_rows_on_both_sides_are_counted_exactly() -> None:
    both = np.array([2**31, 2**31, 3], np.int64)
    assert fan_out(both, both)["rows"] == 2 * 2**62 + 9


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
