"""How do the rows of several parts, staged or stored, become one table?

Staged blocks hold rows before anything was decided that needs all rows of a column; a stored table holds them
afterwards: cells with a spelling of null are null there, and nobody knows which spelling they had; numbers are plain.
A plain `1.234` of a column with decimal commas is written `1,234` again (`with_commas`), because it is read together
with new rows, where `1.234` is more than a thousand.  `unite_columns` takes some rows of each, by the names of the
columns; `nulls_hold`, and for numbers `united_numbers`, say whether the table would be the same if the stored rows had
been read again.  Examples of values are taken from the united rows, as normalised, so that they do not depend on which
rows were read this time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow.compute as pc

from mere.segments.plain_numbers import Flat, rewrite
from mere.segments.row_blocks import EXAMPLE_LENGTH, EXAMPLES, NULL_SPELLINGS, RowBlock, merge
from mere.segments.segment import Segment
from mere.segments.table import Table
from mere.store import Strings, offsets_of
from mere.values.nulls import SPELLINGS, is_data

_MAY_BE_BOTH = r"^-?[1-9]\d{0,2}\.\d{3}$"  # plain numbers whose point would be taken for a mark of thousands
_FIRST_ROWS = 1024  # looked at for examples first; then twice as many, and so on

Rows = tuple[int, int, int]  # the number of a block, and some consecutive rows of it


def stored_block(segment: Segment, table: int, names: Sequence[str]) -> RowBlock:
    """Columns of a stored table as a block of rows; those that it lacks are left out."""
    places = {segment.column_name(column): column for column in segment.columns_of(table)}
    columns = [places[name] for name in names if name in places]
    ids = [segment.set_of(column) for column in columns]
    flat = np.concatenate([np.empty(0, np.uint32), *ids]).astype(np.int64)
    return RowBlock(
        int(segment.catalog["table.rows"][table]),
        [segment.column_name(column) for column in columns],
        segment.dictionary.values.take(flat),
        segment.dictionary.hashes[flat],
        offsets_of(np.array([len(each) for each in ids], np.int64)),
        [segment.codes_of(column) for column in columns],
        [[] for _ in columns],
        np.zeros(len(columns), np.int64),
    )


def with_commas(block: RowBlock, names: Collection[str]) -> RowBlock:
    """A stored block whose numbers in some columns are written with a decimal comma where a point could be misread."""
    chosen = np.repeat([name in names for name in block.names], np.diff(block.starts))
    texts = block.values.to_arrow()
    places = np.flatnonzero(chosen & np.asarray(pc.match_substring_regex(texts, _MAY_BE_BOTH), bool))
    if not places.size:
        return block
    written = rewrite(
        Flat(block.values, block.hashes, block.starts), places, pc.replace_substring(texts.take(places), ".", ",")
    )
    codes = list(block.codes)
    for c in written.changed.tolist():
        code = written.code[block.starts[c] : block.starts[c + 1]]
        codes[c] = np.append(0, code).astype(np.uint32)[codes[c]]
    return replace(block, values=written.flat.values, hashes=written.flat.hashes, codes=codes)


def unite_columns(blocks: Sequence[RowBlock], rows: Sequence[Rows], names: Sequence[str]) -> RowBlock:
    """These columns of the rows of blocks, one run after the other; a cell is empty where a block lacks the column."""
    blocks = blocks or [_empty_block([], 0)]
    places = [{name: place for place, name in enumerate(block.names)} for block in blocks]
    columns = [_united([_column(b, p, name) for b, p in zip(blocks, places, strict=True)], rows) for name in names]
    joined = RowBlock.join(columns)
    joined.rows = sum(stop - start for _, start, stop in rows)
    return joined


def _united(blocks: list[RowBlock], rows: Sequence[Rows]) -> RowBlock:
    """One column, from blocks that have only this one."""
    column = merge(blocks)
    base = offsets_of(np.array([block.rows for block in blocks], np.int64))
    pieces = [column.codes[0][base[block] + start : base[block] + stop] for block, start, stop in rows]
    codes = np.concatenate([np.empty(0, np.uint32), *pieces])
    return _without_unused(column, codes)


def _column(block: RowBlock, places: Mapping[str, int], name: str) -> RowBlock:
    if name in places:
        return block.slice(places[name], places[name] + 1, block.rows)
    return _empty_block([name], block.rows)


def _empty_block(names: list[str], rows: int) -> RowBlock:
    codes, width = [np.zeros(rows, np.uint32) for _ in names], len(names)
    starts, pointed = np.zeros(width + 1, np.int64), np.zeros(width, np.int64)
    return RowBlock(rows, names, Strings.of([]), np.empty(0, np.uint64), starts, codes, [[] for _ in names], pointed)


def _without_unused(column: RowBlock, codes: np.ndarray) -> RowBlock:
    """The column with other rows, and only the values that they have."""
    used = np.bincount(codes, minlength=len(column.hashes) + 1)[1:] > 0
    kept = np.flatnonzero(used)
    numbers = np.append(np.uint32(0), np.where(used, np.cumsum(used), 0).astype(np.uint32))
    return replace(
        column,
        rows=len(codes),
        values=column.values.take(kept),
        hashes=column.hashes[kept],
        starts=np.array([0, len(kept)], np.int64),
        codes=[numbers[codes]],
    )


def with_examples(table: Table) -> Table:
    """The table with the first few values of each column as its examples, in the order of the rows."""
    columns = zip(table.sets.each(), table.cells.data, table.cells.widths.tolist(), strict=True)
    table.columns.examples = [_first_values(values, cells.view(f"<u{width}")) for (values, _), cells, width in columns]
    return table


def _first_values(values: Strings, codes: np.ndarray) -> list[str]:
    look = _FIRST_ROWS
    while True:
        seen, first = np.unique(codes[:look], return_index=True)
        met = seen[np.argsort(first)].astype(np.int64)
        texts = [values[code - 1] for code in met[met > 0][: EXAMPLES + len(SPELLINGS)].tolist()]
        examples = [text[:EXAMPLE_LENGTH] for text in texts if text not in SPELLINGS][:EXAMPLES]
        if len(examples) == EXAMPLES or look >= len(codes):
            return examples
        look *= 2


def dropped_spellings(block: RowBlock, table: Table) -> dict[str, list[str]]:
    """By column: the spellings that were taken for null when the block was summarised."""
    dropped: dict[str, list[str]] = {}
    for place, name in enumerate(block.names):
        before = _spellings(block.values.slice(*block.starts[place : place + 2].tolist()))
        after = _spellings(table.sets.values.slice(*table.sets.starts[place : place + 2].tolist()))
        if before - after:
            dropped[name] = sorted(before - after)
    return dropped


def _spellings(values: Strings) -> set[str]:
    texts = values.to_arrow()
    return set(texts.filter(pc.is_in(texts, value_set=NULL_SPELLINGS)).to_pylist())


def nulls_hold(values: Strings, dropped: Iterable[str]) -> bool:
    """Whether spellings that are null in stored rows stay null, and no other spelling is judged differently.

    `values` are the distinct values of the united column; `dropped` may or may not be in the rows that were kept.  So
    each spelling is judged twice: with those that speak most for data, and with those that speak most against it.
    """
    unseen = set(dropped)
    for spelling in (unseen | _spellings(values)) if unseen else ():
        alike = {each for each in unseen if len(each) == len(spelling)}
        may_be = _is_data(spelling, values, alike)
        if may_be and (spelling in unseen or not _is_data(spelling, values, unseen - alike)):
            return False
    return True


def _is_data(spelling: str, values: Strings, others: set[str]) -> bool:
    more = sorted({spelling, *others} - _spellings(values))
    together = Strings.concat([values, Strings.of(more)])
    return is_data(spelling, together.lengths(), partial(together.to_arrow))
