"""The default mode, compiled: read lists, and decide a few times whether to probe instead.

`records` names the arguments; `numpy` has the NumPy version.
"""

from __future__ import annotations

import numpy as np

from mere.compiled.jit import helper, kernel
from mere.indexes.overlap.ranking import (
    collect,
    copied,
    find_maxima,
    gather,
    keep_best,
    kth_best,
    level_reached,
)
from mere.indexes.overlap.reading import clear, entries_of, merge_lists, probe, read_lists
from mere.indexes.overlap.records import BLOCK

AGAIN = 0.7  # of the cost that was left when probing was last considered: then it is considered again
ASKING = 20_000.0  # nanoseconds that it takes at least to consider probing
DENSE = 4  # a query whose lists have more than a quarter as many entries as there are sets is counted densely


@kernel
def best_sets(adaptive, groups, index, wanted, scratch):
    """The sets whose owners may be among the best, and their overlaps; `scratch.reads` says what was read."""
    for i in range(4):
        scratch.reads[i] = 0
    costs = index.costs
    entries = entries_of(index.lists.starts, groups)
    dense, kept = DENSE * entries > len(scratch.every), -1
    if adaptive and costs.list_access * len(groups) + costs.list_entry * entries > ASKING:
        kept, size = adapt(index, groups, wanted, dense, scratch)
    else:
        size = merge_lists(index.lists, groups, dense, scratch)
    sets = scratch.every if dense else scratch.seen[:size]  # those that were counted, or probed
    if kept >= 0:
        sets = scratch.hopeful[:kept]
    best, overlaps = copied(keep_best(sets, dense and kept < 0, wanted, index.owners, scratch), scratch)
    clear(scratch, groups, dense, size)
    return best, overlaps


@helper
def adapt(index, groups, wanted, dense, scratch):
    """Read lists, rare values first; at a few points decide whether probing the candidates is cheaper than reading on.

    Once the weight of the unread lists is less than what the k-th best has reached, no set still unseen can matter
    (prefix filter), and one that was seen matters only if it could still reach that.  To decide costs a look at every
    set seen, so it is done only where the lists left cost more than that, and again only when `AGAIN` of them is left.
    A bound that other segments have set serves as well as a k-th best.
    Returns how many sets were probed, which are in `hopeful`, -1 if all lists were read; and how many sets were seen.
    """
    lists, costs, starts, weights = index.lists, index.costs, index.lists.starts, scratch.weights
    left_weight, left_entries = 0, entries_of(starts, groups)
    for group in groups:
        left_weight += weights[group]
    k, bound = wanted
    entry = costs.list_entry / 2 if dense else costs.list_entry
    look = costs.look / (8 if dense else 1) / (4 if bound > 1 else 1)  # with a bound, no k-th best has to be found
    all_entries, all_weight = left_entries, left_weight
    done, size, next_look = 0, 0, np.inf
    for i in range(len(groups)):
        left_cost = costs.list_access * (len(groups) - i) + entry * left_entries
        hopeful = left_weight < bound or (k > 0 and bound < 2 and 2 * left_weight < all_weight)
        in_view = len(scratch.counts) if dense else min(all_entries - left_entries, len(scratch.counts))
        if hopeful and left_cost <= next_look and left_cost > ASKING + look * in_view:
            size = read_lists(lists, groups[done:i], dense, size, scratch)
            done, next_look = i, AGAIN * left_cost
            sets = scratch.every if dense else scratch.seen[:size]
            left = (left_weight, left_cost, len(groups) - i)
            kept = cheaper_to_probe(index, sets, dense, wanted, left, scratch)
            if kept >= 0:
                scratch.reads[0] += i
                scratch.reads[1] += all_entries - left_entries
                probe(lists, scratch.hopeful[:kept], groups, i, scratch)
                return kept, size
        left_weight -= weights[groups[i]]
        left_entries -= starts[groups[i] + 1] - starts[groups[i]]
    size = read_lists(lists, groups[done:], dense, size, scratch)
    scratch.reads[0] += len(groups)
    scratch.reads[1] += all_entries
    return -1, size


@helper
def cheaper_to_probe(index, sets, all_sets, wanted, left, scratch):
    """How many sets, put into `hopeful`, must be probed to be done; -1 if that is not known, or not cheaper.

    `left` is the weight, the cost and the number of the lists not read.  A sample tells first whether there is hope.
    """
    lists, owners, costs = index
    left_weight, left_cost, groups_left = left
    gather(sets, all_sets, scratch)
    counts = scratch.counts if all_sets else scratch.gathered[: len(sets)]
    maxima = scratch.maxima[: len(counts) // BLOCK + 1]
    find_maxima(counts, maxima)
    level = wanted.bound if wanted.bound > 1 else level_reached(maxima, wanted.k)
    if left_weight >= level or about(counts, level - left_weight) * costs.set_access > left_cost:
        return -1
    if wanted.bound < 2:
        level = kth_best(sets, all_sets, wanted.k, owners, scratch)[0]
        if left_weight >= level:
            return -1
    kept = collect(counts, maxima, sets, level - left_weight, owners.starts, scratch.top)
    few, cost = 0, 0.0
    for which in scratch.top[:kept]:
        if lists.set_sizes[which] >= level:
            entries = lists.set_starts[which + 1] - lists.set_starts[which]
            cost += costs.set_access + costs.set_entry * min(entries, 8 * groups_left)
            if cost > left_cost:
                return -1
            scratch.hopeful[few] = which
            few += 1
    return few


@helper
def about(counts, level):
    """About how many have reached the level, estimated from a sample of the blocks."""
    step = max(1, len(counts) // (16 * BLOCK)) * BLOCK
    reached, looked_at = 0, 0
    for begin in range(0, len(counts), step):
        stop = min(begin + BLOCK, len(counts))
        for i in range(begin, stop):
            reached += counts[i] >= level
        looked_at += stop - begin
    return reached * len(counts) / max(1, looked_at)
