"""What is known of a column that links tables: its distinct values, its filled rows, and whether matches say little?

What makes a match say little is named as `ranking.accident_of` names it; for columns of the lake the same is read from
the catalog, for all columns of a segment at once.  Two reasons more: integers that fill their range, because such a
column has a part of any integers in this range; and decimal numbers, which are measurements.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.indexes.inputs import Distinct
from mere.ranking import MONTHS, TRIVIAL, accident_of
from mere.segments import Segment
from mere.values import Type, parse_numbers

DENSE = "dense integers"
DECIMALS = "decimal numbers"  # measurements, not keys
ACCIDENTS = (*TRIVIAL, DENSE, DECIMALS)  # a column's accident is a place in this list; the first is none
_YEARS, _DAYS, _MONTHS, _DIGITS, _SMALL = (1500, 2200), 31, 12, 9, 1_000  # as in `ranking.accidents`
_COUNTED = 1.25  # row numbers may have gaps, as in `ranking.accidents`
_FILLED = 0.05  # the least share of its range that a column of integers fills, to match others by chance


class Sides(NamedTuple):
    """One side of some links; one entry per column."""

    distinct: np.ndarray
    rows: np.ndarray  # that are filled
    accidents: np.ndarray  # places in `ACCIDENTS`

    def take(self, which: np.ndarray) -> Sides:
        return Sides(*(array[which] for array in self))

    def identified(self, which: np.ndarray) -> Sides:
        """The same, where those that are named as identifiers (`category_id`) are not months or days."""
        months = which & (self.accidents == ACCIDENTS.index(MONTHS))
        return self._replace(accidents=np.where(months, ACCIDENTS.index("small integers"), self.accidents))

    @property
    def unique(self) -> np.ndarray:
        """Distinct values as a share of the filled rows: 1 for a key."""
        return np.minimum(self.distinct / np.maximum(self.rows, 1), 1.0)


def sides_stored(segment: Segment) -> Sides:
    """All columns of a segment."""
    catalog = segment.catalog
    distinct = np.diff(segment.values["set.starts"]).astype(np.int64)
    rows = catalog["table.rows"][segment.table_of_column].astype(np.int64) - catalog["column.nulls"]
    types, low, high = catalog["column.types"], catalog["column.low"], catalog["column.high"]
    accidents = np.zeros(len(distinct), np.uint8)
    integers = types == Type.INTEGER
    whole = integers & (low >= 0)
    _mark(accidents, DENSE, integers & (distinct >= _FILLED * (high - low + 1)))
    _mark(accidents, "small integers", whole & (high < _SMALL))
    _mark(accidents, "single digits", whole & (high <= _DIGITS))
    _mark(accidents, MONTHS, whole & np.isin(high, [_MONTHS, _DAYS]))
    _mark(accidents, "row numbers", whole & (distinct == rows) & (high <= _COUNTED * distinct))
    _mark(accidents, "years", integers & (low >= _YEARS[0]) & (high <= _YEARS[1]))
    _mark(accidents, "dates", types == Type.DATETIME)
    decimals = types == Type.DECIMAL
    _mark(accidents, DECIMALS, decimals)
    number = integers | decimals
    _mark(accidents, "one-letter codes", ~number & (_longest(segment) <= 1))
    _mark(accidents, "two values", distinct == 2)
    _mark(accidents, "a single value", distinct == 1)
    _mark(accidents, "", distinct == 0)
    return Sides(distinct, rows, accidents)


def _mark(accidents: np.ndarray, reason: str, where: np.ndarray) -> None:
    accidents[where] = ACCIDENTS.index(reason)


def _longest(segment: Segment) -> np.ndarray:
    """The length of each column's longest value, in characters; 0 without values."""
    starts, ids = segment.values["set.starts"], segment.values["set.ids"]
    lengths = np.asarray(pc.utf8_length(segment.dictionary.values.to_arrow()))
    longest = np.zeros(len(starts) - 1, np.int64)
    filled = np.flatnonzero(np.diff(starts))
    if len(filled):
        longest[filled] = np.maximum.reduceat(lengths[ids], starts[filled])
    return longest


def sides_given(columns: list[Distinct]) -> Sides:
    """Columns of a frame or file."""
    distinct = np.array([len(column.hashes) for column in columns], np.int64)
    rows = np.array([int(column.counts.sum()) for column in columns], np.int64)
    accidents = np.array([ACCIDENTS.index(_accident(column)) for column in columns], np.uint8)
    return Sides(distinct, rows, accidents)


def _accident(column: Distinct) -> str:
    reason = accident_of(column.values, column.numeric, int(column.counts.sum()))
    return reason or (_of_numbers(column.values.to_arrow()) if column.numeric else "")


def _of_numbers(values: pa.Array) -> str:
    numbers = parse_numbers(values)
    numbers = numbers[np.isfinite(numbers)]
    if len(numbers) == 0:
        return ""
    if (numbers != np.rint(numbers)).any():
        return DECIMALS
    return DENSE if len(numbers) >= _FILLED * (numbers.max() - numbers.min() + 1) else ""
