"""What do the engines of `similar` work on: vectors, the sets that values are in, and what is asked?

A **place** is the number of a value among the values of a part that are compared by similarity.  Distances are
Euclidean between vectors of unit length, from 0 to `FARTHEST`; they are compared in float64.

    sparse vector   integer weights under ascending gram numbers; not divided by its length, so that products are exact:
                    distance^2 = 2 - 2 * (x . q) / sqrt(|x|^2 |q|^2)
    dense vector    float32, of unit length; distance^2 = sum of (x_i - q_i)^2

A vector of zeros matches nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

FARTHEST = 2.0  # between two vectors of unit length
TOLERANCE = 1e-9  # a pair matches if its distance is at most the limit plus this: rounding decides nothing
NO_PLACE = -1
_ROWS = 1 << 14  # vectors that are divided by their lengths at once


class Vectors(NamedTuple):
    """Vectors in one of two forms; the arrays of the other form are empty."""

    dense: np.ndarray  # float32 (vectors, dimensions); (0, 0) if they are sparse
    starts: np.ndarray  # int64, vectors + 1; (1,) if they are dense
    grams: np.ndarray  # uint32, ascending in each vector
    weights: np.ndarray  # int32
    norms: np.ndarray  # int64: sum of the squared weights of each vector


class Lists(NamedTuple):
    """The sets that hold each value."""

    starts: np.ndarray  # int64, places + 1
    sets: np.ndarray  # uint32, ascending for each value


class Wanted(NamedTuple):
    """What is asked: how close two values must be to match, and how many of the query's values a set must match."""

    limit: float  # a distance
    need: int  # at least 1; the count of a set that does not reach it may be too low
    owned: np.ndarray  # bool per set: whether a column that can be a hit has it


class Matches(NamedTuple):
    """Pairs of a value of the query and a value of the part, by their numbers, with their distances."""

    query: np.ndarray  # int64
    place: np.ndarray  # int64
    distance: np.ndarray  # float64


def dense_vectors(vectors: np.ndarray) -> Vectors:
    """Dense vectors of any length as vectors of unit length; zeros stay zeros."""
    unit = np.zeros(vectors.shape, np.float32)
    for start in range(0, len(vectors), _ROWS):
        wide = np.asarray(vectors[start : start + _ROWS], np.float64)
        lengths = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
        unit[start : start + _ROWS] = np.divide(wide, lengths, out=np.zeros_like(wide), where=lengths > 0)
    nothing = np.zeros(0, np.int64)
    return Vectors(unit, np.zeros(1, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.int32), nothing)


def some_of(vectors: Vectors, begin: int, end: int) -> Vectors:
    """Some of the sparse vectors, one after another."""
    starts = vectors.starts[begin : end + 1]
    first, last = int(starts[0]), int(starts[-1])
    return sparse_vectors(
        starts - first, vectors.grams[first:last], vectors.weights[first:last], vectors.norms[begin:end]
    )


def sparse_vectors(starts: np.ndarray, grams: np.ndarray, weights: np.ndarray, norms: np.ndarray) -> Vectors:
    return Vectors(np.zeros((0, 0), np.float32), starts, grams, weights, norms)


def no_vectors() -> Vectors:
    """Sparse vectors, none of them."""
    return sparse_vectors(np.zeros(1, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.int32), np.zeros(0, np.int64))
