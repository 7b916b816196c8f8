"""How far apart are two vectors?  Compiled; every engine that verifies a pair calls `distance`, so that all agree."""

from __future__ import annotations

import math

import numpy as np

from mere.compiled.jit import helper


@helper(inlined=True)
def distance(left, i, right, j):
    """The distance of the i-th of `left` from the j-th of `right` (`Vectors`); a zero vector is infinitely far."""
    if left.dense.shape[1] > 0:
        return dense_distance(left.dense, i, right.dense, j)
    a, a_end = left.starts[i], left.starts[i + 1]
    b, b_end = right.starts[j], right.starts[j + 1]
    product = np.int64(0)
    while a < a_end and b < b_end:
        mine, theirs = left.grams[a], right.grams[b]
        if mine == theirs:
            product += np.int64(left.weights[a]) * np.int64(right.weights[b])
        a += mine <= theirs
        b += theirs <= mine
    return from_product(product, left.norms[i], right.norms[j])


@helper(inlined=True)
def from_product(product, left_norm, right_norm):
    """The distance of two sparse vectors with this product."""
    if left_norm == 0 or right_norm == 0:
        return math.inf
    cosine = float(product) / math.sqrt(float(left_norm) * float(right_norm))
    return math.sqrt(max(0.0, 2.0 - 2.0 * cosine))


@helper(inlined=True)
def dense_distance(left, i, right, j):
    """The same for dense vectors."""
    total, left_norm, right_norm = 0.0, 0.0, 0.0
    for d in range(left.shape[1]):
        x, q = np.float64(left[i, d]), np.float64(right[j, d])
        total += (x - q) * (x - q)
        left_norm += abs(x)
        right_norm += abs(q)
    return math.sqrt(total) if left_norm > 0.0 and right_norm > 0.0 else math.inf
