"""What remains of a table's cells: distinct values with counts, types, and rows as codes.

`summarise` takes the decisions that need all rows of a column (nulls, types, the histogram).  How numbers are written
is decided by all columns of a table together, from counts that are added up over its blocks (`block_evidence`).

Distinct values are found before anything else is done to them (`row_blocks`), so normalising, hashing and typing cost
per distinct value, not per cell; and the columns of many tables are worked on as one flat array, so a small table costs
no calls of its own.  The outcome does not depend on where a table was cut or on which tables shared a batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.segments.plain_numbers import Flat, Plain, made_plain, numbers_told, readings_of
from mere.segments.published import types_in
from mere.segments.row_blocks import EXAMPLE_LENGTH, NULL_SPELLINGS, RowBlock, digest
from mere.segments.table import BINS, Cells, Columns, Facts, Sets, Table, code_width
from mere.store import Strings, offsets_of
from mere.values import (
    NUMBER_SHARE,
    Evidence,
    Known,
    Readings,
    classify,
    decide,
    evidence_of,
    infer_types,
)
from mere.values.nulls import is_data


def block_evidence(block: RowBlock) -> Evidence:
    """What the cells of a block are, as far as numbers are concerned."""
    texts, (counts, _) = block.values.to_arrow(), _counts(block)
    return evidence_of(texts, block.starts, counts, classify(texts), block.pointed, block.names)


@dataclass
class Coded:
    """One column as a segment would keep it."""

    values: Strings  # distinct, in the order of (hash, bytes)
    hashes: np.ndarray
    codes: np.ndarray  # per row: 0 = null, k = the k-th value
    dropped: list[str]  # spellings that were taken for null
    numeric: bool = False  # it is a column of numbers
    unsure: bool = False  # its numbers may be read in two ways
    undecided: bool = False  # how it is read depends on the decimal mark of its table

    def counts(self) -> np.ndarray:
        """How many rows hold each value."""
        return np.bincount(self.codes, minlength=len(self.hashes) + 1)[1:]


def code_column(
    cells: pa.Array, data: frozenset[str] = frozenset(), decimal: str = "", share: float = NUMBER_SHARE, name: str = ""
) -> Coded:
    """One column's distinct values, and its rows as codes; `data`: spellings of null that are data all the same.

    `decimal` is the decimal mark of its table, for numbers that do not show their own.
    """
    [block] = digest([pa.table({name: cells})])
    not_null = _not_null(block)
    if data:
        not_null |= np.asarray(pc.is_in(block.values.to_arrow(), value_set=pa.array(sorted(data), pa.string())))
    dropped = block.values.take(np.flatnonzero(~not_null)).tolist()
    settled = _settle(_kept(block, not_null), [Facts("", "", "", numbers={"given": decimal})], [1], share)
    column, readings = settled.block, settled.readings
    numeric, unsure = bool(readings.numbers[0]), readings.unsure[0] == "decimal"
    undecided = not decimal and (unsure or bool(readings.lists[0]))
    return Coded(column.values, column.hashes, column.codes[0], dropped, numeric, unsure, undecided)


def table_decimal(columns: Sequence[pa.Array], typed: bool, share: float = NUMBER_SHARE) -> str:
    """The decimal mark that the columns of a table show; empty if none shows it, or they disagree."""
    if not columns:
        return "point" if typed else ""
    return _decided(columns, typed, share).decimals[0]


def table_dates(columns: Sequence[pa.Array], share: float = NUMBER_SHARE) -> str:
    """The order of day and month that the columns of a table show; empty if none shows it, or they disagree."""
    return _decided(columns, False, share).orders[0] if columns else ""


def _decided(columns: Sequence[pa.Array], typed: bool, share: float) -> Readings:
    [block] = digest([pa.table(list(columns), [str(place) for place in range(len(columns))])])
    return decide(block_evidence(block), [len(columns)], [Known(typed=typed)], share)


class _Settled(NamedTuple):
    """Columns whose numbers are plain."""

    block: RowBlock
    counts: np.ndarray  # per value: rows
    nulls: np.ndarray  # per column: rows
    numeric: np.ndarray  # per value: it is a number in a column of numbers
    readings: Readings


def summarise(
    facts: list[Facts], blocks: list[RowBlock], share: float = NUMBER_SHARE, readings: Readings | None = None
) -> list[Table]:
    """Decide nulls, numbers and types, count, and pack the rows: what a segment keeps of each table.

    `readings` are given if the blocks are only some columns of a table, whose others take part in the decision.
    """
    if not blocks:
        return []
    joined = RowBlock.join(blocks)
    widths = [len(block.names) for block in blocks]
    settled = _settle(_kept(joined, _not_null(joined)), facts, widths, share, readings)
    flat, (columns, some_dates) = settled.block, _profile(settled)
    tables, first = [], 0
    for number, (fact, block) in enumerate(zip(facts, blocks, strict=True)):
        last = first + len(block.names)
        own = flat.slice(first, last, block.rows)
        counts_of_own = settled.counts[flat.starts[first] : flat.starts[last]].astype(np.uint32)
        told = numbers_told(settled.readings, number, columns, some_dates, slice(first, last))
        fact.rows, fact.numbers = block.rows, {**fact.numbers, **told}
        if fact.published:  # its columns have the types that their owner published
            columns.types[first:last] = types_in(fact.published)
        sets = Sets(own.values, own.hashes, counts_of_own, own.starts)
        tables.append(Table(fact, columns.slice(first, last), sets, _pack(own)))
        first = last
    return tables


def _settle(
    block: RowBlock, facts: list[Facts], widths: list[int], share: float, readings: Readings | None = None
) -> _Settled:
    """Decide which columns are numbers, and how they are written; write them plainly."""
    counts, nulls = _counts(block)
    texts = block.values.to_arrow()
    spelled = classify(texts)
    if readings is None:
        evidence = evidence_of(texts, block.starts, counts, spelled, block.pointed, block.names)
        readings = readings_of(evidence, widths, facts, share)
    plain, numeric = made_plain(Flat(block.values, block.hashes, block.starts), spelled, readings)
    block, counts = _recoded(block, counts, plain)
    return _Settled(block, counts, nulls, numeric, readings)


def _counts(block: RowBlock) -> tuple[np.ndarray, np.ndarray]:
    """Rows per value, and rows without one per column."""
    sizes = np.diff(block.starts)
    counts = [np.bincount(codes, minlength=size + 1) for codes, size in zip(block.codes, sizes, strict=True)]
    nulls = np.array([count[0] for count in counts], np.int64)
    return np.concatenate([np.empty(0, np.int64), *(count[1:] for count in counts)]), nulls


def _recoded(block: RowBlock, counts: np.ndarray, plain: Plain) -> tuple[RowBlock, np.ndarray]:
    """The block with plain numbers, and the rows per value."""
    if not plain.changed.size:
        return block, counts
    codes = list(block.codes)
    for c in plain.changed.tolist():
        code = plain.code[block.starts[c] : block.starts[c + 1]]
        codes[c] = np.append(0, code).astype(np.uint32)[codes[c]]
    values, hashes, starts = plain.flat
    place = np.repeat(starts[:-1], np.diff(block.starts)) + plain.code - 1
    summed = np.bincount(place, counts, len(hashes)).astype(np.int64)
    return replace(block, values=values, hashes=hashes, starts=starts, codes=codes), summed


def _kept(block: RowBlock, keep: np.ndarray) -> RowBlock:
    """The block without some of its values, whose rows become null."""
    if keep.all():
        return block
    starts = np.concatenate([[0], np.cumsum(keep)])[block.starts]
    codes = [_recode(keep[block.starts[c] : block.starts[c + 1]], codes) for c, codes in enumerate(block.codes)]
    kept = np.flatnonzero(keep)
    return replace(block, values=block.values.take(kept), hashes=block.hashes[kept], starts=starts, codes=codes)


def _not_null(block: RowBlock) -> np.ndarray:
    """Which values are data in their columns; spellings of null are, if the column shows it."""
    arrow = block.values.to_arrow()
    spelled = np.flatnonzero(np.asarray(pc.is_in(arrow, value_set=NULL_SPELLINGS)))
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


def _profile(settled: _Settled) -> tuple[Columns, np.ndarray]:
    """What is known of the columns, and which of text have many dates."""
    block, counts = settled.block, settled.counts
    arrow = block.values.to_arrow()
    readings = settled.readings
    inferred = infer_types(arrow, block.starts, counts, settled.numeric, readings.day_first, readings.share)
    low, high = _range(inferred.numbers, block.starts)
    lows, highs = _spelled_range(arrow, inferred.numbers, block.starts)
    columns = Columns(
        block.names, inferred.types, settled.nulls, inferred.misfits.astype(np.int64), lows, highs, low, high,
        _histogram(inferred.numbers, block.starts, counts, low, high), block.examples,
    )  # fmt: skip
    return columns, inferred.some_dates


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
        lows.append(low[:EXAMPLE_LENGTH])
        highs.append(high[:EXAMPLE_LENGTH])
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
