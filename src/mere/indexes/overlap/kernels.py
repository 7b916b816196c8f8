"""The compiled loops: weigh the query's groups, read posting lists, probe sets, keep what may be among the best.

Import only once `compiled.ready()`; `plain` has the NumPy twin.

Shared arguments:
    lists       Lists: the arrays of `build`
    owners      Owners: who answers for each set: its living tables, or its living columns
    bound       overlaps below it are of no interest
    groups      the query's groups, ascending; `weights[group]` is how many of its values each stands for
    counts      per set: the overlap found so far; 0 for a set not yet seen
    seen        the sets seen, in the order of their first sight
    reads       what was read: lists, their entries, sets, their entries
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from mere.store.kernels import first_at_least


class Lists(NamedTuple):
    """The posting lists of a segment, and its sets as groups."""

    starts: np.ndarray
    sets: np.ndarray
    after: np.ndarray
    set_starts: np.ndarray
    set_groups: np.ndarray
    set_sizes: np.ndarray


class Owners(NamedTuple):
    """Who answers for each set; a set without owners does not count."""

    starts: np.ndarray
    numbers: np.ndarray
    marks: np.ndarray  # uint8 per owner, all zero between calls


class Costs(NamedTuple):
    """Nanoseconds: to turn to a list or a set, and to read one entry of it (equation 3.15); and, per set seen, to ask
    whether probing would be cheaper."""

    list_access: float  # l0
    list_entry: float  # l1
    set_access: float  # s0
    set_entry: float  # s1
    look: float


@njit(nogil=True, cache=True)
def weigh(ids, group_of_value, weights, groups):
    """The distinct groups of the values found, ascending, into `groups`; their number is returned."""
    size = 0
    for i in range(len(ids)):
        if ids[i] >= 0:
            group = group_of_value[ids[i]]
            if group != 0xFFFFFFFF:
                if weights[group] == 0:
                    groups[size] = group
                    size += 1
                weights[group] += 1
    groups[:size].sort()
    return size


@njit(nogil=True, cache=True)
def read_list(lists, group, weight, counts, seen, size):
    """Add a list's weight to all its sets; returns how many sets are seen now."""
    for place in range(lists.starts[group], lists.starts[group + 1]):
        which = lists.sets[place]
        if counts[which] == 0:
            seen[size] = which
            size += 1
        counts[which] += weight
    return size


@njit(nogil=True, cache=True)
def rest_of_overlap(lists, which, groups, first, weights):
    """What a set shares with the query's groups from the first one on, and how many entries it took to see that."""
    stop = lists.set_starts[which + 1]
    begin = lists.set_starts[which]
    place = begin + first_at_least(lists.set_groups[begin:stop], groups[first], 0)
    shared = 0
    if stop - place <= 8 * (len(groups) - first):
        for entry in range(place, stop):
            shared += weights[lists.set_groups[entry]]
        return shared, stop - place
    read = 0
    for i in range(first, len(groups)):
        tail = lists.set_groups[place:stop]
        place += first_at_least(tail, groups[i], 0)
        read += 1
        if place == stop:
            break
        if lists.set_groups[place] == groups[i]:
            shared += weights[groups[i]]
    return shared, read


@njit(nogil=True, cache=True)
def probe(lists, sets, groups, first, weights, counts, reads):
    """Complete the counts of these sets by reading what they hold from the query's first unread group on."""
    for i in range(len(sets)):
        shared, read = rest_of_overlap(lists, sets[i], groups, first, weights)
        counts[sets[i]] += shared
        reads[2] += 1
        reads[3] += read


@njit(nogil=True, cache=True)
def kth_best(counts, seen, size, k, owners):
    """A count that at least k owners have reached, at most a thousandth below the k-th best; 0 if there are fewer."""
    most = 0
    for i in range(size):
        most = max(most, counts[seen[i]])
    shift = 0
    while most >> shift > 1023:
        shift += 1
    reached = np.zeros((most >> shift) + 1, np.int64)
    for i in range(size):
        which = seen[i]
        reached[counts[which] >> shift] += owners.starts[which + 1] - owners.starts[which]
    level, running, wanted = len(reached), 0, k
    while True:
        while level > 0 and running < wanted:
            level -= 1
            running += reached[level]
        if running < wanted:
            return 0
        found = _distinct_owners(counts, seen, size, level << shift, owners)
        if found >= k:
            return level << shift
        wanted = running + k - found  # some owners have several of these sets


@njit(nogil=True, cache=True)
def _distinct_owners(counts, seen, size, level, owners):
    found = 0
    for i in range(size):
        if counts[seen[i]] >= level:
            for place in range(owners.starts[seen[i]], owners.starts[seen[i] + 1]):
                found += 1 - owners.marks[owners.numbers[place]]
                owners.marks[owners.numbers[place]] = 1
    for i in range(size):
        if counts[seen[i]] >= level:
            for place in range(owners.starts[seen[i]], owners.starts[seen[i] + 1]):
                owners.marks[owners.numbers[place]] = 0
    return found


@njit(nogil=True, cache=True)
def keep_best(counts, seen, size, k, bound, owners):
    """The sets that reach the bound, and about what the k-th best owner has; and their counts."""
    level = max(bound, 1)
    if k > 0:
        level = max(level, kth_best(counts, seen, size, k, owners))
    found, overlaps = np.empty(size, np.uint32), np.empty(size, np.uint32)
    kept = 0
    for i in range(size):
        which = seen[i]
        if counts[which] >= level and owners.starts[which] < owners.starts[which + 1]:
            found[kept] = which
            overlaps[kept] = counts[which]
            kept += 1
    return found[:kept], overlaps[:kept]


@njit(nogil=True, cache=True)
def merge_lists(lists, groups, weights, counts, seen, reads):
    """MergeList: read every list."""
    size = 0
    for i in range(len(groups)):
        size = read_list(lists, groups[i], weights[groups[i]], counts, seen, size)
        reads[0] += 1
        reads[1] += lists.starts[groups[i] + 1] - lists.starts[groups[i]]
    return size


@njit(nogil=True, cache=True)
def adapt(lists, groups, weights, k, bound, owners, costs, counts, seen, reads):
    """Read lists, rare values first; at a few points ask whether probing the candidates is cheaper than reading on.

    Once the weight of the unread lists is less than what the k-th best has reached, no set still unseen can matter
    (prefix filter), and one that is seen matters only if it could still reach that.  The question costs a look at every
    set seen, so it is asked only where the lists left cost more than that, and again only when half of them are read.
    """
    left_weight, left_cost = 0, 0.0
    for i in range(len(groups)):
        left_weight += weights[groups[i]]
        left_cost += costs.list_access + costs.list_entry * (lists.starts[groups[i] + 1] - lists.starts[groups[i]])
    read_weight, size, next_look = 0, 0, left_cost
    for i in range(len(groups)):
        hopeful = left_weight < bound or (k > 0 and left_weight < read_weight)
        if hopeful and left_cost <= next_look and left_cost > costs.look * size:
            next_look = left_cost / 2
            level = max(bound, 1)
            if k > 0 and left_weight < read_weight:
                level = max(level, kth_best(counts, seen, size, k, owners))
            if left_weight < level:
                kept = _hopeful(lists, counts, seen, size, level, left_weight, owners)
                if _cost_of_probing(lists, seen, kept, len(groups) - i, costs) < left_cost:
                    _zero_others(counts, seen, kept, size)
                    probe(lists, seen[:kept], groups, i, weights, counts, reads)
                    return kept
        group = groups[i]
        entries = lists.starts[group + 1] - lists.starts[group]
        size = read_list(lists, group, weights[group], counts, seen, size)
        reads[0] += 1
        reads[1] += entries
        left_weight -= weights[group]
        read_weight += weights[group]
        left_cost -= costs.list_access + costs.list_entry * entries
    return size


@njit(nogil=True, cache=True)
def _hopeful(lists, counts, seen, size, level, left_weight, owners):
    """Move the sets that may still reach the level to the front of those seen; returns how many."""
    kept = 0
    for i in range(size):
        which = seen[i]
        most = min(counts[which] + left_weight, lists.set_sizes[which])
        if most >= level and owners.starts[which] < owners.starts[which + 1]:
            seen[i] = seen[kept]
            seen[kept] = which
            kept += 1
    return kept


@njit(nogil=True, cache=True)
def _cost_of_probing(lists, seen, size, groups_left, costs):
    cost = 0.0
    for i in range(size):
        entries = lists.set_starts[seen[i] + 1] - lists.set_starts[seen[i]]
        cost += costs.set_access + costs.set_entry * min(entries, 8 * groups_left)
    return cost


@njit(nogil=True, cache=True)
def _zero_others(counts, seen, kept, size):
    for i in range(kept, size):
        counts[seen[i]] = 0
