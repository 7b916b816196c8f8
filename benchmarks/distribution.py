"""How fast are columns found by how their values are spread, and how often is the answer right about the raw data?

    python benchmarks/distribution.py FOLDER [--truth QUERIES.csv --answers ANSWERS.csv.gz]

One process, one thread, one run.  Histograms are those of the folder's columns, and a million made up; predicates are
drawn by a seed: numbers from the columns' own edges and between them, fractions on the grid of levels and off it.
Baselines: a vectorised NumPy scan over histograms padded to one width; the same scan compiled; and the paper's
profile-scan, a Python loop over histograms and bins.  All find the same columns; what is timed is from the predicate to
their numbers.  The ten columns most like one of them are also found by computing every distance, with the very kernel
that Mere computes a few with, and in NumPy.

`--truth` (query, fraction_at_least, op, threshold, ...) and `--answers` (query, path, column_index, ...) list what is
true of the raw numbers: precision and recall are told of what Mere guarantees, of what it thinks possible, and of
columns whose estimated fraction reaches the one asked for.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

import mere
from measuring import percentiles, report, timed
from mere.indexes.distribution.areas import area
from mere.indexes.distribution.build import LEVELS, arrays_of, indexed
from mere.indexes.distribution.counting import bins_in
from mere.indexes.distribution.engine import possible
from mere.indexes.distribution.histograms import Histograms, Strategy, summed_up
from mere.indexes.distribution.likeness import Shape, nearest, shape_of
from mere.indexes.distribution.records import Bins
from mere.language import Predicate, at_least, at_most
from mere.pipeline import Settings, index

BETWEEN, OUTSIDE = "two-sided, at least", "two-sided, at most"
TARGETS = {
    ("on the grid", "NumPy scan"): ">= 30",
    ("off the grid", "NumPy scan"): ">= 10",
    (BETWEEN, "compiled scan"): ">= 1.5",
    (OUTSIDE, "compiled scan"): ">= 1.5",
    ("like", "all, compiled"): ">= 20",
}
LIKE = 10  # columns that are most like a shape


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--truth", type=Path)
    arguments.add_argument("--answers", type=Path)
    arguments.add_argument("--questions", type=int, default=200)
    arguments.add_argument("--made", type=int, default=1_000_000, help="made-up histograms")
    arguments.add_argument("--seed", type=int, default=5)
    options = arguments.parse_args()
    room = Path(tempfile.mkdtemp(prefix="mere-bench-"))
    try:
        index([options.folder], room / "lake", settings=Settings(segment_bytes=1 << 40))
        with mere.open(room / "lake") as lake:
            lake.warm()
            [segment] = lake._opened.segments
            took, arrays = timed(lambda: arrays_of(segment, {}, {}))
            compared(f"The lake's {len(arrays['hist.columns']):,} histograms", arrays, took, options, loop=True)
            report("Asked of the lake, evidence and all", [*asked(lake)])
            if options.truth:
                for bins in ("equal-depth-16", "equal-width-16"):
                    report(f"Against the raw numbers, {bins}", against_truth(lake, bins, options))
    finally:
        shutil.rmtree(room)
    own = made_up(options.made, options.seed)
    took, arrays = timed(lambda: indexed(own))
    compared(f"{options.made:,} made-up histograms", arrays, took, options, loop=False)


def asked(lake: mere.Lake) -> Any:
    """The ten best tables or columns, from the question to hits with their evidence."""
    below, above = mere.at_least(0.3, "*") < 40, mere.at_least(0.31, "*") > 60
    aged = (mere.at_least(0.3, "*age*") < 40) & (mere.at_least(0.3, "*age*") > 60)
    questions: dict[str, Any] = {
        "a predicate on any column": lambda: lake.distribution(below),
        "a predicate on any column, per column": lambda: lake.distribution(below, per="column"),
        "a predicate on a name": lambda: lake.distribution("at least 30% of year > 2000"),
        "a condition on any column": lambda: lake.where(below & ~above),
        "a condition on names": lambda: lake.where(aged),
        "a condition with a word": lambda: lake.where(below & mere.words("income")),
        "like a curve": lambda: lake.distribution(like="normal(100, 15)"),
    }
    for name, ask in questions.items():
        middle, worst = percentiles(ask, 50)
        yield name, f"p50 {middle:.2f} ms, p99 {worst:.2f}, {len(ask())} hits", ""


def made_up(count: int, seed: int) -> Histograms:
    """Normal, uniform and skewed columns of many scales, sixteen values with their rows each."""
    chance = np.random.default_rng(seed)
    scale, place = 10.0 ** chance.uniform(-6, 9, (count, 1)), chance.normal(0, 3, (count, 1))
    shape = chance.integers(0, 3, (count, 1))
    drawn = chance.normal(size=(count, 16))
    drawn = np.where(shape == 0, drawn, np.where(shape == 1, chance.random((count, 16)), np.exp(drawn)))
    columns = np.repeat(np.arange(count), 16)
    rows = chance.integers(1, 1000, count * 16)
    return summed_up(columns, ((drawn + place) * scale).reshape(-1), rows, Strategy("equal-depth", 12))


def compared(title: str, arrays: Any, took: float, options: Any, loop: bool) -> None:
    """Every system answers every question; their answers must agree."""
    n = len(arrays["hist.columns"])
    size = sum(array.nbytes for array in arrays.values())
    rows = [("index", f"{took:.2f} s, {size / n:.0f} bytes a histogram", "<= 500 bytes")]
    padded = Padded(arrays)
    for kind in ("on the grid", "off the grid", BETWEEN, OUTSIDE):
        laps: dict[str, list[float]] = defaultdict(list)
        found = 0
        for predicate in islice(predicates(arrays, kind, options), 20):  # every kernel is loaded before it is timed
            possible(arrays, predicate)
        for number, predicate in enumerate(predicates(arrays, kind, options)):
            systems: dict[str, Any] = {"Mere": lambda p=predicate: possible(arrays, p)}
            systems["NumPy scan"] = lambda p=predicate: padded.scan(p)
            systems["compiled scan"] = lambda p=predicate: padded.compiled(p)
            if loop and number % 40 == 0:
                systems["profile-scan"] = lambda p=predicate: padded.loop(p)
            answers = timed_answers(systems, laps, number > 0)  # the first is a warm-up
            several = {name: np.sort(answer).tolist() for name, answer in answers.items()}
            assert all(answer == several["Mere"] for answer in several.values()), "the systems disagree"
            found += len(answers["Mere"])
        rows.append((f"{kind}: found on average", f"{found / options.questions:,.0f}", ""))
        rows += figures(kind, laps)
    report(title, rows + figures("like", alike(arrays, options)))


def timed_answers(systems: dict[str, Any], laps: dict[str, list[float]], counts: bool) -> dict[str, Any]:
    answers = {}
    for name, ask in systems.items():
        seconds, answers[name] = timed(ask)
        if counts:
            laps[name].append(seconds * 1000)
    return answers


def figures(kind: str, laps: dict[str, list[float]]) -> list[tuple[str, str, str]]:
    """Times, and how many times Mere's they are."""
    rows = []
    for name, lap in laps.items():
        limit = {"on the grid": "< 0.1 ms at a million", "off the grid": "< 10 ms"}.get(kind, "")
        spread = f"{np.mean(lap):.4f} ms, p50 {np.median(lap):.4f}, p99 {np.quantile(lap, 0.99):.4f}"
        rows.append((f"{kind}: {name}", spread, limit if name == "Mere" else ""))
    for name in [one for one in laps if one != "Mere"]:
        ratio = np.mean(laps[name]) / np.mean(laps["Mere"])
        rows.append((f"{kind}: {name} / Mere", f"{ratio:.1f}", TARGETS.get((kind, name), "")))
    return rows


def alike(arrays: Any, options: Any) -> dict[str, list[float]]:
    """The columns most like one drawn by chance, and how far they are: among a few, and among all."""
    histograms = Bins(*bins_in(arrays))
    laps: dict[str, list[float]] = defaultdict(list)
    n, chance = len(arrays["hist.columns"]), np.random.default_rng(options.seed)
    every, asked = np.arange(n), options.questions if n < 100_000 else options.questions // 4
    for number, which in enumerate(chance.integers(0, n, asked + 1).tolist()):
        shape = shape_of(arrays, which)
        systems: dict[str, Any] = {"Mere": lambda s=shape: nearest(arrays, s, every, LIKE, np.inf)[1]}
        systems["all, compiled"] = lambda s=shape: np.partition(_areas(s, histograms), LIKE)[:LIKE]
        if number % (asked // 4) == 0:
            systems["all, NumPy"] = lambda s=shape: np.partition(all_distances(arrays, s), LIKE)[:LIKE]
        answers = timed_answers(systems, laps, number > 0)
        nearby = {name: np.sort(found)[:LIKE] for name, found in answers.items()}
        assert all(np.allclose(found, nearby["Mere"]) for found in nearby.values()), "the systems disagree"
    return laps


def all_distances(arrays: Any, like: Shape, chunk: int = 2048) -> np.ndarray:
    """The area between a curve and that of every histogram, vectorised over rectangles of edges."""
    starts, edges, below = arrays["hist.starts"], arrays["hist.edges"], arrays["hist.below"]
    found = []
    for low in range(0, len(starts) - 1, chunk):
        which = np.arange(low, min(low + chunk, len(starts) - 1))
        sizes = starts[which + 1] - starts[which]
        bins = np.minimum(np.arange(sizes.max() + 1), sizes[:, None])  # the last edge fills a row up
        own = edges[(starts[which] + which)[:, None] + bins]
        up_to = np.where(bins > 0, below[starts[which][:, None] + np.maximum(bins, 1) - 1], 0.0)
        up_to /= up_to[:, -1:]
        line = np.broadcast_to(like.edges, (len(which), len(like.edges)))
        places = np.sort(np.concatenate([own, line], axis=1), axis=1)
        (after, before), (its_after, its_before) = (
            shares(*curve, places) for curve in ((line, np.broadcast_to(like.up_to, line.shape)), (own, up_to))
        )
        after, before = after - its_after, before - its_before
        sizes = np.abs(after) + np.abs(before)
        with np.errstate(invalid="ignore", divide="ignore"):
            heights = np.where(after * before < 0, (after**2 + before**2) / (2 * sizes), sizes / 2)
        found.append((np.diff(places) * heights).sum(axis=1))
    return np.concatenate(found)


def shares(edges: np.ndarray, up_to: np.ndarray, places: np.ndarray) -> list[np.ndarray]:
    """What curves hold right behind each place but the last, and right before the one that follows."""
    passed = (edges[:, None, :] <= places[:, :-1, None]).sum(axis=2)
    known, after = np.maximum(passed, 1) - 1, np.minimum(passed, edges.shape[1] - 1)
    left, base = np.take_along_axis(edges, known, 1), np.take_along_axis(up_to, known, 1)
    wide, rise = np.take_along_axis(edges, after, 1) - left, np.take_along_axis(up_to, after, 1) - base
    outside = (passed == 0) | (passed == edges.shape[1])
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        inside = [base + (ends - left) / wide * rise for ends in (places[:, :-1], places[:, 1:])]
    return [np.where(outside, passed > 0, one) for one in inside]


def predicates(arrays: Any, kind: str, options: Any) -> Any:
    chance = np.random.default_rng(options.seed)
    edges = arrays["hist.edges"]
    for _ in range(options.questions):
        value = float(chance.choice(edges)) * (1 if chance.random() < 0.5 else chance.uniform(0.5, 1.5))
        level = int(chance.integers(1, LEVELS))
        fraction = Fraction(level, LEVELS) if kind != "off the grid" else Fraction(int(chance.integers(1, 997)), 997)
        side = at_least if chance.random() < 0.5 else at_most
        if kind in (BETWEEN, OUTSIDE):
            ends = sorted([value, float(chance.choice(edges))])
            yield (at_least if kind == BETWEEN else at_most)(fraction).between(*ends)
            continue
        share = side(fraction)
        yield [share < value, share <= value, share > value, share >= value][int(chance.integers(4))]


def counted(predicate: Predicate) -> tuple[float, float]:
    """The interval that counts: at least, of what may be in it; at most, of what surely is."""
    may, sure = predicate.intervals[:2], predicate.intervals[2:]
    return may if predicate.side == "at least" else sure


class Padded:
    """Histograms as rectangles: left and right edges, rows per bin; missing bins are empty and lie beyond the last."""

    def __init__(self, arrays: Any) -> None:
        starts, edges, below = arrays["hist.starts"], arrays["hist.edges"], arrays["hist.below"]
        sizes = np.diff(starts)
        shape = (len(sizes), int(sizes.max(initial=1)))
        self.left, self.right = np.full(shape, np.inf), np.full(shape, np.inf)
        self.counts = np.zeros(shape, np.int64)
        owner, place = np.repeat(np.arange(len(sizes)), sizes), np.arange(len(below)) - np.repeat(starts[:-1], sizes)
        self.left[owner, place] = edges[np.arange(len(below)) + owner]
        self.right[owner, place] = edges[np.arange(len(below)) + owner + 1]
        up_to = below.astype(np.int64)
        self.counts[owner, place] = up_to - np.where(place > 0, np.roll(up_to, 1), 0)
        self.rows, self.last = up_to[starts[1:] - 1], sizes - 1
        each = np.arange(len(sizes))
        self.end = self.right.copy()  # no bin holds it: the last bin holds its right edge
        self.end[each, self.last] = np.nextafter(self.right[each, self.last], np.inf)

    def scan(self, predicate: Predicate) -> np.ndarray:
        """The paper's over and under, vectorised."""
        p, q, (low, high) = predicate.fraction.numerator, predicate.fraction.denominator, counted(predicate)
        if predicate.side == "at least":
            ends = [self.left < high] * (high < np.inf) + [self.end > low] * (low > -np.inf)
            return np.flatnonzero((self.counts * np.logical_and.reduce(ends)).sum(axis=1) * q >= self.rows * p)
        ends = [self.end <= high] * (high < np.inf) + [self.left >= low] * (low > -np.inf)
        return np.flatnonzero((self.counts * np.logical_and.reduce(ends)).sum(axis=1) * q <= self.rows * p)

    def compiled(self, predicate: Predicate) -> np.ndarray:
        p, q = predicate.fraction.numerator, predicate.fraction.denominator
        asked = (predicate.side == "at least", p, q, *counted(predicate))
        return _scan(*asked, self.left, self.end, self.counts, self.rows, self.last)

    def loop(self, predicate: Predicate) -> np.ndarray:
        """Histogram by histogram, bin by bin."""
        sys.path.append(str(Path(__file__).parents[1]))
        from tests.oracles.distribution import label

        found = []
        for i, last in enumerate(self.last.tolist()):
            edges = zip(self.left[i].tolist(), self.right[i].tolist(), self.counts[i].tolist(), strict=True)
            bins = [(left, right, count, b == last) for b, (left, right, count) in enumerate(edges) if b <= last]
            if label(predicate, bins):
                found.append(i)
        return np.array(found, np.int64)


@njit(nogil=True)
def _scan(least, p, q, low, high, left, end, counts, rows, lasts):  # type: ignore[no-untyped-def]
    out = np.empty(len(rows), np.int64)
    size = 0
    for i in range(len(rows)):
        held = 0
        for b in range(lasts[i] + 1):
            inside = left[i, b] < high and end[i, b] > low if least else left[i, b] >= low and end[i, b] <= high
            held += counts[i, b] if inside else 0
        if held * q >= rows[i] * p if least else held * q <= rows[i] * p:
            out[size] = i
            size += 1
    return out[:size]


@njit(nogil=True)
def _areas(shape, bins):  # type: ignore[no-untyped-def]
    out = np.empty(len(bins.starts) - 1)
    for which in range(len(out)):
        out[which] = area(shape, which, bins, np.inf)
    return out


def against_truth(lake: mere.Lake, bins: str, options: Any) -> list[tuple[str, str, str]]:
    """What is true of the raw numbers, and what the histograms say."""
    from mere.indexes.distribution.counting import bounds_of, estimated, satisfied

    with gzip.open(options.answers, "rt", newline="") as file:
        truth: dict[str, set[tuple[str, int]]] = defaultdict(set)
        for row in csv.DictReader(file):
            truth[row["query"]].add((row["path"], int(row["column_index"])))
    [segment] = lake._opened.segments
    arrays = arrays_of(segment, {}, {"histogram_bins": bins})
    columns = arrays["hist.columns"].astype(np.int64)
    tables = segment.table_of_column[columns]
    names = [
        (segment.names[table].split("#")[0], int(column - segment.first_column[table]))
        for table, column in zip(tables.tolist(), columns.tolist(), strict=True)
    ]
    compared_columns = set().union(*truth.values())  # those that the truth looked at, and ever found
    shared = np.array([name in compared_columns for name in names])
    counts: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(3))
    with open(options.truth, newline="") as file:
        for row in csv.DictReader(file):
            predicate = Predicate(
                None, "at least", Fraction(row["fraction_at_least"]), row["op"], float(row["threshold"])
            )
            every = np.arange(len(columns), dtype=np.uint32)
            bounds = bounds_of(arrays, every, predicate.intervals)
            may, surely = satisfied(predicate, bounds)
            likely = estimated(arrays, every, predicate.ends, bounds) >= float(predicate.fraction)
            known = {name for name, ok in zip(names, shared, strict=True) if ok}
            right = truth[row["query"]] & known
            for name, chosen in (("guaranteed", surely), ("possible", may), ("continuous", likely)):
                said = {names[i] for i in np.flatnonzero(chosen & shared)}
                counts[name] += (len(said & right), len(said), len(right))
    return [
        (name, f"precision {both / max(1, said):.4f}, recall {both / max(1, right):.4f}", "")
        for name, (both, said, right) in counts.items()
    ]


if __name__ == "__main__":
    started = time.perf_counter()
    main()
    print(f"\n{time.perf_counter() - started:.0f} s")
