"""The type of a column follows from its values; columns are passed as one flat array."""

import datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mere.values import Type, infer
from mere.values.dates import parse_dates


def types_of(*columns):
    flat = pa.array([v for column in columns for v in column], pa.string())
    starts = np.cumsum([0, *map(len, columns)])
    return infer(flat, starts, np.ones(len(flat), np.int64))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["1", "2", "-3"], Type.INTEGER),
        (["1", "2.5"], Type.DECIMAL),
        (["1,234", "12"], Type.INTEGER),
        (["007", "12", "13"], Type.TEXT),
        (["true", "false"], Type.BOOLEAN),
        (["f", "m"], Type.TEXT),
        (["f"], Type.TEXT),
        (["yes"], Type.BOOLEAN),
        (["2020-01-05", "2021-12-31"], Type.DATETIME),
        (["13/01/2020", "02/01/2020"], Type.DATETIME),
        (["jan 5, 2020"], Type.DATETIME),
        (["5-mar-99"], Type.DATETIME),
        (["2020-13-05", "2021-02-30"], Type.TEXT),
        (["1.2.3.4", "10.0.0.1"], Type.TEXT),
        (["1.2.10", "1.3.11"], Type.TEXT),
        (["12 marbles 20", "3 mayonnaise 12"], Type.TEXT),
        (["1204-11", "1205-11"], Type.TEXT),
        (["2020-11", "2021-01"], Type.DATETIME),
        (["24:59:99", "12:30:75"], Type.TEXT),
        (["23:59:59", "12:30"], Type.DATETIME),
        (["3 september 2020", "sept 5, 2020"], Type.DATETIME),
        ([], Type.EMPTY),
        (["abc", "1"], Type.TEXT),
    ],
)
def test_a_column_has_the_type_of_its_values(values, expected):
    assert types_of(values).types.tolist() == [expected]


def test_the_type_of_a_column_does_not_depend_on_other_columns():
    inferred = types_of([], ["1"], [], ["a"], ["2020-01-01"], [])
    assert inferred.types.tolist() == [
        Type.EMPTY,
        Type.INTEGER,
        Type.EMPTY,
        Type.TEXT,
        Type.DATETIME,
        Type.EMPTY,
    ]


def test_a_few_misfits_are_counted():
    inferred = types_of([str(i) for i in range(1, 20)] + ["<5"])
    assert (inferred.types[0], inferred.misfits[0]) == (Type.INTEGER, 1)


@given(st.datetimes(datetime.datetime(1000, 1, 1), datetime.datetime(2999, 12, 31)))
@settings(max_examples=300, deadline=None)
def test_all_formats_of_a_date_give_the_same_moment(moment):
    moment = moment.replace(microsecond=0)
    expected = (moment - datetime.datetime(1970, 1, 1)).total_seconds()
    midnight = (moment.replace(hour=0, minute=0, second=0) - datetime.datetime(1970, 1, 1)).total_seconds()
    month = moment.strftime("%b").lower()
    for text, seconds in [
        (moment.isoformat().lower(), expected),
        (moment.isoformat(" ") + "z", expected),
        (f"{moment.day}.{moment.month}.{moment.year}", midnight),
        (f"{moment.day} {month} {moment.year}", midnight),
        (f"{month} {moment.day}, {moment.year}", midnight),
        (f"{moment.year}/{moment.month}/{moment.day}", midnight),
        (moment.strftime("%Y-%m-%dt%H:%M:%S").replace(" ", "0") + "+02:00", expected - 7200),
    ]:
        assert parse_dates(pa.array([text]), np.zeros(1)).tolist() == [seconds], text


def test_a_number_too_large_for_a_float_is_a_misfit():
    inferred = types_of([str(i) for i in range(20)] + ["1e999"])
    assert inferred.types.tolist() == [Type.INTEGER] and inferred.misfits.tolist() == [1]
    assert np.nanmax(inferred.numbers) == 19


@given(
    st.integers(1, 30),
    st.integers(0, 15),
    st.sampled_from(["total", "unbekannt", "nat", "0000-00-00", "0000-00-00 00:00:00", "year 2020", "q1"]),
)
@settings(deadline=None)
def test_up_to_a_third_of_labels_among_dates_are_misfits(dates, labels, label):
    values = [f"2020-03-{day + 1:02}" for day in range(dates)]
    types = types_of([*values, *[label] * labels])
    is_label = not any(map(str.isdigit, label)) or label.startswith("0000")
    allowed = dates >= 0.66 * (dates + labels) if is_label else labels * 10 <= dates + labels
    assert (types.types[0] == Type.DATETIME) == allowed
    assert types.misfits[0] == (labels if allowed else 0)


def test_a_column_with_just_the_share_of_dates_is_one_of_dates():
    values = pa.array(["2020-01-05", "total"])
    assert infer(values, np.array([0, 2]), np.ones(2, np.int64), share=0.5).types.tolist() == [Type.DATETIME]
