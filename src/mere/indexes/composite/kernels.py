"""The compiled loops: which tables can hold enough of the keys, and which columns of a table hold the most?

Import only once `compiled.ready()`; `plain` has the NumPy twin.  `descent` explains what happens in a table.

Shared arguments:
    known       Known: the question's values that the segment holds
    tree        Tree: the question's keys
    stored      Stored: the segment's arrays
    bounds      per level and column: how many keys have their value of the level in the column
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.indexes.composite.build import STRIDE
from mere.store.jit import kernel
from mere.store.kernels import first_at_least


class Known(NamedTuple):
    """The question's values that a segment holds: their ids, level by level, ascending in each."""

    starts: np.ndarray  # of each level, and behind the last
    ids: np.ndarray  # uint32
    values: np.ndarray  # uint32: their numbers in the level


class Stored(NamedTuple):
    """What a segment and its part keep, for kernels."""

    list_starts: np.ndarray
    list_columns: np.ndarray
    set_starts: np.ndarray
    set_ids: np.ndarray
    set_counts: np.ndarray
    cells: np.ndarray
    cell_starts: np.ndarray
    cell_widths: np.ndarray
    order: np.ndarray
    order_starts: np.ndarray
    order_widths: np.ndarray
    rows_before: np.ndarray
    first_columns: np.ndarray  # of each table, and behind the last
    first_rows: np.ndarray  # of each table among the rows of the segment
    ranks: np.ndarray
    super_keys: np.ndarray


@kernel
def column_bounds(known, weights, tree, stored, may):
    """Per level and column of those that may answer: the keys whose value of the level is in the column."""
    levels = len(tree.starts) - 1
    bounds = np.zeros((levels, len(may)), np.uint32)
    for level in range(levels):
        own, first = bounds[level], tree.starts[level]
        for i in range(known.starts[level], known.starts[level + 1]):
            which, weight = known.ids[i], weights[first + known.values[i]]
            for place in range(np.int64(stored.list_starts[which]), np.int64(stored.list_starts[which + 1])):
                own[stored.list_columns[place]] += weight
        for column in range(len(may)):
            own[column] *= may[column]
    return bounds


@kernel
def table_bounds(bounds, first_columns):
    """How many keys a table can hold at most: each level has its column, and the poorest level decides."""
    tables = len(first_columns) - 1
    most = np.zeros(tables, np.uint32)
    for table in range(tables):
        least = np.uint32(0xFFFFFFFF)
        for level in range(len(bounds)):
            best = np.uint32(0)
            for column in range(first_columns[table], first_columns[table + 1]):
                best = max(best, bounds[level, column])
            least = min(least, best)
            if least == 0:
                break
        most[table] = least
    return most


@kernel(inline="always")
def number_at(data, start, width, place):
    """A number of one, two or four bytes, in an array of bytes."""
    if width == 1:
        return np.int64(data[start + place])
    at = start + width * place
    number = np.int64(data[at]) | np.int64(data[at + 1]) << 8
    if width == 4:
        number |= np.int64(data[at + 2]) << 16 | np.int64(data[at + 3]) << 24
    return number


@kernel(inline="always")
def code_at(stored, column, row):
    """The code of a cell."""
    return number_at(stored.cells, stored.cell_starts[column], stored.cell_widths[column], row)


@kernel(inline="always")
def row_at(stored, column, place):
    """The row that stands at a place in the order of the column's values."""
    return number_at(stored.order, stored.order_starts[column], stored.order_widths[column], place)


@kernel
def first_place(stored, column, code):
    """Where the rows with a code (from 1) begin in the order of their column."""
    return _rows_before(stored, stored.set_starts[column] + code - 1) - _rows_before(stored, stored.set_starts[column])


@kernel
def _rows_before(stored, pair):
    rows = stored.rows_before[pair // STRIDE]
    for one in range(pair - pair % STRIDE, pair):
        rows += stored.set_counts[one]
    return rows


@kernel
def common_codes(known, level, stored, column, codes, values, size):
    """The codes of a column whose values a level asks for, and the numbers of these in the level; both ascend.

    Written from `size` on; returns the new size.  Both sides are in the order of the dictionary, so the shorter one is
    walked through and the longer one searched, forwards.
    """
    first, stop = known.starts[level], known.starts[level + 1]
    mine, theirs = known.ids[first:stop], stored.set_ids[stored.set_starts[column] : stored.set_starts[column + 1]]
    here, there = 0, 0
    while here < len(mine) and there < len(theirs):
        if mine[here] < theirs[there]:
            here += first_at_least(mine[here:], theirs[there], 0)
        elif theirs[there] < mine[here]:
            there += first_at_least(theirs[there:], mine[here], 0)
        else:
            codes[size], values[size] = there + 1, known.values[first + here]
            size, here, there = size + 1, here + 1, there + 1
    return size


@kernel(inline="always")
def child_of(tree, node, value, values):
    """The child of a node that stands for a value, one of so many of its level; -1 if there is none."""
    first, stop = tree.children[node], tree.children[node + 1]
    place = first + first_at_least(tree.values[first:stop], value, value * (stop - first) // values)
    return place if place < stop and tree.values[place] == value else -1


@kernel
def known_of(ids, tree):
    """The values that were found, level by level; within a level ids ascend as its values do."""
    levels = len(tree.starts) - 1
    starts = np.zeros(levels + 1, np.int64)
    found, values = np.empty(len(ids), np.uint32), np.empty(len(ids), np.uint32)
    size = 0
    for level in range(levels):
        for v in range(tree.starts[level], tree.starts[level + 1]):
            if ids[v] >= 0:
                found[size], values[size] = ids[v], v - tree.starts[level]
                size += 1
        starts[level + 1] = size
    return Known(starts, found[:size], values[:size])


@kernel
def covers(row, key):
    """Whether a row's super key has every bit of a key's."""
    for word in range(len(key)):  # noqa: SIM110
        if key[word] & ~row[word]:
            return False
    return True


@kernel
def covering_rows(keys, super_keys, rows, firsts, counts):
    """How many rows have a super key that covers one of their keys, which follow each other from the first on."""
    passing = 0
    for i in range(len(rows)):
        row = super_keys[rows[i]]
        for key in range(firsts[i], firsts[i] + counts[i]):
            if covers(row, keys[key]):
                passing += 1
                break
    return passing
