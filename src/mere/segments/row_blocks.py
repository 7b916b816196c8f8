"""What is a block of rows: some consecutive rows of a table, as distinct values and codes?

`digest` makes blocks, of several tables at once; `merge` unites the blocks of a table that was cut.  Nothing is decided
here that needs all rows of a column: that is done by `summarise`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.store import Container, Strings, container, distinct, offsets_of, unite
from mere.values import fold, hash_values
from mere.values.nulls import SPELLINGS

ROW_BLOCK_VERSION = 2
EXAMPLES = 5
EXAMPLE_LENGTH = 80
NULL_SPELLINGS = Strings.of(sorted(SPELLINGS)).to_arrow()
_LOOK = 16  # spellings looked at together


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
    pointed: np.ndarray  # per column: cells written with a decimal point that their values do not have, like `5.00`

    def slice(self, start: int, stop: int, rows: int) -> RowBlock:
        """Some of the columns."""
        a, b = int(self.starts[start]), int(self.starts[stop])
        return RowBlock(
            rows, self.names[start:stop], self.values.slice(a, b), self.hashes[a:b],
            self.starts[start : stop + 1] - a, self.codes[start:stop], self.examples[start:stop],
            self.pointed[start:stop],
        )  # fmt: skip

    def write(self, path: str) -> None:
        """Stage the block as one file, its codes column after column."""
        arrays: dict[str, np.ndarray | list[np.ndarray]] = {
            "hashes": self.hashes,
            "starts": self.starts,
            "pointed": self.pointed,
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
        return RowBlock(
            rows, names, values, arrays["hashes"], arrays["starts"], codes, arrays.meta["examples"], arrays["pointed"]
        )

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
            np.concatenate([block.pointed for block in blocks]),
        )  # fmt: skip


def digest(tables: list[pa.Table]) -> list[RowBlock]:
    """One block of each table, or of some of its rows: all columns text, null where a cell is absent."""
    columns = [column for table in tables for column in table.columns]
    encoded = [_encode(column) for column in columns]
    spellings = [column.dictionary for column in encoded]
    raw = pa.concat_arrays(spellings) if spellings else pa.array([], pa.string())
    base = offsets_of(np.array([len(s) for s in spellings], np.int64))
    normal, lost_point = fold(raw)
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
    pointed = _pointed(encoded, lost_point, base)
    examples = [_examples(s) for s in spellings]
    flat = RowBlock(0, names, values.take(places), hashes[places], starts, codes, examples, pointed)
    edges = offsets_of(np.array([table.num_columns for table in tables], np.int64))
    return [flat.slice(int(edges[i]), int(edges[i + 1]), t.num_rows) for i, t in enumerate(tables)]


def _encode(column: pa.ChunkedArray) -> pa.DictionaryArray:
    if column.num_chunks == 1:
        return column.chunk(0).dictionary_encode()
    encoded = column.combine_chunks().dictionary_encode()
    return encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded


def _pointed(columns: list[pa.DictionaryArray], lost_point: np.ndarray, base: np.ndarray) -> np.ndarray:
    """The cells of each column whose value has lost its decimal point."""
    pointed = np.zeros(len(columns), np.int64)
    for c in np.unique(np.searchsorted(base, np.flatnonzero(lost_point), side="right") - 1).tolist():
        cells = np.bincount(columns[c].indices.drop_null().to_numpy(), minlength=len(columns[c].dictionary))
        pointed[c] = cells[lost_point[base[c] : base[c + 1]]].sum()
    return pointed


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
            shown = text.strip()[:EXAMPLE_LENGTH]
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
        block.rows,
        [f"column_{c + 1}"],
        nothing,
        np.empty(0, np.uint64),
        np.zeros(2, np.int64),
        [none],
        [[]],
        np.zeros(1, np.int64),
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
    pointed = np.sum([block.pointed for block in blocks], axis=0)
    return RowBlock(len(codes), [name], values, hashes, starts, [codes], [examples], pointed)
