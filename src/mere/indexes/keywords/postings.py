"""Where does a word or a phrase occur in a segment?

Occurrences (see `build`) are sorted numbers; only the words that are compared are decoded.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from mere.indexes.keywords.build import POSITION_BITS, TABLE_BITS
from mere.indexes.keywords.fields import Field
from mere.indexes.keywords.query import Option
from mere.indexes.kind import Part
from mere.store import Strings

_NONE = np.empty(0, np.uint64)
_TABLE = np.uint64(TABLE_BITS)
_POSITION = np.uint64(POSITION_BITS)
_FIELDS = np.uint64(len(Field))  # three bits: 7


_MOST_KEPT = 1_000  # look-ups remembered of a segment


def postings_of(part: Part) -> Postings:
    """The words of a part, kept with it from one question to the next."""
    if "postings" not in part.memo:
        part.memo["postings"] = Postings(part)
    return part.memo["postings"]


class Postings:
    """The words of one segment."""

    def __init__(self, part: Part) -> None:
        self.live = part.live
        self.all_live = bool(part.live.all())
        self.terms = Strings.mapped(part.arrays, "term")
        self._edges, self._bytes = self.terms.offsets.data, self.terms.data.data
        self._starts = part.arrays["term.starts"]
        self._occurrences = part.arrays["occurrences"]
        self._lengths = part.arrays["lengths"]
        self._seen: dict[str, np.ndarray] = {}

    def find(self, options: Iterable[Option], fields: Sequence[int] = ()) -> np.ndarray:
        """The occurrences in live tables of any of the options in any of the fields (none given: in all)."""
        return _union([self._kept(f"{option} {list(fields)}", option, fields) for option in options])

    def _kept(self, key: str, option: Option, fields: Sequence[int]) -> np.ndarray:
        occurrences = self._seen.get(key)
        if occurrences is None:
            occurrences = self._within(option, fields)
            if len(self._seen) >= _MOST_KEPT:
                self._seen = {}
            self._seen[key] = occurrences
        return occurrences

    def _within(self, option: Option, fields: Sequence[int]) -> np.ndarray:
        occurrences = self._option(option)
        if fields:
            allowed = np.zeros(8, bool)
            allowed[list(fields)] = True
            occurrences = occurrences[allowed[fields_of(occurrences)]]
        return occurrences if self.all_live else occurrences[self.live[tables_of(occurrences)]]

    def _option(self, option: Option) -> np.ndarray:
        first, *others = (_union([self._look_up(pattern) for pattern in slot]) for slot in option)
        for step, other in enumerate(others, 1):
            first = first[among(first + np.uint64(step), other)]
        return first

    def _look_up(self, pattern: str) -> np.ndarray:
        """The occurrences of a word, or of all words with a prefix."""
        word = pattern.rstrip("*").encode()
        first = self._first_from(word)
        if pattern.endswith("*"):
            last = self._first_from(word + b"\xff")  # no byte of UTF-8 is as large
            return _distinct(self._occurrences[self._starts[first] : self._starts[last]])
        if first == len(self.terms) or self._term(first) != word:
            return _NONE
        return self._occurrences[self._starts[first] : self._starts[first + 1]]

    def _first_from(self, word: bytes) -> int:
        return bisect_left(range(len(self.terms)), word, key=self._term)

    def _term(self, place: int) -> bytes:
        return bytes(self._bytes[self._edges[place] : self._edges[place + 1]])

    @cached_property
    def totals(self) -> tuple[int, np.ndarray, np.ndarray]:
        """Live tables; per field, the live tables in which it has words, and its words."""
        lengths = self._lengths if self.all_live else self._lengths[self.live]
        return len(lengths), np.count_nonzero(lengths, axis=0), lengths.sum(axis=0, dtype=np.int64)

    def lengths(self, tables: np.ndarray, fields: np.ndarray) -> np.ndarray:
        return self._lengths[tables, fields]


def tables_of(occurrences: np.ndarray) -> np.ndarray:
    return (occurrences >> _TABLE).astype(np.int64)


def fields_of(occurrences: np.ndarray) -> np.ndarray:
    return (occurrences >> _POSITION & _FIELDS).astype(np.int64)


def count_tables(occurrences: np.ndarray) -> int:
    """How many tables have these (sorted) occurrences."""
    return len(changes(occurrences >> _TABLE))


def _union(pieces: list[np.ndarray]) -> np.ndarray:
    filled = [piece for piece in pieces if piece.size]
    if len(filled) < 2:
        return filled[0] if filled else _NONE
    return _distinct(np.concatenate(filled))


def _distinct(numbers: np.ndarray) -> np.ndarray:
    numbers = np.sort(numbers)
    return numbers[changes(numbers)]


def changes(numbers: np.ndarray) -> np.ndarray:
    """Where sorted numbers differ from the one before.  (`np.unique` would load `numpy.ma` first: 50 ms.)"""
    return np.flatnonzero(np.concatenate([[True], numbers[1:] != numbers[:-1]])[: len(numbers)])


def among(wanted: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Which of the wanted are known; both sorted."""
    if not known.size:
        return np.zeros(len(wanted), bool)
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return known[place] == wanted
