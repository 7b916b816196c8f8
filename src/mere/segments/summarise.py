"""What remains of a table's cells: distinct values with counts, types, and rows as codes.

`digest` takes blocks of rows; `merge` unites the blocks of a table that was cut; `summarise` takes the decisions
that need all rows of a column (nulls, types, the histogram).  Distinct values are found before anything else is done
to them, so normalising, hashing and typing cost per distinct value, not per cell; and the columns of many tables
are worked on as one flat array, so a small table costs no calls of its own.  The outcome does not depend on where
a table was cut or on which tables shared a batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.segments.published import types_in
from mere.segments.table import BINS, Cells, Columns, Facts, Sets, Table, code_width
from mere.store import Container, Strings, container, distinct, offsets_of, unite
from mere.values import hash_values, infer, normalise
from mere.values.nulls import SPELLINGS, is_data

ROW_BLOCK_VERSION = 1
EXAMPLES = 5
_EXAMPLE_LENGTH = 80
_LOOK = 16  # spellings looked at together
_SPELLINGS = Strings.of(sorted(SPELLINGS)).to_arrow()


@dataclass
class RowBlock:
    """Some consecutive rows of a table, before anything is decided that needs all rows of a column."""

    rows: int
    names: list[str]
    values: Strings  # distinct per column, without the empty value, in the order of (hash, bytes)
    hashes: np.ndarray
    starts: np.ndarray
    codes: list[np.ndarray]  # per column, per row: 0 = empty, k = the column's k-th value
    examples: list[list[str]]

    def slice(self, start: int, stop: int, rows: int) -> RowBlock:
        """Some of the columns."""
        a, b = int(self.starts[start]), int(self.starts[stop])
        return RowBlock(
            rows, self.names[start:stop], self.values.slice(a, b), self.hashes[a:b],
            self.starts[start : stop + 1] - a, self.codes[start:stop], self.examples[start:stop],
        )  # fmt: skip

    def write(self, path: str) -> None:
        """Stage the block as one file, its codes column after column."""
        arrays: dict[str, np.ndarray | list[np.ndarray]] = {
            "hashes": self.hashes,
            "starts": self.starts,
            "codes": self.codes or [np.empty(0, np.uint32)],
            **self.values.arrays("value"),
        }
        meta = {"rows": self.rows, "names": self.names, "examples": self.examples}
        container.write(path, "part", ROW_BLOCK_VERSION, arrays, meta, durable=False)

    @staticmethod
    def read(path: str) -> RowBlock:
        """Map a staged block; nothing is copied until a column is merged."""
        arrays = Container(path, "part", ROW_BLOCK_VERSION, check_bytes=False)
        rows, names = arrays.meta["rows"], arrays.meta["names"]
        codes = [arrays["codes"][c * rows : (c + 1) * rows] for c in range(len(names))]
        values = Strings.mapped(arrays, "value")
        return RowBlock(rows, names, values, arrays["hashes"], arrays["starts"], codes, arrays.meta["examples"])

    @staticmethod
    def join(blocks: list[RowBlock]) -> RowBlock:
        """Side by side: all columns of all blocks."""
        if len(blocks) == 1:
            return blocks[0]
        sizes = np.concatenate([np.diff(block.starts) for block in blocks])
        return RowBlock(
            0, [n for block in blocks for n in block.names], Strings.concat([block.values for block in blocks]),
            np.concatenate([block.hashes for block in blocks]), offsets_of(sizes),
            [c for block in blocks for c in block.codes], [e for block in blocks for e in block.examples],
        )  # fmt: skip


def digest(tables: list[pa.Table]) -> list[RowBlock]:
    """One block of each table, or of some of its rows: all columns text, null where a cell is absent."""
    columns = [column for table in tables for column in table.columns]
    encoded = [_encode(column) for column in columns]
    spellings = [column.dictionary for column in encoded]
    raw = pa.concat_arrays(spellings) if spellings else pa.array([], pa.string())
    base = offsets_of(np.array([len(s) for s in spellings], np.int64))
    normal = normalise(raw)
    values, hashes = Strings.from_arrow(normal), hash_values(normal)
    owner = np.repeat(np.arange(len(encoded)), np.diff(base))
    places, number = distinct(values, hashes, owner)
    empty = values.lengths()[places] == 0
    counted = np.cumsum(~empty)  # distinct values up to each, the empty one left out
    places = places[~empty]
    starts = np.searchsorted(owner[places], np.arange(len(encoded) + 1))
    code = np.where(empty[number], 0, counted[number] - starts[owner]).astype(np.uint32)
    codes = [_codes(column, code[base[c] : base[c + 1]]) for c, column in enumerate(encoded)]
    names = [name for table in tables for name in table.column_names]
    flat = RowBlock(0, names, values.take(places), hashes[places], starts, codes, [_examples(s) for s in spellings])
    edges = offsets_of(np.array([table.num_columns for table in tables], np.int64))
    return [flat.slice(int(edges[i]), int(edges[i + 1]), t.num_rows) for i, t in enumerate(tables)]


def _encode(column: pa.ChunkedArray) -> pa.DictionaryArray:
    if column.num_chunks == 1:
        return column.chunk(0).dictionary_encode()
    encoded = column.combine_chunks().dictionary_encode()
    return encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded


def _codes(column: pa.DictionaryArray, code: np.ndarray) -> np.ndarray:
    """The code of every row; a null cell points one past the spellings, at an empty code."""
    if column.null_count == 0:
        return code[column.indices.to_numpy()]
    return np.append(code, np.uint32(0))[np.asarray(pc.fill_null(column.indices, len(code)))]


def _examples(spellings: pa.Array) -> list[str]:
    """The first few cells that are not null, as they were spelled."""
    examples: dict[str, None] = {}
    for start in range(0, len(spellings), _LOOK):
        for text in spellings[start : start + _LOOK].to_pylist():
            shown = text.strip()[:_EXAMPLE_LENGTH]
            if shown and shown.casefold() not in SPELLINGS:
                examples[shown] = None
        if len(examples) >= EXAMPLES:
            break
    return list(examples)[:EXAMPLES]


def merge(blocks: list[RowBlock], columns: range | None = None) -> RowBlock:
    """One block from several, in their order; equal to the block of all their rows together.

    Given `columns`, only these: so that several tasks can share a wide or a huge table.
    """
    wanted = range(max(len(block.names) for block in blocks)) if columns is None else columns
    columns_of = [_merge_column([_column_or_empty(block, c) for block in blocks]) for c in wanted]
    joined = RowBlock.join(columns_of)
    joined.rows = sum(block.rows for block in blocks)
    return joined


def _column_or_empty(block: RowBlock, c: int) -> RowBlock:
    """Column c of a block; a later block may have more columns than an earlier one."""
    if c < len(block.names):
        return block.slice(c, c + 1, block.rows)
    none, nothing = np.zeros(block.rows, np.uint32), Strings.of([])
    return RowBlock(
        block.rows, [f"column_{c + 1}"], nothing, np.empty(0, np.uint64), np.zeros(2, np.int64), [none], [[]]
    )


def _merge_column(blocks: list[RowBlock]) -> RowBlock:
    base = offsets_of(np.array([len(p.hashes) for p in blocks], np.int64))
    ids = np.empty(int(base[-1]), np.uint32)
    ranges = list(unite([(p.values, p.hashes) for p in blocks], ids))
    values, hashes = Strings.concat([v for v, _ in ranges]), np.concatenate([h for _, h in ranges])
    codes = np.concatenate(
        [np.append(np.uint32(0), ids[base[i] : base[i + 1]] + np.uint32(1))[p.codes[0]] for i, p in enumerate(blocks)]
    )
    examples = list(dict.fromkeys(text for block in blocks for text in block.examples[0]))[:EXAMPLES]
    name = max((block.names[0] for block in blocks), key=lambda n: not n.startswith("column_"))
    starts = np.array([0, len(hashes)], np.int64)
    return RowBlock(len(codes), [name], values, hashes, starts, [codes], [examples])


@dataclass
class Coded:
    """One column as a segment would keep it."""

    values: Strings  # distinct, in the order of (hash, bytes)
    hashes: np.ndarray
    codes: np.ndarray  # per row: 0 = null, k = the k-th value
    dropped: list[str]  # spellings that were taken for null

    def counts(self) -> np.ndarray:
        """How many rows hold each value."""
        return np.bincount(self.codes, minlength=len(self.hashes) + 1)[1:]


def code_column(cells: pa.Array, data: frozenset[str] = frozenset()) -> Coded:
    """One column's distinct values, and its rows as codes; `data`: spellings of null that are data all the same."""
    encoded = cells.dictionary_encode()
    normal = normalise(encoded.dictionary)
    values, hashes = Strings.from_arrow(normal), hash_values(normal)
    places, number = distinct(values, hashes)
    column = RowBlock(0, [""], values.take(places), hashes[places], np.array([0, len(places)]), [], [[]])
    not_null = _not_null(column)
    if data:
        not_null |= np.asarray(pc.is_in(column.values.to_arrow(), value_set=pa.array(sorted(data), pa.string())))
    keep = not_null & (column.values.lengths() > 0)
    codes = _codes(encoded, np.where(keep, np.cumsum(keep), 0)[number].astype(np.uint32))
    if keep.all():
        return Coded(column.values, column.hashes, codes, [])
    kept = np.flatnonzero(keep)
    dropped = column.values.take(np.flatnonzero(~not_null)).tolist()
    return Coded(column.values.take(kept), column.hashes[kept], codes, dropped)


def summarise(facts: list[Facts], blocks: list[RowBlock]) -> list[Table]:
    """Decide nulls and types, count, and pack the rows: what a segment keeps of each table."""
    if not blocks:
        return []
    flat = _without_nulls(RowBlock.join(blocks))
    sizes = np.diff(flat.starts)
    counts = [np.bincount(codes, minlength=size + 1) for codes, size in zip(flat.codes, sizes, strict=True)]
    nulls = np.array([count[0] for count in counts], np.int64)
    counted = np.concatenate([np.empty(0, np.int64), *(count[1:] for count in counts)])
    columns = _profile(flat, counted, nulls)
    tables, first = [], 0
    for fact, block in zip(facts, blocks, strict=True):
        last = first + len(block.names)
        own = flat.slice(first, last, block.rows)
        counts_of_own = counted[flat.starts[first] : flat.starts[last]].astype(np.uint32)
        fact.rows = block.rows
        if fact.published:  # its columns have the types that their owner published
            columns.types[first:last] = types_in(fact.published)
        sets = Sets(own.values, own.hashes, counts_of_own, own.starts)
        tables.append(Table(fact, columns.slice(first, last), sets, _pack(own)))
        first = last
    return tables


def _without_nulls(block: RowBlock) -> RowBlock:
    """Drop the spellings of null, column by column, unless the column shows that they are data."""
    keep = _not_null(block)
    if keep.all():
        return block
    starts = np.concatenate([[0], np.cumsum(keep)])[block.starts]
    codes = [_recode(keep[block.starts[c] : block.starts[c + 1]], codes) for c, codes in enumerate(block.codes)]
    kept = np.flatnonzero(keep)
    return RowBlock(block.rows, block.names, block.values.take(kept), block.hashes[kept], starts, codes, block.examples)


def _not_null(block: RowBlock) -> np.ndarray:
    """Which values are data in their columns; the empty value counts as one here."""
    arrow = block.values.to_arrow()
    spelled = np.flatnonzero(np.asarray(pc.is_in(arrow, value_set=_SPELLINGS)))
    keep = np.ones(len(block.hashes), bool)
    lengths = block.values.lengths()
    for i in spelled.tolist():
        c = int(np.searchsorted(block.starts, i, side="right")) - 1
        column = slice(int(block.starts[c]), int(block.starts[c + 1]))
        keep[i] = is_data(block.values[i], lengths[column], partial(arrow.__getitem__, column))
    return keep


def _recode(keep: np.ndarray, codes: np.ndarray) -> np.ndarray:
    if keep.all():
        return codes
    new = np.zeros(len(keep) + 1, np.uint32)
    new[1:] = np.where(keep, np.cumsum(keep), 0)
    return new[codes]


def _profile(block: RowBlock, counts: np.ndarray, nulls: np.ndarray) -> Columns:
    arrow = block.values.to_arrow()
    inferred = infer(arrow, block.starts, counts)
    low, high = _range(inferred.numbers, block.starts)
    lows, highs = _spelled_range(arrow, inferred.numbers, block.starts)
    return Columns(
        block.names, inferred.types, nulls, inferred.misfits.astype(np.int64), lows, highs, low, high,
        _histogram(inferred.numbers, block.starts, counts, low, high), block.examples,
    )  # fmt: skip


def _range(numbers: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.full(len(starts) - 1, np.nan), np.full(len(starts) - 1, np.nan)
    filled = np.flatnonzero(np.diff(starts))
    if filled.size:
        low[filled] = np.fmin.reduceat(numbers, starts[filled])
        high[filled] = np.fmax.reduceat(numbers, starts[filled])
    return low, high


def _spelled_range(values: pa.Array, numbers: np.ndarray, starts: np.ndarray) -> tuple[list[str], list[str]]:
    """The smallest and the largest value of each column, in the order of its type."""
    lows, highs = [], []
    smallest = np.where(np.isnan(numbers), np.inf, numbers)
    largest = np.where(np.isnan(numbers), -np.inf, numbers)
    for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        if a == b:
            low = high = ""
        elif largest[a:b].max() == -np.inf:
            ends = pc.min_max(values[a:b])
            low, high = ends["min"].as_py(), ends["max"].as_py()
        else:
            low = values[a + int(smallest[a:b].argmin())].as_py()
            high = values[a + int(largest[a:b].argmax())].as_py()
        lows.append(low[:_EXAMPLE_LENGTH])
        highs.append(high[:_EXAMPLE_LENGTH])
    return lows, highs


def _histogram(
    numbers: np.ndarray, starts: np.ndarray, counts: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """Rows per equal bin from low to high; a constant column has all of them in the first."""
    columns = len(starts) - 1
    finite = np.flatnonzero(np.isfinite(numbers))
    owner = np.repeat(np.arange(columns), np.diff(starts))[finite]
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        wide = high[owner] / 2 - low[owner] / 2  # halves: a range may be wider than the largest number
        place = (numbers[finite] / 2 - low[owner] / 2) / wide * BINS
    bins = np.clip(np.nan_to_num(place, nan=0.0), 0, BINS - 1).astype(np.int64)
    counted = np.bincount(owner * BINS + bins, counts[finite], minlength=columns * BINS)
    return counted.astype(np.uint64).reshape(columns, BINS)


def _pack(block: RowBlock) -> Cells:
    widths = np.array([code_width(int(size)) for size in np.diff(block.starts)], np.uint8)
    data = [codes.astype(f"<u{width}").view(np.uint8) for codes, width in zip(block.codes, widths, strict=True)]
    return Cells(data, offsets_of(widths.astype(np.int64) * block.rows), widths)
