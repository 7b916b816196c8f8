"""The compiled loops: sign sets, walk the forest, verify candidates.  Import only once `compiled.ready()`."""

from __future__ import annotations

import numpy as np
from numba import njit

from mere.store.kernels import first_at_least


@njit(nogil=True, cache=True)
def sign(hashes, starts, multipliers, summands, out):
    """Twin of `minhash._sign`."""
    size = len(multipliers)
    half = np.uint64(32)
    least = np.empty(size, np.uint64)
    for which in range(len(starts) - 1):
        least[:] = 0xFFFFFFFFFFFFFFFF
        for place in range(starts[which], starts[which + 1]):
            value = hashes[place]
            for i in range(size):
                least[i] = min(least[i], multipliers[i] * value + summands[i])
        for i in range(size):
            out[which, i] = least[i] >> half


@njit(nogil=True, cache=True)
def walk(signature, signatures, trees, partitions, shapes):
    """The sets that share a band with the query, by the bands and rows of their own partition."""
    chosen = np.zeros(len(signatures), np.uint8)
    found = np.empty(len(signatures), np.uint32)
    size = 0
    deepest = 0
    for i in range(len(shapes)):
        deepest = max(deepest, shapes[i, 1])
    for rows in range(1, deepest + 1):
        bands = 0
        for i in range(len(shapes)):
            if shapes[i, 1] == rows:
                bands = max(bands, shapes[i, 0])
        for band in range(bands):
            at = band * rows
            tree = trees[at]
            first = _bound(signature, signatures, tree, at, rows, False)
            last = _bound(signature, signatures, tree, at, rows, True)
            for place in range(first, last):
                which = tree[place]
                shape = shapes[partitions[which]]
                if shape[1] == rows and band < shape[0] and chosen[which] == 0:
                    chosen[which] = 1
                    found[size] = which
                    size += 1
    return found[:size]


@njit(nogil=True, cache=True)
def _bound(signature, signatures, tree, at, rows, after):
    """The first place in a tree whose rows are not before the query's; or, with `after`, the first behind them."""
    low, high = 0, len(tree)
    while low < high:
        middle = (low + high) >> 1
        other = signatures[tree[middle]]
        before = after
        for i in range(at, at + rows):
            if other[i] != signature[i]:
                before = other[i] < signature[i]
                break
        if before:
            low = middle + 1
        else:
            high = middle
    return low


@njit(nogil=True, cache=True)
def overlaps(ids, starts, members, sets, out):
    """How many of the ids each of the sets holds; both ascend."""
    for i in range(len(sets)):
        out[i] = 0
        begin, stop = starts[sets[i]], starts[sets[i] + 1]
        if stop - begin < len(ids):
            place = 0
            for entry in range(begin, stop):
                place += first_at_least(ids[place:], members[entry], 0)
                if place == len(ids):
                    break
                out[i] += ids[place] == members[entry]
        else:
            for one in ids:
                begin += first_at_least(members[begin:stop], one, 0)
                if begin == stop:
                    break
                out[i] += members[begin] == one
