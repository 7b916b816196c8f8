"""Which vectors are pivots?  (Section III-D)

The PCA-based selection that the paper takes from its reference [20]: candidates are outliers, and the distances from
all candidates are a space in which the principal components say which candidates tell most vectors apart.

1. Candidates, several per pivot: a vector far away from the first one, then always the vector that is farthest from
   all candidates so far.
2. The distances of a sample from every candidate, and the principal components of this table.
3. For each component, largest first, the candidate with the largest weight in it that is not yet a pivot.

Only distances are used, so sparse and dense vectors are treated alike.  Departs: outliers are those of a sample.
Cost: sample times candidates; mapping is vectors times pivots.
"""

from __future__ import annotations

import numpy as np

from mere.compiled import read_only
from mere.indexes.similar.pexeso.records import frozen
from mere.indexes.similar.records import Vectors

SAMPLE = 20_000  # vectors that pivots are selected from: 20,000 * 50 distances take less than a second
CANDIDATES = 10  # per pivot


def not_zero(vectors: Vectors) -> np.ndarray:
    """The numbers of the vectors that are not zero."""
    if vectors.dense.shape[1]:
        return np.flatnonzero(vectors.dense.any(axis=1))
    return np.flatnonzero(vectors.norms)


def pivots_of(vectors: Vectors, places: np.ndarray, count: int) -> np.ndarray:
    """The places of the pivots among these places; fewer than `count` if there are fewer different vectors."""
    sample = places[spread(len(places), SAMPLE)]
    candidates, away = _outliers(vectors, sample, CANDIDATES * count)
    return candidates if len(candidates) <= count else candidates[_telling(away, count)]


def map_to_pivots(vectors: Vectors, numbers: np.ndarray, others: Vectors, pivots: np.ndarray) -> np.ndarray:
    """The distance of each of these vectors from each pivot, which is one of `others`."""
    from mere.indexes.similar.pexeso import kernels

    out = np.empty((len(numbers), len(pivots)), np.float32)
    kernels.map_vectors(frozen(vectors), read_only(numbers), frozen(others), read_only(pivots), out)
    return out


def spread(count: int, most: int) -> np.ndarray:
    """At most so many numbers below a count, evenly spread."""
    return np.arange(count) if count <= most else np.arange(most) * count // most


def _outliers(vectors: Vectors, sample: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Candidates, and the distance of each vector of the sample from each of them."""
    nearest = map_to_pivots(vectors, sample, vectors, sample[:1])[:, 0]
    chosen, columns = [int(nearest.argmax())], []
    nearest = np.full(len(sample), np.inf, np.float32)
    while True:
        columns.append(map_to_pivots(vectors, sample, vectors, sample[chosen[-1:]])[:, 0])
        np.minimum(nearest, columns[-1], out=nearest)
        farthest = int(nearest.argmax())
        if len(chosen) == most or nearest[farthest] <= 0:
            return sample[chosen], np.stack(columns, axis=1)
        chosen.append(farthest)


def _telling(away: np.ndarray, count: int) -> np.ndarray:
    """The columns of a table that have the largest weights in its principal components, one for each."""
    _, components = np.linalg.eigh(np.cov(away, rowvar=False))
    weights = np.abs(components[:, ::-1])  # eigenvalues ascend
    chosen: list[int] = []
    for component in range(count):
        weights[chosen, component] = -1.0
        chosen.append(int(weights[:, component].argmax()))
    return np.array(chosen, np.int64)
