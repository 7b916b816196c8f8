"""By which sizes should sets be divided, so that one size may stand for all of a partition?

A partition's largest size stands for all its sets; a set of size x in a partition with largest size u is taken for
a candidate by mistake with a probability of at most 1 - x/u (equation 2.14).  The best division into n partitions
has the smallest sum of these (2.17), found by dynamic programming over the distinct sizes (2.19, with the minimum over
the previous boundary that the thesis leaves out).

The cost of a partition obeys the quadrangle inequality, so the best previous boundary moves only to the right as the
last one does; each layer is solved by divide and conquer, all halves of one depth at once: O(n s log s) for s sizes.
"""

from __future__ import annotations

import numpy as np

from mere.store import offsets_of, places_of


def best_bounds(sizes: np.ndarray, counts: np.ndarray, partitions: int) -> np.ndarray:
    """The largest size of each partition, ascending; `sizes` ascend and `counts` says how many sets have each.

    >>> best_bounds(np.array([3, 4, 99, 100]), np.array([4, 4, 3, 3]), 2)
    array([  4, 100])
    """
    cost = _Cost(sizes, counts)
    least = cost(np.zeros(len(sizes), np.int64), np.arange(len(sizes)))  # with one partition, up to each size
    chosen = []
    for _ in range(min(partitions, len(sizes)) - 1):
        least, begin = _next_layer(cost, least)
        chosen.append(begin)
    bounds = [len(sizes) - 1]
    for begin in reversed(chosen):
        if begin[bounds[-1]] > 0:
            bounds.append(int(begin[bounds[-1]]) - 1)
    return sizes[bounds[::-1]]


class _Cost:
    """What a partition from one distinct size to another costs."""

    def __init__(self, sizes: np.ndarray, counts: np.ndarray) -> None:
        self.sizes = sizes.astype(np.float64)
        self.sets = np.concatenate([[0.0], np.cumsum(counts, dtype=np.float64)])
        self.values = np.concatenate([[0.0], np.cumsum(counts * self.sizes)])

    def __call__(self, first: np.ndarray, last: np.ndarray) -> np.ndarray:
        sets = self.sets[last + 1] - self.sets[first]
        return sets - (self.values[last + 1] - self.values[first]) / self.sizes[last]


def _next_layer(cost: _Cost, least: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least cost up to each size with one partition more, and where the last of them begins (0: nowhere else)."""
    size = len(least)
    total, begin = least.copy(), np.zeros(size, np.int64)
    lows, highs = np.array([0]), np.array([size - 1])  # sizes still to solve, as ranges
    firsts, lasts = np.array([0]), np.array([size - 1])  # where their best beginnings lie
    while len(lows):
        middles = (lows + highs) // 2
        lengths = np.minimum(middles, lasts) - firsts + 1
        owner = np.repeat(np.arange(len(middles)), lengths)
        candidates = places_of(firsts, lengths)
        before = np.where(candidates > 0, least[candidates - 1], 0.0)
        costs = before + cost(candidates, middles[owner])
        best = np.minimum.reduceat(costs, offsets_of(lengths)[:-1])
        place = np.full(len(middles), len(costs))
        np.minimum.at(place, owner, np.where(costs == best[owner], np.arange(len(costs)), len(costs)))
        total[middles], begin[middles] = best, candidates[place]
        left, right = lows < middles, middles < highs
        found = candidates[place]
        lows, highs, firsts, lasts = (
            np.concatenate([lows[left], middles[right] + 1]),
            np.concatenate([middles[left] - 1, highs[right]]),
            np.concatenate([firsts[left], found[right]]),
            np.concatenate([found[left], lasts[right]]),
        )
    return total, begin


def extended(bounds: np.ndarray) -> np.ndarray:
    """Bounds for every size there can be: beyond the largest that was seen, each is twice the one before.

    >>> extended(np.array([3, 2**30]))
    array([         3, 1073741824, 2147483648, 4294967296])
    """
    more = [int(bounds[-1])]
    while more[-1] < 1 << 32:
        more.append(2 * more[-1])
    return np.concatenate([bounds, np.array(more[1:], np.int64)])
