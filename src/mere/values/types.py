"""Which type does a column have, according to its values?

A column has the narrowest type that at least nine tenths of its non-null cells have; the other cells are counted
as misfits.  A column with one zero-padded code (`007`) is text, whatever the other cells are.

Columns are passed as flat arrays: all distinct values of all columns in one Arrow array, `starts[c]:starts[c + 1]`
those of column `c`, `counts` the number of cells with each.  So a thousand columns take as many calls as three.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.values.dates import looks_like_a_date, parse_dates
from mere.values.normalise import starts_like_a_number

_SHARE = 0.9  # of the non-null cells have the type
_BLOCK = 1 << 20  # values per step: a huge column is copied in pieces
_NUMBER = r"^-?([0-9]+(\.[0-9]+)?|[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?)(e[+-]?[0-9]+)?$"
_PADDED = r"^0[0-9]+$"
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


def infer(values: pa.Array, starts: np.ndarray, counts: np.ndarray) -> Inferred:
    """The type of every column, and the number of every value in columns of numbers and dates."""
    cells = per_column(counts, starts)
    numeric, integer, padded, numbers = _numbers(values)
    numeric_cells = per_column(counts * numeric, starts)
    is_number = _are_numbers(cells, numeric_cells, per_column(padded, starts))
    is_integer = is_number & (per_column(counts * integer, starts) == numeric_cells)
    types = np.where(cells == 0, Type.EMPTY, Type.TEXT).astype(np.uint8)
    types[is_number] = Type.DECIMAL
    types[is_integer] = Type.INTEGER
    misfits = np.where(is_number, cells - numeric_cells, 0)
    column = np.repeat(np.arange(len(types)), np.diff(starts))
    numbers[~is_number[column]] = np.nan
    _find_booleans(values, starts, types)
    _find_dates(values, starts, counts, types, misfits, numbers)
    return Inferred(types, misfits, numbers)


def numeric_columns(values: pa.Array, starts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Whether each column's type is a number, as `infer` would decide, at lower cost."""
    cells = per_column(counts, starts)
    likely = per_column(counts * starts_like_a_number(values), starts) >= _SHARE * cells
    if not likely.any():
        return likely
    numeric, _, padded, _ = _numbers(values)
    return _are_numbers(cells, per_column(counts * numeric, starts), per_column(padded, starts))


def _are_numbers(cells: np.ndarray, numeric_cells: np.ndarray, padded: np.ndarray) -> np.ndarray:
    return (cells > 0) & (numeric_cells >= _SHARE * cells) & (padded == 0)


def per_column(weights: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The sum of each column's weights; correct for empty columns, too, unlike `reduceat`."""
    running = np.concatenate([[0], np.cumsum(weights, dtype=np.int64)])
    return running[starts[1:]] - running[starts[:-1]]


def parse_numbers(values: pa.Array) -> np.ndarray:
    """The number that each value stands for, NaN if it is not a number."""
    return _numbers(values)[3]


def _numbers(values: pa.Array) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Which values are numbers, integers, zero-padded codes; and the numbers themselves."""
    numeric, integer, padded = (np.zeros(len(values), bool) for _ in range(3))
    numbers = np.full(len(values), np.nan)
    for start in range(0, len(values), _BLOCK):
        block = values[start : start + _BLOCK]
        likely = np.flatnonzero(starts_like_a_number(block))
        texts = block.take(pa.array(likely))
        matched = np.asarray(pc.match_substring_regex(texts, _NUMBER))
        texts = pc.replace_substring(texts.filter(pa.array(matched)), ",", "")
        places, parsed = start + likely[matched], np.asarray(texts.cast(pa.float64()))
        finite = np.isfinite(parsed)
        numbers[places], numeric[places] = np.where(finite, parsed, np.nan), finite
        integer[places] = finite & (np.floor(parsed) == parsed)
        padded[places] = np.asarray(pc.match_substring_regex(texts, _PADDED))
    return numeric, integer, padded, numbers


def _find_booleans(values: pa.Array, starts: np.ndarray, types: np.ndarray) -> None:
    for c in np.flatnonzero((types == Type.TEXT) & (np.diff(starts) <= 2)):
        words = set(values[starts[c] : starts[c + 1]].to_pylist())
        if any(words <= pair and (len(words) == 2 or len(min(words)) > 1) for pair in _BOOLEANS):
            types[c] = Type.BOOLEAN


def _find_dates(
    values: pa.Array,
    starts: np.ndarray,
    counts: np.ndarray,
    types: np.ndarray,
    misfits: np.ndarray,
    numbers: np.ndarray,
) -> None:
    column = np.repeat(np.arange(len(types)), np.diff(starts))
    candidates = np.flatnonzero(types[column] == Type.TEXT)
    likely = np.zeros(len(values), bool)
    for start in range(0, len(candidates), _BLOCK):
        block = candidates[start : start + _BLOCK]
        likely[block] = looks_like_a_date(values.take(pa.array(block)))
    cells = per_column(counts, starts)
    open_columns = (types == Type.TEXT) & (per_column(counts * likely, starts) >= _SHARE * cells)
    places = np.flatnonzero(open_columns[column])
    if places.size == 0:
        return
    moments = np.full(len(values), np.nan)
    moments[places] = parse_dates(values.take(pa.array(places)), column[places])
    missed = cells - per_column(counts * ~np.isnan(moments), starts)
    is_date = open_columns & (missed <= (1 - _SHARE) * cells)
    types[is_date], misfits[is_date] = Type.DATETIME, missed[is_date]
    dated = is_date[column]
    numbers[dated] = moments[dated]
