"""A file read in spans gives the same rows as the file read in one piece."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from raw_files import read, rows_of, write

from mere.readers import Limits, open_tables, plan_spans, read_span, scan_chunk, sniff_splittable

LIMITS = Limits()


def _spans(path, table, chunk):
    with open(path, "rb") as file:
        size = len(file.read())
    scans = [scan_chunk(path, offset, min(chunk, size - offset), table.dialect) for offset in range(0, size, chunk)]
    return plan_spans(scans, size, chunk)


def _by_spans(path, table, chunk):
    rows = []
    for span in _spans(path, table, chunk):
        rows += rows_of(read_span(path, span, table.dialect, table.columns, LIMITS))
    return rows


cells = st.text(alphabet='ab1 ,"\n\ré', max_size=6)
tables = st.lists(st.tuples(st.integers(0, 99).map(str), cells, cells), min_size=2, max_size=12)


def _write(rows, delimiter, newline, quoting, header="id"):
    sink = io.StringIO()
    writer = csv.writer(sink, delimiter=delimiter, lineterminator=newline, quoting=quoting)
    writer.writerow([header, "first name", "second name"])
    writer.writerows(rows)
    return sink.getvalue()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables, st.sampled_from(",;\t|"), st.sampled_from(["\n", "\r\n"]), st.integers(1, 40), st.booleans())
def test_spans_together_give_all_rows_of_the_file(tmp_path, rows, delimiter, newline, chunk, everything_quoted):
    quoting = csv.QUOTE_ALL if everything_quoted else csv.QUOTE_MINIMAL
    path = write(tmp_path, "x.csv", _write(rows, delimiter, newline, quoting))
    table = sniff_splittable(path, LIMITS)
    if table is None:
        return
    spans = _spans(path, table, chunk)
    if spans is not None:
        (complete,) = open_tables(path)
        assert _by_spans(path, table, chunk) == rows_of(complete)


@pytest.mark.parametrize("chunk", [1, 2, 3, 5, 7, 16, 64, 1000])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_tiny_chunks_with_quoted_newlines_are_planned_and_exact(tmp_path, chunk, mark):
    text = mark + 'a title\n\nid,text,n\r\n1,"x\r\ny",2\r\n2,"say ""hi""\n",3\r\n3,,""\r\n4,"é, ö",5\r\n\r\n5,z,6\r\n'
    path = write(tmp_path, "x.csv", text)
    table = sniff_splittable(path, LIMITS)
    assert table is not None and table.columns == ["id", "text", "n"]
    assert _by_spans(path, table, chunk) == rows_of(table)
    assert len(rows_of(table)) == 5


def test_files_with_footnotes_or_in_windows_1252_can_be_split(tmp_path):
    text = "id;name;n\n" + "".join(f"{n};Café {n};1\n" for n in range(30)) + "Source: the ministry of spans\n"
    path = write(tmp_path, "x.csv", text.encode("cp1252"))
    table = sniff_splittable(path, LIMITS)
    assert _by_spans(path, table, 50) == rows_of(table) and len(rows_of(table)) == 30


@pytest.mark.parametrize("body", ['1,5" pipe\n2,x\n', '1,a ",b\n2,c ",d\n', '1,"open\n2,x\n', '1,"a"b\n2,"c"d\n'])
def test_a_file_with_stray_quotes_is_not_split(tmp_path, body):
    path = write(tmp_path, "x.csv", "id,size\n" + "7,ok\n" * 20 + body)
    table = sniff_splittable(path, LIMITS)
    assert table is not None
    for chunk in (1, 3, 8, 1000):
        assert _spans(path, table, chunk) is None


@pytest.mark.parametrize(
    "content",
    [
        "id,n\n1,2\n".encode("utf-16"),
        b"id,n\r1,2\r3,4\r",
        b"id::n\n1::2\n3::4\n",
        b'[{"a": 1}]',
        b"\x1f\x8b\x08",
        b"PAR1",
        b"",
    ],
)
def test_files_that_cannot_be_split_are_recognised(tmp_path, content):
    assert sniff_splittable(write(tmp_path, "x.csv", content), LIMITS) is None


numbers = st.integers(1000, 9999).map(str)
DIALECTS = st.tuples(
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(numbers, st.text(alphabet='abc "\nD', max_size=8)), min_size=3, max_size=20), DIALECTS)
def test_the_output_of_a_csv_writer_is_read_back(tmp_path, rows, dialect):
    delimiter, newline, quoting, encoding = dialect
    rows = [(f"2020-01-{n % 28 + 1:02}", *row) for n, row in enumerate(rows)]
    rows = [(day, number, text.replace("D", delimiter)) for day, number, text in rows]
    text = _write(rows, delimiter, newline, quoting, header="day of it")
    table, read_rows = read(tmp_path, "x.csv", text.encode(encoding))
    assert table.columns == ["day of it", "first name", "second name"]
    assert read_rows == [list(row) for row in rows]
