"""Parquet, Arrow and workbooks: typed cells as text."""

from __future__ import annotations

import datetime as dt
import decimal
import io

import openpyxl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from raw_files import read, read_all, rows_of, write

from mere.errors import Unreadable
from mere.readers import Limits, open_tables

TYPED = pa.table(
    {
        "int": pa.array([1, None], pa.int64()),
        "float": pa.array([1.5, 2.0]),
        "bool": [True, None],
        "day": [dt.date(2020, 1, 2), None],
        "when": pa.array([dt.datetime(2020, 1, 2, 3, 4, 5, 500_000), None], pa.timestamp("us")),
        "zoned": pa.array([dt.datetime(2020, 1, 2), None], pa.timestamp("ms", "Europe/Paris")),
        "decimal": pa.array([decimal.Decimal("0.00000001"), None]),
        "bytes": pa.array([b"text", b"\xff\x00"]),
        "list": [[1, 2], None],
        "struct": [{"a": 1, "b": b"x"}, None],
        "dict": pa.array(["x", None]).dictionary_encode(),
        "large": pa.array(["y", None], pa.large_string()),
        "nothing": pa.nulls(2),
    }
)
COLUMNS = [part for name in TYPED.column_names for part in (["struct.a", "struct.b"] if name == "struct" else [name])]
AS_TEXT = [
    ["1", "1.5", "true", "2020-01-02", "2020-01-02T03:04:05.5",
     "2020-01-02T00:00:00Z", "0.00000001", "text", "[1,2]",
     "1", "x", "x", "y", None],
    [None, "2", None, None, None, None, None, "ff00", None, None, None, None, None, None],
]  # fmt: skip


def _parquet(table):
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def _ipc(table, new):
    sink = io.BytesIO()
    with new(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _bytes_of(format):
    if format == "parquet":
        return _parquet(TYPED)
    return _ipc(TYPED, pa.ipc.new_file if format == "arrow" else pa.ipc.new_stream)


@pytest.mark.parametrize("format", ["parquet", "arrow", "stream"])
def test_typed_cells_become_text_and_nulls_stay(tmp_path, format):
    table, rows = read(tmp_path, "x.bin", _bytes_of(format))
    assert table.format == ("parquet" if format == "parquet" else "arrow")
    assert table.columns == COLUMNS and rows == AS_TEXT and not table.issues


def test_feather_is_read(tmp_path):
    pyarrow.feather.write_feather(TYPED.select(["int", "large"]), str(tmp_path / "x.feather"))
    (table,) = open_tables(str(tmp_path / "x.feather"))
    assert rows_of(table) == [["1", "y"], [None, None]]


def test_a_large_parquet_file_is_read_in_limited_batches(tmp_path):
    path = write(tmp_path, "x.parquet", _parquet(pa.table({"n": range(300_000)})))
    (table,) = open_tables(path)
    sizes = [batch.num_rows for batch in table.batches()]
    assert sum(sizes) == 300_000 and max(sizes) <= 65_536


@pytest.mark.parametrize("format", ["parquet", "arrow", "stream"])
def test_a_damaged_columnar_file_is_refused_or_reported_but_never_raises(tmp_path, format):
    data = _bytes_of(format)
    for place in range(0, len(data), 37):
        damaged = bytearray(data)
        damaged[place] ^= 0x55
        _read_or_refuse(write(tmp_path, "x.bin", bytes(damaged)))
        _read_or_refuse(write(tmp_path, "x.bin", data[:place]))


def _read_or_refuse(path):
    try:
        for table in open_tables(path):
            rows_of(table)
    except Unreadable:
        pass


def _workbook(sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


def test_every_sheet_with_data_is_a_table_named_after_it(tmp_path):
    data = _workbook(
        {
            "Sales": [["Sales 2019"], [], ["region", "sold", "on"], ["north", 12.0, dt.datetime(2019, 1, 2)],
                      ["south", 7.5, None], ["east", True, dt.datetime(2019, 1, 2, 3, 4)]],
            "Blank": [],
            "Codes": [["code", "name"], ["a", "b"]],
        }
    )  # fmt: skip
    assert read_all(tmp_path, "x.xlsx", data) == {
        "Sales": (["region", "sold", "on"], [["north", "12", "2019-01-02"], ["south", "7.5", None],
                                             ["east", "true", "2019-01-02T03:04:00"]]),
        "Codes": (["code", "name"], [["a", "b"]]),
    }  # fmt: skip


def test_two_cells_in_opposite_corners_do_not_allocate_the_cells_between_them(tmp_path):
    book = openpyxl.Workbook()
    book.active["A1"], book.active["XFD1048576"] = "a", "b"
    sink = io.BytesIO()
    book.save(sink)
    with pytest.raises(Unreadable, match="spans 17,179,869,184 cells, nearly all of them empty"):
        read(tmp_path, "x.xlsx", sink.getvalue())


def test_a_file_that_is_not_a_workbook_is_refused(tmp_path):
    for content in (b"PK\x03\x04 nonsense", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 nonsense", b"plain text"):
        with pytest.raises(Unreadable):
            read(tmp_path, "x.xlsx", content, Limits())
