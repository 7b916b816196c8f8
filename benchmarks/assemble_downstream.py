"""Does a model learn more from an assembled bundle than from the most relevant tables?  Section 6.5 of the paper.

    python benchmarks/assemble_downstream.py FOLDER [--seeds 20] [--rows 40000]

Two tasks, each with one model that was fixed before the first run:

    regression      Beijing air quality: PM2.5 from weather and time; 10 nearest neighbours; root mean squared error
    classification  flights from New York: more than 15 minutes late; gradient-boosted trees; area under the ROC curve

For each seed, a quarter of the rows is held out; the base has 1,000 of the others, and 20 tables are cut from the rest,
in two ways:

    sampled         20 samples, as in section 5.1: what the paper does
    with redundant  10 samples, 5 copies of one of them with 1 to 5 % of the rows exchanged, and 5 that have the base's
                    rows and rows of another table; relevance prefers the last

`largest` takes the tables with the most rows: what an assembled bundle gains by size alone.

Every table costs 1, the budget is 5; 10 queries (section 5.2).  A bundle's rows that meet the queries, with the base's,
are the training set; all bundles of a seed are tested on the same held-out rows.  The seeds draw from one source, so
that they are not independent, and the paired t-test finds differences somewhat too sure.

Departs: the paper then selects as many rows as the base has (its `tuples discovery`); here all rows are used.
Relevance is the mean Jaccard similarity of the columns' values instead of D3L.  Equal rows are removed from the source
first, so that no held-out row is in a table.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.stats import ttest_rel
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score, root_mean_squared_error
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from assemble_answers import chosen_by_mere
from assemble_baselines import in_order, relevance, row_ids
from assemble_workloads import Setting, Source, Workload, read_source, wide_queries
from measuring import report
from mere.bundles.schema import Schema

TABLES, BUDGET, BASE_ROWS = 20, 5, 1_000
SETTING = Setting(tables=TABLES, queries=10)


@dataclass(frozen=True)
class Examples:
    """Rows for a model: features without nulls, and what is predicted."""

    features: np.ndarray
    labels: np.ndarray


def rmse(train: Examples, test: Examples) -> float:
    model = make_pipeline(StandardScaler(), KNeighborsRegressor(10)).fit(train.features, train.labels)
    return float(root_mean_squared_error(test.labels, model.predict(test.features)))


def auc(train: Examples, test: Examples) -> float:
    model = HistGradientBoostingClassifier(random_state=0).fit(train.features, train.labels)
    return float(roc_auc_score(test.labels, model.predict_proba(test.features)[:, 1]))


@dataclass(frozen=True)
class Task:
    """What is predicted from which columns; `better` is -1 if a smaller score is better, else 1."""

    title: str
    file: str
    features: tuple[str, ...]
    target: str
    label: Callable[[np.ndarray], np.ndarray]
    score: Callable[[Examples, Examples], float]
    better: int

    def examples(self, source: Source, rows: np.ndarray) -> Examples:
        rows = rows[~np.isnan(source.columns[self.target][rows])]
        features = np.column_stack([source.columns[name][rows] for name in self.features])
        return Examples(np.nan_to_num(features), self.label(source.columns[self.target][rows]))


AIR = ("month", "day", "hour", "TEMP", "PRES", "DEWP", "RAIN", "WSPM")
FLIGHT = ("month", "day", "sched_dep_time", "sched_arr_time", "distance", "carrier", "origin", "dest")
TASKS = [
    Task("regression: PM2.5 (RMSE)", "prsa_beijing", AIR, "PM2.5", lambda values: values, rmse, -1),
    Task("classification: late (AUC)", "nycflights13", FLIGHT, "arr_delay", lambda values: values > 15, auc, 1),
]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--seeds", type=int, default=20)
    arguments.add_argument("--rows", type=int, default=40_000, help="rows of the source that are used")
    options = arguments.parse_args()
    for task in TASKS:
        source = distinct_source(read_source(options.folder / f"{task.file}.parquet", options.rows), task)
        for redundant in (False, True):
            compare(task, source, options.seeds, redundant)


def distinct_source(source: Source, task: Task) -> Source:
    """The columns of the task, without rows that are equal in them."""
    names = [name for name in source.columns if name in (*task.features, task.target)]
    columns = {name: source.columns[name] for name in names}
    rows = np.sort(np.unique(row_ids(columns), return_index=True)[1])
    places = [list(source.columns).index(name) for name in names]
    schema = Schema(tuple(names), tuple(source.relation.schema.types[place] for place in places))
    relation = replace(source.relation, schema=schema, columns=tuple(source.relation.columns[p] for p in places))
    words = {name: texts for name, texts in source.words.items() if name in names}
    cut = {name: values[rows] for name, values in columns.items()}
    return Source(source.name, cut, words, source.dates & set(names), relation.take(rows))


def compare(task: Task, source: Source, seeds: int, redundant: bool) -> None:
    scores: dict[str, list[float]] = defaultdict(list)
    sizes: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for seed in range(seeds):
        workload, held_out = cut_tables(source, np.random.default_rng([seed, 65]), redundant)
        test = task.examples(source, held_out)
        for name, chosen in bundles(workload, seed).items():
            rows = np.concatenate([workload.base, *(workload.candidates[number] for number in chosen)])
            distinct = training_rows(workload, rows)
            assert not np.isin(distinct, held_out).any(), "a held-out row is in a table"
            scores[name].append(task.score(task.examples(source, distinct), test))
            sizes[name].append((len(rows), len(distinct)))
    title = f"{task.title}, tables {'with redundant' if redundant else 'sampled'}, {seeds} seeds"
    print_scores(title, task, scores, sizes)


def cut_tables(source: Source, chance: np.random.Generator, redundant: bool) -> tuple[Workload, np.ndarray]:
    """The question of a seed, and the rows that are held out."""
    order = chance.permutation(source.rows)
    held_out, base, rest = np.split(order, [source.rows // 4, source.rows // 4 + BASE_ROWS])
    candidates = [_sample(rest, chance) for _ in range(TABLES // 2 if redundant else TABLES)]
    if redundant:
        like = [candidates[place] for place in chance.integers(len(candidates), size=TABLES // 2)]
        candidates += [_exchanged(rows, rest, chance) for rows in like[: TABLES // 4]]
        candidates += [_with_base(base, rows, chance) for rows in like[TABLES // 4 :]]
    queries = tuple(wide_queries(source, [base, *candidates], SETTING, chance))
    return Workload("downstream", source, base, candidates, np.ones(TABLES), BUDGET, queries), held_out


def _sample(rest: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    return chance.choice(rest, int(chance.uniform(1 / TABLES, 2 / TABLES) * len(rest)), replace=False)


def _exchanged(rows: np.ndarray, rest: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """The same rows but for 1 to 5 %."""
    kept = chance.random(len(rows)) >= chance.uniform(0.01, 0.05)
    return np.where(kept, rows, chance.choice(rest, len(rows)))


def _with_base(base: np.ndarray, rows: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """As many rows as the given ones: all of the base, the others from the given ones."""
    return np.concatenate([base, chance.choice(rows, max(0, len(rows) - len(base)), replace=False)])


def bundles(workload: Workload, seed: int) -> dict[str, list[int]]:
    """What each way takes."""
    any_order = np.random.default_rng([seed, 66]).random(TABLES)
    rows = np.array([len(candidate) for candidate in workload.candidates])
    return {
        "base alone": [],
        "largest": in_order(rows, workload.prices, workload.budget),
        "random": in_order(any_order, workload.prices, workload.budget),
        "relevance": in_order(relevance(workload), workload.prices, workload.budget),
        "assembled, sketch": chosen_by_mere(workload, "sketch"),
        "assembled, exact": chosen_by_mere(workload, "exact"),
        "all tables": list(range(TABLES)),
    }


def training_rows(workload: Workload, rows: np.ndarray) -> np.ndarray:
    """The distinct rows that meet at least one of the queries."""
    distinct = np.unique(rows)
    table = workload.source.cut(distinct)
    return distinct[np.any([query.rows(table) for query in workload.queries], axis=0)]


def print_scores(
    title: str, task: Task, scores: dict[str, list[float]], sizes: dict[str, list[tuple[int, int]]]
) -> None:
    lines = []
    for name, values in scores.items():
        rows, distinct = np.mean(sizes[name], axis=0)
        error = np.std(values, ddof=1) / len(values) ** 0.5
        lines.append((name, f"{np.mean(values):.4f} +- {error:.4f}, {rows:,.0f} rows, {distinct:,.0f} distinct", ""))
    best = scores["assembled, sketch"]
    for other in ("random", "largest", "relevance", "assembled, exact"):
        gains = task.better * (np.array(best) - np.array(scores[other]))
        wins = f"better in {np.sum(gains > 0)}, equal in {np.sum(gains == 0)} of {len(gains)}"
        chance = ttest_rel(best, scores[other]).pvalue if gains.any() else 1.0
        target = "> 0" if other == "relevance" else ""
        lines.append((f"gain of sketch over {other}", f"{gains.mean():+.4f}, {wins}, p = {chance:.2g}", target))
    report(title, lines)


if __name__ == "__main__":
    main()
