"""How much of an index, and of the time to make it, are the sketches of rows?

    python benchmarks/row_sketches.py FOLDER

Indexes the folder in one process.  The baseline, in the same run, is everything else that is done and written: the
whole run, the build of the segments, the bytes of the other files.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measuring import report
from mere.pipeline import Settings, index, tasks
from mere.pipeline.engine import Inline
from mere.segments import SKETCHES
from mere.segments.snapshot import read_snapshot


@dataclass
class Watch:
    """Calls a function, and adds up how long it takes."""

    function: Callable[..., Any]
    seconds: float = 0.0

    def __call__(self, *arguments: Any) -> Any:
        started = time.perf_counter()
        try:
            return self.function(*arguments)
        finally:
            self.seconds += time.perf_counter() - started


def measure(folder: Path, size: int) -> None:
    work = Path(tempfile.mkdtemp(prefix="mere-bench-"))
    sketching, original = Watch(tasks.write_sketches), tasks.write_sketches
    tasks.write_sketches = sketching  # type: ignore[assignment]
    try:
        done = index([folder], work / "lake", engine=Inline(), settings=Settings(sketch_size=size))
        segments = read_snapshot(str(work / "lake"), done.snapshot).segments
    finally:
        tasks.write_sketches = original
        shutil.rmtree(work)
    sizes = [sum(file.bytes for file in segment.files.values()) for segment in segments]
    sketches = sum(segment.files[SKETCHES].bytes for segment in segments)
    cells = sum(segment.cells for segment in segments) / 1e6
    without, seconds = sum(sizes) - sketches, sketching.seconds
    report(
        f"sketches of {size} rows: {done.totals['tables']:,} tables, {cells:.1f} million cells",
        [
            ("index without sketches", f"{without / 1e6:.1f} MB", ""),
            ("index with sketches", f"{sum(sizes) / 1e6:.1f} MB", ""),
            ("time of sketches", f"{seconds:.2f} s, {seconds / cells * 1e3:.1f} ms per million cells", ""),
            ("time of building segments", f"{done.stages['build']:.2f} s", ""),
            ("time of the run", f"{done.seconds:.2f} s, {done.seconds / cells:.2f} s per million cells", ""),
            ("sketches / other bytes", f"{sketches / without:.4f}", "at most 0.1"),
            ("sketches / time of building", f"{seconds / done.stages['build']:.4f}", ""),
            ("sketches / time of the run", f"{seconds / done.seconds:.4f}", "at most 0.1"),
        ],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="raw tables")
    parser.add_argument("--size", type=int, default=Settings().sketch_size, help="rows of a sketch")
    given = parser.parse_args()
    measure(given.folder, given.size)


if __name__ == "__main__":
    main()
