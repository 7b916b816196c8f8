"""ProbeSet and JOSIE as the thesis has them (algorithm 2), compiled; `kernels` names the arguments.

Where this departs, because the thesis errs or is silent:
    (3.4)   is used without its second line, which subtracts a term that is not zero
    (3.9)   divides by the positions looked at, i - i0 + 1, as (3.4) does
    (3.12)  and (3.13) both count the values behind the last match
    line 6  the first list is read as well, and the last batch ends with the query
    ties    a set or a list is left out only if it is strictly beaten, so that ties are broken by name
    groups  sets are read as groups of values, lists once per group; weights keep the count of values right
    heap    holds owners: the k best tables, when tables are asked for, may take more than k sets
"""

from __future__ import annotations

import numpy as np

from mere.indexes.overlap.kernels import kth_best, rest_of_overlap, take_best, tidy
from mere.store.jit import kernel

BATCH = 20  # distinct lists read at once, lambda
_UNSEEN, _UNREAD, _DONE = 0, 1, 2


@kernel
def best_sets(probe, groups, lists, owners, costs, k, bound, desk):
    """As `engine.best_sets`: by ProbeSet, or else by JOSIE."""
    reads = np.zeros(4, np.int64)
    if probe:
        size = probe_sets(lists, groups, k, bound, owners, desk, reads)
    else:
        size = josie(lists, groups, k, bound, owners, costs, desk, reads)
    found, overlaps = take_best(desk.seen[:size], False, k, bound, owners, desk)
    tidy(desk, groups, False, size)
    return found, overlaps, reads


@kernel
def probe_sets(lists, groups, k, bound, owners, desk, reads):
    """ProbeSet: read lists, rare values first, and every set when it is first met, unless its position rules it out."""
    left = 0
    for group in groups:
        left += desk.weights[group]
    met = np.zeros(len(desk.counts), np.uint8)
    level, size = max(bound, 1), 0
    for i in range(len(groups)):
        if left < level:
            break
        group = groups[i]
        left -= desk.weights[group]
        reads[0] += 1
        reads[1] += lists.starts[group + 1] - lists.starts[group]
        for place in range(lists.starts[group], lists.starts[group + 1]):
            which = lists.sets[place]
            if met[which] or owners.starts[which] == owners.starts[which + 1]:
                continue
            met[which] = 1
            if desk.weights[group] + min(left, lists.after[place]) < level:
                continue
            desk.counts[which], read = rest_of_overlap(
                lists.set_starts, lists.set_groups, which, groups, i, desk.weights
            )
            reads[2] += 1
            reads[3] += read
            desk.seen[size] = which
            size += 1
            if k > 0 and desk.counts[which] >= level:
                level = max(level, kth_best(desk.seen[:size], False, k, owners, desk)[0])
    return size


@kernel
def josie(lists, groups, k, bound, owners, costs, desk, reads):
    """JOSIE: whichever has the lower net cost next, the best unread set or the next batch of lists."""
    total, weights, counts = len(groups), desk.weights, desk.counts
    passed = np.zeros(total + 1, np.int64)  # weight of the groups before each position
    paid = np.zeros(total + 1)  # cost of the lists before each position
    for i in range(total):
        length = lists.starts[groups[i] + 1] - lists.starts[groups[i]]
        passed[i + 1] = passed[i] + weights[groups[i]]
        paid[i + 1] = paid[i] + costs.list_access + costs.list_entry * length
    state = np.zeros(len(counts), np.uint8)
    shared = np.zeros(len(counts), np.int64)  # with the lists read so far
    first = np.zeros(len(counts), np.int64)  # values of the query before the first match
    begin = np.zeros(len(counts), np.int64)  # values of the set from its first match on
    after = np.zeros(len(counts), np.int64)  # values of the set behind its last match
    unread = np.empty(len(counts), np.int64)
    waiting, size, i = 0, 0, 0
    level, ahead, full = max(bound, 1), 0, k == 0 or bound > 1
    while True:
        waiting = _prune(unread, waiting, state, shared, after, passed[total] - passed[i], level)
        lists_left = i < total and (passed[total] - passed[i] >= level or waiting > 0)
        if not lists_left and waiting == 0:
            return size
        chosen, net = -1, 0.0
        if waiting and full:
            chosen, net = _best(lists, unread, waiting, shared, first, after, passed, paid, i, level, ahead, costs)
        elif waiting:
            chosen = _most_shared(unread, waiting, shared)
        stop = min(total, i + BATCH)
        batch = 0.0
        if lists_left and waiting and full:
            batch = (
                paid[stop]
                - paid[i]
                - _saved_by_lists(lists, unread, waiting, shared, first, begin, after, passed, i, stop, level, costs)
            )
        if waiting and (not lists_left or not full or net <= batch):
            which = unread[chosen]
            unread[chosen] = unread[waiting - 1]
            waiting -= 1
            state[which] = _DONE
            counts[which] = shared[which]
            if i < total:
                more, read = rest_of_overlap(lists.set_starts, lists.set_groups, which, groups, i, weights)
                counts[which] += more
                reads[3] += read
            reads[2] += 1
            desk.seen[size] = which
            size += 1
            if k > 0 and counts[which] >= level:
                reached = kth_best(desk.seen[:size], False, k, owners, desk)[0]
                level, full = max(level, reached), full or reached > 0
                ahead = kth_best(desk.seen[:size], False, k - 1, owners, desk)[0] if k > 1 else passed[total]
            continue
        for j in range(i, stop):
            group = groups[j]
            reads[0] += 1
            reads[1] += lists.starts[group + 1] - lists.starts[group]
            for place in range(lists.starts[group], lists.starts[group + 1]):
                which = lists.sets[place]
                if state[which] == _DONE or owners.starts[which] == owners.starts[which + 1]:
                    continue
                if state[which] == _UNSEEN:
                    if passed[total] - passed[j] < level:
                        continue  # beyond the prefix no new set can matter
                    state[which] = _UNREAD
                    first[which] = passed[j]
                    begin[which] = weights[group] + lists.after[place]
                    unread[waiting] = which
                    waiting += 1
                shared[which] += weights[group]
                after[which] = lists.after[place]
        i = stop


@kernel
def _prune(unread, waiting, state, shared, after, left, level):
    """The position filter (3.6): drop the sets that can no longer reach the level."""
    kept = 0
    for place in range(waiting):
        which = unread[place]
        if shared[which] + min(left, after[which]) >= level:
            unread[kept] = which
            kept += 1
        else:
            state[which] = _DONE
    return kept


@kernel
def _most_shared(unread, waiting, shared):
    """While the heap is not full, no set can rule out another: the most promising comes first."""
    chosen = 0
    for place in range(1, waiting):
        if shared[unread[place]] > shared[unread[chosen]]:
            chosen = place
    return chosen


@kernel
def _cost_of_reading(lists, which, values, costs):
    """S of a set's last values (3.15), which take about this share of its entries."""
    entries = lists.set_starts[which + 1] - lists.set_starts[which]
    return costs.set_access + costs.set_entry * entries * values / lists.set_sizes[which]


@kernel
def _best(lists, unread, waiting, shared, first, after, passed, paid, i, level, ahead, costs):
    """The unread set of the lowest net cost (3.13), and that cost."""
    total = len(passed) - 1
    left = passed[total] - passed[i]
    bounds, cost = np.empty(waiting, np.int64), np.empty(waiting)
    for place in range(waiting):
        which = unread[place]
        bounds[place] = shared[which] + min(left, after[which])
        cost[place] = _cost_of_reading(lists, which, after[which], costs)
    order = np.argsort(bounds)
    ordered, running = bounds[order], np.zeros(waiting + 1)
    for place in range(waiting):
        running[place + 1] = running[place] + cost[order[place]]
    chosen, lowest = 0, np.inf
    for place in range(waiting):
        which = unread[place]
        seen_so_far = passed[i] - first[which]
        estimate = shared[which] * (passed[total] - first[which]) / max(1, seen_so_far)  # (3.4)
        lifted = level
        if estimate > level:
            lifted = np.int64(min(estimate, max(ahead, level)))  # (3.5)
        benefit = running[np.searchsorted(ordered, lifted)]  # sets with a bound below (3.7)
        if bounds[place] < lifted:
            benefit -= cost[place]
        old_end = np.searchsorted(passed, passed[total] - level, side="right")
        new_end = np.searchsorted(passed, passed[total] - lifted, side="right")
        benefit += max(0.0, paid[min(total, old_end)] - paid[max(i, min(total, new_end))])
        if cost[place] - benefit < lowest:
            chosen, lowest = place, cost[place] - benefit
    return chosen, lowest


@kernel
def _saved_by_lists(lists, unread, waiting, shared, first, begin, after, passed, i, stop, level, costs):
    """What reading the next batch of lists is estimated to spare in reading sets (3.12)."""
    total = len(passed) - 1
    saved = 0.0
    step = passed[stop] - passed[i]
    for place in range(waiting):
        which = unread[place]
        looked_at = max(1, passed[i] - first[which])
        more = shared[which] * step / looked_at  # (3.9)
        moved = step * begin[which] / max(1, passed[total] - first[which])  # (3.10)
        rest = max(0.0, after[which] - moved)
        now = _cost_of_reading(lists, which, after[which], costs)
        if shared[which] + more + min(passed[total] - passed[stop], rest) < level:  # (3.11)
            saved += now
        else:
            saved += now - _cost_of_reading(lists, which, rest, costs)
    return saved
