"""How do rows lie in a segment's file, so that a value leads to the rows that hold it?

    list.starts     where each value's columns start, and where the last one's end
    list.columns    u16, or u32 of many columns: the columns that hold each value, ascending
    rows.order      the rows of each column in the order of their values, nulls left out: one, two or four bytes a row
    rows.starts     where each column's rows start in it, and where the last one's end, in bytes
    rows.widths     u8: bytes a row
    rows.before     every STRIDE-th (column, value) pair of the segment: how many rows the pairs before it have
    column.ranks    u32: the place of a column's name among those of its table
    recipe.name, recipe.bits, recipe.ranks     how values become bits of super keys (`row_super_keys`)

A value's rows in a column are a range of `rows.order`, ascending.  It begins behind the rows of the column's smaller
values, whose counts a segment keeps already: `rows.before` only saves adding up more than STRIDE of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mere.indexes.composite.super_keys import recipe_of
from mere.indexes.kind import Arrays
from mere.segments import Segment
from mere.segments.table import code_width
from mere.store import narrowest, offsets_of, stable_order

SUPER_KEYS = "super_keys"  # the setting
USUAL = "bloom-128"
STRIDE = 16


def arrays_of(segment: Segment, trained: Arrays, settings: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Everything the kind keeps of a segment."""
    recipe = recipe_of(str(settings.get(SUPER_KEYS, USUAL)))
    return {
        **_lists(segment),
        **_rows(segment),
        "column.ranks": _ranks(segment),
        "recipe.name": np.frombuffer(recipe.name.encode("ascii"), np.uint8),
        "recipe.bits": np.array([recipe.bits]),
        "recipe.ranks": trained["ranks"],
    }


def _lists(segment: Segment) -> dict[str, np.ndarray]:
    starts, ids = segment.values["set.starts"], segment.values["set.ids"]
    columns = np.repeat(np.arange(len(starts) - 1, dtype=narrowest(len(starts) - 1)), np.diff(starts))
    edges = offsets_of(np.bincount(ids, minlength=len(segment.dictionary)))
    narrow = np.uint32 if edges[-1] < 1 << 32 else np.int64
    return {"list.starts": edges.astype(narrow), "list.columns": columns[stable_order(ids)]}


def _rows(segment: Segment) -> dict[str, np.ndarray]:
    rows = segment.catalog["table.rows"]
    widths = np.array([code_width(max(0, int(n) - 1)) for n in rows], np.uint8)[segment.table_of_column]
    orders = [_order(segment, column, int(width)) for column, width in enumerate(widths)]
    before = offsets_of(segment.counts_between(0, len(segment.values["set.ids"])))[::STRIDE]
    return {
        "rows.order": np.concatenate([np.empty(0, np.uint8), *orders]),
        "rows.starts": offsets_of(np.array([len(order) for order in orders], np.int64)),
        "rows.widths": widths,
        "rows.before": before,
    }


def _order(segment: Segment, column: int, width: int) -> np.ndarray:
    codes = segment.codes_of(column)
    order = stable_order(codes) if codes.itemsize > 2 else codes.argsort(kind="stable")
    return order[np.count_nonzero(codes == 0) :].astype(f"<u{width}").view(np.uint8)


def _ranks(segment: Segment) -> np.ndarray:
    ranks, names = np.empty(segment.column_count, np.uint32), segment.column_names
    for table in range(segment.table_count):
        span = segment.columns_of(table)
        ranks[sorted(span, key=names.__getitem__)] = np.arange(len(span))
    return ranks
