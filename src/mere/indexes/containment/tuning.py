"""How many bands of how many rows each find the sets above a threshold, and not too many below?

A set that contains the share t of the query becomes a candidate with the probability 1 - (1 - s^r)^b, where
s = t / (x/q + 1 - t) is its Jaccard similarity (equation 2.22), x its size, q the query's, b the bands, r the rows.
Integrals of that probability below and above the threshold (2.23; 2.24 with |X|/|Q| as the middle upper limit) tell how
many sets would be found by mistake and how many missed; the best (b, r) has the least of both (2.25).  They come from
one running integral per (x/q, b, r), and the best choice is tabulated once for every ratio x/q and threshold of a grid,
so that a question only looks it up.

Where we depart: each integral is divided by the length it runs over, so that rates are weighed and not areas.  The area
above the threshold shrinks to nothing as the threshold nears 1, and the least area is then had by finding nothing at
all.  And a miss weighs more than a candidate too many, which the
rest of the signature, and then the values themselves, can still refuse.

A class's largest size stands for all its sets.  A set of size x in a class with largest size u is taken for a candidate
by mistake with a probability of at most 1 - x/u (2.14): with two classes in a doubling, below 0.3.
"""

from __future__ import annotations

from functools import cache
from math import isqrt

import numpy as np

from mere.indexes.containment.records import HASHES

CLASSES = np.unique([isqrt(1 << i) for i in range(65)])  # the largest size of each: powers of the square root of 2
DEPTH = 8  # most rows in a band
RATIOS = 2.0 ** np.arange(-7, 20.01, 1 / 8)  # x/q
THRESHOLDS = np.arange(1, 101) / 100
MISS = 2.0  # what a miss weighs, against a candidate too many
_FINE = 200  # steps of the integral from 0 to 1; a multiple of the thresholds


@cache
def best_shapes() -> np.ndarray:
    """For every ratio and threshold of the grid the best number of bands, and of rows in each: uint8 (.., .., 2)."""
    bands, rows = np.array([(b, r) for r in range(1, DEPTH + 1) for b in bands_with(r)]).T
    return np.array([_best_for(ratio, bands, rows) for ratio in RATIOS], np.uint8)


def bands_with(rows: int) -> list[int]:
    """The numbers of bands that come into question: all the small ones, and then one in each eighth of a doubling."""
    most = HASHES // rows
    return sorted(
        {min(most, round(2 ** (i / 8))) for i in range(8 * HASHES.bit_length()) if 2 ** (i / 8) < most} | {most}
    )


def _best_for(ratio: float, bands: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(bands, rows) for each threshold; for those that no set of this size can reach, as for the largest it can."""
    t = (np.arange(_FINE) + 0.5) / _FINE
    most = min(1.0, ratio)  # no larger share can be contained
    found = np.where(t[:, None] < most, _probability(t, ratio, bands, rows), 0.0)
    running = np.concatenate([np.zeros((1, len(bands))), np.cumsum(found, axis=0)]) / _FINE
    place = np.rint(THRESHOLDS * _FINE).astype(int)
    below, above = np.minimum(THRESHOLDS, most)[:, None], np.maximum(most - THRESHOLDS, 0.0)[:, None]
    mistaken = running[place] / below
    at_most = 1.0 - _probability(np.array([most]), ratio, bands, rows)
    missed = np.where(above > 1e-9, 1.0 - (running[-1] - running[place]) / np.maximum(above, 1e-9), at_most)
    chosen = np.argmin(mistaken + MISS * missed, axis=1)
    return np.stack([bands[chosen], rows[chosen]], axis=1)


def _probability(t: np.ndarray, ratio: float, bands: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """That a set containing the share t becomes a candidate (2.22), for each t and shape."""
    similarity = np.minimum(t / (ratio + 1.0 - t), 1.0)
    no_band = np.log1p(-np.minimum(similarity[:, None] ** np.arange(1, DEPTH + 1), 1 - 1e-12))
    return 1.0 - np.exp(bands * no_band[:, rows - 1])


def shapes_for(table: np.ndarray, bounds: np.ndarray, size: int, threshold: float) -> np.ndarray:
    """(bands, rows) for each class; no bands where no set is large enough to reach the threshold.

    A ratio between two of the grid takes the larger, a threshold the smaller: both err towards more candidates.
    """
    ratio = np.minimum(np.searchsorted(RATIOS, bounds / max(size, 1) * (1 - 1e-9)), len(RATIOS) - 1)
    level = max(int(np.floor(threshold * 100 + 1e-9)), 1) - 1
    shapes = table[ratio, level].astype(np.int64)
    shapes[bounds < threshold * size * (1 - 1e-9), 0] = 0
    return shapes
