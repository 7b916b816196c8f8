"""What a program makes of rows: every operator, and every kind of input."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings

from mere.errors import UsageError
from mere.transform import Constant, Piece, Program, Split

from .programs import COLUMNS, programs_with_rows


@pytest.mark.parametrize(
    ("piece", "cell", "output"),
    [
        (Piece(0), "  a b ", "a b"),
        (Piece(0), "\ta\u00a0", "\ta\u00a0"),
        (Piece(0), " ", None),
        (Piece(0, (Split(", ", 1, 1),)), "Obama, Barack", "Barack"),
        (Piece(0, (Split(", ", 1, 1),)), "Plato", None),
        (Piece(0, (Split(", ", 1, 1),)), "Plato, ", None),
        (Piece(0, (Split(", ", 0, 0),)), "Plato, ", "Plato,"),
        (Piece(0, (Split(",", 1, 1),)), "a,,b", None),
        (Piece(0, (Split(",", -1, -1),)), "a,,b", "b"),
        (Piece(0, (Split(",", -4, -4),)), "a,,b", None),
        (Piece(0, (Split(" ", 1, -1),)), "a b c", "b c"),
        (Piece(0, (Split(" ", 1, 2),)), "a b", None),
        (Piece(0, (Split(" ", 0, 1),)), "a b c", "a b"),
        (Piece(0, (Split(" ", -2, -1),)), "a", None),
        (Piece(0, (Split(" ", -1, 0),)), "a", "a"),
        (Piece(0, (Split(" ", -1, 0),)), "a b", None),
        (Piece(0, (Split("(", 1, 1), Split("-", 0, 0))), "Obama (1961 - )", "1961"),
        (Piece(0, (Split("aa", 0, 0),)), "baaa", "b"),
        (Piece(0, keep="digits"), "a1 b٣2²", "12"),
        (Piece(0, keep="digits"), "ab", None),
        (Piece(0, keep="letters"), "Zoë 9-Ж_你", "ZoëЖ你"),
        (Piece(0, keep="letters and digits"), "é-1 b²", "é1b"),
        (Piece(0, keep="no spaces"), "a b\tc", "ab\tc"),
        (Piece(0, month=True), " January ", "1"),
        (Piece(0, month=True), "DEC", "12"),
        (Piece(0, month=True), "sept", "9"),
        (Piece(0, month=True), "janu", None),
        (Piece(0, zeros=0), "007", "7"),
        (Piece(0, zeros=0), "000", "0"),
        (Piece(0, zeros=5), "42", "00042"),
        (Piece(0, zeros=2), "1234", "1234"),
        (Piece(0, zeros=5), " ", None),
        (Piece(0, stop=3), "abcdef", "abc"),
        (Piece(0, start=-2), "a", "a"),
        (Piece(0, start=1, stop=-1), "(ab )", "ab"),
        (Piece(0, start=4), "abc", None),
        (Piece(0, case="lower"), "ÄB", "äb"),
        (Piece(0, case="upper"), "straße", "STRASSE"),
        (Piece(0, case="title"), "o'NEIL-x  y", "O'neil-x  Y"),
        (Piece(0, (Split(" ", 1, 1),), "digits", False, 4, 1, 3, "upper"), "a b12", "01"),
    ],
)
def test_every_operator(piece, cell, output):
    assert Program(("c",), (piece,)).row((cell,)) == output


def test_steps_are_concatenated_and_the_output_is_cut_off():
    program = Program(("a", "b"), (Piece(0, stop=1), Constant("."), Piece(1)), limit=5)
    assert program.row(("Ada", "Lovelace")) == "A.Lov"
    assert program.row(("Ada", None)) is None
    assert program.row(("", "Lovelace")) is None


def test_a_column_that_is_not_read_may_have_no_value():
    assert Program(("a", "b"), (Piece(1),)).row((None, "x")) == "x"
    assert Program(("a",), (Constant("x"),)).row((None,)) == "x"


@given(programs_with_rows(rows=10))
@settings(max_examples=200)
def test_many_rows_are_like_each_row(case):
    program, rows = case
    expected = [program.row(row) for row in rows]
    columns = dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))
    assert program(columns) == program.over(list(columns.values())) == expected
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        assert program(make(columns)) == expected


LAST = Program(("n",), (Piece(0, (Split(" ", -1, -1),)),))
BOTH = Program(("a", "b"), (Piece(0), Constant("-"), Piece(1)))


@pytest.mark.parametrize(
    "values",
    [
        ["x y", None, 7], ("x y", None, 7), iter(["x y", None, 7]), np.array(["x y", None, 7], object),
        pd.Series(["x y", None, 7]), pd.Series(["x y", pd.NA, "7"], dtype="string"), pd.Index(["x y", np.nan, 7]),
        pl.Series(["x y", None, "7"]), pa.array(["x y", None, "7"]), pa.chunked_array([["x y"], [None, "7"]]),
        {"n": ["x y", None, 7], "other": []}, {"n": pd.Series(["x y", pd.NaT, 7])},
        pa.record_batch({"n": ["x y", None, "7"]}),
    ],
    ids=lambda values: type(values).__name__,
)  # fmt: skip
def test_values_come_in_many_forms(values):
    assert LAST(values) == ["y", None, "7"]


def test_what_is_not_a_text_is_read_as_python_writes_it():
    day = datetime.date(2020, 1, 5)
    assert LAST([1.5, True, day, np.int64(3), float("nan")]) == ["1.5", "True", "2020-01-05", "3", None]


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_two_columns_come_by_name_in_any_order(make):
    assert BOTH(make({"b": ["1", "2"], "x": ["", ""], "a": ["p", None]})) == ["p-1", None]


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_a_missing_column_is_named(make):
    with pytest.raises(UsageError, match="no column 'b'; there are: a, c"):
        BOTH(make({"a": ["1"], "c": ["2"]}))


def test_a_column_name_that_occurs_twice_is_refused():
    with pytest.raises(UsageError, match="2 columns are named 'a'"):
        BOTH(pd.DataFrame([["1", "2", "3"]], columns=["a", "a", "b"]))
    with pytest.raises(UsageError, match="2 columns are named 'a'"):
        BOTH(pa.table([["1"], ["2"], ["3"]], names=["a", "a", "b"]))


@pytest.mark.parametrize("values", ["x y", b"x", 7, None, {"n": "x y"}, {"n": 7}], ids=repr)
def test_a_single_value_is_refused(values):
    with pytest.raises(UsageError, match="expected several values"):
        LAST(values)


def test_one_list_is_not_enough_for_two_columns():
    with pytest.raises(UsageError, match=r"reads 2 columns \(a, b\), got one list"):
        BOTH(["x"])


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(UsageError, match="not of one length: a 2, b 1"):
        BOTH({"a": ["1", "2"], "b": ["3"]})


def test_no_rows_give_no_outputs():
    assert LAST([]) == [] == BOTH({"a": [], "b": []})
