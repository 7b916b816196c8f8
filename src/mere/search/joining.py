"""How are two tables joined on pairs of columns, by value and not by spelling?

Both sides are coded like columns of the lake: equal values have equal codes, whatever their case, spacing or number
format, and nulls match nothing.  Where a hit says which values match (`pairs`), those match, and no others.  Rows
are in the order of the left table, then in that of the right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from mere.errors import UsageError
from mere.segments import Coded
from mere.store import Dictionary, Strings, offsets_of, places_of
from mere.values import hash_values

HOW = ("left", "inner", "right", "outer")
NO_ROW = -1

Matching = Sequence[tuple[str, str]]  # values of the left column, and of the right one, that match


def check_how(how: str) -> None:
    if how not in HOW:
        raise UsageError(f"'how' must be one of {', '.join(HOW)}, got {how!r}", "how='left' keeps all of my rows")


def side_by_side(left: pa.Table, left_rows: np.ndarray, right: pa.Table, right_rows: np.ndarray) -> pa.Table:
    """All columns of both in these rows; -1 is a row of nulls; a name that both have gets `_right`."""
    names = joined_names(left.column_names, right.column_names)
    arrays = [*take_rows(left, left_rows).columns, *take_rows(right, right_rows).columns]
    return pa.table(arrays, names=names)


def joined_names(left: Sequence[str], right: Sequence[str]) -> list[str]:
    """The names of both; one that both have gets `_right`."""
    used = list(left)
    return [*left, *(_unused_name(name, used) for name in right)]


class Pairs:
    """The pairs of rows of a join, of which any part can be listed without the others; -1 is no row.

    Rows of the outer side come first, in their order, each with its partners in theirs; then, of an outer join, the
    rows of the other side that have no partner.
    """

    def __init__(self, matches: Matches, how: str) -> None:
        numbers, counts, partners, _ = matches
        first = offsets_of(counts)
        repeats = np.where(numbers > 0, counts[numbers], 0)  # nulls match nothing
        self._partners, self._turned = partners, how == "right"
        self._alone = repeats == 0 if how != "inner" else None
        if how != "inner":
            repeats = np.maximum(repeats, 1)
        self._starts = offsets_of(repeats)
        self._shift = first[numbers] - self._starts[:-1]  # from a place among the pairs to one among the partners
        self._more = _without_partner(matches) if how == "outer" else np.empty(0, np.int64)

    @staticmethod
    def of(left: list[Coded], right: list[Coded], how: str, matching: Matching | None = None) -> Pairs:
        """The pairs of rows whose values are equal, or match."""
        check_how(how)
        if how == "right":
            turned = None if matching is None else [(theirs, mine) for mine, theirs in matching]
            return Pairs(_matches(right, left, turned), how)
        return Pairs(_matches(left, right, matching), how)

    def __len__(self) -> int:
        return int(self._starts[-1]) + len(self._more)

    def slice(self, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
        """The left and the right rows of the pairs from `start` to `stop`."""
        paired = int(self._starts[-1])
        rows, partners = self._paired(min(start, paired), min(stop, paired))
        more = self._more[max(start - paired, 0) : max(stop - paired, 0)]
        if len(more):
            rows = np.concatenate([rows, np.full(len(more), NO_ROW)])
            partners = np.concatenate([partners, more])
        return (partners, rows) if self._turned else (rows, partners)

    def _paired(self, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
        low, high = np.searchsorted(self._starts, [start, stop], side="right") - 1
        inside = np.clip(self._starts[low : high + 2], start, stop)
        rows = np.repeat(np.arange(low, low + len(inside) - 1), np.diff(inside))
        places = self._shift[rows] + np.arange(start, stop)
        if self._alone is None:
            return rows, self._partners[places]
        partners = np.full(len(rows), NO_ROW)
        matched = ~self._alone[rows]
        partners[matched] = self._partners[places[matched]]
        return rows, partners


class Matches(NamedTuple):
    """Which rows of two tables match."""

    numbers: np.ndarray  # per row of the first; 0 matches nothing
    counts: np.ndarray  # per number: rows of the second that match it
    partners: np.ndarray  # these rows, number after number
    rows: int  # of the second


def _matches(left: list[Coded], right: list[Coded], matching: Matching | None) -> Matches:
    if matching is not None:
        return _matching_codes(left[0], right[0], matching)
    mine, theirs = _common_codes(left, right)
    counts = np.bincount(theirs, minlength=int(mine.max(initial=0)) + 1)
    return Matches(mine, counts, np.argsort(theirs, kind="stable"), len(theirs))


def _without_partner(matches: Matches) -> np.ndarray:
    """The rows of the second table that match no row of the first, ascending."""
    used = np.zeros(len(matches.counts), bool)
    used[matches.numbers] = True
    used[0] = False
    alone = np.ones(matches.rows, bool)
    alone[matches.partners[np.repeat(used, matches.counts)]] = False
    return np.flatnonzero(alone)


def _common_codes(left: list[Coded], right: list[Coded]) -> tuple[np.ndarray, np.ndarray]:
    """A number per row of each side, equal where all values are; 0 where one is null or does not occur on the right."""
    mine, theirs = np.ones(len(left[0].codes), np.int64), np.ones(len(right[0].codes), np.int64)
    for my_cells, their_cells in zip(left, right, strict=True):
        code_there = Dictionary(their_cells.hashes, their_cells.values).find(my_cells.values, my_cells.hashes) + 1
        size = len(their_cells.hashes) + 1
        mine = _combined(mine, np.append(0, code_there)[my_cells.codes], size)
        theirs = _combined(theirs, their_cells.codes, size)
        numbers, theirs = np.unique(np.append(0, theirs), return_inverse=True)  # dense again; 0 stays 0
        theirs = theirs[1:]
        place = np.minimum(np.searchsorted(numbers, mine), len(numbers) - 1)
        mine = np.where(numbers[place] == mine, place, 0)
    return mine, theirs


def _matching_codes(mine: Coded, theirs: Coded, matching: Matching) -> Matches:
    """The rows whose values are a pair; numbers are the codes of the left values."""
    codes = [side.find(*_coded([pair[place] for pair in matching])) for place, side in enumerate((mine, theirs))]
    both = np.unique(np.stack(codes, axis=1)[(codes[0] > 0) & (codes[1] > 0)], axis=0)
    rows_of_code = np.bincount(theirs.codes, minlength=len(theirs.hashes) + 1)
    sizes = rows_of_code[both[:, 1]]
    rows = np.argsort(theirs.codes, kind="stable")[places_of(offsets_of(rows_of_code)[both[:, 1]], sizes)]
    owner = np.repeat(both[:, 0], sizes)
    order = np.lexsort((rows, owner))
    counts = np.bincount(owner, minlength=len(mine.hashes) + 1)
    return Matches(mine.codes.astype(np.int64), counts, rows[order], len(theirs.codes))


def _coded(values: list[str]) -> tuple[Strings, np.ndarray]:
    """Values that are normalised already, and their hashes."""
    texts = pa.array(values, pa.string())
    return Strings.from_arrow(texts), hash_values(texts)


def _combined(numbers: np.ndarray, codes: np.ndarray, size: int) -> np.ndarray:
    return np.where((numbers > 0) & (codes > 0), numbers * size + codes, 0)


def take_rows(table: pa.Table, rows: np.ndarray) -> pa.Table:
    """These rows; -1 is a row of nulls."""
    numbers = pa.array(rows, pa.int64(), mask=rows == NO_ROW)
    try:
        return table.take(numbers)
    except pa.ArrowInvalid:  # more than two gigabytes of text in one column
        types = [pa.large_string() if pa.types.is_string(kind) else kind for kind in table.schema.types]
        return table.cast(pa.schema(zip(table.column_names, types, strict=True))).take(numbers)


def _unused_name(name: str, used: list[str]) -> str:
    while name in used:
        name = f"{name}_right"
    used.append(name)
    return name
