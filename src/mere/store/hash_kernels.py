"""The hash of a value (`values.hashing`), compiled, for kernels that hash as they go.  Importing this imports Numba."""

from __future__ import annotations

import numpy as np

from mere.compiled.jit import eight_bytes, helper
from mere.values.hashing import GOLDEN, SEED

_FULL = 0xFFFFFFFFFFFFFFFF


@helper(inlined=True)
def mix(x):
    """`values.mix` of one number."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@helper
def hash_of(data, start, size):
    """The hash of these bytes; the array has eight more."""
    total, place = np.uint64(0), np.uint64(0)
    left = size
    while left > 0:
        word = eight_bytes(data, start)
        if left < 8:
            word &= np.uint64(_FULL) >> np.uint64(8 * (8 - left))
        place += GOLDEN
        total += mix(word ^ mix(place ^ SEED))
        start += 8
        left -= 8
    return mix(total + mix(np.uint64(size) ^ SEED))
