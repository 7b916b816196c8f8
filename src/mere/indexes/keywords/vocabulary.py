"""At which place of a sorted list is a word?

The words are mapped, not loaded: only those that a binary search compares are decoded, about one microsecond each.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping

import numpy as np

from mere.store import Strings

_MOST_KEPT = 1 << 14  # words
_AFTER = b"\xff"  # no byte of UTF-8 is as large


class Vocabulary:
    """Distinct words, in the order of their UTF-8 bytes."""

    def __init__(self, arrays: Mapping[str, np.ndarray], name: str) -> None:
        self.offsets, self.data = arrays[f"{name}.offsets"], arrays[f"{name}.data"]
        self._seen: dict[int, bytes] = {}
        self._offsets, self._data = self.offsets.data, self.data.data

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def encoded(self, place: int) -> bytes:
        """The bytes of a word; remembered, because every binary search starts at the same words."""
        word = self._seen.get(place)
        if word is None:
            if len(self._seen) >= _MOST_KEPT:
                self._seen.clear()
            self._seen[place] = word = bytes(self._data[self._offsets[place] : self._offsets[place + 1]])
        return word

    def __getitem__(self, place: int) -> str:
        return self.encoded(place).decode()

    def texts(self, first: int, stop: int, length: int, deviation: int) -> list[str]:
        """The words between two places that have about this many bytes, decoded together."""
        edges = self.offsets[first : stop + 1].astype(np.int64)
        alike = np.flatnonzero(np.abs(np.diff(edges) - length) <= deviation)
        return Strings(edges - edges[0], self.data[edges[0] : edges[-1]]).take(alike).tolist() if alike.size else []

    def span(self, pattern: str) -> tuple[int, int]:
        """The places of a word, or, if it ends in `*`, of all words that start like this; empty if there is none."""
        word = pattern.rstrip("*").encode()
        first = self._first_from(word, 0, len(self))
        if pattern.endswith("*"):
            return first, self._first_from(word + _AFTER, first, len(self))
        return first, first + (first < len(self) and self.encoded(first) == word)

    def known(self, start: str, words: Iterable[str]) -> list[str]:
        """Those of the words, which all start like this, that are in the list."""
        low = self._first_from(start.encode(), 0, len(self))
        if low == len(self) or not self.encoded(low).startswith(start.encode()):
            return []
        high = self._first_from(start.encode() + _AFTER, low, len(self))
        return [word for word in words if self._has(word.encode(), low, high)]

    def _has(self, word: bytes, low: int, high: int) -> bool:
        place = self._first_from(word, low, high)
        return place < high and self.encoded(place) == word

    def _first_from(self, word: bytes, low: int, high: int) -> int:
        return bisect_left(range(len(self)), word, low, high, key=self.encoded)
