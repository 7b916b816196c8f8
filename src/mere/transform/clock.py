"""How long may matching take, and where did the time go?"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


class Clock:
    """A time limit, and the seconds of each stage."""

    def __init__(self, limit: float) -> None:
        self._deadline = time.monotonic() + limit
        self.seconds: dict[str, float] = defaultdict(float)

    def out_of_time(self) -> bool:
        return time.monotonic() > self._deadline

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Count what happens inside towards a stage."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] += time.perf_counter() - start
