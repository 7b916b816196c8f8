"""Are the right rows matched when two tables write their keys differently, and no column is named?

    python benchmarks/transform.py DATA

DATA has folders of labelled pairs of tables (see labelled_tables.py), such as web/ and flashfill/.  Baselines:

    equality     the two columns, one of them a key, that have the most source rows with an equal normalised value
    rapidfuzz    each source row with the nearest target row, if its score reaches a threshold; rows are compared as a
                 whole, or by two columns, the target's being a key, that have the highest average score
                 (`named` is told the two columns with the best F: help that no user of Mere has to give)
    programs     Mere without matching by similarity
    Auto-Join    as published (section 4.7.3 of Zhu's thesis), for all 31 pairs of its Web benchmark: a folder with a
                 part of them has another average; AJ-E is its join by programs only

The scorer, the threshold and the way of comparing that give rapidfuzz the best average F on the folder are
chosen on this folder itself, which favours it.  Mere has one setting for all pairs.  It was chosen by looking at the
pairs at even places of web/, counted from 0 in the order of names; for other collections, by their averages only.

Target rows are shuffled.  Precision, recall and F are of distinct pairs of rows, all 0 where nothing is answered.  CPU
seconds are of one process, after a warm-up; those of rapidfuzz are for one scorer and all columns.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rapidfuzz import fuzz, process, utils

from labelled_tables import Answers, Figures, Labelled, Row, average, read_all, scored
from measuring import report
from mere.transform import Options, Outcome
from mere.transform.match import match
from mere.values.normalise import normalise_cell

GRID = np.arange(0, 101)  # thresholds tried
SCORERS = {
    "ratio": fuzz.ratio,
    "token_sort": fuzz.token_sort_ratio,
    "token_set": fuzz.token_set_ratio,
    "WRatio": fuzz.WRatio,
    "partial": fuzz.partial_ratio,
}
WAYS = ("rows", "columns", "named")
PUBLISHED = {"Auto-Join": (0.950, 0.884), "AJ-E": (0.976, 0.776)}  # precision, recall
TARGETS = {"web": Figures(0.95, 0.94, 0.95), "flashfill": Figures(0.99, 0.0, 0.95)}
CPU_TARGETS = {"web": 30}


class Result(NamedTuple):
    """What a method reaches on every pair of a folder."""

    method: str
    figures: list[Figures]
    seconds: list[float]  # of CPU
    remarks: list[str]


class Texts(NamedTuple):
    """One text per distinct row, of both tables: whole rows, or a column of each."""

    source: list[str]
    target: list[str]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    options = arguments.parse_args()
    for folder in sorted(path for path in options.data.iterdir() if path.is_dir()):
        data = read_all(folder)
        match(data[0].source.columns, data[0].target.columns)
        ours = [of_mere("Mere", data, Options()), of_mere("programs", data, Options(fuzzy=False))]
        show(folder.name, data, [*ours, of_equality(data), *of_rapidfuzz(data)])


def of_mere(name: str, data: list[Labelled], options: Options) -> Result:
    result = Result(name, [], [], [])
    for pair in data:
        started = time.process_time()
        outcome = match(pair.source.columns, pair.target.columns, options)
        result.seconds.append(time.process_time() - started)
        result.figures.append(scored(pairs_of(outcome, pair), pair.truth))
        result.remarks.append(remark(outcome))
    return result


def pairs_of(outcome: Outcome, pair: Labelled) -> Answers:
    places = zip(outcome.left_rows.tolist(), outcome.right_rows.tolist(), strict=True)
    return {(pair.source.rows[mine], pair.target.rows[theirs]) for mine, theirs in places}


def remark(outcome: Outcome) -> str:
    if outcome.refused:
        return f"refused: {outcome.refused}"
    programs = len(outcome.rules)
    return f"{programs} program{'s' if programs > 1 else ''}, {int((outcome.rule < 0).sum())} by similarity"


def of_equality(data: list[Labelled]) -> Result:
    result = Result("equality", [], [], [""] * len(data))
    for pair in data:
        started = time.process_time()
        answers = max((equal(pair, *columns) for columns in column_pairs(pair)), key=matched_rows)
        result.seconds.append(time.process_time() - started)
        result.figures.append(scored(answers, pair.truth))
    return result


def column_pairs(pair: Labelled) -> Iterator[tuple[int, int]]:
    return product(range(len(pair.source.columns)), range(len(pair.target.columns)))


def matched_rows(answers: Answers) -> int:
    return len({mine for mine, _ in answers})


def equal(pair: Labelled, mine: int, theirs: int) -> Answers:
    """The pairs with equal values in two columns, if one of the columns is a key."""
    groups = [grouped(pair.source.rows, mine), grouped(pair.target.rows, theirs)]
    if not any(is_key(group) for group in groups):
        return set()
    return {both for value in groups[0].keys() & groups[1].keys() for both in product(*(g[value] for g in groups))}


def grouped(rows: list[Row], column: int) -> dict[str, list[Row]]:
    """Distinct rows by normalised value, without the empty one."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in dict.fromkeys(rows):
        if value := normalise_cell(row[column]):
            groups[value].append(row)
    return groups


def is_key(groups: dict[str, list[Row]]) -> bool:
    return all(len(rows) == 1 for rows in groups.values())


def of_rapidfuzz(data: list[Labelled]) -> list[Result]:
    """For each way of comparing: the scorer and the threshold with the best average F."""
    best: dict[str, Result] = {}
    for scorer_name, scorer in SCORERS.items():
        started = time.process_time()
        curves = [by_way(pair, scorer) for pair in data]
        seconds = [(time.process_time() - started) / len(data)] * len(data)
        for way in WAYS:
            curve = np.array([of[way] for of in curves])  # pair, threshold, figure
            at = int(curve[:, :, 2].mean(axis=0).argmax())
            figures = [Figures(*row) for row in curve[:, at].tolist()]
            remarks = [f"{scorer_name} >= {GRID[at]}"] * len(data)
            candidate = Result(f"rapidfuzz {way}", figures, seconds, remarks)
            best[way] = max(best.get(way, candidate), candidate, key=lambda result: average(result.figures).f)
    return list(best.values())


def by_way(pair: Labelled, scorer: Callable[..., float]) -> dict[str, np.ndarray]:
    """For each way of comparing: the figures at each threshold."""
    rows = [list(dict.fromkeys(of.rows)) for of in (pair.source, pair.target)]
    whole = nearest(Texts(*([" ".join(row) for row in side] for side in rows)), scorer)
    by_columns = []
    for mine, theirs in column_pairs(pair):
        scores = nearest(Texts([row[mine] for row in rows[0]], [row[theirs] for row in rows[1]]), scorer)
        key = is_key(grouped(pair.target.rows, theirs))
        by_columns.append((key, scores[0].mean(), curve_of(rows, scores, pair.truth)))
    likely = max(by_columns, key=lambda column: (column[0], column[1]))
    named = max(by_columns, key=lambda column: column[2][:, 2].max())
    return {"rows": curve_of(rows, whole, pair.truth), "columns": likely[2], "named": named[2]}


def nearest(texts: Texts, scorer: Callable[..., float]) -> tuple[np.ndarray, np.ndarray]:
    """The highest score of each source text, 0 for an empty one, and the place of the target text that has it."""
    source, target = ([utils.default_process(normalise_cell(text)) for text in side] for side in texts)
    scores = process.cdist(source, target, scorer=scorer, dtype=np.float32)
    scores[:, [not text for text in target]] = 0
    scores[[not text for text in source]] = 0
    return scores.max(axis=1), scores.argmax(axis=1)


def curve_of(rows: list[list[Row]], scores: tuple[np.ndarray, np.ndarray], truth: Answers) -> np.ndarray:
    """The figures at each threshold."""
    best, places = scores
    right = np.array([(rows[0][n], rows[1][place]) in truth for n, place in enumerate(places)])
    reached = (best >= np.maximum(GRID, 1)[:, None]) & (best > 0)
    answered, found = reached.sum(axis=1), (reached & right).sum(axis=1)
    return np.stack([found / np.maximum(1, answered), found / len(truth), 2 * found / (answered + len(truth))], axis=1)


def show(folder: str, data: list[Labelled], results: list[Result]) -> None:
    width = max(len(pair.name) for pair in data)
    print(f"\n{folder}: {len(data)} pairs of tables.  Precision, recall, F; CPU seconds of Mere")
    print(f"  {'':<{width}}", *(f"{result.method:>17}" for result in results), "    CPU")
    for place, pair in enumerate(data):
        cells = (" ".join(f"{x:.3f}" for x in result.figures[place]) for result in results)
        ours = f"{results[0].seconds[place]:7.2f}  {results[0].remarks[place]}"
        print(f"  {pair.name:<{width}}", *(f"{cell:>17}" for cell in cells), ours)
    show_unplaced(data)
    show_averages(results)
    show_ratios(folder, results)


def show_unplaced(data: list[Labelled]) -> None:
    total = sum(len(pair.unplaced) for pair in data)
    print(f"\nRows of the truth that are no rows of the tables, not counted: {total}")
    for pair in data:
        for cells in pair.unplaced:
            print(f"  {pair.name}: {cells}")


def show_averages(results: list[Result]) -> None:
    print("\nAverage precision, recall, F       all pairs     places 0, 2, 4...  places 1, 3, 5...    CPU s")
    for result in results:
        parts = (result.figures, result.figures[::2], result.figures[1::2])
        cells = (" ".join(f"{x:.3f}" for x in average(part)) for part in parts)
        chosen = result.remarks[0] if result.method.startswith("rapidfuzz") else ""
        print(f"  {result.method:<20}", *(f"{cell:>20}" for cell in cells), f"{sum(result.seconds):8.1f}  {chosen}")


def show_ratios(folder: str, results: list[Result]) -> None:
    ours, *others = results
    mine, targets = average(ours.figures), TARGETS.get(folder)
    named = zip(("precision", "recall", "F"), mine, targets or [0.0] * 3, strict=True)
    lines = [(f"{name} of Mere", f"{value:.3f}", f">= {target}" if target else "") for name, value, target in named]
    limit = f"< {CPU_TARGETS[folder]} s" if folder in CPU_TARGETS else ""
    lines.append(("CPU of Mere, all pairs", f"{sum(ours.seconds):.1f} s", limit))
    if folder == "web":
        lines += [
            (f"{name} as published", f"precision {precision:.3f}, recall {recall:.3f}", "")
            for name, (precision, recall) in PUBLISHED.items()
        ]
    ratios = ((other.method, average(other.figures).f) for other in others)
    lines += [(f"ratio of F: Mere / {name}", f"{mine.f / f:.2f}" if f else "-", "> 1") for name, f in ratios]
    report(f"Mere on {folder}", lines)


if __name__ == "__main__":
    main()
