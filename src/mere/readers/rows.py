"""From rows of Python strings to record batches of text columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from mere.readers.limits import Limits
from mere.readers.table import BATCH_BYTES, BATCH_ROWS, Findings

Row = Sequence[str | None]


def fit(rows: Iterable[Row], width: int, findings: Findings) -> Iterator[Row]:
    """Rows of exactly `width` cells: short ones padded with nulls, long ones cut and reported."""
    short = long = 0
    for row in rows:
        size = len(row)
        if size == width:
            yield row
        elif size < width:
            if size > 1 or (size and (row[0] or "").strip()):
                short += 1
                yield [*row, *([None] * (width - size))]
        else:
            long += any(row[width:])
            yield row[:width]
    findings.note("{n} short {row was|rows were} padded with nulls", short, lost=False)
    findings.note("{n} {row is|rows are} longer than the header; {its|their} extra cells were dropped", long, lost=True)


def to_batch(rows: Sequence[Row], columns: list[str]) -> pa.RecordBatch:
    """One batch of rows that all have the table's width."""
    cells: Iterable[Sequence[str | None]] = zip(*rows, strict=True) if rows else ([] for _ in columns)
    return pa.RecordBatch.from_arrays([_text(column) for column in cells], names=columns)


def to_batches(rows: Iterable[Row], columns: list[str], limits: Limits, findings: Findings) -> Iterator[pa.RecordBatch]:
    """Any number of rows, in batches of limited rows and bytes."""
    pending: list[Row] = []
    size = 0
    for row in rows:
        pending.append(row)
        size += 8 * len(row) + sum(map(len, filter(None, row)))
        if len(pending) >= BATCH_ROWS or size >= BATCH_BYTES:
            yield cut_cells(to_batch(pending, columns), limits, findings)
            pending, size = [], 0
    if pending:
        yield cut_cells(to_batch(pending, columns), limits, findings)


def _text(column: Sequence[str | None]) -> pa.Array:
    try:
        return pa.array(column, pa.string())
    except UnicodeEncodeError:  # a single surrogate, from an invalid JSON escape
        return pa.array([cell and cell.encode("utf-8", "replace").decode() for cell in column], pa.string())


def cut_cells(batch: pa.RecordBatch, limits: Limits, findings: Findings) -> pa.RecordBatch:
    """Cuts every cell to `cell_bytes`; a batch smaller than that is returned at once."""
    if batch.get_total_buffer_size() <= limits.cell_bytes:  # `nbytes` takes long for many columns
        return batch
    columns = [
        _cut(column, limits.cell_bytes, findings) if pa.types.is_string(column.type) else column
        for column in batch.columns
    ]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _cut(column: pa.Array, bound: int, findings: Findings) -> pa.Array:
    longest = pc.max(pc.binary_length(column)).as_py()
    if longest is None or longest <= bound:
        return column
    cells = column.to_pylist()
    for index, cell in enumerate(cells):
        data = cell.encode() if cell is not None and len(cell) * 4 > bound else b""
        if len(data) > bound:
            cells[index] = data[:bound].decode("utf-8", "ignore")
            findings.note(f"{{n}} {{cell was|cells were}} cut to {bound:,} bytes", lost=True)
    return pa.array(cells, pa.string())
