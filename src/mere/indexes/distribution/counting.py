"""How many rows of a histogram satisfy a comparison, at least and at most?

A histogram only bounds the true fraction where the number falls inside a bin.  **over** counts a cut bin whole,
**under** not at all; the truth lies between.  "At least" is **possible** if over reaches the fraction, **guaranteed**
if under does; "at most" is possible if under stays within it, guaranteed if over does: the paper's full recall and
full precision.  A bin holds its left edge and not its right one, but the last bin holds both:

    over(<, r)  counts bins with L < r         over(>, r)  bins with R > r
    over(<=, r)               L <= r           over(>=, r)           R > r, and the last bin if R = r
    under(op, r) = rows - over(not op, r)      at most p of op r = at least 1 - p of not op r

The last line holds for possible and for guaranteed alike, so that only "at least" has to be looked for.  Fractions are
exact numbers, and rows whole ones: nothing is rounded.

Edges ascend, so the bins that may satisfy it follow each other, and so do those that surely do: four counts of bins,
taken at the number compared with, say where they begin and end.

    L < x, L <= x      bins whose left edge is so        `left_below`, `left_up_to`
    R <= x             bins whose right edge is so       `right_up_to`
    the same, but the last bin holds its right edge      `right_passed`
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.indexes.kind import Arrays
from mere.language import Predicate
from mere.store import compiled, offsets_of, places_of, sums_of

OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
OPERATOR_NUMBERS = {"<": 0, "<=": 1, ">": 2, ">=": 3, "between": 4}


class Bounds(NamedTuple):
    """Per histogram: rows that surely compare so, rows that may, and all rows."""

    under: np.ndarray
    over: np.ndarray
    rows: np.ndarray


def bounds_of(arrays: Arrays, which: np.ndarray, operator: str, value: float | tuple[float, float]) -> Bounds:
    """What these histograms say of a comparison."""
    low, high = value if isinstance(value, tuple) else (value, value)
    if compiled.ready():
        from mere.indexes.distribution.kernels import count

        starts, edges, below = (arrays[f"hist.{name}"] for name in ("starts", "edges", "below"))
        return Bounds(*count(which, OPERATOR_NUMBERS[operator], low, high, starts, edges, below))
    return _counted(arrays, which.astype(np.int64), operator, low, high)


def _counted(arrays: Arrays, which: np.ndarray, operator: str, low: float, high: float) -> Bounds:
    starts, edges, below = (arrays[f"hist.{name}"] for name in ("starts", "edges", "below"))
    first, sizes = starts[which], starts[which + 1] - starts[which]
    places = places_of(first, sizes) + np.repeat(which, sizes)
    left, right, spans = edges[places], edges[places + 1], offsets_of(sizes)

    def bins(chosen: np.ndarray) -> np.ndarray:
        return sums_of(chosen.astype(np.int64), spans)

    def rows(begin: np.ndarray, end: np.ndarray) -> np.ndarray:
        up_to = np.concatenate([[0], below]).astype(np.int64)
        reached = np.where(end > 0, up_to[first + end], 0) - np.where(begin > 0, up_to[first + begin], 0)
        return np.where(begin < end, reached, 0)

    none = np.zeros_like(sizes)
    passed = np.minimum(bins(right <= low), sizes - (edges[first + which + sizes] == low))
    if operator in ("<", "<="):
        over = rows(none, bins(left < low) if operator == "<" else bins(left <= low))
        under = rows(none, passed if operator == "<" else bins(right <= low))
    elif operator in (">", ">="):
        over = rows(bins(right <= low) if operator == ">" else passed, sizes)
        under = rows(bins(left <= low) if operator == ">" else bins(left < low), sizes)
    else:
        over = rows(passed, bins(left <= high))
        under = rows(bins(left < low), bins(right <= high))
    return Bounds(under, over, rows(none, sizes))


def satisfied(predicate: Predicate, bounds: Bounds) -> tuple[np.ndarray, np.ndarray]:
    """Which histograms may satisfy a predicate, and which surely do."""
    p, q = predicate.fraction.numerator, predicate.fraction.denominator
    if q * int(bounds.rows.max(initial=1)) >= 1 << 62:
        bounds = Bounds(*(side.astype(object) for side in bounds))
    under, over, least = bounds.under * q, bounds.over * q, bounds.rows * p
    if predicate.side == "at least":
        return (over >= least).astype(bool), (under >= least).astype(bool)
    return (under <= least).astype(bool), (over <= least).astype(bool)


def estimated(arrays: Arrays, which: np.ndarray, predicate: Predicate, bounds: Bounds) -> np.ndarray:
    """The fraction that compares so if values were spread evenly in their bins; for ranking only."""
    value = predicate.value
    if isinstance(value, tuple):
        share = share_below(arrays, which, value[1]) - share_below(arrays, which, value[0])
    else:
        share = share_below(arrays, which, value)
        share = share if predicate.operator in ("<", "<=") else 1 - share
    return np.clip(share, bounds.under / bounds.rows, bounds.over / bounds.rows)


def share_below(arrays: Arrays, which: np.ndarray, value: float) -> np.ndarray:
    """The fraction below a number, the bin that it cuts counted by the part of its width."""
    starts, edges, below = (arrays[f"hist.{name}"] for name in ("starts", "edges", "below"))
    if compiled.ready():
        from mere.indexes.distribution.kernels import shares_below

        return np.asarray(shares_below(which, value, starts, edges, below))
    which = which.astype(np.int64)
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
