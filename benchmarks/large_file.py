"""Does one large CSV use all cores, and how much memory does it take?

    python benchmarks/large_file.py [--gigabytes 1] [--cores 2]

The file is made here, with a seed: ids, skewed keys, names with quoted commas and newlines, decimals, dates.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

import duckdb
import numpy as np
import psutil

import mere
from measuring import PeakMemory, report, timed
from mere.pipeline.session import start


def make_csv(path: Path, size: int) -> int:
    """Write about `size` bytes; return the number of rows."""
    random, rows = np.random.default_rng(7), 0
    with open(path, "w", newline="") as file:
        file.write("id,customer,city,note,amount,day\n")
        while file.tell() < size:
            customers = random.zipf(1.3, 20_000) % 2_000_000
            amounts, days = random.normal(100, 30, 20_000), random.integers(1, 28, 20_000)
            lines = [
                f'{rows + i},c{customers[i]},"City {customers[i] % 997}, north","line one\nof {customers[i] % 50}",'
                f"{amounts[i]:.3f},2024-{days[i] % 12 + 1:02d}-{days[i]:02d}\n"
                for i in range(20_000)
            ]
            file.writelines(lines)
            rows += len(lines)
    return rows


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--gigabytes", type=float, default=1.0)
    arguments.add_argument("--cores", type=int, default=2)
    options = arguments.parse_args()
    work = Path(tempfile.mkdtemp(prefix="mere-bench-"))
    (work / "raw").mkdir()
    path = work / "raw" / "large.csv"
    rows = make_csv(path, int(options.gigabytes * 1e9))
    megabytes = path.stat().st_size / 1e6
    with PeakMemory() as memory:
        spark = start(f"local[{options.cores},4]")
        spark.parallelize(range(options.cores), options.cores).map(lambda x: x).collect()
        before = cpu_seconds()
        indexing, result = timed(lambda: mere.index(work / "raw", work / "lake", spark=spark))
        used = (cpu_seconds() - before) / indexing
    spark.stop()
    duck, counted = timed(
        lambda: duckdb.sql(
            f"SELECT count(*), count(DISTINCT customer) FROM read_csv('{path}', all_varchar = true)"
        ).fetchall()[0]
    )
    info = mere.open(work / "lake").info()
    assert info["rows"] == rows == counted[0], (info["rows"], rows, counted)
    report(
        f"One file of {megabytes:.0f} MB on local[{options.cores}]",
        [
            ("rows", f"{rows:,}, all indexed", ""),
            ("index, end to end", f"{indexing:.1f} s", ""),
            *[(f"  {name}", f"{seconds:.1f} s", "") for name, seconds in result.to_dict()["stages"].items()],
            ("raw MB per second and core", f"{megabytes / indexing / options.cores:.2f}", ""),
            ("cores busy on average", f"{used:.2f}", f"about {options.cores}"),
            ("peak memory, JVM included", f"{memory.peak / 1e9:.2f} GB", "< 4 GB"),
            ("index bytes per raw byte", f"{info['index_bytes'] / (megabytes * 1e6):.2f}", ""),
            ("baseline: DuckDB reads it and counts distinct customers", f"{duck:.1f} s", ""),
            ("ratio: index time / baseline", f"{indexing / duck:.2f}", ""),
        ],
    )
    shutil.rmtree(work)


def cpu_seconds() -> float:
    """CPU seconds of this process and all its children so far, those that ended included."""
    this, total = psutil.Process(), 0.0
    for process in [this, *this.children(recursive=True)]:
        times = process.cpu_times()
        total += times.user + times.system
        if process is this:
            total += times.children_user + times.children_system
    return total


if __name__ == "__main__":
    main()
