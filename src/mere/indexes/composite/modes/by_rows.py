"""Compiled: Algorithm 1 of MATE, with super keys (mate), without them (scr), or with all columns' row lists (mcr)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.compiled.jit import helper, kernel
from mere.indexes.composite.descent import Answers, Order, add_answer, first_answers, keep_best, new_answers, new_path
from mere.indexes.composite.kernels import (
    Context,
    Int,
    code_at,
    code_of,
    covers,
    first_place,
    row_at,
    rows_with,
)
from mere.indexes.composite.matches import Wanted
from mere.indexes.composite.modes.pairs import (
    TOO_MANY,
    Keys,
    Numbering,
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

SCR, MATE, MCR = 0, 1, 2
WAYS = {"scr": SCR, "mate": MATE, "mcr": MCR}


class Way(NamedTuple):
    """How rows are filtered: by number, and for mate the super key of every row of the segment."""

    number: Int
    super_keys: np.ndarray


class Visit(NamedTuple):
    """One table: how its rows are filtered, the keys needed, and its rows with a value of the first column."""

    way: Way
    need: Int
    rows: Int
    numbering: Numbering
    complete: np.ndarray  # mcr: whether each row holds a value of every level


def tables_by_rows(way: Way, keys: Keys, wanted: Wanted, context: Context) -> Answers:
    """The tables wanted; those with the most rows first."""
    rows = rows_to_visit(keys.first, context)
    tables = np.argsort(-rows, kind="stable")
    top = np.zeros(min(wanted.k, len(tables)), np.int64)
    return _by_rows(way, Order(tables, rows[tables]), keys, wanted.floor, top, context)


@kernel
def rows_to_visit(level, context):
    """The rows of each table that hold a value of the level in a column that may answer, column by column."""
    _, known, _, stored, shared = context
    rows = np.zeros(len(stored.first_columns) - 1, np.int64)
    for table in range(len(rows)):
        for column in range(stored.first_columns[table], stored.first_columns[table + 1]):
            first, last = values_of(level, column, shared)
            for place in range(first, last):
                code = code_of(stored, column, known.ids[shared.values[place]])
                rows[table] += rows_with(stored, column, code)
    return rows


@helper(inlined=True)
def values_of(level, column, shared):
    """Where the values begin and end that a column shares with a level; nowhere, if it may not answer."""
    first = shared.starts[level, column]
    return first, first + shared.counts[level, column] if shared.bounds[level, column] else first


@kernel
def _by_rows(way, order, keys, floor, top, context):
    """Algorithm 1."""
    turns, known, _, stored, shared = context
    out, path, pairs, size = new_answers(len(order.tables), len(turns)), new_path(turns), new_pairs(), np.int64(0)
    for place in range(len(order.tables)):
        need = max(floor, top[0]) if len(top) else floor
        if order.most[place] < need:
            break  # the first table filter
        numbering = numbering_of(order.tables[place], len(keys.ids), stored)
        count = np.int64(TOO_MANY)
        if fits(numbering, len(turns)):
            complete = np.zeros(0, np.bool_)
            if way.number == MCR:
                complete = complete_rows(numbering.table, known, stored, shared)
            visit = Visit(way, need, order.most[place], numbering, complete)
            pairs, count = _table_pairs(visit, keys, pairs, known, stored, shared)
        certain = True
        if count == TOO_MANY:
            score, certain = by_descent(numbering.table, need, context, path)
        else:
            score = best_of_pairs(pairs.numbers[:count], numbering, shared.ranks, path)
        if score >= need or not certain:
            size = add_answer(out, size, numbering.table, score, certain, path.answer)
        keep_best(top, score)
    return first_answers(out, size)


@helper(allocates=True)
def _table_pairs(visit, keys, pairs, known, stored, shared):
    """The keys that the rows of a table hold, with their mappings, and how many pairs that makes.

    There are none if the second table filter drops the table, and TOO_MANY if they cannot be kept.
    """
    way, need, rows, numbering, complete = visit
    first_level, grouped, edges, bits = keys.first, keys.grouped, keys.edges, keys.bits
    bounds, first_row, super_keys = shared.bounds, stored.first_rows[numbering.table], way.super_keys
    choices = new_choices(keys.ids.shape[1], numbering.width)
    cells, size, checked, matched = choices.cells, np.int64(0), np.int64(0), np.int64(0)
    for column in range(numbering.first_column, numbering.first_column + numbering.width):
        first, last = values_of(first_level, column, shared)
        for place in range(first, last):
            which, value = known.ids[shared.values[place]], np.int64(known.values[shared.values[place]])
            code = code_of(stored, column, which)
            begin = first_place(stored, column, code)
            for spot in range(begin, begin + rows_with(stored, column, code)):
                if rows - checked + matched < need:
                    return pairs, np.int64(0)  # the second table filter
                checked += 1
                row = row_at(stored, column, spot)
                if way.number == MCR and not complete[row]:
                    continue
                passed = False
                for at in range(edges[value], edges[value + 1]):
                    key = grouped[at]
                    if way.number == MATE and not covers(super_keys[first_row + row], bits[key]):
                        continue
                    if not passed:
                        _read_cells(row, numbering, stored, cells)
                    passed = True
                    if _choose(key, column - numbering.first_column, keys, numbering, choices, bounds):
                        needed = room_for(choices, size)
                        if needed == TOO_MANY:
                            return pairs, needed
                        if needed > len(pairs.numbers):
                            pairs = more_room(pairs, needed)
                        size = add_mappings(key, choices, numbering, pairs, size)
                matched += passed
    return pairs, size


@helper(inlined=True)
def _read_cells(row, numbering, stored, cells):
    """Write the ids of a row's cells; -1 for null."""
    for place in range(numbering.width):
        column = numbering.first_column + place
        code = code_at(stored, column, row)
        cells[place] = stored.set_ids[stored.set_starts[column] + code - 1] if code > 0 else -1


@helper(inlined=True)
def _choose(key, first_choice, keys, numbering, choices, bounds):
    """Write the columns of a row that hold the key's values; False if a value has none."""
    for level in range(len(choices.counts)):
        if level == keys.first:
            choices.columns[level, 0], choices.counts[level] = first_choice, 1
            continue
        wanted, count = keys.ids[key, level], 0
        for place in range(numbering.width):
            same = wanted >= 0 and choices.cells[place] == wanted
            if same and bounds[level, numbering.first_column + place] > 0:
                choices.columns[level, count] = place
                count += 1
        choices.counts[level] = count
        if count == 0:
            return False
    return True


@helper(allocates=True)
def complete_rows(table, known, stored, shared):
    """Which rows of a table hold in some column a value of every level."""
    levels = shared.bounds.shape[0]
    met = np.zeros(stored.first_rows[table + 1] - stored.first_rows[table], np.uint8)
    for level in range(levels):
        for column in range(stored.first_columns[table], stored.first_columns[table + 1]):
            first, last = values_of(level, column, shared)
            for value in range(first, last):
                code = code_of(stored, column, known.ids[shared.values[value]])
                begin = first_place(stored, column, code)
                for place in range(begin, begin + rows_with(stored, column, code)):
                    met[row_at(stored, column, place)] |= 1 << level
    return met == (1 << levels) - 1
