"""Compiled: every key starts from its rarest value, and looks at the other values' columns in the same tables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.compiled.jit import helper, kernel
from mere.indexes.composite.descent import Answers, add_answer, first_answers, new_answers, new_path
from mere.indexes.composite.kernels import (
    Context,
    Int,
    code_at,
    code_of,
    first_place,
    row_at,
    rows_with,
)
from mere.indexes.composite.matches import Wanted
from mere.indexes.composite.modes.pairs import (
    TOO_MANY,
    Keys,
    add_mappings,
    best_of_pairs,
    by_descent,
    fits,
    more_room,
    new_choices,
    new_pairs,
    numbering_of,
    room_for,
)
from mere.store import offsets_of
from mere.store.kernels import first_at_least


class Tables(NamedTuple):
    """What is known of values, columns and tables before the first key."""

    rarest: np.ndarray  # of each key, the level whose value the fewest columns hold; -1 if the segment lacks a value
    owners: np.ndarray  # the table of each column
    narrow: np.ndarray  # whether the pairs of a table can be numbered; cleared where they become too many
    may: np.ndarray  # whether a column may answer
    widest: Int  # columns of the widest table


class Near(NamedTuple):
    """Where the other values of a key are in one table, and arrays to work in."""

    columns: np.ndarray  # (levels, columns)
    codes: np.ndarray  # (levels, columns)
    counts: np.ndarray  # per level
    passed: np.ndarray  # per level: columns of the value's list that belong to tables before this one


class Start(NamedTuple):
    """A key, the level of its rarest value, and a column that holds this value, and the column's table."""

    key: Int
    level: Int
    column: Int
    table: Int


def tables_by_rarest(keys: Keys, wanted: Wanted, context: Context) -> Answers:
    """The tables that reach the floor."""
    stored = context.stored
    widths = np.diff(stored.first_columns)
    owners = np.repeat(np.arange(len(widths)), widths)
    narrow = _narrow(len(keys.ids), keys.ids.shape[1], stored)
    tables = Tables(_rarest(keys.ids, stored.list_starts), owners, narrow, wanted.may, int(widths.max(initial=1)))
    numbers, of_tables = _pairs_of_keys(keys, tables, stored)
    order = np.argsort(of_tables, kind="stable")
    edges = offsets_of(np.bincount(of_tables, minlength=len(widths)))
    return _counted(numbers[order], edges, narrow, len(keys.ids), wanted.floor, context)


def _rarest(ids: np.ndarray, list_starts: np.ndarray) -> np.ndarray:
    """The level of each key whose value the fewest columns hold; -1 if the segment lacks one of its values."""
    if len(list_starts) < 2:
        return np.full(len(ids), -1)
    known = np.maximum(ids, 0)
    lengths = list_starts[known + 1].astype(np.int64) - list_starts[known]
    return np.where((ids >= 0).all(axis=1), lengths.argmin(axis=1), -1)


@kernel
def _narrow(keys, levels, stored):
    """Whether the pairs of each table can be numbered."""
    narrow = np.empty(len(stored.first_columns) - 1, np.bool_)
    for table in range(len(narrow)):
        narrow[table] = fits(numbering_of(table, keys, stored), levels)
    return narrow


@kernel
def _pairs_of_keys(keys, tables, stored):
    """The pairs of all keys and narrow tables, key by key: their numbers, and their tables."""
    levels, may, narrow = keys.ids.shape[1], tables.may, tables.narrow
    pairs, size = new_pairs(), np.int64(0)
    near, choices = _new_near(levels, tables.widest), new_choices(levels, tables.widest)
    for key in range(len(keys.ids)):
        rarest = tables.rarest[key]
        if rarest < 0:
            continue
        for level in range(levels):
            near.passed[level] = 0
        which = keys.ids[key, rarest]
        for place in range(np.int64(stored.list_starts[which]), np.int64(stored.list_starts[which + 1])):
            column = np.int64(stored.list_columns[place])
            start = Start(np.int64(key), rarest, column, np.int64(tables.owners[column]))
            if may[column] and narrow[start.table] and _find_near(start, keys.ids, may, near, stored):
                pairs, count = _row_pairs(start, keys, near, choices, pairs, size, stored)
                if count == TOO_MANY:
                    narrow[start.table] = False
                else:
                    size = count
    return pairs.numbers[:size], pairs.tables[:size]


@helper(allocates=True)
def _new_near(levels, widest):
    shape = (levels, widest)
    counts, passed = np.empty(levels, np.int64), np.empty(levels, np.int64)
    return Near(np.empty(shape, np.int64), np.empty(shape, np.int64), counts, passed)


@helper
def _find_near(start, ids, may, near, stored):
    """Write the columns of the start's table that hold the key's other values; False if one has none."""
    first_column, last_column = stored.first_columns[start.table], stored.first_columns[start.table + 1]
    for level in range(len(near.counts)):
        if level == start.level:
            continue
        which, count = ids[start.key, level], 0
        begin, end = np.int64(stored.list_starts[which]), np.int64(stored.list_starts[which + 1])
        place = begin + near.passed[level]
        if place < end and stored.list_columns[place] < first_column:
            place += first_at_least(stored.list_columns[place:end], first_column, np.int64(0))
            near.passed[level] = place - begin
        while place < end and stored.list_columns[place] < last_column:
            column = np.int64(stored.list_columns[place])
            if may[column]:
                near.columns[level, count] = column
                near.codes[level, count] = code_of(stored, column, np.uint32(which))
                count += 1
            place += 1
        near.counts[level] = count
        if count == 0:
            return False
    return True


@helper(allocates=True)
def _row_pairs(start, keys, near, choices, pairs, size, stored):
    """The pairs, with those of the rows that hold the key's rarest value in the start's column; and how many.

    They are TOO_MANY if they cannot be kept.
    """
    code = code_of(stored, start.column, np.uint32(keys.ids[start.key, start.level]))
    numbering = numbering_of(start.table, len(keys.ids), stored)
    first = first_place(stored, start.column, code)
    for place in range(first, first + rows_with(stored, start.column, code)):
        if _choose(row_at(stored, start.column, place), start, numbering, near, choices, stored):
            needed = room_for(choices, size)
            if needed == TOO_MANY:
                return pairs, needed
            if needed > len(pairs.numbers):
                pairs = more_room(pairs, needed)
            size = add_mappings(start.key, choices, numbering, pairs, size)
    return pairs, size


@helper
def _choose(row, start, numbering, near, choices, stored):
    """Write the columns of a row that hold the key's values; False if a value has none."""
    for level in range(len(near.counts)):
        if level == start.level:
            choices.columns[level, 0], choices.counts[level] = start.column - numbering.first_column, 1
            continue
        count = 0
        for i in range(near.counts[level]):
            if code_at(stored, near.columns[level, i], row) == near.codes[level, i]:
                choices.columns[level, count] = near.columns[level, i] - numbering.first_column
                count += 1
        choices.counts[level] = count
        if count == 0:
            return False
    return True


@kernel
def _counted(numbers, edges, narrow, keys, floor, context):
    """The best mapping of every table, from its pairs; of those that are not narrow, by the descent."""
    turns, stored, shared = context.turns, context.stored, context.shared
    out, path, size = new_answers(len(narrow), len(turns)), new_path(turns), np.int64(0)
    for table in range(len(narrow)):
        certain, score = True, np.int64(0)
        if narrow[table]:
            own = numbers[edges[table] : edges[table + 1]]
            score = best_of_pairs(own, numbering_of(table, keys, stored), shared.ranks, path)
        elif _shares_any(table, stored.first_columns, shared.bounds):
            score, certain = by_descent(np.int64(table), floor, context, path)
        if score >= floor or not certain:
            size = add_answer(out, size, np.int64(table), score, certain, path.answer)
    return first_answers(out, size)


@helper
def _shares_any(table, first_columns, bounds):
    """Whether a column of a table shares a value with the first level."""
    for column in range(first_columns[table], first_columns[table + 1]):  # noqa: SIM110
        if bounds[0, column]:
            return True
    return False
