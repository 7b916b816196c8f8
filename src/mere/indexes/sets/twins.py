"""Which columns hold the very same set of values?

Copies are common in lakes (`benchmarks/overlap.py` counts them), so each distinct set is indexed once and
every column only points to its set.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mere.segments import Segment
from mere.store import equal_ranges, offsets_of, places_of, sums_of
from mere.values import Type, mix

WITH_NUMBERS = "join_numbers"  # the setting that has columns of numbers indexed too
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
        held = np.flatnonzero(self.of_column != NO_SET)
        order = np.argsort(self.of_column[held], kind="stable")
        counts = np.bincount(self.of_column[held], minlength=len(self.sizes))
        return offsets_of(counts), held[order].astype(np.uint32)


def distinct_sets(segment: Segment, numbers: bool) -> DistinctSets:
    """Collapse columns with equal sets; columns without values have no set, nor, if so wished, those of numbers."""
    starts, ids = segment.values["set.starts"], segment.values["set.ids"]
    types = segment.catalog["column.types"]
    wanted = np.diff(starts) > 0
    if not numbers:
        wanted &= ~is_numeric(types)
    columns = np.flatnonzero(wanted)
    twin_of = _first_twins(starts, ids, columns)
    firsts = columns[twin_of == np.arange(len(columns))]
    of_column = np.full(len(types), NO_SET, np.uint32)
    of_column[columns] = np.searchsorted(firsts, columns[twin_of])
    sizes = (starts[1:] - starts[:-1])[firsts]
    return DistinctSets(of_column, offsets_of(sizes), ids[places_of(starts[firsts], sizes)])


def is_numeric(types: np.ndarray) -> np.ndarray:
    return (types == Type.INTEGER) | (types == Type.DECIMAL)


def _first_twins(starts: np.ndarray, ids: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """For each of the columns the place, among them, of the first with an equal set.

    Sums of mixed ids bring likely twins together, and comparing neighbours decides.  Should two different sets have
    one sum, a twin may go unnoticed: it is then indexed twice, and nothing else happens.
    """
    begins = starts[columns]
    sizes = starts[columns + 1] - begins
    sums = sums_of(mix(ids.astype(np.uint64)), starts)[columns]
    order = np.lexsort((sums, sizes))
    likely = np.flatnonzero((np.diff(sizes[order]) == 0) & (np.diff(sums[order].view(np.int64)) == 0))
    one, other = order[likely], order[likely + 1]
    same = np.zeros(len(columns), bool)  # as its neighbour before, in this order
    same[likely + 1] = equal_ranges(ids, begins[one], begins[other], sizes[one])
    leader = np.maximum.accumulate(np.where(same, 0, np.arange(len(columns))))
    twins = np.empty(len(columns), np.int64)
    twins[order] = order[leader]
    return twins
