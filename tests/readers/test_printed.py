"""Tables as clients of databases print them, and what is printed below a table."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mere.errors import Unreadable
from mere.readers.client_lines import is_client_line
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


def _print(widths: list[int], rows: list[list[str]], right: bool) -> str:
    """A table whose line of dashes is as wide as `widths`, and whose cells may be wider to the left."""
    ends = [sum(width + 3 for width in widths[: at + 1]) for at in range(len(widths))]
    lines = []
    for row in [NAMES, ["-" * width for width in widths], *rows]:
        line = ""
        for at, (cell, end) in enumerate(zip(row, ends, strict=True)):
            line = line.ljust(end - (len(cell) if right or at == 3 else widths[at])) + cell
        lines.append(line)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("digits", range(3, 9))
@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("pages", [1, 2, 4])
def test_a_line_of_dashes_that_is_too_short_cuts_no_number(
    tmp_path: Path, digits: int, right: bool, pages: int
) -> None:
    rows = [[str(n), f"n{n}" * (1 + n % 2), "Wien", str(10 ** (digits - 1) + n)] for n in range(1, 9)]
    size = 8 // pages
    text = "\n".join(_print([3, 4, 4, 6], rows[at : at + size], right) for at in range(0, 8, size))
    table, found = read(tmp_path, "f.lst", text)
    assert (table.columns, found) == (NAMES, rows)


def test_a_row_that_is_cut_inside_a_word_is_told(tmp_path: Path) -> None:
    rows = [*_rows(60), ["61", "a" * 30, "Wien", "1.00"]]
    widths = _widths(_rows(60))
    lines = [" ".join(map(str.ljust, row, widths)) for row in [NAMES, ["-" * width for width in widths], *rows]]
    table, _ = read(tmp_path, "f.lst", "\n".join(lines))
    assert any("no blank where a column starts" in issue for issue in table.issues)


@pytest.mark.parametrize("count", [1, 2, 5, 20])
def test_the_end_that_spark_prints_is_no_row(tmp_path: Path, count: int) -> None:
    table, rows = read(tmp_path, "f.txt", spark(_rows(count)) + f"only showing top {count} rows\n")
    assert (table.columns, rows) == (NAMES, _rows(count))
    assert f"the table was printed with its first {count} rows only" in table.issues


@pytest.mark.parametrize("size", [2, 5, 13, 40])
def test_pages_are_one_table(tmp_path: Path, size: int) -> None:
    rows = _rows(40)
    head, rule, *body = _blank(rows, "-")
    pages = ["\n".join([head, rule, *body[at : at + size]]) for at in range(0, 40, size)]
    table, found = read(tmp_path, "f.lst", "\n\n".join(pages) + "\n\n40 rows selected.\n")
    assert (table.columns, found) == (NAMES, rows)


@pytest.mark.parametrize("count", [1, 3, 30])
@pytest.mark.parametrize("above", ["", "SQL> select * from t;\n\n", "SQL> select id, name from t;\n\n"])
@pytest.mark.parametrize(
    "below",
    ["\n3 rows selected.\n\nSQL> spool off\n", "\n  3 record(s) selected.\n", "\nElapsed: 00:00:00.01\nSQL> exit\n"],
)
def test_what_a_client_prints_around_a_table_is_no_row(tmp_path: Path, count: int, above: str, below: str) -> None:
    table, rows = read(tmp_path, "f.lst", above + "\n".join(_blank(_rows(count), "-")) + "\n" + below)
    assert (table.columns, rows) == (NAMES, _rows(count))


def test_the_result_of_a_second_query_is_not_mixed_with_the_first(tmp_path: Path) -> None:
    second = "SQL> select * from u;\n\nX          Y\n---------- --\naaaaaaaaaa  5\n"
    table, rows = read(tmp_path, "f.lst", oracle(_rows(5)) + second)
    assert rows == _rows(5)
    assert table.lost and any("after the end of the first printed table" in issue for issue in table.issues)


@pytest.mark.parametrize("label", ["Summe", "* Total", "Gesamt:", "Sum"])
@pytest.mark.parametrize("group", [1, 3, 8])
def test_groups_and_totals_between_lines_of_dashes(tmp_path: Path, label: str, group: int) -> None:
    rows, widths = _rows(8), [9, 14, 14, 9]
    lines = ["|" + "|".join(map(str.ljust, row, widths)) + "|" for row in [NAMES, *rows]]
    rule = "-" * len(lines[0])
    total = f"|{label.ljust(39)}|{'99.00'.rjust(9)}|"
    groups = [line for at in range(0, 8, group) for line in [*lines[1:][at : at + group], rule, total, rule]]
    table, found = read(tmp_path, "f.txt", "\n".join(["Liste 05.03.2024", "", rule, lines[0], rule, *groups]) + "\n")
    assert (table.columns, found) == (NAMES, rows)
    assert any("of totals inside the table" in issue for issue in table.issues)


def duckdb(names: list[str], rows: list[list[str]], types: list[str]) -> str:
    return _box(names, [types], rows, "┌┬┐├┼┤└┴┘─││")


def polars(names: list[str], rows: list[list[str]], types: list[str]) -> str:
    shape = f"shape: ({len(rows)}, {len(names)})\n"
    return shape + _box(names, [["---"] * len(names), ["str"] * len(names)], rows, "┌┬┐╞╪╡└┴┘─│┆")


def sqlite_box(names: list[str], rows: list[list[str]], types: list[str]) -> str:
    return _box(names, [], rows, "╭┬╮├┼┤╰┴╯─││")


def _box(names: list[str], below: list[list[str]], rows: list[list[str]], marks: str) -> str:
    widths = [max(map(len, column)) for column in zip(names, *below, *rows, strict=True)]
    borders = [
        marks[at] + marks[at + 1].join(marks[9] * (width + 2) for width in widths) + marks[at + 2] for at in (0, 3, 6)
    ]
    lines = [
        f"{marks[10]} " + f" {marks[11]} ".join(map(str.ljust, row, widths)) + f" {marks[10]}"
        for row in [names, *below, *rows]
    ]
    return "\n".join([borders[0], *lines[: 1 + len(below)], borders[1], *lines[1 + len(below) :], borders[2], ""])


@pytest.mark.parametrize("client", [duckdb, polars, sqlite_box])
@pytest.mark.parametrize("count", [1, 2, 6, 40])
@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("title", ["", "Result of the query\n\n"])
def test_a_table_drawn_with_box_characters_is_read(tmp_path: Path, client, count: int, width: int, title: str) -> None:
    rows = [row[:width] for row in _rows(count)]
    types = ["int32", "varchar", "varchar", "decimal(10,2)"][:width]
    table, found = read(tmp_path, "f.txt", title + client(NAMES[:width], rows, types))
    assert (table.columns, found) == (NAMES[:width], rows)


@pytest.mark.parametrize("client", [duckdb, polars])
@pytest.mark.parametrize("mark", ["·", "…"])
@pytest.mark.parametrize("columns", [False, True])
def test_a_print_that_leaves_out_rows_or_columns_is_refused(tmp_path: Path, client, mark: str, columns: bool) -> None:
    names, rows = ([*NAMES[:3], "…"], _rows(6)) if columns else (NAMES, [*_rows(3), [mark] * 4, *_rows(3)])
    with pytest.raises(Unreadable, match="leaves out rows or columns"):
        read(tmp_path, "f.txt", client(names, rows, ["int32"] * 4))


def test_box_characters_inside_cells_do_not_make_a_print(tmp_path: Path) -> None:
    _, rows = read(tmp_path, "f.csv", "id,art\n" + "".join(f"{n},│ ─ {n}\n" for n in range(5)))
    assert rows[0] == ["0", "│ ─ 0"]


FOOTERS = ["* preliminary", "** a\n* b", "1) preliminary", "[1] estimated", "(6 rows)", "6 rows selected.", "EOF",
           "\x1a", "____", "1) preliminary\n2) estimated, revised in 2021", "--\n6 records"]  # fmt: skip


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
ROW = st.lists(st.lists(WORDS, min_size=1, max_size=3), min_size=3, max_size=3).filter(
    lambda row: min(map(len, row)) == 1  # else a further line looks like a row
)


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


BORDER, MARKED, HEADER = "+----+-----+\n", "+====+=====+\n", "| id | n   |\n"
BODY = "".join(f"| {n}  | {n}.5 |\n" for n in range(1, 7))
WITHOUT_LINES_BETWEEN = {
    "outline": BORDER + HEADER + MARKED + BODY + BORDER,
    "total": BORDER + HEADER + BORDER + BODY + BORDER + "| 21 | 9.5 |\n" + BORDER,
    "two results": (BORDER + HEADER + BORDER + BODY + BORDER) * 2,
    "pages": (BORDER + HEADER + BORDER + BODY) * 3 + BORDER,
    "footer": BORDER + HEADER + BORDER + BODY + BORDER + "| 6 rows   |\n" + BORDER,
    "one row and a footer": BORDER + HEADER + BORDER + "| 1  | 1.5 |\n" + BORDER + "| 1 row    |\n" + BORDER,
    "a column that is mostly blank": BORDER + HEADER + MARKED + "| 1  | 1.5 |\n" + "| 2  |     |\n" * 9 + BORDER,
}


@pytest.mark.parametrize("kind", WITHOUT_LINES_BETWEEN)
def test_a_print_without_lines_between_its_rows_is_no_grid(kind):
    assert find_grid(WITHOUT_LINES_BETWEEN[kind]) is None


@pytest.mark.parametrize("kind", ["outline", "total", "pages"])
def test_each_line_of_a_print_without_lines_between_is_a_row(tmp_path, kind):
    table, found = read(tmp_path, "x.txt", WITHOUT_LINES_BETWEEN[kind])
    assert table.columns == ["id", "n"]
    assert found[:6] == [[str(n), f"{n}.5"] for n in range(1, 7)]


@pytest.mark.parametrize("line", ["|    +-----+\n", "+----+ 2.5 |\n"])
def test_borders_below_some_cells_only_are_no_grid(line):
    row = "| 1  | 1.5 |\n"
    assert find_grid(BORDER + HEADER + MARKED + row + line + row + BORDER) is None


def test_a_row_of_very_many_lines_is_cut_and_told(tmp_path):
    short = "| 1  | 1.5 |\n" + BORDER
    text = BORDER + HEADER + MARKED + short * 200 + "| 2  | 2.5 |\n" + "|    | 7   |\n" * 2500 + BORDER
    table, found = read(tmp_path, "x.txt", text)
    assert len(found) == 203 and table.lost and any("more than 1,000 lines" in issue for issue in table.issues)


@pytest.mark.parametrize("at", [0, 2, 5])
@pytest.mark.parametrize("cell", ["foo=> bar", "SQL> x", "mysql> y"])
def test_a_row_between_bars_does_not_end_a_table_whatever_it_says(tmp_path, at, cell):
    rows = [[f"a{n}", f"b{n}"] for n in range(6)]
    rows[at][0] = cell
    lines = [f" {a:<9} | {b}" for a, b in [["x", "y"], *rows]]
    lines.insert(1, "-----------+----")
    table, found = read(tmp_path, "f.txt", "\n".join([*lines, "(6 rows)", ""]))
    assert (table.columns, [[(cell or "").strip() for cell in row] for row in found]) == (["x", "y"], rows)


@pytest.mark.parametrize("at", [0, 2, 5])
def test_a_row_that_fills_the_columns_does_not_end_a_table(tmp_path, at):
    rows = [[str(n), "items"] for n in range(6)]
    rows[at][1] = "rows"
    lines = [f"{a:<5} {b}" for a, b in [["n", "unit"], ["-----", "-----"], *rows]]
    table, found = read(tmp_path, "f.txt", "\n".join([*lines, "", "6 rows selected.", ""]))
    assert (table.columns, found) == (["n", "unit"], rows)


@pytest.mark.parametrize("line", ["Time: " + "1" * 200_000 + "!", "1" * 200_000 + "!", "a" * 200_000 + "!"])
def test_a_long_line_is_told_from_one_of_a_client_at_once(line):
    start = time.perf_counter()
    assert not is_client_line(line)
    assert time.perf_counter() - start < 1


def test_box_characters_in_a_file_that_is_no_box_stay(tmp_path):
    text = "id,path\n" + "".join(f"{n},├─ src│{n}\n" for n in range(3)) + "━━━━━━\n" + "4,└─ docs\n5,║ x\n" * 9
    _, found = read(tmp_path, "f.csv", text)
    assert found[0] == ["0", "├─ src│0"] and found[-1] == ["5", "║ x"]


def test_a_box_without_a_frame_is_read(tmp_path):
    text = " id │ name \n────┼──────\n" + "".join(f"  {n} │ b{n}\n" for n in range(5)) + "(5 rows)\n"
    table, found = read(tmp_path, "f.txt", text)
    assert table.columns == ["id", "name"]
    assert [[(cell or "").strip() for cell in row] for row in found] == [[str(n), f"b{n}"] for n in range(5)]


@pytest.mark.parametrize("client", [duckdb, sqlite_box])
@pytest.mark.parametrize("cell", ["├─ src", "a ─ b", "x\u2028y"])
def test_box_characters_inside_the_cells_of_a_box_stay(tmp_path, client, cell):
    rows = [["1", cell], ["2", "b"], ["3", "c"]]
    _, found = read(tmp_path, "f.txt", client(["id", "path"], rows, ["int32", "varchar"]))
    assert found == rows


def test_a_box_with_an_ascii_bar_inside_a_cell_is_refused(tmp_path):
    with pytest.raises(Unreadable, match="inside a cell"):
        read(tmp_path, "f.txt", duckdb(["id", "name"], [["1", "a|b"], ["2", "c"]], ["int32", "varchar"]))


def test_bytes_of_a_box_that_are_not_utf8_are_told(tmp_path):
    text = duckdb(["id", "name"], [["1", "Zoé"], ["2", "c"]], ["int32", "varchar"])
    table, found = read(tmp_path, "f.txt", text.encode().replace("é".encode(), b"\xe9"))
    assert found[0] == ["1", "Zoé"]
    assert "1 byte is not UTF-8 and was read as windows-1252" in table.issues


def test_a_very_long_box_is_refused(tmp_path):
    rows = [[str(n), "x" * 100] for n in range(45_000)]
    with pytest.raises(Unreadable, match="drawn with box characters"):
        read(tmp_path, "f.txt", duckdb(["id", "name"], rows, ["int32", "varchar"]))


def test_a_long_line_of_box_characters_is_read_at_once(tmp_path):
    start = time.perf_counter()
    read(tmp_path, "f.csv", "a,b\n1,2\n3," + "─" * 100_000 + "x\n4,5\n")
    assert time.perf_counter() - start < 5
