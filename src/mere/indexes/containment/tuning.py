"""How many bands of how many rows each find the sets above a threshold, and not too many below?

A set that contains the share t of the query becomes a candidate with the probability 1 - (1 - s^r)^b, where
s = t / (x/q + 1 - t) is its Jaccard similarity (equation 2.22), x its size, q the query's, b the bands, r the rows.
The best (b, r) has the least area of false positives and false negatives together (2.23, 2.24 with |X|/|Q| as the middle
upper limit, 2.25).  Both areas come from one running integral per (x/q, b, r), and the best choice is tabulated once for
every ratio x/q and threshold of a grid, so that a question only looks it up.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from mere.indexes.containment.minhash import HASHES

DEPTH = 8  # most rows in a band
RATIOS = 2.0 ** np.arange(-7, 20.01, 1 / 8)  # x/q
THRESHOLDS = np.arange(1, 101) / 100
_FINE = 400  # steps of the integral from 0 to 1; a multiple of the thresholds


@cache
def best_shapes() -> np.ndarray:
    """For every ratio and threshold of the grid the best number of bands, and of rows in each: uint8 (.., .., 2)."""
    rows = np.concatenate([np.full(HASHES // r, r) for r in range(1, DEPTH + 1)])
    bands = np.concatenate([np.arange(1, HASHES // r + 1) for r in range(1, DEPTH + 1)])
    return np.array([_best_for(ratio, bands, rows) for ratio in RATIOS], np.uint8)


def _best_for(ratio: float, bands: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(bands, rows) for each threshold; where no set of this size can reach it, whatever comes first."""
    t = (np.arange(_FINE) + 0.5) / _FINE
    most = min(1.0, ratio)  # no larger share can be contained
    similarity = np.where(t < most, t / (ratio + 1.0 - t), 0.0)
    missed = np.log1p(-np.minimum(similarity[:, None] ** np.arange(1, DEPTH + 1), 1 - 1e-12))
    candidate = np.where(t[:, None] < most, 1.0 - np.exp(bands * missed[:, rows - 1]), 0.0)
    running = np.concatenate([np.zeros((1, len(bands))), np.cumsum(candidate, axis=0)]) / _FINE
    place = np.rint(THRESHOLDS * _FINE).astype(int)
    false_positive = running[place]
    false_negative = np.maximum(most - THRESHOLDS, 0.0)[:, None] - (running[-1] - running[place])
    chosen = np.argmin(false_positive + np.where(THRESHOLDS[:, None] < most, false_negative, 0.0), axis=1)
    return np.stack([bands[chosen], rows[chosen]], axis=1)


def shapes_for(table: np.ndarray, bounds: np.ndarray, size: int, threshold: float) -> np.ndarray:
    """(bands, rows) for each partition; no bands where no set is large enough to reach the threshold.

    A ratio between two of the grid takes the larger, a threshold the smaller: both err towards more candidates.
    """
    ratio = np.minimum(np.searchsorted(RATIOS, bounds / max(size, 1) * (1 - 1e-9)), len(RATIOS) - 1)
    level = max(int(np.floor(threshold * 100 + 1e-9)), 1) - 1
    shapes = table[ratio, level].astype(np.int64)
    shapes[bounds < threshold * size * (1 - 1e-9), 0] = 0
    return shapes
