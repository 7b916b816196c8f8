"""Which histograms of a segment satisfy a predicate, as the paper's modes and its baselines have it?

Everything is "at least p lie below r", or "from r on": other comparisons are one of these, with the number next to r
(`Predicate.intervals`), and at most p of the one is at least 1 - p of the other.  A share below r lies between those at
the edges next to r, so with e the next edge from r on, and d the last one up to r:

    all that are possible      below: upper share at e >= p       from r on: lower share at d <= 1 - p
    only guaranteed ones              lower share at d >= p                  upper share at e <= 1 - p
    rebinning                         middle share at e >= p                 middle share at d <= 1 - p

Where there is no such edge, nothing is known: all of a cluster are possible, none is guaranteed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import numpy as np

from mere.indexes.distribution.counting import bounds_of, satisfied
from mere.indexes.kind import Arrays
from mere.language import Predicate

MODES = ("low-memory", "full-recall", "full-precision", "exact")
BASELINES = ("profile-scan", "binsort", "normal-dist")
_EXACT = 1 << 52  # rows * denominator below which no two different fractions are one float


AtLeast = Callable[[Fraction, bool, float], np.ndarray]  # a fraction, below a number or from it on


def answered(arrays: Arrays, predicate: Predicate, mode: str, memo: dict[str, Any]) -> np.ndarray:
    """The histograms that a mode, or a baseline, takes for its answer."""
    if mode == "exact":
        return _exactly(arrays, predicate)
    if mode in MODES:
        return _approximately(arrays, predicate, mode)
    every = np.arange(len(arrays["hist.columns"]), dtype=np.uint32)
    if mode == "profile-scan":
        return _refined(arrays, predicate, every)
    if mode == "binsort":
        return _by_bins(arrays, predicate, memo)
    if "deviations" not in memo:
        memo["deviations"] = _deviations(arrays)
    return _as_normal(arrays, predicate, every, memo["deviations"])


def _exactly(arrays: Arrays, predicate: Predicate) -> np.ndarray:
    """What may be possible and is not guaranteed is looked at."""
    certain = _approximately(arrays, predicate, "full-precision")
    possible = _approximately(arrays, predicate, "full-recall")
    undecided = possible[~_members(arrays, certain)[possible]]
    return np.concatenate([certain, _refined(arrays, predicate, undecided)])


def _refined(arrays: Arrays, predicate: Predicate, which: np.ndarray) -> np.ndarray:
    fits, _ = satisfied(predicate, bounds_of(arrays, which, predicate.intervals))
    return which[fits]


def _approximately(arrays: Arrays, predicate: Predicate, mode: str) -> np.ndarray:
    def at_least(fraction: Fraction, below: bool, value: float) -> np.ndarray:
        return _clusters_at_least(arrays, mode, fraction, below, value)

    return _composed(predicate, at_least, cautious=mode == "full-precision")


def _composed(predicate: Predicate, at_least: AtLeast, cautious: bool) -> np.ndarray:
    """A predicate put together from one-sided parts; a cautious answer must be right, others complete.

    At least p between low and high: both sides have p, and certainly leave p if both have (1 + p) / 2.
    At most p between: one of the outer sides has (1 - p) / 2, and one with 1 - p is enough.
    """
    p, most = predicate.fraction, predicate.side == "at most"
    low, high = predicate.intervals[2:] if most != cautious else predicate.intervals[:2]
    if -math.inf < high <= low < math.inf:  # nothing certainly lies in it
        return at_least(Fraction(0 if most else 1), True, math.inf if most else -math.inf)
    if low == -math.inf:
        return at_least(1 - p, False, high) if most else at_least(p, True, high)
    if high == math.inf:
        return at_least(1 - p, True, low) if most else at_least(p, False, low)
    if not most:
        share = (1 + p) / 2 if cautious else p
        return np.intersect1d(at_least(share, False, low), at_least(share, True, high))
    share = 1 - p if cautious else (1 - p) / 2
    return np.union1d(at_least(share, True, low), at_least(share, False, high))


def _clusters_at_least(arrays: Arrays, mode: str, fraction: Fraction, below: bool, value: float) -> np.ndarray:
    """Algorithm 1: cluster by cluster, a search for the edge and one for the share."""
    cautious = mode == "full-precision"
    if fraction <= 0:
        return np.array(arrays["fainder.members"])
    before = below == cautious  # the last edge up to the number, not the next one from it on
    name = "middle" if mode == "low-memory" else "lower" if before else "upper"
    shares, whose, blocks = arrays[f"fainder.{name}"], arrays[f"fainder.{name}.of"], arrays["fainder.shares.starts"]
    members, starts, edges = (arrays[f"fainder.{part}"] for part in ("members", "starts", "edges"))
    edge_starts = arrays["fainder.edges.starts"].tolist()
    asked = float(fraction if below else 1 - fraction)
    side = _side(arrays, fraction, below, cautious)
    found = [np.zeros(0, np.uint32)]
    for cluster, (first, last) in enumerate(pairwise(edge_starts)):
        size = int(starts[cluster + 1] - starts[cluster])
        if size == 0:
            continue
        edge = int(np.searchsorted(edges[first:last], value, "right" if before else "left")) - before
        if not 0 <= edge < last - first:
            if not cautious:
                found.append(members[starts[cluster] : starts[cluster + 1]])
            continue
        block = int(blocks[cluster]) + edge * size
        place = block + int(np.searchsorted(shares[block : block + size], asked, side))
        found.append(whose[place : block + size] if below else whose[block:place])
    return np.concatenate(found)


def _side(arrays: Arrays, fraction: Fraction, below: bool, cautious: bool) -> Any:
    """Where to cut ascending shares: with those equal to the fraction, unless rounding may have made them so."""
    rounded = fraction.denominator * int(arrays["hist.below"].max(initial=1)) >= _EXACT
    with_equal = not (cautious and rounded)
    return ("left" if with_equal else "right") if below else ("right" if with_equal else "left")


def _members(arrays: Arrays, which: np.ndarray) -> np.ndarray:
    marks = np.zeros(len(arrays["hist.columns"]), bool)
    marks[which] = True
    return marks


def _by_bins(arrays: Arrays, predicate: Predicate, memo: dict[str, Any]) -> np.ndarray:
    """All bins in the order of their left edges, and of their right ones, each with the rows up to it, or from it on:
    a binary search for the number, a scan of what lies before it, or behind."""
    starts, edges, below = (arrays[f"hist.{part}"] for part in ("starts", "edges", "below"))
    if "binsort" not in memo:
        memo["binsort"] = _sorted_bins(starts, edges, below)
    lefts, up_to, left_of, rights, last, down_to, right_of = memo["binsort"]
    rows = below[starts[1:] - 1].astype(np.int64) if len(starts) > 1 else np.zeros(0, np.int64)

    def at_least(fraction: Fraction, lower: bool, value: float) -> np.ndarray:
        if fraction <= 0:
            return np.arange(len(rows), dtype=np.uint32)
        if lower:
            place = np.searchsorted(lefts, value, "left")
            counted, owner = up_to[:place], left_of[:place]
        else:
            place = np.searchsorted(rights, value, "left")
            inside = (rights[place:] > value) | last[place:]
            counted, owner = down_to[place:][inside], right_of[place:][inside]
        reached = _reaching(counted, rows[owner], fraction)
        return np.unique(owner[reached])

    found = _composed(predicate, at_least, cautious=False)
    return _refined(arrays, predicate, found) if np.isfinite(predicate.ends).all() else found


def _reaching(counted: np.ndarray, rows: np.ndarray, fraction: Fraction) -> np.ndarray:
    """Where so many of the rows are at least a fraction of them, exactly."""
    p, q = fraction.numerator, fraction.denominator
    if q * int(rows.max(initial=1)) >= 1 << 62:
        counted, rows = counted.astype(object), rows.astype(object)
    return (counted * q >= rows * p).astype(bool)


def _sorted_bins(starts: np.ndarray, edges: np.ndarray, below: np.ndarray) -> tuple[np.ndarray, ...]:
    owner = np.repeat(np.arange(len(starts) - 1, dtype=np.uint32), np.diff(starts))
    bins = np.arange(len(below))
    left, right = edges[bins + owner], edges[bins + owner + 1]
    up_to = below.astype(np.int64)
    before = np.where(bins == starts[owner], 0, np.roll(up_to, 1))
    down_to = up_to[starts[owner.astype(np.int64) + 1] - 1] - before
    by_left, by_right = np.argsort(left, kind="stable"), np.argsort(right, kind="stable")
    last = bins == starts[owner.astype(np.int64) + 1] - 1
    return (
        left[by_left], up_to[by_left], owner[by_left],
        right[by_right], last[by_right], down_to[by_right], owner[by_right],
    )  # fmt: skip


def _as_normal(arrays: Arrays, predicate: Predicate, every: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """Each column taken for a normal distribution with its mean and its deviation."""
    mean = arrays["mean.values"]
    p, (low, high) = predicate.fraction, predicate.ends
    if -math.inf < low and high < math.inf:
        shares = _normal_share(high, mean, deviation) - _normal_share(low, mean, deviation)
        return every[shares >= float(p) if predicate.side == "at least" else shares <= float(p)]

    def at_least(fraction: Fraction, below: bool, number: float) -> np.ndarray:
        asked = float(fraction if below else 1 - fraction)
        far = -math.inf if asked <= 0 else math.inf if asked >= 1 else NormalDist().inv_cdf(asked)
        with np.errstate(invalid="ignore", over="ignore"):
            place = mean + np.where(deviation > 0, deviation * far, 0.0)  # so much lies below
        return every[place < number if below else place >= number]

    return _composed(predicate, at_least, cautious=False)


def _normal_share(number: float, mean: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        away = np.nan_to_num((number - mean) / deviation)
    return np.array([(1 + math.erf(one / math.sqrt(2))) / 2 for one in away.tolist()])


def _deviations(arrays: Arrays) -> np.ndarray:
    """Of values spread evenly in their bins, about the mean."""
    starts, edges, below = (arrays[f"hist.{part}"] for part in ("starts", "edges", "below"))
    if len(starts) < 2:
        return np.zeros(0)
    sizes = np.diff(starts)
    owner, bins = np.repeat(np.arange(len(sizes)), sizes), np.arange(len(below))
    up_to = below.astype(np.int64)
    counts = up_to - np.where(bins == starts[owner], 0, np.roll(up_to, 1))
    left, right = edges[bins + owner], edges[bins + owner + 1]
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = left - arrays["mean.values"][owner], right - arrays["mean.values"][owner]
        squares = counts * (low**2 + low * high + high**2) / 3
        return np.sqrt(np.nan_to_num(np.add.reduceat(squares, starts[:-1]) / up_to[starts[1:] - 1], nan=np.inf))
