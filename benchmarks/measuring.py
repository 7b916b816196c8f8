"""What benchmarks share: lakes, timing, the memory of a process tree, and the table that is printed last."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

import mere
from mere.pipeline import Settings, index


class PeakMemory:
    """The sum of the largest resident memory of this process and of each of its children (the JVM, its workers).

    They need not be large at the same time, and pages that forked workers share are counted once per process, so the
    figure is an upper bound.  The kernel keeps the largest size of a process, so a look now and then is enough, and
    takes little time from what is measured.
    """

    def __enter__(self) -> PeakMemory:
        self._sizes: dict[int, int] = {}
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *fault: object) -> None:
        self._done.set()
        self._thread.join()
        self._look()

    @property
    def peak(self) -> int:
        return sum(self._sizes.values())

    def _watch(self) -> None:
        while not self._done.wait(0.5):
            self._look()

    def _look(self) -> None:
        process = psutil.Process()
        for member in [process, *process.children(recursive=True)]:
            with suppress(OSError, psutil.Error):
                self._sizes[member.pid] = max(self._sizes.get(member.pid, 0), _largest_size(member.pid))


def _largest_size(pid: int) -> int:
    """The largest resident memory that a process has had, in bytes (Linux); 0 of one that has ended."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0)


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
