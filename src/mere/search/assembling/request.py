"""What was asked for: are the arguments of `mere.assemble` of the right types, and in their ranges?"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from numbers import Real
from typing import Any

from mere.bundles.outcome import METHODS
from mere.bundles.sample import DEFAULT_SIZE
from mere.errors import UsageError

LEAST_SAMPLE = 16
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Request:
    """The arguments of `mere.assemble`, but for the lake and Spark."""

    base: Any
    candidates: Any = None
    queries: Sequence[str] | str | None = ()
    budget: float | None = None
    prices: Any = None
    method: str = "sketch"
    exclude: Sequence[str] | str | None = ()
    default_price: float | None = None
    licences: Sequence[str] | str | None = ()
    sample_size: int | None = None
    progress: Progress | None = field(default=None, compare=False)

    def check(self) -> None:
        """Refuse what can be refused before a table is read."""
        if self.method not in METHODS:
            listed = ", ".join(METHODS)
            raise UsageError(f"'method' must be one of {listed}, got {self.method!r}", "method='sketch' is the default")
        if self.budget is not None and not _is_positive(self.budget):
            remedy = "give what may be spent; leave it out for no limit"
            raise UsageError(f"'budget' must be a finite number above 0, got {self.budget!r}", remedy)
        size = self.sample_size
        if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size < LEAST_SAMPLE):
            fault = f"'sample_size' must be a whole number of at least {LEAST_SAMPLE}, got {size!r}"
            raise UsageError(fault, f"leave out sample_size= for the size of the lake's samples, or {DEFAULT_SIZE}")
        if self.progress is not None and not callable(self.progress):
            fault = f"'progress' must be a function of one text, got {self.progress!r}"
            raise UsageError(fault, "progress=print, for example")

    def without_repeated_sentences(self) -> Request:
        """The same request, whose progress is told only when it has changed."""
        progress, last = self.progress, [""]

        def tell(sentence: str) -> None:
            if progress is not None and sentence != last[0]:
                last[0] = sentence
                progress(sentence)

        return self if progress is None else replace(self, progress=tell)

    def say(self, sentence: str) -> None:
        """Tell the user what is being done."""
        if self.progress is not None:
            self.progress(sentence)


def _is_positive(value: Any) -> bool:
    if not isinstance(value, Real | Decimal) or isinstance(value, bool):
        return False
    number: Any = value
    return bool(0 < number <= sys.float_info.max)
