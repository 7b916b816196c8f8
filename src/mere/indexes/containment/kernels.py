"""Signing sets and searching the forest, compiled; `numpy` has the NumPy versions."""

from __future__ import annotations

import numpy as np

from mere.compiled.jit import helper, kernel


@kernel
def sign(hashes, starts, multipliers, summands, out):
    """Write the signature of each set into `out`."""
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
            out[which, i] = _scatter(np.uint32(least[i] >> half))


@helper
def _scatter(x):
    x = np.uint32((x ^ (x >> np.uint32(16))) * np.uint32(0x85EBCA6B))
    x = np.uint32((x ^ (x >> np.uint32(13))) * np.uint32(0xC2B2AE35))
    return np.uint32(x ^ (x >> np.uint32(16)))


@kernel
def walk(signature, forest, classes, shapes):
    """The sets that share a band with the query, by the bands and rows of their own size class; and in how many places
    the full signature of each agrees with the query's."""
    signatures, trees = forest.signatures, forest.trees
    chosen = np.zeros(len(signatures), np.uint8)
    sets = np.empty(len(signatures), np.uint32)
    agreed = np.empty(len(signatures), np.uint32)
    size, deepest = 0, 0
    for i in range(len(shapes)):
        deepest = max(deepest, shapes[i, 1])
    for rows in range(1, deepest + 1):
        bands = 0
        for i in range(len(shapes)):
            if shapes[i, 1] == rows:
                bands = max(bands, shapes[i, 0])
        for band in range(bands):
            at = band * rows
            for place in range(_first(signature, forest, at, rows), trees.shape[1]):
                which = trees[at, place]
                if not _same(signature, signatures, which, at, rows):
                    break
                size_class = classes[which]
                if shapes[size_class, 1] == rows and band < shapes[size_class, 0] and chosen[which] == 0:
                    chosen[which] = 1
                    sets[size] = which
                    agreed[size] = _agreement(signature, signatures, which)
                    size += 1
    return sets[:size], agreed[:size]


@helper
def _first(signature, forest, at, rows):
    """The first place in a tree whose rows are not before the query's: guessed, since signatures spread evenly."""
    signatures, keys, trees = forest
    size = trees.shape[1]
    key = np.int64(signature[at]) >> 16
    place = _first_key(keys, at, key, size)
    while place < size and keys[at, place] == key:  # the few whose first halves agree
        which = trees[at, place]
        for i in range(at, at + rows):
            if signatures[which, i] != signature[i]:
                break
        else:
            return place
        if signatures[which, i] > signature[i]:
            return place
        place += 1
    return place


@helper
def _first_key(keys, at, key, size):
    """The first place whose key is not smaller, searched from the guess in doubling steps."""
    low = high = (key * size) >> 16
    step = 1
    if low < size and keys[at, low] < key:
        while high < size and keys[at, high] < key:
            low = high + 1
            high += step
            step *= 2
        high = high if high < size else size
    else:
        while low > 0 and keys[at, low - 1] >= key:
            high = low - 1
            low = low - step if low > step else 0
            step *= 2
    while low < high:
        middle = (low + high) >> 1
        if keys[at, middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@helper
def _same(signature, signatures, which, at, rows):
    """Whether a set agrees with the query in so many rows from a place on."""
    for i in range(at, at + rows):  # noqa: SIM110
        if signatures[which, i] != signature[i]:
            return False
    return True


@helper
def _agreement(signature, signatures, which):
    """In how many places a set's signature agrees with the query's."""
    agreed = 0
    for i in range(len(signature)):
        agreed += signature[i] == signatures[which, i]
    return agreed
