"""What does each of some columns share with the query: values, rows of a join, examples?

The query's values and a column's are ids of one segment, ascending.  The values of many columns are looked at in one
pass; in a column that is long beside the query, the query's values are sought.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.indexes.kind import Part
from mere.indexes.sets.question import Question
from mere.segments import Segment
from mere.store import places_of, sums_of

EXAMPLES = 5
LONG = 4096  # values: looking at fewer takes less time than a call that seeks
NEAR = 8  # times the query's size: looking at so many values takes less time than seeking the query's
AT_ONCE = 1 << 18  # values that are looked at together


class Shared(NamedTuple):
    """The values that each of some columns shares with others."""

    edges: np.ndarray  # int64, columns + 1: where each column's begin
    places: np.ndarray  # int64: their places among all sets of the segment, ascending in each column


class Compared(NamedTuple):
    """Per column what it shares with the query; places are those of the query's values, -1 behind the last."""

    counted: np.ndarray  # values, rows of the join, rows of either side, most rows of a value on either side
    matched: np.ndarray  # int64: the first places that match
    unmatched: np.ndarray  # int64: the first that do not


def compared(part: Part, question: Question, columns: np.ndarray) -> Compared:
    """What each of the columns shares with the query."""
    ids = part.find(question.values, question.hashes)
    known = np.flatnonzero(ids >= 0)
    wanted = ids[known].astype(np.uint32)
    edges, places = shared_values(part.segment, wanted, columns)
    mine = known[np.searchsorted(wanted, part.segment.values["set.ids"][places])]
    counts = counted(edges, question.counts[mine], part.segment.counts_at(places))
    return Compared(counts, first_of(edges, mine), first_missing(edges, mine, len(question)))


def shared_values(segment: Segment, wanted: np.ndarray, columns: np.ndarray) -> Shared:
    """What each of the columns shares with some ids (uint32) of the segment, which ascend."""
    starts = segment.values["set.starts"]
    begins, sizes = starts[columns], starts[columns + 1] - starts[columns]
    is_wanted = np.zeros(len(segment.dictionary), bool)
    is_wanted[wanted] = True
    long = sizes > max(LONG, NEAR * len(wanted))
    short, steps = np.flatnonzero(~long), np.cumsum(sizes[~long]) // AT_ONCE
    found = [np.zeros((2, 0), np.int64)]  # the columns' numbers, and places
    for several in np.split(short, np.flatnonzero(np.diff(steps)) + 1):
        places = places_of(begins[several], sizes[several])
        there = np.flatnonzero(is_wanted[segment.values["set.ids"][places]])
        found.append(np.stack([np.repeat(several, sizes[several])[there], places[there]]))
    for number in np.flatnonzero(long).tolist():
        places = begins[number] + common_places(wanted, segment.set_of(columns[number]))[1]
        found.append(np.stack([np.full(len(places), number), places]))
    numbers, places = np.concatenate(found, axis=1)
    order = np.argsort(numbers, kind="stable")
    return Shared(np.searchsorted(numbers[order], np.arange(len(columns) + 1)), places[order])


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


def counted(edges: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Per range of values: how many, rows of a join, rows of either side, most rows of a value on either side.

    >>> counted(np.array([0, 2, 2]), np.array([1, 1]), np.array([3, 1])).tolist()
    [[2, 4, 2, 4, 1, 3], [0, 0, 0, 0, 0, 0]]
    """
    sizes, (left, right) = np.diff(edges), (side.astype(np.int64) for side in (left, right))
    most = [np.maximum.reduceat(np.append(side, 0), edges[:-1]) * (sizes > 0) for side in (left, right)]
    products = float(left.max(initial=0)) * float(right.max(initial=0)) * len(left)
    exact = left.astype(object if products >= 2.0**63 else np.int64)
    return np.stack([sizes, *(sums_of(side, edges) for side in (exact * right, left, right)), *most], axis=1)


def first_of(edges: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The first few numbers of each range, -1 behind the last.

    >>> first_of(np.array([0, 2, 2]), np.array([0, 7])).tolist()
    [[0, 7, -1, -1, -1], [-1, -1, -1, -1, -1]]
    """
    places = edges[:-1, None] + np.arange(EXAMPLES)
    known = np.append(numbers, -1)
    return np.where(places < edges[1:, None], known[np.minimum(places, len(numbers))], -1)


def first_missing(edges: np.ndarray, numbers: np.ndarray, size: int) -> np.ndarray:
    """The first few from 0 to size - 1 that are not among the numbers of each range, which ascend; -1 behind the last.

    >>> first_missing(np.array([0, 2, 2]), np.array([0, 2]), 4).tolist()
    [[1, 3, -1, -1, -1], [0, 1, 2, 3, -1]]
    """
    columns, each = np.arange(len(edges) - 1), np.arange(EXAMPLES)
    owners = np.repeat(columns, np.diff(edges))
    missing_before = numbers - (np.arange(len(numbers)) - edges[owners])
    first_above = np.searchsorted(owners * size + missing_before, columns[:, None] * size + each, side="right")
    missing = each + first_above - edges[:-1, None]
    return np.where(missing < size, missing, -1)
