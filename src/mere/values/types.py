"""Which type does a column have, according to its values?

A column of numbers is one in which two thirds of the cells are numbers and most others are labels (`conventions`).
A column of dates is the same of dates; their labels are words without a digit, and `0000-00-00`.  A column of booleans
has two words, or one.  The other cells are counted as misfits.

Columns are passed as flat arrays: all distinct values of all columns in one Arrow array, `starts[c]:starts[c + 1]`
those of column `c`, `counts` the number of cells with each.  So a thousand columns take as many calls as three.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.values.conventions import (
    MIXED,
    NUMBER_SHARE,
    WITH_LABELS,
    Known,
    Readings,
    decide,
    decimal_commas,
    evidence_of,
)
from mere.values.dates import is_unknown_day, looks_like_a_date, parse_dates
from mere.values.normalise import starts_like_a_number
from mere.values.spelled import Kind, Spelled, classify, has_no_digit, plain_numbers

_BLOCK = 1 << 20  # values per step: a huge column is copied in pieces
_NUMBER = r"^-?([0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?|[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?)$"
_BOOLEANS = [{"true", "false"}, {"yes", "no"}, {"t", "f"}, {"y", "n"}]


class Type(IntEnum):
    """The types a column can have; the numbers are part of the format."""

    EMPTY = 0
    TEXT = 1
    INTEGER = 2
    DECIMAL = 3
    DATETIME = 4
    BOOLEAN = 5

    @property
    def word(self) -> str:
        return "date/time" if self is Type.DATETIME else self.name.lower()

    @property
    def is_number(self) -> bool:
        return self in (Type.INTEGER, Type.DECIMAL)

    @property
    def has_order(self) -> bool:
        """Whether the values are ordered: numbers and dates."""
        return self in (Type.INTEGER, Type.DECIMAL, Type.DATETIME)


@dataclass(frozen=True)
class Inferred:
    types: np.ndarray  # per column: Type
    misfits: np.ndarray  # per column: non-null cells of another type
    numbers: np.ndarray  # per value: number, or seconds since 1970; NaN if the value or its column has none
    some_dates: np.ndarray  # per column: it is text, with many dates


def infer(
    values: pa.Array, starts: np.ndarray, counts: np.ndarray, share: float = NUMBER_SHARE, day_first: bool = False
) -> Inferred:
    """The type of every column, each for itself, and the number of every value in columns of numbers and dates.

    `day_first`: the order of dates in the columns that do not show it.
    """
    columns, spelled = len(starts) - 1, classify(values)
    readings = decide(evidence_of(values, starts, counts, spelled), [1] * columns, [Known()] * columns, share)
    column = np.repeat(np.arange(columns), np.diff(starts))
    numeric = numeric_values(spelled, readings, column)
    places, forms = plain_numbers(values, spelled, decimal_commas(values, readings, column))
    mask = np.zeros(len(values), bool)
    mask[places] = True
    plain = pc.replace_with_mask(values, pa.array(mask), forms.take(pa.array(np.argsort(places))).cast(values.type))
    return infer_types(plain, starts, counts, numeric, np.full(columns, day_first), share)


def numeric_values(spelled: Spelled, readings: Readings, column: np.ndarray) -> np.ndarray:
    """Which values are numbers in columns of numbers; one with another unit than the others is not."""
    numeric = spelled.numeric & readings.numbers[column]
    with_unit = np.flatnonzero(spelled.units)
    places = spelled.places[with_unit]
    names = np.array(spelled.unit_names)[spelled.units[with_unit]]
    numeric[places[names != np.array(readings.units)[column[places]]]] = False
    footnotes = spelled.places[spelled.footnote]
    numeric[footnotes[readings.footnotes[column[footnotes]]]] = False
    numeric[(spelled.kinds == Kind.COMMA) & readings.lists[column]] = False
    return numeric


def infer_types(
    values: pa.Array,
    starts: np.ndarray,
    counts: np.ndarray,
    numeric: np.ndarray,
    day_first: np.ndarray,
    share: float = NUMBER_SHARE,
) -> Inferred:
    """The same of values whose numbers are plain; `numeric` says which are numbers in columns of numbers.

    `day_first` has the order of dates for each column that does not show it.
    """
    cells, numbers = per_column(counts, starts), np.full(len(values), np.nan)
    places = np.flatnonzero(numeric)
    for start in range(0, len(places), _BLOCK):
        block = places[start : start + _BLOCK]
        numbers[block] = np.asarray(values.take(pa.array(block)).cast(pa.float64()))
    numeric_cells = per_column(counts * numeric, starts)
    whole = per_column(counts * (np.floor(numbers) == numbers), starts)
    types = np.where(cells == 0, Type.EMPTY, Type.TEXT).astype(np.uint8)
    types[numeric_cells > 0] = Type.DECIMAL
    types[(numeric_cells > 0) & (whole == numeric_cells)] = Type.INTEGER
    misfits = np.where(numeric_cells > 0, cells - numeric_cells, 0)
    _find_booleans(values, starts, types)
    inferred = Inferred(types, misfits, numbers, np.zeros(len(types), bool))
    column = np.repeat(np.arange(len(types)), np.diff(starts))
    _find_dates(_Flat(values, starts, counts, column), inferred, day_first, share)
    return inferred


def per_column(weights: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The sum of each column's weights; correct for empty columns, too, unlike `reduceat`."""
    running = np.concatenate([[0], np.cumsum(weights, dtype=np.int64)])
    return running[starts[1:]] - running[starts[:-1]]


def parse_numbers(values: pa.Array) -> np.ndarray:
    """The number that each stored value stands for, NaN if it is not a number; written with a decimal point."""
    numbers = np.full(len(values), np.nan)
    for start in range(0, len(values), _BLOCK):
        block = values[start : start + _BLOCK]
        likely = np.flatnonzero(starts_like_a_number(block))
        texts = block.take(pa.array(likely))
        matched = np.asarray(pc.match_substring_regex(texts, _NUMBER))
        parsed = np.asarray(pc.replace_substring(texts.filter(pa.array(matched)), ",", "").cast(pa.float64()))
        numbers[start + likely[matched]] = np.where(np.isfinite(parsed), parsed, np.nan)
    return numbers


def _find_booleans(values: pa.Array, starts: np.ndarray, types: np.ndarray) -> None:
    for c in np.flatnonzero((types == Type.TEXT) & (np.diff(starts) <= 2)):
        words = set(values[starts[c] : starts[c + 1]].to_pylist())
        if any(words <= pair and (len(words) == 2 or len(min(words)) > 1) for pair in _BOOLEANS):
            types[c] = Type.BOOLEAN


class _Flat(NamedTuple):
    """Columns as flat arrays."""

    values: pa.Array
    starts: np.ndarray
    counts: np.ndarray
    column: np.ndarray  # per value: the number of its column

    def cells(self, where: np.ndarray) -> np.ndarray:
        """How many cells of each column have the chosen values."""
        return per_column(self.counts * where, self.starts)

    def tested(self, where: np.ndarray, test: Callable[[pa.Array], np.ndarray]) -> np.ndarray:
        """Which of the chosen values pass a test."""
        passed, places = np.zeros(len(self.values), bool), np.flatnonzero(where)
        for start in range(0, len(places), _BLOCK):
            block = places[start : start + _BLOCK]
            passed[block] = test(self.values.take(pa.array(block)))
        return passed


def _find_dates(flat: _Flat, inferred: Inferred, day_first: np.ndarray, share: float) -> None:
    types, misfits, numbers = inferred.types, inferred.misfits, inferred.numbers
    values, column, cells = flat.values, flat.column, per_column(flat.counts, flat.starts)
    likely = flat.tested(types[column] == Type.TEXT, looks_like_a_date)
    open_columns = (types == Type.TEXT) & (flat.cells(likely) >= share * cells)
    inferred.some_dates[:] = (types == Type.TEXT) & (flat.cells(likely) >= np.maximum(MIXED * cells, 1))
    labels = flat.tested(open_columns[column] & ~likely, has_no_digit)
    open_columns &= flat.cells(likely | labels) >= WITH_LABELS * cells
    places = np.flatnonzero(open_columns[column] & likely)
    if places.size == 0:
        return
    moments = np.full(len(values), np.nan)
    moments[places] = parse_dates(values.take(pa.array(places)), column[places], day_first[column[places]])
    labels |= flat.tested(open_columns[column] & likely & np.isnan(moments), is_unknown_day)
    dates = flat.cells(~np.isnan(moments))
    is_date = open_columns & (dates >= share * cells) & (dates + flat.cells(labels) >= WITH_LABELS * cells)
    types[is_date], misfits[is_date] = Type.DATETIME, (cells - dates)[is_date]
    inferred.some_dates[is_date] = False
    dated = is_date[column]
    numbers[dated] = moments[dated]
