"""How are many small ranges of one long array worked on without a loop?"""

from __future__ import annotations

import numpy as np

from mere.store.strings import offsets_of


def narrowest(count: int) -> type[np.unsignedinteger]:
    """The type of numbers below a count that are stored many times: two bytes each if that is enough.

    >>> narrowest(65536), narrowest(65537)
    (<class 'numpy.uint16'>, <class 'numpy.uint32'>)
    """
    return np.uint16 if count <= 1 << 16 else np.uint32


def stable_order(numbers: np.ndarray) -> np.ndarray:
    """The stable order of whole numbers below 2^32, by NumPy's radix sort, which it has for 16 bits only.

    >>> stable_order(np.array([70000, 3, 70000, 0]))
    array([3, 1, 0, 2])
    """
    order = np.argsort(numbers.astype(np.uint16), kind="stable")
    upper = (numbers >> numbers.dtype.type(16)).astype(np.uint16)
    return order[np.argsort(upper[order], kind="stable")] if upper.any() else order


def places_of(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """All places of the ranges that start here and have these lengths, range after range.

    >>> places_of(np.array([5, 0]), np.array([2, 3]))
    array([5, 6, 0, 1, 2])
    """
    edges = offsets_of(lengths)
    return np.arange(edges[-1]) + np.repeat(starts - edges[:-1], lengths)


def sums_of(weights: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The sum of each range between two edges; 64-bit numbers wrap around, and empty ranges are right too."""
    running = np.zeros(len(weights) + 1, weights.dtype)
    np.cumsum(weights, out=running[1:])
    return running[edges[1:]] - running[edges[:-1]]


def equal_ranges(array: np.ndarray, left: np.ndarray, right: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Whether the range at each left start holds the same as the one at the right start.

    >>> equal_ranges(np.array([1, 2, 1, 2, 3]), np.array([0, 1]), np.array([2, 3]), np.array([2, 2]))
    array([ True, False])
    """
    differs = array[places_of(left, lengths)] != array[places_of(right, lengths)]
    return sums_of(differs.astype(np.int64), offsets_of(lengths)) == 0
