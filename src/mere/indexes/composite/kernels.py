"""The compiled loops: which tables can hold enough of the keys, and which columns of a table hold the most?

Import only once `compiled.ready()`; `plain` has the NumPy twin.  `descent` explains what happens in a table.

Shared arguments:
    known       Known: the question's values that the segment holds
    tree        Tree: the question's keys
    stored      Stored: the segment's arrays
    shared      Shared: which of them each column holds
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


class Shared(NamedTuple):
    """What the columns of a segment share with the question; (level, column) is one place, level by level."""

    bounds: np.ndarray  # keys that have their value of the level in the column: what the column can hold at most
    starts: np.ndarray  # where each place's values start; there are as many as `counts` says
    counts: np.ndarray
    values: np.ndarray  # uint32: places in `known`, ascending


@kernel
def share(known, weights, tree, stored, may, floor):
    """What columns of tables share that can reach the floor, and how much every table can reach."""
    levels, columns = len(tree.starts) - 1, len(may)
    bounds, counts = np.zeros((levels, columns), np.uint32), np.zeros((levels, columns), np.uint32)
    for level in range(levels):
        first, keys, values = tree.starts[level], bounds[level], counts[level]
        for i in range(known.starts[level], known.starts[level + 1]):
            which, weight = known.ids[i], weights[first + known.values[i]]
            for place in range(np.int64(stored.list_starts[which]), np.int64(stored.list_starts[which + 1])):
                keys[stored.list_columns[place]] += weight
                values[stored.list_columns[place]] += 1
    most = _table_bounds(bounds, may, stored.first_columns, floor)
    starts, size = np.empty((levels, columns), np.int64), 0
    for level in range(levels):
        for column in range(columns):
            starts[level, column] = size
            if bounds[level, column]:
                size += counts[level, column]
    values = np.empty(size, np.uint32)
    for level in range(levels):
        for i in range(known.starts[level], known.starts[level + 1]):
            which = known.ids[i]
            for place in range(np.int64(stored.list_starts[which]), np.int64(stored.list_starts[which + 1])):
                column = stored.list_columns[place]
                if bounds[level, column]:
                    values[starts[level, column]] = i
                    starts[level, column] += 1
    for level in range(levels):
        for column in range(columns):
            if bounds[level, column]:
                starts[level, column] -= counts[level, column]
    return Shared(bounds, starts, counts, values), most


@kernel
def _table_bounds(bounds, may, first_columns, floor):
    """How many keys a table can hold at most: each level has its column, and the poorest level decides.

    The bounds of columns that may not answer, and of tables that cannot reach the floor, become 0.
    """
    tables = len(first_columns) - 1
    most = np.zeros(tables, np.int64)
    for table in range(tables):
        least, begin, end = np.uint32(0xFFFFFFFF), first_columns[table], first_columns[table + 1]
        for level in range(len(bounds)):
            best = np.uint32(0)
            for column in range(begin, end):
                bounds[level, column] *= may[column]
                best = max(best, bounds[level, column])
            least = min(least, best)
        most[table] = least
        if least < floor:
            bounds[:, begin:end] = 0
            most[table] = 0
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
def code_of(stored, column, which):
    """The code of a value, known to stand in the column; ids are spread evenly, so its place can be guessed."""
    start, stop = stored.set_starts[column], stored.set_starts[column + 1]
    guess = (stop - start) * np.int64(which) // (len(stored.list_starts) - 1)
    return first_at_least(stored.set_ids[start:stop], which, guess) + 1


@kernel(inline="always")
def len_of_set(stored, column):
    """How many distinct values a column has."""
    return stored.set_starts[column + 1] - stored.set_starts[column]


@kernel(inline="always")
def rows_with(stored, column, code):
    """How many rows have a code (from 1) in a column."""
    return np.int64(stored.set_counts[stored.set_starts[column] + code - 1])


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


@kernel(inline="always")
def covers(row, key):
    """Whether a row's super key has every bit of a key's."""
    for word in range(len(key)):  # noqa: SIM110
        if key[word] & ~row[word]:
            return False
    return True
