"""SQLite and DuckDB files, tar archives: several tables in one file, read without trusting it."""

from __future__ import annotations

import gzip
import io
import os
import sqlite3
import struct
import sys
import tarfile
import zipfile

import duckdb
import pytest
from raw_files import read_all, rows_of, write

from mere.errors import Unreadable
from mere.readers import Limits, open_tables, reopen, source, sqlite_tables

CSV = b"id,name\n1,a\n2,b\n"
ROWS = [["1", "a"], ["2", "b"]]


def _sqlite(folder, script, name="made.db"):
    path = os.path.join(folder, name)
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()
    with open(path, "rb") as file:
        return file.read()


MIXED = """
    CREATE TABLE "odd ""name" (id INTEGER PRIMARY KEY, x, double INT GENERATED ALWAYS AS (id * 2));
    INSERT INTO "odd ""name" (x) VALUES (NULL), (2.0), (0.5), ('é'), (x'ff00');
    CREATE TABLE empty (a, b);
    CREATE VIEW v AS SELECT 1;
    CREATE VIRTUAL TABLE words USING fts5(body);
"""


def _zip(members):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return sink.getvalue()


def test_every_table_of_a_database_is_a_table_and_the_rest_is_noted(tmp_path):
    data = _sqlite(tmp_path, MIXED)
    first, second = open_tables(write(tmp_path, "x.db", data))
    assert (first.member, first.format, first.columns) == ('odd "name', "sqlite", ["id", "x", "double"])
    assert rows_of(first) == [
        ["1", None, "2"],
        ["2", "2", "4"],
        ["3", "0.5", "6"],
        ["4", "é", "8"],
        ["5", "ff00", "10"],
    ]
    assert first.issues == ["1 view (v) and 1 virtual table (words) left out: only tables are read"] and not first.lost
    assert (second.member, second.columns, rows_of(second), second.issues) == ("empty", ["a", "b"], [], [])


@pytest.mark.parametrize("small", [True, False])
def test_databases_are_read_inside_archives(tmp_path, monkeypatch, small):
    if not small:
        monkeypatch.setattr(source, "SMALL", 10)
    path = os.path.join(tmp_path, "made.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE t AS SELECT 7 AS a")
    with open(path, "rb") as file:
        members = {"a/x.db": _sqlite(tmp_path, MIXED), "y.duckdb": gzip.compress(file.read())}
    tables = read_all(tmp_path, "x.zip", _zip(members))
    assert tables["a/x.db/empty"] == (["a", "b"], []) and len(tables['a/x.db/odd "name'][1]) == 5
    assert tables["y.duckdb/t"] == (["a"], [["7"]])


def test_a_database_of_views_only_is_refused_with_the_reason(tmp_path):
    with pytest.raises(Unreadable, match=r"1 view \(v\) left out"):
        read_all(tmp_path, "x.db", _sqlite(tmp_path, "CREATE VIEW v AS SELECT 1"))


def test_a_write_ahead_log_that_is_not_read_is_reported(tmp_path):
    path = write(tmp_path, "x.db", _sqlite(tmp_path, "CREATE TABLE t (a); INSERT INTO t VALUES (1)"))
    write(tmp_path, "x.db-wal", b"something")
    (table,) = open_tables(path)
    assert rows_of(table) == [["1"]] and table.lost and "write-ahead log" in table.issues[0]
    assert sorted(os.listdir(tmp_path)) == ["made.db", "x.db", "x.db-wal"]  # and nothing was written


def test_a_database_with_a_write_ahead_log_is_read_inside_archives(tmp_path):
    data = _sqlite(tmp_path, "PRAGMA journal_mode = wal; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    assert data[18:20] == b"\2\2"
    assert read_all(tmp_path, "x.db", data) == {"t": (["a"], [["1"]])}
    assert read_all(tmp_path, "x.db.gz", gzip.compress(data)) == {"t": (["a"], [["1"]])}
    assert read_all(tmp_path, "x.zip", _zip({"x.db": data})) == {"x.db/t": (["a"], [["1"]])}


def test_a_schema_cannot_run_what_it_likes(tmp_path):
    """A generated column may not build a huge value, nor call a function that has side effects."""
    script = "CREATE TABLE t (a, b GENERATED ALWAYS AS (zeroblob(a) || 'x')); INSERT INTO t VALUES (900000000);"
    (table,) = open_tables(write(tmp_path, "x.db", _sqlite(tmp_path, script)))
    assert rows_of(table) == [] and table.lost and "too big" in table.issues[0]


def _computed(count, length, rows):
    columns = "".join(f", b{n} TEXT GENERATED ALWAYS AS (printf('%.*c', {length}, 'x')) VIRTUAL" for n in range(count))
    numbers = f"WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n WHERE a < {rows})"
    return f"CREATE TABLE t (a{columns}); INSERT INTO t (a) {numbers} SELECT a FROM n;"


def test_columns_that_are_computed_cannot_make_a_row_of_any_size(tmp_path):
    path = write(tmp_path, "x.db", _sqlite(tmp_path, _computed(500, 200_000, 3)))
    (table,) = open_tables(path)
    assert rows_of(table) == [[str(n), *[None] * 500] for n in (1, 2, 3)]
    assert table.issues == ["1,500 computed values are null, or were longer than 134,217 bytes"]


def test_columns_that_are_computed_cannot_become_out_of_proportion_to_the_file(tmp_path):
    path = write(tmp_path, "x.db", _sqlite(tmp_path, _computed(1, 50_000, 100)))
    (table,) = open_tables(path, Limits(ratio=1, ratio_free_bytes=1_000_000))
    assert len(rows_of(table)) == 19 and table.lost and "raise the limit 'ratio'" in table.issues[0]
    (table,) = open_tables(path)
    assert len(rows_of(table)) == 100 and not table.lost


def test_a_stored_value_that_is_longer_than_a_cell_may_be_is_cut(tmp_path):
    script = "CREATE TABLE t (a, b); INSERT INTO t VALUES (printf('%.*c', 900000, 'x'), 1), ('y', 2);"
    (table,) = open_tables(write(tmp_path, "x.db", _sqlite(tmp_path, script)), Limits(cell_bytes=1000))
    assert rows_of(table) == [["x" * 1000, "1"], ["y", "2"]] and table.issues == ["1 cell was cut to 1,000 bytes"]


def test_rows_are_taken_from_a_database_one_at_a_time(tmp_path, monkeypatch):
    path = write(tmp_path, "x.db", _sqlite(tmp_path, _computed(1, 300_000, 200)))
    taken = []
    made = sqlite_tables.cell_text
    monkeypatch.setattr(sqlite_tables, "cell_text", lambda value: taken.append(1) or made(value))
    (table,) = open_tables(path)
    assert next(table.batches()).num_rows < 100 and len(taken) < 200


def test_tables_larger_than_the_limits_are_refused_before_they_are_read(tmp_path):
    rows = ", ".join(f"({n}, 1)" for n in range(100))
    database = write(tmp_path, "x.db", _sqlite(tmp_path, f"CREATE TABLE t (a, b); INSERT INTO t VALUES {rows}"))
    with pytest.raises(Unreadable, match="11 rows, more than 10; raise the limit 'rows'"):
        list(open_tables(database, Limits(rows=10)))
    path = os.path.join(tmp_path, "y.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE t AS SELECT range AS a FROM range(1000)")
    with pytest.raises(Unreadable, match="1,000 rows, more than 10; raise the limit 'rows'"):
        list(open_tables(path, Limits(rows=10)))


def test_a_duckdb_file_gives_its_tables_by_schema_and_name(tmp_path):
    path = os.path.join(tmp_path, "x.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE t (id INT, day DATE, price DECIMAL(9, 2))")
        connection.execute("INSERT INTO t VALUES (1, '2020-01-02', 1.5), (2, NULL, NULL)")
        connection.execute("CREATE SCHEMA s; CREATE TABLE s.u AS SELECT 'x' AS a; CREATE VIEW v AS SELECT 1")
    first, second = open_tables(path)
    assert (first.member, first.columns) == ("t", ["id", "day", "price"])
    assert rows_of(first) == [["1", "2020-01-02", "1.50"], ["2", None, None]]
    assert first.issues == ["1 view left out: only tables are read"]
    assert (second.member, rows_of(second)) == ("s.u", [["x"]])
    assert rows_of(reopen(path, "s.u")) == [["x"]]


def test_a_duckdb_file_of_another_version_is_refused_with_the_reason(tmp_path):
    data = bytes(8) + b"DUCK" + struct.pack("<Q", 4000) + bytes(12288)
    with pytest.raises(Unreadable, match="DuckDB cannot open it"):
        list(open_tables(write(tmp_path, "x.duckdb", data)))


@pytest.mark.parametrize(
    ("library", "name", "content", "extra"),
    [
        ("fastavro", "x.avro", b"Obj\x01", "avro"),
        ("duckdb", "x.duckdb", bytes(8) + b"DUCK" + bytes(100), "duckdb"),
        ("pyreadstat", "x.sav", b"$FL2" + bytes(100), "stats"),
    ],
)
def test_a_missing_library_is_named_with_its_extra(tmp_path, monkeypatch, library, name, content, extra):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(Unreadable, match=rf"'{library}' .* is not installed; .*mere\[{extra}\]"):
        list(open_tables(write(tmp_path, name, content)))


def _tar(members, mode="w"):
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode=mode) as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
        link = tarfile.TarInfo("link.csv")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return sink.getvalue()


MEMBERS = {"a.csv": CSV, "sub/b.json": b'{"x": 1, "y": 2}', "../../up.csv": CSV, ".hidden.csv": CSV, "i.tar": _tar({})}


@pytest.mark.parametrize("small", [True, False])
@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_each_member_of_a_tar_archive_is_a_table(tmp_path, monkeypatch, mode, small):
    if not small:
        monkeypatch.setattr(source, "SMALL", 10)
    failures: list[tuple[str, str]] = []
    path = write(tmp_path, "x.tgz", _tar(MEMBERS, mode))
    tables = list(open_tables(path, failures=failures))
    assert [table.member for table in tables] == ["a.csv", "sub/b.json", "../../up.csv"]
    assert [rows_of(table) for table in tables] == [ROWS, [["1", "2"]], ROWS]
    assert [member for member, _ in failures] == ["i.tar", "link.csv"]
    assert rows_of(reopen(path, "../../up.csv")) == ROWS
    assert os.listdir(tmp_path) == ["x.tgz"]


def test_a_tar_archive_without_the_usual_mark_is_known_by_its_checksum(tmp_path):
    data = bytearray(_tar({"a.csv": CSV}))
    data[257:265] = bytes(8)
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\x00 " % sum(data[:512])
    assert read_all(tmp_path, "x.tar", bytes(data[:1024]) + bytes(1024))["a.csv"][1] == ROWS


def test_members_beyond_the_limits_of_a_tar_archive_are_reported(tmp_path, monkeypatch):
    path = write(tmp_path, "x.tar", _tar({f"{n}.csv": CSV for n in range(5)}))
    failures: list[tuple[str, str]] = []
    assert len(list(open_tables(path, Limits(members=3), failures=failures))) == 3
    assert failures == [("", "more than 3 members: the others were not read")]
    monkeypatch.setattr(source, "SMALL", 10)
    packed = write(tmp_path, "x.tar.gz", _tar({"a.csv": CSV * 10_000}, "w:gz"))
    with pytest.raises(Unreadable, match=r"more than 5,000 bytes .* raise spool_bytes"):
        list(open_tables(packed, Limits(spool_bytes=5000)))


@pytest.mark.parametrize("small", [True, False])
def test_of_a_truncated_tar_archive_the_readable_members_are_kept(tmp_path, monkeypatch, small):
    if not small:
        monkeypatch.setattr(source, "SMALL", 10)
    data = _tar({"a.csv": CSV, "b.csv": b"id,name\n" + b"1,a\n" * 2000})
    failures: list[tuple[str, str]] = []
    first, *others = open_tables(write(tmp_path, "x.tar", data[:5000]), failures=failures)
    assert rows_of(first) == ROWS
    assert failures or (rows_of(others[0]) and others[0].lost)


def test_a_zip_bomb_of_shared_bytes_is_refused_as_a_whole(tmp_path):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0.csv", b"a,b\n" + b"1,2\n" * 500_000)
        for number in range(1, 40):  # further entries of the directory for the same bytes
            entry = archive.getinfo("0.csv")
            copy = zipfile.ZipInfo(f"{number}.csv")
            for name in ("header_offset", "compress_size", "file_size", "CRC", "compress_type", "flag_bits"):
                setattr(copy, name, getattr(entry, name))
            archive.filelist.append(copy)
            archive.NameToInfo[copy.filename] = copy
    with pytest.raises(Unreadable, match="its members decompress to 80,000,160 bytes"):
        list(open_tables(write(tmp_path, "x.zip", sink.getvalue()), Limits(ratio_free_bytes=1 << 20)))


def test_a_zip_of_very_many_members_reads_its_directory_once(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(zipfile.ZipFile, "_RealGetContents", _counting(zipfile.ZipFile._RealGetContents, opened))
    path = write(tmp_path, "x.zip", _zip({f"{n}.csv": CSV for n in range(300)}))
    assert len(list(open_tables(path))) == 300 and len(opened) == 1


def _counting(function, calls):
    def counted(self):
        calls.append(1)
        return function(self)

    return counted
