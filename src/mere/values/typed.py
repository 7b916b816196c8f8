"""Which Arrow type has a column, and which typed value has each of its distinct values?

Values arrive as a segment keeps them: folded, numbers plain (`6718.21`), each once.  A column gets the type of numbers,
dates or booleans only if every value has it and nothing is guessed; otherwise it stays text, with the reason:

    integer    int64; decimal128(38, 0) if a value is too large for that; text beyond 38 digits
    decimal    float64; a number with more digits than a float64 holds is named (`inexact`)
    date/time  date32; timestamp[us], or [ns] for finer fractions, if a value has a time of day; in UTC if all have a
               zone; time64[us] for times without a date.  Text: months without a day; dates of which 5/1/2020 may be in
               January or in May; some values with a zone and some without; fractions finer than a nanosecond
    boolean    bool, if both words of a pair occur (yes, no), or one of true and false: `no` alone may be Norway

Cost: one conversion per distinct value; dates that are not in ISO order are parsed twice.
"""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.values.dates import Details, details_of, parse_dates
from mere.values.day_orders import DAY_FIRST
from mere.values.types import Type

_NUMBER = r"^-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$"
_LARGEST = 1e38  # the first integer that does not fit in a decimal of 38 digits
_SAFE_LENGTH = 16  # characters: a sign or a point, and 15 digits, which every float64 holds
_TRUE, _FALSE = ("true", "yes", "t", "y"), ("false", "no", "f", "n")
_ISO = r"^[12][0-9]{3}[-/][0-9]{1,2}[-/]"
_SHOWN = 40  # characters of a value that is named
_NANOSECONDS = 9.2e9  # seconds on both sides of 1970 that 64 bits of nanoseconds hold, about


class Typed(NamedTuple):
    """The typed value of each distinct value of a column; None if the column stays text."""

    values: pa.Array | None
    reason: str = ""  # why it stays text
    inexact: str = ""  # a number with more digits than a float64 holds


def typed_values(values: pa.Array, type_: Type, drop_misfits: bool = False, order: str = "") -> Typed:
    """The values as the type of their column; misfits keep the column text, or become null with `drop_misfits`.

    `order` is that of day and month in its table (`day_orders`), for dates that do not show it.

    >>> typed_values(pa.array(["6718.21", "5"]), Type.DECIMAL).values.to_pylist()
    [6718.21, 5.0]
    >>> typed_values(pa.array(["1", "tot"]), Type.INTEGER)
    Typed(values=None, reason="'tot' is not a number", inexact='')
    """
    if type_.is_number:
        return _numbers(values, type_, drop_misfits)
    if type_ is Type.DATETIME:
        return _moments(values, drop_misfits, order)
    return _booleans(values) if type_ is Type.BOOLEAN else Typed(None)


def _numbers(values: pa.Array, type_: Type, drop_misfits: bool) -> Typed:
    plain = pc.match_substring_regex(values, _NUMBER)
    if (misfit := _first(values, pc.invert(plain))) is not None and not drop_misfits:
        return Typed(None, f"'{misfit}' is not a number")
    digits = pc.if_else(plain, values, pa.scalar(None, values.type))
    if type_ is Type.DECIMAL:
        return Typed(digits.cast(pa.float64()), inexact=_inexact(digits))
    try:
        return Typed(digits.cast(pa.int64()))
    except pa.ArrowInvalid:  # Arrow's cast to a decimal does not notice more digits than it holds
        largest = pc.max(pc.abs(digits.cast(pa.float64()))).as_py()
    if largest < _LARGEST:
        return Typed(digits.cast(pa.decimal128(38, 0)))
    return Typed(None, f"'{_longest(digits)}' is too large for an integer")


def _inexact(digits: pa.Array) -> str:
    """The first number that is not what its float64 is written as."""
    long = digits.filter(pc.fill_null(pc.greater(pc.binary_length(digits), _SAFE_LENGTH), False))
    return next((text for text in long.to_pylist() if Decimal(repr(float(text))) != Decimal(text)), "")


def _longest(texts: pa.Array) -> str:
    return max(texts.drop_null().to_pylist(), key=len)


def _booleans(values: pa.Array) -> Typed:
    words = set(values.to_pylist())
    if len(words) < 2 and not words & {"true", "false"}:
        return Typed(None, f"'{min(words)}' alone need not be a boolean" if words else "")
    return Typed(pc.is_in(values, value_set=pa.array(_TRUE, values.type)))


def _moments(values: pa.Array, drop_misfits: bool, order: str) -> Typed:
    column = np.zeros(len(values), np.int64)
    seconds = parse_dates(values, column, order == DAY_FIRST)
    if (misfit := _first(values, pa.array(np.isnan(seconds)))) is not None and not drop_misfits:
        return Typed(None, f"'{misfit}' is not a date")
    if not order and (doubtful := _in_two_ways(values, seconds)) is not None:
        return Typed(None, f"the day and the month of '{doubtful}' may be exchanged")
    details = details_of(values)
    if (month := _first(values, pa.array(details.no_day))) is not None:
        return Typed(None, f"'{month}' has no day")
    if (leap := _first(values, pa.array(details.leap))) is not None:
        return Typed(None, f"'{leap}' is a leap second")
    return _of_precision(seconds, details)


def _in_two_ways(values: pa.Array, seconds: np.ndarray) -> str | None:
    """A date that is another day if the day comes before the month, where the column does not tell."""
    if pc.all(pc.match_substring_regex(values, _ISO)).as_py():
        return None
    exchanged = parse_dates(values, np.zeros(len(values), np.int64), day_first=True)
    return _first(values, pa.array(~((seconds == exchanged) | (np.isnan(seconds) & np.isnan(exchanged)))))


def _of_precision(seconds: np.ndarray, details: Details) -> Typed:
    """Dates, moments or times of day, as fine as they are written."""
    real = ~np.isnan(seconds)
    timed, clock, zoned = (real & each for each in (details.timed, details.no_date, details.zoned))
    whole = np.where(real, seconds, 0).astype(np.int64)
    if not timed.any():
        return Typed(pa.array(whole // 86400, pa.int32(), mask=~real).cast(pa.date32()))
    if (clock != real).any() and clock.any():
        return Typed(None, "some values are times without a date")
    if zoned.any() and (zoned != real).any():
        return Typed(None, "some values have a time zone and some have none")
    parts = _fractions(details.fraction, timed)
    if parts is None or (parts.digits > 6 and (np.abs(whole) > _NANOSECONDS).any()):
        return Typed(None, "a fraction of a second is finer than Arrow's types")
    unit, per_second = ("us", 10**6) if parts.digits <= 6 else ("ns", 10**9)
    moments = pa.array(whole * per_second + parts.nanoseconds // (10**9 // per_second), pa.int64(), mask=~real)
    if clock.any():
        return Typed(moments.cast(pa.time64(unit)))
    return Typed(moments.cast(pa.timestamp(unit, "UTC" if zoned.any() else None)))


class _Fractions(NamedTuple):
    nanoseconds: np.ndarray
    digits: int  # of the finest


def _fractions(written: np.ndarray, timed: np.ndarray) -> _Fractions | None:
    """The fractions of seconds, given their digits; None if one has more than nine."""
    places = np.flatnonzero(timed & (written != ""))
    nanoseconds = np.zeros(len(written), np.int64)
    texts = [text.rstrip("0") for text in written[places]]
    digits = max(map(len, texts), default=0)
    if digits > 9:
        return None
    nanoseconds[places] = [int(text.ljust(9, "0")) for text in texts]
    return _Fractions(nanoseconds, digits)


def _first(values: pa.Array, where: pa.Array) -> str | None:
    """The least of the values at some places, so that the order of the values does not matter."""
    least: str | None = pc.min(values.filter(where)).as_py()
    return least if least is None or len(least) <= _SHOWN else f"{least[:_SHOWN]}..."
