"""Which columns are spread most like this one?

The distance of two distributions is Wasserstein's: how far values must move, on average, to make one of the other, in
the columns' own unit.  Histograms are taken as spread evenly in their bins, so both cumulative curves are made of
straight lines, and the area between them is computed exactly, line by line.

The distance is never less than that of the means, so columns are looked at outwards from the one whose mean is
nearest, until the nearest mean left is farther away than the k-th best distance.

    like         edges and rows of the histogram to compare with
    similarity   1 / (1 + distance / width), the width being the mean distance of its values from their median: a number
                 from 0 to 1 that does not depend on the unit
"""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from mere.errors import QueryError
from mere.indexes.distribution.histograms import Strategy, summed_up
from mere.indexes.kind import Arrays

_SLACK = 1e-9  # means are rounded: a column is passed over only if it is surely farther away
_FINE = 64  # bins of a column of numbers that is handed in, and of a curve
_CURVE = re.compile(r"\s*(normal|uniform|lognormal|log-normal)\s*(?:\(\s*([^(),]+)\s*,\s*([^(),]+)\s*\))?\s*")


class Shape(NamedTuple):
    """A distribution: edges, and the share of values up to each of them."""

    edges: np.ndarray
    up_to: np.ndarray

    @staticmethod
    def of(edges: Any, counts: Any) -> Shape:
        counted = np.concatenate([[0.0], np.cumsum(np.asarray(counts, float))])
        return Shape(np.asarray(edges, float), counted / counted[-1])

    def mean(self) -> float:
        return float(np.dot(np.diff(self.up_to), (self.edges[1:] + self.edges[:-1]) / 2))

    def width(self) -> float:
        """How far values are from their median, on average; 1 if they are all there."""
        half = np.interp(0.5, self.up_to, self.edges)
        return distance(self, Shape(np.array([half, half]), np.array([0.0, 1.0]))) or 1.0


def numbers_like(given: Iterable[Any]) -> dict[str, list[float]]:
    """The histogram of some numbers."""
    numbers = np.array([float(number) for number in given], float)
    numbers = numbers[np.isfinite(numbers)]
    if len(numbers) == 0:
        raise QueryError("there are no numbers to compare with", "give at least one")
    values, counts = np.unique(numbers, return_counts=True)
    found = summed_up(np.zeros(len(values), int), values, counts.astype(np.int64), Strategy("equal-depth", _FINE))
    return {"edges": found.edges.tolist(), "counts": found.counts.tolist()}


def curve_like(text: str) -> dict[str, list[float]]:
    """The histogram of a curve: normal(mean, deviation), uniform(low, high) or lognormal(mean, deviation).

    >>> curve_like("uniform(0, 64)")["edges"][:3]
    [0.0, 1.0, 2.0]
    """
    from statistics import NormalDist

    match = _CURVE.fullmatch(text.casefold())
    try:
        name, *ends = match.groups() if match else ("", None, None)
        one, other = (float(end) if end is not None else usual for end, usual in zip(ends, (0.0, 1.0), strict=True))
    except ValueError:
        name, one, other = "", 0.0, 1.0
    if not name or not math.isfinite(one) or not math.isfinite(other) or not (one if name == "uniform" else 0) < other:
        remedy = "write normal(mean, deviation), uniform(low, high) or lognormal(mean, deviation)"
        raise QueryError(f"'{text}' is no curve to compare with", remedy)
    shares = np.arange(_FINE + 1) / _FINE
    if name == "uniform":
        edges = one + (other - one) * shares
    else:
        shares[0], shares[-1] = 0.5 / _FINE / 4, 1 - 0.5 / _FINE / 4  # the tails end somewhere
        edges = np.array([NormalDist(one, other).inv_cdf(share) for share in shares.tolist()])
        edges = edges if name == "normal" else np.exp(np.minimum(edges, 700.0))
    return {"edges": edges.tolist(), "counts": [1.0] * _FINE}


def distance(one: Shape, other: Shape) -> float:
    """The area between two cumulative curves."""
    places = np.unique(np.concatenate([one.edges, other.edges]))
    if len(places) == 1:
        return 0.0
    after = _share(one, places[:-1], "right") - _share(other, places[:-1], "right")
    before = _share(one, places[1:], "left") - _share(other, places[1:], "left")
    sizes = np.abs(after) + np.abs(before)
    crossing = after * before < 0
    with np.errstate(invalid="ignore", divide="ignore"):
        heights = np.where(crossing, (after**2 + before**2) / (2 * sizes), sizes / 2)
    return float(np.dot(np.diff(places), heights))


def _share(shape: Shape, places: np.ndarray, side: str) -> np.ndarray:
    """The share of values up to each place, right behind it or right before it: constants make the curve jump."""
    edges, up_to = shape
    if side == "right":
        known = np.searchsorted(edges, places, "right") - 1
        known, after = np.maximum(known, 0), np.minimum(known + 1, len(edges) - 1)
    else:
        after = np.minimum(np.searchsorted(edges, places, "left"), len(edges) - 1)
        known = np.maximum(after - 1, 0)
    wide = edges[after] - edges[known]
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.where(wide > 0, np.clip((places - edges[known]) / wide, 0.0, 1.0), 1.0 if side == "left" else 0.0)
    inside = up_to[known] + part * (up_to[after] - up_to[known])
    first, last = (
        (places < edges[0], places >= edges[-1]) if side == "right" else (places <= edges[0], places > edges[-1])
    )
    return np.where(first, 0.0, np.where(last, 1.0, inside))


def nearest(arrays: Arrays, like: Shape, owners: np.ndarray, k: int, farthest: float) -> tuple[np.ndarray, np.ndarray]:
    """The histograms nearest to a shape, and how far they are: those of the k nearest owners (0: all), ties included.

    `owners` says whom each histogram counts for: a table, or itself; -1 where it may not answer.
    """
    order, means, center = arrays["mean.order"], arrays["mean.values"], like.mean()
    right = int(np.searchsorted(means[order], center))
    left = right - 1
    best: dict[int, float] = {}
    found: list[tuple[int, float]] = []
    while left >= 0 or right < len(order):
        below = center - means[order[left]] if left >= 0 else np.inf
        above = means[order[right]] - center if right < len(order) else np.inf
        gap, bound = min(below, above), farthest
        if k and len(best) >= k:
            bound = min(bound, heapq.nsmallest(k, best.values())[-1])
        if gap > bound + _SLACK * (abs(center) + gap + bound):
            break
        which = int(order[left] if below <= above else order[right])
        left, right = (left - 1, right) if below <= above else (left, right + 1)
        if owners[which] >= 0:
            away = distance(like, shape_of(arrays, which))
            found.append((which, away))
            owner = int(owners[which])
            best[owner] = min(away, best.get(owner, np.inf))
    numbers, distances = zip(*found, strict=True) if found else ((), ())
    return np.array(numbers, np.int64), np.array(distances, float)


def similarity(distances: np.ndarray, like: Shape) -> np.ndarray:
    return 1 / (1 + distances / like.width())


def shape_of(arrays: Arrays, which: int) -> Shape:
    starts, below = arrays["hist.starts"], arrays["hist.below"]
    first, last = int(starts[which]), int(starts[which + 1])
    counted = np.concatenate([[0.0], below[first:last].astype(float)])
    return Shape(arrays["hist.edges"][first + which : last + which + 1], counted / counted[-1])
