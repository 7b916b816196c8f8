"""Where does a word or a phrase occur in a segment?

An occurrence is one number (see `build`): table, field and position.  A cell has no position: the occurrence of a word
in cells has the number of the column within its table instead, so that a word counts once per column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from mere.indexes.keywords.build import POSITION_BITS, TABLE_BITS
from mere.indexes.keywords.cells import bucket_width
from mere.indexes.keywords.fields import Field
from mere.indexes.keywords.phrases import first_with, first_with_word, values_with
from mere.indexes.keywords.query import Option, Slot
from mere.indexes.keywords.stems import MARKERS
from mere.indexes.keywords.vocabulary import Vocabulary
from mere.indexes.keywords.words import without_spaces
from mere.indexes.kind import Part

_NONE = np.empty(0, np.uint64)
_TABLE = np.uint64(TABLE_BITS)
_POSITION = np.uint64(POSITION_BITS)
_FIELDS = np.uint64(len(Field))  # three bits: 7
_IN_CELLS = np.uint64(Field.VALUE << POSITION_BITS)


_MOST_KEPT = 1 << 24  # bytes of look-ups remembered of a segment


def postings_of(part: Part) -> Postings:
    """The words of a part, kept with it from one question to the next."""
    if "postings" not in part.memo:
        part.memo["postings"] = Postings(part)
    return part.memo["postings"]


class Postings:
    """The words of one segment."""

    def __init__(self, part: Part) -> None:
        self.live, self.segment, self._arrays = part.live, part.segment, part.arrays
        self.all_live = bool(part.live.all())
        self.names, self.cells = Vocabulary(part.arrays, "term"), Vocabulary(part.arrays, "cell")
        self.backwards = part.arrays["term.backwards"]
        self._starts, self._occurrences = part.arrays["term.starts"], part.arrays["occurrences"]
        self._cell_starts, self._columns = part.arrays["cell.starts"], part.arrays["cell.columns"]
        self._lengths = part.arrays["lengths"]
        self._seen: dict[tuple[Option, tuple[int, ...], bool], np.ndarray] = {}
        self._kept = 0

    def find(self, options: Iterable[Option], fields: Sequence[int] = (), quoted: bool = False) -> np.ndarray:
        """The occurrences in live tables of any of the options in any of the fields (none given: in all).

        Several words are looked for in cells only if they were quoted: an unquoted `jean-pierre` is also looked
        for as `jeanpierre`, which cells have too.  Chinese and Japanese words are always several.
        """
        return union([self._remembered(option, tuple(fields), quoted) for option in options])

    def known(self, start: str, words: Sequence[str]) -> list[str]:
        """Those of the words, which all start like this, that the segment has."""
        return self.names.known(start, words) + self.cells.known(start, words)

    @cached_property
    def languages(self) -> dict[str, int]:
        """How many live tables have a marker of each language."""
        return {name: count_tables(self.find(((word,),) for word in words)) for name, words in MARKERS.items()}

    def _remembered(self, option: Option, fields: tuple[int, ...], quoted: bool) -> np.ndarray:
        cells = (not fields or Field.VALUE in fields) and (len(option) == 1 or quoted or _unspaced(option))
        key = (option, fields, cells)
        occurrences = self._seen.get(key)
        if occurrences is None:
            occurrences = self._within(option, fields, cells)
            if self._kept + occurrences.nbytes > _MOST_KEPT:
                self._seen, self._kept = {}, 0
            self._seen[key] = occurrences
            self._kept += occurrences.nbytes + 200  # and the key
        return occurrences

    def _within(self, option: Option, fields: Sequence[int], cells: bool) -> np.ndarray:
        occurrences = self._in_names(option, fields)
        if cells:
            occurrences = union([occurrences, self._occurrences_of(self._in_cells(option))])
        return occurrences if self.all_live else occurrences[self.live[tables_of(occurrences)]]

    def _in_names(self, option: Option, fields: Sequence[int]) -> np.ndarray:
        first, *others = (union([self._look_up(pattern) for pattern in slot]) for slot in option)
        for step, other in enumerate(others, 1):
            first = first[among(first + np.uint64(step), other)]
        if not fields:
            return first
        allowed = np.zeros(8, bool)
        allowed[list(fields)] = True
        return first[allowed[fields_of(first)]]

    def _look_up(self, pattern: str) -> np.ndarray:
        """The occurrences of a word, or of all words with a prefix, outside cells."""
        first, stop = self.names.span(pattern)
        occurrences = self._occurrences[self._starts[first] : self._starts[stop]]
        return occurrences if stop - first < 2 else _distinct(occurrences)

    def _in_cells(self, option: Option) -> np.ndarray:
        """The columns of the segment that have a value with these words next to each other."""
        columns = self._columns_with(option[0])
        for slot in option[1:]:
            columns = columns[among(columns, self._columns_with(slot))]
        if len(option) == 1 or not columns.size:
            return columns
        sets = self._may_hold(option, columns)
        holding = values_with(self.segment, union(sets), option)
        return columns[[bool(among(holding, own).any()) for own in sets]]

    def _may_hold(self, option: Option, columns: np.ndarray) -> list[np.ndarray]:
        """Per column, the values that may have the phrase: all, or those of the only bucket of a word."""
        bucket = np.full(len(columns), -1)
        for word, *others in option:
            first, stop = self.cells.span(word)
            if not others and stop - first == 1:
                start = int(self._cell_starts[first])
                entries = start + np.searchsorted(self._columns[start : self._cell_starts[stop]], columns)
                bucket = np.where(self._spread(entries), bucket, self._arrays["cell.buckets"][entries])
        sets = [self.segment.set_of(column) for column in columns.tolist()]
        return [ids if own < 0 else ids[_span(own, len(ids))] for ids, own in zip(sets, bucket.tolist(), strict=True)]

    def _spread(self, entries: np.ndarray) -> np.ndarray:
        """Whether values with the word are in several buckets of the column."""
        return (self._arrays["cell.spread"][entries >> 3] >> (entries & 7) & 1).astype(bool)

    def _columns_with(self, slot: Slot) -> np.ndarray:
        return union([self._columns_of(*self.cells.span(pattern)) for pattern in slot])

    def _columns_of(self, first: int, stop: int) -> np.ndarray:
        columns = self._columns[self._cell_starts[first] : self._cell_starts[stop]]
        return columns if stop - first < 2 else _distinct(columns)

    def _occurrences_of(self, columns: np.ndarray) -> np.ndarray:
        if not columns.size:
            return _NONE
        tables = self._table_of_column[columns]
        places = columns - self.segment.first_column[tables]
        return tables.astype(np.uint64) << _TABLE | _IN_CELLS | places.astype(np.uint64)

    @cached_property
    def _table_of_column(self) -> np.ndarray:
        return self.segment.table_of_column

    def cell_with(self, option: Option, column: int) -> str:
        """The first value of a column of the segment that has these words; in the order of the column's set."""
        ids = self.segment.set_of(column)
        if len(option) > 1:
            return first_with(self.segment, ids, option)
        span = _span(self._first_bucket(option[0], column), len(ids))
        return first_with_word(self.segment, ids[span], option[0])

    def _first_bucket(self, slot: Slot, column: int) -> int:
        """In which part of a column's set the first value with one of these words is."""
        buckets = []
        for first, stop in map(self.cells.span, slot):
            start = int(self._cell_starts[first])
            entries = np.flatnonzero(self._columns[start : self._cell_starts[stop]] == column) + start
            buckets += self._arrays["cell.buckets"][entries].tolist()
        return min(buckets)

    @cached_property
    def totals(self) -> tuple[int, np.ndarray, np.ndarray]:
        """Live tables; per field, the live tables in which it has words, and its words."""
        lengths = self._lengths if self.all_live else self._lengths[self.live]
        return len(lengths), np.count_nonzero(lengths, axis=0), lengths.sum(axis=0, dtype=np.int64)

    def lengths(self, tables: np.ndarray, fields: np.ndarray) -> np.ndarray:
        return self._lengths[tables, fields]


def _span(bucket: int, values: int) -> slice:
    """The places of a bucket in a column's set."""
    width = bucket_width(values)
    return slice(bucket * width, (bucket + 1) * width)


def _unspaced(option: Option) -> bool:
    """Whether some of the words are Chinese or Japanese characters."""
    return any(without_spaces(pattern) for slot in option for pattern in slot)


def tables_of(occurrences: np.ndarray) -> np.ndarray:
    return (occurrences >> _TABLE).astype(np.int64)


def fields_of(occurrences: np.ndarray) -> np.ndarray:
    return (occurrences >> _POSITION & _FIELDS).astype(np.int64)


def count_tables(occurrences: np.ndarray) -> int:
    """How many tables have these (sorted) occurrences."""
    return len(changes(occurrences >> _TABLE))


def union(pieces: list[np.ndarray]) -> np.ndarray:
    """Every number of sorted arrays once, sorted."""
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
