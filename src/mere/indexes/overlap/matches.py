"""What does every set of a segment share with my column: values, rows of mine, information?

Where `search` finds the best k by number of values, this counts for all of them, as a ranking by other things needs:
one pass over the posting lists of my values, in NumPy.  `columns_with` counts the living columns that have a value,
which says how rare it is in the lake; it adds up over segments.
"""

from __future__ import annotations

import numpy as np

from mere.indexes.kind import Part
from mere.indexes.overlap.build import NO_GROUP
from mere.indexes.sets.eligible_columns import eligible_columns
from mere.store import offsets_of, places_of, sums_of

_ALL = {"table": None, "skip": None, "numbers": True}


def columns_with(part: Part, ids: np.ndarray) -> np.ndarray:
    """How many columns of living tables have each of these values; a negative id is a value that none has."""
    counts = np.zeros(len(ids), np.int64)
    known, groups = _groups(part, ids)
    if len(groups) == 0:
        return counts
    once, place = np.unique(groups, return_inverse=True)
    sets, lengths = _lists(part, once)
    counts[known] = sums_of(living_columns(part)[sets], offsets_of(lengths))[place]
    return counts


def living_columns(part: Part) -> np.ndarray:
    """How many columns of living tables have each set."""
    return np.diff(eligible_columns(part, _ALL).starts)


def shared_with(part: Part, ids: np.ndarray, weights: tuple[np.ndarray, ...]) -> tuple[np.ndarray, list[np.ndarray]]:
    """The sets that have any of these values, ascending; how many; and the sum of each of the weights of these values.

    Weights are whole numbers, one per value.
    """
    known, groups = _groups(part, ids)
    once, place = np.unique(groups, return_inverse=True)
    sets, lengths = _lists(part, once)
    size = len(part.arrays["set.sizes"])
    sums = []
    for weight in (np.ones(len(ids), np.int64), *weights):
        of_group = np.bincount(place, weight[known], len(once))  # exact: whole numbers below 2 ** 53
        sums.append(np.bincount(sets, np.repeat(of_group, lengths), size))
    found = np.flatnonzero(sums[0])
    return found, [total[found].astype(np.int64) for total in sums]


def _groups(part: Part, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which values the part has in any set, and the group of each of them."""
    known = np.flatnonzero(ids >= 0)
    groups = part.arrays["group.of_value"][ids[known]]
    indexed = groups != NO_GROUP
    return known[indexed], groups[indexed]


def _lists(part: Part, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The posting lists of these groups, one after the other, and their lengths."""
    starts = part.arrays["list.starts"]
    lengths = starts[groups + np.uint32(1)] - starts[groups]
    return part.arrays["list.sets"][places_of(starts[groups], lengths)], lengths
