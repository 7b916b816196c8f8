"""What is a run doing right now?  Told in tables and bytes, by whoever wants to show it."""

from __future__ import annotations

import time
from typing import Protocol


class Progress(Protocol):
    def stage(self, name: str, units: int, size: int) -> None:
        """A stage begins; `units` things of `size` bytes in all, 0 if unknown."""
        ...

    def advance(self, units: int, size: int) -> None:
        """So much of the stage is done."""
        ...


class Silent:
    def stage(self, name: str, units: int, size: int) -> None:
        pass

    def advance(self, units: int, size: int) -> None:
        pass


class Stages:
    """Passes on what stage a run is in, and keeps the time of each; one begins where the one before ends."""

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
