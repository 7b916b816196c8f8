"""From a path to its tables: decompress, look at the first bytes, call the reader of that format.

Every failure is raised as `Unreadable`, whichever exception a library raised for a raw file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from mere.errors import CannotWrite, MereError, Unreadable
from mere.readers.json_tables import looks_like_json, open_json
from mere.readers.limits import Limits
from mere.readers.magic import codec_of, format_of, looks_binary, unsupported_format
from mere.readers.panics import panics_as_errors
from mere.readers.source import Source, source_of
from mere.readers.table import RawTable, brief
from mere.readers.text_tables import open_delimited

Failures = list[tuple[str, str]]
SNIFF = 4096
BINARY = (
    ".parquet", ".pq", ".orc", ".arrow", ".feather", ".avro", ".xlsx", ".xls", ".ods", ".xlsb", ".sqlite", ".sqlite3",
    ".duckdb", ".tar", ".dbf", ".dta", ".sav", ".zsav", ".por", ".sas7bdat", ".xpt",
)  # fmt: skip
WORKBOOKS, MARKS = (".xls", ".xlsx", ".ods"), ("\t", ";", ",", "|")
WIDE = (b"\xff\xfe", b"\xfe\xff")  # the marks of UTF-16
DEFAULT = Limits()


def open_tables(
    path: str,
    limits: Limits = DEFAULT,
    *,
    failures: Failures | None = None,
) -> Iterator[RawTable]:
    """Every table of the file; members that fail go to `failures` as (member, reason), others are yielded."""
    failed: Failures = [] if failures is None else failures
    count = 0
    with _as_unreadable(path):
        for table in _tables(source_of(path, limits), limits, failed):
            count += 1
            yield table
    if not count:
        told = failed[:3] if failures is None else []  # the caller has them
        reasons = "; ".join(f"{member or 'file'}: {reason}" for member, reason in told)
        raise Unreadable(f"{path}: no table found{': ' if reasons else ''}{reasons}", "check the file")


def open_profiles(path: str, limits: Limits, failures: Failures) -> Iterator[RawTable]:
    """The tables whose profiles a sidecar contains; usually none."""
    from mere.readers.profiles import tables_in_sidecar

    with _as_unreadable(path):
        yield from tables_in_sidecar(source_of(path, limits), limits, failures)


@contextmanager
def _as_unreadable(path: str) -> Iterator[None]:
    try:
        with panics_as_errors():
            yield
    except (MemoryError, CannotWrite, Unreadable, GeneratorExit):
        raise
    except PermissionError as fault:
        raise Unreadable(f"{path}: no permission to read it", "allow it to be read, or move it away") from fault
    except (Exception, RecursionError) as fault:
        raise Unreadable(f"{path}: {type(fault).__name__}: {brief(fault)}", "check the file") from fault


def reopen(path: str, member: str, limits: Limits = DEFAULT, repeat: int = 0) -> RawTable:
    """One table of a file again, by its member name and the number of tables of that name before it."""
    for table in open_tables(path, limits):
        if table.member == member:
            if not repeat:
                return table
            repeat -= 1
    raise Unreadable(f"{path}: no member '{member}'", "index the file again")


def _tables(source: Source, limits: Limits, failures: Failures, member: str = "") -> Iterator[RawTable]:
    inner = source.decompressed()
    head, _ = inner.head(SNIFF)
    if not head:
        fault = f"compressed data that cannot be read: {inner.fault}" if inner.fault else "the file is empty"
        raise Unreadable(f"{source.name}: {fault}", "remove it or fetch it again")
    unsupported = unsupported_format(head, inner.extension)
    if unsupported:
        raise Unreadable(
            f"{source.name}: seems to be {unsupported}, which Mere does not read", "convert it to Parquet or CSV"
        )
    if codec_of(head):
        raise Unreadable(f"{source.name}: compressed twice", "decompress it once")
    format = format_of(head, inner.extension)
    if format == "zip":
        yield from _zipped(inner, limits, failures, member)
    elif format == "tar":
        members = _reader("tar_archives", "tar_members")(inner, limits, failures)
        yield from _members(inner, members, failures, member)
    elif format in OF_COLUMNS:
        yield from _reader("columnar", "open_columnar")(inner, format, limits, member)
    elif format in OF_STATISTICS:
        yield from _reader("statistics_files", "open_statistics")(inner, format, limits, member)
    elif format in OF_SEVERAL:
        yield from _reader(*OF_SEVERAL[format])(inner, limits, failures, member)
    elif format in OF_ONE:
        yield from _reader(*OF_ONE[format])(inner, limits, member)
    else:
        yield from _text(inner, head, limits, failures, member)


OF_COLUMNS = ("parquet", "orc", "arrow", "arrow-stream", "feather")
OF_STATISTICS = ("stata", "spss", "spss-portable", "sas", "sas-transport")
WORKBOOK = "excel", "open_workbook"
# Readers of files with several tables, some of which may fail, and of files with one.
OF_SEVERAL = {
    "ole": WORKBOOK,
    "sqlite": ("sqlite_tables", "open_sqlite"),
    "duckdb": ("duckdb_tables", "open_duckdb"),
    "html": ("html_tables", "open_html"),
}
OF_ONE = {"avro": ("avro", "open_avro"), "dbase": ("dbase", "open_dbase")}


def _reader(module: str, function: str) -> Callable[..., Iterator[Any]]:
    """The reader of a format, imported when there is a file of it: most questions are asked with text files."""
    return getattr(import_module(f"mere.readers.{module}"), function)


def _text(source: Source, head: bytes, limits: Limits, failures: Failures, member: str) -> Iterator[RawTable]:
    """JSON if it can be parsed as JSON; a CSV file may start with a bracket as well."""
    if source.extension in BINARY:
        yield from _named_otherwise(source, head, limits, member)
        return
    if looks_like_json(head, source.extension):
        try:
            yield from open_json(source, limits, member, failures)
            return
        except Unreadable:
            if source.extension not in (".csv", ".tsv", ".txt", ".tab", ".dat"):
                raise
    yield from open_delimited(source, limits, member)


def _named_otherwise(source: Source, head: bytes, limits: Limits, member: str) -> Iterator[RawTable]:
    """The table of a text that is named like a workbook, as many programs export it; other names are faults."""
    wrong = f"the compressed file is damaged: {source.fault}" if source.fault else ""
    article = "an" if source.extension[1] in "aeox" else "a"
    wrong = wrong or f"not {article} {source.extension[1:]} file: wrong first bytes"
    fault = Unreadable(f"{source.name}: {wrong}", "fetch it again")
    if source.extension not in WORKBOOKS or (looks_binary(head) and not head.startswith(WIDE)):
        raise fault
    try:
        tables = list(open_delimited(source, limits, member))
    except Unreadable:
        raise fault from None
    if not any(table.dialect.get("delimiter") in MARKS for table in tables):
        raise fault
    yield from tables


def _zipped(source: Source, limits: Limits, failures: Failures, member: str) -> Iterator[RawTable]:
    from mere.readers.archives import Zip

    archive = Zip(source)
    if archive.is_workbook():
        yield from _reader(*WORKBOOK)(source, limits, failures, member)
    else:
        yield from _members(source, archive.members(limits, failures), failures, member)


def _members(source: Source, members: Iterator[Source], failures: Failures, member: str) -> Iterator[RawTable]:
    """The tables of every member of an archive; one that fails is reported."""
    if member:
        raise Unreadable(f"{source.name}: an archive within an archive", "unpack it once")
    for inner in members:
        try:
            with panics_as_errors():
                yield from _tables(inner, inner.limits, failures, inner.name)
        except (MemoryError, CannotWrite, GeneratorExit):
            raise
        except MereError as fault:
            failures.append((inner.name, fault.message))
        except (Exception, RecursionError) as fault:
            failures.append((inner.name, f"{type(fault).__name__}: {brief(fault)}"))
