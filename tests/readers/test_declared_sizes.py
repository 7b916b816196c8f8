"""Files that declare far more than they hold, damaged files of every format, and workbooks of every kind."""

from __future__ import annotations

import io
import os
import random
import sqlite3
import struct
import tarfile
import zipfile

import fastavro
import numpy as np
import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet as pq
import pytest
import xlwt
from raw_files import read, read_all, rows_of, write

from mere.errors import Unreadable
from mere.readers import Limits, open_tables

HUGE = 10**12


def _ipc(batch, new=pa.ipc.new_file):
    sink = io.BytesIO()
    with new(sink, batch.schema, options=pa.ipc.IpcWriteOptions(allow_64bit=True)) as writer:
        writer.write_batch(batch)
    return sink.getvalue()


def _runs(count):
    return pa.RunEndEncodedArray.from_arrays(pa.array([count], pa.int64()), pa.array(["x"]))


@pytest.mark.parametrize("new", [pa.ipc.new_file, pa.ipc.new_stream])
@pytest.mark.parametrize("column", [pa.nulls(10**9), _runs(10**9), _runs(HUGE)])
def test_an_arrow_file_of_a_few_bytes_cannot_unfold_to_any_number_of_rows(tmp_path, new, column):
    data = _ipc(pa.record_batch([column], ["a"]), new)
    assert len(data) < 1000
    with pytest.raises(Unreadable, match=r"(cells in \d+ bytes|rows, more than)"):
        read(tmp_path, "x.arrow", data)


def test_run_end_encoded_columns_are_read(tmp_path):
    rows = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array(["x", "y"]))
    assert read(tmp_path, "x.arrow", _ipc(pa.record_batch([rows], ["a"])))[1] == [["x"], ["x"], ["y"]]


def test_a_dictionary_of_long_values_is_unfolded_a_few_rows_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr("mere.readers.arrow_tables.UNFOLDED_BYTES", 100_000)
    values = pa.DictionaryArray.from_arrays(pa.array(np.zeros(300, np.int32)), pa.array(["v" * 1000]))
    (table,) = open_tables(write(tmp_path, "x.arrow", _ipc(pa.record_batch([values], ["a"]))))
    sizes = [batch.num_rows for batch in table.batches()]
    assert sum(sizes) == 300 and max(sizes) <= 100


@pytest.mark.parametrize("module", [pq, pyarrow.orc])
def test_declared_rows_and_lists_are_checked_before_they_are_read(tmp_path, module):
    sink = io.BytesIO()
    module.write_table(pa.table({"a": pa.array(np.zeros(100_000, np.int64)), "l": [[1] * 3] * 100_000}), sink)
    for limits in (Limits(rows=50_000), Limits(cells=150_000), Limits(cells_free=1000, cells_per_byte=1)):
        with pytest.raises(Unreadable, match="raise the limit"):
            read(tmp_path, "x.bin", sink.getvalue(), limits)
    with pytest.raises(Unreadable, match="rows, more than 250,000"):
        list(open_tables(write(tmp_path, "x.bin", sink.getvalue()), Limits(rows=250_000)))


def _sqlite(folder):
    path = os.path.join(folder, "made.db")
    if not os.path.exists(path):
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE t (a, b)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(n, "x" * 50) for n in range(200)])
        connection.commit()
        connection.close()
    with open(path, "rb") as file:
        return file.read()


def _avro(folder):
    schema = {"type": "record", "name": "r", "fields": [{"name": "a", "type": "long"}, {"name": "b", "type": "string"}]}
    sink = io.BytesIO()
    fastavro.writer(sink, schema, [{"a": n, "b": "x" * 50} for n in range(100)], codec="deflate")
    return sink.getvalue()


def _orc(folder):
    sink = io.BytesIO()
    pyarrow.orc.write_table(pa.table({"a": range(100), "l": [[{"b": 1}, {"b": 2}]] * 100}), sink)
    return sink.getvalue()


def _tar(folder):
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w") as archive:
        for name in ("a.csv", "b.csv"):
            entry = tarfile.TarInfo(name)
            entry.size = 8
            archive.addfile(entry, io.BytesIO(b"a,b\n1,2\n"))
    return sink.getvalue()


def _html(folder):
    return b"<html><table>" + b"<tr><td colspan=2 rowspan=1>a<td>b</tr>" * 20


@pytest.mark.parametrize(
    ("name", "made"), [("x.db", _sqlite), ("x.avro", _avro), ("x.orc", _orc), ("x.tar", _tar), ("x.html", _html)]
)
def test_a_damaged_file_is_refused_or_reported_but_never_raises(tmp_path, name, made):
    data = made(tmp_path)
    dice = random.Random(name)
    for _ in range(60):
        damaged = bytearray(data)
        for _ in range(dice.choice([1, 2, 20])):
            damaged[dice.randrange(len(data))] = dice.randrange(256)
        for content in (bytes(damaged), data[: dice.randrange(len(data))]):
            try:
                for table in open_tables(write(tmp_path, name, content)):
                    rows_of(table)
            except Unreadable:
                pass


@pytest.mark.parametrize(
    "extension", ["orc", "avro", "sqlite", "duckdb", "tar", "dta", "sav", "sas7bdat", "xpt", "por", "xlsb"]
)
def test_text_under_the_name_of_a_binary_format_is_refused(tmp_path, extension):
    with pytest.raises(Unreadable, match=f"not an? {extension} file: wrong first bytes"):
        read(tmp_path, f"x.{extension}", b"a,b\n1,2\n3,4\n")


def test_an_old_workbook_is_read(tmp_path):
    book = xlwt.Workbook()
    for name, rows in {
        "First": [["id", "name"], [1, "a"], [2.5, "é"]],
        "Second": [["x", "y"], [True, 1], [False, 2]],
    }.items():
        sheet = book.add_sheet(name)
        for y, row in enumerate(rows):
            for x, cell in enumerate(row):
                sheet.write(y, x, cell)
    sink = io.BytesIO()
    book.save(sink)
    assert read_all(tmp_path, "x.xls", sink.getvalue()) == {
        "First": (["id", "name"], [["1", "a"], ["2.5", "é"]]),
        "Second": (["x", "y"], [["true", "1"], ["false", "2"]]),
    }


def test_an_opendocument_sheet_is_read(tmp_path):
    def cell(value):
        if isinstance(value, str):
            return f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'
        return f'<table:table-cell office:value-type="float" office:value="{value}"/>'

    rows = [["id", "name"], [1, "a"], [2.5, "é"]]
    body = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {spaces}><office:body><office:spreadsheet>'
        f'<table:table table:name="S">{body}</table:table></office:spreadsheet></office:body></office:document-content>'
    )
    mime = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    data = _zip({"mimetype": mime, "content.xml": content, "META-INF/manifest.xml": manifest})
    assert read_all(tmp_path, "x.ods", data) == {"S": (["id", "name"], [["1", "a"], ["2.5", "é"]])}


def _zip(members):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return sink.getvalue()


def _binary_record(kind, data=b""):
    """A record of a binary workbook: its kind and its size, seven bits per byte."""
    return (bytes([kind]) if kind < 128 else bytes([kind & 127 | 128, kind >> 7])) + bytes([len(data)]) + data


def _wide(text):
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def test_a_binary_workbook_is_read(tmp_path):
    types = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
    link = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="rId1" Type="{link}" Target="worksheets/sheet1.bin"/></Relationships>'
    )
    sheets = _binary_record(156, struct.pack("<II", 0, 1) + _wide("rId1") + _wide("S"))
    book = _binary_record(131) + _binary_record(143) + sheets + _binary_record(144) + _binary_record(132)
    cells = b""
    for y, row in enumerate([["id", "name"], [1.0, "a"], [2.5, "é"]]):
        cells += _binary_record(0, struct.pack("<I", y) + bytes(13))
        for x, value in enumerate(row):
            place = struct.pack("<II", x, 0)
            text = isinstance(value, str)
            cells += (
                _binary_record(6, place + _wide(value)) if text else _binary_record(5, place + struct.pack("<d", value))
            )
    extent = _binary_record(148, struct.pack("<IIII", 0, 2, 0, 1))
    sheet = _binary_record(129) + extent + _binary_record(145) + cells + _binary_record(146) + _binary_record(130)
    data = _zip({"[Content_Types].xml": types, "xl/workbook.bin": book, "xl/_rels/workbook.bin.rels": relations,
                 "xl/worksheets/sheet1.bin": sheet})  # fmt: skip
    assert read_all(tmp_path, "x.xlsb", data) == {"S": (["id", "name"], [["1", "a"], ["2.5", "é"]])}
