"""Tables as clients of databases print them, and what is printed below a table."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mere.errors import Unreadable
from mere.readers.grid_tables import find_grid
from tests.readers.raw_files import Rows, read

often = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
NAMES = ["id", "name", "city", "amount"]
PEOPLE = ["Anna Berg", "Bob O'Neil", "Cora Maria", "Dan Fox", "Eve Gray", "Finn Hahn"]


def _rows(count: int) -> list[list[str]]:
    return [[str(n + 1), PEOPLE[n % 6], ["Wien", "Sankt Pölten"][n % 2], f"{n * 7.25:.2f}"] for n in range(count)]


def _widths(rows: list[list[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(NAMES, *rows, strict=True)]


def psql(rows: list[list[str]]) -> str:
    widths = _widths(rows)
    lines = [" " + " | ".join(map(str.ljust, row, widths)) for row in [NAMES, *rows]]
    lines.insert(1, "+".join("-" * (width + 2) for width in widths))
    return "\n".join([*lines, f"({len(rows)} rows)", ""])


def mysql(rows: list[list[str]]) -> str:
    border = "+" + "+".join("-" * (width + 2) for width in _widths(rows)) + "+"
    lines = ["| " + " | ".join(map(str.ljust, row, _widths(rows))) + " |" for row in [NAMES, *rows]]
    return "\n".join([border, lines[0], border, *lines[1:], border, f"{len(rows)} rows in set (0.00 sec)", ""])


def spark(rows: list[list[str]]) -> str:
    border = "+" + "+".join("-" * width for width in _widths(rows)) + "+"
    lines = ["|" + "|".join(map(str.rjust, row, _widths(rows))) + "|" for row in [NAMES, *rows]]
    return "\n".join([border, lines[0], border, *lines[1:], border, ""])


def _blank(rows: list[list[str]], mark: str) -> list[str]:
    lines = [" ".join(map(str.ljust, row, _widths(rows))).rstrip() for row in [NAMES, *rows]]
    return [lines[0], " ".join(mark * width for width in _widths(rows)), *lines[1:]]


def sqlcmd(rows: list[list[str]]) -> str:
    return "\n".join([*_blank(rows, "-"), "", f"({len(rows)} rows affected)", ""])


def oracle(rows: list[list[str]]) -> str:
    return "\n".join([*_blank(rows, "-"), "", f"{len(rows)} rows selected.", ""])


def rst(rows: list[list[str]]) -> str:
    lines = _blank(rows, "=")
    return "\n".join([lines[1], *lines, lines[1], ""])


@pytest.mark.parametrize("client", [psql, mysql, spark, sqlcmd, oracle, rst])
@pytest.mark.parametrize("count", [3, 6, 40, 400])
@pytest.mark.parametrize("extension", [".txt", ".csv", ".out"])
def test_a_table_that_a_client_printed_is_read(tmp_path: Path, client, count: int, extension: str) -> None:
    table, rows = read(tmp_path, "f" + extension, client(_rows(count)))
    assert table.columns == NAMES
    assert [[(cell or "").strip() for cell in row] for row in rows] == _rows(count)


FOOTERS = ["* preliminary", "** a\n* b", "1) preliminary", "[1] estimated", "(6 rows)", "6 rows selected.", "EOF",
           "\x1a", "____", "1) preliminary\n2) estimated, revised in 2021"]  # fmt: skip


@pytest.mark.parametrize("footer", FOOTERS)
@pytest.mark.parametrize("width", [2, 3, 5])
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_what_is_below_a_table_is_left_out_and_told(tmp_path: Path, footer: str, width: int, delimiter: str) -> None:
    rows: Rows = [[f"r{row}", *(str(row * column) for column in range(1, width))] for row in range(6)]
    names = [f"n{column}" for column in range(width)]
    body = "\n".join(delimiter.join(map(str, row)) for row in [names, *rows])
    table, found = read(tmp_path, "f.csv", f"{body}\n{footer}\n")
    assert found == rows
    assert any("left out" in issue for issue in table.issues)


@pytest.mark.parametrize("count", [1, 5, 1000])
def test_empty_rows_below_a_table_are_left_out_and_counted(tmp_path: Path, count: int) -> None:
    table, rows = read(tmp_path, "f.csv", "a,b,c\n1,2,3\n4,5,6\n" + ",,\n" * count)
    assert len(rows) == 2
    assert any(f"{count:,} empty row" in issue for issue in table.issues)


@pytest.mark.parametrize("cell", ["\n,", "a\n,,\n", "\nEOF", "* a\n* b"])
def test_the_last_lines_of_a_quoted_cell_are_no_footnotes(tmp_path: Path, cell: str) -> None:
    _, rows = read(tmp_path, "f.csv", f'a,b,c\n1,2,"x"\n4,5,"y"\n7,8,"{cell}"\n')
    assert rows[-1] == ["7", "8", cell]


def test_an_empty_row_between_others_stays(tmp_path: Path) -> None:
    _, rows = read(tmp_path, "f.csv", "a,b,c\n1,2,3\n,,\n4,5,6\n")
    assert len(rows) == 3


@pytest.mark.parametrize("values", [["1.5", "2.5", "3.5"], ["2020-01-01", "2020-01-02"]])
def test_a_short_column_of_values_is_a_table_with_any_extension(tmp_path: Path, values: list[str]) -> None:
    table, rows = read(tmp_path, "f.txt", "\n".join(["value", *values]))
    assert (table.columns, rows) == (["value"], [[value] for value in values])


OTHER = {
    "syslog": "".join(f"Mar  1 10:00:{n} host sshd[{n}]: Accepted from 10.0.0.{n} port 2\n" for n in range(10, 60)),
    "messages": "Mar  1 10:00:00 host sshd[100]: Accepted password for anna\n" * 20,
    "a.diff": "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n",
    "a.srt": "1\n00:00:01,000 --> 00:00:02,000\nHello\n\n2\n00:00:03,000 --> 00:00:04,000\nBye\n",
    "a.vcf": "BEGIN:VCARD\nFN:Anna\nTEL:1\nEND:VCARD\n" * 2,
    "Makefile": "all: a b\n\ta:\n\t\tgcc -o a a.c\n",
}


@pytest.mark.parametrize("name", OTHER)
def test_text_that_no_table_has_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(Unreadable, match="looks like"):
        read(tmp_path, name, OTHER[name])


def _grid(rows: list[list[list[str]]], mark: str = "=") -> str:
    """A grid of rows of cells of lines, the first of which is the header if there is a mark to underline it with."""
    widths = [max(len(line) for row in rows for line in row[column]) for column in range(len(rows[0]))]
    border = "+" + "+".join("-" * (width + 2) for width in widths) + "+"
    lines = [border]
    for number, row in enumerate(rows):
        for at in range(max(map(len, row))):
            parts = [(cell[at] if at < len(cell) else "").ljust(width) for cell, width in zip(row, widths, strict=True)]
            lines.append("| " + " | ".join(parts) + " |")
        lines.append(border.replace("-", mark) if not number and mark else border)
    return "\n".join(lines) + "\n"


WORDS = st.sampled_from(["Ada", "old mill road", "7", "12.5", "Wien", "a, b", "-"])
ROW = st.lists(st.lists(WORDS, min_size=1, max_size=3), min_size=3, max_size=3)


@often
@given(
    st.lists(ROW, min_size=1, max_size=12),
    st.sampled_from(["", "Table of people\n\n"]),
    st.sampled_from([".rst", ".txt", ".csv"]),
)
def test_a_grid_is_read_with_cells_of_several_lines(tmp_path, rows, title, extension):
    names = [["name"], ["city", "of birth"], ["amount"]]
    table, found = read(tmp_path, "x" + extension, title + _grid([names, *rows]))
    assert table.columns == ["name", "city of birth", "amount"]
    assert found == [[" ".join(cell) for cell in row] for row in rows]
    assert not table.issues and table.dialect["grid"] is True


@often
@given(st.integers(3, 12), st.booleans())
def test_a_grid_without_a_marked_header_has_one_if_its_first_row_is_unlike_the_others(tmp_path, count, named):
    rows = [[["Ada"], [str(row)], [f"{row}.5"]] for row in range(count)]
    header = [[["name"], ["n"], ["share"]]] if named else []
    table, found = read(tmp_path, "x.txt", _grid([*header, *rows], mark=""))
    assert table.columns == (["name", "n", "share"] if named else ["column_1", "column_2", "column_3"])
    assert found == [[cell for (cell,) in row] for row in rows]


@pytest.mark.parametrize("text", ["+---+---+\n" * 5, "+---+---+\n|\n" * 5, "+---+\n| a |\n" * 5])
def test_borders_without_cells_are_no_grid(text):
    assert find_grid(text) is None


def test_lines_below_a_grid_are_left_out_and_told(tmp_path):
    text = _grid([[["a"], ["b"]], [["1"], ["2"]], [["3"], ["4"]]]) + "\nSource: the office\nof the city\n"
    table, found = read(tmp_path, "x.txt", text)
    assert found == [["1", "2"], ["3", "4"]] and table.issues == ["2 lines outside the grid were left out"]


def test_a_long_grid_is_read_to_its_end(tmp_path):
    rows = [[[f"name {row}", "and more"], [str(row)]] for row in range(5000)]
    _, found = read(tmp_path, "x.txt", _grid([[["name"], ["n"]], *rows]))
    assert found == [[f"name {row} and more", str(row)] for row in range(5000)]
