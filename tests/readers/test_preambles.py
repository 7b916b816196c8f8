"""Lines about the file above a table: pairs of a key and what it says, in text and in sheets, and lines that are wider
than the table."""

from __future__ import annotations

import io

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_tables import Made, made_tables, written
from raw_files import read

often = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
TEXTS = [["Client:", "ACME"], ["Region", "North"], ["Author", "Statistics Office"], ["Mode:", "absorbance"]]
VALUES = [["Period:", "2024"], ["Exported", "2024-01-05"], ["Pages", "17"], ["Version", "1.2"]]
UNITS = [["Wavelength", "450", "nm"], ["Limit:", "0.5", "mg/l"], ["Exported", "2024-01-05", "12:00"]]


@st.composite
def numbered(draw: st.DrawFn, least: int = 2) -> Made:
    """A table of numbers."""
    random = draw(st.randoms(use_true_random=False))
    width = random.randint(least, 5)
    rows = [
        [str(n), *(f"{random.randint(0, 900) / 4}" for _ in range(width - 1))] for n in range(random.randint(5, 12))
    ]
    return Made(["id", "qty", "price", "Net weight", "stock"][:width], rows)


def _sheet(rows: list[list[str]]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append([cell or None for cell in row])
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


def _told(count: int) -> str:
    return "1 line above the table was left out" if count == 1 else f"{count} lines above the table were left out"


@often
@given(
    made_tables(),
    st.lists(st.sampled_from(TEXTS + VALUES), min_size=1, max_size=5, unique_by=str),
    st.booleans(),
    st.data(),
)
def test_pairs_above_a_table_of_three_columns_or_more_are_no_header(tmp_path, made, pairs, blank, data):
    width = len(made.names)
    lines = [pair + [""] * (width - 2) for pair in pairs] + [[""] * width] * blank
    rows = [*lines, made.names, *made.rows]
    name, content = data.draw(st.sampled_from([("x.csv", written(rows)), ("x.xlsx", _sheet(rows))]))
    table, found = read(tmp_path, name, content)
    assert (table.columns, found) == (made.names, made.rows)
    assert table.issues == [_told(len(pairs))]


@often
@given(numbered(least=3), st.lists(st.sampled_from(UNITS), min_size=1, max_size=4), st.booleans())
def test_lines_of_key_value_and_unit_above_numbers_are_no_header(tmp_path, made, lines, blank):
    width = len(made.names)
    padded = [line + [""] * (width - 3) for line in lines] + [[""] * width] * blank
    table, found = read(tmp_path, "x.csv", written([*padded, made.names, *made.rows]))
    assert (table.columns, found) == (made.names, made.rows)
    assert table.issues == [_told(len(lines))]


@often
@given(numbered(least=3), st.lists(st.sampled_from(UNITS), min_size=1, max_size=4))
def test_units_below_the_names_are_no_cells_that_such_lines_are_compared_with(tmp_path, made, lines):
    units = ["", "[AU]", "[kg]", "[m]", "[s]"][: len(made.names)]
    rows = [*lines, [], made.names, units, *made.rows]
    table, found = read(tmp_path, "x.txt", "".join("\t".join(row) + "\n" for row in rows))
    names = [" ".join(filter(None, pair)) for pair in zip(made.names, units, strict=True)]
    assert (table.columns, found) == (names, made.rows)
    assert _told(len(lines)) in table.issues


@often
@given(numbered(), st.integers(1, 4), st.integers(1, 2), st.booleans(), st.booleans())
def test_lines_wider_than_the_table_are_no_header(tmp_path, made, more, count, blank, values):
    wide = [["Report", "Region", "North", "2024" if values else "User", "bob", "CR1000.27", "x", "y", "z"]] * count
    lines = [line[: len(made.names) + more] for line in wide] + [[]] * blank
    table, found = read(tmp_path, "x.dat", written([*lines, made.names, *made.rows]))
    assert (table.columns, found) == (made.names, made.rows)
    assert table.issues == [_told(count)]


@often
@given(st.integers(1, 6), st.integers(5, 30), st.sampled_from(["Avg", "Smp", "Max"]))
def test_files_of_loggers_have_a_line_about_the_station_names_units_and_kinds_of_values(tmp_path, values, count, kind):
    """TOA5: as loggers of Campbell Scientific write them."""
    about = ["TOA5", "CR1000", "CR1000", "5432", "CR1000.Std.27", "CPU:a.CR1", "7431", "Table1", "more"]
    names = [["AirT", "RH", "WS_ms", "Rain_mm", "BattV", "SlrW"][n] for n in range(values)]
    units = ["Deg C", "%", "meters/second", "mm", "Volts", "W/m^2"][:values]
    rows = [[f"2024-01-{n + 1:02} 00:00:00", str(n), *(f"{n}.25" for _ in names)] for n in range(count)]
    header = [["TIMESTAMP", "RECORD", *names], ["TS", "RN", *units], ["", "", *[kind] * values]]
    text = "".join(",".join(f'"{cell}"' for cell in line) + "\n" for line in [about, *header])
    table, found = read(tmp_path, "x.dat", text + written(rows))
    assert table.columns == [" ".join(filter(None, names)) for names in zip(*header, strict=True)]
    assert found == rows


@often
@given(st.integers(2, 5), st.integers(1, 3), st.integers(5, 20))
def test_a_header_wider_than_all_rows_is_kept_where_no_other_header_follows(tmp_path, width, more, count):
    names = ["id", "qty", "price", "Net weight", "stock", "remark", "kind", "city"][: width + more]
    rows = [[str(n + place) for place in range(width)] for n in range(count)]
    table, found = read(tmp_path, "x.csv", written([names, *rows]))
    assert table.columns == names and len(found) == count


@pytest.mark.parametrize(
    "text",
    [
        "Country,2019-01,2020-01\ncode,Men,Women\n" + "x,1,2\n" * 6,  # an upper line of months
        "id,2019,2020\nno,Men,Women\n" + "7,1,2\n" * 6,
        "Ann,3,4\nBob,4,5\nCy,unknown,none yet\nDan,5,6\nEve,6,7\n",  # no header, and a row of words
    ],
)
def test_rows_of_a_table_are_not_taken_for_lines_about_the_file(tmp_path, text):
    table, rows = read(tmp_path, "x.csv", text)
    assert table.dialect["preamble_lines"] == 0
    assert table.dialect["header_rows"] + len(rows) == text.count("\n")
