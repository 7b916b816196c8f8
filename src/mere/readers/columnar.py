"""Parquet, Arrow IPC (file and stream) and Feather: batch by batch, as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

from mere.errors import Unreadable
from mere.readers.as_text import text_batch
from mere.readers.limits import Limits
from mere.readers.names import unique_names
from mere.readers.rows import cut_cells
from mere.readers.source import Source
from mere.readers.table import BATCH_BYTES, BATCH_ROWS, Findings, RawTable

Batches = Iterator[pa.RecordBatch]


def open_columnar(source: Source, format: str, limits: Limits, member: str = "") -> RawTable:
    """`format` as `magic.format_of` gives it: parquet, arrow, arrow-stream or feather."""
    try:
        schema, facts, scan = _OPENERS[format](source, limits)
    except (pa.ArrowException, OSError, ValueError, KeyError) as fault:
        reason = " ".join(str(fault).split())[:200]
        raise Unreadable(f"{source.name}: corrupt {format} file: {reason}", "write it again") from fault
    if not 0 < len(schema) <= limits.columns:
        message = f"{source.name}: {len(schema):,} columns, 1 to {limits.columns:,} allowed"
        raise Unreadable(message, "remove it, or raise the limit 'columns'")
    columns = unique_names(schema.names)

    def read(findings: Findings) -> Batches:
        source.report(findings)
        for batch in scan():
            for start in range(0, batch.num_rows, BATCH_ROWS):
                piece = text_batch(batch.slice(start, BATCH_ROWS), columns)
                yield cut_cells(piece, limits, findings)

    return RawTable(member, columns, "parquet" if format == "parquet" else "arrow", facts, read)


def _seekable(source: Source, limits: Limits) -> Any:
    """Arrow needs to seek: a plain file is opened as it is, anything else is read into memory."""
    if source.small or not source.seekable:
        return pa.BufferReader(source.read_all(limits.json_bytes, "json_bytes"))
    raw: BinaryIO = source.stream(Findings())
    return pa.PythonFile(raw, mode="r")


def _parquet(source: Source, limits: Limits) -> tuple[pa.Schema, dict[str, Any], Callable[[], Batches]]:
    file = pq.ParquetFile(_seekable(source, limits))
    rows = file.metadata.num_rows
    size = sum(file.metadata.row_group(group).total_byte_size for group in range(file.metadata.num_row_groups))
    batch_rows = min(BATCH_ROWS, max(64, BATCH_BYTES * max(rows, 1) // max(2 * size, 1)))
    facts = {"rows": rows, "row_groups": file.metadata.num_row_groups, "written_by": file.metadata.created_by}
    return (
        file.schema_arrow,
        facts,
        lambda: pq.ParquetFile(_seekable(source, limits)).iter_batches(batch_rows),
    )


def _arrow(source: Source, limits: Limits) -> tuple[pa.Schema, dict[str, Any], Callable[[], Batches]]:
    schema = pa.ipc.open_file(_seekable(source, limits)).schema

    def scan() -> Batches:
        reader = pa.ipc.open_file(_seekable(source, limits))
        return (_valid(reader.get_batch(index)) for index in range(reader.num_record_batches))

    return schema, {"container": "file"}, scan


def _stream(source: Source, limits: Limits) -> tuple[pa.Schema, dict[str, Any], Callable[[], Batches]]:
    schema = pa.ipc.open_stream(_seekable(source, limits)).schema

    def scan() -> Batches:
        return (_valid(batch) for batch in pa.ipc.open_stream(_seekable(source, limits)))

    return schema, {"container": "stream"}, scan


def _valid(batch: pa.RecordBatch) -> pa.RecordBatch:
    """IPC buffers are used without copying, so offsets that point outside must be found before they are used."""
    batch.validate(full=True)
    return batch


def _feather(source: Source, limits: Limits) -> tuple[pa.Schema, dict[str, Any], Callable[[], Batches]]:
    table = pyarrow.feather.read_table(_seekable(source, limits))
    return table.schema, {"container": "feather 1"}, lambda: iter(table.to_batches(max_chunksize=BATCH_ROWS))


_OPENERS = {"parquet": _parquet, "arrow": _arrow, "arrow-stream": _stream, "feather": _feather}
