"""Several tables in one file, one below the other; and tables that only look like several."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from made_tables import Made, made_tables, written
from raw_files import read, read_all, rows_of, write

from mere.readers import Limits, open_tables, reopen, sniff_splittable, stacked, text_tables
from mere.readers.dialects import Dialect, lines_of
from mere.readers.row_index import index_rows
from mere.readers.sheets import sheet_tables

often = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
STACKS = st.lists(made_tables(), min_size=2, max_size=4, unique_by=lambda made: tuple(made.names))
SEPARATORS = ["\n", "\n\n", "\nTable {}: a title\n\n", "Table {}\n"]


def _expected(tables: list[Made]) -> dict:
    return {"" if n == 0 else str(n + 1): (made.names, made.rows) for n, made in enumerate(tables)}


@often
@given(STACKS, st.sampled_from(SEPARATORS), st.sampled_from([",", ";", "\t"]), st.sampled_from(["utf-8-sig", "utf-16"]))
def test_each_table_of_a_stack_is_a_table(tmp_path, tables, separator, delimiter, encoding):
    pieces = [made.text(delimiter) for made in tables]
    text = pieces[0] + "".join(separator.format(n + 2) + piece for n, piece in enumerate(pieces[1:]))
    assert read_all(tmp_path, "x.csv", text.encode(encoding)) == _expected(tables)


@often
@given(STACKS)
def test_a_header_of_another_width_starts_a_table_without_a_blank_line(tmp_path, tables):
    assume(all(len(a.names) != len(b.names) for a, b in itertools.pairwise(tables)))
    assert read_all(tmp_path, "x.csv", "".join(made.text() for made in tables)) == _expected(tables)


@often
@given(STACKS, st.sampled_from(["", "Table {}: a title"]))
def test_stacks_that_a_spreadsheet_padded_to_one_width_are_found(tmp_path, tables, title):
    width = max(len(made.names) for made in tables)
    lines: list[list[str]] = []
    for number, made in enumerate(tables):
        lines += [[], [title.format(number + 1)], made.names, *made.rows]
    padded = [row + [""] * (width - len(row)) for row in lines]
    assert read_all(tmp_path, "x.csv", written(padded)) == _expected(tables)


@often
@given(made_tables(least_rows=8), st.lists(st.integers(1, 7), max_size=3), st.lists(st.integers(1, 7), max_size=2))
def test_blank_lines_and_odd_rows_do_not_make_several_tables(tmp_path, made, blanks, short):
    lines = [written([row[:-1] if at in short else row]) for at, row in enumerate(made.rows)]
    for place in blanks:
        lines[place] = "\n" + lines[place]
    _table, rows = read(tmp_path, "x.csv", written([made.names]) + "".join(lines))
    expected = [[*row[:-1], None] if at in short else row for at, row in enumerate(made.rows)]
    assert rows == expected


@often
@given(STACKS)
def test_a_table_of_a_stack_is_reopened_by_its_name(tmp_path, tables):
    path = write(tmp_path, "x.csv", "\n".join(made.text() for made in tables))
    for table in open_tables(path):
        again = reopen(path, table.member)
        assert (again.columns, rows_of(again)) == (table.columns, rows_of(table))


def test_the_first_table_keeps_its_name_when_another_is_added(tmp_path):
    first, second = "a,b\nx,1\ny,2\nz,3\n", "\nc,d,e\nu,4,5\nv,6,7\nw,8,9\n"
    alone = read_all(tmp_path, "x.csv", first)
    both = read_all(tmp_path, "x.csv", first + second)
    assert list(alone) == [""] and list(both) == ["", "2"] and alone[""] == both[""]


def test_titles_are_facts_and_footnotes_between_tables_belong_to_the_table_above(tmp_path):
    text = (
        "Table 1: north\nday,n,m\nmon,1,2\ntue,3,4\nSource: the ministry\n\nTable 2: south\nday,k,m\nmon,5,6\ntue,7,8\n"
    )
    first, second = open_tables(write(tmp_path, "x.csv", text))
    assert (first.dialect["title"], second.dialect["title"]) == ("Table 1: north", "Table 2: south")
    assert rows_of(first) == [["mon", "1", "2"], ["tue", "3", "4"]] and rows_of(second)[0] == ["mon", "5", "6"]
    assert first.issues == ["1 line of footnotes below the table was left out"] and not second.issues


def test_pages_with_the_same_title_are_one_table(tmp_path):
    page = "List of stations\nname,height\na,1\nb,2\nc,3\n\n"
    table, _ = read(tmp_path, "x.csv", page * 3)
    assert table.columns == ["name", "height"]


def test_a_preamble_of_pairs_is_not_a_table(tmp_path):
    text = "Source,the ministry\nRows,3\nColumns,3\n\nname,height,weight\na,1,4\nb,2,5\nc,3,6\n"
    table, rows = read(tmp_path, "x.csv", text)
    assert table.columns == ["name", "height", "weight"] and len(rows) == 3


def test_a_file_of_several_tables_is_not_read_in_spans(tmp_path):
    path = write(tmp_path, "x.csv", "a,b\nx,1\ny,2\nz,3\n\nc,d,e\nu,4,5\nv,6,7\nw,8,9\n")
    assert sniff_splittable(path, Limits()) is None


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_large_file_that_seems_to_go_on_with_another_table_is_told(tmp_path, newline):
    first = "".join(f"{n},name {n},{n}.5,abcdefghijklmnopqrstuvwxyz{newline}" for n in range(100_000))
    second = "".join(f"{n},{n}{newline}" for n in range(2000))
    table, rows = read(tmp_path, "x.csv", f"id,name,value,text{newline}{first}{newline}key,count{newline}{second}")
    assert len(rows) == 102_001
    assert any("there may be several tables in the file" in issue for issue in table.issues)


CELLS = st.text(alphabet='ab1, "\n;', max_size=5)


@often
@given(st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=1, max_size=8), st.sampled_from(["\n", "\r\n"]))
def test_the_index_of_rows_agrees_with_a_parser(rows, newline):
    text = written(rows, ",", newline)
    index = index_rows(text.encode(), Dialect(newline=newline), complete=True)
    parsed = list(Dialect().rows(lines_of(text)))
    assert index is not None and len(index) == len(parsed)
    assert [index.rows(at, at + 1)[0] for at in range(len(index))] == parsed
    assert all(width == len(row) for width, row in zip(index.widths, parsed, strict=True) if row)
    assert [int(count) for count in index.filled] == [sum(map(bool, row)) for row in parsed]


@often
@given(st.integers(8, 40), made_tables(), st.sampled_from(["\n", "Table 2\n"]))
def test_a_table_of_two_columns_of_words_above_another_is_not_lost(tmp_path, count, made, separator):
    pairs = [[f"word {chr(97 + n % 26)}", f"Name of {chr(65 + n % 20)}"] for n in range(count)]
    read_tables = read_all(tmp_path, "x.csv", written([["term", "meaning"], *pairs]) + separator + made.text())
    assert read_tables == {"": (["term", "meaning"], pairs), "2": (made.names, made.rows)}


def _many(count: int, rows: int = 3) -> str:
    return "".join(f"Table {n}\nregion,y{n},z{n}\n" + f"north,{n},2\n" * rows + "\n" for n in range(count))


@pytest.mark.parametrize(("bound", "cut"), [(4, True), (5, True), (6, False)])
def test_tables_beyond_the_number_that_is_told_apart_are_noted(tmp_path, monkeypatch, bound, cut):
    monkeypatch.setattr(stacked, "MOST_CANDIDATES", bound)
    tables = list(open_tables(write(tmp_path, "x.csv", _many(6))))
    for table in tables:
        rows_of(table)
    sentence = f"only the first {bound} tables were told apart: the last one may contain further ones"
    assert len(tables) == bound and not any(table.lost for table in tables)
    assert [sentence in table.issues for table in tables] == [False] * (bound - 1) + [cut]


@pytest.mark.parametrize("delimiter", [",", "||"])
def test_tables_beyond_the_bytes_that_are_searched_are_noted(tmp_path, monkeypatch, delimiter):
    monkeypatch.setattr(text_tables, "SEARCHED", 1 << 20)
    text = _many(12, 20_000).replace(",", delimiter)
    tables = list(open_tables(write(tmp_path, "x.csv", text)))
    for table in tables:
        rows_of(table)
    noted = [any("tables were told apart" in issue for issue in table.issues) for table in tables]
    assert len(tables) < 12 and noted == [False] * (len(tables) - 1) + [len(tables) > 1]
    assert len(tables) > 1 or delimiter == "||"


def test_tables_of_a_sheet_beyond_the_number_that_is_told_apart_are_noted(monkeypatch):
    monkeypatch.setattr(stacked, "MOST_CANDIDATES", 2)
    grid = [(line.split(",") + [None] * 3)[:3] for line in _many(4).split("\n")]
    tables = sheet_tables([[cell or None for cell in row] for row in grid], [])
    assert [table.note for table in tables][:-1] == [""] and tables[-1].note.startswith("only the first 2 tables")


@often
@given(st.integers(4, 20), made_tables(), st.sampled_from(["", "Second table"]), st.booleans())
def test_a_padded_table_of_two_columns_above_a_wider_one_is_a_table(tmp_path, count, made, title, numbers):
    """In text and in sheets; its keys are numbers, or it has more rows than a preamble."""
    words = [f"t{chr(97 + n % 26)}" for n in range(count)]
    rows = [[str(n) if numbers else f"k{chr(97 + n % 26)}", word] for n, word in enumerate(words)]
    assume(numbers or count > 7)
    first = Made(["id", "note"], rows)
    lines = [first.names, *rows, [], [title], made.names, *made.rows]
    padded = [row + [""] * (len(made.names) - len(row)) for row in lines]
    assert read_all(tmp_path, "x.csv", written(padded)) == _expected([first, made])
    tables = sheet_tables([[cell or None for cell in row] for row in padded], [])
    assert [(table.layout.names[: len(each.names)], [row for row in table.rows if any(row)]) for table, each in zip(
        tables, [first, made], strict=True)] == [(each.names, each.rows) for each in (first, made)]  # fmt: skip


@often
@given(st.integers(4, 12), st.integers(4, 12), st.integers(2, 4), st.booleans())
def test_a_table_of_words_below_one_of_numbers_is_a_table(tmp_path, above, below, width, small):
    first = Made(["id", "note", "kind", "part"][:width], [[str(n), "t", "u", "v"][:width] for n in range(above)])
    cells = [[f"{letter}{n + 10}" for letter in "abcd"[:width]] for n in range(below)]
    names = ["Name", "City", "Street", "Land"][:width]
    if small:  # small letters above capitals
        cells = [[cell.upper() + "x" * (n % 3) for cell in row] for n, row in enumerate(cells)]
        names = [name.lower() for name in names]
    second = Made(names, cells)
    assert read_all(tmp_path, "x.csv", first.text() + "\n" + second.text()) == _expected([first, second])


@often
@given(st.integers(4, 12), st.integers(3, 8))
def test_rows_of_words_after_a_blank_line_stay_rows_where_the_first_is_like_the_others(tmp_path, above, below):
    rows = [[str(n), f"note {n}"] for n in range(above)]
    words = [[f"key {chr(97 + n)}", f"what it says {chr(97 + n)}"] for n in range(below)]
    _, found = read(tmp_path, "x.csv", written([["id", "note"], *rows]) + "\n" + written(words))
    assert found == [*rows, *words]
