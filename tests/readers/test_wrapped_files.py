"""Compressed files, archives, and files that are not tables."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zipfile

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from raw_files import read, read_all, rows_of, write

from mere.errors import Unreadable, UsageError
from mere.readers import Limits, is_hidden, open_tables, reopen

CSV = b"id,name\n1,a\n2,b\n"
ROWS = [["1", "a"], ["2", "b"]]


def _zstd(data):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


def _xz(data):
    return lzma.compress(data, preset=0)


def _zip(members):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return sink.getvalue()


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, _xz, _zstd])
@pytest.mark.parametrize("name", ["x.csv.gz", "x.csv", "x.bin"])
def test_compression_is_detected_by_content(tmp_path, pack, name):
    table, rows = read(tmp_path, name, pack(CSV))
    assert rows == ROWS and not table.issues


def test_compressed_json_is_read_as_json(tmp_path):
    assert read(tmp_path, "x.json.gz", gzip.compress(json.dumps([{"a": 1}]).encode()))[1] == [["1"]]


def test_concatenated_gzip_members_are_one_file(tmp_path):
    assert read(tmp_path, "x.csv.gz", gzip.compress(CSV) + gzip.compress(b"3,c\n"))[1] == [*ROWS, ["3", "c"]]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, _xz, _zstd])
def test_of_a_truncated_file_the_readable_rows_are_kept_and_the_rest_is_reported(tmp_path, pack):
    data = b"id,name\n" + b"".join(b"%d,name %d\n" % (n, n * n) for n in range(300_000))
    table, rows = read(tmp_path, "x.csv.gz", (packed := pack(data))[: len(packed) * 3 // 4])
    assert 100_000 < len(rows) < 300_000 and rows[1000] == ["1000", "name 1000000"]
    assert table.lost and any("ends early" in issue for issue in table.issues)


def test_a_decompression_bomb_is_cut_at_the_limit(tmp_path):
    table, _ = read(
        tmp_path,
        "x.csv.gz",
        gzip.compress(b"a,b\n" + b"1,2\n" * 3_000_000),
        Limits(decompressed_bytes=5 << 20),
    )
    assert table.lost and "decompresses to more than 5,242,880 bytes" in table.issues[-1]
    bomb = gzip.compress(b"a,b\n" + b"1,2\n" * 3_000_000)
    table, _ = read(tmp_path, "y.csv.gz", bomb, Limits(ratio=100, ratio_free_bytes=1 << 20))
    assert table.lost and "more than 100 times its size" in table.issues[-1]


def test_each_member_of_a_zip_is_a_table_and_unreadable_ones_are_reported(tmp_path):
    data = _zip(
        {
            "a.csv": CSV,
            "sub/b.json": b'{"x": [{"c": 1}, {"c": 2}], "y": [{"d": 2}, {}]}',
            "../../escape.csv": CSV,
            "inner.zip": _zip({"a.csv": CSV}),
            "image.png": b"\x89PNG\r\n\x1a\n",
            "__MACOSX/._a.csv": b"\x00\x05\x16",
        }
    )
    failures: list[tuple[str, str]] = []
    tables = list(open_tables(write(tmp_path, "x.zip", data), failures=failures))
    assert [table.member for table in tables] == ["a.csv", "sub/b.json/x", "sub/b.json/y", "../../escape.csv"]
    assert rows_of(tables[0]) == ROWS and rows_of(tables[2]) == [["2"], [None]]
    assert [member for member, _ in failures] == ["inner.zip", "image.png"]
    assert "archive within an archive" in failures[0][1] and "PNG" in failures[1][1]


def test_a_zip_bomb_is_cut_and_too_many_members_are_failures(tmp_path):
    table, _ = read(
        tmp_path,
        "x.zip",
        _zip({"a.csv": b"a,b\n" + b"1,2\n" * 2_000_000}),
        Limits(decompressed_bytes=5 << 20),
    )
    assert table.lost
    failures: list[tuple[str, str]] = []
    path = write(tmp_path, "y.zip", _zip({f"{n}.csv": CSV for n in range(5)}))
    assert len(list(open_tables(path, Limits(members=3), failures=failures))) == 3
    assert failures == [("", "5 members, of which 3 were read")]


def test_a_zip_without_tables_is_refused_with_the_reasons(tmp_path):
    with pytest.raises(Unreadable, match=r"no table found: a.pdf: .*PDF"):
        read_all(tmp_path, "x.zip", _zip({"a.pdf": b"%PDF-1.4"}))


def test_a_table_is_found_again_by_its_member(tmp_path):
    path = write(tmp_path, "x.zip", _zip({"a.csv": b"k\nv\n", "b.csv": CSV}))
    assert rows_of(reopen(path, "b.csv")) == ROWS
    with pytest.raises(Unreadable, match=r"no member 'c.csv'"):
        reopen(path, "c.csv")


@pytest.mark.parametrize(
    ("content", "format"),
    [
        (b"\x89HDF\r\n\x1a\n" + bytes(20), "an HDF5 file"),
        (b"%PDF-1.7\n", "a PDF document"),
        (b"  <!DOCTYPE html><table>", "an HTML page without a table"),
        (b"<?xml version='1.0'?><a/>", "an XML document"),
        (bytes(range(256)) * 20, "binary data"),
        (gzip.compress(gzip.compress(CSV, mtime=0), mtime=0), "compressed twice"),
    ],
)
def test_a_file_that_is_not_a_table_is_refused_with_its_format(tmp_path, content, format):
    with pytest.raises(Unreadable, match=format):
        read(tmp_path, "x.csv", content)


def test_a_missing_file_is_unreadable(tmp_path):
    with pytest.raises(Unreadable, match="FileNotFoundError"):
        list(open_tables(str(tmp_path / "absent.csv")))


def test_a_file_beyond_file_bytes_is_refused(tmp_path):
    with pytest.raises(Unreadable, match="raise file_bytes"):
        read(tmp_path, "x.csv", CSV, Limits(file_bytes=5))


ODD = st.text(alphabet="ab1,;\"'\n\r\t {}[]:\\#\x00é", max_size=200)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.binary(max_size=400) | ODD.map(str.encode),
    start=st.sampled_from([b"", b"PAR1", b"PK\x03\x04", b"\x1f\x8b\x08", b"ARROW1", b"{", b"[", b"\xff\xfe",
                           b"BZh9",
                           b"\xff\xff\xff\xff", b"\x28\xb5\x2f\xfd", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"]),
    name=st.sampled_from(["x.csv", "x.json", "x.jsonl", "x.parquet", "x.xlsx", "x"]),
)  # fmt: skip
def test_arbitrary_bytes_raise_only_unreadable(tmp_path, content, start, name):
    try:
        for table in open_tables(write(tmp_path, name, start + content)):
            assert len(set(table.columns)) == len(table.columns) and all(table.columns)
            rows_of(table)
            json.dumps(table.dialect)
    except Unreadable as fault:
        assert fault.message and fault.remedy


def test_limits_are_written_read_back_and_checked():
    limits = Limits(columns=7)
    assert Limits.from_dict(limits.to_dict()) == limits
    with pytest.raises(UsageError, match="limit 'columns' must be an int >= 1, got 0"):
        Limits(columns=0)
    with pytest.raises(UsageError, match="unknown limit 'colums'"):
        Limits.from_dict({"colums": 3})


def test_hidden_files_and_markers_are_recognised():
    assert all(map(is_hidden, [".git", "a/.DS_Store", "~$book.xlsx", "_SUCCESS"]))
    assert not any(map(is_hidden, ["a.csv", "_data.csv", "./x/y.json"]))
