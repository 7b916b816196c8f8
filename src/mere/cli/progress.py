"""Progress on stderr: a moving line on a terminal, one plain line per stage elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

from mere.cli.render import clean, counted, size


@contextmanager
def show_progress(quiet: bool = False) -> Iterator[Any]:
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _Bar() as bar:
            yield bar
    else:
        lines = _Lines()
        yield lines
        lines.close()


@contextmanager
def show_steps(steps: list[dict[str, object]], quiet: bool = False) -> Iterator[Callable[[str, float], None]]:
    """Collect the steps that ended, with their seconds; print a line for each on stderr."""

    def progress(name: str, seconds: float) -> None:
        steps.append({"name": name, "seconds": round(seconds, 3)})
        if not quiet:
            print(f"{name} in {seconds:.1f} s", file=sys.stderr)

    yield progress


@contextmanager
def show_sentences(quiet: bool = False) -> Iterator[Callable[[str], None] | None]:
    """A function that shows what is being done: a moving line on a terminal, elsewhere a line per second at most."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.text import Text

        with Console(stderr=True).status("") as status:
            yield lambda sentence: status.update(Text(clean(sentence)))
    else:
        yield Sentences(time.monotonic)


@contextmanager
def show_waiting(doing: str = "searching", after: float = 1.0) -> Iterator[None]:
    """On a terminal, a moving line as soon as it has taken a second; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    status = Console(stderr=True).status(f"{doing}; Ctrl-C ends it")
    timer = Timer(after, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()


class Sentences:
    """Prints a sentence on stderr if a second has passed since the last one, or since the start."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._last = clock, clock()

    def __call__(self, sentence: str) -> None:
        if self._clock() - self._last >= 1:
            self._last = self._clock()
            print(clean(sentence), file=sys.stderr)


class _Bar:
    """A bar with tables, bytes and their rate."""

    def __enter__(self) -> _Bar:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self._progress = Progress(
            SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[figures]}"),
            TimeElapsedColumn(), console=Console(stderr=True), transient=True,
        )  # fmt: skip
        self._progress.start()
        self._task: Any = None
        return self

    def __exit__(self, *fault: object) -> None:
        self._progress.stop()

    def stage(self, name: str, units: int, size: int) -> None:
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._units, self._size, self._since = units, size, time.perf_counter()
        self._task = self._progress.add_task(name, total=size or None, figures="")

    def advance(self, units: int, done: int) -> None:
        rate = done / max(time.perf_counter() - self._since, 1e-3)
        figures = f"{units:,} of {counted(self._units, 'table')}, {size(done)} of {size(self._size)}, {size(rate)}/s"
        self._progress.update(self._task, completed=done, figures=figures)


class _Lines:
    """One line when a stage ends."""

    def __init__(self) -> None:
        self._name = ""

    def stage(self, name: str, units: int, size: int) -> None:
        self.close()
        self._name, self._units, self._size, self._since = name, units, size, time.perf_counter()

    def advance(self, units: int, done: int) -> None:
        pass

    def close(self) -> None:
        if self._name:
            work = f": {counted(self._units, 'table')}, {size(self._size)}" if self._size else ""
            print(f"{self._name}{work} in {time.perf_counter() - self._since:.1f} s", file=sys.stderr)
        self._name = ""
