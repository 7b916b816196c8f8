"""How good and how fast are bundles that are chosen on samples?  Against exact counts, and against cheaper choices.

    python benchmarks/assemble.py FOLDER [--seeds 3] [--salts 10] [--runs 5] [--pool NAME] [--rows N] [--workloads ...]

One process.  For every Parquet file of the folder and every workload (`assemble_workloads`), tables are cut by
several seeds, and the rows of each are hashed anew several times (columns get other names: other rows are sampled).

    q-error    max(estimate / truth, truth / estimate), of the rows of a table that meet the queries, and of unions of 2
               to 20 tables with the base; from samples alone.  k = 1,000: a sample has about 1,000 rows to choose
               bundles by and 1,000 others to judge them by, of which `hits` meet the queries
    interval   how often the 95 % interval of such an estimate, and of the bundle that was chosen, holds the truth;
               what is exact is left out, in the targets also one table of the paper's workload, whose queries return
               all rows
    ratio      distinct rows of what a method chose / of what Exact-Greedy chose, both counted exactly
    time       one warm-up, the least of several runs, of every method alike.  `online`: all samples are in memory, the
               base's as well; `stored`: those of the candidates were made before, as in an indexed lake; `whole`: all
               are made now

The exact count in NumPy starts from typed arrays in memory; `ids known` if the hashes of their rows are given as well,
which is what an index could keep.  It is checked against a UNION in DuckDB, and Mere's exact count against both.
"""

from __future__ import annotations

import argparse
import tracemalloc
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from assemble_answers import chosen_of, problem_of, samples_of
from assemble_baselines import Sets, duckdb_count, exact_greedy, exact_sets, policies, row_ids
from assemble_workloads import TIGHT, WORKLOADS, Workload, make_workload, sources
from measuring import report, timed
from mere.bundles.answer import answer_from_pool, assemble
from mere.bundles.choose import Money, greedy_with_guard
from mere.bundles.estimate import Estimate as Half
from mere.bundles.estimate import Looked, counted, halves, look, pool_of, too_few
from mere.bundles.exact_rows import distinct_rows
from mere.bundles.problem import Problem

SIZES = (1_000, 4_000)  # rows of each half of a sample
UNIONS = 10
MANY_HITS, SOME_HITS = 100, 50


@dataclass(frozen=True)
class Estimate:
    """An estimate from samples alone: `hits` sampled rows that meet the queries."""

    value: float
    truth: int
    hits: int
    low: float
    high: float

    @property
    def q_error(self) -> float:
        return max(self.value / self.truth, self.truth / self.value) if self.truth and self.value else np.inf

    @property
    def exact(self) -> bool:
        return self.low == self.high

    @property
    def covered(self) -> bool:
        return self.low - 1e-6 <= self.truth <= self.high + 1e-6


@dataclass
class Figures:
    """What was measured of a source and a workload, or of several."""

    single: list[Estimate] = field(default_factory=list)
    union: list[Estimate] = field(default_factory=list)
    chosen: list[Estimate] = field(default_factory=list)  # of the bundles that Mere chose
    ratios: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    milliseconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    bytes_per_cell: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    constant: list[float] = field(default_factory=list)  # q-error of |d| as an estimate

    def add(self, other: Figures) -> None:
        for name in ("single", "union", "chosen", "constant"):
            getattr(self, name).extend(getattr(other, name))
        for name in ("ratios", "milliseconds", "bytes_per_cell"):
            for key, values in getattr(other, name).items():
                getattr(self, name)[key] += values


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--seeds", type=int, default=3)
    arguments.add_argument("--salts", type=int, default=10, help="how often the rows are hashed anew, per seed")
    arguments.add_argument("--runs", type=int, default=5, help="of which the fastest counts")
    arguments.add_argument("--pool", help="only files with this in their name")
    arguments.add_argument("--rows", type=int, help="at most so many rows of each file")
    arguments.add_argument("--workloads", nargs="+", choices=list(WORKLOADS), default=list(WORKLOADS))
    options = arguments.parse_args()
    paper, tight, largest = Figures(), Figures(), (0, Figures())
    for source in sources(options.folder, options.rows, options.pool):
        for name in options.workloads:
            figures, rows = Figures(), 0
            for seed in range(options.seeds):
                workload = make_workload(name, source, seed)
                rows = workload.rows
                measure(workload, seed, options.salts, figures)
                if seed == 0:
                    times(workload, options.runs, figures)
            print_figures(f"{source.name} ({source.rows:,} rows), workload {name}, {rows:,} rows in 21 tables", figures)
            (tight if name in TIGHT else paper).add(figures)
            if name == options.workloads[0]:
                largest = max(largest, (source.rows, figures), key=lambda pair: pair[0])
    print_targets(paper, tight, largest)


def measure(workload: Workload, seed: int, salts: int, figures: Figures) -> None:
    """Everything about one workload."""
    sets = exact_sets(workload.tables, workload.queries)
    chosen = exact_greedy(sets, workload.prices, workload.budget)
    most = sets.distinct(chosen)
    for name, choose in policies(workload, sets).items():
        figures.ratios[name].append(sets.distinct(choose()) / most)
    figures.constant += [
        len(rows) / max(1, len(members))
        for rows, members in zip(workload.candidates, sets.members[1:], strict=True)
        if len(members)
    ]
    for salt in range(salts):
        on_samples(workload, seed * salts + salt, sets, figures)
    check_counts(workload, sets, chosen)
    for method in ("exact", "optimal"):
        answer = assemble(problem_of(workload), method)
        assert round(answer.distinct) == sets.distinct(chosen_of(answer)), f"{method} counts {answer.distinct}"
        figures.ratios[f"Mere, {method}"].append(answer.distinct / most)


def check_counts(workload: Workload, sets: Sets, chosen: list[int]) -> None:
    _, count = duckdb_count(workload, chosen)
    assert count == sets.distinct(chosen), f"DuckDB counts {count}, NumPy {sets.distinct(chosen)}"


def on_samples(workload: Workload, salt: int, sets: Sets, figures: Figures) -> None:
    """Estimates and choices on samples that this number decides."""
    workload = workload.salted(salt)
    most = sets.distinct(exact_greedy(sets, workload.prices, workload.budget))
    samples = samples_of(workload, 2 * max(SIZES))
    for size in SIZES:
        problem = problem_of(workload, 2 * size, samples)
        pool = pool_of(problem)
        looked = look(pool, problem.filters)
        judging = halves(looked)[1]
        if size == SIZES[0]:
            figures.single += [
                estimate(judging, sets, [t]) for t in range(1, len(sets.members)) if len(sets.members[t])
            ]
            figures.union += [estimate(judging, sets, tables) for tables in unions(len(sets.members), salt)]
        greedy = greedy_on_samples(problem, looked)
        figures.ratios[f"samples alone, greedy, k={size}"].append(sets.distinct(greedy) / most)
        greedy = greedy_on_samples(problem, with_few_counted(problem, looked))
        figures.ratios[f"greedy, few hits counted, k={size}"].append(sets.distinct(greedy) / most)
        answer = answer_from_pool(problem, pool)
        truth = sets.distinct(chosen_of(answer))
        figures.ratios[f"Mere, sketch, k={size}"].append(truth / most)
        if not answer.exact:
            figures.chosen.append(Estimate(answer.distinct, truth, MANY_HITS, *answer.interval))


def with_few_counted(problem: Problem, looked: list[Looked]) -> list[Looked]:
    """With the rows of those tables counted whose samples say too little, as Mere does."""
    relations = [lambda: problem.base, *(offer.relation for offer in problem.offers)]
    looked = list(looked)
    for table in too_few(looked):
        hashes = np.unique(distinct_rows(relations[table](), problem.filters)[0])
        looked[table] = counted(hashes, looked[table].distinct)
    return looked


def greedy_on_samples(problem: Problem, looked: list[Looked]) -> list[int]:
    """The candidates that the greedy takes."""
    money = Money(np.array([0.0, *(offer.price for offer in problem.offers)]), problem.budget)
    return [table - 1 for table in greedy_with_guard(halves(looked)[0].coverage, money).tables]


def unions(tables: int, seed: int) -> Iterator[list[int]]:
    """Some sets of tables with the base."""
    chance = np.random.default_rng(seed)
    for _ in range(UNIONS):
        others = chance.choice(np.arange(1, tables), int(chance.integers(2, tables)), replace=False)
        yield [0, *others.tolist()]


def estimate(half: Half, sets: Sets, tables: list[int]) -> Estimate:
    held = half.coverage.held_by(tables)
    marked = np.zeros(sets.size, bool)
    for table in tables:
        marked[sets.members[table]] = True
    hits = int(np.count_nonzero(held < len(half.sizes)))
    return Estimate(half.coverage.value(held), int(marked.sum()), hits, *half.interval(tables))


def times(workload: Workload, runs: int, figures: Figures) -> None:
    """Time and memory of one workload."""
    ids = [row_ids(table) for table in workload.tables]
    cells = workload.rows * len(workload.source.columns)
    prepared: Problem = problem_of(workload, samples=samples_of(workload, 2 * SIZES[0]))
    unprepared = problem_of(workload)
    pool = pool_of(prepared).prepared()

    def numpy_exact(known: list[np.ndarray] | None) -> list[int]:
        return exact_greedy(exact_sets(workload.tables, workload.queries, known), workload.prices, workload.budget)

    methods: dict[str, Callable[[], object]] = {
        "NumPy exact": lambda: numpy_exact(None),
        "NumPy exact, ids known": lambda: numpy_exact(ids),
        "Mere, exact": lambda: assemble(unprepared, "exact"),
        "Mere, optimal": lambda: assemble(unprepared, "optimal"),
        "Mere, sketch, whole": lambda: assemble(unprepared, "sketch"),
        "Mere, sketch, stored": lambda: assemble(prepared, "sketch"),
        "Mere, sketch, online": lambda: answer_from_pool(prepared, pool),
        "samples alone, greedy, online": lambda: greedy_on_samples(prepared, look(pool, prepared.filters)),
    }
    for name, work in methods.items():
        work()
        figures.milliseconds[name].append(min(timed(work)[0] for _ in range(runs)) * 1000)
        figures.bytes_per_cell[name].append(peak_bytes(work) / cells)
    answer = answer_from_pool(prepared, pool)
    for stage, seconds in answer.seconds.items():
        figures.milliseconds[f"of this, {stage}, {len(answer.counted)} tables counted"].append(seconds * 1000)
    figures.milliseconds["DuckDB, one union"].append(duckdb_count(workload, numpy_exact(None), runs + 1)[0] * 1000)


def peak_bytes(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def q_errors(estimates: Iterable[Estimate], least_hits: int = 1) -> str:
    errors = [each.q_error for each in estimates if each.hits >= least_hits and each.truth]
    return f"median {np.median(errors):.3f}, max {max(errors):.3f} of {len(errors):,}" if errors else "none"


def coverage(estimates: Iterable[Estimate], least_hits: int = 1) -> str:
    covered = [each.covered for each in estimates if each.hits >= least_hits and not each.exact]
    return f"{np.mean(covered):.1%} of {len(covered):,}" if covered else "none"


def print_figures(title: str, figures: Figures) -> None:
    rows = [
        ("q-error, one table", q_errors(figures.single), ""),
        (f"q-error, one table, >= {MANY_HITS} hits", q_errors(figures.single, MANY_HITS), ""),
        ("q-error, union", q_errors(figures.union), ""),
        (f"q-error, union, >= {MANY_HITS} hits", q_errors(figures.union, MANY_HITS), ""),
        ("q-error of |d|, one table", f"median {np.median(figures.constant):.3f}, max {max(figures.constant):.3f}", ""),
        ("interval holds the truth", coverage([*figures.single, *figures.union]), ""),
        ("interval of the chosen bundle holds the truth", coverage(figures.chosen), ""),
    ]
    for name, ratios in figures.ratios.items():
        rows.append((f"ratio, {name}", f"mean {np.mean(ratios):.4f}, min {min(ratios):.4f}", ""))
    fastest = figures.milliseconds["Mere, sketch, online"][0]
    for name, [time] in figures.milliseconds.items():
        memory = (
            f", {figures.bytes_per_cell[name][0]:.1f} MB per million cells" if name in figures.bytes_per_cell else ""
        )
        rows.append((f"time, {name}", f"{time:,.1f} ms, {time / fastest:.1f}x{memory}", ""))
    report(title, rows)


def print_targets(paper: Figures, tight: Figures, largest: tuple[int, Figures]) -> None:
    """The project's targets, over all sources."""
    everything = Figures()
    everything.add(paper)
    everything.add(tight)
    tight_errors = q_errors([*tight.single, *tight.union], MANY_HITS)
    rows = [
        ("q-error, paper workload, k=1000", q_errors([*paper.single, *paper.union]), "median <= 1.03, max <= 1.15"),
        ("q-error, paper workload, unions only", q_errors(paper.union), ""),
        ("q-error, tight, >= 100 hits", tight_errors, "median <= 1.10, max <= 1.5"),
        (
            "95 % interval, but for paper workload, one table",
            coverage([*paper.union, *tight.single, *tight.union]),
            ">= 94 %",
        ),
        ("95 % interval, paper workload, unions", coverage(paper.union), ""),
        ("95 % interval, chosen bundles", coverage(everything.chosen), ">= 94 %"),
        ("95 % interval, tight, one table", coverage(tight.single), ""),
        ("95 % interval, tight, unions", coverage(tight.union), ""),
        (f"95 % interval, tight, >= {SOME_HITS} hits", coverage([*tight.single, *tight.union], SOME_HITS), ""),
        *ratio_rows(everything),
        *speed_rows(*largest),
    ]
    report("All sources and workloads", rows)


def ratio_rows(figures: Figures) -> Iterator[tuple[str, str, str]]:
    targets = {
        "samples alone, greedy": "",
        "greedy, few hits counted": "mean >= 0.995, min >= 0.97",
        "Mere, sketch": "mean >= 1.00",
    }
    for name, target in targets.items():
        for size in SIZES:
            ratios = figures.ratios[f"{name}, k={size}"]
            figure = f"mean {np.mean(ratios):.4f}, min {min(ratios):.4f} of {len(ratios):,}"
            yield f"{name} / Exact-Greedy, k={size}", figure, target if size == SIZES[1] else ""


def speed_rows(source_rows: int, figures: Figures) -> Iterator[tuple[str, str, str]]:
    """On the first workload, the paper's, of the largest source."""
    print(f"\nspeed: source of {source_rows:,} rows")
    for slow in ("NumPy exact, ids known", "NumPy exact"):
        for fast in ("samples alone, greedy, online", "Mere, sketch, online"):
            [ratio] = np.array(figures.milliseconds[slow]) / figures.milliseconds[fast]
            yield f"time, {slow} / {fast}", f"{ratio:,.0f}x", ">= 500x at 1.2 M rows"


if __name__ == "__main__":
    main()
