"""How are the rows of a table, or of a join that was not made yet, written batch by batch?

A batch has as many rows as fit in a part of the memory that is given; while one is written, the next is made in another
thread.  Of a join only the numbers of a batch's rows are listed, and its cells taken from the two tables.

Columns with few different texts are encoded once, so that a batch takes numbers instead of texts, and Parquet
need not find the different ones again.  In the file they are plain columns of text.

Cost: memory for the two tables, and what is given for the batches; the number of rows does not matter.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.search.exporting import DELIMITERS, Written, check_format
from mere.search.joining import NO_ROW, Pairs
from mere.search.text_lines import Style, header_line, joined, lines_of, text_bytes
from mere.store import files

MEMORY = 128  # MiB
_ALIVE = 4  # batches, about, that are in memory: one being made, one being written, what is made from it
_MOST_ROWS = 1 << 20  # of a batch: a group of rows in Parquet
_INDEX_BYTES = 48  # per row of a join: its two numbers, and what is computed for them
_DICTIONARY_BYTES = 1 << 20  # of different texts: beyond, Parquet writes them as they are
_FEW = 1 << 16  # different values of a column that Parquet encodes by a dictionary

Progress = Callable[[int, int], None]
Item = TypeVar("Item")


class Text(NamedTuple):
    """Some lines, and how many of their cells got an apostrophe."""

    lines: pa.Array
    rows: int
    changed: int


class Rows(Protocol):
    """What can be written: a table, or a join."""

    names: list[str]
    metadata: dict[bytes, bytes] | None

    def __len__(self) -> int: ...

    def schema(self) -> pa.Schema: ...

    def encoded_schema(self) -> pa.Schema: ...

    def tables(self, size: int) -> Iterator[pa.Table]: ...

    def texts(self, style: Style, size: int) -> Iterator[Text]: ...

    def repeated(self) -> list[str]: ...


class TableRows:
    """The rows of a table."""

    def __init__(self, table: pa.Table) -> None:
        self._table, self.names, self.metadata = table, table.column_names, table.schema.metadata

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def schema(self) -> pa.Schema:
        return self._table.schema

    encoded_schema = schema

    def tables(self, size: int) -> Iterator[pa.Table]:
        step = _step(size, _row_bytes(self._table))
        return (self._table.slice(start, step) for start in range(0, len(self), step))

    def texts(self, style: Style, size: int) -> Iterator[Text]:
        for rows in self.tables(size):
            lines = lines_of(rows, style)
            texts = lines.texts if len(self.names) > 1 else _not_blank(lines.texts)
            yield Text(joined(texts, "\n"), rows.num_rows, int(lines.changed.sum()))

    def repeated(self) -> list[str]:
        return self.names


class JoinRows:
    """The rows of a join."""

    def __init__(self, sides: tuple[pa.Table, pa.Table], pairs: Pairs, names: list[str]) -> None:
        self._sides, self._pairs, self.names = sides, pairs, names
        self.metadata: dict[bytes, bytes] | None = None

    def __len__(self) -> int:
        return len(self._pairs)

    def schema(self) -> pa.Schema:
        types = [kind for side in self._sides for kind in side.schema.types]
        return pa.schema(list(zip(self.names, types, strict=True)))

    def encoded_schema(self) -> pa.Schema:
        types = [column.type for columns in self._columns for column in columns]
        return pa.schema(list(zip(self.names, types, strict=True)))

    @cached_property
    def _columns(self) -> list[list[pa.Array]]:
        return [[_encoded(column) for column in side.columns] for side in self._sides]

    def tables(self, size: int) -> Iterator[pa.Table]:
        step = _step(size, _INDEX_BYTES + sum(map(_row_bytes, self._sides)))
        widths = [_text_bytes(columns, side.num_rows) for columns, side in zip(self._columns, self._sides, strict=True)]
        for numbers in self._slices(step, widths, size):
            arrays = [
                column.take(rows)
                for columns, rows in zip(self._columns, map(_numbers, numbers), strict=True)
                for column in columns
            ]
            yield pa.table(arrays, names=self.names)

    def texts(self, style: Style, size: int) -> Iterator[Text]:
        sides = [lines_of(side, style).with_missing(side.num_columns, style) for side in self._sides]
        before, after = joined(sides[0].texts, style.delimiter), joined(sides[1].texts, "\n")
        changes = [lines.changed if lines.changed.any() else None for lines in sides]
        step = _step(size, _INDEX_BYTES + 2 * sum(_row_bytes(pa.table({"": lines.texts})) for lines in sides))
        widths = [_text_bytes([each], len(each)) for each in (before, after)]
        for numbers in self._slices(step, widths, size):
            left, right = (np.where(rows == NO_ROW, len(lines.changed) - 1, rows)
                           for rows, lines in zip(numbers, sides, strict=True))  # fmt: skip
            texts = joined(before.take(_array(left)), after.take(_array(right)))
            changed = sum(int(each[rows].sum()) for each, rows in zip(changes, (left, right), strict=True)
                          if each is not None)  # fmt: skip
            yield Text(texts, len(left), changed)

    def _slices(self, step: int, widths: Sequence[np.ndarray], size: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The pairs of rows, so many at a time, and fewer where long rows are repeated: `size` bytes of text."""
        for start in range(0, len(self), step):
            left, right = self._pairs.slice(start, min(start + step, len(self)))
            total = np.cumsum(widths[0][left] + widths[1][right])
            cuts = np.unique(np.searchsorted(total, np.arange(size, int(total[-1]), size)))
            cuts = cuts[cuts > 0]
            yield from zip(np.split(left, cuts), np.split(right, cuts), strict=True)

    def repeated(self) -> list[str]:
        """The columns with few different values."""
        columns = [column for side in self._sides for column in side.columns]
        return [name for name, column in zip(self.names, columns, strict=True) if _has_few(column)]


def write_rows(
    rows: Rows, path: str, memory: int = MEMORY, neutralise: bool = True, progress: Progress | None = None
) -> Written:
    """Write all rows in the format of the path's extension; `memory`: MiB for batches.

    The file is complete or does not exist.
    """
    extension, size = check_format(path), (memory << 20) // _ALIVE
    report = _Report(progress, len(rows))
    with files.written_aside(path) as aside, files.writing(path):
        if extension in DELIMITERS:
            return _write_text(rows, aside, Style(DELIMITERS[extension], neutralise), size, report)
        with _writer(extension, aside, rows) as write, _ahead(rows.tables(size)) as tables:
            for table in tables:
                write(table)
                report.add(table.num_rows)
    return Written(len(rows))


class _Report:
    """Calls `progress` with the rows that are written, and all rows."""

    def __init__(self, progress: Progress | None, rows: int) -> None:
        self._progress, self._rows, self._written = progress, rows, 0

    def add(self, rows: int) -> None:
        self._written += rows
        if self._progress is not None:
            self._progress(self._written, self._rows)


def _write_text(rows: Rows, path: str, style: Style, size: int, report: _Report) -> Written:
    header, changed = header_line(rows.names, style)
    with open(path, "wb") as file, _ahead(rows.texts(style, size)) as texts:
        file.write(header.encode())
        for text in texts:
            file.write(text_bytes(text.lines))
            changed += text.changed
            report.add(text.rows)
    return Written(len(rows), changed)


@contextmanager
def _writer(extension: str, path: str, rows: Rows) -> Iterator[Callable[[pa.Table], None]]:
    schema = rows.schema().with_metadata(rows.metadata)
    if extension != ".parquet":
        with pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
            yield lambda table: writer.write_table(table.cast(schema))
        return
    import pyarrow.parquet as pq

    options = {"store_schema": False, "use_dictionary": rows.repeated()}
    with pq.ParquetWriter(path, rows.encoded_schema(), **options) as writer:
        # Readers see the schema of plain columns, although batches are encoded.
        encoded = base64.b64encode(schema.serialize().to_pybytes())
        writer.add_key_value_metadata({**(rows.metadata or {}), b"ARROW:schema": encoded})
        yield lambda table: writer.write_table(table, row_group_size=_MOST_ROWS)


@contextmanager
def _ahead(items: Iterator[Item]) -> Iterator[Iterator[Item]]:
    """The same items; while one is used, the next is made in another thread."""
    with ThreadPoolExecutor(1) as pool:
        yield _one_ahead(items, pool)


def _one_ahead(items: Iterator[Item], pool: ThreadPoolExecutor) -> Iterator[Item]:
    end = object()
    coming = pool.submit(next, items, end)
    while (item := coming.result()) is not end:
        coming = pool.submit(next, items, end)
        yield item  # type: ignore[misc]


def _step(size: int, row_bytes: float) -> int:
    """How many rows of a width fit into a size; at least some, so that a small size is not slow."""
    return int(min(_MOST_ROWS, max(1024, size / max(row_bytes, 1))))


def _text_bytes(columns: Sequence[pa.Array], rows: int) -> np.ndarray:
    """The bytes of text in each row, and 0 for a row that is missing (the last place)."""
    total = np.zeros(rows + 1, np.int64)
    for column in columns:
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            total[:-1] += np.asarray(pc.fill_null(pc.binary_length(column), 0), np.int64)
    return total


def _row_bytes(table: pa.Table) -> float:
    return table.nbytes / max(table.num_rows, 1)


def _not_blank(texts: pa.Array) -> pa.Array:
    """The lines of a single column: a blank line would be no row."""
    return pc.if_else(pc.equal(texts, ""), pa.scalar('""', texts.type), texts)


def _encoded(column: pa.ChunkedArray) -> pa.Array:
    """One array; with codes, if its different texts are few."""
    wide = column.cast(pa.large_string()) if pa.types.is_string(column.type) and column.nbytes >= 1 << 31 else column
    array = pa.concat_arrays(wide.chunks) if wide.num_chunks else pa.array([], wide.type)
    if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
        return array
    encoded = array.dictionary_encode()
    return encoded if encoded.dictionary.nbytes <= _DICTIONARY_BYTES else array


def _has_few(column: pa.ChunkedArray) -> bool:
    if pa.types.is_dictionary(column.type):
        return True
    if pa.types.is_nested(column.type) or pa.types.is_null(column.type):  # Arrow does not count their values
        return False
    return pc.count_distinct(column).as_py() <= _FEW


def _numbers(rows: np.ndarray) -> pa.Array:
    """Row numbers for `take`; null where there is no row."""
    missing = rows == NO_ROW
    return pa.array(rows, pa.int64(), mask=missing) if missing.any() else _array(rows)


def _array(rows: np.ndarray) -> pa.Array:
    return pa.Array.from_buffers(pa.int64(), len(rows), [None, pa.py_buffer(np.ascontiguousarray(rows, np.int64))])
