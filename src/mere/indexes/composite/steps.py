"""Compiled: which rows of a table still agree with some keys when one more level is mapped to a column?

A row that agrees has a node of the tree of keys.  A step looks up the row's code in the next column, and the child of
its node with that value; the row and the child are written one line further down in `Scratch`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.compiled.jit import helper
from mere.indexes.composite.kernels import (
    Int,
    child_of,
    first_place,
    len_of_set,
    number_at,
    row_at,
    rows_with,
)
from mere.store.kernels import first_at_least


class Scratch(NamedTuple):
    """Arrays to work in, reused from table to table.

    Line `level` of rows and nodes holds those that agree down to a level; the line behind the last, the rows to start
    from, if they do not come from the first level.
    """

    rows: np.ndarray  # uint32 (levels + 1, rows)
    nodes: np.ndarray  # uint32 (levels + 1, rows); all zero in the line of the rows to start from
    counts: np.ndarray  # int64 (levels + 1): how many each line has; -1 if there are no rows to start from
    lookup: np.ndarray  # uint32 per code, all zero between steps
    seen: np.ndarray  # uint32 per node, all zero between steps


class Step(NamedTuple):
    """One step: map a level to a candidate, for the rows of a line, if at least `need` keys can still be reached."""

    level: Int
    which: Int  # candidate
    line: Int
    need: Int


@helper(allocates=True)
def new_scratch(rows, longest, tree):
    """Scratch for as many rows, and columns of at most `longest` distinct values."""
    lines = len(tree.starts)
    shape = (lines, rows)
    lookup, seen = np.zeros(longest + 1, np.uint32), np.zeros(len(tree.values), np.uint32)
    return Scratch(np.empty(shape, np.uint32), np.zeros(shape, np.uint32), np.zeros(lines, np.int64), lookup, seen)


@helper(allocates=True)
def start_rows(level, found, stored, scratch):
    """Write the rows that hold a value of the level in one of its candidates, once each; they are to start from."""
    met = np.zeros(stored.first_rows[found.table + 1] - stored.first_rows[found.table], np.bool_)
    rows, size = scratch.rows[len(scratch.counts) - 1], np.int64(0)
    for which in range(found.starts[level], found.starts[level + 1]):
        column = found.columns[which]
        for i in range(found.firsts[which], found.lasts[which]):
            code = np.int64(found.codes[i])
            first = first_place(stored, column, code)
            for place in range(first, first + rows_with(stored, column, code)):
                row = row_at(stored, column, place)
                if not met[row]:
                    met[row] = True
                    rows[size] = row
                    size += 1
    scratch.counts[len(scratch.counts) - 1] = size


@helper
def enter(which, found, tree, stored, scratch):
    """Write the rows of a candidate for the first level, and their nodes; the keys that they can reach."""
    column, rows, nodes = found.columns[which], scratch.rows[0], scratch.nodes[0]
    order, begin, width = stored.order, stored.order_starts[column], stored.order_widths[column]
    size, reach = np.int64(0), np.int64(0)
    for i in range(found.firsts[which], found.lasts[which]):
        code, node = np.int64(found.codes[i]), 1 + np.int64(found.values[i])
        first, count = first_place(stored, column, code), rows_with(stored, column, code)
        for place in range(first, first + count):
            rows[size], nodes[size] = number_at(order, begin, width, place), node
            size += 1
        reach += min(count, np.int64(tree.keys[node]))
    scratch.counts[0] = size
    return reach


@helper
def extend(step, found, tree, stored, scratch):
    """Write the rows that still agree after a step, and their nodes; the keys that they can reach.

    Ends early, with less than needed, where the need cannot be met any more.
    """
    rows, nodes, count = scratch.rows[step.line], scratch.nodes[step.line], scratch.counts[step.line]
    next_rows, next_nodes = scratch.rows[step.level], scratch.nodes[step.level]
    column, lookup, seen = found.columns[step.which], scratch.lookup, scratch.seen
    cells, begin, width = stored.cells, stored.cell_starts[column], stored.cell_widths[column]
    codes = found.codes[found.firsts[step.which] : found.lasts[step.which]]
    values = found.values[found.firsts[step.which] : found.lasts[step.which]]
    of_level, distinct = tree.starts[step.level + 1] - tree.starts[step.level], len_of_set(stored, column)
    direct = 4 * count > len(codes)
    if direct:
        for i in range(len(codes)):
            lookup[codes[i]] = values[i] + 1
    size, reach = np.int64(0), np.int64(0)
    for i in range(count):
        if reach + count - i < step.need:
            break
        code = number_at(cells, begin, width, rows[i])
        value = np.int64(-1)
        if direct:
            value += lookup[code]
        else:
            at = first_at_least(codes, code, code * len(codes) // (distinct + 1))
            if at < len(codes) and codes[at] == code:
                value += values[at] + 1
        child = child_of(tree, nodes[i], value, of_level) if value >= 0 else np.int64(-1)
        if child >= 0:
            next_rows[size], next_nodes[size] = rows[i], child
            size += 1
            reach += seen[child] < tree.keys[child]
            seen[child] += 1
    for i in range(size):
        seen[next_nodes[i]] = 0
    if direct:
        for code in codes:
            lookup[code] = 0
    scratch.counts[step.level] = size
    return reach
