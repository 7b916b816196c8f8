"""The way of a compiled question through one segment: look up, weigh, read, keep; one call."""

from __future__ import annotations

import numpy as np
from numba import njit

from mere.indexes.overlap.kernels import adapt, keep_best, merge_lists, weigh
from mere.store.kernels import find


@njit(nogil=True, cache=True)
def groups_of(hashes, offsets, data, known, group_of_value, weights):
    """The groups of the query's values, ascending; `weights` says how many values each stands for."""
    ids = np.empty(len(hashes), np.int64)
    find(hashes, offsets, data, known, ids)
    groups = np.empty(min(len(ids), len(weights)), np.uint32)
    return groups[: weigh(ids, group_of_value, weights, groups)]


@njit(nogil=True, cache=True)
def best_sets(adaptive, groups, weights, lists, owners, costs, k, bound):
    """The sets whose owners may be among the k best (0: all) that reach the bound; their overlaps; what was read."""
    sets = len(lists.set_sizes)
    counts, seen, reads = np.zeros(sets, np.uint32), np.empty(sets, np.uint32), np.zeros(4, np.int64)
    if adaptive:
        size = adapt(lists, groups, weights, k, bound, owners, costs, counts, seen, reads)
    else:
        size = merge_lists(lists, groups, weights, counts, seen, reads)
    found, overlaps = keep_best(counts, seen, size, k, bound, owners)
    return found, overlaps, reads


@njit(nogil=True, cache=True)
def answer(adaptive, hashes, offsets, data, known, group_of_value, lists, owners, costs, k, bound):
    """Both, for a question that is asked in strings."""
    weights = np.zeros(len(lists.starts) - 1, np.uint32)
    groups = groups_of(hashes, offsets, data, known, group_of_value, weights)
    return best_sets(adaptive, groups, weights, lists, owners, costs, k, bound)
