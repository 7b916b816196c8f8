"""Which few rows stand for a table?  The distinct rows with the smallest hashes.

A bottom-k sketch (Cohen and Kaplan, "Summarizing data using bottom-k sketches", PODC 2007) of each table, over the
hashes of rows in `values.tuples`.  A row has the same hash in every table, so the sketches of tables that share rows
share the rows with small hashes: unions and overlaps are estimated from them, after filters were applied to the rows.

    paper  here        meaning
    k      size        rows of a sketch, the setting `sketch_size`
    tau    threshold   the (size + 1)-th smallest hash; the largest 64-bit number if there are not as many

`sketches.idx` has row numbers only: the values of these rows are in `rows.idx` and `values.idx`, and their hashes are
computed from them.  A table with no more rows than the size is its own sketch, so nothing is stored for it.

Sketches of parts are merged by taking the smallest hashes of all parts.  The number of distinct rows cannot be merged:
it is counted on the distinct hashes of all blocks.

Cost: one look-up per cell and one sort of the rows' hashes, which takes about 30 bytes per row of the largest table.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.segments.segment import SKETCHES, SKETCHES_VERSION, Segment
from mere.store import container, offsets_of, places_of
from mere.store.container import FileEntry
from mere.values import (
    Form,
    Type,
    column_keys,
    compared_forms,
    hash_values,
    key_hashes,
    parse_dates,
    row_hashes,
    usual_numbers,
    value_terms,
)

DEFAULT_SIZE = 2000
NO_THRESHOLD = np.uint64(0xFFFFFFFFFFFFFFFF)
_BLOCK = 1 << 20  # rows that are hashed and sorted at once
_VALUES = 1 << 16  # that are hashed at once: the arrays for that stay near the processor


@dataclass(frozen=True, eq=False)
class RowSketch:
    """The distinct rows with the smallest hashes: up to size + 1 of them, the last of which gives the threshold."""

    hashes: np.ndarray  # uint64, ascending
    rows: np.ndarray  # int64: the number of the first row with each hash

    def threshold(self, size: int) -> np.uint64:
        return self.hashes[size] if len(self.hashes) > size else NO_THRESHOLD


def sketch_of(hashes: np.ndarray, first_row: int, size: int) -> tuple[RowSketch, np.ndarray]:
    """The sketch of consecutive rows, of which `first_row` is the first; and their distinct hashes, ascending."""
    distinct = _distinct(np.sort(hashes))
    if not distinct.size:
        return RowSketch(distinct, np.empty(0, np.int64)), distinct
    places = np.flatnonzero(hashes <= distinct[min(size, len(distinct) - 1)])
    return _smallest(hashes[places], places + first_row, size), distinct


def merge_sketches(parts: Sequence[RowSketch], size: int) -> RowSketch:
    """The sketch of a table from the sketches of its parts, in the order of their rows."""
    if len(parts) == 1:
        return parts[0]
    hashes = np.concatenate([np.empty(0, np.uint64), *(part.hashes for part in parts)])
    rows = np.concatenate([np.empty(0, np.int64), *(part.rows for part in parts)])
    return _smallest(hashes, rows, size)


def _smallest(hashes: np.ndarray, rows: np.ndarray, size: int) -> RowSketch:
    """The smallest hashes with the first row of each; rows with equal hashes are given in their order."""
    order = np.argsort(hashes, kind="stable")
    kept = order[_is_first(hashes[order])][: size + 1]
    return RowSketch(hashes[kept], rows[kept])


def _is_first(ordered: np.ndarray) -> np.ndarray:
    first = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return first


def _distinct(ordered: np.ndarray) -> np.ndarray:
    return ordered[_is_first(ordered)]


def write_sketches(segment: Segment, size: int) -> FileEntry:
    """Write the sketches of a segment's tables beside its other files."""
    distinct = np.zeros(segment.table_count, np.int64)
    thresholds = np.full(segment.table_count, NO_THRESHOLD)
    stored = [np.empty(0, np.uint32)] * segment.table_count
    for number, sums in enumerate(_HashedRows(segment).sums()):
        if rows := len(sums):
            sketch, distinct[number] = _sketch_table(sums, size)
            thresholds[number] = sketch.threshold(size)
            stored[number] = sketch.rows[: size if rows > size else 0].astype(np.uint32)
    arrays: dict[str, np.ndarray | container.Pieces] = {
        "distinct": distinct,
        "threshold": thresholds,
        "starts": offsets_of(np.array([len(rows) for rows in stored], np.int64)),
        "rows": stored,
    }
    path = os.path.join(segment.folder, SKETCHES)
    return container.write(path, "sketches", SKETCHES_VERSION, arrays, {"size": size})


class _HashedRows:
    """The rows of a segment's tables as sums of terms, one per cell.

    Many columns are hashed at once: most have few values, and each call costs more than they do.
    """

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        names, edges = segment.column_names, segment.first_column.tolist()
        self._keys = key_hashes([key for a, b in pairwise(edges) for key in column_keys(names[a:b])])
        self._types = segment.catalog["column.types"]
        self._numbers = np.isin(self._types, (Type.INTEGER, Type.DECIMAL))
        self._starts = np.asarray(segment.values["set.starts"])
        self._ids = segment.values["set.ids"]

    def sums(self) -> Iterator[np.ndarray]:
        """Table by table, the sum of its cells' terms for each row."""
        terms = self._terms_of_columns()
        for table, rows in enumerate(self._segment.catalog["table.rows"].tolist()):
            sums = np.zeros(rows, np.uint64)
            for column in self._segment.columns_of(table):
                codes, own = self._segment.codes_of(column), next(terms)
                for block in _blocks(rows):
                    sums[block] += own.take(codes[block])
            yield sums

    def _terms_of_columns(self) -> Iterator[np.ndarray]:
        """Column by column, the terms of its codes."""
        for columns in self._groups(np.arange(len(self._types))):
            terms, edges = self._terms(columns)
            for start, end in pairwise(edges.tolist()):
                yield terms[start:end]

    def _groups(self, columns: np.ndarray) -> Iterator[np.ndarray]:
        """Columns, some at a time, with about `_VALUES` values together."""
        if not columns.size:
            return
        before = offsets_of(self._starts[columns + 1] - self._starts[columns])[:-1] // _VALUES
        yield from np.split(columns, np.flatnonzero(np.diff(before)) + 1)

    def _terms(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The terms of all codes of neighbouring columns, and where each column's start."""
        first, last = columns[0], columns[-1] + 1
        sizes = np.diff(self._starts[first : last + 1])
        edges = offsets_of(sizes + 1)
        is_value = np.ones(int(edges[-1]), bool)
        is_value[edges[:-1]] = False  # code 0 is null
        terms = np.zeros(len(is_value), np.uint64)
        terms[is_value] = value_terms(self._hashes(first, last), np.repeat(self._keys[first:last], sizes))
        return terms, edges

    def _hashes(self, first: int, last: int) -> np.ndarray:
        """The hashes of the values of some columns, as values of their types."""
        start, end = self._starts[first], self._starts[last]
        ids = self._ids[start:end]
        hashes = self._segment.dictionary.hashes[ids]
        if self._numbers[first:last].any():
            numbers = np.repeat(self._numbers[first:last], np.diff(self._starts[first : last + 1]))
            hashes[numbers] = self._number_hashes[ids[numbers]]
        places, forms = self._forms
        inside = slice(*np.searchsorted(places, (start, end)).tolist())
        hashes[places[inside] - start] = forms[inside]
        return hashes

    @cached_property
    def _forms(self) -> tuple[np.ndarray, np.ndarray]:
        """Values of dates and booleans that are not written as usual: their places in the sets, and other hashes."""
        places, hashes = [np.zeros(0, np.int64)], [np.zeros(0, np.uint64)]
        for type_ in (Type.DATETIME, Type.BOOLEAN):
            columns = np.flatnonzero(self._types == type_)
            for group in self._groups(columns):
                sizes = self._starts[group + 1] - self._starts[group]
                at, owners = places_of(self._starts[group], sizes), np.repeat(group, sizes)
                texts = self._segment.dictionary.values.take(self._ids[at]).to_arrow()
                forms = compared_forms(texts, Form.of([type_]), partial(_moments, texts, owners))
                unusual = np.flatnonzero(np.asarray(pc.not_equal(forms, texts)))
                places.append(at[unusual])
                hashes.append(hash_values(forms.take(pa.array(unusual))))
        order = np.argsort(np.concatenate(places))
        return np.concatenate(places)[order], np.concatenate(hashes)[order]

    @cached_property
    def _number_hashes(self) -> np.ndarray:
        """The hashes of all values of the segment, as numbers where they are numbers."""
        hashes = np.array(self._segment.dictionary.hashes)
        for start in range(0, len(hashes), _BLOCK):
            stop = min(start + _BLOCK, len(hashes))
            places, forms = usual_numbers(self._segment.dictionary.values.slice(start, stop).to_arrow())
            hashes[start + places] = hash_values(forms)
        return hashes


def _moments(texts: pa.Array, owners: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The moments at some places; a column decides together whether days or months come first."""
    chosen = np.flatnonzero(np.isin(owners, owners[places]))
    return parse_dates(texts.take(pa.array(chosen)), owners[chosen])[np.searchsorted(chosen, places)]


def _sketch_table(sums: np.ndarray, size: int) -> tuple[RowSketch, int]:
    """The sketch of a table, and how many distinct rows it has."""
    parts = [sketch_of(row_hashes(sums[block]), block.start, size) for block in _blocks(len(sums))]
    every = np.concatenate([distinct for _, distinct in parts])
    every.sort(kind="stable")  # which merges runs that are sorted
    return merge_sketches([sketch for sketch, _ in parts], size), int(np.count_nonzero(_is_first(every)))


def _blocks(rows: int) -> Iterator[slice]:
    for start in range(0, rows, _BLOCK):
        yield slice(start, min(start + _BLOCK, rows))
