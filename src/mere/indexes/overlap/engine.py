"""The way of a compiled question through one segment: look up, weigh, read, keep; one call."""

from __future__ import annotations

import numpy as np

from mere.indexes.overlap.kernels import ASKING, DENSE, adapt, entries_of, merge_lists, take_best, tidy, weigh
from mere.store.jit import kernel
from mere.store.kernels import find


@kernel
def groups_of(hashes, offsets, data, known, group_of_value, desk):
    """The groups of the query's values, ascending; the desk's weights say how many values each stands for."""
    ids = np.empty(len(hashes), np.int64)
    find(hashes, offsets, data, known, ids)
    groups = np.empty(min(len(ids), len(desk.weights)), np.uint32)
    return groups[: weigh(ids, group_of_value, desk.weights, groups)]


@kernel
def best_sets(adaptive, groups, lists, owners, costs, k, bound, desk):
    """The sets whose owners may be among the k best (0: all) that reach the bound; their overlaps; what was read."""
    reads = np.zeros(4, np.int64)
    entries = entries_of(lists, groups)
    dense = DENSE * entries > len(desk.every)
    if adaptive and costs.list_access * len(groups) + costs.list_entry * entries > ASKING:
        sets, whole, size = adapt(lists, groups, k, bound, owners, costs, dense, desk, reads)
    else:
        sets, whole, size = merge_lists(lists, groups, dense, desk, reads)
    found, overlaps = take_best(sets, whole, k, bound, owners, desk)
    tidy(desk, groups, dense, size)
    return found, overlaps, reads


@kernel
def answer(adaptive, hashes, offsets, data, known, group_of_value, lists, owners, costs, k, bound, desk):
    """Both, for a question that is asked in strings."""
    groups = groups_of(hashes, offsets, data, known, group_of_value, desk)
    return best_sets(adaptive, groups, lists, owners, costs, k, bound, desk)
