"""What is a run doing right now?  Told in tables and bytes, by whoever wants to show it."""

from __future__ import annotations

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
