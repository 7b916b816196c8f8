"""Which sets of one segment are mostly contained in which sets of another?  All pairs, exactly.

A set containment join (prefix filter: Chaudhuri, Ganti, Kaushik, ICDE 2006), not a loop of questions: the dictionaries
of the two segments are matched once; then every set of the left, written in the right's groups, reads the right's
posting lists, rare values first, until no set still unseen can hold enough of it; for the sets seen, the rest of the
lists is read or the sets are probed, whichever is cheaper (`kernels.adapt`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.compiled.jit import helper, kernel
from mere.indexes.kind import Part
from mere.indexes.overlap.build import NO_GROUP
from mere.indexes.overlap.kernels import DENSE, adapt
from mere.indexes.overlap.ranking import reaching
from mere.indexes.overlap.reading import clear, entries_of
from mere.indexes.overlap.records import Index, Owners, Wanted, scratch_for
from mere.indexes.overlap.search import costs_of, lists_of
from mere.indexes.sets.eligible_columns import EligibleColumns
from mere.indexes.sets.question import least_overlap
from mere.store import offsets_of


class Left(NamedTuple):
    """The sets of the left, written in its groups."""

    chosen: np.ndarray  # the sets that take part
    least: np.ndarray  # per set: how many of its values a set of the right must hold
    starts: np.ndarray
    groups: np.ndarray


class Bridge(NamedTuple):
    """For each group of the left: the right's groups that its values are in, and how many of them are in each."""

    starts: np.ndarray
    groups: np.ndarray
    weights: np.ndarray


def contained_pairs(
    left: Part, mine: EligibleColumns, right: Part, theirs: EligibleColumns, threshold: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(set of the left, set of the right, overlap) wherever enough of the left one is in the right one.

    Only sets take part that an eligible column has.
    """
    lists = lists_of(right)
    least = np.array([least_overlap(threshold, size) for size in left.arrays["set.sizes"].tolist()], np.int64)
    chosen = np.flatnonzero(np.diff(mine.starts) > 0)
    asked = Left(chosen, least, left.arrays["set.starts"], left.arrays["set.groups"])
    owners = Owners(theirs.starts, theirs.columns)
    with scratch_for(lists, 0) as scratch:
        return _join(asked, _bridge(left, right), Index(lists, owners, costs_of(right)), scratch)


def _bridge(left: Part, right: Part) -> Bridge:
    """Match the dictionaries, by bytes, and carry the match over to groups."""
    known = left.segment.dictionary
    from_groups = left.arrays["group.of_value"]
    ids = right.segment.dictionary.find(known.values, known.hashes)
    both = np.flatnonzero((ids >= 0) & (from_groups != NO_GROUP))
    to_groups = right.arrays["group.of_value"][ids[both]]
    both, to_groups = both[to_groups != NO_GROUP], to_groups[to_groups != NO_GROUP]
    pairs = (from_groups[both].astype(np.uint64) << np.uint64(32)) | to_groups.astype(np.uint64)
    pairs, weights = np.unique(pairs, return_counts=True)
    counts = np.bincount((pairs >> np.uint64(32)).astype(np.int64), minlength=len(left.arrays["list.starts"]) - 1)
    return Bridge(offsets_of(counts), pairs.astype(np.uint32), weights.astype(np.uint32))


@kernel
def _join(left, bridge, index, scratch):
    """The pairs, as `contained_pairs` returns them."""
    buffer = np.empty(len(scratch.weights), np.uint32)
    ones, others, overlaps = np.empty(1024, np.uint32), np.empty(1024, np.uint32), np.empty(1024, np.uint32)
    size = 0
    for which in left.chosen:
        least = left.least[which]
        asked, weight = _translate(left, which, bridge, scratch.weights, buffer)
        groups = buffer[:asked]
        if weight < least:
            clear(scratch, groups, False, 0)
            continue
        groups.sort()
        dense = DENSE * entries_of(index.lists.starts, groups) > len(scratch.every)
        probed, seen = adapt(index, groups, Wanted(0, least), dense, scratch)
        sets = scratch.every if dense else scratch.seen[:seen]
        if probed >= 0:
            sets = scratch.hopeful[:probed]
        kept = reaching(sets, dense and probed < 0, least, index.owners, scratch)
        if size + kept > len(ones):
            ones = _grown(ones, size + kept)
            others, overlaps = _grown(others, size + kept), _grown(overlaps, size + kept)
        for i in range(kept):
            ones[size + i] = which
            others[size + i] = scratch.top[i]
            overlaps[size + i] = scratch.counts[scratch.top[i]]
        size += kept
        clear(scratch, groups, dense, seen)
    return ones[:size], others[:size], overlaps[:size]


@helper
def _translate(left, which, bridge, weights, groups):
    """Weigh the right's groups that a set of the left has values in; returns how many groups, and how many values."""
    size, weight = 0, 0
    for place in range(left.starts[which], left.starts[which + 1]):
        group = left.groups[place]
        for step in range(bridge.starts[group], bridge.starts[group + 1]):
            other = bridge.groups[step]
            if weights[other] == 0:
                groups[size] = other
                size += 1
            weights[other] += bridge.weights[step]
            weight += bridge.weights[step]
    return size, weight


@helper(allocates=True)
def _grown(array, needed):
    """A copy with twice the space needed."""
    larger = np.empty(2 * needed, array.dtype)
    for i in range(len(array)):
        larger[i] = array[i]
    return larger
