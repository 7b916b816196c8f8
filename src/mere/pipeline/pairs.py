"""Which columns of one segment hold most of the values of a column of another?  Written as one Parquet file.

Pairs that share few values, and accidents (`search.links`), are counted and left out.  What a task returns is counts,
and which tables its pairs connect: a forest, which has fewer edges than there are tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from mere.indexes import KINDS
from mere.indexes.kind import ColumnPairs, Kind, Part, part_at
from mere.pipeline.clusters import Clusters
from mere.search.links import ACCIDENTS, Linked, PairNames, judge_links, linked, sides_stored
from mere.segments import SegmentEntry
from mere.store import files

Payload = dict[str, Any]
FEW_SHARED = "few shared values"
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
        ("left_unique", pa.float64()),  # distinct values / filled rows
        ("right_unique", pa.float64()),
        ("score", pa.float64()),  # `search.links.quality`; the same for both directions
        ("accident", pa.dictionary(pa.int8(), pa.string())),  # why the match says little; empty if nothing does
    ]
)


@dataclass(frozen=True)
class Wanted:
    """Which pairs are written."""

    threshold: float = 0.8  # the least share of the left column's values that the right one has
    numbers: bool = False  # columns of numbers, too
    least: int = 5  # shared values
    accidents: bool = False  # pairs that match by accident, too


@dataclass(frozen=True)
class PairsTask:
    """Find the pairs of the columns of two segments."""

    lake: str
    left: SegmentEntry
    right: SegmentEntry
    wanted: Wanted
    path: str  # of the file to write

    def to_dict(self) -> Payload:
        entries = {"left": self.left.to_dict(), "right": self.right.to_dict()}
        return {**self.__dict__, **entries, "wanted": dict(self.wanted.__dict__)}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> PairsTask:
        left, right = (SegmentEntry.from_dict(document[side]) for side in ("left", "right"))
        return PairsTask(**{**document, "left": left, "right": right, "wanted": Wanted(**document["wanted"])})


def pairs(payload: Payload) -> Payload:
    """The pairs of one segment's columns with another's, written as one file; no file if there are none."""
    task = PairsTask.from_dict(payload)
    kind = next(kind for kind in KINDS.values() if type(kind).pairs is not Kind.pairs)
    parts = [part_at(kind, task.lake, entry) for entry in (task.left, task.right)]
    graph = kind.pairs(parts[0], parts[1], task.wanted.threshold, task.wanted.numbers)
    found = _Found(parts, task.wanted)
    written = _write(task.path, (found.batch(pairs) for pairs in graph.pairs))
    return {"columns": graph.columns, "pairs": written, "left_out": found.left_out, "connected": found.connected()}


class _Found:
    """The pairs of two segments: what is written of them, what is left out, which tables they connect."""

    def __init__(self, parts: list[Part], wanted: Wanted) -> None:
        self.parts, self.wanted = parts, wanted
        self.names = [_names(part) for part in parts]
        self.sides = [sides_stored(part.segment) for part in parts]
        self.left_out: dict[str, int] = {}
        self._tables = Clusters()

    def batch(self, pairs: ColumnPairs) -> pa.RecordBatch:
        few = pairs.overlap < self.wanted.least
        self._leave_out(FEW_SHARED, int(few.sum()))
        pairs = ColumnPairs(*(array[~few] for array in pairs))
        score, accident = judge_links(self._linked(pairs))
        if not self.wanted.accidents:
            for reason, count in zip(*np.unique(accident[accident > 0], return_counts=True), strict=True):
                self._leave_out(ACCIDENTS[int(reason)], int(count))
            kept = accident == 0
            pairs = ColumnPairs(*(array[kept] for array in pairs))
            score, accident = score[kept], accident[kept]
        for left, right in zip(*(self._owners(side, pairs[side]).tolist() for side in (0, 1)), strict=True):
            self._tables.connect((0, left), (self._right, right))
        return _batch(self.parts, self.names, pairs, self._judged(pairs, score, accident))

    @property
    def _right(self) -> int:
        """The number of the right segment: 0 if it is the left one."""
        return int(self.parts[0].segment.entry.id != self.parts[1].segment.entry.id)

    def connected(self) -> list[list[int]]:
        """Pairs of tables, by number in the left and in the right segment, that connect what all pairs connect."""
        return [[*left, *right] for left, right in self._tables.forest]  # type: ignore[misc]

    def _leave_out(self, reason: str, count: int) -> None:
        if count:
            self.left_out[reason] = self.left_out.get(reason, 0) + count

    def _owners(self, side: int, columns: np.ndarray) -> np.ndarray:
        return self.parts[side].segment.table_of_column[columns]

    def _linked(self, pairs: ColumnPairs) -> Linked:
        texts: list[Sequence[str]] = []
        for side, part in enumerate(self.parts):
            names, headers = part.segment.names, part.segment.column_names
            texts.append([names[table] for table in self._owners(side, pairs[side]).tolist()])
            texts.append([headers[column] for column in pairs[side].tolist()])
        left, right = (self.sides[side].take(pairs[side]) for side in (0, 1))
        return linked(pairs.overlap.astype(np.int64), left, right, PairNames(*texts))

    def _judged(self, pairs: ColumnPairs, score: np.ndarray, accident: np.ndarray) -> list[pa.Array]:
        unique = [pa.array(self.sides[side].take(pairs[side]).unique) for side in (0, 1)]
        reasons = pa.DictionaryArray.from_arrays(pa.array(accident.astype(np.int8)), pa.array(ACCIDENTS, pa.string()))
        return [*unique, pa.array(score), reasons]


def _names(part: Part) -> tuple[pa.Array, pa.Array]:
    return pa.array(part.segment.names, pa.string()), pa.array(part.segment.column_names, pa.string())


def _batch(
    parts: list[Part], names: list[tuple[pa.Array, pa.Array]], pairs: ColumnPairs, judged: list[pa.Array]
) -> pa.RecordBatch:
    columns: list[pa.Array] = []
    for part, (tables, headers), which in zip(parts, names, (pairs.left, pairs.right), strict=True):
        owner = part.segment.table_of_column[which]
        columns += [_coded(owner, tables), _coded(which, headers)]
    shared, sizes = pairs.overlap.astype(np.int64), [pairs.left_distinct, pairs.right_distinct]
    left, right = (size.astype(np.int64) for size in sizes)
    numbers = (shared.astype(np.int32), shared / left, shared / (left + right - shared))
    distinct = (size.astype(np.int32) for size in sizes)
    known = [pa.array(number) for number in (*numbers, *distinct)]
    return pa.record_batch([*columns, *known, *judged], schema=SCHEMA)


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
