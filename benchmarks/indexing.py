"""How fast is a raw lake indexed, and how much memory does it take?

    python benchmarks/indexing.py FOLDER [--cores 2]

The baseline, in the same run: DuckDB and pyarrow read the same delimited files without making an index; errors are
ignored, and files that they refuse are skipped and counted.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.csv
from pyspark import SparkContext

import mere
from measuring import PeakMemory, report, timed
from mere.pipeline.session import start
from mere.segments.snapshot import read_snapshot

DELIMITED = (".csv", ".tsv", ".csv.gz", ".tsv.gz")


def delimited_files(folder: Path) -> list[str]:
    return sorted(str(p) for p in folder.rglob("*") if p.is_file() and p.name.lower().endswith(DELIMITED))


def read_with_duckdb(paths: list[str], threads: int) -> int:
    connection, refused = duckdb.connect(), 0
    connection.execute(f"SET threads = {threads}")
    for path in paths:
        try:
            connection.sql(
                "SELECT * FROM read_csv(?, all_varchar = true, ignore_errors = true, strict_mode = false)",
                params=[path],
            ).to_arrow_table()
        except duckdb.Error:
            refused += 1
    return refused


def read_with_pyarrow(paths: list[str], threads: int) -> int:
    pa.set_cpu_count(threads)
    refused = 0
    for path in paths:
        try:
            pyarrow.csv.read_csv(path, parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True))
        except (pa.ArrowException, UnicodeDecodeError):
            refused += 1
    return refused


def warm_up(work: Path, spark: SparkContext, cores: int) -> None:
    """Index a few small files, so that every Python worker has started."""
    (work / "warm").mkdir()
    for number in range(4 * cores):
        (work / "warm" / f"{number}.csv").write_text("a,b\n" + "1,x\n" * 300_000)
    mere.index(work / "warm", work / "warm-lake", spark=spark)


def index_in_a_fresh_process(lake: Path) -> dict:
    """What a user waits for: starting Python and the JVM, and the run."""
    program = Path(sys.executable).with_name("mere")
    done = subprocess.run([program, "index", "--lake", lake, "--json"], capture_output=True, text=True)
    return json.loads(done.stdout)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--cores", type=int, default=2)
    options = arguments.parse_args()
    work = Path(tempfile.mkdtemp(prefix="mere-bench-"))
    raw, lake = work / "raw", work / "lake"
    shutil.copytree(options.folder, raw)
    sizes = [p.stat().st_size for p in raw.rglob("*") if p.is_file()]
    megabytes = sum(sizes) / 1e6
    paths = delimited_files(raw)
    text_megabytes = sum(os.path.getsize(p) for p in paths) / 1e6

    with PeakMemory() as memory:
        starting, spark = timed(lambda: start(f"local[{options.cores},4]"))
        warm_up(work, spark, options.cores)
        indexing, first = timed(lambda: mere.index(raw, lake, spark=spark))
    spark.stop()
    again, second = timed(lambda: mere.index(raw, lake))
    changed = max(paths, key=os.path.getsize)
    with open(changed, "ab") as file:
        file.write(b"\n")
    update, third = timed(lambda: index_in_a_fresh_process(lake))
    duck, duck_refused = timed(lambda: read_with_duckdb(paths, options.cores))
    arrow, arrow_refused = timed(lambda: read_with_pyarrow(paths, options.cores))

    opened = mere.open(lake)
    info, cells = opened.info(), sum(entry.cells for entry in read_snapshot(str(lake), opened.snapshot).segments) / 1e6
    stages = first.to_dict()["stages"]
    core_rate = megabytes / indexing / options.cores
    rows = [
        ("files", f"{len(sizes):,}", ""),
        ("raw", f"{megabytes:.1f} MB", ""),
        ("tables / columns / rows", f"{info['tables']:,} / {info['columns']:,} / {info['rows']:,}", ""),
        ("in quarantine", f"{len(first.quarantined)}", ""),
        ("Spark start", f"{starting:.1f} s", ""),
        ("index, end to end", f"{indexing:.1f} s", ""),
        *[(f"  {name}", f"{seconds:.2f} s", "") for name, seconds in stages.items()],
        ("raw MB per second and core", f"{core_rate:.2f}", ">= 5"),
        ("peak memory, JVM included", f"{memory.peak / 1e9:.2f} GB", "< 4 GB"),
        ("cells", f"{cells:.1f} million", ""),
        ("time per million cells", f"{indexing / cells:.2f} s", ""),
        ("index per million cells", f"{info['index_bytes'] / cells / 1e6:.2f} MB", ""),
        ("index bytes per raw byte", f"{info['index_bytes'] / (megabytes * 1e6):.2f}", ""),
        *[(f"  {name}", f"{size / 1e6:.1f} MB", "") for name, size in sorted(info["files"].items())],
        (
            "second run, nothing changed",
            f"{again:.2f} s, {second.added + second.changed} files read",
            "< 10 s, 0",
        ),
        ("one file changed, from a cold shell", f"{update:.2f} s, {third['changed']} file read", "< 15 s, 1"),
        (
            f"baseline: DuckDB reads the {text_megabytes:.0f} MB of CSV",
            f"{duck:.1f} s, {duck_refused} refused",
            "",
        ),
        ("baseline: pyarrow reads the same", f"{arrow:.1f} s, {arrow_refused} refused", ""),
        ("ratio: index time / DuckDB's reading", f"{indexing / duck:.2f}", ""),
        ("ratio: index time / pyarrow's reading", f"{indexing / arrow:.2f}", ""),
    ]
    report(f"Indexing {options.folder} on local[{options.cores}]", rows)
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
