"""What are the rows of a table in its raw files?"""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import pyarrow as pa

from mere import readers
from mere.errors import LakeError, NoSuchTable, Unreadable, UsageError
from mere.readers import Limits, RawTable
from mere.search.catalog import find_rows
from mere.search.given import limits_of
from mere.segments import Facts, OpenSnapshot
from mere.segments.datasets import OBJECTS, Dataset, read_datasets
from mere.segments.named_sources import is_path
from mere.segments.stored_rows import stored_batches
from mere.store import plain

STORED = "its rows are given as they are compared (lower case, numbers in one form)"


class RawRows(NamedTuple):
    """The columns of a table and its rows, batch by batch: as text, or with the types that its file has."""

    columns: list[str]
    batches: Iterator[pa.RecordBatch]
    own_types: bool = False


def raw_rows(
    opened: OpenSnapshot, table: str, columns: Sequence[str] | None = None, limit: int | None = None
) -> pa.Table:
    """The rows (at most `limit`) and columns of a table as text, read by the reader that indexed them."""
    result = read_rows(raw_batches(opened, table), limit)
    return result if columns is None else selected(result, columns, table)


def read_rows(raw: RawRows, limit: int | None) -> pa.Table:
    """The rows, at most `limit`, as one table."""
    batches, rows = [], 0
    for batch in raw.batches:
        batches.append(batch)
        rows += batch.num_rows
        if limit is not None and rows >= limit:
            break
    result = readers.concatenated(batches, raw.columns)
    return result if limit is None else result.slice(0, limit)


def raw_batches(opened: OpenSnapshot, table: str, own_types: bool = False) -> RawRows:
    """The rows of a table from its file, or from one part after the other.

    With `own_types`, columns keep the types of a file that has types.  A table that Spark read has no file; its rows
    are those of its segment.
    """
    segment, number = find_rows(opened, table)
    facts, limits = segment.facts(number), limits_of(opened)
    if "dataset" in facts.dialect:
        [dataset] = read_datasets(opened.lake, opened.snapshot, (facts.source, facts.path))
        return RawRows(dataset.columns(facts.member), _rows_of_parts(dataset, facts.member, limits))
    path = raw_path(opened, facts)
    if path is None:
        warnings.warn(f"'{table}' has no raw file: {STORED}", stacklevel=5)
        return RawRows(segment.columns(number).names, stored_batches(segment, number))
    if copy := opened.snapshot.frames.get(facts.source):
        plain.verify(path, copy.entry)
    raw = _unchanged(path, facts.bytes, lambda: readers.reopen(path, facts.member, limits, facts.repeat))
    own_types = own_types and raw.read_own_types is not None
    return RawRows(raw.columns, raw.batches(own_types), own_types)


def raw_path(opened: OpenSnapshot, facts: Facts) -> str | None:
    """Where the raw file of a table lies, or the copy of a frame; None for what Spark read."""
    if is_path(facts.source):
        return facts.source if os.path.isfile(facts.source) else os.path.join(facts.source, facts.path)
    copy = opened.snapshot.frames.get(facts.source)
    return None if copy is None else os.path.join(opened.lake, copy.path)


def _rows_of_parts(dataset: Dataset, member: str, limits: Limits) -> Iterator[pa.RecordBatch]:
    """The rows of one part after the other, with the values of their partitions, in the columns of the table."""
    columns = dataset.columns(member)
    for part in dataset.inside:
        if member in part.rows:
            path = os.path.join(dataset.source, part.path)
            raw = _unchanged(path, part.size, partial(_table_of_part, path, member, limits))
            raw = raw if member else readers.with_first_row(raw, part.first_row)
            indexed = set(part.shape.columns[member]) if part.shape else set()
            values = readers.values_of_object(part.values, raw.columns) if dataset.kind == OBJECTS else part.values
            for batch in raw.batches():
                yield _aligned(readers.with_values(batch, values), columns, indexed)


def _aligned(rows: pa.RecordBatch, columns: list[str], indexed: set[str]) -> pa.RecordBatch:
    """The same rows in other columns; null where they lack one, or where it was left out when they were indexed."""
    missing = pa.nulls(rows.num_rows, pa.string())
    places = {name: place for place, name in enumerate(rows.schema.names) if name in indexed}
    arrays = [rows.column(places[name]) if name in places else missing for name in columns]
    return pa.RecordBatch.from_arrays(arrays, names=columns)


def _table_of_part(path: str, member: str, limits: Limits) -> RawTable:
    """The table of a part by its member; of several with one name, the second is called NAME#2, and so on."""
    seen: Counter[str] = Counter()
    for raw in readers.open_tables(path, limits.of_part()):
        seen[raw.member] += 1
        name = raw.member if seen[raw.member] == 1 else f"{raw.member}#{seen[raw.member]}"
        if name == member:
            return raw
    raise Unreadable(f"{path}: no member '{member}'", "index the file again")


def _unchanged(path: str, size: int, open_table: Callable[[], RawTable]) -> RawTable:
    """The table of a file that must be as it was when it was indexed."""
    if not os.path.exists(path):
        raise NoSuchTable(
            f"the raw file '{path}' does not exist any more", "restore it, or run 'mere index' to drop its tables"
        )
    if os.path.getsize(path) != size:
        raise LakeError(f"'{path}' has changed since it was indexed", "bring the lake up to date with 'mere index'")
    try:
        return open_table()
    except Unreadable as error:
        raise LakeError(f"'{path}' is no longer what was indexed: {error.message}", "run 'mere index'") from error


def selected(table: pa.Table, columns: Sequence[str], name: str) -> pa.Table:
    """Some columns of a table, in the order of their names."""
    missing = [column for column in columns if column not in table.column_names]
    if missing:
        known = ", ".join(table.column_names[:20])
        raise UsageError(f"table '{name}' has no column '{missing[0]}'", f"it has {known}")
    return table.select(list(columns))
