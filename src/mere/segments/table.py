"""What is kept of a table: facts about it, its columns, their distinct values, its rows as codes.

The same shape comes out of reading a raw file and out of a stored segment, so that building a segment from new
tables and compacting old ones are the same code.

Columns are flattened: `starts[c]:starts[c + 1]` are the distinct values of column c, ordered by (hash, bytes), and
`counts` the rows that hold each.  A row's cell is a code: 0 is null, k is the column's k-th value; codes take one,
two or four bytes, whichever the column needs, and are stored column after column in `cells`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from typing import Any

import numpy as np

from mere.segments.plain_numbers import numbers_side_by_side
from mere.store import Strings, container, offsets_of
from mere.store.container import Container, FileEntry, Pieces

STAGED_VERSION = 1
BINS = 16  # of the small histogram that `mere show` draws


@dataclass
class Facts:
    """Where a table came from, and what was noticed while it was read."""

    name: str
    source: str
    path: str
    member: str = ""
    repeat: int = 0  # how many earlier members of the file have the same name
    format: str = ""
    rows: int = 0
    bytes: int = 0
    dialect: dict[str, Any] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)
    issues: list[str] = field(default_factory=list)
    published: dict[str, Any] = field(default_factory=dict)  # of a table without rows: see `published.py`
    lost: bool = False  # some rows or cells of the file are missing; `issues` says why
    numbers: dict[str, Any] = field(default_factory=dict)  # how its numbers are written: see `plain_numbers.py`

    @property
    def hidden(self) -> bool:
        """Whether it is a sheet that its workbook hides."""
        return bool(self.dialect.get("hidden"))

    def to_dict(self) -> dict[str, Any]:
        seldom = {"published", "lost", "numbers"}  # written only if there is something to say
        return {name: value for name, value in self.__dict__.items() if value or name not in seldom}


@dataclass
class Columns:
    """What is known of each column, one entry each; what every segment keeps in its catalog."""

    names: list[str]
    types: np.ndarray  # uint8, values.Type
    nulls: np.ndarray  # int64
    misfits: np.ndarray  # int64: non-null cells that do not obey the type
    lows: list[str]  # smallest and largest value, as spelled
    highs: list[str]
    low: np.ndarray  # float64: the same on the column's axis, NaN if it has none
    high: np.ndarray
    histogram: np.ndarray  # uint64 (columns, BINS): equal bins from low to high
    examples: list[list[str]]  # a few raw cells, as first met

    def __len__(self) -> int:
        return len(self.names)

    @staticmethod
    def concat(pieces: list[Columns]) -> Columns:
        joined: dict[str, Any] = {}
        for spec in fields(Columns):
            values = [getattr(piece, spec.name) for piece in pieces]
            is_list = isinstance(values[0], list)
            joined[spec.name] = [v for value in values for v in value] if is_list else np.concatenate(values)
        return Columns(**joined)

    def slice(self, start: int, stop: int) -> Columns:
        return Columns(**{spec.name: getattr(self, spec.name)[start:stop] for spec in fields(Columns)})

    def arrays(self) -> dict[str, np.ndarray]:
        numbers = ("types", "nulls", "misfits", "low", "high", "histogram")
        arrays = {f"column.{name}": getattr(self, name) for name in numbers}
        flat = Strings.of(text for texts in self.examples for text in texts)
        arrays["column.examples"] = offsets_of(np.array([len(texts) for texts in self.examples], np.int64))
        for name, texts in [("names", self.names), ("lows", self.lows), ("highs", self.highs)]:
            arrays |= Strings.of(texts).arrays(f"column.{name}")
        return arrays | flat.arrays("column.example")

    @staticmethod
    def read(arrays: Container, start: int = 0, stop: int | None = None) -> Columns:
        stop = len(arrays["column.types"]) if stop is None else stop
        numbers = ("types", "nulls", "misfits", "low", "high", "histogram")
        edges = arrays["column.examples"][start : stop + 1]
        flat = Strings.mapped(arrays, "column.example").slice(int(edges[0]), int(edges[-1])).tolist()
        examples = [flat[a - edges[0] : b - edges[0]] for a, b in pairwise(edges)]
        known: dict[str, Any] = {
            name: Strings.mapped(arrays, f"column.{name}").slice(start, stop).tolist()
            for name in ("names", "lows", "highs")
        }
        known |= {name: arrays[f"column.{name}"][start:stop] for name in numbers}
        return Columns(examples=examples, **known)


@dataclass
class Sets:
    """The distinct values of each column, flattened, in the order of (hash, bytes)."""

    values: Strings
    hashes: np.ndarray  # uint64
    counts: np.ndarray  # uint32: rows that hold the value
    starts: np.ndarray  # int64, columns + 1

    def each(self) -> Iterator[tuple[Strings, np.ndarray]]:
        """Column by column: values and hashes."""
        for a, b in pairwise(self.starts.tolist()):
            yield self.values.slice(a, b), self.hashes[a:b]


@dataclass
class Cells:
    """The rows as codes, column after column."""

    data: Pieces  # uint8 arrays that follow each other
    starts: np.ndarray  # int64, columns + 1: bytes
    widths: np.ndarray  # uint8: 1, 2 or 4 bytes a code


@dataclass
class Table:
    """Everything a segment keeps of one table."""

    facts: Facts
    columns: Columns
    sets: Sets
    cells: Cells

    @property
    def weight(self) -> int:
        """About how many bytes it takes in a segment."""
        return (
            len(self.sets.values.data)
            + 20 * len(self.sets.hashes)
            + int(self.cells.starts[-1])
            + 300 * len(self.columns)
        )


def write_staged(path: str, tables: list[Table]) -> FileEntry:
    """Stage tables together, as one file: work in progress, so not synced."""
    columns = Columns.concat([table.columns for table in tables])
    arrays: dict[str, np.ndarray | Pieces] = {
        **columns.arrays(),
        **Strings.concat([table.sets.values for table in tables]).arrays("value"),
        "hashes": [table.sets.hashes for table in tables],
        "counts": [table.sets.counts for table in tables],
        "starts": offsets_of(np.concatenate([np.diff(table.sets.starts) for table in tables])),
        "cells": [data for table in tables for data in table.cells.data] or np.empty(0, np.uint8),
        "cell.starts": offsets_of(np.concatenate([np.diff(table.cells.starts) for table in tables])),
        "cell.widths": [table.cells.widths for table in tables],
        "first_column": offsets_of(np.array([len(table.columns) for table in tables], np.int64)),
    }
    meta = {"facts": [table.facts.to_dict() for table in tables]}
    return container.write(path, "staged", STAGED_VERSION, arrays, meta, durable=False)


class StagedFile:
    """Tables staged together, mapped."""

    def __init__(self, path: str) -> None:
        self._arrays = Container(path, "staged", STAGED_VERSION)

    def table(self, number: int) -> Table:
        arrays = self._arrays
        first, last = (int(edge) for edge in arrays["first_column"][number : number + 2])
        starts, edges = arrays["starts"][first : last + 1], arrays["cell.starts"][first : last + 1]
        a, b = int(starts[0]), int(starts[-1])
        sets = Sets(
            Strings.mapped(arrays, "value").slice(a, b),
            arrays["hashes"][a:b],
            arrays["counts"][a:b],
            starts - a,
        )
        data = arrays["cells"][int(edges[0]) : int(edges[-1])]
        cells = Cells([data], edges - edges[0], arrays["cell.widths"][first:last])
        return Table(Facts(**arrays.meta["facts"][number]), Columns.read(arrays, first, last), sets, cells)


def side_by_side(pieces: list[Table]) -> Table:
    """One table from pieces that hold some of its columns each."""
    if len(pieces) == 1:
        return pieces[0]
    sets = Sets(
        Strings.concat([piece.sets.values for piece in pieces]),
        np.concatenate([piece.sets.hashes for piece in pieces]),
        np.concatenate([piece.sets.counts for piece in pieces]),
        offsets_of(np.concatenate([np.diff(piece.sets.starts) for piece in pieces])),
    )
    cells = Cells(
        [data for piece in pieces for data in piece.cells.data],
        offsets_of(np.concatenate([np.diff(piece.cells.starts) for piece in pieces])),
        np.concatenate([piece.cells.widths for piece in pieces]),
    )
    facts = replace(pieces[0].facts, numbers=numbers_side_by_side([piece.facts.numbers for piece in pieces]))
    return Table(facts, Columns.concat([piece.columns for piece in pieces]), sets, cells)


def code_width(distinct: int) -> int:
    """Bytes a code needs when a column has this many distinct values (0 is null)."""
    return 1 if distinct < 1 << 8 else 2 if distinct < 1 << 16 else 4
