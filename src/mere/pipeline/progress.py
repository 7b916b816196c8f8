"""What is a run doing right now?  Reported in units (files, tables) and bytes, to an object that shows it."""

from __future__ import annotations

import time
from typing import Protocol


class Progress(Protocol):
    def stage(self, name: str, units: int, size: int) -> None:
        """A stage begins: so many units with so many bytes in total, 0 if unknown."""
        ...

    def advance(self, units: int, size: int) -> None:
        """So many units and bytes of the stage are done."""
        ...


class Silent:
    def stage(self, name: str, units: int, size: int) -> None:
        pass

    def advance(self, units: int, size: int) -> None:
        pass


class Stages:
    """Reports the stage a run is in, and measures the time of each; a stage ends when the next begins."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._seconds: dict[str, float] = {}
        self._name, self._since = "", 0.0

    def begin(self, name: str, units: int = 0, size: int = 0) -> None:
        self._end()
        self._name, self._since = name, time.perf_counter()
        self._progress.stage(name, units, size)

    def advance(self, units: int, size: int) -> None:
        self._progress.advance(units, size)

    def seconds(self) -> dict[str, float]:
        self._end()
        return self._seconds

    def _end(self) -> None:
        if self._name:
            self._seconds[self._name] = self._seconds.get(self._name, 0.0) + time.perf_counter() - self._since
        self._name = ""
