"""Sheets: merged cells, hidden sheets, several tables in one sheet, footnotes."""

from __future__ import annotations

import io
import zipfile

import openpyxl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_tables import made_tables
from raw_files import read, read_all, rows_of, write

from mere.readers import open_tables, reopen
from mere.readers.sheets import Merged, regions, sheet_tables

often = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def _book(sheets: dict[str, list[list[object]]], merged: tuple[str, ...] = (), hidden: tuple[str, ...] = ()) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append([None if cell == "" else cell for cell in row])
        for cells in merged:
            sheet.merge_cells(cells)
        if name in hidden:
            sheet.sheet_state = "hidden"
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


def test_merged_cells_of_a_header_are_joined_and_of_the_body_filled(tmp_path):
    rows = [
        ["Sales of all regions", "", "", "", ""],
        ["region", "2019", "", "2020", ""],
        ["", "plan", "actual", "plan", "actual"],
        ["north", 1, 2, 3, 4],
        ["", 5, 6, 7, 8],
        ["south", 9, 10, 11, 12],
    ]
    data = _book({"S": rows}, ("A1:E1", "A2:A3", "B2:C2", "D2:E2", "A4:A5"))
    table, cells = read(tmp_path, "x.xlsx", data)
    assert table.columns == ["region", "2019 plan", "2019 actual", "2020 plan", "2020 actual"]
    assert cells[1] == ["north", "5", "6", "7", "8"] and len(cells) == 3
    assert table.issues == ["3 merged cells were filled with their values"] and not table.lost


@often
@given(st.integers(1, 3), st.integers(2, 3), st.integers(2, 3), st.sampled_from(["years", "numbers", "words"]))
def test_a_cell_that_is_merged_downwards_is_a_header_down_to_its_last_row(tmp_path, labels, lines, size, kind):
    """`Region` over two or three rows, beside names of groups: whatever the rows say, they name the columns."""
    parts = {"years": [2021, 2022, 2023], "numbers": [7, 9, 30], "words": ["plan", "actual", "rest"]}[kind][:size]
    names = ["Region", "Code", "Kind"][:labels]
    upper = [*names, *(cell for group in ("Sales", "Costs") for cell in [group, *[""] * (size - 1)])]
    middle = [["", *[""] * (labels - 1), *["net"] * 2 * size]] * (lines - 2)
    rows = [[f"r{n}", "c", "k"][:labels] + [n * 3 + place for place in range(2 * size)] for n in range(7)]
    sheet = [upper, *middle, [""] * labels + parts * 2, *rows]
    left = [chr(65 + labels), chr(65 + labels + size)]
    merged = [f"{chr(65 + place)}1:{chr(65 + place)}{lines}" for place in range(labels)]
    merged += [f"{first}1:{chr(ord(first) + size - 1)}1" for first in left]
    table, cells = read(tmp_path, "x.xlsx", _book({"S": sheet}, tuple(merged)))
    net = ["net"] * (lines - 2)
    assert table.columns == [*names, *(" ".join([g, *net, str(part)]) for g in ("Sales", "Costs") for part in parts)]
    assert cells == [[str(cell) for cell in row] for row in rows]


@often
@given(made_tables(least_rows=8), st.integers(2, 5))
def test_a_merged_box_beside_a_table_does_not_change_its_header(tmp_path, made, height):
    rows = [[*row, "", ""] for row in [made.names, *made.rows]]
    rows[0][-1] = "Figures are estimates"
    column = chr(64 + len(rows[0]))
    table, cells = read(tmp_path, "x.xlsx", _book({"S": rows}, (f"{column}1:{column}{height}",)))
    assert table.columns[: len(made.names)] == made.names
    assert [row[: len(made.names)] for row in cells] == made.rows


@often
@given(made_tables(least_rows=6), st.lists(st.integers(1, 3), min_size=1, max_size=4))
def test_cells_that_are_merged_downwards_are_filled(tmp_path, made, sizes):
    first, at = [], 0
    ranges = []
    for size in sizes:
        last = min(at + size, len(made.rows))
        if last > at + 1:
            ranges.append(f"A{at + 2}:A{last + 1}")
        first += [f"group {chr(65 + len(first))}"] * (last - at)
        at = last
    first += ["rest"] * (len(made.rows) - at)
    rows = [[name, *row] for name, row in zip(first, made.rows, strict=True)]
    table, cells = read(tmp_path, "x.xlsx", _book({"S": [["group", *made.names], *rows]}, tuple(ranges)))
    assert table.columns == ["group", *made.names] and cells == rows


@often
@given(st.lists(made_tables(), min_size=2, max_size=3, unique_by=lambda made: tuple(made.names)))
def test_a_sheet_may_have_several_tables(tmp_path, tables):
    rows: list[list[object]] = []
    for made in tables:
        rows += [made.names, *made.rows, [""]]
    path = write(tmp_path, "x.xlsx", _book({"S": rows}))
    found = {table.member: (table.columns, rows_of(table)) for table in open_tables(path)}
    names = ["S", "S/2", "S/3"][: len(tables)]
    assert found == {name: (made.names, made.rows) for name, made in zip(names, tables, strict=True)}
    assert rows_of(reopen(path, "S/2")) == tables[1].rows


def test_hidden_sheets_are_marked(tmp_path):
    sheet = [["a", "b"], ["x", 1], ["y", 2]]
    tables = list(open_tables(write(tmp_path, "x.xlsx", _book({"A": sheet, "B": sheet}, hidden=("B",)))))
    assert [(table.member, table.dialect.get("hidden", False)) for table in tables] == [("A", False), ("B", True)]


def test_footnotes_totals_and_repeated_headers_of_a_sheet_are_told(tmp_path):
    body = [["x", 1, 2], ["y", 3, 4], ["z", 5, 6], ["a", "b", "c"], ["w", 7, 8], ["Total", 16, 20]]
    table, cells = read(tmp_path, "x.xlsx", _book({"S": [["a", "b", "c"], *body, ["Source: the ministry", "", ""]]}))
    assert [row[0] for row in cells] == ["x", "y", "z", "w", "Total"] and len(table.issues) == 3 and not table.lost


def test_a_last_row_of_one_cell_is_data(tmp_path):
    cells = read_all(tmp_path, "x.xlsx", _book({"S": [["name", "b", "c"], ["x", 1, 2], ["New Zealand", "", ""]]}))
    assert cells["S"][1][-1] == ["New Zealand", None, None]


@given(st.lists(st.tuples(*[st.integers(0, 40)] * 4), max_size=30), st.integers(1, 6), st.integers(1, 6))
def test_any_merged_ranges_are_within_the_grid_and_lose_no_cell(ranges, height, width):
    grid = [[f"{row}.{column}" for column in range(width)] for row in range(height)]
    corners = [((min(a, c), min(b, d)), (max(a, c), max(b, d))) for a, b, c, d in ranges]
    merged, _ = regions(corners, (2, 1), grid)
    assert all(0 <= m.top <= m.bottom < height and 0 <= m.left <= m.right < width for m in merged)
    tables = sheet_tables([list(row) for row in grid], merged)
    assert sum(len(table.rows) + table.layout.header_rows + table.layout.preamble for table in tables) == height


def test_overlapping_regions_do_not_take_more_work_than_the_grid_allows():
    grid = [[str(row * column) for column in range(30)] for row in range(30)]
    merged, beyond = regions([((0, 0), (1_000_000, 16_000))] * 1000, (0, 0), grid)
    assert (len(merged), beyond) == (4, 996)
    assert regions([((0, 0), (0, 1)), ((30, 0), (31, 1))], (0, 0), grid) == ([Merged(0, 0, 0, 1)], 0)


class LookedAt(list):
    """A row that counts how often it is looked through."""

    count = 0

    def __iter__(self):
        LookedAt.count += 1
        return super().__iter__()


def test_a_row_is_not_looked_through_again_for_every_region_it_is_part_of():
    def looked_at(columns: int) -> int:
        grid = [LookedAt([f"name {column}" for column in range(40)]), LookedAt(map(str, range(40)))]
        grid += [LookedAt([*[None] * 39, "1"]) for _ in range(40)]
        LookedAt.count = 0
        (table,) = sheet_tables(grid, [Merged(1, column, 41, column) for column in range(columns)])
        assert table.merged == columns and table.rows[-1][:columns] == [str(column) for column in range(columns)]
        return LookedAt.count

    assert looked_at(30) == looked_at(1)


def test_merged_regions_that_overlap_too_much_are_told(tmp_path):
    book = _book({"S": [["name", "b", "c"], ["x", 1, 2], ["y", 3, 4]]})
    path = write(tmp_path, "x.xlsx", _with_merged(book, "A2:A3", 100))
    (table,) = open_tables(path)
    assert len(rows_of(table)) == 2 and not table.lost
    assert "82 merged regions of the sheet overlap too many others: not filled" in table.issues


def _with_merged(book: bytes, region: str, count: int) -> bytes:
    """A workbook whose first sheet has one merged region many times."""
    cells = "</sheetData><mergeCells>" + f'<mergeCell ref="{region}"/>' * count + "</mergeCells>"
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as old, zipfile.ZipFile(stream, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"</sheetData>", cells.encode()))
    return stream.getvalue()


@often
@given(made_tables(least_rows=6), st.integers(1, 4), st.integers(0, 12))
def test_titles_merged_over_all_columns_are_no_header_however_many_notes_follow(tmp_path, made, titles, notes):
    width = len(made.names)
    top = [[f"Office {number}", *[""] * (width - 1)] for number in range(titles)]
    bottom = [
        [f"({number}) counted by hand in the year before the last one", *[""] * (width - 1)] for number in range(notes)
    ]
    ranges = tuple(f"A{row}:{chr(64 + width)}{row}" for row in range(1, titles + 1))
    table, _ = read(tmp_path, "x.xlsx", _book({"S": [*top, made.names, *made.rows, *bottom]}, ranges))
    assert table.columns == made.names and table.dialect["preamble_lines"] == titles


def test_a_sheet_of_merged_rows_alone_keeps_them(tmp_path):
    table, rows = read(tmp_path, "x.xlsx", _book({"S": [["a", ""], ["b", ""], ["c", ""]]}, ("A1:B1", "A2:B2", "A3:B3")))
    assert len(rows) + table.dialect["header_rows"] == 3


def test_a_line_of_dashes_below_the_header_of_a_sheet_is_no_part_of_the_names(tmp_path):
    table, rows = read(tmp_path, "x.xlsx", _book({"S": [["a", "b"], ["---", "---"], ["x", 1], ["y", 2], ["z", 3]]}))
    assert table.columns == ["a", "b"] and rows == [["x", "1"], ["y", "2"], ["z", "3"]]
