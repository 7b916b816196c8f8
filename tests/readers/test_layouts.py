"""Which lines are preamble, header, body, footer? Files are made from tables that are known."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_tables import WORDS, Made, made_tables, written
from raw_files import read, rows_of, write

from mere.readers import Limits, open_tables, plan_spans, read_span, scan_chunk, sniff_splittable
from mere.readers.repeats import without_repeats
from mere.readers.table import Findings

often = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
DELIMITERS = st.sampled_from([",", ";", "\t", "|"])


def _is(table, rows, made: Made) -> bool:
    return table.columns == made.names and rows == made.rows


@often
@given(made_tables(), st.sampled_from(["#", "%", "//", "--"]), st.integers(1, 5), DELIMITERS)
def test_comments_above_a_header_are_preamble(tmp_path, made, mark, count, delimiter):
    comments = "".join(f"{mark} made by hand, line {number}; nothing else\n" for number in range(count))
    table, rows = read(tmp_path, "x.csv", comments + made.text(delimiter))
    assert _is(table, rows, made) and table.dialect["preamble_lines"] == count


PREAMBLE = st.lists(
    st.sampled_from(
        ["Sales of 2019", "Report, second series", "Source:,the ministry", "Date: 2019-01-01", "", "Region,North"]
    ),
    min_size=1,
    max_size=5,
    unique=True,  # a key that occurs again shows a table
)


@often
@given(made_tables(), PREAMBLE, st.booleans())
def test_titles_and_lines_of_key_and_value_are_preamble(tmp_path, made, lines, padded):
    width = len(made.names)
    if padded:  # as a spreadsheet writes them
        lines = [line + "," * (width - 1 - line.count(",")) for line in lines]
    table, rows = read(tmp_path, "x.csv", "\n".join([*lines, made.text()]))
    assert _is(table, rows, made)


@often
@given(made_tables())
def test_a_table_without_header_keeps_all_its_rows(tmp_path, made):
    table, rows = read(tmp_path, "x.csv", written(made.rows))
    assert rows == made.rows and table.columns == [f"column_{n}" for n in range(1, len(made.names) + 1)]


def _spans(draw, width: int) -> list[str]:
    """An upper line: names over two or more columns, none over the first one."""
    cells, column = [""], 1
    while column < width:
        size = min(draw(st.integers(2, 3)), width - column)
        cells += [draw(st.sampled_from(["Plan", "Actual", "Women", "Men"])), *([""] * (size - 1))]
        column += size
    return cells


def _filled(cells: list[str]) -> list[str]:
    result: list[str] = []
    for cell in cells:
        result.append(cell or (result[-1] if result else ""))
    return result


@often
@given(made_tables(), st.data(), st.integers(1, 2), st.booleans())
def test_lines_of_a_header_are_joined_and_upper_cells_extend_to_the_right(tmp_path, made, data, count, units):
    uppers = [_spans(data.draw, len(made.names)) for _ in range(count)]
    lower = [["(kg)" if row[0].isdigit() or "." in row else "" for row in made.rows[0]]] if units else []
    lower = [line for line in lower if any(line)]
    table, rows = read(tmp_path, "x.csv", written([*uppers, made.names, *lower, *made.rows]))
    parts = zip(*map(_filled, uppers), made.names, *lower, strict=True)
    assert table.columns == [" ".join(filter(None, part)) for part in parts]
    assert rows == made.rows and table.dialect["header_rows"] == count + 1 + len(lower)


@often
@given(made_tables(), st.sampled_from(["1", "7", "word"]), st.sampled_from([" ", "\t", ",", ";"]))
def test_a_header_one_name_shorter_than_the_rows_has_row_names(tmp_path, made, first, delimiter):
    """As R's write.table writes a frame; a name such as `date` would say which column it belongs to."""
    made.names = ["mpg", "cyl", "disp", "hp", "drat", "wt"][: len(made.names)]
    labels = [f"row of {n}" if first == "word" else str(n + int(first)) for n in range(len(made.rows))]
    labels = [label.replace("7", "seven").replace("1", "one") if first == "word" else label for label in labels]
    quoted = [[f'"{label}"', *(f'"{cell}"' for cell in row)] for label, row in zip(labels, made.rows, strict=True)]
    header = delimiter.join(f'"{name}"' for name in made.names)
    text = "\n".join([header, *(delimiter.join(row) for row in quoted)]) + "\n"
    table, rows = read(tmp_path, "x.csv", text)
    assert table.columns == ["row_name", *made.names] and table.dialect["row_names"] is True
    assert rows == [[label, *row] for label, row in zip(labels, made.rows, strict=True)]
    assert "the header has one name fewer than the rows: the first column was taken for row names" in table.issues


@often
@given(st.integers(4, 20), st.integers(1, 2), st.sampled_from(["Date", "Year", "Country name", "id"]))
def test_a_header_without_its_last_names_is_not_one_with_row_names(tmp_path, count, missing, first):
    key = {"Date": "1979-{:02}-01", "Year": "19{:02}", "Country name": "Land {:c}", "id": "{}7"}[first]
    rows = [[key.format(n + (65 if "c" in key else 1)), f"{n}.5", f"0.{n}3", "7"] for n in range(count)]
    table, read_rows = read(tmp_path, "x.csv", written([[first, "Average", "Trend"][: 4 - missing], *rows]))
    assert table.columns[0] == first and read_rows == rows and not table.dialect["row_names"]
    told = ["one name fewer than the rows: the last column was", "2 names fewer than the rows: the last columns were"]
    assert any(told[missing - 1] in issue for issue in table.issues)


@often
@given(made_tables(least_rows=9), st.sets(st.integers(1, 9), min_size=1, max_size=3), st.integers(1, 30))
def test_lines_that_repeat_the_header_are_dropped_and_told_by_spans_too(tmp_path, made, places, chunk):
    body = list(made.rows)
    for place in sorted(places, reverse=True):
        body.insert(place, made.names)
    path = write(tmp_path, "x.csv", written([made.names, *body]))
    table = sniff_splittable(path, Limits())
    rows = rows_of(table)
    assert _is(table, rows, made)
    plural = "rows repeat" if len(places) > 1 else "row repeats"
    assert any(issue.startswith(f"{len(places)} {plural} the header") for issue in table.issues) and not table.lost
    with open(path, "rb") as file:
        size = len(file.read())
    scans = [scan_chunk(path, at, min(chunk, size - at), table.dialect) for at in range(0, size, chunk)]
    parts = [read_span(path, span, table.dialect, table.columns, Limits()) for span in plan_spans(scans, size, chunk)]
    assert [row for part in parts for row in rows_of(part)] == made.rows


NOTES = ["Source: the ministry", "Note: figures are estimates, not counts", "* from 2019 on without the north"]


@often
@given(made_tables(), st.lists(st.sampled_from(NOTES), min_size=1, max_size=3), st.booleans(), st.booleans())
def test_footnotes_are_left_out_and_told_and_all_rows_are_kept(tmp_path, made, notes, blank, padded):
    lines = [f'"{note}"' + "," * (len(made.names) - 1) if padded else note for note in notes]
    text = made.text() + "\n" * blank + "\n".join(lines)
    table, rows = read(tmp_path, "x.csv", text)
    plural = f"{len(notes)} lines of footnotes below the table were" if len(notes) > 1 else "1 line of footnotes"
    assert _is(table, rows, made) and any(issue.startswith(plural) for issue in table.issues)


@often
@given(made_tables(), st.sampled_from(["Total", "TOTAL:", "Grand total", "Sum"]))
def test_a_line_of_totals_is_kept_and_told(tmp_path, made, word):
    totals = [word, *("17" for _ in made.names[1:])]
    table, rows = read(tmp_path, "x.csv", made.text() + written([totals]))
    assert rows == [*made.rows, totals]
    assert "the last row looks like a line of totals; it is kept as a row" in table.issues


def test_a_commented_header_below_comments_loses_its_mark(tmp_path):
    table, rows = read(tmp_path, "x.csv", "# made by hand\n#id,name\n1,ann\n2,bob\n3,cy\n")
    assert table.columns == ["id", "name"] and len(rows) == 3


def test_a_column_may_be_called_by_a_mark_of_comments(tmp_path):
    table, rows = read(tmp_path, "x.csv", "#,Name,Party\n1,Ann,A\n2,Bob,B\n3,Cy,A\n")
    assert table.columns == ["#", "Name", "Party"] and len(rows) == 3


@pytest.mark.parametrize("mark", ["/", "_", "="])
def test_structured_lines_in_a_single_column_are_told(tmp_path, mark):
    lines = [mark.join(["alpha", f"part{n % 3}", "x" * (n % 4 + 1)]) for n in range(20)]
    table, _ = read(tmp_path, "x.csv", "\n".join(lines) + "\n")
    if len(table.columns) == 1:
        assert "although its lines look structured" in table.issues[0]


@often
@given(st.sampled_from(["=", "/", "#", "&", "~", "<", ", ", " : "]), st.integers(5, 30), st.randoms())
def test_two_fields_in_a_single_column_are_told(tmp_path, mark, count, random):
    lines = [f"{random.choice(WORDS)}{mark}{random.choice(WORDS)}" for _ in range(count)]
    table, _ = read(tmp_path, "x.csv", "entry\n" + "\n".join(lines) + "\n")
    if len(table.columns) == 1:
        assert any(f"1 '{mark.strip()}' in each" in issue for issue in table.issues)


@often
@given(st.integers(10, 30), st.randoms())
def test_addresses_in_a_single_column_are_told(tmp_path, count, random):
    floors = ["Floor 2, ", "Flat 4a, ", ""]
    lines = [f"{row} {random.choice(WORDS)} Road, {random.choice(floors)}Springfield, IL" for row in range(count)]
    table, rows = read(tmp_path, "x.csv", "address\n" + "\n".join(lines) + "\n")
    assert rows == [[line] for line in lines]
    assert any("although its lines look structured" in issue for issue in table.issues)


@pytest.mark.parametrize(
    "cells",
    [
        ["north-east", "south-west", "top_up"],
        ["He left. Then, later, he came", "No", "It rained, and so on"],
        ["https://a.org/b", "http://c.org/d"],
        ["Rome", "Oslo", "Lima"],
        ["2019-01-01", "2019-01-02"],
        ["Ada Byron", "Emmy Noether"],
    ],
)
def test_a_plain_single_column_is_not_told(tmp_path, cells):
    table, _ = read(tmp_path, "x.csv", "entry\n" + "\n".join(cells * 5) + "\n")
    assert table.columns == ["entry"] and not table.issues


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_the_dashes_below_a_repeated_header_are_dropped_wherever_a_batch_ends(size):
    rows = [["1", "2"], ["ab", "cd"], ["--", "--"], ["3", "4"], ["--", "--"], ["ab", "cd"], ["5", "6"]]
    table = pa.table({name: [row[at] for row in rows] for at, name in enumerate(["ab", "cd"])})
    batches = without_repeats(iter(table.to_batches(max_chunksize=size)), ["ab", "cd"], 1, Findings())
    kept = [list(row.values()) for batch in batches for row in batch.to_pylist()]
    assert kept == [["1", "2"], ["3", "4"], ["--", "--"], ["5", "6"]]


def test_values_of_one_column_that_occur_again_are_not_repeated_headers(tmp_path):
    table, rows = read(tmp_path, "x.csv", "happy\nsad\nhappy\nangry\n")
    assert table.columns == ["column_1"] and len(rows) == 4


def test_words_that_occur_again_are_no_row_names(tmp_path):
    text = "mpg,cyl\n" + "".join(f"{word},{n}.5,{n}\n" for n, word in enumerate(["red", "blue", "red", "green"] * 3))
    table, _ = read(tmp_path, "x.csv", text)
    assert table.columns == ["mpg", "cyl", "column_3"] and not table.dialect["row_names"]


LETTERS = st.sampled_from(["oak", "elm", "fir", "ash", "yew", "box"])


def _lines(names: str, width: int, count: int) -> str:
    return "".join(
        ",".join(f"{names}{column}{chr(97 + row)}" for column in range(width)) + "\n" for row in range(count)
    )


@often
@given(st.integers(2, 6), st.integers(1, 4), st.integers(1, 25), st.integers(1, 25), LETTERS)
def test_rows_above_wider_rows_are_kept_and_told(tmp_path, width, more, above, below, word):
    """Words only: nothing but the widths tells the rows apart."""
    header = ",".join(["id", "name", "city", "land", "river", "street"][:width])
    first = "".join(f"{row},{line}\n" for row, line in enumerate(_lines(word, width - 1, above).splitlines()))
    table, rows = read(tmp_path, "x.csv", f"{header}\n{first}{_lines(word.upper(), width + more, below)}")
    assert len(rows) == above + below and table.columns[:width] == header.split(",")
    assert any("padded with nulls" in issue for issue in table.issues)


@often
@given(made_tables(least_columns=4), st.integers(1, 30))
def test_pairs_above_a_table_are_left_out_only_if_they_are_few_and_always_told(tmp_path, made, count):
    pairs = "".join(f"Key {chr(97 + number % 26)},value {number}\n" for number in range(count))
    tables = list(open_tables(write(tmp_path, "x.csv", pairs + made.text())))
    read = [rows_of(table) for table in tables]
    lines = "1 line above the table was" if count == 1 else f"{count} lines above the table were"
    if len(tables) == 1 and tables[0].dialect["preamble_lines"]:
        assert count <= 15 and _is(tables[0], read[0], made) and f"{lines} left out" in tables[0].issues
    else:
        kept = sum(map(len, read)) + sum(table.dialect["header_rows"] for table in tables)
        assert count > 7 and kept == count + 1 + len(made.rows)


@often
@given(made_tables(least_columns=4))
def test_a_title_of_one_cell_is_not_told(tmp_path, made):
    table, _ = read(tmp_path, "x.csv", "Sales by region\n" + made.text())
    assert table.dialect["preamble_lines"] == 1 and not table.issues


def test_one_line_about_the_file_above_a_header_twice_as_wide_is_left_out_and_told(tmp_path):
    table, rows = read(
        tmp_path, "x.csv", "C,report,2020-01-02\ncity,a,b,c,d,e\nx,1,2,3,4,5\ny,1,2,3,4,5\nz,2,2,2,2,2\n"
    )
    assert table.columns == ["city", "a", "b", "c", "d", "e"] and len(rows) == 3
    assert table.issues == ["1 line above the table was left out"]


@pytest.mark.parametrize("last", ["Source: The Film,Ann Lee", "Note: second part,Bo", "* Star,Kim", "Remarks: a,b"])
def test_a_complete_last_row_is_data_whatever_its_words(tmp_path, last):
    lines = [f"Film {number},Dir {number}" for number in range(12)]
    _, rows = read(tmp_path, "x.csv", "\n".join(["title,director", *lines, last, "Source: Two,Al"]))
    assert len(rows) == 14 and rows[-2] == last.split(",")


def test_a_note_with_a_comma_below_two_columns_is_no_row(tmp_path):
    text = "city,people\nRome,3\nUlm,4\nBonn,5\nSource: statistics office, 2019\n"
    table, rows = read(tmp_path, "x.csv", text)
    assert len(rows) == 3 and table.issues == ["1 line of footnotes below the table was left out"]


RULED = st.sampled_from(["---", "------", ":---", "---:", ":--:", "===", " --- "])


@often
@given(made_tables(), st.data())
def test_a_line_of_dashes_below_the_header_is_left_out_and_told(tmp_path, made, data):
    rule = [data.draw(RULED) for _ in made.names]
    table, rows = read(tmp_path, "x.csv", written([made.names, rule, *made.rows], "|"))
    assert _is(table, rows, made) and table.issues == ["the line of dashes below the header was left out"]


def test_dashes_among_the_rows_are_kept(tmp_path):
    lines = ["city,a,b", "x,1,2", "---,---,---", "y,3,4", "z,5,6"]
    _, rows = read(tmp_path, "x.csv", "\n".join(lines))
    assert rows == [line.split(",") for line in lines[1:]]


@often
@given(made_tables(), st.booleans(), st.booleans(), st.booleans())
def test_rows_between_bars_have_no_empty_columns_around(tmp_path, made, ruled, title, blank):
    rows = [["", *row, " " * blank] for row in [made.names, *[["---"] * len(made.names)] * ruled, *made.rows]]
    table, read_rows = read(tmp_path, "x.csv", "Sales by region\n" * title + written(rows, "|"))
    assert _is(table, read_rows, made)


@often
@given(made_tables(least_rows=6), st.integers(0, 5), st.booleans())
def test_a_filled_cell_outside_the_bars_is_kept(tmp_path, made, place, first):
    rows = [["", *row, ""] for row in [made.names, *made.rows]]
    rows[place + 1][0 if first else -1] = "word"
    _, read_rows = read(tmp_path, "x.csv", written(rows, "|"))
    assert len(read_rows) == len(made.rows) and any("word" in row for row in read_rows)


def test_a_longer_row_between_bars_is_kept_whole(tmp_path):
    lines = ["|city|a|b|", *["|Rome|1|2|"] * 150, "|Ulm|1|2|more|", *["|Rome|3|4|"] * 50]
    _, rows = read(tmp_path, "x.csv", "\n".join(lines))
    assert len(rows) == 201 and rows[150] == ["Ulm", "1", "2", "more"]
