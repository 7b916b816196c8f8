"""Distinct values as typed values, against short parsers of one cell."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mere.search.typed_rows import facts_of, typed_text
from mere.values import Type, normalise_cell, read_number, typed_values
from mere.values.dates import parse_dates


def typed(cells: list[str | None], **options: Any) -> pa.Table:
    return typed_text(pa.table({"c": pa.array(cells, pa.string())}), 0.66, False, **options)


def column(cells: list[str | None], **options: Any) -> pa.ChunkedArray:
    return typed(cells, **options).column("c")


def canonical(value: Any) -> str:
    """The canonical text of a typed number."""
    return normalise_cell(f"{value:f}" if isinstance(value, Decimal) else repr(value))


# How people write a number, and the mark it is read with.
STYLES = {
    "plain": (lambda text: text, "point"),
    "thousands with commas": (lambda text: _grouped(text, ","), "point"),
    "thousands with points": (lambda text: _grouped(text.replace(".", "!"), ".").replace("!", ","), "comma"),
    "thousands with spaces": (lambda text: _grouped(text.replace(".", ","), " "), "comma"),
    "decimal comma": (lambda text: text.replace(".", ","), "comma"),
    "euros": (lambda text: f"{text} €", "point"),
    "percent": (lambda text: f"{text}%", "point"),
    "brackets": (lambda text: f"({text[1:]})" if text.startswith("-") else text, "point"),
}


def _grouped(text: str, mark: str) -> str:
    whole, point, fraction = text.partition("!" if "!" in text else "," if "," in text else ".")
    sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
    return f"{sign}{int(digits):,}".replace(",", mark) + point + fraction


numbers = st.builds(
    lambda whole, fraction: f"{whole}.{fraction:02d}", st.integers(-(10**8), 10**8), st.integers(1, 99)
).filter(lambda text: not text.startswith("-0"))


@settings(max_examples=60, deadline=None)
@given(st.lists(numbers, min_size=3, max_size=8), st.sampled_from(sorted(STYLES)), st.integers(0, 2))
def test_numbers_of_every_convention_are_what_one_cell_says(texts: list[str], style: str, missing: int) -> None:
    write, mark = STYLES[style]
    texts = [*texts, "12345.25", "-7.5", "8.5", "9.25"]
    cells: list[str | None] = [*(write(text) for text in texts), *([None, "n/a"][:missing])]
    got = column(cells)
    assert got.type == pa.float64()
    expected = [read_number(normalise_cell(cell or "").strip(), mark) for cell in cells[: len(texts)]]
    assert [canonical(value) for value in got.to_pylist()[: len(texts)]] == [each and each.plain for each in expected]
    assert got.to_pylist()[len(texts) :] == [None] * missing


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-(10**20), 10**20), min_size=1, max_size=8))
def test_integers_are_never_rounded(values: list[int]) -> None:
    got = column([str(value) for value in values])
    assert [int(value) for value in got.to_pylist()] == values
    fits = all(-(2**63) <= value < 2**63 for value in values)
    assert got.type == (pa.int64() if fits else pa.decimal128(38, 0))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.decimals(-1000, 1000, places=18), min_size=1, max_size=4))
def test_a_number_that_a_float_does_not_hold_is_named(values: list[Decimal]) -> None:
    texts = [f"{value:f}5" for value in values]
    result = typed_values(pa.array([normalise_cell(text) for text in texts]), Type.DECIMAL)
    lost = [text for text in texts if Decimal(repr(float(text))) != Decimal(text)]
    assert bool(result.inexact) == bool(lost) and result.values is not None
    assert result.values.to_pylist() == [float(text) for text in texts]


FORMATS = {
    "%Y-%m-%d": dt.date, "%d.%m.%Y": dt.date, "%d %b %Y": dt.date, "%Y-%m-%d %H:%M:%S": dt.datetime,
    "%Y-%m-%dT%H:%M:%S.%f": dt.datetime, "%B %d, %Y": dt.date, "%H:%M:%S": dt.time, "%Y-%m-%dT%H:%M:%SZ": dt.datetime,
    "%d/%m/%Y %H:%M": dt.datetime,
}  # fmt: skip
TYPES = {dt.date: pa.date32(), dt.datetime: pa.timestamp("us"), dt.time: pa.time64("us")}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.datetimes(dt.datetime(1583, 1, 1), dt.datetime(2999, 1, 1)), min_size=1, max_size=6),
    st.sampled_from(sorted(FORMATS)),
)
def test_dates_are_what_one_cell_says(moments: list[dt.datetime], pattern: str) -> None:
    moments = [*moments, dt.datetime(2021, 3, 25, 17, 4, 5, 250000)]  # shows that the day comes first
    texts = [moment.strftime(pattern).replace("Sep ", "Sept ") for moment in moments]
    parsed = [dt.datetime.strptime(text.replace("Sept ", "Sep "), pattern) for text in texts]
    got, kind = column(list(texts)), FORMATS[pattern]
    zone = dt.UTC if pattern.endswith("Z") else None
    assert got.type == (pa.timestamp("us", "UTC") if zone else TYPES[kind])
    shape = {dt.date: lambda m: m.date(), dt.time: lambda m: m.time(), dt.datetime: lambda m: m.replace(tzinfo=zone)}
    assert got.to_pylist() == [shape[kind](moment) for moment in parsed]


@pytest.mark.parametrize("digits", range(1, 10))
def test_the_unit_of_a_moment_is_as_fine_as_its_fraction(digits: int) -> None:
    fraction = "123456789"[:digits]
    moments, clocks = column([f"2020-01-01 10:30:00.{fraction}"]), column([f"10:30:00.{fraction}"])
    unit, times = ("us", 1_000) if digits <= 6 else ("ns", 1)
    assert (moments.type, clocks.type) == (pa.timestamp(unit), pa.time64(unit))
    nanoseconds = int(fraction.ljust(9, "0"))
    assert moments.cast(pa.int64()).to_pylist()[0] * times % 1_000_000_000 == nanoseconds
    assert clocks.cast(pa.int64()).to_pylist()[0] * times == 37_800_000_000_000 + nanoseconds


@pytest.mark.parametrize(
    "cells, reason",
    [
        (["5/1/2020", "6/2/2020"], "the day and the month of '5/1/2020' may be exchanged"),
        (["2020-01", "2020-02"], "'2020-01' has no day"),
        (["2020-01-01", "10:30"], "some values are times without a date"),
        (["2020-01-01 10:30Z", "2020-01-01 10:30"], "some values have a time zone and some have none"),
        (["2020-01-01 10:30Z", "2020-01-01"], "some values have a time zone and some have none"),
        (["2016-12-31 23:59:60"], "'2016-12-31 23:59:60' is a leap second"),
        (["2020-01-01 10:30:00.0123456789"], "a fraction of a second is finer than Arrow's types"),
        (["1600-01-01 10:30:00.123456789"], "a fraction of a second is finer than Arrow's types"),
        (["NO", "no"], "'no' alone need not be a boolean"),
        (["1" * 39, "2"], f"'{'1' * 39}' is too large for an integer"),
        (["1", "2", "3", "TOT"], "'tot' is not a number"),
        ([*(f"2020-01-{day:02d}" for day in range(1, 12)), "unknown day"], "'unknown day' is not a date"),
        (["1,234", "5,678"], "its numbers may have decimal points or commas"),
        (["5 %", "0.07", "8 %"], "some numbers are percentages and others are not"),
    ],
)
def test_a_column_stays_text_where_something_would_be_lost_or_guessed(cells: list[str], reason: str) -> None:
    table = typed(list(cells))
    assert table.column("c").to_pylist() == cells
    assert facts_of(table)["c"]["text"].startswith(reason)


@pytest.mark.parametrize(
    "cells, type_, values",
    [
        (["yes", "No", None], pa.bool_(), [True, False, None]),
        (["TRUE", "true"], pa.bool_(), [True, True]),
        (["f", "T"], pa.bool_(), [False, True]),
        (["1/1/2020", "2/2/2020"], pa.date32(), [dt.date(2020, 1, 1), dt.date(2020, 2, 2)]),  # the same either way
        (["2020-01-01T10:30:00.123456789"], pa.timestamp("ns"), None),
        (["2020-01-01", "2020-01-02 10:30"], pa.timestamp("us"),
         [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2, 10, 30)]),
        (["2020-01-01 10:30+02:00"], pa.timestamp("us", "UTC"), [dt.datetime(2020, 1, 1, 8, 30, tzinfo=dt.UTC)]),
        (["2020-01-01 10:30 pm"], pa.timestamp("us"), [dt.datetime(2020, 1, 1, 22, 30)]),
        (["007", "008"], pa.string(), ["007", "008"]),
        (["+4312345678", "+4312345679"], pa.string(), ["+4312345678", "+4312345679"]),
        (["", "n/a"], pa.string(), ["", "n/a"]),
        ([], pa.string(), []),
        (["12.0", "3"], pa.int64(), [12, 3]),
        (["1.10", "1.9", *(f"1.{i}" for i in range(1, 12))], pa.string(), None),  # versions
    ],
)  # fmt: skip
def test_types_of_columns(cells: list[str | None], type_: pa.DataType, values: list[Any] | None) -> None:
    got = column(cells)
    assert got.type == type_
    if values is not None:
        assert got.to_pylist() == values


def test_nanoseconds_are_kept() -> None:
    [moment] = column(["2020-01-01T10:30:00.123456789"]).cast(pa.int64()).to_pylist()
    assert moment % 10**9 == 123456789


def test_misfits_become_null_if_that_is_asked_for() -> None:
    table = typed(["1", "2", "3", "TOT", "TOT", "-", "5", "6"], drop_misfits=True)
    assert table.column("c").to_pylist() == [1, 2, 3, None, None, None, 5, 6]
    assert facts_of(table) == {"c": {"misfits": 2}}


def test_units_are_kept_beside_the_column() -> None:
    assert facts_of(typed(["5 €", "7 €"])) == {"c": {"unit": "EUR"}}


@pytest.mark.parametrize("large", ["9" * 39, "1e39", "340282366920938463463374607431768211455", "-" + "1" * 40])
def test_integers_of_more_than_38_digits_stay_text(large: str) -> None:
    typed = typed_values(pa.array([large, "1", "2"]), Type.INTEGER)
    assert typed.values is None and "too large for an integer" in typed.reason
    fits = typed_values(pa.array(["9" * 37, "-" + "9" * 37]), Type.INTEGER)
    assert fits.values is not None and [int(each) for each in fits.values.to_pylist()] == [10**37 - 1, 1 - 10**37]


def test_years_of_four_digits_are_those_years() -> None:
    cells = pa.array(["1/1/0001 12:00:00 am", "5/13/2020 12:00:00 am", "5/13/20 12:00:00 am"])
    seconds = parse_dates(cells, np.zeros(3, np.int64))
    assert np.isnan(seconds[0]) and seconds[1] == seconds[2] == 1589328000
