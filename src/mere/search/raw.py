"""What are the rows of a table in its raw file?"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence

import pyarrow as pa

from mere import readers
from mere.errors import LakeError, NoSuchTable, Unreadable, UsageError
from mere.readers import RawTable
from mere.search.catalog import find_rows
from mere.search.inputs import limits_of
from mere.segments import Facts, OpenSnapshot
from mere.segments.named_sources import is_path
from mere.segments.stored_rows import stored_batches
from mere.store import plain

STORED = "its rows are given as they are compared (lower case, numbers in one form)"


def raw_rows(opened: OpenSnapshot, table: str, columns: Sequence[str] | None, limit: int | None) -> pa.Table:
    """The rows (at most `limit`) and columns of a table, read from its file by the reader that indexed it."""
    segment, number = find_rows(opened, table)
    facts = segment.facts(number)
    path = raw_path(opened, facts)
    if path is None:
        warnings.warn(f"'{table}' has no raw file: {STORED}", stacklevel=3)
        result = _first(stored_batches(segment, number), segment.columns(number).names, limit)
    else:
        raw = _reopened(opened, facts, path)
        result = _first(raw.batches(), raw.columns, limit)
    return result if columns is None else _selected(result, columns, table)


def _first(batches: Iterable[pa.RecordBatch], columns: list[str], limit: int | None) -> pa.Table:
    taken, rows = [], 0
    for batch in batches:
        taken.append(batch)
        rows += batch.num_rows
        if limit is not None and rows >= limit:
            break
    result = readers.concatenated(taken, columns)
    return result if limit is None else result.slice(0, limit)


def raw_path(opened: OpenSnapshot, facts: Facts) -> str | None:
    """Where the raw file of a table lies, or the copy of a frame; None for what Spark read."""
    if is_path(facts.source):
        return facts.source if os.path.isfile(facts.source) else os.path.join(facts.source, facts.path)
    copy = opened.snapshot.frames.get(facts.source)
    return None if copy is None else os.path.join(opened.lake, copy.path)


def _reopened(opened: OpenSnapshot, facts: Facts, path: str) -> RawTable:
    if copy := opened.snapshot.frames.get(facts.source):
        plain.verify(path, copy.entry)
    if not os.path.exists(path):
        raise NoSuchTable(
            f"the raw file '{path}' does not exist any more", "restore it, or run 'mere index' to drop its tables"
        )
    if os.path.getsize(path) != facts.bytes:
        raise LakeError(f"'{path}' has changed since it was indexed", "bring the lake up to date with 'mere index'")
    try:
        return readers.reopen(path, facts.member, limits_of(opened), facts.repeat)
    except Unreadable as error:
        raise LakeError(f"'{path}' is no longer what was indexed: {error.message}", "run 'mere index'") from error


def _selected(table: pa.Table, columns: Sequence[str], name: str) -> pa.Table:
    missing = [column for column in columns if column not in table.column_names]
    if missing:
        known = ", ".join(table.column_names[:20])
        raise UsageError(f"table '{name}' has no column '{missing[0]}'", f"it has {known}")
    return table.select(list(columns))
