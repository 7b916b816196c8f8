"""Parquet, ORC, Arrow IPC (file and stream) and Feather: batch by batch, as text.

The rows and columns that a file declares are checked before anything is read: a few hundred bytes can declare 10^12
rows of nulls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pyarrow.types as types

from mere.errors import Unreadable
from mere.readers.arrow_tables import Batches, Columnar, arrow_tables
from mere.readers.limits import Limits
from mere.readers.nested_tables import Origin
from mere.readers.source import Source
from mere.readers.table import BATCH_BYTES, BATCH_ROWS, Findings, RawTable

Opened = tuple[Columnar, dict[str, Any]]
FAULTS = (pa.ArrowException, OSError, ValueError, KeyError)


def open_columnar(source: Source, format: str, limits: Limits, member: str = "") -> Iterator[RawTable]:
    """`format` as `magic.format_of` gives it: parquet, orc, arrow, arrow-stream or feather."""
    try:
        table, facts = _OPENERS[format](source, limits)
    except FAULTS as fault:
        raise _corrupt(source, format, fault) from fault
    name = format if format in ("parquet", "orc") else "arrow"
    try:
        yield from arrow_tables(table, Origin(source, member, name, facts), limits)
    except FAULTS as fault:
        raise _corrupt(source, format, fault) from fault


def _corrupt(source: Source, format: str, fault: Exception) -> Unreadable:
    return Unreadable(f"{source.name}: corrupt {format} file: {' '.join(str(fault).split())[:200]}", "write it again")


def _seekable(source: Source, limits: Limits) -> Any:
    """Arrow needs to seek: a plain file is opened as it is, anything else is read into memory."""
    if source.small or not source.seekable:
        return pa.BufferReader(source.read_all(limits.json_bytes, "json_bytes"))
    raw: BinaryIO = source.stream(Findings())
    return pa.PythonFile(raw, mode="r")


def _chosen(schema: pa.Schema, positions: Sequence[int], read: Callable[[list[str] | None], Batches]) -> Batches:
    """Only the columns at some positions, if their names can be told apart; otherwise all are read."""
    names = [schema.names[position] for position in positions]
    if len(set(schema.names)) == len(schema) and not any("." in name for name in schema.names) and names:
        return (batch.select(names) for batch in read(names))
    return (
        pa.RecordBatch.from_arrays([batch.column(position) for position in positions], names=names)
        for batch in read(None)
    )


def _parquet(source: Source, limits: Limits) -> Opened:
    file = pq.ParquetFile(_seekable(source, limits))
    metadata, schema = file.metadata, file.schema_arrow
    groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
    values = max((sum(_values(group, leaf) for group in groups) for leaf in range(metadata.num_columns)), default=0)
    limits.check_extent(source.name, max(values, metadata.num_rows), metadata.num_columns, source.size)
    size = max(sum(group.total_byte_size for group in groups), 16 * values)
    batch_rows = min(BATCH_ROWS, max(64, BATCH_BYTES * max(metadata.num_rows, 1) // max(2 * size, 1)))
    facts = {"rows": metadata.num_rows, "row_groups": len(groups), "written_by": metadata.created_by}

    def read(names: list[str] | None) -> Batches:
        return pq.ParquetFile(_seekable(source, limits)).iter_batches(batch_rows, columns=names)

    return Columnar(schema, metadata.num_rows, lambda positions: _chosen(schema, positions, read)), facts


def _values(group: Any, leaf: int) -> int:
    """How many values a column of a row group declares; a list counts as its elements."""
    return int(group.column(leaf).num_values)


def _orc(source: Source, limits: Limits) -> Opened:
    from pyarrow import orc

    file = orc.ORCFile(_seekable(source, limits))
    schema = file.schema

    def read(names: list[str] | None) -> Batches:
        again = orc.ORCFile(_seekable(source, limits))
        return (again.read_stripe(stripe, columns=names) for stripe in range(again.nstripes))

    facts = {"rows": file.nrows, "stripes": file.nstripes, "written_by": str(file.software_version)}
    return Columnar(schema, file.nrows, lambda positions: _chosen(schema, positions, read)), facts


def _arrow(source: Source, limits: Limits) -> Opened:
    schema = pa.ipc.open_file(_seekable(source, limits)).schema

    def scan(positions: Sequence[int]) -> Batches:
        reader = pa.ipc.open_file(_seekable(source, limits), options=_fields(positions))
        return (_valid(reader.get_batch(index)) for index in range(reader.num_record_batches))

    return Columnar(schema, _count(schema, scan), scan), {"container": "file"}


def _stream(source: Source, limits: Limits) -> Opened:
    schema = pa.ipc.open_stream(_seekable(source, limits)).schema

    def scan(positions: Sequence[int]) -> Batches:
        reader = pa.ipc.open_stream(_seekable(source, limits), options=_fields(positions))
        return (_valid(batch) for batch in reader)

    return Columnar(schema, _count(schema, scan), scan), {"container": "stream"}


def _fields(positions: Sequence[int]) -> pa.ipc.IpcReadOptions:
    return pa.ipc.IpcReadOptions(included_fields=list(positions))


def _count(schema: pa.Schema, scan: Callable[[Sequence[int]], Batches]) -> int:
    """The rows of an IPC file: only the batches know, so one column of each is read, the narrowest."""
    widths = [field.type.bit_width if types.is_primitive(field.type) else 1 << 20 for field in schema]
    return sum(batch.num_rows for batch in scan([widths.index(min(widths))])) if widths else 0


def _valid(batch: pa.RecordBatch) -> pa.RecordBatch:
    """IPC buffers are used without copying, so offsets that point outside must be found before they are used."""
    batch.validate(full=True)
    return batch


def _feather(source: Source, limits: Limits) -> Opened:
    table = pyarrow.feather.read_table(_seekable(source, limits))

    def scan(positions: Sequence[int]) -> Batches:
        return iter(table.select(list(positions)).to_batches(max_chunksize=BATCH_ROWS))

    return Columnar(table.schema, table.num_rows, scan), {"container": "feather 1"}


_OPENERS = {"parquet": _parquet, "orc": _orc, "arrow": _arrow, "arrow-stream": _stream, "feather": _feather}
