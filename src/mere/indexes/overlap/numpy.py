"""MergeList in NumPy: the same answers as `kernels`, for processes that do not ask enough to compile them."""

from __future__ import annotations

import numpy as np

from mere.indexes.kind import Part
from mere.indexes.overlap.build import NO_GROUP
from mere.indexes.overlap.records import Owners, Wanted
from mere.indexes.sets.question import Question
from mere.store import places_of


def best_sets(part: Part, question: Question, owners: Owners, wanted: Wanted) -> tuple[np.ndarray, np.ndarray]:
    """The sets whose owners may be among the best, and their overlaps."""
    ids = part.find(question.values, question.hashes)
    overlaps = merged(part, ids)
    sets = np.flatnonzero((overlaps >= max(wanted.bound, 1)) & (np.diff(owners.starts) > 0)).astype(np.uint32)
    if wanted.k and len(sets) > wanted.k:
        level = kth_best(sets, overlaps[sets], owners, wanted.k)
        sets = sets[overlaps[sets] >= level]
    return sets, overlaps[sets]


def merged(part: Part, ids: np.ndarray) -> np.ndarray:
    """The overlap of every set with these values of the dictionary."""
    groups = part.arrays["group.of_value"][ids[ids >= 0]]
    groups, weights = np.unique(groups[groups != NO_GROUP], return_counts=True)
    starts = part.arrays["list.starts"]
    lengths = starts[groups + np.uint32(1)] - starts[groups]
    entries = part.arrays["list.sets"][places_of(starts[groups], lengths)]
    counted = np.bincount(entries, np.repeat(weights, lengths), len(part.arrays["set.sizes"]))
    return counted.astype(np.int64)


def kth_best(sets: np.ndarray, overlaps: np.ndarray, owners: Owners, k: int) -> int:
    """The overlap of the k-th best owner; 0 if there are fewer."""
    order = np.argsort(-overlaps, kind="stable")
    starts = owners.starts
    sizes = starts[sets[order] + np.uint32(1)] - starts[sets[order]]
    _, first = np.unique(owners.numbers[places_of(starts[sets[order]], sizes)], return_index=True)
    if len(first) < k:
        return 0
    place = np.partition(first, k - 1)[k - 1]
    return int(overlaps[order[np.searchsorted(np.cumsum(sizes), place, side="right")]])
