"""Which columns of one segment hold most of the values of a column of another?  Written as one Parquet file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from mere.indexes import KINDS
from mere.indexes.kind import ColumnPairs, Kind, Part, part_at
from mere.segments import SegmentEntry
from mere.store import files

Payload = dict[str, Any]
SCHEMA = pa.schema(
    [
        ("left_table", pa.dictionary(pa.int32(), pa.string())),
        ("left_column", pa.dictionary(pa.int32(), pa.string())),
        ("right_table", pa.dictionary(pa.int32(), pa.string())),
        ("right_column", pa.dictionary(pa.int32(), pa.string())),
        ("overlap", pa.int32()),
        ("containment", pa.float64()),  # of the left in the right
        ("jaccard", pa.float64()),
        ("left_distinct", pa.int32()),
        ("right_distinct", pa.int32()),
    ]
)


@dataclass(frozen=True)
class PairsTask:
    """Find the pairs of the columns of two segments."""

    lake: str
    left: SegmentEntry
    right: SegmentEntry
    threshold: float
    numbers: bool  # columns of numbers, too
    path: str  # of the file to write

    def to_dict(self) -> Payload:
        return {**self.__dict__, "left": self.left.to_dict(), "right": self.right.to_dict()}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> PairsTask:
        left, right = (SegmentEntry.from_dict(document[side]) for side in ("left", "right"))
        return PairsTask(**{**document, "left": left, "right": right})


def pairs(payload: Payload) -> Payload:
    """The pairs of one segment's columns with another's, written as one file; no file if there are none."""
    task = PairsTask.from_dict(payload)
    kind = next(kind for kind in KINDS.values() if type(kind).pairs is not Kind.pairs)
    parts = [part_at(kind, task.lake, entry) for entry in (task.left, task.right)]
    graph = kind.pairs(parts[0], parts[1], task.threshold, task.numbers)
    names = [_names(part) for part in parts]
    batches = (_batch(parts, names, pairs) for pairs in graph.pairs)
    return {"columns": graph.columns, "pairs": _write(task.path, batches)}


def _names(part: Part) -> tuple[pa.Array, pa.Array]:
    return pa.array(part.segment.names, pa.string()), pa.array(part.segment.column_names, pa.string())


def _batch(parts: list[Part], names: list[tuple[pa.Array, pa.Array]], pairs: ColumnPairs) -> pa.RecordBatch:
    columns: list[pa.Array] = []
    for part, (tables, headers), which in zip(parts, names, (pairs.left, pairs.right), strict=True):
        owner = part.segment.table_of_column[which]
        columns += [_coded(owner, tables), _coded(which, headers)]
    shared, sizes = pairs.overlap.astype(np.int64), [pairs.left_distinct, pairs.right_distinct]
    left, right = (size.astype(np.int64) for size in sizes)
    numbers = (shared.astype(np.int32), shared / left, shared / (left + right - shared))
    distinct = (size.astype(np.int32) for size in sizes)
    return pa.record_batch([*columns, *(pa.array(number) for number in (*numbers, *distinct))], schema=SCHEMA)


def _coded(which: np.ndarray, names: pa.Array) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(which.astype(np.int32)), names)


def _write(path: str, batches: Iterator[pa.RecordBatch]) -> int:
    """Write the batches, no file if they are empty; return the number of rows.  A repeated task writes the same."""
    import pyarrow.parquet as pq

    filled = (batch for batch in batches if batch.num_rows)
    first = next(filled, None)
    if first is None:
        return 0
    rows = 0
    with files.written_aside(path) as aside, pq.ParquetWriter(aside, SCHEMA, compression="zstd") as writer:
        for batch in chain([first], filled):
            writer.write_batch(batch)
            rows += batch.num_rows
    return rows
