"""HTML tables, dBase files, and those of Stata, SPSS and SAS."""

from __future__ import annotations

import datetime as dt
import os
import struct
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from raw_files import read, read_all, rows_of, write

from mere.errors import Unreadable
from mere.readers import Limits, open_tables
from mere.readers.html_cells import Page
from mere.readers.html_tables import _grid

PAGE = """<!DOCTYPE html><html><head><style>td { color: red }</style></head><body>
<table><tr><td>menu<table id="inner"><caption>People &amp; <b>places</b></caption>
<thead><tr><th rowspan=2>City<th colspan=2>People</tr><tr><th>2019<th>2020</tr></thead>
<tr><td>Ulm<td>1<td>2<tr><td rowspan=2>Bonn<td>3<td>4</tr><tr><td>5<td>6</table></td></tr></table>
<table><tr><td>id</td><td>name</td></tr><tr><td>1</td><td>&auml;<br>b<script>x</script></td></tr>
<tr><td>2</td><td></td></tr><tr><td></td></tr></table>
<table><tr><td>just layout</td></tr></table><table></table></body>"""


def test_the_tables_of_a_page_are_found_with_their_spans(tmp_path):
    for name in ("x.html", "x.xls", "x"):
        assert read_all(tmp_path, name, PAGE) == {
            "People & places": (["City", "People 2019", "People 2020"],
                                [["Ulm", "1", "2"], ["Bonn", "3", "4"], ["Bonn", "5", "6"]]),
            "3": (["id", "name"], [["1", "ä b"], ["2", None]]),
        }  # fmt: skip


@pytest.mark.parametrize(
    ("start", "encoding"),
    [
        ('<html><meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">', "iso-8859-2"),
        ("<html><meta charset='latin1'>", "cp1252"),
        ("<?xml version='1.0'?><!DOCTYPE html><html>", "utf-8"),
        ("<!-- saved -->\n<html><meta charset=no-such-charset>", "utf-8"),
    ],
)
def test_the_encoding_of_a_page_is_what_it_declares(tmp_path, start, encoding):
    text = start + "<table id=t><tr><th>é<th>b<tr><td>ý<td>2<tr><td>š<td>3</table>"
    (columns, rows) = read_all(tmp_path, "x.html", text.encode(encoding))["t"]
    assert columns == ["é", "b"] and rows == [["ý", "2"], ["š", "3"]]


@pytest.mark.parametrize(
    ("cell", "text", "marks"),
    [("400<sup>1</sup>", "400", 1), ("1,5<sup><a href='#n'>[12]</a></sup>", "1,5", 1), ("7 %<sup>a</sup>", "7 %", 1),
     ("9<sup>*</sup>", "9", 1), ("Rome<sup>[b]</sup>", "Rome", 1), ("5<sup>1</sup><sup>2</sup>", "5", 2),
     ("m<sup>2</sup>", "m2", 0), ("1<sup>st</sup>", "1st", 0), ("<sup>1</sup> note", "1 note", 0),
     ("3×10<sup>6</sup>", "3×106", 0), ("10<sup>-3</sup>", "10-3", 0), ("4<sup>1", "4", 1)],
)  # fmt: skip
def test_raised_marks_of_footnotes_are_left_out_and_told_and_exponents_kept(tmp_path, cell, text, marks):
    page = f"<table><tr><th>a<th>b</tr><tr><td>x<td>{cell}</tr><tr><td>y<td>2</tr></table>"
    table, rows = read(tmp_path, "x.html", page)
    told = ["", "1 footnote mark was left out of a cell", "2 footnote marks were left out of cells"][marks]
    assert rows == [["x", text], ["y", "2"]] and table.issues == [told] * bool(told)


def test_a_page_without_tables_and_xml_are_refused(tmp_path):
    for text in ("<html><p>text", "<html><table><tr><td>1</table>"):
        with pytest.raises(Unreadable, match="an HTML page without a table of data"):
            read(tmp_path, "x.html", text)
    with pytest.raises(Unreadable, match="an XML document"):
        read(tmp_path, "x.xml", "<?xml version='1.0'?><table><row/></table>")
    with pytest.raises(Unreadable, match="raise html_bytes"):
        read(tmp_path, "x.html", PAGE + " " * (5 << 20), Limits(html_bytes=100))


def test_spans_cannot_make_a_table_of_any_size(tmp_path):
    row = "<tr>" + "<td colspan=1000 rowspan=60000>x" * 3
    with pytest.raises(Unreadable, match=r"spans .* cells; raise sheet_cells"):
        read(tmp_path, "x.html", "<table>" + row * 200, Limits(sheet_cells=100_000))


CELLS = st.lists(
    st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3)), min_size=1, max_size=4), min_size=1, max_size=5
)


@settings(deadline=None, max_examples=150)
@given(CELLS)
def test_each_cell_fills_the_rectangle_of_its_spans(spans):
    """The oracle puts each cell into the first free place of its row, as the HTML standard says."""
    taken, html = {}, "<table>"
    for y, row in enumerate(spans):
        html += "<tr>"
        x = 0
        for across, down in row:
            while (x, y) in taken:
                x += 1
            text = f"cell {len(html)}"
            html += f"<td colspan={across} rowspan={down}>{text}"
            places = {(x + dx, y + dy) for dx in range(across) for dy in range(min(down, len(spans) - y))}
            assume(places.isdisjoint(taken))  # the standard leaves overlaps open
            taken |= dict.fromkeys(places, text)
    page = Page(64)
    page.feed(html)
    page.finish()
    grid, _ = _grid(page.tables[0].rows, None, Limits())
    assert {(x, y): cell for y, row in enumerate(grid) for x, cell in enumerate(row) if cell} == taken


class Searched(str):
    """A page that counts the characters that are searched in it."""

    work = 0

    def __radd__(self, other):
        return Searched(str.__add__(other, self))

    def __add__(self, other):
        return Searched(str.__add__(self, other))

    def __getitem__(self, place):
        return Searched(super().__getitem__(place))

    def find(self, text, start=0):
        place = super().find(text, start)
        Searched.work += (len(self) if place < 0 else place) - start + 1
        return place


@pytest.mark.parametrize("mark", ["<!", "<!doctype ", "<![if x", "</", "<a ", "<?", "<!--", "<!-- x>", "<![x>", "<!x>"])
@pytest.mark.parametrize("end", ["", ">"])
def test_the_work_for_tags_and_comments_without_end_grows_with_the_page(monkeypatch, mark, end):
    searches = []
    search = HTMLParser.parse_comment
    monkeypatch.setattr(HTMLParser, "parse_comment", lambda *given: searches.append(given[1]) or search(*given))
    start = "<table><tr><th>a<th>b</tr><tr><td>1<td>2</tr></table>"

    def work(count: int) -> int:
        Searched.work = 0
        searches.clear()
        page = Page(64)
        page.feed(Searched(start + mark * count + end))
        page.finish()
        assert [[cell.text for cell in row] for row in page.tables[0].rows] == [["a", "b"], ["1", "2"]]
        return Searched.work

    assert work(2000) <= 2.1 * work(1000) + 200 and work(1000) <= 20_000 + 6 * len(mark) * 1000
    assert len(searches) <= 1


def test_comments_and_declarations_within_a_table_are_left_out_and_text_after_the_last_tag_is_kept():
    page = Page(64)
    page.feed("<table><tr><td>a<!-- <td>no --><td>b<![endif]><!x><tr><td>c<td>1 < 2 &amp; 2 <3")
    page.finish()
    assert [[cell.text for cell in row] for row in page.tables[0].rows] == [["a", "b"], ["c", "1 < 2 & 2 <3"]]


def _dbf(fields, rows, code_page=0x03, version=0x03):
    parts = [name.encode().ljust(11, b"\0") + kind.encode() + bytes(4) + bytes([length, 0]) + bytes(14)
             for name, kind, length in fields]  # fmt: skip
    width = 1 + sum(length for _, _, length in fields)
    head = b"".join(parts) + b"\r"
    start = bytes([version, 120, 1, 2]) + struct.pack("<IHH", len(rows), 32 + len(head), width)
    return start + bytes(17) + bytes([code_page]) + bytes(2) + head + b"".join(rows) + b"\x1a"


FIELDS = [("ID", "N", 5), ("NAME", "C", 8), ("DAY", "D", 8), ("OK", "L", 1), ("NOTE", "M", 10), ("I", "I", 4),
          ("Y", "Y", 8), ("T", "T", 8)]  # fmt: skip


def _record(mark, number, name, day, ok, whole):
    time = struct.pack("<ii", 2_440_588, 1000) if whole else bytes(8)
    return (
        mark
        + number.rjust(5)
        + name.ljust(8)
        + day.ljust(8)
        + ok
        + b" " * 10
        + struct.pack("<iq", whole, 15_000)
        + time
    )


DBF = [
    _record(b" ", b"1", "Zürich".encode("cp1252"), b"20200102", b"T", -7),
    _record(b"*", b"2", b"gone", b"", b"F", 0),
    _record(b" ", b"*****", b"", b"", b"?", 0),
]


def test_a_dbase_file_is_read_by_its_fields(tmp_path):
    table, rows = read(tmp_path, "x.dbf", _dbf(FIELDS, DBF))
    assert (table.format, table.columns) == ("dbase", ["ID", "NAME", "DAY", "OK", "I", "Y", "T"])
    assert rows == [
        ["1", "Zürich", "2020-01-02", "true", "-7", "1.5", "1970-01-01T00:00:01"],
        [None, None, None, None, "0", "1.5", None],
    ]
    assert table.issues == ["1 memo or binary field was left out", "1 deleted record was left out"]


@pytest.mark.parametrize(("code_page", "encoding"), [(0x65, "cp866"), (0xC9, "cp1251"), (0x7B, "cp932")])
def test_the_code_page_of_a_dbase_file_is_respected(tmp_path, code_page, encoding):
    word = "Мир" if encoding != "cp932" else "東京"
    data = _dbf([("NAME", "C", 8)], [b" " + word.encode(encoding).ljust(8)], code_page)
    assert read(tmp_path, "x.dbf", data)[1] == [[word]]


def test_of_a_truncated_dbase_file_the_records_before_the_end_are_kept(tmp_path):
    data = _dbf([("N", "N", 6)], [b" %6d" % n for n in range(100_000)])
    table, rows = read(tmp_path, "x.dbf", data[: len(data) // 2])
    assert rows[-1] == [str(len(rows) - 1)] and 49_000 < len(rows) < 50_001 and table.lost
    assert table.issues == [f"the file ends early: {100_000 - len(rows):,} records are missing"]


@pytest.mark.parametrize(
    "content", [b"", b"\x03\x00", b"plain,text\n1,2\n", _dbf(FIELDS, DBF)[:60], _dbf([("N", "N", 6)], [])[:-2]]
)
def test_what_is_not_a_dbase_file_is_refused(tmp_path, content):
    with pytest.raises(Unreadable):
        list(open_tables(write(tmp_path, "x.dbf", content)))


FRAME = pd.DataFrame(
    {
        "id": [1, 2, 3],
        "x": [1.5, np.nan, 2.0],
        "text": ["a", "", "u"],
        "day": [dt.date(2020, 1, 2), None, dt.date(2021, 3, 4)],
        "sex": [1.0, 2.0, 9.0],
    }
)
LABELS = {"sex": {1: "male", 2: "female"}}
PLAIN = [["1", "1.5", "a", "2020-01-02", "1"], ["2", None, None, None, "2"], ["3", "2", "u", "2021-03-04", "9"]]
LABELLED = [[*row, label] for row, label in zip(PLAIN, ("male", "female", None), strict=True)]


@pytest.mark.parametrize(
    ("name", "format", "writer", "options"),
    [
        ("x.sav", "spss", pyreadstat.write_sav, {"variable_value_labels": LABELS}),
        ("x.zsav", "spss", pyreadstat.write_sav, {"compress": True}),
        ("x.por", "spss-portable", pyreadstat.write_por, {}),
        ("x.dta", "stata", pyreadstat.write_dta, {"variable_value_labels": LABELS}),
        ("old.dta", "stata", pyreadstat.write_dta, {"version": 8}),
        ("x.xpt", "sas-transport", pyreadstat.write_xport, {}),
        ("5.xpt", "sas-transport", pyreadstat.write_xport, {"file_format_version": 5}),
    ],
)
def test_files_of_statistics_programs_are_read_with_their_labels(tmp_path, name, format, writer, options):
    path, labelled = os.path.join(tmp_path, name), "variable_value_labels" in options
    writer(FRAME, path, file_label="My file", column_labels={"sex": "Sex of the person"}, **options)
    (table,) = open_tables(path)
    assert table.format == format and rows_of(table) == (LABELLED if labelled else PLAIN) and not table.issues
    assert [column.lower() for column in table.columns] == [*FRAME.columns, *(["sex.label"] if labelled else [])]
    assert table.about.title == "My file" and (
        format == "spss-portable" or table.about.columns == {"sex": "Sex of the person"}
    )
    with open(path, "rb") as file:
        data = file.read()
    for place in (30, len(data) // 2):
        with pytest.raises(Unreadable):
            for broken in open_tables(write(tmp_path, name, data[:place])):
                assert len(rows_of(broken)) < 3 and broken.lost
                raise Unreadable("kept what could be read")


def test_a_large_file_of_statistics_is_read_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr("mere.readers.statistics_files.BATCH_ROWS", 100)
    monkeypatch.setattr("mere.readers.statistics_files.CELLS", 100)
    path = os.path.join(tmp_path, "x.sav")
    pyreadstat.write_sav(pd.DataFrame({"n": range(1000)}), path)
    (table,) = open_tables(path)
    assert [row for (row,) in rows_of(table)] == [str(n) for n in range(1000)]
    with pytest.raises(Unreadable, match="1,000 rows, more than 999"):
        list(open_tables(path, Limits(rows=999)))


@pytest.mark.parametrize(("span", "told"), [("2", 0), ("1000", 0), ("1001", 1), ("1000000", 1)])
def test_a_span_beyond_the_standard_is_told(tmp_path, span, told):
    page = f'<table><tr><th>a</th><th colspan="{span}">b</th></tr><tr><td>1</td><td>2</td></tr></table>'
    table, _ = read(tmp_path, "t.html", page)
    assert len(table.columns) == 1 + min(int(span), 1000)
    assert sum("more than 1,000 columns: read as 1,000" in issue for issue in table.issues) == told
