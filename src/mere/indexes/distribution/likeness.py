"""Which columns are spread most like this one?

The distance of two distributions is Wasserstein's: how far values must move, on average, to make one of the other, in
the columns' own unit.  Values are taken as spread evenly in their bins, so both cumulative curves consist of
straight lines, and the area between them is computed exactly, line by line.

The distance is never less than that of the means, so columns are looked at in the order of the distance of their means,
until that is larger than the k-th best distance.

    like         edges and rows of the histogram to compare with
    similarity   1 / (1 + distance / width), the width being the mean distance of its values from their median: a number
                 from 0 to 1 that does not depend on the unit
"""

from __future__ import annotations

import heapq
import math
import re
from bisect import bisect_left
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from mere import compiled
from mere.compiled import Trial
from mere.errors import QueryError
from mere.indexes.distribution.counting import bins_in
from mere.indexes.distribution.histograms import Strategy, summed_up
from mere.indexes.kind import Arrays, Part

LIKENESS = compiled.Group("likeness", ("mere.indexes.distribution.areas",), compiling=2.5)
FARTHEST = 1e300
SLACK = 1e-9  # means are rounded: a column is left out only if it is certainly farther away
_FINE = 64  # bins of a column of numbers that is handed in, and of a curve
_CURVE = re.compile(r"\s*(normal|uniform|lognormal|log-normal)\s*(?:\(\s*([^(),]+)\s*,\s*([^(),]+)\s*\))?\s*")

Looked = tuple[np.ndarray, np.ndarray, float]  # numbers and distances of those looked at, the k-th best distance


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


class Wanted(NamedTuple):
    """Which of the histograms nearest to a shape are wanted."""

    owners: np.ndarray  # whom each counts for; -1 where it may not answer
    k: int  # those of the k nearest owners; 0 for all
    farthest: float  # only those as near as this


def numbers_like(given: Iterable[Any]) -> dict[str, list[float]]:
    """The histogram of a column of numbers."""
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
        remedy = (
            "write normal(mean, deviation), uniform(low, high) or lognormal(mean, deviation); for a file, name a column"
        )
        raise QueryError(f"expected a curve to compare with, got '{text}'", remedy)
    shares = np.arange(_FINE + 1) / _FINE
    if name == "uniform":
        edges = one + (other - one) * shares
    else:
        shares[0], shares[-1] = 0.5 / _FINE / 4, 1 - 0.5 / _FINE / 4  # the tails end somewhere
        edges = np.array([NormalDist(one, other).inv_cdf(share) for share in shares.tolist()])
        edges = edges if name == "normal" else np.exp(np.minimum(edges, 700.0))
    return {"edges": edges.tolist(), "counts": [1.0] * _FINE}


def distance(one: Shape, other: Shape) -> float:
    """The area between two cumulative curves, summed up from the left."""
    places = np.unique(np.concatenate([one.edges, other.edges]))
    if len(places) == 1:
        return 0.0
    (after, before), (its_after, its_before) = _shares(one, places), _shares(other, places)
    after, before = after - its_after, before - its_before
    sizes = np.abs(after) + np.abs(before)
    with np.errstate(invalid="ignore", divide="ignore"):
        heights = np.where(after * before < 0, (after * after + before * before) / (2 * sizes), sizes / 2)
    return float(np.cumsum(np.diff(places) * heights)[-1])


def _shares(shape: Shape, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The share of values up to right behind each place but the last, and up to right before the one that follows."""
    edges, up_to = shape
    passed = np.searchsorted(edges, places[:-1], "right")  # constants make the curve jump
    after = np.minimum(passed, len(edges) - 1)
    known = np.maximum(passed, 1) - 1
    outside, wide = (passed == 0) | (passed == len(edges)), edges[after] - edges[known]
    with np.errstate(invalid="ignore", divide="ignore"):
        behind, ahead = (
            np.where(outside, passed > 0, up_to[known] + (ends - edges[known]) / wide * (up_to[after] - up_to[known]))
            for ends in (places[:-1], places[1:])
        )
    return behind, ahead


def nearest(arrays: Arrays, like: Shape, owners: np.ndarray, k: int, farthest: float) -> tuple[np.ndarray, np.ndarray]:
    """The histograms nearest to a shape, and how far they are: those of the k nearest owners (0: all), ties included.

    `owners` is what each histogram counts for: its table, or itself; -1 where it may not answer.
    """
    reach = max(abs(float(like.edges[0])), abs(float(like.edges[-1])))
    wanted = Wanted(owners, min(k, len(owners)), float(farthest))
    search = _nearest_compiled if compiled.ready(LIKENESS) else _nearest
    numbers, distances, bound = search(arrays, like, reach, wanted)
    kept = ~(distances > bound + SLACK * (reach + bound))
    return numbers[kept], distances[kept]


def likeness_trial(part: Part) -> Trial:
    """Compiles what a search for columns like a shape needs."""
    like, wanted = Shape.of([0.0, 1.0], [1]), Wanted(np.full(len(part.arrays["hist.columns"]), -1), 1, 0.0)
    return Trial(LIKENESS, (("nearest_areas", lambda: _nearest_compiled(part.arrays, like, 1.0, wanted)),))


def _nearest_compiled(arrays: Arrays, like: Shape, reach: float, wanted: Wanted) -> Looked:
    """The same as `_nearest`."""
    from mere.indexes.distribution.areas import nearest_areas

    means = arrays["mean.order"], arrays["mean.values"]
    return nearest_areas(tuple(like), (like.mean(), reach), tuple(wanted), means, bins_in(arrays))


def _nearest(arrays: Arrays, like: Shape, reach: float, wanted: Wanted) -> Looked:
    """Numbers and distances of those looked at, and the k-th best distance."""
    order, means, center = arrays["mean.order"], arrays["mean.values"], like.mean()
    (owners, k, farthest), bound = wanted, wanted.farthest
    right = bisect_left(order, center, key=lambda which: means[which])
    left = right - 1
    best: dict[int, float] = {}
    looked_at: list[tuple[int, float]] = []
    while left >= 0 or right < len(order):
        down = center - means[order[left]] if left >= 0 else np.inf
        up = means[order[right]] - center if right < len(order) else np.inf
        gap = min(down, up)
        if gap > bound + SLACK * (reach + gap + bound):
            break
        which = int(order[left] if down <= up else order[right])
        left, right = (left - 1, right) if down <= up else (left, right + 1)
        owner = int(owners[which])
        if owner < 0:
            continue
        away = distance(like, shape_of(arrays, which))
        looked_at.append((which, away))
        if k and away < min(bound, best.get(owner, np.inf)):
            best[owner] = away
            if len(best) >= k:
                bound = min(farthest, heapq.nsmallest(k, best.values())[-1])
    numbers, distances = [which for which, _ in looked_at], [away for _, away in looked_at]
    return np.array(numbers, np.int64), np.array(distances, float), bound


def comparable(arrays: Arrays) -> np.ndarray:
    """Which histograms have a distance at all: beyond these numbers it would be infinite."""
    starts, edges, each = arrays["hist.starts"], arrays["hist.edges"], np.arange(len(arrays["hist.columns"]))
    return (edges[starts[:-1] + each] > -FARTHEST) & (edges[starts[1:] + each] < FARTHEST)


def similarity(distances: np.ndarray, like: Shape) -> np.ndarray:
    with np.errstate(over="ignore"):  # infinitely far, for a shape that is hardly wide
        return 1 / (1 + distances / like.width())


def shape_of(arrays: Arrays, which: int) -> Shape:
    starts, below = arrays["hist.starts"], arrays["hist.below"]
    first, last = int(starts[which]), int(starts[which + 1])
    counted = np.concatenate([[0.0], below[first:last].astype(float)])
    return Shape(arrays["hist.edges"][first + which : last + which + 1], counted / counted[-1])
