"""How many rows of a histogram lie in an interval, at least and at most?

A histogram only bounds the true fraction where an end falls inside a bin.  **over** counts all rows of such a bin,
**under** none; the true number lies between.  "At least" is **possible** if over reaches the fraction, **guaranteed**
if under does; "at most" is possible if under stays within it, guaranteed if over does: the paper's full recall and full
precision.

Every comparison is an interval [low, high), as `Predicate.intervals` says: < r is [-inf, r), and <= r ends at the float
that follows r.  Where a float stands for several whole numbers there are two: of what may be meant, and of what
certainly is.
A bin holds its left edge L and not its right one R, but the last bin holds both; so, of the bins,

    over     from the first that is not passed by low, to the last with L < high
    under    from the first with L >= low, to the last that is passed by high
    passed by x     R <= x; of the last bin, R < x

At most p of an interval is at least 1 - p outside of it, for possible and for guaranteed alike.  Fractions are exact
numbers, and rows whole ones: nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mere import compiled
from mere.indexes.distribution.records import BinArrays
from mere.indexes.kind import Arrays
from mere.language import Predicate
from mere.store import offsets_of, places_of, sums_of

DISTRIBUTION = compiled.Group("distribution", ("mere.indexes.distribution.kernels",), compiling=5.0)
Intervals = tuple[float, float, float, float]  # low and high of over, low and high of under


def bins_in(arrays: Arrays) -> BinArrays:
    """The histograms that a segment's arrays hold."""
    return arrays["hist.starts"], arrays["hist.edges"], arrays["hist.below"]


class Bounds(NamedTuple):
    """Per histogram: rows that certainly compare so, rows that may, and all rows."""

    under: np.ndarray
    over: np.ndarray
    rows: np.ndarray


def bounds_of(arrays: Arrays, which: np.ndarray, intervals: Intervals) -> Bounds:
    """What these histograms say of a comparison."""
    if compiled.ready(DISTRIBUTION):
        return _counted_compiled(bins_in(arrays), which, intervals)
    return _counted(bins_in(arrays), which.astype(np.int64), intervals)


def _counted_compiled(bins: BinArrays, which: np.ndarray, intervals: Intervals) -> Bounds:
    from mere.indexes.distribution.kernels import count

    return Bounds(*count(which, intervals, bins))


def _counted(bins: BinArrays, which: np.ndarray, intervals: Intervals) -> Bounds:
    (starts, edges, below), (low, high, certain_low, certain_high) = bins, intervals
    first, sizes = starts[which], starts[which + 1] - starts[which]
    places = places_of(first, sizes) + np.repeat(which, sizes)
    left, right, spans = edges[places], edges[places + 1], offsets_of(sizes)
    last = edges[first + which + sizes]
    up_to = np.concatenate([[0], below]).astype(np.int64)

    def left_below(end: float) -> np.ndarray:
        return sums_of((left < end).astype(np.int64), spans)

    def passed_by(end: float) -> np.ndarray:
        return np.minimum(sums_of((right <= end).astype(np.int64), spans), sizes - (last == end))

    def rows(begin: np.ndarray, end: np.ndarray) -> np.ndarray:
        reached = np.where(end > 0, up_to[first + end], 0) - np.where(begin > 0, up_to[first + begin], 0)
        return np.where(begin < end, reached, 0)

    under, over = rows(left_below(certain_low), passed_by(certain_high)), rows(passed_by(low), left_below(high))
    return Bounds(under, over, rows(np.zeros_like(sizes), sizes))


def satisfied(predicate: Predicate, bounds: Bounds) -> tuple[np.ndarray, np.ndarray]:
    """Which histograms may satisfy a predicate, and which certainly do."""
    p, q = predicate.fraction.numerator, predicate.fraction.denominator
    if q * int(bounds.rows.max(initial=1)) >= 1 << 62:
        bounds = Bounds(*(side.astype(object) for side in bounds))
    under, over, least = bounds.under * q, bounds.over * q, bounds.rows * p
    if predicate.side == "at least":
        return (over >= least).astype(bool), (under >= least).astype(bool)
    return (under <= least).astype(bool), (over <= least).astype(bool)


def estimated(arrays: Arrays, which: np.ndarray, ends: tuple[float, float], bounds: Bounds) -> np.ndarray:
    """The fraction between two ends if values were spread evenly in their bins; for ranking only."""
    low, high = ends
    share = share_below(arrays, which, high) if high < np.inf else np.ones(len(which))
    share = share - share_below(arrays, which, low) if low > -np.inf else share
    return np.clip(share, bounds.under / bounds.rows, bounds.over / bounds.rows)


def share_below(arrays: Arrays, which: np.ndarray, value: float) -> np.ndarray:
    """The fraction below a number, the bin that it cuts counted by the part of its width."""
    if compiled.ready(DISTRIBUTION):
        return _shares_compiled(bins_in(arrays), which, value)
    return _shares(bins_in(arrays), which.astype(np.int64), value)


def _shares_compiled(bins: BinArrays, which: np.ndarray, value: float) -> np.ndarray:
    from mere.indexes.distribution.kernels import shares_below

    return np.asarray(shares_below(which, value, bins))


def _shares(bins: BinArrays, which: np.ndarray, value: float) -> np.ndarray:
    starts, edges, below = bins
    first, sizes = starts[which], starts[which + 1] - starts[which]
    rights = edges[places_of(first, sizes) + np.repeat(which, sizes) + 1]
    passed = sums_of((rights <= value).astype(np.int64), offsets_of(sizes))
    up_to = np.concatenate([[0], below]).astype(np.float64)
    before = np.where(passed > 0, up_to[first + passed], 0.0)
    cut = np.minimum(passed, sizes - 1)  # beyond the last edge nothing is cut
    left, right = edges[first + which + cut], edges[first + which + cut + 1]
    held = up_to[first + cut + 1] - np.where(cut > 0, up_to[first + cut], 0.0)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        part = np.nan_to_num(np.clip((value - left) / (right - left), 0.0, 1.0))
    return (before + np.where(passed < sizes, part * held, 0.0)) / up_to[first + sizes]


def run_kernels(arrays: Arrays) -> tuple[tuple[str, Callable[[], object]], ...]:
    """Calls that run each kernel of this module once: for compiling them."""
    bins, nothing = bins_in(arrays), np.empty(0, np.uint32)
    return (
        ("count", lambda: _counted_compiled(bins, nothing, (0.0, 1.0, 0.0, 1.0))),
        ("shares_below", lambda: _shares_compiled(bins, nothing, 0.0)),
    )
