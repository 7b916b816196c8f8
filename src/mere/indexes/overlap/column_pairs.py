"""Which columns of one part hold most of the values of a column of another?  The pairs of the join graph.

`pairs` finds pairs of sets; a set may belong to many columns, so pairs of columns are made some at a time.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mere.indexes.kind import ColumnPairs, GraphPart, Part
from mere.indexes.overlap.pairs import contained_pairs
from mere.indexes.sets.eligible_columns import EligibleColumns, eligible_columns
from mere.store import places_of

_AT_ONCE = 500_000  # pairs of columns made together


def graph_part(left: Part, right: Part, threshold: float, numbers: bool) -> GraphPart:
    """The pairs of columns of which the right one holds at least this share of the left one's values."""
    query = {"numbers": numbers, "table": None, "skip": None}
    mine, theirs = eligible_columns(left, query), eligible_columns(right, query)
    contained = contained_pairs(left, mine, right, theirs, threshold)
    return GraphPart(len(mine.columns), _column_pairs((left, right), (mine, theirs), contained))


def _column_pairs(
    parts: tuple[Part, Part], columns: tuple[EligibleColumns, EligibleColumns], contained: tuple[np.ndarray, ...]
) -> Iterator[ColumnPairs]:
    """Pairs of sets as pairs of columns, `_AT_ONCE` at a time; a column is not paired with itself."""
    left_sets, right_sets, overlaps = contained
    same = parts[0].segment.entry.id == parts[1].segment.entry.id
    lefts = np.diff(columns[0].starts)[left_sets]
    pair = np.repeat(np.arange(len(left_sets)), lefts)  # one entry per column of each left set
    left = columns[0].columns[places_of(columns[0].starts[left_sets], lefts)]
    widths = np.diff(columns[1].starts)[right_sets][pair]
    rows = np.cumsum(widths)
    start = 0
    while start < len(left):
        done = rows[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(rows, done + _AT_ONCE, side="right")))
        mine, which, wide = left[start:stop], pair[start:stop], widths[start:stop]
        right = columns[1].columns[places_of(columns[1].starts[right_sets[which]], wide)]
        mine, which = np.repeat(mine, wide), np.repeat(which, wide)
        keep = mine != right if same else np.ones(len(mine), bool)
        mine, right = mine[keep], right[keep]
        yield ColumnPairs(mine, right, overlaps[which[keep]], _sizes(parts[0], mine), _sizes(parts[1], right))
        start = stop


def _sizes(part: Part, columns: np.ndarray) -> np.ndarray:
    """The number of distinct values of each of these columns."""
    return part.arrays["set.sizes"][part.arrays["set.of_column"][columns]]
