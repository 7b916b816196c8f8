"""Which sets of one segment are mostly contained in which sets of another?  All pairs, exactly.

A set containment join (prefix filter: Chaudhuri, Ganti, Kaushik, ICDE 2006), not a loop of questions: the dictionaries
of the two segments are matched once; then every set of the left, written in the right's groups, reads the right's
posting lists, rare values first, until no set still unseen can hold enough of it, and what has been seen is read on or
probed, whichever is cheaper (`kernels.adapt`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.indexes.kind import Part
from mere.indexes.overlap.build import NO_GROUP
from mere.indexes.overlap.kernels import DENSE, Owners, adapt, desk_for, entries_of, reaching, tidy
from mere.indexes.overlap.search import lists_of
from mere.indexes.sets.answerers import Answerers
from mere.indexes.sets.question import least_overlap
from mere.store import offsets_of
from mere.store.jit import kernel


class Bridge(NamedTuple):
    """For each group of the left: the right's groups that its values are in, and how many of them are in each."""

    starts: np.ndarray
    groups: np.ndarray
    weights: np.ndarray


def contained_pairs(
    left: Part, mine: Answerers, right: Part, theirs: Answerers, threshold: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(set of the left, set of the right, overlap) wherever enough of the left one is in the right one.

    Only sets that somebody may answer for take part.
    """
    lists, costs = lists_of(right)
    sizes = left.arrays["set.sizes"].tolist()
    least = np.array([least_overlap(threshold, size) for size in sizes], np.int64)
    chosen = np.flatnonzero(np.diff(mine.starts) > 0)
    owners = Owners(theirs.starts, theirs.columns)
    mine_as_groups = (left.arrays["set.starts"], left.arrays["set.groups"])
    with desk_for(lists, 0) as desk:
        return _join(chosen, least, *mine_as_groups, _bridge(left, right), lists, owners, costs, desk)


def _bridge(left: Part, right: Part) -> Bridge:
    """Match the dictionaries, by bytes, and carry the match over to groups."""
    known = left.segment.dictionary
    from_groups = left.arrays["group.of_value"]
    found = right.segment.dictionary.find(known.values, known.hashes)
    both = np.flatnonzero((found >= 0) & (from_groups != NO_GROUP))
    to_groups = right.arrays["group.of_value"][found[both]]
    both, to_groups = both[to_groups != NO_GROUP], to_groups[to_groups != NO_GROUP]
    pairs = (from_groups[both].astype(np.uint64) << np.uint64(32)) | to_groups.astype(np.uint64)
    pairs, weights = np.unique(pairs, return_counts=True)
    counts = np.bincount((pairs >> np.uint64(32)).astype(np.int64), minlength=len(left.arrays["list.starts"]) - 1)
    return Bridge(offsets_of(counts), pairs.astype(np.uint32), weights.astype(np.uint32))


@kernel
def _join(chosen, least, set_starts, set_groups, bridge, lists, owners, costs, desk):
    reads = np.zeros(4, np.int64)
    room = np.empty(len(desk.weights), np.uint32)
    ones, others, overlaps = np.empty(1024, np.uint32), np.empty(1024, np.uint32), np.empty(1024, np.uint32)
    size = 0
    for which in chosen:
        asked, weight = 0, 0
        for place in range(set_starts[which], set_starts[which + 1]):
            group = set_groups[place]
            for step in range(bridge.starts[group], bridge.starts[group + 1]):
                other = bridge.groups[step]
                if desk.weights[other] == 0:
                    room[asked] = other
                    asked += 1
                desk.weights[other] += bridge.weights[step]
                weight += bridge.weights[step]
        groups = room[:asked]
        if weight < least[which]:
            tidy(desk, groups, False, 0)
            continue
        groups.sort()
        dense = DENSE * entries_of(lists, groups) > len(desk.every)
        sets, whole, seen = adapt(lists, groups, 0, least[which], owners, costs, dense, desk, reads)
        kept = reaching(sets, whole, least[which], owners, desk)
        if size + kept > len(ones):
            ones = _grown(ones, size + kept)
            others, overlaps = _grown(others, size + kept), _grown(overlaps, size + kept)
        ones[size : size + kept] = which
        others[size : size + kept] = desk.top[:kept]
        overlaps[size : size + kept] = desk.counts[desk.top[:kept]]
        size += kept
        tidy(desk, groups, dense, seen)
    return ones[:size], others[:size], overlaps[:size]


@kernel
def _grown(array, needed):
    larger = np.empty(2 * needed, array.dtype)
    larger[: len(array)] = array
    return larger
