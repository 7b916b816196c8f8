"""Compiled: which tables can hold enough of the keys, and the look-ups that all kernels of this kind need.

Importing this imports Numba; `numpy` gives the same answers without them.  `descent` finds the best
mapping of a table, `follow` the rows of one mapping, `modes` has the paper's algorithms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.compiled import read_only
from mere.compiled.jit import helper, kernel
from mere.indexes.composite.build import STRIDE
from mere.indexes.composite.matches import Wanted, turns_of
from mere.indexes.composite.name_ranks import name_ranks
from mere.indexes.composite.plan import Question, Tree
from mere.indexes.kind import Part
from mere.segments.build import MANY
from mere.store import offsets_of
from mere.store.kernels import first_at_least

Int = int | np.int64  # in Python, and in a kernel


class Known(NamedTuple):
    """The question's values that a segment holds: their ids, level by level, ascending in each."""

    starts: np.ndarray  # of each level, and the end of the last
    ids: np.ndarray  # uint32
    values: np.ndarray  # uint32: their numbers in the level
    weights: np.ndarray  # uint32: keys with each value


class Stored(NamedTuple):
    """The arrays of a segment and of this kind's part of it."""

    list_starts: np.ndarray
    list_columns: np.ndarray
    set_starts: np.ndarray
    set_ids: np.ndarray
    set_counts: np.ndarray  # MANY: see the next two
    many: np.ndarray  # places of counts that do not fit in a byte, ascending
    many_counts: np.ndarray
    cells: np.ndarray
    cell_starts: np.ndarray
    cell_widths: np.ndarray
    order: np.ndarray
    order_starts: np.ndarray
    order_widths: np.ndarray
    rows_before: np.ndarray
    first_columns: np.ndarray  # of each table, and the end of the last
    first_rows: np.ndarray  # of each table among the rows of the segment


class Shared(NamedTuple):
    """What the columns of a segment share with the question, by (level, column)."""

    bounds: np.ndarray  # uint32: keys that have their value of the level in the column, the most it can hold
    starts: np.ndarray  # int64: where the values of each pair start; there are as many as `counts` says
    counts: np.ndarray  # uint32
    values: np.ndarray  # uint32: places in `known`, ascending
    ranks: np.ndarray  # uint32: `name_ranks`


class Context(NamedTuple):
    """All that stays the same while one segment is searched for one question.

    A kernel takes it apart once and hands on the parts: taking a NamedTuple out of another one counts a reference to
    each of its arrays, which costs more than a row.
    """

    turns: np.ndarray  # the level of each of the question's columns
    known: Known
    tree: Tree
    stored: Stored
    shared: Shared


def stored_of(part: Part) -> Stored:
    """The part's arrays for the kernels, gathered once."""
    if "stored" not in part.memo:
        segment, arrays = part.segment, part.arrays
        many, many_counts = segment.many_counts
        part.memo["stored"] = Stored(
            arrays["list.starts"], arrays["list.columns"],
            segment.values["set.starts"], segment.values["set.ids"], segment.values["set.counts"],
            read_only(many), read_only(many_counts),
            segment.rows["cells"], segment.rows["starts"], segment.rows["widths"],
            arrays["rows.order"], arrays["rows.starts"], arrays["rows.widths"], arrays["rows.before"],
            segment.first_column, offsets_of(segment.catalog["table.rows"]),
        )  # fmt: skip
    return part.memo["stored"]


def context_of(part: Part, question: Question, ids: np.ndarray, wanted: Wanted) -> tuple[Context, np.ndarray]:
    """What a search needs, and the most keys that each table can hold.

    `ids` are those of the question's values in the segment, -1 where it has none.
    """
    turns, stored = np.array(turns_of(question), np.int64), stored_of(part)
    known = known_of(ids, question.weights, question.tree.starts)
    shared, most = share(known, stored, wanted.may, wanted.floor, name_ranks(part, question))
    return Context(turns, known, question.tree, stored, shared), most


@kernel
def share(known, stored, may, floor, ranks):
    """What the columns of tables that can reach the floor share, and the most keys that every table can hold."""
    bounds, counts = _counted(known, stored.list_starts, stored.list_columns, len(may))
    most = _table_bounds(bounds, may, stored.first_columns, floor)
    starts, size = _starts(bounds, counts)
    values = np.empty(size, np.uint32)
    _list_values(known, stored, bounds, starts.copy(), values)
    return Shared(bounds, starts, counts, values, ranks), most


@helper(allocates=True)
def _counted(known, list_starts, list_columns, columns):
    """Per level and column: keys with a value that the column holds, and such values."""
    levels = len(known.starts) - 1
    bounds, counts = np.zeros((levels, columns), np.uint32), np.zeros((levels, columns), np.uint32)
    for level in range(levels):
        keys, values = bounds[level], counts[level]
        for i in range(known.starts[level], known.starts[level + 1]):
            which, weight = known.ids[i], known.weights[i]
            for place in range(np.int64(list_starts[which]), np.int64(list_starts[which + 1])):
                keys[list_columns[place]] += weight
                values[list_columns[place]] += 1
    return bounds, counts


@helper(allocates=True)
def _starts(bounds, counts):
    """Where the values of each level and column with a bound above 0 start, and how many values these have."""
    starts, size = np.empty(bounds.shape, np.int64), np.int64(0)
    for level in range(bounds.shape[0]):
        for column in range(bounds.shape[1]):
            starts[level, column] = size
            if bounds[level, column]:
                size += counts[level, column]
    return starts, size


@helper
def _list_values(known, stored, bounds, ends, values):
    """Write the values of each level and column with a bound above 0; `ends` are where they start, and then end."""
    for level in range(bounds.shape[0]):
        for i in range(known.starts[level], known.starts[level + 1]):
            which = known.ids[i]
            for place in range(np.int64(stored.list_starts[which]), np.int64(stored.list_starts[which + 1])):
                column = stored.list_columns[place]
                if bounds[level, column]:
                    values[ends[level, column]] = i
                    ends[level, column] += 1


@helper(allocates=True)
def _table_bounds(bounds, may, first_columns, floor):
    """The most keys that each table can hold: that of its best column for the level where this is least.

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
            most[table] = 0
            for level in range(len(bounds)):
                for column in range(begin, end):
                    bounds[level, column] = 0
    return most


@helper(inlined=True)
def number_at(data, start, width, place):
    """A number of one, two or four bytes, in an array of bytes."""
    if width == 1:
        return np.int64(data[start + place])
    at = start + width * place
    number = np.int64(data[at]) | np.int64(data[at + 1]) << 8
    if width == 4:
        number |= np.int64(data[at + 2]) << 16 | np.int64(data[at + 3]) << 24
    return number


@helper(inlined=True)
def code_at(stored, column, row):
    """The code of a cell."""
    return number_at(stored.cells, stored.cell_starts[column], stored.cell_widths[column], row)


@helper(inlined=True)
def row_at(stored, column, place):
    """The row at a place in the order of the column's values."""
    return number_at(stored.order, stored.order_starts[column], stored.order_widths[column], place)


@helper(inlined=True)
def first_place(stored, column, code):
    """Where the rows with a code (from 1) begin in the order of their column."""
    return _rows_before(stored, stored.set_starts[column] + code - 1) - _rows_before(stored, stored.set_starts[column])


@helper(inlined=True)
def _rows_before(stored, pair):
    rows = stored.rows_before[pair // STRIDE]
    for before in range(pair - pair % STRIDE, pair):
        rows += _count_at(stored, before)
    return rows


@helper(inlined=True)
def _count_at(stored, pair):
    """The rows of a (column, value) pair."""
    count = np.int64(stored.set_counts[pair])
    if count == MANY:
        place = first_at_least(stored.many, pair, 0)
        if place < len(stored.many) and stored.many[place] == pair:
            count = np.int64(stored.many_counts[place])
    return count


@helper(inlined=True)
def code_of(stored, column, which):
    """The code of a value that the column holds; ids are spread evenly, so its place can be guessed."""
    start, stop = stored.set_starts[column], stored.set_starts[column + 1]
    guess = (stop - start) * np.int64(which) // (len(stored.list_starts) - 1)
    return first_at_least(stored.set_ids[start:stop], which, guess) + 1


@helper
def len_of_set(stored, column):
    """How many distinct values a column has."""
    return stored.set_starts[column + 1] - stored.set_starts[column]


@helper(inlined=True)
def rows_with(stored, column, code):
    """How many rows have a code (from 1) in a column."""
    return _count_at(stored, stored.set_starts[column] + code - 1)


@helper
def child_of(tree, node, value, values):
    """The child of a node for a value, one of `values` of its level; -1 if there is none."""
    first, stop = tree.children[node], tree.children[node + 1]
    place = first + first_at_least(tree.values[first:stop], value, value * (stop - first) // values)
    return place if place < stop and tree.values[place] == value else -1


@kernel
def known_of(ids, weights, level_starts):
    """The values that the segment holds, level by level; in a level, ids ascend as its values do."""
    starts, size = np.zeros(len(level_starts), np.int64), 0
    known, values = np.empty(len(ids), np.uint32), np.empty(len(ids), np.uint32)
    known_weights = np.empty(len(ids), np.uint32)
    for level in range(len(level_starts) - 1):
        for value in range(level_starts[level], level_starts[level + 1]):
            if ids[value] >= 0:
                known[size], values[size] = ids[value], value - level_starts[level]
                known_weights[size] = weights[value]
                size += 1
        starts[level + 1] = size
    return Known(starts, known[:size], values[:size], known_weights[:size])


@helper(inlined=True)
def covers(row, key):
    """Whether a row's super key has every bit of a key's."""
    for word in range(len(key)):  # noqa: SIM110
        if key[word] & ~row[word]:
            return False
    return True
