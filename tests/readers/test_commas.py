"""Commas inside values are not delimiters: decimals, thousands, names, dates and addresses."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mere.readers import Limits, open_tables
from mere.readers.sniffing import detect_dialect
from tests.readers.raw_files import read, write

DELIMITERS = [" ", ":", "#", "*", ";", "\t", "|", "||", "^", "~", "&"]


@pytest.mark.parametrize("extension", [".csv", ".txt", ".dat"])
@pytest.mark.parametrize("delimiter", DELIMITERS)
@pytest.mark.parametrize("width", [2, 3, 6])
def test_a_delimiter_that_divides_the_header_wins_over_decimal_commas(
    tmp_path: Path, delimiter: str, extension: str, width: int
) -> None:
    names = ["name", *(f"wert{column}" for column in range(1, width))]
    rows = [[f"n{row}", *(f"{row * column},{row % 7}5" for column in range(1, width))] for row in range(12)]
    text = "".join(delimiter.join(row) + "\n" for row in [names, *rows])
    table, found = read(tmp_path, "f" + extension, text)
    assert table.columns == names
    assert found == rows


@given(st.lists(st.tuples(st.integers(0, 999), st.integers(0, 99)), min_size=3, max_size=30), st.integers(1, 12))
def test_aligned_decimals_are_columns(pairs: list[tuple[int, int]], blanks: int) -> None:
    lines = ["x".ljust(4 + blanks) + "y", *(f"{left},5".ljust(4 + blanks) + f" {right},25" for left, right in pairs)]
    dialect, _ = detect_dialect("\n".join(lines) + "\n", ".txt")
    assert dialect.delimiter in (" ", "whitespace")


@pytest.mark.parametrize("name", ["48,2000 16,3000", "1,5 2,25 1,125"])
def test_decimals_without_a_header_are_divided_at_blanks(tmp_path: Path, name: str) -> None:
    _, rows = read(tmp_path, "f.txt", f"{name}\n" * 10)
    assert rows == [name.split()] * 10


def test_a_comma_between_times_is_a_delimiter(tmp_path: Path) -> None:
    _, rows = read(tmp_path, "f.csv", "".join(f"10:{minute},11:{minute}\n" for minute in range(10, 30)))
    assert rows[0] == ["10:10", "11:10"]


ONE_COLUMN = {
    "name": "Smith{n}, John",
    "pop": "{n},000",
    "when": "March {n}, 2020",
    "address": "{n} Main Street, Springfield, IL",
    "temp": "{n},5",
    "price": "${n},000.50",
    "full name": "de la Cruz{n}, María",
}


@pytest.mark.parametrize("extension", [".csv", ".txt"])
@pytest.mark.parametrize("name", ONE_COLUMN)
@pytest.mark.parametrize("count", [3, 25])
def test_the_name_of_one_column_above_values_with_commas_is_its_header(
    tmp_path: Path, name: str, count: int, extension: str
) -> None:
    values = [ONE_COLUMN[name].format(n=row) for row in range(1, count + 1)]
    table, rows = read(tmp_path, "f" + extension, "\n".join([name, *values]) + "\n")
    assert table.columns == [name]
    assert rows == [[value] for value in values]


@pytest.mark.parametrize(
    "text",
    [
        "Report\nid, name, v\n1, a, 2\n2, b, 3\n3, c, 4\n",
        "Report\nname, city\nAnn, Rome\nBob, Bern\nCid, Graz\n",
        "Report\n\n1,5\n2,6\n3,7\n4,8\n",
        "Report\n1, 2, 3\n4, 5, 6\n7, 8, 9\n",
    ],
)
def test_a_title_above_several_columns_is_not_the_name_of_one(tmp_path: Path, text: str) -> None:
    (table,) = open_tables(write(tmp_path, "f.csv", text), Limits())
    assert len(table.columns) > 1


@pytest.mark.parametrize("rows", ["Smith,John\nDoe,Jane\nRoe,Ann\n", "1,2,3\n4,5,6\n7,8,9\n"])
def test_a_word_above_rows_without_a_sure_header_is_told(tmp_path: Path, rows: str) -> None:
    table, _ = read(tmp_path, "f.csv", "name\n" + rows)
    assert any("was left out: 'name'" in issue for issue in table.issues)


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("count", [3, 6, 40])
def test_numbers_aligned_by_blanks_in_a_delimited_file_are_read(tmp_path: Path, delimiter: str, count: int) -> None:
    rows = [[f"k{row}", f"{row * 37 % 101:4}"] for row in range(count)]
    table, found = read(tmp_path, "f.csv", "".join(delimiter.join(row) + "\n" for row in [["n", "v"], *rows]))
    assert table.columns == ["n", "v"]
    assert [[cell and cell.strip() for cell in row] for row in found] == [[row[0], row[1].strip()] for row in rows]
