"""Comments between the rows of a table are no rows; rows that start with such a mark are."""

from __future__ import annotations

import io
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_tables import Made, made_tables
from raw_files import read, rows_of, write

from mere.readers import Limits, delimited, plan_spans, read_span, scan_chunk, sniff_splittable
from mere.readers.dialects import Dialect
from mere.readers.table import Findings

often = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
SENTENCES = ["sensor moved", "gap", "checked by hand, twice, by A, B, C and D, in May", "see 4; ok", "it's new", "5"]
MARKS = ["#", "# ", "## ", "%", "% ", "// ", "-- "]
DELIMITERS = st.sampled_from([",", ";", "\t", "|"])


def _inside(lines: list[str], mark: str, delimiter: str, random: Random) -> tuple[list[str], int]:
    """The lines of a table with comments between its rows, none of which has a cell for each column; how many."""
    width = lines[0].count(delimiter)
    sentences = [each for each in SENTENCES if each.count(delimiter) != width]
    places = sorted(random.sample(range(1, len(lines)), random.randint(1, 3)), reverse=True)
    for place in places:
        lines = [*lines[:place], mark + random.choice(sentences), *lines[place:]]
    return lines, len(places)


def _told(count: int) -> str:
    return f"{count} comment {'line' if count == 1 else 'lines'} inside the table {'was' if count == 1 else 'were'}"


@often
@given(made_tables(least_rows=8), st.sampled_from(MARKS), DELIMITERS, st.sampled_from(["\n", "\r\n"]), st.randoms())
def test_comments_inside_a_table_are_left_out_and_counted(tmp_path, made: Made, mark, delimiter, newline, random):
    lines, count = _inside(made.text(delimiter).splitlines(), mark, delimiter, random)
    table, rows = read(tmp_path, "f.csv", newline.join(lines) + newline)
    assert (table.columns, rows) == (made.names, made.rows)
    assert f"{_told(count)} left out" in table.issues


@often
@given(made_tables(least_rows=8), st.sampled_from(MARKS), DELIMITERS, st.integers(1, 3), st.randoms())
def test_comments_above_a_table_with_short_rows_show_what_is_a_comment(
    tmp_path, made: Made, mark, delimiter, above, random
):
    lines, count = _inside(made.text(delimiter).splitlines(), mark, delimiter, random)
    short = delimiter.join(["Ada", *["7"] * (len(made.names) - 2)])
    table, rows = read(tmp_path, "f.csv", "\n".join([*[f"{mark}made in May"] * above, *lines, short]) + "\n")
    assert (table.columns, rows) == (made.names, [*made.rows, [*short.split(delimiter), None]])
    assert f"{_told(count)} left out" in table.issues


@often
@given(made_tables(least_rows=8), st.sampled_from(MARKS), st.booleans(), st.randoms())
def test_a_row_with_a_cell_for_each_column_is_kept_whatever_it_starts_with(tmp_path, made: Made, mark, above, random):
    rows = [[mark + "12", *row[1:]] if random.random() < 0.3 else row for row in made.rows]
    text = "# about the file\n" * above + Made(made.names, rows).text()
    table, read_rows = read(tmp_path, "f.csv", text)
    assert read_rows == rows
    assert not any("comment" in issue for issue in table.issues)


@often
@given(made_tables(least_rows=8), st.sampled_from(MARKS), st.integers(0, 7))
def test_a_short_row_is_kept_where_full_rows_start_with_the_mark(tmp_path, made: Made, mark, place):
    rows = [[f"{mark}{number}", *row[1:]] for number, row in enumerate(made.rows)]
    rows[place] = rows[place][:-1]
    _, read_rows = read(tmp_path, "f.csv", Made(made.names, rows).text())
    assert read_rows == [[*row, None][: len(made.names)] for row in rows]


@pytest.mark.parametrize("delimiter", [",", "aligned"])
@pytest.mark.parametrize("mark", MARKS)
def test_comments_of_a_long_file_are_left_out_beyond_its_first_rows(tmp_path, delimiter, mark):
    rows = [[f"n{row}", str(row), "old mill" if row % 7 else "mill"] for row in range(5000)]
    cells = [["name", "count", "place name"], *rows]
    lines = [
        "".join(cell.ljust(8) for cell in row).rstrip() if delimiter == "aligned" else ",".join(row) for row in cells
    ]
    lines[4000:4000] = [f"{mark}the sensor moved", f"{mark}and checked by somebody else in the year 2019"]
    table, read_rows = read(tmp_path, "f.txt", f"{mark}made in the month of May\n" + "\n".join(lines) + "\n")
    assert read_rows == rows
    assert f"{_told(2)} left out" in table.issues


def test_a_file_read_in_spans_has_no_comments_either(tmp_path):
    rows = [[str(row), f"name {row}", str(row * 3)] for row in range(9000)]
    lines = ["# made in May", "id,name,value", *(",".join(row) for row in rows)]
    lines[5000:5000] = ["# sensor moved"]
    path = write(tmp_path, "f.csv", "\n".join(lines) + "\n")
    table = sniff_splittable(path, Limits())
    assert table is not None
    size, chunk = len("\n".join(lines)) + 1, 50_000
    scans = [scan_chunk(path, offset, chunk, table.dialect) for offset in range(0, size, chunk)]
    spans = plan_spans(scans, size, chunk)
    assert spans is not None and len(spans) > 2
    pieces = [read_span(path, span, table.dialect, table.columns, Limits()) for span in spans]
    assert [row for piece in pieces for row in rows_of(piece)] == rows
    assert sum(f"{_told(1)} left out" in piece.issues for piece in pieces) == 1


ODD_LINES = st.sampled_from(
    ["# note", "# inner note,,", "#1,2,3", " # note,,", "#,,", "# a,,b", '"# quoted",,', "# a,b"]
)


@often
@given(st.lists(ODD_LINES | st.just("1,2,3"), min_size=1, max_size=40), st.integers(8, 200))
def test_what_is_a_comment_does_not_depend_on_blocks(lines, block):
    """Arrow reads blocks where all lines have a cell for each column, Python the others."""

    def rows(size: int) -> tuple[list[dict[str, str]], dict[str, int]]:
        stream, findings = io.BytesIO("\n".join([*lines, ""]).encode()), Findings()
        dialect, columns = Dialect(",", '"', comment="#"), ["a", "b", "c"]
        batches = list(delimited.read_delimited(stream, dialect, columns, Limits(), findings, size))
        return [row for batch in batches for row in batch.to_pylist()], findings.counts()

    assert rows(block) == rows(1 << 20)


def test_a_padded_comment_is_none_in_a_file_read_whole_and_in_spans(tmp_path):
    lines = ["# made in May", "id,name,value", *(f"{row},name {row},{row * 3}" for row in range(9000))]
    lines[3000:3000], lines[7000:7000] = ["# sensor moved"], ["# inner note,,"]
    path = write(tmp_path, "f.csv", "\n".join(lines) + "\n")
    table = sniff_splittable(path, Limits())
    assert table is not None
    size, chunk = len("\n".join(lines)) + 1, 50_000
    spans = plan_spans([scan_chunk(path, at, chunk, table.dialect) for at in range(0, size, chunk)], size, chunk)
    assert spans is not None
    pieces = [read_span(path, span, table.dialect, table.columns, Limits()) for span in spans]
    assert [row for piece in pieces for row in rows_of(piece)] == rows_of(table)
    assert f"{_told(2)} left out" in table.issues
