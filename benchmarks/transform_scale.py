"""How long does it take to match two tables of a million rows, and how much memory?

    python benchmarks/transform_scale.py [--rows N]... [--limit SECONDS]

As in section 4.7.4 of Zhu's thesis (Auto-Join): publications with authors, title and year, and a table of the three
in one column, shuffled.  The thesis takes them from DBLP; here they are made, with a seed.  Every size runs in a
process of its own, after one warm-up of 100 rows.  Memory is the largest resident size less what was resident before
matching, by million cells of both tables.  CPU seconds are given too, since other work on the machine adds to the time.

Baselines, in the same run while they are expected to end within the limit (their cost grows with the square):

    rapidfuzz    top-1 by `ratio` of the three cells joined by spaces, by comparing all rows with all rows
    strpos       DuckDB joins rows where the text contains authors, title and year: what one can write without
                 knowing how the text was made
    DuckDB       a hash join by the right program, written by hand: the lower bound
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import duckdb
import numpy as np
import psutil
import pyarrow as pa
from rapidfuzz import fuzz, process

from measuring import report, timed
from mere.transform.match import match
from transform_synthetic import CITESEER, Pair, f_of, made

SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
TARGETS = {10_000: "interactive", 1_000_000: "< 180 s"}  # wall seconds of Mere
QUADRATIC = ("rapidfuzz", "strpos")
ALWAYS = 1_000  # rows up to which every baseline is run: start-up would make predictions from small sizes too high
LARGE = 100_000  # rows from which memory is given per million cells: below, most of it does not depend on the rows
CELLS_PER_ROW = 4  # three on the left, one on the right
PART = 500  # rows that are compared with all others at a time
BY_PROGRAM = "lower(concat_ws('. ', s.authors, s.title, s.year)) = lower(t.merged)"
BY_CONTENT = "strpos(t.merged, s.title) > 0 AND strpos(t.merged, s.authors) > 0 AND strpos(t.merged, s.year) > 0"
Found = set[tuple[int, int]]  # pairs (row, merged text)


class Measured(NamedTuple):
    seconds: float
    f: float


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, action="append", help="a size; may be given several times")
    arguments.add_argument("--limit", type=float, default=120.0, help="seconds that a baseline may take")
    arguments.add_argument("--one", type=int, help=argparse.SUPPRESS)  # a size, measured in this process
    options = arguments.parse_args()
    if options.one:
        print(json.dumps(of_mere(options.one)))
        return
    baselines: dict[int, dict[str, Measured]] = {}
    for count in sorted(options.rows or SIZES):
        ours = in_own_process(count)
        baselines[count] = of_baselines(count, baselines, options.limit)
        report(f"{count:,} x {count:,} rows", [*lines_of(ours, count), *compared(ours, baselines[count])])


def in_own_process(count: int) -> dict[str, Any]:
    command = [sys.executable, __file__, "--one", str(count)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def of_mere(count: int) -> dict[str, Any]:
    warm_up = made(CITESEER, 100, seed=1)
    match(warm_up.separate, warm_up.merged)
    pair = made(CITESEER, count, seed=7)
    before = psutil.Process().memory_info().rss
    cpu_before = time.process_time()
    seconds, outcome = timed(lambda: match(pair.separate, pair.merged))
    cpu = time.process_time() - cpu_before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # Linux gives KiB
    found = set(zip(outcome.left_rows.tolist(), outcome.right_rows.tolist(), strict=True))
    return {
        "seconds": seconds,
        "cpu": cpu,
        "f": f_of(found, pair.places),
        "stages": dict(outcome.seconds),
        "bytes": peak - before,
        "rules": [f"{rule.program} = {rule.key}" for rule in outcome.rules],
        "notes": [*outcome.notes, *([f"refused: {outcome.refused}"] if outcome.refused else [])],
    }


def of_baselines(count: int, earlier: dict[int, dict[str, Measured]], limit: float) -> dict[str, Measured]:
    pair = made(CITESEER, count, seed=7)
    methods: dict[str, Callable[[Pair], Found]] = {
        "rapidfuzz": nearest,
        "strpos": lambda pair: joined(pair, BY_CONTENT),
        "DuckDB": lambda pair: joined(pair, BY_PROGRAM),
    }
    results = {}
    for name, method in methods.items():
        if name in QUADRATIC and count > ALWAYS and expected(name, count, earlier) > limit:
            continue
        seconds, found = timed(lambda method=method: method(pair))
        results[name] = Measured(seconds, f_of(found, pair.places))
    return results


def expected(name: str, count: int, earlier: dict[int, dict[str, Measured]]) -> float:
    """The seconds of a quadratic method, from the largest size at which it was run."""
    size = max((size for size, results in earlier.items() if name in results), default=None)
    return earlier[size][name].seconds * (count / size) ** 2 if size else float("inf")


def nearest(pair: Pair) -> Found:
    texts = [" ".join(cells) for cells in zip(*pair.separate.values(), strict=True)]
    found = set()
    for start in range(0, len(texts), PART):
        scores = process.cdist(texts[start : start + PART], pair.merged["merged"], scorer=fuzz.ratio, dtype=np.float32)
        found |= {(start + row, int(text)) for row, text in enumerate(scores.argmax(axis=1))}
    return found


def joined(pair: Pair, condition: str) -> Found:
    with duckdb.connect() as connection:
        for name, table in (("s", pair.separate), ("t", pair.merged)):
            rows = pa.array(range(len(pair.places)), pa.int64())
            connection.register(name, pa.table({**table, "place": rows}))
        found = connection.sql(f"SELECT s.place AS row, t.place AS text FROM s JOIN t ON {condition}").fetchnumpy()
    return set(zip(found["row"].tolist(), found["text"].tolist(), strict=True))


def lines_of(ours: dict[str, Any], count: int) -> list[tuple[str, str, str]]:
    memory = f"{ours['bytes'] / 1e6:.0f} MB"
    if count >= LARGE:
        memory += f", {ours['bytes'] / (CELLS_PER_ROW * count):.0f} MB per million cells"
    return [
        ("Mere", f"{ours['seconds']:.2f} s ({ours['cpu']:.2f} of CPU), F {ours['f']:.4f}", TARGETS.get(count, "")),
        *[(f"  {name}", f"{seconds:.2f} s", "") for name, seconds in ours["stages"].items()],
        ("  memory", memory, ""),
        *[("  program", rule, "") for rule in ours["rules"]],
        *[("  note", note, "") for note in ours["notes"]],
    ]


def compared(ours: dict[str, Any], baselines: dict[str, Measured]) -> list[tuple[str, str, str]]:
    return [
        *[(f"baseline: {name}", f"{found.seconds:.2f} s, F {found.f:.4f}", "") for name, found in baselines.items()],
        *[
            (f"ratio: time of Mere / {name}", f"{ours['seconds'] / found.seconds:.3g}", "")
            for name, found in baselines.items()
        ],
    ]


if __name__ == "__main__":
    main()
