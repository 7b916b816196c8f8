"""How do ratio and time change with the number of tables, of queries, the budget, the overlap, the sampling rate?

    python benchmarks/assemble_sweeps.py FOLDER --out DIR [--pool tpch] [--rows 100000] [--seeds 3] [--methods ...]

Figures 5 to 14 of the paper: one parameter of its Table 3 is changed at a time, on its workload and on a tighter one.
The ratio is the exact number of distinct rows of what a method chose to that of what Exact-Greedy chose.  The time of
`sketch` is that of the question, with samples made beforehand as in an indexed lake; that of `Exact-Greedy` is the one
in NumPy, from typed arrays in memory; of two runs the faster.  The overlap shapes only the paper's queries.  `ml` is
left out on tables that were among those of its training.

Writes sweeps.csv, and ratio and time of each workload as PNG.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import matplotlib
import numpy as np

from assemble_answers import chosen_of, problem_of, samples_of
from assemble_baselines import Sets, exact_greedy, exact_sets, policies
from assemble_learned import NOT_TRAINED_ON
from assemble_workloads import DEFAULT, WORKLOADS, Setting, Source, Workload, make_workload, sources
from measuring import report, timed
from mere.bundles.answer import assemble
from mere.bundles.sample import DEFAULT_SIZE
from mere.errors import MereError

matplotlib.use("Agg")
from matplotlib import pyplot

SWEEPS: dict[str, tuple[str, tuple[float, ...]]] = {  # Table 3: title, values
    "tables": ("number of tables", (10, 20, 40, 80, 160)),
    "queries": ("number of queries", (10, 20, 40, 80, 160)),
    "budget": ("budget, share of all prices", (0.1, 0.3, 0.5, 0.7, 0.9)),
    "overlap": ("overlap of queries", (0.01, 0.03, 0.05, 0.07, 0.09)),
    "largest_rate": ("largest sampling rate", (0.1, 0.2, 0.3, 0.4, 0.5)),
}
EXACT = "Exact-Greedy"


@dataclass(frozen=True)
class Line:
    """One run of a method."""

    workload: str
    parameter: str
    value: float
    seed: int
    rows: int
    method: str
    ratio: float
    milliseconds: float


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--out", type=Path, required=True)
    arguments.add_argument("--pool", default="tpch", help="a part of the name of the Parquet file")
    arguments.add_argument("--rows", type=int, default=100_000, help="rows of it that are used")
    arguments.add_argument("--seeds", type=int, default=3)
    arguments.add_argument("--workloads", nargs="+", choices=list(WORKLOADS), default=["paper", "selective"])
    arguments.add_argument("--methods", nargs="+", default=["sketch", "exact", "ml"], help="of Mere")
    options = arguments.parse_args()
    [source, *_] = sources(options.folder, options.rows, options.pool)
    options.out.mkdir(parents=True, exist_ok=True)
    usable = list(usable_methods(source, options.methods))
    lines = [
        line
        for name in options.workloads
        for seed in range(options.seeds)
        for line in sweep(source, name, seed, usable)
    ]
    write(lines, options.out / "sweeps.csv")
    for name in options.workloads:
        own = [line for line in lines if line.workload == name]
        title = f"{source.name}, {source.rows:,} rows, workload {name}, seeds: {options.seeds}"
        plot(own, "ratio", title, options.out / f"{name}_ratio.png")
        plot(own, "milliseconds", title, options.out / f"{name}_time.png")
        summarise(own, title)


def usable_methods(source: Source, methods: list[str]) -> Iterator[str]:
    """The methods that this installation has; also a warm-up of each."""
    workload = make_workload("paper", source, 0, Setting(tables=4, queries=2))
    for method in methods:
        if method == "ml" and source.name not in NOT_TRAINED_ON:
            print(f"method ml is left out: {source.name} was among the tables of its training (training/README.md)")
            continue
        try:
            assemble(problem_of(workload), method)
            yield method
        except (MereError, ImportError) as fault:
            print(f"method {method} is left out: {fault}")


def sweep(source: Source, name: str, seed: int, methods: list[str]) -> Iterator[Line]:
    """Every parameter at every value, the others at their default."""
    at_default: list[tuple[str, float, float]] | None = None
    for parameter, (_, values) in SWEEPS.items():
        for value in values:
            setting = replace(DEFAULT, **{parameter: type(getattr(DEFAULT, parameter) or 0.0)(value)})
            workload = make_workload(name, source, seed, setting)
            is_default = setting == DEFAULT
            runs = at_default if is_default and at_default else list(run(workload, methods))
            at_default = runs if is_default else at_default
            for method, ratio, milliseconds in runs:
                yield Line(name, parameter, value, seed, workload.rows, method, ratio, milliseconds)


def run(workload: Workload, methods: list[str]) -> Iterator[tuple[str, float, float]]:
    """Method, ratio and milliseconds of every method."""
    first, (sets, chosen) = timed(lambda: _exactly(workload))
    most = sets.distinct(chosen)
    yield EXACT, 1.0, min(first, timed(lambda: _exactly(workload))[0]) * 1000
    for name, choose in {**policies(workload), **_mere(workload, methods)}.items():
        first, chosen = timed(choose)
        yield name, sets.distinct(chosen) / most, min(first, timed(choose)[0]) * 1000


def _exactly(workload: Workload) -> tuple[Sets, list[int]]:
    sets = exact_sets(workload.tables, workload.queries)
    return sets, exact_greedy(sets, workload.prices, workload.budget)


def _mere(workload: Workload, methods: list[str]) -> dict[str, Callable[[], list[int]]]:
    problem = problem_of(workload, samples=samples_of(workload, DEFAULT_SIZE))
    return {f"Mere, {method}": lambda method=method: chosen_of(assemble(problem, method)) for method in methods}


def write(lines: list[Line], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(Line.__dataclass_fields__))
        writer.writeheader()
        writer.writerows(asdict(line) for line in lines)
    print(f"{len(lines):,} runs in {path}")


def means(lines: list[Line], measure: str, **wanted: object) -> float:
    kept = [getattr(line, measure) for line in lines if all(getattr(line, key) == wanted[key] for key in wanted)]
    return float(np.mean(kept))


def plot(lines: list[Line], measure: str, title: str, path: Path) -> None:
    figure, panels = pyplot.subplots(1, len(SWEEPS), figsize=(4 * len(SWEEPS), 4), sharey=True)
    for panel, (parameter, (label, values)) in zip(panels, SWEEPS.items(), strict=True):
        for method in dict.fromkeys(line.method for line in lines):
            heights = [means(lines, measure, parameter=parameter, value=value, method=method) for value in values]
            panel.plot(range(len(values)), heights, marker="o", label=method)
        panel.set_xticks(range(len(values)), [f"{value:g}" for value in values])
        panel.set_xlabel(label)
        panel.set_yscale("log" if measure == "milliseconds" else "linear")
    panels[0].set_ylabel("distinct rows / Exact-Greedy's" if measure == "ratio" else "milliseconds")
    figure.suptitle(title)
    panels[-1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    figure.savefig(path, dpi=100, bbox_inches="tight")
    pyplot.close(figure)


def summarise(lines: list[Line], title: str) -> None:
    """Per parameter and method, ratio and milliseconds at each value."""
    for parameter, (label, values) in SWEEPS.items():
        rows = []
        for method in dict.fromkeys(line.method for line in lines):
            pairs = [
                (
                    means(lines, "ratio", parameter=parameter, value=value, method=method),
                    means(lines, "milliseconds", parameter=parameter, value=value, method=method),
                )
                for value in values
            ]
            rows.append((method, "  ".join(f"{ratio:.3f} {time:7.1f} ms" for ratio, time in pairs), ""))
        report(f"{title}: {label} {', '.join(f'{value:g}' for value in values)}", rows)
    if "Mere, sketch" not in {line.method for line in lines}:
        return
    slow, fast = (means(lines, "milliseconds", method=method) for method in (EXACT, "Mere, sketch"))
    print(f"\nmean time of Exact-Greedy / Mere, sketch: {slow / fast:.1f}")


if __name__ == "__main__":
    main()
