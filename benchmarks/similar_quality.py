"""Are the right records matched when values are misspelt, abbreviated or written differently?

    python benchmarks/similar_quality.py DATA [--embedder NAME]... [--json]

DATA has a folder per labelled set, with left.csv and right.csv (id, title) and gt.csv (id_l, id_r), as in the sets of
Auto-FuzzyJoin (Li, Cheng, Chu, He, Chaudhuri; SIGMOD 2021).  Right titles are the queries, left titles the answers.

Baselines, each a score per pair of values without punctuation: equality, Jaccard of words and of 3-grams of words, the
scorers of rapidfuzz; each with the one threshold that is best for all sets together (`best`), and the best one with an
average precision of at least 0.89 (`precise`).  Mere: the left files are indexed, and `Lake.similar` is asked at the
distances `strict`, `normal` and `loose`.  `--embedder` compares a dense embedder as well, by brute force.
The thresholds of the baselines are chosen on the sets they are measured on, and the distances of the embedders were
calibrated on sets of this collection: on other data all figures may be lower.

A value may be answered with its nearest value only (top-1) or with all values in range.  Precision (1 where nothing is
answered), recall and F are of pairs of normalised values, averaged over the sets.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rapidfuzz import distance, fuzz, process, utils

import mere
from measuring import report
from mere.indexes.similar.embedders import embedder_named
from mere.indexes.similar.records import FARTHEST, dense_vectors
from mere.pipeline import index
from mere.values.normalise import normalise_cell

GRID = np.arange(0.30, 1.0001, 0.01)  # thresholds tried; a distance is the score 1 - distance / 2
ROUNDING = 1e-6
PRECISE = 0.89  # average precision that `normal` should have
WORDS = ("strict", "normal", "loose")
WORD = re.compile(r"\w+")
SCORERS = {
    "ratio": fuzz.ratio,
    "token_sort": fuzz.token_sort_ratio,
    "token_set": fuzz.token_set_ratio,
    "WRatio": fuzz.WRatio,
    "partial": fuzz.partial_ratio,
}


class Labelled(NamedTuple):
    """A labelled set: distinct normalised values of both sides, and which pairs (right, left) are the same thing."""

    name: str
    left: list[str]
    right: list[str]
    truth: np.ndarray  # bool (right, left)


class Figures(NamedTuple):
    precision: float
    recall: float
    f: float


class Result(NamedTuple):
    """A method at a threshold: its average figures, and those of each set."""

    method: str
    answers: str  # "top-1" or "in range"
    threshold: str
    average: Figures
    sets: dict[str, Figures]


Scores = Callable[[Labelled], np.ndarray]  # (right, left), between 0 and 1, 1 for the same


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--embedder", action="append", default=[], help="wordllama, glove, or module:function")
    arguments.add_argument("--json", action="store_true")
    options = arguments.parse_args()
    data = [labelled(folder) for folder in sorted(options.data.iterdir()) if (folder / "gt.csv").is_file()]
    results = [result for name, scores in baselines().items() for result in tuned(name, scores, data)]
    for name in options.embedder:
        results += of_embedder(name, data)
    results += of_mere(options.data, data)
    print(json.dumps(document(data, results), indent=1)) if options.json else show(data, results)


def labelled(folder: Path) -> Labelled:
    left, right = titles(folder / "left.csv"), titles(folder / "right.csv")
    values = [{value: n for n, value in enumerate(dict.fromkeys(side.values()))} for side in (left, right)]
    truth = np.zeros((len(values[1]), len(values[0])), bool)
    for row in rows_of(folder / "gt.csv"):
        truth[values[1][right[row["id_r"]]], values[0][left[row["id_l"]]]] = True
    return Labelled(folder.name, list(values[0]), list(values[1]), truth)


def titles(path: Path) -> dict[str, str]:
    return {row["id"]: normalise_cell(row["title"]) for row in rows_of(path)}


def rows_of(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def baselines() -> dict[str, Scores]:
    named: dict[str, Scores] = {
        "equi-join": lambda data: jaccard(data, lambda value: {value}),
        "Jaccard of words": lambda data: jaccard(data, lambda value: set(WORD.findall(value))),
        "Jaccard of 3-grams": lambda data: jaccard(data, three_grams),
    }
    for name, scorer in SCORERS.items():
        named[f"rapidfuzz {name}"] = lambda data, s=scorer: compared(data, s) / 100
    named["rapidfuzz Jaro-Winkler"] = lambda data: compared(data, distance.JaroWinkler.normalized_similarity)
    return named


def compared(data: Labelled, scorer: Callable[..., float]) -> np.ndarray:
    return process.cdist(data.right, data.left, scorer=scorer, processor=utils.default_process)


def three_grams(value: str) -> set[str]:
    """Of each word, with its start and end."""
    padded = [f"  {word}  " for word in WORD.findall(value)]
    return {word[i : i + 3] for word in padded for i in range(len(word) - 2)}


def jaccard(data: Labelled, tokens_of: Callable[[str], set[str]]) -> np.ndarray:
    """Tokens in common by the tokens in either."""
    places = defaultdict(list)
    sizes = np.zeros(len(data.left))
    for n, value in enumerate(data.left):
        tokens = tokens_of(value)
        sizes[n] = len(tokens)
        for token in tokens:
            places[token].append(n)
    scores = np.zeros(data.truth.shape, np.float32)
    for n, value in enumerate(data.right):
        tokens = tokens_of(value)
        common = np.zeros(len(data.left))
        for token in tokens & places.keys():
            common[places[token]] += 1
        scores[n] = common / np.maximum(sizes + len(tokens) - common, 1)
    return scores


def tuned(name: str, scores: Scores, data: list[Labelled]) -> list[Result]:
    """The method at its best thresholds, for top-1 answers and for all in range."""
    return [
        result_at(name, answers, f"{word} {GRID[at]:.2f}", data, curves[:, at])
        for answers, curves in curves_of(scores, data).items()
        for word, at in best_thresholds(curves).items()
    ]


def best_thresholds(curves: np.ndarray) -> dict[str, int]:
    """The number of the threshold with the best average F, and of the one among those that are precise, if any is."""
    precision, _, f = curves[:, : len(GRID)].mean(axis=0).T
    precise = np.where(precision >= PRECISE, f, -1.0)
    return {"best": int(f.argmax())} | ({"precise": int(precise.argmax())} if precise.max() >= 0 else {})


def of_embedder(name: str, data: list[Labelled]) -> list[Result]:
    """The embedder at its calibrated distances and at the best ones."""
    embedder = embedder_named(name)

    def scores(one: Labelled) -> np.ndarray:
        left, right = (dense_vectors(embedder.embed(values)).dense for values in (one.left, one.right))
        apart = np.sqrt(np.maximum(0, 2 - 2 * right @ left.T)) / FARTHEST
        apart[:, ~left.any(axis=1)] = 1
        apart[~right.any(axis=1)] = 1
        return 1 - apart

    shares = [getattr(embedder.distances, word) for word in WORDS]
    results = []
    for answers, curves in curves_of(scores, data, np.append(GRID, 1 - np.array(shares))).items():
        named = {f"{word} {1 - GRID[at]:.2f}": at for word, at in best_thresholds(curves).items()}
        named |= {
            f"{word} {share:.3f}": len(GRID) + n for n, (word, share) in enumerate(zip(WORDS, shares, strict=True))
        }
        results += [result_at(name, answers, text, data, curves[:, at]) for text, at in named.items()]
    return results


def curves_of(scores: Scores, data: list[Labelled], grid: np.ndarray = GRID) -> dict[str, np.ndarray]:
    """For each way to answer: precision, recall and F of each set at each threshold."""
    curves: dict[str, list[np.ndarray]] = {"top-1": [], "in range": []}
    for one in data:
        matrix = np.asarray(scores(one), np.float32)
        rows, nearest = np.arange(len(one.right)), matrix.argmax(axis=1)
        near = matrix >= grid.min() - ROUNDING
        curves["top-1"].append(curve(matrix[rows, nearest], one.truth[rows, nearest], one, grid))
        curves["in range"].append(curve(matrix[near], one.truth[near], one, grid))
    return {answers: np.array(of) for answers, of in curves.items()}


def curve(scores: np.ndarray, right: np.ndarray, data: Labelled, grid: np.ndarray) -> np.ndarray:
    """The figures at each threshold, of answers with these scores, some of them right."""
    answered = len(scores) - np.searchsorted(np.sort(scores), grid - ROUNDING)
    found = right.sum() - np.searchsorted(np.sort(scores[right]), grid - ROUNDING)
    return np.array([figures(int(n), int(good), data) for n, good in zip(answered, found, strict=True)])


def figures(answered: int, found: int, data: Labelled) -> Figures:
    truth = int(data.truth.sum())
    return Figures(found / answered if answered else 1.0, found / truth, 2 * found / (answered + truth))


def result_at(method: str, answers: str, threshold: str, data: list[Labelled], rows: Iterable[Any]) -> Result:
    sets = {one.name: Figures(*(float(x) for x in row)) for one, row in zip(data, rows, strict=True)}
    return Result(method, answers, threshold, Figures(*np.mean(list(sets.values()), axis=0).tolist()), sets)


def of_mere(folder: Path, data: list[Labelled]) -> list[Result]:
    """Mere's own answers: the left files are a lake."""
    work = Path(tempfile.mkdtemp(prefix="mere-bench-"))
    try:
        for one in data:
            (work / "raw" / one.name).mkdir(parents=True)
            shutil.copy(folder / one.name / "left.csv", work / "raw" / one.name)
        index([work / "raw"], work / "lake")
        with mere.open(work / "lake") as lake:
            return [
                result_at("Mere", answers, word, data, [asked(lake, one, word, matches) for one in data])
                for answers, matches in (("top-1", "best"), ("in range", "all"))
                for word in WORDS
            ]
    finally:
        shutil.rmtree(work)


def asked(lake: mere.Lake, data: Labelled, word: str, matches: str) -> Figures:
    table = f"{data.name}/left.csv"
    hits = lake.similar(data.right, share=0, distance=word, per="column", table=table, matches=matches)
    left = {value: n for n, value in enumerate(data.left)}
    right = {value: n for n, value in enumerate(data.right)}
    pairs = [
        (right[mine], left[theirs])
        for hit in hits
        if hit.table == table and tuple(hit.columns) == ("title",)
        for mine, theirs, _ in hit.evidence["pairs"]
    ]
    return figures(len(pairs), sum(bool(data.truth[pair]) for pair in pairs), data)


def document(data: list[Labelled], results: list[Result]) -> dict[str, Any]:
    sizes = {one.name: {"left": len(one.left), "right": len(one.right), "pairs": int(one.truth.sum())} for one in data}
    methods = [
        {
            **result._asdict(),
            "average": result.average._asdict(),
            "sets": {name: of._asdict() for name, of in result.sets.items()},
        }
        for result in results
    ]
    return {"sets": sizes, "results": methods}


def show(data: list[Labelled], results: list[Result]) -> None:
    width = max(len(result.method) for result in results)
    for answers in ("top-1", "in range"):
        print(f"\nAverage of {len(data)} sets, {answers}{'threshold':>{width + 4}}  precision  recall      F")
        for result in (result for result in results if result.answers == answers):
            numbers = "     ".join(f"{x:.3f}" for x in result.average)
            print(f"  {result.method:<{width}}  {result.threshold:>14}      {numbers}")
    show_sets(data, chosen(results))


def chosen(results: list[Result]) -> list[Result]:
    """For the table of sets: equality, the best of Jaccard and of rapidfuzz, and Mere at its normal distance."""
    top = [result for result in results if result.answers == "top-1"]
    starts = {"equi-join": "best", "Jaccard": "best", "rapidfuzz": "best", "Mere": "normal"}
    return [
        max((r for r in top if r.method.startswith(name) and r.threshold.startswith(at)), key=lambda r: r.average.f)
        for name, at in starts.items()
    ]


def show_sets(data: list[Labelled], results: list[Result]) -> None:
    width = max(len(one.name) for one in data)
    print(f"\nPer set, top-1: precision, recall, F\n  {'':<{width}}", *(f"{result.method:>22}" for result in results))
    for one in data:
        cells = (" ".join(f"{x:.3f}" for x in result.sets[one.name]) for result in results)
        print(f"  {one.name:<{width}}", *(f"{cell:>22}" for cell in cells))
    *others, ours = results
    ratios = [(f"ratio of F: Mere / {of.method}", f"{ours.average.f / of.average.f:.2f}", "> 1") for of in others]
    precision = ("precision of Mere", f"{ours.average.precision:.3f}", f">= {PRECISE}")
    report("Mere at its normal distance", [precision, ("F of Mere", f"{ours.average.f:.3f}", ">= 0.73"), *ratios])


if __name__ == "__main__":
    main()
