"""Which columns have exactly the same set of values?

Copies are common in lakes (`benchmarks/overlap.py` counts them), so each distinct set is indexed once, and every column
refers to its set.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mere.segments import Segment
from mere.store import equal_ranges, offsets_of, places_of, sums_of
from mere.values import Type, mix

WITH_NUMBERS = "join_numbers"  # the setting: whether columns of numbers are indexed, too
NO_SET = np.uint32(0xFFFFFFFF)


@dataclass(frozen=True)
class DistinctSets:
    """The distinct sets of a segment, numbered by the first column that has each."""

    of_column: np.ndarray  # uint32: the set of each column, NO_SET for a column that has none
    starts: np.ndarray  # int64, sets + 1
    ids: np.ndarray  # uint32: ids of the values of each set, ascending

    @property
    def sizes(self) -> np.ndarray:
        return np.diff(self.starts)

    def columns(self) -> tuple[np.ndarray, np.ndarray]:
        """The columns of each set, ascending, as starts and one flat array."""
        columns = np.flatnonzero(self.of_column != NO_SET)
        order = np.argsort(self.of_column[columns], kind="stable")
        counts = np.bincount(self.of_column[columns], minlength=len(self.sizes))
        return offsets_of(counts), columns[order].astype(np.uint32)


def distinct_sets(segment: Segment, numbers: bool) -> DistinctSets:
    """Collapse columns with equal sets; columns without values have no set, nor those of numbers unless `numbers`."""
    starts, ids = segment.values["set.starts"], segment.values["set.ids"]
    types = segment.catalog["column.types"]
    wanted = np.diff(starts) > 0
    if not numbers:
        wanted &= ~is_numeric(types)
    columns = np.flatnonzero(wanted)
    first_of = first_duplicates(starts, ids, columns)
    firsts = columns[first_of == np.arange(len(columns))]
    of_column = np.full(len(types), NO_SET, np.uint32)
    of_column[columns] = np.searchsorted(firsts, columns[first_of])
    sizes = (starts[1:] - starts[:-1])[firsts]
    return DistinctSets(of_column, offsets_of(sizes), ids[places_of(starts[firsts], sizes)])


def is_numeric(types: np.ndarray) -> np.ndarray:
    return (types == Type.INTEGER) | (types == Type.DECIMAL)


def first_duplicates(starts: np.ndarray, ids: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """For each of the columns the place, among them, of the first with an equal set.

    Columns are sorted by sums of mixed ids, and neighbours with equal sums are compared.  If two different sets have
    the same sum, a duplicate may be missed: its set is then indexed twice, which does not change any answer.
    """
    begins = starts[columns]
    sizes = starts[columns + 1] - begins
    sums = sums_of(mix(ids.astype(np.uint64)), starts)[columns]
    order = np.lexsort((sums, sizes))
    likely = np.flatnonzero((np.diff(sizes[order]) == 0) & (np.diff(sums[order].view(np.int64)) == 0))
    left, right = order[likely], order[likely + 1]
    same = np.zeros(len(columns), bool)  # as the set before it, in this order
    same[likely + 1] = equal_ranges(ids, begins[left], begins[right], sizes[left])
    leader = np.maximum.accumulate(np.where(same, 0, np.arange(len(columns))))
    first = np.empty(len(columns), np.int64)
    first[order] = order[leader]
    return first
