"""Compiled: which columns of a table may stand for which level of the keys?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.compiled.jit import helper
from mere.indexes.composite.kernels import Int, code_of, rows_with


class Candidates(NamedTuple):
    """Columns that may stand for a level, level by level; highest bounds first, of equal ones the first by name."""

    table: Int
    starts: np.ndarray  # of each level, and the end of the last
    columns: np.ndarray
    bounds: np.ndarray  # keys it can hold at most: its rows with a value, or the value's keys, whichever are fewer
    rows: np.ndarray  # rows that hold a value of the level
    ranks: np.ndarray  # its name, as a rank (`name_ranks`)
    firsts: np.ndarray  # where its codes start; they end at `lasts`
    lasts: np.ndarray
    codes: np.ndarray  # uint32: of the column, ascending
    values: np.ndarray  # uint32: of the level, for each code


class Spot(NamedTuple):
    """Where a candidate is written: its number, the codes before its own, and the level and column that it maps."""

    number: Int
    size: Int
    level: Int
    column: Int


@helper(allocates=True)
def candidates_of(table, need, known, stored, shared):
    """The candidates of a table.  Where a level has none, the table cannot hold as many keys as needed."""
    found = _room(table, need, stored, shared)
    number, size = np.int64(0), np.int64(0)
    for level in range(len(found.starts) - 1):
        for column in range(stored.first_columns[table], stored.first_columns[table + 1]):
            enough = shared.bounds[level, column] >= need
            if enough and _gather(Spot(number, size, level, column), found, known, stored, shared) >= need:
                number, size = number + 1, found.lasts[number]
        found.starts[level + 1] = number
        if found.starts[level] == number:
            break
        _sort(found, found.starts[level], number)
    return found


@helper(allocates=True)
def _room(table, need, stored, shared):
    """Empty arrays with room for every column that shares enough values with a level."""
    levels, number, codes = shared.bounds.shape[0], np.int64(0), np.int64(0)
    for level in range(levels):
        for column in range(stored.first_columns[table], stored.first_columns[table + 1]):
            if shared.bounds[level, column] >= need:
                number += 1
                codes += shared.counts[level, column]
    columns, bounds, rows = np.empty(number, np.int64), np.empty(number, np.int64), np.empty(number, np.int64)
    ranks, firsts, lasts = np.empty(number, np.int64), np.empty(number, np.int64), np.empty(number, np.int64)
    starts = np.zeros(levels + 1, np.int64)
    room = np.empty(codes, np.uint32), np.empty(codes, np.uint32)
    return Candidates(np.int64(table), starts, columns, bounds, rows, ranks, firsts, lasts, room[0], room[1])


@helper
def _gather(spot, found, known, stored, shared):
    """Write a column as a candidate; the keys that it can hold at most."""
    number, size, level, column = spot
    rows, bound, last = np.int64(0), np.int64(0), size
    first = shared.starts[level, column]
    for place in range(first, first + shared.counts[level, column]):
        which = shared.values[place]
        code = code_of(stored, column, known.ids[which])
        found.codes[last], found.values[last] = code, known.values[which]
        count = rows_with(stored, column, code)
        rows += count
        bound += min(count, np.int64(known.weights[which]))
        last += 1
    found.columns[number], found.bounds[number], found.rows[number] = column, bound, rows
    found.firsts[number], found.lasts[number], found.ranks[number] = size, last, shared.ranks[level, column]
    return bound


@helper
def _sort(found, first, last):
    """Shell sort of the candidates from `first` to before `last`."""
    gap = (last - first) // 2
    while gap > 0:
        for start in range(first + gap, last):
            place = start
            while place - gap >= first and _before(found, place, place - gap):
                _swap(found, place, place - gap)
                place -= gap
        gap //= 2


@helper
def _before(found, one, other):
    """Whether one candidate is to be tried before another."""
    if found.bounds[one] != found.bounds[other]:
        return found.bounds[one] > found.bounds[other]
    return found.ranks[one] < found.ranks[other]


@helper
def _swap(found, one, other):
    for array in (found.columns, found.bounds, found.rows, found.ranks, found.firsts, found.lasts):
        array[one], array[other] = array[other], array[one]
