"""Which number does a user mean: an exact fraction, a number to compare with, a date?

Fractions are exact: 0.3 means three tenths, not the nearest binary number.
"""

from __future__ import annotations

import datetime
import math
import re
from contextlib import suppress
from decimal import Decimal, InvalidOperation, localcontext
from fractions import Fraction
from numbers import Real
from typing import Any

from mere.errors import QueryError

_EIGHT_DIGITS = re.compile("[0-9]{8}")  # a date, in quotes
_MOST_DIGITS = 100  # of a fraction, after the decimal point


class Moment(float):
    """Seconds since 1970, written as a date."""


def fraction_of(given: Any) -> Fraction:
    """An exact fraction from 0 to 1.

    >>> fraction_of(0.3), fraction_of("30 %"), fraction_of(1)
    (Fraction(3, 10), Fraction(3, 10), Fraction(1, 1))
    """
    text = str(given).strip()
    try:
        exact = given if isinstance(given, Fraction) else _to_fraction(Decimal(text.removesuffix("%").strip()))
        exact = exact / 100 if text.endswith("%") else exact
    except (InvalidOperation, ValueError, OverflowError):
        exact = Fraction(-1)
    if not 0 <= exact <= 1:
        raise QueryError(f"{given!r} is not a fraction", "give a number from 0 to 1, or from 0% to 100%")
    return exact


def _to_fraction(number: Decimal) -> Fraction:
    """Refuses very long numbers, because their exact fractions take very long to compute."""
    if number.is_finite() and int(number.as_tuple().exponent) < -_MOST_DIGITS:
        raise QueryError(f"the fraction has more than {_MOST_DIGITS} digits", "give fewer digits")
    return Fraction(number) if number <= 100 else Fraction(-1)


def number_of(given: Any) -> float:
    """A number to compare with; a date or a datetime becomes seconds since 1970, as in columns of dates."""
    if isinstance(given, Moment):
        return given
    if hasattr(given, "isoformat"):  # datetime's classes, pandas' and others
        with suppress(ValueError):  # raised for pandas' NaT
            return Moment(_seconds(given))
    try:
        if not isinstance(given, bool) and isinstance(given, Real) and not math.isnan(given):
            return float(given)
    except OverflowError:
        raise QueryError(f"a number of {len(str(given))} digits is too large", "give one below 1e308") from None
    remedy = "give a number, a date or a datetime"
    if isinstance(given, str):
        remedy += "; for tables with a column that has this value, use mere.ask('overlap', [value])"
    raise QueryError(f"cannot compare with {given!r}", remedy)


def moment_of(text: str) -> float:
    """The moment that is written as in ISO 8601."""
    try:
        return number_of(datetime.datetime.fromisoformat(text))
    except (ValueError, OverflowError) as error:
        raise QueryError(f"'{text}' is not a date: {error}", "write it as 2020-01-31") from None


def value_of(text: str) -> float:
    """The number or the moment that a text stands for, read like a cell; one with two meanings is refused.

    >>> value_of("1,234.5"), format_number(value_of("13.07.2021")), format_number(value_of("13 July 2021"))
    (1234.5, '2021-07-13', '2021-07-13')
    """
    try:
        return moment_of(text)
    except QueryError:
        if _EIGHT_DIGITS.fullmatch(text):  # not a number by accident
            raise
    from mere.values import normalise_cell, read_number  # as late as possible: Arrow takes long to import

    value = normalise_cell(text)
    with_point, with_comma = read_number(value), read_number(value, "comma")
    if with_point is None or with_comma is None or with_point.unit:
        return _spelled_moment(text, value)
    if "," in value and with_point.plain != with_comma.plain:  # a point alone is the decimal mark, as without quotes
        choices = f"{with_point.plain} or {with_comma.plain}"
        raise QueryError(f"'{text}' may be {choices}", f"write {choices}")
    return number_of(float(with_point.plain))


def _spelled_moment(text: str, value: str) -> float:
    import numpy as np
    import pyarrow as pa

    from mere.values import parse_dates, spelled_moment

    month_first, day_first = (
        float(parse_dates(pa.array([value]), np.zeros(1, np.int64), order)[0]) for order in (False, True)
    )
    if math.isnan(month_first):
        raise QueryError(f"'{text}' is neither a number nor a date", "write it like 40, 1234.5 or 2020-01-31")
    if month_first != day_first:
        fault = f"'{text}' may be {spelled_moment(month_first)} or {spelled_moment(day_first)}"
        raise QueryError(fault, "write the year first: 2020-01-31")
    return Moment(month_first)


def _seconds(moment: Any) -> float:
    parsed = datetime.datetime.fromisoformat(moment.isoformat())
    return parsed.replace(tzinfo=parsed.tzinfo or datetime.UTC).timestamp()


def format_number(number: float) -> str:
    """As it is written in a condition, and read back as the same: integers without a point, moments as dates.

    >>> format_number(40.0), format_number(0.5), format_number(Moment(86400)), format_number(-math.inf)
    ('40', '0.5', '1970-01-02', '-1e999')
    """
    if math.isinf(number):
        return "1e999" if number > 0 else "-1e999"
    if isinstance(number, Moment):
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=number)
        return moment.isoformat().removesuffix("T00:00:00")
    return f"{number:.0f}" if abs(number) < 1e15 and number == round(number) else repr(number)


def format_percent(fraction: Fraction) -> str:
    """In percent, exact if it has finitely many decimals.

    >>> format_percent(Fraction(3, 10)), format_percent(Fraction(1, 3))
    ('30%', '33.333333333333336%')
    """
    odd = fraction.denominator
    for prime in (2, 5):
        while odd % prime == 0:
            odd //= prime
    if odd > 1:
        return f"{format_number(float(100 * fraction))}%"
    with localcontext(prec=2 * _MOST_DIGITS + 9):
        return f"{(100 * Decimal(fraction.numerator) / fraction.denominator).normalize():f}%"
