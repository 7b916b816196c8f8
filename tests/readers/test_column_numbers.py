"""Lines with the numbers of the columns, below or above a header."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_tables import made_tables, written
from raw_files import read

from mere.readers.sheets import sheet_tables

often = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
STYLES = st.sampled_from(["{}", "({})", "[{}]"])


@often
@given(made_tables(), STYLES, st.booleans(), st.booleans(), st.booleans(), st.sampled_from(",;\t"))
def test_the_numbers_of_the_columns_are_left_out_and_told(tmp_path, made, style, above, title, ruled, delimiter):
    numbers = [style.format(n + 1) for n in range(len(made.names))]
    rule = [["---"] * len(made.names)] * ruled
    lines = [numbers, made.names, *rule] if above else [made.names, *rule, numbers]
    text = "Population by town\n" * title + written([*lines, *made.rows], delimiter)
    table, rows = read(tmp_path, "x.csv", text)
    assert (table.columns, rows) == (made.names, made.rows)
    assert f"the line of column numbers {'above' if above else 'below'} the header was left out" in table.issues


@often
@given(st.integers(3, 6), st.integers(4, 9), STYLES)
def test_a_column_of_labels_may_have_no_number(tmp_path, width, count, style):
    names = ["Town", *(f"{word} people" for word in ["young", "old", "rich", "poor", "all"][: width - 1])]
    numbers = ["", *(style.format(n + 1) for n in range(width - 1))]
    rows = [["Leeds", *(str(row * 7 + n) for n in range(width - 1))] for row in range(count)]
    table, found = read(tmp_path, "x.csv", written([names, numbers, *rows]))
    assert (table.columns, found) == (names, rows)


@often
@given(made_tables(), STYLES)
def test_numbers_of_columns_in_a_sheet_are_left_out(made, style):
    numbers = [style.format(n + 1) for n in range(len(made.names))]
    (table,) = sheet_tables([list(row) for row in [made.names, numbers, *made.rows]], [])
    assert (table.layout.names, table.rows) == (made.names, made.rows)


@pytest.mark.parametrize(
    "text",
    [
        "id,a,b\n1,2,3\n2,5,7\n3,8,9\n4,1,1\n",  # all columns have numbers
        "name,a,b\n(1),(2),(3)\nx,(4),(5)\ny,(6),(7)\nz,(8),(1)\n",  # others have brackets
        "name,a\n1,2\nx,4\ny,6\nz,8\n",  # two numbers only
        "name,a,b\nx,1,2\n1,2,3\ny,6,6\nz,8,8\n",  # not below the header
        "name,a,b\n1,2,4\nx,5,5\ny,6,6\nz,8,8\n",  # no numbers of columns
    ],
)
def test_rows_that_may_be_data_are_kept(tmp_path, text):
    _, rows = read(tmp_path, "x.csv", text)
    assert len(rows) == 4
