"""How is evidence computed only for the hits that are read?

A list of hits knows at once which hits there are, and computes their evidence when they are read, a block at a time:
`hits[0]` computes one block, a slice what it covers, and a loop blocks that double, so that reading all of n hits takes
about log2(n / BLOCK) computations.  The evidence of a hit does not depend on which others are read with it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from mere.answers.hit import Hit

BLOCK = 64  # hits whose evidence is computed together; a question with so few hits computes it before it returns

Explain = Callable[[Sequence[int]], list[Hit]]  # the hits at these places, with their evidence


class LazyHits(Sequence[Hit]):
    """Hits in order; several threads may read them, and all get the same objects."""

    def __init__(self, found: Sequence[Hit], explain: Explain) -> None:
        self._found = found
        self._hits: list[Hit | None] = [None] * len(found)
        self._unread = len(found)
        self._explain: Explain | None = explain if found else None
        self._within: Callable[[], AbstractContextManager[None]] = nullcontext
        self._lock = threading.Lock()

    def keep(self, within: Callable[[], AbstractContextManager[None]]) -> None:
        """Compute evidence in such a context; it, and what it refers to, is kept until all is read."""
        self._within = within

    @property
    def found(self) -> Sequence[Hit]:
        """The same hits without their evidence: tables, columns and scores."""
        return self._found

    @property
    def unread(self) -> int:
        """Of how many hits the evidence was not computed yet."""
        return self._unread

    @property
    def is_short(self) -> bool:
        """Whether there are so few hits that waiting saves nothing."""
        return len(self) <= BLOCK

    def complete(self) -> list[Hit]:
        """All hits with their evidence; the index is not needed afterwards."""
        return self._between(0, len(self))

    def __len__(self) -> int:
        return len(self._found)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            places = range(len(self))[place]
            if len(places) == 0:
                return []
            first, last = min(places[0], places[-1]), max(places[0], places[-1])
            self._between(first, last + 1)
            return self._hits[place]
        number = range(len(self))[place]
        block = number - number % BLOCK
        return self._between(block, block + BLOCK)[number - block]

    def __iter__(self) -> Iterator[Hit]:
        start = 0
        while start < len(self):
            hits = self._between(start, start + max(BLOCK, start))
            yield from hits
            start += len(hits)

    def __eq__(self, other: object) -> bool:
        """Hits are equal whatever their evidence."""
        if isinstance(other, LazyHits):
            return list(self._found) == list(other._found)
        return list(self._found) == other if isinstance(other, list) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._found)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, or what another process gets, is a list with all evidence."""
        return list, (self.complete(),)

    def _between(self, first: int, stop: int) -> list[Hit]:
        """The hits from a place up to another."""
        with self._lock:
            missing = [place for place in range(len(self))[first:stop] if self._hits[place] is None]
            if missing and self._explain is not None:
                with self._within():
                    explained = self._explain(missing)
                for place, hit in zip(missing, explained, strict=True):
                    self._hits[place] = hit
                self._unread -= len(missing)
                if not self._unread:
                    self._explain, self._within = None, nullcontext
            return self._hits[first:stop]  # type: ignore[return-value]
