"""How fast is a join with many rows written, and how much memory does it take?  Against DuckDB.

    python benchmarks/joining.py [--rows 20_000_000] [--memory 128]

Two tables are generated: orders (a customer, a city, an amount, a day, a remark) and visits (a city, a customer, a
number, a text), of which every city has as many visits that the inner join has about so many rows.  Each program reads
the same CSV files and writes the join to Parquet and to CSV, in a process of its own, with the same memory setting;
its time includes reading.  Mere has the right table in a lake, as users have; making the lake is not counted, and
neither is starting the process.  Rows per second and the peak of resident memory are printed, and ratios last.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np

import mere
from measuring import report
from mere.pipeline.engine import Inline

LEFT, CITIES = 200_000, 2_000
FORMATS = ("parquet", "csv")


def write_tables(folder: Path, rows: int) -> None:
    """The two tables as CSV files; the join of `city` and `place` has about so many rows."""
    made = np.random.default_rng(7)
    right = max(CITIES, rows // (LEFT // CITIES))
    orders = {
        "customer": made.integers(1, 10**9, LEFT),
        "city": _texts("city ", made.integers(0, CITIES, LEFT)),
        "amount": np.round(made.gamma(2, 50, LEFT), 2),
        "day": np.datetime64("2020-01-01") + made.integers(0, 900, LEFT),
        "remark": _texts("remark no. ", made.integers(0, LEFT, LEFT)),
    }
    visits = {
        "place": _texts("city ", made.integers(0, CITIES, right)),
        "visitor": made.integers(1, 10**9, right),
        "minutes": np.round(made.normal(60, 20, right), 3),
        "note": _texts("note ", made.integers(0, 500, right)),
    }
    (folder / "raw").mkdir()
    for path, columns in ((folder / "orders.csv", orders), (folder / "raw" / "visits.csv", visits)):
        with open(path, "w", encoding="utf-8") as file:
            file.write(",".join(columns) + "\n")
            cells = [column.tolist() for column in columns.values()]
            file.writelines(",".join(map(str, row)) + "\n" for row in zip(*cells, strict=True))


def _texts(prefix: str, numbers: np.ndarray) -> np.ndarray:
    return np.char.add(prefix, numbers.astype(str))


def joined_by_mere(folder: Path, out: Path, memory: int) -> int:
    with mere.open(folder / "lake") as lake:
        hit = ("visits.csv", "place")
        return lake.join_to(folder / "orders.csv", hit, out, "inner", on="city", memory=memory).rows


def joined_by_duckdb(folder: Path, out: Path, memory: int) -> int:
    with duckdb.connect() as session:
        session.execute(f"SET memory_limit = '{memory}MiB'; SET temp_directory = '{folder / 'spill'}'")
        options = "FORMAT parquet" if out.suffix == ".parquet" else "FORMAT csv, HEADER"
        sql = f"COPY (SELECT * FROM '{folder}/orders.csv' o JOIN '{folder}/raw/visits.csv' v ON o.city = v.place)"
        [count] = session.execute(f"{sql} TO '{out}' ({options})").fetchone() or [0]
        return int(count)


PROGRAMS = {"mere": joined_by_mere, "duckdb": joined_by_duckdb}


def child(program: str, folder: str, out: str, memory: int) -> None:
    """Write one join, and print what it took as JSON."""
    started, cpu = time.perf_counter(), time.process_time()
    rows = PROGRAMS[program](Path(folder), Path(out), memory)
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    print(json.dumps({"rows": rows, "seconds": seconds, "cpu": cpu, "peak": peak(), "size": os.path.getsize(out)}))


def peak() -> float:
    """The peak of this process's resident memory in MiB; `getrusage` would also count that of its parent."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def measured(program: str, folder: Path, format: str, memory: int, times: int) -> dict[str, float]:
    """The fastest of some runs, each in a process of its own."""
    runs = []
    for _ in range(times):
        out = folder / f"out.{format}"
        command = [sys.executable, __file__, "--child", program, str(folder), str(out), "--memory", str(memory)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        runs.append(json.loads(done.stdout))
        out.unlink()
    return min(runs, key=lambda run: run["seconds"])


def compare(rows: int, memory: int, times: int) -> None:
    with tempfile.TemporaryDirectory(prefix="mere-bench-") as work:
        folder = Path(work)
        write_tables(folder, rows)
        mere.index(folder / "raw", folder / "lake", engine=Inline())
        lines, ratios = [], []
        for format in FORMATS:
            runs = {name: measured(name, folder, format, memory, times) for name in PROGRAMS}
            assert runs["mere"]["rows"] == runs["duckdb"]["rows"], runs
            for name, run in runs.items():
                speed = f"{run['rows'] / run['seconds'] / 1e6:.2f} M rows/s, {run['seconds']:.1f} s"
                details = f"{speed}, CPU {run['cpu']:.1f} s, peak {run['peak']:,.0f} MiB, {run['size'] / 1e6:,.0f} MB"
                lines.append((f"{name}, {format}", details, ""))
            mine, other = runs["mere"], runs["duckdb"]
            ratios.append(
                (f"{format}: rows per second, Mere / DuckDB", f"{other['seconds'] / mine['seconds']:.2f}", "")
            )
            ratios.append((f"{format}: peak memory, Mere / DuckDB", f"{mine['peak'] / other['peak']:.2f}", ""))
        title = f"a join of {int(mine['rows']):,} rows and 9 columns, memory setting {memory} MiB"
        report(title, [*lines, *ratios])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000_000, help="rows of the join, about")
    parser.add_argument("--memory", type=int, default=128, help="MiB: DuckDB's memory_limit, and `memory` of join_to")
    parser.add_argument("--times", type=int, default=1, help="runs, of which the fastest counts")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(*given.child, given.memory)
    else:
        compare(given.rows, given.memory, given.times)


if __name__ == "__main__":
    main()
