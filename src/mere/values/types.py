"""Which type does a column have, judged by its values?

A column has the narrowest type that at least nine tenths of its non-null cells obey; the others are its misfits
and are counted, never hidden.  A column with one zero-padded code (`007`) is text, whatever the rest says.

Columns come flattened: all distinct values of all columns in one Arrow array, `starts[c]:starts[c + 1]` those of
column `c`, `counts` the cells that hold each.  So a table of a thousand columns costs no more calls than one of three.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.values.dates import looks_like_a_date, parse_dates
from mere.values.normalise import starts_like_a_number

_SHARE = 0.9  # of the non-null cells obey
_BLOCK = 1 << 20  # values looked at together: a huge column is copied in pieces only
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
        """Whether the values lie on an axis: numbers and moments."""
        return self in (Type.INTEGER, Type.DECIMAL, Type.DATETIME)


@dataclass(frozen=True)
class Inferred:
    types: np.ndarray  # per column: Type
    misfits: np.ndarray  # per column: non-null cells that do not obey it
    numbers: np.ndarray  # per value: number, or seconds since 1970; NaN where the value or its column has none


def infer(values: pa.Array, starts: np.ndarray, counts: np.ndarray) -> Inferred:
    """The type of every column, with the position of every value on its column's axis."""
    cells = per_column(counts, starts)
    numeric, whole, padded, numbers = _numbers(values)
    numeric_cells = per_column(counts * numeric, starts)
    is_number = _are_numbers(cells, numeric_cells, per_column(padded, starts))
    is_whole = is_number & (per_column(counts * whole, starts) == numeric_cells)
    types = np.where(cells == 0, Type.EMPTY, Type.TEXT).astype(np.uint8)
    types[is_number] = Type.DECIMAL
    types[is_whole] = Type.INTEGER
    misfits = np.where(is_number, cells - numeric_cells, 0)
    column = np.repeat(np.arange(len(types)), np.diff(starts))
    numbers[~is_number[column]] = np.nan
    _find_booleans(values, starts, types)
    _find_dates(values, starts, counts, types, misfits, numbers)
    return Inferred(types, misfits, numbers)


def numeric_columns(values: pa.Array, starts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Whether each column's type is one of numbers: what `infer` says of it, without the rest."""
    cells = per_column(counts, starts)
    likely = per_column(counts * starts_like_a_number(values), starts) >= _SHARE * cells
    if not likely.any():
        return likely
    numeric, _, padded, _ = _numbers(values)
    return _are_numbers(cells, per_column(counts * numeric, starts), per_column(padded, starts))


def _are_numbers(cells: np.ndarray, numeric_cells: np.ndarray, padded: np.ndarray) -> np.ndarray:
    return (cells > 0) & (numeric_cells >= _SHARE * cells) & (padded == 0)


def per_column(weights: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The sum of each column's weights; right for empty columns too, where `reduceat` is not."""
    running = np.concatenate([[0], np.cumsum(weights, dtype=np.int64)])
    return running[starts[1:]] - running[starts[:-1]]


def parse_numbers(values: pa.Array) -> np.ndarray:
    """The number that each value spells, NaN where it spells none."""
    return _numbers(values)[3]


def _numbers(values: pa.Array) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Which values are numbers, whole numbers, zero-padded codes; and the numbers themselves."""
    numeric, whole, padded = (np.zeros(len(values), bool) for _ in range(3))
    numbers = np.full(len(values), np.nan)
    for start in range(0, len(values), _BLOCK):
        block = values[start : start + _BLOCK]
        likely = np.flatnonzero(starts_like_a_number(block))
        texts = block.take(pa.array(likely))
        spelled = np.asarray(pc.match_substring_regex(texts, _NUMBER))
        texts = pc.replace_substring(texts.filter(pa.array(spelled)), ",", "")
        places, found = start + likely[spelled], np.asarray(texts.cast(pa.float64()))
        numbers[places], numeric[places] = np.where(np.isfinite(found), found, np.nan), np.isfinite(found)
        whole[places] = np.isfinite(found) & (np.floor(found) == found)
        padded[places] = np.asarray(pc.match_substring_regex(texts, _PADDED))
    return numeric, whole, padded, numbers


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
