"""ProbeSet and JOSIE as in the thesis (algorithm 2), compiled; `records` names the arguments.

Where this departs, because the thesis is wrong or does not say:
    (3.4)   is used without its second line, which subtracts a term that is not zero
    (3.9)   divides by the positions looked at, i - i0 + 1, as (3.4) does
    (3.12)  and (3.13) both count the values behind the last match
    line 6  the first list is read as well, and the last batch ends with the query
    ties    a set or a list is left out only if it is strictly beaten, so that ties are broken by name
    groups  sets are read as groups of values, lists once per group; weights keep the count of values right
    heap    holds owners: the k best tables, when tables are asked for, may take more than k sets
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.compiled.jit import helper, kernel
from mere.indexes.overlap.ranking import copied, keep_best, kth_best
from mere.indexes.overlap.reading import clear, rest_of_overlap

BATCH = 20  # distinct lists read at once, lambda
_UNSEEN, _UNREAD, _DONE = 0, 1, 2


class Candidates(NamedTuple):
    """The sets that were seen in a list; all arrays but the first have an entry per set of the segment."""

    unread: np.ndarray  # the sets that are not read yet
    state: np.ndarray
    shared: np.ndarray  # values shared with the lists read so far
    first: np.ndarray  # values of the query before the first match
    begin: np.ndarray  # values of the set from its first match on
    after: np.ndarray  # values of the set behind its last match


class Query(NamedTuple):
    """The query's groups, and for every position among them the sums over the groups before it."""

    groups: np.ndarray
    weights: np.ndarray  # values
    costs: np.ndarray  # of reading their lists


class Levels(NamedTuple):
    """What the k-th best, and the one before it, have reached."""

    kth: np.int64
    ahead: np.int64


@kernel
def best_sets(probe, groups, index, wanted, scratch):
    """As `kernels.best_sets`: by ProbeSet, or else by JOSIE."""
    for i in range(4):
        scratch.reads[i] = 0
    size = probe_sets(index, groups, wanted, scratch) if probe else josie(index, groups, wanted, scratch)
    kept = keep_best(scratch.seen[:size], False, wanted, index.owners, scratch)
    best, overlaps = copied(kept, scratch)
    clear(scratch, groups, False, size)
    return best, overlaps


@helper(allocates=True)
def probe_sets(index, groups, wanted, scratch):
    """ProbeSet: read lists, rare values first, and every set when first seen, unless its position rules it out."""
    lists, owners, reads = index.lists, index.owners, scratch.reads
    left = 0
    for group in groups:
        left += scratch.weights[group]
    met = np.zeros(len(scratch.counts), np.uint8)
    level, size = max(wanted.bound, 1), 0
    for i in range(len(groups)):
        if left < level:
            break
        group = groups[i]
        left -= scratch.weights[group]
        reads[0] += 1
        reads[1] += lists.starts[group + 1] - lists.starts[group]
        for place in range(lists.starts[group], lists.starts[group + 1]):
            which = lists.sets[place]
            if met[which] or owners.starts[which] == owners.starts[which + 1]:
                continue
            met[which] = 1
            if scratch.weights[group] + min(left, lists.after[place]) < level:
                continue
            scratch.counts[which], read = rest_of_overlap(lists, which, groups, i, scratch.weights)
            reads[2] += 1
            reads[3] += read
            scratch.seen[size] = which
            size += 1
            if wanted.k > 0 and scratch.counts[which] >= level:
                level = max(level, kth_best(scratch.seen[:size], False, wanted.k, owners, scratch)[0])
    return size


@helper(allocates=True)
def josie(index, groups, wanted, scratch):
    """JOSIE: whichever has the lower net cost next, the best unread set or the next batch of lists."""
    query, sets = _query(index, groups, scratch.weights), _no_candidates(len(scratch.counts))
    passed, total = query.weights, len(groups)
    waiting, size, i = 0, 0, 0
    k, bound = wanted
    levels, full = Levels(np.int64(max(bound, 1)), np.int64(0)), k == 0 or bound > 1
    while True:
        waiting = _prune(sets, waiting, passed[total] - passed[i], levels.kth)
        lists_left = i < total and (passed[total] - passed[i] >= levels.kth or waiting > 0)
        if not lists_left and waiting == 0:
            return size
        stop = min(total, i + BATCH)
        chosen, net, batch = -1, 0.0, 0.0
        if waiting and full:
            chosen, net = _best(index, sets, waiting, query, i, levels)
            if lists_left:
                saved = _saved_by_lists(index, sets, waiting, passed, (i, stop), levels.kth)
                batch = query.costs[stop] - query.costs[i] - saved
        elif waiting:
            chosen = _most_shared(sets, waiting)
        if waiting and (not lists_left or not full or net <= batch):
            which = sets.unread[chosen]
            sets.unread[chosen] = sets.unread[waiting - 1]
            waiting -= 1
            _read_set(index.lists, sets, which, query, i, scratch)
            scratch.seen[size] = which
            size += 1
            if k > 0 and scratch.counts[which] >= levels.kth:
                reached = kth_best(scratch.seen[:size], False, k, index.owners, scratch)[0]
                ahead = (
                    kth_best(scratch.seen[:size], False, k - 1, index.owners, scratch)[0] if k > 1 else passed[total]
                )
                levels, full = Levels(max(levels.kth, reached), ahead), full or reached > 0
            continue
        waiting = _read_batch(index, sets, waiting, query, (i, stop, levels.kth), scratch)
        i = stop


@helper(allocates=True)
def _query(index, groups, group_weights):
    lists, costs, total = index.lists, index.costs, len(groups)
    weights, paid = np.zeros(total + 1, np.int64), np.zeros(total + 1)
    for i in range(total):
        length = lists.starts[groups[i] + 1] - lists.starts[groups[i]]
        weights[i + 1] = weights[i] + group_weights[groups[i]]
        paid[i + 1] = paid[i] + costs.list_access + costs.list_entry * length
    return Query(groups, weights, paid)


@helper(allocates=True)
def _no_candidates(sets):
    state, unread = np.zeros(sets, np.uint8), np.empty(sets, np.int64)
    shared, first, begin, after = (
        np.zeros(sets, np.int64), np.zeros(sets, np.int64), np.zeros(sets, np.int64), np.zeros(sets, np.int64)
    )  # fmt: skip
    return Candidates(unread, state, shared, first, begin, after)


@helper
def _read_set(lists, sets, which, query, i, scratch):
    """Count what a set shares with the query, behind the lists that were read."""
    sets.state[which] = _DONE
    scratch.counts[which] = sets.shared[which]
    if i < len(query.groups):
        more, read = rest_of_overlap(lists, which, query.groups, i, scratch.weights)
        scratch.counts[which] += more
        scratch.reads[3] += read
    scratch.reads[2] += 1


@helper
def _read_batch(index, sets, waiting, query, span, scratch):
    """Read the lists from one position to another; `span` has both, and the level.  Returns how many sets wait now."""
    lists, owners, passed, total = index.lists, index.owners, query.weights, len(query.groups)
    first, stop, level = span
    for j in range(first, stop):
        group = query.groups[j]
        scratch.reads[0] += 1
        scratch.reads[1] += lists.starts[group + 1] - lists.starts[group]
        for place in range(lists.starts[group], lists.starts[group + 1]):
            which = lists.sets[place]
            if sets.state[which] == _DONE or owners.starts[which] == owners.starts[which + 1]:
                continue
            if sets.state[which] == _UNSEEN:
                if passed[total] - passed[j] < level:
                    continue  # beyond the prefix no new set can matter
                sets.state[which] = _UNREAD
                sets.first[which] = passed[j]
                sets.begin[which] = scratch.weights[group] + lists.after[place]
                sets.unread[waiting] = which
                waiting += 1
            sets.shared[which] += scratch.weights[group]
            sets.after[which] = lists.after[place]
    return waiting


@helper
def _prune(sets, waiting, left, level):
    """The position filter (3.6): drop the sets that can no longer reach the level."""
    kept = 0
    for place in range(waiting):
        which = sets.unread[place]
        if sets.shared[which] + min(left, sets.after[which]) >= level:
            sets.unread[kept] = which
            kept += 1
        else:
            sets.state[which] = _DONE
    return kept


@helper
def _most_shared(sets, waiting):
    """While the heap is not full, no set can rule out another: the one that shares most comes first."""
    chosen = 0
    for place in range(1, waiting):
        if sets.shared[sets.unread[place]] > sets.shared[sets.unread[chosen]]:
            chosen = place
    return chosen


@helper
def _cost_of_reading(index, which, values):
    """S of a set's last values (3.15), which take about this share of its entries."""
    lists, costs = index.lists, index.costs
    entries = lists.set_starts[which + 1] - lists.set_starts[which]
    return costs.set_access + costs.set_entry * entries * values / lists.set_sizes[which]


@helper(allocates=True)
def _best(index, sets, waiting, query, i, levels):
    """The unread set of the lowest net cost (3.13), and that cost."""
    passed, paid, total = query.weights, query.costs, len(query.groups)
    left = passed[total] - passed[i]
    bounds, cost = np.empty(waiting, np.int64), np.empty(waiting)
    for place in range(waiting):
        which = sets.unread[place]
        bounds[place] = sets.shared[which] + min(left, sets.after[which])
        cost[place] = _cost_of_reading(index, which, sets.after[which])
    order = np.argsort(bounds)
    ordered, running = bounds[order], np.zeros(waiting + 1)
    for place in range(waiting):
        running[place + 1] = running[place] + cost[order[place]]
    chosen, lowest = 0, np.inf
    for place in range(waiting):
        which = sets.unread[place]
        looked_at = passed[i] - sets.first[which]
        estimate = sets.shared[which] * (passed[total] - sets.first[which]) / max(1, looked_at)  # (3.4)
        lifted = levels.kth
        if estimate > levels.kth:
            lifted = np.int64(min(estimate, max(levels.ahead, levels.kth)))  # (3.5)
        benefit = running[np.searchsorted(ordered, lifted)]  # sets with a bound below (3.7)
        if bounds[place] < lifted:
            benefit -= cost[place]
        old_end = np.searchsorted(passed, passed[total] - levels.kth, side="right")
        new_end = np.searchsorted(passed, passed[total] - lifted, side="right")
        benefit += max(0.0, paid[min(total, old_end)] - paid[max(i, min(total, new_end))])
        if cost[place] - benefit < lowest:
            chosen, lowest = place, cost[place] - benefit
    return chosen, lowest


@helper
def _saved_by_lists(index, sets, waiting, passed, span, level):
    """What reading the next lists, from one position to another, is estimated to save in reading sets (3.12)."""
    i, stop = span
    total = len(passed) - 1
    saved = 0.0
    step = passed[stop] - passed[i]
    for place in range(waiting):
        which = sets.unread[place]
        looked_at = max(1, passed[i] - sets.first[which])
        more = sets.shared[which] * step / looked_at  # (3.9)
        moved = step * sets.begin[which] / max(1, passed[total] - sets.first[which])  # (3.10)
        rest = max(0.0, sets.after[which] - moved)
        now = _cost_of_reading(index, which, sets.after[which])
        if sets.shared[which] + more + min(passed[total] - passed[stop], rest) < level:  # (3.11)
            saved += now
        else:
            saved += now - _cost_of_reading(index, which, rest)
    return saved
