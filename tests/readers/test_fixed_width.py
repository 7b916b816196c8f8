"""Columns that are aligned by position."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_tables import made_tables
from raw_files import read

from mere.readers import Limits, sniff_splittable

often = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def _aligned(rows: list[list[str]], gap: int, right: list[bool]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    pieces = [
        [
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ]
        for row in rows
    ]
    return [(" " * gap).join(row).rstrip() for row in pieces]


@often
@given(made_tables(least_columns=4, least_rows=9), st.integers(2, 4), st.data())
def test_aligned_columns_are_read_with_blanks_inside_cells_and_missing_cells(tmp_path, made, gap, data):
    right = [row.replace(".", "").isdigit() for row in made.rows[0]]
    made.rows[0] = [
        "copper wire" if not is_number else cell for cell, is_number in zip(made.rows[0], right, strict=True)
    ]
    empty = data.draw(st.sets(st.tuples(st.integers(1, 4), st.integers(1, len(right) - 1)), max_size=3))
    for row, column in empty:
        made.rows[row][column] = ""
    table, rows = read(tmp_path, "x.txt", "\n".join(_aligned([made.names, *made.rows], gap, right)) + "\n")
    assert table.columns == made.names and rows == made.rows
    assert len(table.dialect["column_starts"]) == len(made.names)


@often
@given(made_tables(least_columns=4, least_rows=9), st.booleans())
def test_a_header_need_not_be_aligned_and_titles_may_stand_above(tmp_path, made, title):
    made.rows[0] = ["copper wire" if not cell.replace(".", "").isdigit() else cell for cell in made.rows[0]]
    made.names = [name.replace(" ", "_") * 2 for name in made.names]
    body = _aligned(made.rows, 3, [False] * len(made.names))
    lines = ["A list of all the things that were sold in the second year"] * title + [" ".join(made.names), *body]
    table, rows = read(tmp_path, "x.txt", "\n".join(lines) + "\n")
    assert table.columns == made.names and rows == made.rows


def test_a_timestamp_in_one_aligned_column_is_one_cell(tmp_path):
    lines = ["sensor  measured              value"]
    lines += [f"EL-{n:03}  2012-11-{n:02} 16:08:04  {n * 7.5:6.2f}" for n in range(10, 30)]
    table, rows = read(tmp_path, "x.txt", "\n".join(lines) + "\n")
    assert table.columns == ["sensor", "measured", "value"] and rows[0] == ["EL-010", "2012-11-10 16:08:04", "75.00"]


def test_text_that_splits_evenly_at_blanks_needs_no_positions(tmp_path):
    lines = ["id   height", *(f"{n}    {n * 3:5}" for n in range(1, 9))]
    table, rows = read(tmp_path, "x.txt", "\n".join(lines) + "\n")
    assert table.columns == ["id", "height"] and rows[0] == ["1", "3"] and not table.dialect["column_starts"]


def test_a_padded_csv_file_is_split_at_its_commas(tmp_path):
    lines = ["name       , height , city", *(f"name {n:<6},  {n * 11:5} , New York   " for n in range(9))]
    table, _ = read(tmp_path, "x.csv", "\n".join(lines) + "\n")
    assert len(table.columns) == 3 and not table.dialect["column_starts"]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_aligned_text_is_not_read_in_spans_and_footnotes_are_left_out(tmp_path, newline):
    lines = ["name          height", *(f"copper wire {n % 2 * ' '} {n * 111:6}" for n in range(1, 9)), "Oslo"]
    path = tmp_path / "x.txt"
    path.write_text(newline.join([*lines[:-1], ""]))
    assert sniff_splittable(str(path), Limits()) is None
    table, rows = read(
        tmp_path, "x.txt", newline.join([*lines[:-1], "Source: the ministry of all the wires and pipes", ""])
    )
    assert table.columns == ["name", "height"] and len(rows) == 8


def test_invalid_bytes_and_long_files_of_aligned_text_are_read(tmp_path):
    line = "copper wire   {n:07}  Old M\u00fcll Road  {n:7}\n"
    text = "name          code     address        height\n" + "".join(line.format(n=n) for n in range(110_000))
    table, rows = read(tmp_path, "x.txt", text.encode() + b"caf\xe9 bar      0000001  Old Mill Road        1\n")
    assert len(text) > 4 << 20 and len(rows) == 110_001 and rows[-1][0] == "caf\u00e9 bar"
    assert rows[77_000] == ["copper wire", "0077000", "Old M\u00fcll Road", "77000"]
    assert table.issues == ["1 byte is not UTF-8 and was read as windows-1252"]


def test_the_last_rows_with_a_number_on_the_right_are_no_footnotes(tmp_path):
    rows = [f"{n:>8}  copper wire     See the page on wires" for n in range(5, 14)]
    table, cells = read(tmp_path, "x.txt", "\n".join(["      id  name            note", *rows, ""]))
    assert len(cells) == 9 and not table.issues
