"""What benchmarks share: lakes, timing, the memory of a process tree, and the table that is printed last."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

import mere
from mere.pipeline import Settings, index


class PeakMemory:
    """The largest sum of resident memory of this process and all its children (the JVM and its workers included).

    Pages that forked workers share are counted once per process, so the figure is an upper bound.
    """

    def __enter__(self) -> PeakMemory:
        self.peak, self._done = 0, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *fault: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        process = psutil.Process()
        while not self._done.wait(0.05):
            total = 0
            for member in [process, *process.children(recursive=True)]:
                try:
                    total += member.memory_info().rss
                except psutil.Error:
                    continue
            self.peak = max(self.peak, total)


@contextmanager
def indexed_twice(folder: Path) -> Iterator[tuple[mere.Lake, mere.Lake]]:
    """A lake of the folder in segments of the usual size, with compiled kernels; and a lake with a single segment."""
    work = Path(tempfile.mkdtemp(prefix="mere-bench-"))
    try:
        index([folder], work / "lake")
        index([folder], work / "single", settings=Settings(segment_bytes=1 << 40))
        with mere.open(work / "lake") as lake, mere.open(work / "single") as single_segment:
            yield lake.warm(), single_segment
    finally:
        shutil.rmtree(work)


def timed(work: Callable[[], object]) -> tuple[float, object]:
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def percentiles(work: Callable[[], object], times: int) -> tuple[float, float]:
    """Median and 99th percentile in milliseconds, after one warm-up."""
    work()
    seconds = sorted(timed(work)[0] for _ in range(times))
    return seconds[len(seconds) // 2] * 1000, seconds[min(len(seconds) - 1, int(len(seconds) * 0.99))] * 1000


def report(title: str, rows: list[tuple[str, str, str]]) -> None:
    """Print a title, and a line of name, figure and target for each row."""
    print(f"\n{title}")
    width = max(len(name) for name, _, _ in rows)
    for name, figure, target in rows:
        print(f"  {name:<{width}}  {figure:<28}  {f'target {target}' if target else ''}")
