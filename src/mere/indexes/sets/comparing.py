"""What does each of some columns share with the query: values, rows of a join, examples?

The query's values and a column's are ids of one segment, ascending: `kernels` walks through both for all columns in one
call; NumPy looks the fewer up among the more, column by column.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere import compiled
from mere.compiled import Trial, read_only
from mere.indexes.kind import Part
from mere.indexes.sets.question import Question
from mere.segments import Segment

EXAMPLES = 5
COMPARING = compiled.Group("evidence of sets", ("mere.indexes.sets.kernels",), compiling=2.0)


class Known(NamedTuple):
    """The values of a query that a segment has."""

    ids: np.ndarray  # uint32, ascending
    places: np.ndarray  # int64: the place of each in the query, ascending as well
    rows: np.ndarray  # int64: rows of the query that hold each
    size: int  # values of the query, the others included


class Stored(NamedTuple):
    """The sets of a segment."""

    starts: np.ndarray
    ids: np.ndarray
    counts: np.ndarray


class Compared(NamedTuple):
    """Per column what it shares with the query; places are those of the query's values, -1 behind the last."""

    counted: np.ndarray  # int64: values, rows of the join, rows of either side, most rows of a value on either side
    matched: np.ndarray  # int64: the first places that match
    unmatched: np.ndarray  # int64: the first that do not
    state: np.ndarray  # int64, for the kernel: unmatched places listed so far, and the next one

    @staticmethod
    def empty(columns: int) -> Compared:
        matched, unmatched = (np.full((columns, EXAMPLES), -1, np.int64) for _ in range(2))
        return Compared(np.zeros((columns, 6), np.int64), matched, unmatched, np.zeros((columns, 2), np.int64))


def compared(part: Part, question: Question, columns: np.ndarray) -> Compared:
    """What each of the columns shares with the query."""
    known = known_values(part, question)
    if compiled.ready(COMPARING, lambda: comparing_trial(part)):
        return _compared_compiled(_stored(part.segment), known, columns)
    with compiled.time_fallback(COMPARING):
        return _compared_in_numpy(part.segment, known, columns)


def known_values(part: Part, question: Question) -> Known:
    """The values of a query that the segment has."""
    ids = part.find(question.values, question.hashes)
    places = np.flatnonzero(ids >= 0)
    rows = question.counts[places].astype(np.int64)
    return Known(ids[places].astype(np.uint32), places, rows, len(question))


def comparing_trial(part: Part) -> Trial:
    """Compiles what evidence needs, beside the look-up."""
    segment, nothing = part.segment, np.zeros(0, np.int64)
    stored = _stored(segment)  # mapped now: the lake may be closed when the kernel is compiled
    known = Known(np.zeros(0, np.uint32), nothing, nothing, 0)
    return Trial(COMPARING, (("compare", lambda: _compared_compiled(stored, known, nothing)),))


def _stored(segment: Segment) -> Stored:
    return Stored(*(segment.values[name] for name in ("set.starts", "set.ids", "set.counts")))


def _compared_compiled(stored: Stored, known: Known, columns: np.ndarray) -> Compared:
    from mere.indexes.sets.kernels import compare

    out = Compared.empty(len(columns))
    query = Known(read_only(known.ids), read_only(known.places), read_only(known.rows), known.size)
    compare(query, stored, read_only(columns), out)
    return out


def _compared_in_numpy(segment: Segment, known: Known, columns: np.ndarray) -> Compared:
    out = Compared.empty(len(columns))
    for number, column in enumerate(columns.tolist()):
        in_query, in_column = common_places(known.ids, segment.set_of(column))
        if len(in_query):
            left, right = known.rows[in_query], segment.counts_of(column)[in_column].astype(np.int64)
            out.counted[number] = len(left), left @ right, left.sum(), right.sum(), left.max(), right.max()
        places = known.places[in_query]
        out.matched[number, : len(places)] = places[:EXAMPLES]
        missing = first_missing(places, known.size)
        out.unmatched[number, : len(missing)] = missing
    return out


def common_places(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places of the numbers in both arrays; each array ascends, without repeats.

    >>> common_places(np.array([1, 3, 5]), np.array([3, 4, 5]))
    (array([1, 2]), array([0, 2]))
    """
    if len(left) > len(right):
        there, here = common_places(right, left)
        return here, there
    place = np.searchsorted(right, left)
    in_left = np.flatnonzero(place < len(right))
    in_left = in_left[right[place[in_left]] == left[in_left]]
    return in_left, place[in_left]


def first_missing(numbers: np.ndarray, size: int) -> np.ndarray:
    """The first few of the numbers from 0 to size - 1 that are not among these, which ascend.

    >>> first_missing(np.array([0, 2]), 9)
    array([1, 3, 4, 5, 6])
    """
    each = np.arange(EXAMPLES)
    before = np.searchsorted(numbers - np.arange(len(numbers)), each, side="right")  # numbers before each missing one
    missing = each + before
    return missing[missing < size]
