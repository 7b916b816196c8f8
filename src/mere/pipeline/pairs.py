"""Which columns of one segment hold most of the values of a column of another?  Written as one Parquet file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from mere.indexes import KINDS
from mere.indexes.kind import Part, part_at
from mere.indexes.sets.eligible_columns import EligibleColumns, eligible_columns
from mere.segments import SegmentEntry
from mere.store import files, places_of

Payload = dict[str, Any]
_AT_ONCE = 500_000  # rows expanded and written together
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
    from mere.indexes.overlap.pairs import contained_pairs

    task = PairsTask.from_dict(payload)
    parts = [part_at(KINDS["overlap"], task.lake, entry) for entry in (task.left, task.right)]
    mine, theirs = (eligible_columns(part, {"numbers": task.numbers, "table": None, "skip": None}) for part in parts)
    contained = contained_pairs(parts[0], mine, parts[1], theirs, task.threshold)
    batches = _batches(parts, (mine, theirs), contained, same=task.left.id == task.right.id)
    return {"columns": len(mine.columns), "pairs": _write(task.path, batches)}


def _batches(
    parts: list[Part], columns: tuple[EligibleColumns, EligibleColumns], contained: tuple[np.ndarray, ...], same: bool
) -> Iterator[pa.RecordBatch]:
    """Pairs of sets as pairs of columns, `_AT_ONCE` at a time; a column is not paired with itself."""
    left_sets, right_sets, overlaps = contained
    lefts = np.diff(columns[0].starts)[left_sets]
    pair = np.repeat(np.arange(len(left_sets)), lefts)  # one entry per column of each left set
    left = columns[0].columns[places_of(columns[0].starts[left_sets], lefts)]
    widths = np.diff(columns[1].starts)[right_sets][pair]
    rows = np.cumsum(widths)
    names = [_names(part) for part in parts]
    start = 0
    while start < len(left):
        done = rows[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(rows, done + _AT_ONCE, side="right")))
        mine, which, wide = left[start:stop], pair[start:stop], widths[start:stop]
        right = columns[1].columns[places_of(columns[1].starts[right_sets[which]], wide)]
        mine, which = np.repeat(mine, wide), np.repeat(which, wide)
        keep = mine != right if same else np.ones(len(mine), bool)
        yield _batch(parts, names, mine[keep], right[keep], overlaps[which[keep]])
        start = stop


def _names(part: Part) -> tuple[pa.Array, pa.Array]:
    return pa.array(part.segment.names, pa.string()), pa.array(part.segment.column_names, pa.string())


def _batch(
    parts: list[Part], names: list[tuple[pa.Array, pa.Array]], left: np.ndarray, right: np.ndarray, overlap: np.ndarray
) -> pa.RecordBatch:
    columns: list[pa.Array] = []
    sizes = []
    for part, (tables, headers), which in zip(parts, names, (left, right), strict=True):
        owner = part.segment.table_of_column[which]
        columns += [_coded(owner, tables), _coded(which, headers)]
        sizes.append(part.arrays["set.sizes"][part.arrays["set.of_column"][which]].astype(np.int64))
    shared = overlap.astype(np.int64)
    either = sizes[0] + sizes[1] - shared
    numbers = (shared.astype(np.int32), shared / sizes[0], shared / either, *(size.astype(np.int32) for size in sizes))
    return pa.record_batch([*columns, *(pa.array(number) for number in numbers)], schema=SCHEMA)


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
