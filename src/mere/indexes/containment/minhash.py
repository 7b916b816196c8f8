"""How is a set of any size written in a few numbers that tell how similar two sets are?

MinHash (Broder 1997): under each of `HASHES` hash functions, the smallest hash of the set's values.  Two sets agree in
one place with a probability that is their Jaccard similarity.

The i-th function takes a value's 64-bit hash x to the upper half of multipliers[i] * x + summands[i] (Dietzfelbinger's
multiply-shift); the numbers come from a fixed stream and are part of the format.  The smallest hash is scattered over
all 32-bit numbers, one to one (the finaliser of MurmurHash3, Appleby), so that signatures spread evenly, however large
their sets, and a place in a sorted list of them can be guessed.
"""

from __future__ import annotations

import numpy as np

from mere.store import compiled
from mere.values import mix

HASHES = 128  # m
_STREAM = np.uint64(0x6C73682D656E7365)
_BLOCK = 1 << 15  # values whose hashes are computed together

_numbers = mix(_STREAM + np.arange(2 * HASHES, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))
MULTIPLIERS = _numbers[:HASHES] | np.uint64(1)
SUMMANDS = _numbers[HASHES:]


def signatures(hashes: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The signature of each set, whose values' hashes lie between two starts; no set is empty."""
    out = np.empty((len(starts) - 1, HASHES), np.uint32)
    if compiled.ready():
        from mere.indexes.containment.kernels import sign

        sign(hashes, starts, MULTIPLIERS, SUMMANDS, out)
        return out
    with compiled.rented():
        _sign(hashes, starts, out)
    return out


def _sign(hashes: np.ndarray, starts: np.ndarray, out: np.ndarray) -> None:
    out[:] = 0xFFFFFFFF
    for begin in range(0, len(hashes), _BLOCK):
        block = hashes[begin : begin + _BLOCK]
        first = int(np.searchsorted(starts, begin, side="right")) - 1
        last = int(np.searchsorted(starts, begin + len(block), side="left"))
        edges = np.maximum(starts[first:last] - begin, 0)
        for i in range(HASHES):
            hashed = ((block * MULTIPLIERS[i] + SUMMANDS[i]) >> np.uint64(32)).astype(np.uint32)
            np.minimum(out[first:last, i], np.minimum.reduceat(hashed, edges), out=out[first:last, i])
    out[:] = scatter(out)


def scatter(x: np.ndarray) -> np.ndarray:
    """Scatter 32-bit numbers over all 32-bit numbers, one to one."""
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    x = (x ^ (x >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return x ^ (x >> np.uint32(16))
