"""Which type does a column have, according to its values?

A column of numbers is one in which two thirds of the cells are numbers and most others are labels (`conventions`).
Otherwise a column has the narrowest type that at least nine tenths of its non-null cells have, or all but one label
(`Total`) among three dates or more.  The other cells are counted as misfits.

Columns are passed as flat arrays: all distinct values of all columns in one Arrow array, `starts[c]:starts[c + 1]`
those of column `c`, `counts` the number of cells with each.  So a thousand columns take as many calls as three.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.values.conventions import NUMBER_SHARE, Known, Readings, decide, evidence_of
from mere.values.dates import looks_like_a_date, parse_dates
from mere.values.normalise import starts_like_a_number
from mere.values.spelled import Kind, Spelled, classify, plain_numbers

_SHARE = 0.9  # of the non-null cells are dates
_FEWEST_DATES = 3  # beside a label (`Total`)
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
    places, forms = plain_numbers(values, spelled, readings.comma[column])
    mask = np.zeros(len(values), bool)
    mask[places] = True
    plain = pc.replace_with_mask(values, pa.array(mask), forms.take(pa.array(np.argsort(places))).cast(values.type))
    return infer_types(plain, starts, counts, numeric, np.full(columns, day_first))


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
    values: pa.Array, starts: np.ndarray, counts: np.ndarray, numeric: np.ndarray, day_first: np.ndarray
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
    inferred = Inferred(types, misfits, numbers)
    _find_dates(values, starts, counts, inferred, day_first)
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


def _find_dates(
    values: pa.Array, starts: np.ndarray, counts: np.ndarray, inferred: Inferred, day_first: np.ndarray
) -> None:
    types, misfits, numbers = inferred.types, inferred.misfits, inferred.numbers
    column = np.repeat(np.arange(len(types)), np.diff(starts))
    candidates = np.flatnonzero(types[column] == Type.TEXT)
    likely = np.zeros(len(values), bool)
    for start in range(0, len(candidates), _BLOCK):
        block = candidates[start : start + _BLOCK]
        likely[block] = looks_like_a_date(values.take(pa.array(block)))
    cells = per_column(counts, starts)
    others = cells - per_column(counts * likely, starts)
    most = cells - _SHARE * cells  # misfits of a column of dates; in a short one, a label
    short = np.flatnonzero((types == Type.TEXT) & (others == 1) & (most < 1) & (cells > _FEWEST_DATES))
    most[short] = [_has_a_label(values, likely, starts[c : c + 2]) for c in short]
    open_columns = (types == Type.TEXT) & (others <= most)
    places = np.flatnonzero(open_columns[column])
    if places.size == 0:
        return
    moments = np.full(len(values), np.nan)
    moments[places] = parse_dates(values.take(pa.array(places)), column[places], day_first[column[places]])
    missed = cells - per_column(counts * ~np.isnan(moments), starts)
    is_date = open_columns & (missed <= most)
    types[is_date], misfits[is_date] = Type.DATETIME, missed[is_date]
    dated = is_date[column]
    numbers[dated] = moments[dated]


def _has_a_label(values: pa.Array, likely: np.ndarray, span: np.ndarray) -> bool:
    """Whether the only value of a column that is no date has no digit."""
    start, stop = span
    (place,) = np.flatnonzero(~likely[start:stop])
    return not any(map(str.isdigit, values[int(start + place)].as_py()))
