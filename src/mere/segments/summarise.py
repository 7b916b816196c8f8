"""What remains of a table's cells: distinct values with counts, types, and rows as codes.

`digest` takes stretches of rows; `merge` unites the parts of a table that was cut; `summarise` takes the decisions
that need the whole column (nulls, types, the histogram).  Distinct values are found before anything else is done
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
    """A stretch of a table's rows, before anything that needs the whole column was decided."""

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
        """Stage the part as one file, its codes column after column."""
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
        """Map a staged part; nothing is copied until a column is merged."""
        arrays = Container(path, "part", ROW_BLOCK_VERSION, check_bytes=False)
        rows, names = arrays.meta["rows"], arrays.meta["names"]
        codes = [arrays["codes"][c * rows : (c + 1) * rows] for c in range(len(names))]
        values = Strings.mapped(arrays, "value")
        return RowBlock(rows, names, values, arrays["hashes"], arrays["starts"], codes, arrays.meta["examples"])

    @staticmethod
    def join(parts: list[RowBlock]) -> RowBlock:
        """Side by side: all columns of all parts."""
        if len(parts) == 1:
            return parts[0]
        sizes = np.concatenate([np.diff(part.starts) for part in parts])
        return RowBlock(
            0, [n for part in parts for n in part.names], Strings.concat([part.values for part in parts]),
            np.concatenate([part.hashes for part in parts]), offsets_of(sizes),
            [c for part in parts for c in part.codes], [e for part in parts for e in part.examples],
        )  # fmt: skip


def digest(stretches: list[pa.Table]) -> list[RowBlock]:
    """Digest stretches of rows, one part each: all columns text, null where a cell is absent."""
    columns = [column for stretch in stretches for column in stretch.columns]
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
    names = [name for stretch in stretches for name in stretch.column_names]
    flat = RowBlock(0, names, values.take(places), hashes[places], starts, codes, [_examples(s) for s in spellings])
    edges = offsets_of(np.array([stretch.num_columns for stretch in stretches], np.int64))
    return [flat.slice(int(edges[i]), int(edges[i + 1]), s.num_rows) for i, s in enumerate(stretches)]


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
    """The first few cells that say something, as they were spelled."""
    found: dict[str, None] = {}
    for start in range(0, len(spellings), _LOOK):
        for text in spellings[start : start + _LOOK].to_pylist():
            shown = text.strip()[:_EXAMPLE_LENGTH]
            if shown and shown.casefold() not in SPELLINGS:
                found[shown] = None
        if len(found) >= EXAMPLES:
            break
    return list(found)[:EXAMPLES]


def merge(parts: list[RowBlock], columns: range | None = None) -> RowBlock:
    """One part from several, in their order; equal to the part of all their rows together.

    Given `columns`, only these: so that several tasks can share a wide or a huge table.
    """
    wanted = range(max(len(part.names) for part in parts)) if columns is None else columns
    columns_of = [_merge_column([_column_or_empty(part, c) for part in parts]) for c in wanted]
    joined = RowBlock.join(columns_of)
    joined.rows = sum(part.rows for part in parts)
    return joined


def _column_or_empty(part: RowBlock, c: int) -> RowBlock:
    """Column c of a part; a later part may have found more columns than an earlier one."""
    if c < len(part.names):
        return part.slice(c, c + 1, part.rows)
    none, nothing = np.zeros(part.rows, np.uint32), Strings.of([])
    return RowBlock(
        part.rows, [f"column_{c + 1}"], nothing, np.empty(0, np.uint64), np.zeros(2, np.int64), [none], [[]]
    )


def _merge_column(parts: list[RowBlock]) -> RowBlock:
    base = offsets_of(np.array([len(p.hashes) for p in parts], np.int64))
    ids = np.empty(int(base[-1]), np.uint32)
    ranges = list(unite([(p.values, p.hashes) for p in parts], ids))
    values, hashes = Strings.concat([v for v, _ in ranges]), np.concatenate([h for _, h in ranges])
    codes = np.concatenate(
        [np.append(np.uint32(0), ids[base[i] : base[i + 1]] + np.uint32(1))[p.codes[0]] for i, p in enumerate(parts)]
    )
    examples = list(dict.fromkeys(text for part in parts for text in part.examples[0]))[:EXAMPLES]
    name = max((part.names[0] for part in parts), key=lambda n: not n.startswith("column_"))
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


def code_column(cells: pa.Array) -> Coded:
    """One column's distinct values, and its rows as codes."""
    encoded = cells.dictionary_encode()
    normal = normalise(encoded.dictionary)
    values, hashes = Strings.from_arrow(normal), hash_values(normal)
    places, number = distinct(values, hashes)
    column = RowBlock(0, [""], values.take(places), hashes[places], np.array([0, len(places)]), [], [[]])
    data = _not_null(column)
    keep = data & (column.values.lengths() > 0)
    codes = _codes(encoded, np.where(keep, np.cumsum(keep), 0)[number].astype(np.uint32))
    if keep.all():
        return Coded(column.values, column.hashes, codes, [])
    kept = np.flatnonzero(keep)
    dropped = column.values.take(np.flatnonzero(~data)).tolist()
    return Coded(column.values.take(kept), column.hashes[kept], codes, dropped)


def summarise(facts: list[Facts], parts: list[RowBlock]) -> list[Table]:
    """Decide nulls and types, count, and pack the rows: what a segment keeps of each table."""
    if not parts:
        return []
    flat = _without_nulls(RowBlock.join(parts))
    sizes = np.diff(flat.starts)
    counts = [np.bincount(codes, minlength=size + 1) for codes, size in zip(flat.codes, sizes, strict=True)]
    nulls = np.array([count[0] for count in counts], np.int64)
    counted = np.concatenate([np.empty(0, np.int64), *(count[1:] for count in counts)])
    columns = _profile(flat, counted, nulls)
    tables, first = [], 0
    for fact, part in zip(facts, parts, strict=True):
        last = first + len(part.names)
        own = flat.slice(first, last, part.rows)
        counts_of_own = counted[flat.starts[first] : flat.starts[last]].astype(np.uint32)
        fact.rows = part.rows
        if fact.published:  # its columns are what their owner says they are
            columns.types[first:last] = types_in(fact.published)
        sets = Sets(own.values, own.hashes, counts_of_own, own.starts)
        tables.append(Table(fact, columns.slice(first, last), sets, _pack(own)))
        first = last
    return tables


def _without_nulls(part: RowBlock) -> RowBlock:
    """Drop the spellings of null, column by column, unless the column shows that they are data."""
    keep = _not_null(part)
    if keep.all():
        return part
    starts = np.concatenate([[0], np.cumsum(keep)])[part.starts]
    codes = [_recode(keep[part.starts[c] : part.starts[c + 1]], codes) for c, codes in enumerate(part.codes)]
    kept = np.flatnonzero(keep)
    return RowBlock(part.rows, part.names, part.values.take(kept), part.hashes[kept], starts, codes, part.examples)


def _not_null(part: RowBlock) -> np.ndarray:
    """Which values are data in their columns; the empty value counts as one here."""
    arrow = part.values.to_arrow()
    spelled = np.flatnonzero(np.asarray(pc.is_in(arrow, value_set=_SPELLINGS)))
    keep = np.ones(len(part.hashes), bool)
    lengths = part.values.lengths()
    for i in spelled.tolist():
        c = int(np.searchsorted(part.starts, i, side="right")) - 1
        column = slice(int(part.starts[c]), int(part.starts[c + 1]))
        keep[i] = is_data(part.values[i], lengths[column], partial(arrow.__getitem__, column))
    return keep


def _recode(keep: np.ndarray, codes: np.ndarray) -> np.ndarray:
    if keep.all():
        return codes
    new = np.zeros(len(keep) + 1, np.uint32)
    new[1:] = np.where(keep, np.cumsum(keep), 0)
    return new[codes]


def _profile(part: RowBlock, counts: np.ndarray, nulls: np.ndarray) -> Columns:
    arrow = part.values.to_arrow()
    inferred = infer(arrow, part.starts, counts)
    low, high = _range(inferred.numbers, part.starts)
    lows, highs = _spelled_range(arrow, inferred.numbers, part.starts)
    return Columns(
        part.names, inferred.types, nulls, inferred.misfits.astype(np.int64), lows, highs, low, high,
        _histogram(inferred.numbers, part.starts, counts, low, high), part.examples,
    )  # fmt: skip


def _range(numbers: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.full(len(starts) - 1, np.nan), np.full(len(starts) - 1, np.nan)
    some = np.flatnonzero(np.diff(starts))
    if some.size:
        low[some] = np.fmin.reduceat(numbers, starts[some])
        high[some] = np.fmax.reduceat(numbers, starts[some])
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
    some = np.flatnonzero(np.isfinite(numbers))
    owner = np.repeat(np.arange(columns), np.diff(starts))[some]
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        wide = high[owner] / 2 - low[owner] / 2  # halves: a range may be wider than the largest number
        place = (numbers[some] / 2 - low[owner] / 2) / wide * BINS
    bins = np.clip(np.nan_to_num(place, nan=0.0), 0, BINS - 1).astype(np.int64)
    counted = np.bincount(owner * BINS + bins, counts[some], minlength=columns * BINS)
    return counted.astype(np.uint64).reshape(columns, BINS)


def _pack(part: RowBlock) -> Cells:
    widths = np.array([code_width(int(size)) for size in np.diff(part.starts)], np.uint8)
    data = [codes.astype(f"<u{width}").view(np.uint8) for codes, width in zip(part.codes, widths, strict=True)]
    return Cells(data, offsets_of(widths.astype(np.int64) * part.rows), widths)
