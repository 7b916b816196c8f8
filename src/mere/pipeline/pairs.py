"""The pairs of columns of two segments, of which one holds most of the other's values, as one Parquet file."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from mere.indexes import KINDS
from mere.indexes.kind import Part, part_at
from mere.indexes.sets.eligible_columns import EligibleColumns, eligible_columns
from mere.store import places_of

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


def pairs(payload: Payload) -> Payload:
    """One task: the pairs of one segment's columns with another's, as one file; none if there are none."""
    from mere.indexes.overlap.pairs import contained_pairs

    parts = [part_at(KINDS["overlap"], payload["lake"], payload[side]) for side in ("left", "right")]
    mine, theirs = (
        eligible_columns(part, {"numbers": payload["numbers"], "table": None, "skip": None}) for part in parts
    )
    found = contained_pairs(parts[0], mine, parts[1], theirs, payload["threshold"])
    batches = _batches(parts, (mine, theirs), found, same=payload["left"]["id"] == payload["right"]["id"])
    return {"columns": len(mine.columns), "pairs": _write(os.path.join(payload["folder"], payload["name"]), batches)}


def _batches(
    parts: list[Part], who: tuple[EligibleColumns, EligibleColumns], found: tuple[np.ndarray, ...], same: bool
) -> Iterator[pa.RecordBatch]:
    """Pairs of sets as pairs of columns, so many at a time; a column is not paired with itself."""
    ones, others, overlaps = found
    lefts = np.diff(who[0].starts)[ones]
    pair = np.repeat(np.arange(len(ones)), lefts)  # one entry per column of each left set
    left = who[0].columns[places_of(who[0].starts[ones], lefts)]
    widths = np.diff(who[1].starts)[others][pair]
    rows = np.cumsum(widths)
    names = [_names(part) for part in parts]
    start = 0
    while start < len(left):
        done = rows[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(rows, done + _AT_ONCE, side="right")))
        mine, which, wide = left[start:stop], pair[start:stop], widths[start:stop]
        right = who[1].columns[places_of(who[1].starts[others[which]], wide)]
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
    """Write what there is; returns the number of rows.  A task that is run again writes the same file again."""
    import pyarrow.parquet as pq

    folder, name = os.path.split(path)
    aside, writer, rows = os.path.join(folder, f".{name}.{uuid.uuid4().hex[:8]}"), None, 0
    try:
        for batch in batches:
            if batch.num_rows:
                writer = writer or pq.ParquetWriter(aside, SCHEMA, compression="zstd")
                writer.write_batch(batch)
                rows += batch.num_rows
        if writer:
            writer.close()
            os.replace(aside, path)
    finally:
        if os.path.exists(aside):
            os.unlink(aside)
    return rows
