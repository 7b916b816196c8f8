"""SQLite databases: every table is a table. Views, virtual tables and their parts are left out, with a note.

The file is not trusted: it is opened read-only and immutable, or in memory, with a schema that may call no function
with side effects, no extension, a limit on the length of values, and an authorizer that lets only SELECT through.
Columns that are computed when they are read may not become out of proportion to the file.
Changes that lie in a write-ahead log beside the file are not read.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from mere.errors import Unreadable
from mere.readers.as_text import cell_text
from mere.readers.json_records import is_fraction
from mere.readers.limits import Limits
from mere.readers.names import unique_names
from mere.readers.rows import to_batches
from mere.readers.source import Source
from mere.readers.table import Findings, RawTable

LENGTH = 64 << 20  # bytes of a value, and of all values of a row that are computed when it is read
LEAST_LENGTH = 64 << 10
VERSIONS = slice(18, 20)  # of the format; 2 says that there is a write-ahead log, which cannot be in memory
ALLOWED = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION)
TextRow = list[str | None]
FAULTS = (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError)


def open_sqlite(
    source: Source, limits: Limits, failures: list[tuple[str, str]], member: str = ""
) -> Iterator[RawTable]:
    """The tables in the order of the schema; one that cannot be read goes to `failures`."""
    try:
        with _Database(source, limits) as database:
            kinds = database.kinds()
    except FAULTS as fault:
        raise Unreadable(f"{source.name}: corrupt SQLite database: {fault}", "repair it, or export it") from fault
    tables = [name for name, kind in kinds if kind == "table"]
    views = [name for name, kind in kinds if kind == "view"]
    virtual = [name for name, kind in kinds if kind == "virtual"]
    note = _left_out(views, virtual) if views or virtual else ""
    if note and not tables:
        failures.append((member, note))
    for number, name in enumerate(tables):
        label = f"{member}/{name}" if member else name
        if number >= limits.members:
            failures.append((label, f"more than {limits.members:,} tables"))
            continue
        try:
            yield _table(source, name, label, limits, "" if number else note)
        except Unreadable as fault:
            failures.append((label, str(fault)))
        except FAULTS as fault:
            failures.append((label, f"corrupt SQLite table: {fault}"))


def _left_out(views: list[str], virtual: list[str]) -> str:
    parts = [
        f"{len(names):,} {kind}{'' if len(names) == 1 else 's'} ({', '.join(names[:5])})"
        for kind, names in (("view", views), ("virtual table", virtual))
        if names
    ]
    return f"{' and '.join(parts)} left out: only tables are read"


def _table(source: Source, name: str, label: str, limits: Limits, note: str) -> RawTable:
    with _Database(source, limits) as database:
        names = database.columns(name)
        if not 0 < len(names) <= limits.columns:
            raise ValueError(f"{len(names):,} columns, 1 to {limits.columns:,} allowed")
        rows = database.count(name, min(limits.rows, limits.cells // len(names)) + 1)
    limits.check_extent(source.name, rows, len(names), source.size)
    columns = unique_names(names)

    def read(findings: Findings) -> Iterator[pa.RecordBatch]:
        source.report(findings)
        findings.note(note, bool(note), lost=False)
        _note_log(source, findings)
        with _Database(source, limits) as database:
            computed = database.computed(name)
            length = _length(len(computed), limits)
            rows = _texts(database.rows(name, names, length), raw)
            if computed:
                rows = _in_proportion(rows, max(limits.ratio_free_bytes, limits.ratio * source.size), findings)
                rows = _note_missing(rows, [names.index(each) for each in computed], length, findings)
            yield from to_batches(rows, columns, limits, findings)

    raw = RawTable(label, columns, "sqlite", {"rows": rows, "table": name}, read)
    return raw


def _texts(rows: Iterator[tuple[Any, ...]], raw: RawTable) -> Iterator[list[str | None]]:
    """The cells as text; the table is told of fractions."""
    for row in rows:
        raw.typed = raw.typed or any(map(is_fraction, row))
        yield [cell_text(value) for value in row]


def _length(computed: int, limits: Limits) -> int:
    """How long a value may be if so many columns are computed: a little longer than a cell, and all fit in memory."""
    return max(LEAST_LENGTH, min(4 * limits.cell_bytes, LENGTH // computed)) if computed else LENGTH


def _in_proportion(rows: Iterator[TextRow], most: int, findings: Findings) -> Iterator[TextRow]:
    """The rows, until their text is longer than the file can explain."""
    left = most
    for row in rows:
        left -= sum(len(cell) for cell in row if cell)
        if left < 0:
            sentence = f"only the first rows were read: with computed columns, the text exceeds {most:,} characters"
            findings.note(f"{sentence}; raise the limit 'ratio'", lost=True)
            return
        yield row


def _note_missing(rows: Iterator[TextRow], places: list[int], length: int, findings: Findings) -> Iterator[TextRow]:
    """The rows; some functions of SQLite give null instead of a value that is too long."""
    missing = 0
    for row in rows:
        missing += sum(row[place] is None for place in places)
        yield row
    sentence = f"{{n}} computed {{value is|values are}} null, or {{was|were}} longer than {length:,} bytes"
    findings.note(sentence, missing, lost=False)


def _note_log(source: Source, findings: Findings) -> None:
    log = f"{source.name}-wal"
    if source.seekable and os.path.isfile(log) and os.path.getsize(log):
        findings.note("changes in the write-ahead log beside the database are not read", lost=True)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class _Database:
    """A connection that can only read."""

    def __init__(self, source: Source, limits: Limits) -> None:
        if source.seekable and os.path.isfile(source.name):
            path = quote(os.path.abspath(source.name))
            self._connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True, isolation_level=None)
        else:
            self._connection = sqlite3.connect(":memory:", isolation_level=None)
            data = source.read_all(limits.json_bytes, "json_bytes")
            self._connection.deserialize(data[: VERSIONS.start] + b"\1\1" + data[VERSIONS.stop :])
        self._connection.text_factory = lambda data: data.decode("utf-8", "replace")
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LENGTH)
        for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON", "mmap_size = 0"):
            self._connection.execute(f"PRAGMA {pragma}")

    def __enter__(self) -> _Database:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def kinds(self) -> list[tuple[str, str]]:
        """Name and kind (table, view, virtual, shadow) of whatever is in the schema, but for SQLite's own tables."""
        rows = self._connection.execute("SELECT name, type FROM pragma_table_list WHERE schema = 'main'").fetchall()
        order = {
            name: place for place, (name,) in enumerate(self._connection.execute("SELECT name FROM sqlite_schema"))
        }
        own = [(str(name), str(kind)) for name, kind in rows if not str(name).startswith("sqlite_")]
        return sorted(own, key=lambda row: order.get(row[0], 0))

    def columns(self, table: str) -> list[str]:
        """The columns, hidden ones excluded."""
        info = self._connection.execute("SELECT name, hidden FROM pragma_table_xinfo(?)", (table,)).fetchall()
        return [str(name) for name, hidden in info if hidden != 1]

    def computed(self, table: str) -> list[str]:
        """The columns that are not stored, but computed whenever they are read."""
        query = "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 2"
        return [str(name) for (name,) in self._connection.execute(query, (table,))]

    def count(self, table: str, most: int) -> int:
        """The rows, counted up to `most`: a damaged database may have cycles."""
        limited = f"SELECT 1 FROM {_quoted(table)} NOT INDEXED LIMIT {most}"  # noqa: S608 - the name is quoted
        (count,) = self._connection.execute(f"SELECT count(*) FROM ({limited})").fetchone()  # noqa: S608
        return int(count)

    def rows(self, table: str, columns: list[str], length: int) -> Iterator[tuple[Any, ...]]:
        """The rows, one at a time, because a few of them may be all that fits in memory."""
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, length)
        self._connection.set_authorizer(_only_select)
        names = ", ".join(map(_quoted, columns))
        yield from self._connection.execute(f"SELECT {names} FROM {_quoted(table)} NOT INDEXED")  # noqa: S608


def _only_select(action: int, *arguments: Any) -> int:
    allowed = action in ALLOWED and "load_extension" not in arguments
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY
