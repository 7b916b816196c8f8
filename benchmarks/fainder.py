"""How does the FAINDER paper's index compare: how fast, how large, how often right?  Its section 7, in one run.

    python benchmarks/fainder.py FOLDER [--grid] [--clusters 250] [--bins 5000]

One process, one thread.  Histograms are those of the folder's columns, cut in two ways, and a million made up; clusters
are learnt from all of them, as the paper does.  Predicates are drawn by a seed: numbers from the columns' own edges and
between them, fractions of every percent; half of them are thus between two levels of Mere's grid.  The paper's modes
are in NumPy, as their authors have them; `exact` looks at histograms by compiled code, and once more by their loop.
The truth is what histograms leave possible (the paper's), so that modes which promise only what is guaranteed lack
recall.

`--grid` prints the choices of section 7.3: clustering, transform, clusters, bins.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import mere
from distribution import made_up
from measuring import report, timed
from mere.indexes.distribution.build import indexed
from mere.indexes.distribution.engine import possible
from mere.indexes.distribution.fainder import MODES, Recipe, aligned, answered, clustered
from mere.indexes.distribution.fainder.alignment import features_of
from mere.indexes.distribution.fainder.clusters import CLUSTERINGS, TRANSFORMS
from mere.indexes.distribution.histograms import histograms_of, strategy_of
from mere.language import Predicate
from mere.pipeline import Settings, index

sys.path.append(str(Path(__file__).parents[1]))
from tests.oracles.distribution import bins_of, label

LOOP_EVERY = 40  # predicates: the loop takes a second each


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--grid", action="store_true")
    arguments.add_argument("--clusters", type=int, default=250)
    arguments.add_argument("--bins", type=int, default=5_000)
    arguments.add_argument("--made", type=int, default=1_000_000, help="made-up histograms")
    arguments.add_argument("--questions", type=int, default=300)
    arguments.add_argument("--seed", type=int, default=7)
    options = arguments.parse_args()
    recipe = Recipe(options.clusters, options.bins)
    room = Path(tempfile.mkdtemp(prefix="mere-bench-"))
    try:
        index([options.folder], room / "lake", settings=Settings(segment_bytes=1 << 40))
        with mere.open(room / "lake") as lake:
            lake.warm()
            [segment] = lake._opened.segments
            for cut in ("equal-depth-16", "equal-width-16"):
                own = histograms_of(segment, strategy_of(cut))
                compare(f"{len(own):,} histograms, {cut}", own, recipe, options, loop=True)
                if options.grid:
                    grid(f"Choices, {cut}", own, recipe, options)
    finally:
        shutil.rmtree(room)
    few = with_questions(options, 60, options.seed)
    compare(f"{options.made:,} made-up histograms", made_up(options.made, 5), recipe, few, loop=False)


def predicates(edges: np.ndarray, options: Any) -> Iterator[Predicate]:
    chance = np.random.default_rng(options.seed)
    for _ in range(options.questions):
        value = float(chance.choice(edges)) * (1 if chance.random() < 0.5 else chance.uniform(0.5, 1.5))
        share = int(chance.integers(1, 20)) * 5 if chance.random() < 0.5 else int(chance.integers(1, 100))
        side = ("at least", "at most")[int(chance.integers(2))]
        yield Predicate(None, side, Fraction(share, 100), ("<", "<=", ">", ">=")[int(chance.integers(4))], value)


def compare(title: str, own: Any, recipe: Recipe, options: Any, loop: bool) -> None:
    """Time, room and quality of every system."""
    took_mere, arrays = timed(lambda: indexed(own))
    features = features_of(own.starts, own.edges)
    took_clusters, trained = timed(lambda: clustered(features, recipe))
    took_aligned, paper = timed(lambda: aligned(arrays, trained))
    both, memo = {**arrays, **paper}, {}
    listed = loop and [
        bins_of(own.edges[a + i : b + i + 1].tolist(), own.counts[a:b].tolist())
        for i, (a, b) in enumerate(zip(own.starts[:-1].tolist(), own.starts[1:].tolist(), strict=True))
    ]
    systems: dict[str, Any] = {"Mere": lambda p: possible(arrays, p)}
    for mode in (*MODES, "binsort", "normal-dist"):
        systems[mode] = lambda p, mode=mode: answered(both, p, mode, memo)
    if loop:
        systems["exact, with a loop"] = lambda p: exactly(both, listed, p)
    laps: dict[str, list[float]] = defaultdict(list)  # in milliseconds
    quality: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for number, predicate in enumerate(
        [*predicates(own.edges, with_questions(options, 20, options.seed + 1)), *predicates(own.edges, options)]
    ):
        truth = np.sort(possible(arrays, predicate))
        if loop and number % LOOP_EVERY == 20:
            seconds, looped = timed(lambda p=predicate: [i for i, bins in enumerate(listed) if label(p, bins)])
            assert looped == truth.tolist(), "the loop disagrees"
            laps["profile-scan, a loop"].append(seconds * 1000)
        for name, ask in systems.items():
            seconds, found = timed(lambda p=predicate, ask=ask: ask(p))
            if number >= 20:  # those before are a warm-up
                laps[name].append(seconds * 1000)
                quality[name].append(scores(found, truth))
            assert not name.startswith(("exact", "binsort")) or np.array_equal(np.sort(found), truth), (
                f"{name} disagrees"
            )
            assert name != "full-recall" or np.isin(truth, found).all()
            assert name != "full-precision" or np.isin(found, truth).all()
    n = len(own)
    size = {"Mere": sum(array.nbytes for array in arrays.values()) / n}
    size["low-memory"] = sum(paper[f"fainder.middle{end}"].nbytes for end in ("", ".of")) / n
    size["full-recall"] = sum(paper[f"fainder.{s}{end}"].nbytes for s in ("lower", "upper") for end in ("", ".of")) / n
    size["full-precision"] = size["exact"] = size["full-recall"]
    size["binsort"] = sum(array.nbytes for array in memo["binsort"]) / n
    rows = [
        ("Mere: build", f"{took_mere:.2f} s", ""),
        ("clusters, alignment of all modes", f"{took_clusters:.2f} s, {took_aligned:.2f} s", ""),
    ]
    for name, lap in laps.items():
        ratio = "" if name == "Mere" else f", {np.mean(lap) / np.mean(laps['Mere']):.1f}x Mere's"
        wanted = {
            "exact": "time >= 100x",
            "exact, with a loop": "time >= 100x",
            "full-recall": "F1 >= 0.87",
            "Mere": "<= 500 bytes",
        }.get(name, "")
        text = f"{np.mean(lap):.3f} ms (p50 {np.median(lap):.3f}){ratio}"
        if name in size:
            text += f"; {size[name]:,.0f} bytes each"
        if name in quality:
            precision, recall, f1 = np.mean(quality[name], axis=0)
            text += f"; precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}"
        rows.append((name, text, wanted))
    report(title, rows)


def exactly(arrays: Any, listed: list[Any], predicate: Predicate) -> np.ndarray:
    """The exact mode as published: what recall and precision differ in is scanned by the loop."""
    sure, hopeful = (answered(arrays, predicate, mode, {}) for mode in ("full-precision", "full-recall"))
    unsure = np.setdiff1d(hopeful, sure).tolist()
    return np.concatenate([sure, np.array([i for i in unsure if label(predicate, listed[i])], np.uint32)])


def with_questions(options: Any, count: int, seed: int) -> Any:
    return argparse.Namespace(**{**vars(options), "questions": count, "seed": seed})


def scores(found: np.ndarray, truth: np.ndarray) -> tuple[float, float, float]:
    """Precision, recall and their harmonic mean; an empty answer to an empty truth is right."""
    both = len(np.intersect1d(found, truth))
    precision, recall = both / len(found) if len(found) else 1.0, both / len(truth) if len(truth) else 1.0
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def grid(title: str, own: Any, usual: Recipe, options: Any) -> None:
    """One choice changed at a time."""
    arrays = indexed(own)
    features = features_of(own.starts, own.edges)
    recipes = [replace(usual, clustering=a, transform=t) for a in CLUSTERINGS for t in TRANSFORMS]
    recipes += [replace(usual, clusters=k) for k in (10, 50, 100, 500, 750)]
    recipes += [replace(usual, bins=bins) for bins in (1_000, 20_000, 50_000)]
    asked = list(predicates(own.edges, with_questions(options, 100, options.seed + 1)))
    truths = [np.sort(possible(arrays, predicate)) for predicate in asked]
    rows = []
    for recipe in recipes:
        took, trained = timed(lambda recipe=recipe: clustered(features, recipe))
        aligning, paper = timed(lambda trained=trained: aligned(arrays, trained))
        both = {**arrays, **paper}
        f1 = {
            mode: np.mean([scores(answered(both, p, mode, {}), t)[2] for p, t in zip(asked, truths, strict=True)])
            for mode in ("low-memory", "full-recall", "full-precision")
        }
        size = sum(paper[f"fainder.{s}{end}"].nbytes for s in ("lower", "upper") for end in ("", ".of")) / len(own)
        name = f"{recipe.clustering}, {recipe.transform}, k {recipe.clusters}, B {recipe.bins:,}"
        told = ", ".join(f"{mode} {value:.3f}" for mode, value in f1.items())
        rows.append((name, f"F1: {told}; {size:,.0f} bytes each; {took:.1f} + {aligning:.1f} s", ""))
    report(title, rows)


if __name__ == "__main__":
    main()
