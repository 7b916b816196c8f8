"""Which date or time does a value stand for?

Values arrive normalised (lower case, single spaces).  Each family of formats (`date_patterns`) is one regular
expression over the array: year first (`2020-01-05`, `2020.01.05`, `2020年1月5日`, `2020-01`), numeric with the year
last (`5/1/2020`, `5. 1. 2020`), with the month as a word (`5 jan 2020`, `5. märz 2020`, `5jan2020`, `january 5, 2020`),
as C writes it (`sun jan 5 10:30:00 2020`), compact (`20200105t103000z`), and the time of day.  A time may follow a
date.

Whether `5/1/2020` is in May or January depends on the column, and then on its table (`day_orders`); with dots, the day
is always first.  `1.2.10` and `2021.3.2` may be versions.  A date with dots and a year of two digits, or with the year
first, has two digits for day and month (`13.07.21`, `2021.07.13`) or a time behind it, or is in a column where a date
has a day above twelve (`13.7.21`); with a blank behind the dots (`2020. 1. 5.`) it is no version.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.values.date_patterns import DIGIT_FIRST, LETTER_FIRST, LOOKS, MONTHS, NO_DAY, WEEKDAYS
from mere.values.day_orders import Shown, orders_of_parts
from mere.values.hashing import string_buffers
from mere.values.normalise import starts_like_a_number

FIRST_MOMENT, LAST_MOMENT = -62135596800.0, 253402300800.0  # from the start of year 1 to the end of year 9999
_PLAIN_LENGTH, _PLAIN_DIGITS, _PLAIN_MARKS = 10, [0, 1, 2, 3, 5, 6, 8, 9], [4, 7]  # of `2020-01-05`
_NUMBERS = ("year", "month", "day", "first", "other", "hour", "minute", "second")  # parts that are digits
_PLAIN_PARTS = np.array([[1000, 100, 10, 1, 0, 0, 0, 0], [0, 0, 0, 0, 10, 1, 0, 0], [0, 0, 0, 0, 0, 0, 10, 1]]).T


def looks_like_a_date(values: pa.Array) -> np.ndarray:
    """A cheap test that every date passes, and most other values do not."""
    return np.asarray(pc.fill_null(pc.match_substring_regex(values, LOOKS), False))


def is_unknown_day(values: pa.Array) -> np.ndarray:
    """Which values stand for a date that is not known, as databases write it: `0000-00-00`."""
    return np.asarray(pc.match_substring_regex(values, NO_DAY))


def parse_dates(values: pa.Array, column: np.ndarray, day_first: bool | np.ndarray = False) -> np.ndarray:
    """Seconds since 1970 of every value, NaN if it is not a date; `column` is the number of each value's column.

    `day_first`: the order of day and month in the columns that do not tell, one for all or one per value.
    """
    day_first = np.broadcast_to(day_first, len(values))
    seconds = _plain_days(values)
    for family, places, groups in _matches(values, np.flatnonzero(np.isnan(seconds))):
        seconds[places] = _moments(family, groups, column[places], day_first[places])
    return seconds


def _matches(values: pa.Array, open_places: np.ndarray) -> Iterator[tuple[str, np.ndarray, pa.StructArray]]:
    """For each family, the places of values that are written like it, and their parts."""
    is_digit = starts_like_a_number(values)[open_places]
    for families, places in ((DIGIT_FIRST, open_places[is_digit]), (LETTER_FIRST, open_places[~is_digit])):
        for family, pattern in families.items():
            if places.size == 0:
                break
            groups = pc.extract_regex(values.take(pa.array(places)), pattern)
            matched = np.asarray(groups.is_valid())
            if matched.any():
                yield family, places[matched], groups.filter(pa.array(matched))
                places = places[~matched]


class Details(NamedTuple):
    """What is written in dates, one entry per value."""

    no_day: np.ndarray  # bool: it is a month
    no_date: np.ndarray  # bool: it is a time of day
    timed: np.ndarray  # bool: it has a time of day
    zoned: np.ndarray  # bool: ...with its zone
    leap: np.ndarray  # bool: ...in a leap second
    fraction: np.ndarray  # of a second: its digits (str), or empty


def details_of(values: pa.Array) -> Details:
    """What is written in values that are dates."""
    no_day, no_date, timed, zoned, leap = np.zeros((5, len(values)), bool)
    fraction = np.full(len(values), "", object)
    for family, places, groups in _matches(values, np.flatnonzero(np.isnan(_plain_days(values)))):
        no_day[places], no_date[places] = family == "month", family == "clock"
        timed[places], zoned[places] = _has(groups, "hour"), _has(groups, "zone")
        with_fraction = np.flatnonzero(_has(groups, "fraction"))
        if with_fraction.size:
            fraction[places[with_fraction]] = groups.field("fraction").take(pa.array(with_fraction)).to_pylist()
        if "second" in _names(groups):
            leap[places] = np.asarray(pc.equal(groups.field("second"), "60"))
    return Details(no_day, no_date, timed, zoned, leap, fraction)


def _names(groups: pa.StructArray) -> list[str]:
    return [field.name for field in groups.type]


def _has(groups: pa.StructArray, name: str) -> np.ndarray:
    """Which values have a part."""
    if name not in _names(groups):
        return np.zeros(len(groups), bool)
    return np.asarray(pc.not_equal(groups.field(name), ""))


def _plain_days(values: pa.Array) -> np.ndarray:
    """Seconds since 1970 of the values that are written `2020-01-05`, which most dates are; NaN of all others."""
    seconds = np.full(len(values), np.nan)
    offsets, data = string_buffers(values)
    places = np.flatnonzero(np.diff(offsets) == _PLAIN_LENGTH)
    texts = data[offsets[places][:, None] + np.arange(_PLAIN_LENGTH)]
    digits = texts[:, _PLAIN_DIGITS] - np.uint8(ord("0"))
    plain = (digits < 10).all(axis=1) & (texts[:, _PLAIN_MARKS] == ord("-")).all(axis=1)
    plain &= (digits[:, 0] == 1) | (digits[:, 0] == 2)
    year, month, day = (digits[plain].astype(np.float64) @ _PLAIN_PARTS).T
    seconds[places[plain]] = _days(year, month, day) * 86400.0
    return seconds


def spelled_moment(seconds: float) -> str:
    """A moment as text, to the second, and without its time of day at midnight.

    >>> spelled_moment(1580428800.0), spelled_moment(-1.0)
    ('2020-01-31', '1969-12-31T23:59:59')

    Outside of the years 1 to 9999 there are no dates, and it is written in seconds.

    >>> spelled_moment(1e300)
    '1e+300 seconds since 1970'
    """
    if not FIRST_MOMENT <= seconds <= LAST_MOMENT:
        return f"{seconds:g} seconds since 1970"
    return str(np.datetime64(int(np.floor(seconds)), "s")).removesuffix("T00:00:00")


def _moments(family: str, groups: pa.StructArray, column: np.ndarray, day_first: np.ndarray) -> np.ndarray:
    part = {name: _number(groups.field(name)) for name in _names(groups) if name in _NUMBERS}
    midnight = np.zeros(len(groups))
    if family != "clock":
        midnight = _days(*_calendar(family, groups, part, column, day_first)) * 86400.0
    if "hour" not in part:
        return midnight
    clock = part["hour"] * 3600 + part["minute"] * 60 + part["second"]
    valid = (part["hour"] < 24) & (part["minute"] < 60) & (part["second"] < 61)
    return np.where(valid, midnight + clock + _afternoon(groups, part) - _zone(groups), np.nan)


def _calendar(
    family: str, groups: pa.StructArray, part: dict[str, np.ndarray], column: np.ndarray, day_first: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    year = part["year"]
    short = np.asarray(pc.less_equal(pc.utf8_length(groups.field("year")), 2))
    year = np.where(short, np.where(year < 69, year + 2000, year + 1900), np.where(year < 100, np.nan, year))
    if family == "numeric":
        first, other = part["first"], part["other"]
        dotted = np.asarray(pc.equal(groups.field("mark"), "."))
        year = np.where(dotted & short & _may_be_versions(groups, part, column, ("first", "other")), np.nan, year)
        shown = orders_of_parts(first, other)
        before = dotted | np.isin(column, column[shown == Shown.DAY])
        before |= day_first & ~np.isin(column, column[~dotted & (shown == Shown.MONTH)])
        return year, np.where(before, other, first), np.where(before, first, other)
    if family == "month":
        return year, part["month"], np.ones(len(year))
    if family == "iso":
        dotted = np.asarray(pc.equal(groups.field("mark"), "."))
        year = np.where(dotted & _may_be_versions(groups, part, column, ("day", "month")), np.nan, year)
    if family in ("iso", "compact"):
        return year, part["month"], part["day"]
    if "weekday" in _names(groups):
        known = pc.is_in(groups.field("weekday"), value_set=pa.array(["", *WEEKDAYS]))
        year = np.where(np.asarray(known), year, np.nan)
    place = pc.fill_null(pc.index_in(groups.field("word"), pa.array(list(MONTHS))), -1)
    return year, np.array([*MONTHS.values(), 0])[np.asarray(place)], part["day"]


def _may_be_versions(
    groups: pa.StructArray, part: dict[str, np.ndarray], column: np.ndarray, names: tuple[str, str]
) -> np.ndarray:
    """Which values like `1.2.10` are not shown to be dates, by themselves or by others of their column.

    `names` are those of the parts that are the day and the month.
    """
    day, month = (part[name] for name in names)
    padded = [np.asarray(pc.equal(pc.binary_length(groups.field(name)), 2)) for name in names]
    shown = orders_of_parts(day, month) == Shown.DAY
    return ~((padded[0] & padded[1]) | _has(groups, "hour") | np.isin(column, column[shown]))


def _days(year: np.ndarray, month: np.ndarray, day: np.ndarray) -> np.ndarray:
    """Days since 1970, NaN for a day that does not exist."""
    finite = np.isfinite(year)
    year = np.where(finite, year, 1970)
    months = ((year - 1970) * 12 + (month - 1)).astype("int64").astype("datetime64[M]")
    days = months.astype("datetime64[D]") + (day - 1).astype("int64")
    real = finite & (month >= 1) & (month <= 12) & (day >= 1) & (days.astype("datetime64[M]") == months)
    return np.where(real, days.astype("int64"), np.nan)


def _number(texts: pa.Array) -> np.ndarray:
    """The digits of a group as numbers; a group that did not match is 0."""
    digits = pc.if_else(pc.equal(texts, ""), "0", texts)
    return np.asarray(pc.fill_null(digits.cast(pa.int64()), 0)).astype(float)


def _afternoon(groups: pa.StructArray, part: dict[str, np.ndarray]) -> np.ndarray | float:
    if "half" not in _names(groups):
        return 0.0
    half = pc.utf8_slice_codeunits(groups.field("half"), 0, 1)
    hour = part["hour"]
    late = np.asarray(pc.equal(half, "p")) & (hour < 12)
    midnight = np.asarray(pc.equal(half, "a")) & (hour == 12)
    return late * 43200.0 - midnight * 43200.0


def _zone(groups: pa.StructArray) -> np.ndarray | float:
    if "zone" not in _names(groups):
        return 0.0
    zone = pc.extract_regex(groups.field("zone"), r"^(?P<sign>[+-])(?P<hours>[0-9]{2}):?(?P<minutes>[0-9]{0,2})$")
    shift = _number(zone.field("hours")) * 3600 + _number(zone.field("minutes")) * 60
    sign = np.where(np.asarray(pc.fill_null(pc.equal(zone.field("sign"), "-"), False)), -1.0, 1.0)
    return sign * shift
