"""Compiled: Algorithm 1 of MATE, with super keys (mate), without them (scr), or with all columns' row lists (mcr)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.indexes.composite.descent import Answers, Order, add_answer, first_answers, keep_best, new_answers, new_path
from mere.indexes.composite.kernels import Context, code_at, code_of, covers, first_place, row_at, rows_with
from mere.indexes.composite.matches import Wanted
from mere.indexes.composite.modes.pairs import (
    TOO_MANY,
    Choices,
    Keys,
    Numbering,
    Pairs,
    add_mappings,
    best_of_pairs,
    by_descent,
    fits,
    new_choices,
    new_pairs,
    numbering_of,
)
from mere.store.jit import kernel

SCR, MATE, MCR = 0, 1, 2
WAYS = {"scr": SCR, "mate": MATE, "mcr": MCR}


class Visit(NamedTuple):
    """One table: how its rows are filtered, the keys needed, and its rows with a value of the first column."""

    way: int
    need: int
    rows: int
    numbering: Numbering
    complete: np.ndarray  # mcr: whether each row holds a value of every level


class Spot(NamedTuple):
    """A row of a table with a value of the first level, and the column that holds it."""

    row: int
    column: int
    value: int


class Work(NamedTuple):
    """Arrays to work in."""

    cells: np.ndarray  # ids of a row's cells; -1 for null
    choices: Choices


def tables_by_rows(way: int, keys: Keys, wanted: Wanted, context: Context) -> Answers:
    """The tables wanted; those with the most rows first."""
    rows = rows_to_visit(keys.first, context)
    tables = np.argsort(-rows, kind="stable")
    top = np.zeros(min(wanted.k, len(tables)), np.int64)
    return _by_rows(way, Order(tables, rows[tables]), keys, wanted.floor, top, context)


@kernel
def rows_to_visit(level, context):
    """The rows of each table that hold a value of the level in a column that may answer, column by column."""
    known, stored, shared = context.asked.known, context.stored, context.shared
    rows = np.zeros(len(stored.first_columns) - 1, np.int64)
    for table in range(len(rows)):
        for column in range(stored.first_columns[table], stored.first_columns[table + 1]):
            if shared.bounds[level, column]:
                start = shared.starts[level, column]
                for place in range(start, start + shared.counts[level, column]):
                    code = code_of(stored, column, known.ids[shared.values[place]])
                    rows[table] += rows_with(stored, column, code)
    return rows


@kernel
def _by_rows(way, order, keys, floor, top, context):
    """Algorithm 1."""
    asked, stored, levels = context.asked, context.stored, len(context.asked.turns)
    out, path, pairs, size = new_answers(len(order.tables), levels), new_path(levels), new_pairs(), np.int64(0)
    for place in range(len(order.tables)):
        need = max(floor, top[0]) if len(top) else floor
        if order.most[place] < need:
            break  # the first table filter
        numbering = numbering_of(order.tables[place], len(keys.paths), stored)
        pairs = Pairs(pairs.numbers, pairs.tables, np.int64(TOO_MANY))
        if fits(numbering, levels):
            complete = complete_rows(numbering.table, context) if way == MCR else np.zeros(0, np.bool_)
            pairs = _table_pairs(Visit(way, need, order.most[place], numbering, complete), keys, pairs, context)
        certain = True
        if pairs.size == TOO_MANY:
            score, certain = by_descent(numbering.table, need, context, path)
        else:
            score = best_of_pairs(pairs.numbers[: pairs.size], numbering, asked, stored, path)
        if score >= need or not certain:
            size = add_answer(out, size, numbering.table, score, certain, path.answer)
        keep_best(top, score)
    return first_answers(out, size)


@kernel
def _table_pairs(visit, keys, pairs, context):
    """The keys that the rows of a table hold, with their mappings; none, if the second table filter drops it."""
    known, stored, shared = context.asked.known, context.stored, context.shared
    first, width = visit.numbering.first_column, visit.numbering.width
    pairs = Pairs(pairs.numbers, pairs.tables, np.int64(0))
    work = Work(np.empty(width, np.int64), new_choices(np.int64(len(context.asked.turns)), width))
    checked, matched = np.int64(0), np.int64(0)
    for column in range(first, first + width):
        start = shared.starts[keys.first, column]
        end = start + shared.counts[keys.first, column] if shared.bounds[keys.first, column] else start
        for place in range(start, end):
            which = shared.values[place]
            code = code_of(stored, column, known.ids[which])
            begin = first_place(stored, column, code)
            for spot in range(begin, begin + rows_with(stored, column, code)):
                if visit.rows - checked + matched < visit.need:
                    return Pairs(pairs.numbers, pairs.tables, np.int64(0))  # the second table filter
                checked += 1
                row = row_at(stored, column, spot)
                if visit.way == MCR and not visit.complete[row]:
                    continue
                at = Spot(row, column, np.int64(known.values[which]))
                pairs, passed = _row_pairs(at, visit, keys, work, pairs, context)
                if pairs.size == TOO_MANY:
                    return pairs
                matched += passed
    return pairs


@kernel
def _row_pairs(spot, visit, keys, work, pairs, context):
    """The pairs, with those of one row; and whether a key passed the filter by super keys."""
    stored, numbering = context.stored, visit.numbering
    passed = False
    for at in range(keys.edges[spot.value], keys.edges[spot.value + 1]):
        key = keys.grouped[at]
        if visit.way == MATE:
            number = stored.first_rows[numbering.table] + spot.row
            if not covers(stored.super_keys[number], keys.bits[key]):
                continue
        if not passed:
            passed = True
            _read_cells(spot.row, numbering, stored, work.cells)
        if _choose(key, spot, keys, numbering, work, context):
            pairs = add_mappings(key, work.choices, numbering, pairs)
            if pairs.size == TOO_MANY:
                break
    return pairs, passed


@kernel
def _read_cells(row, numbering, stored, cells):
    """Write the ids of a row's cells; -1 for null."""
    for place in range(numbering.width):
        column = numbering.first_column + place
        code = code_at(stored, column, row)
        cells[place] = stored.set_ids[stored.set_starts[column] + code - 1] if code > 0 else -1


@kernel
def _choose(key, spot, keys, numbering, work, context):
    """Write the columns of a row that hold the key's values; False if a value has none."""
    tree, shared, choices = context.asked.tree, context.shared, work.choices
    for level in range(len(choices.counts)):
        if level == keys.first:
            choices.columns[level, 0], choices.counts[level] = spot.column - numbering.first_column, 1
            continue
        wanted, count = keys.ids[tree.starts[level] + keys.paths[key, level]], 0
        for place in range(numbering.width):
            fitting = wanted >= 0 and work.cells[place] == wanted
            if fitting and shared.bounds[level, numbering.first_column + place] > 0:
                choices.columns[level, count] = place
                count += 1
        choices.counts[level] = count
        if count == 0:
            return False
    return True


@kernel
def complete_rows(table, context):
    """Which rows of a table hold in some column a value of every level."""
    known, stored, shared = context.asked.known, context.stored, context.shared
    levels = shared.bounds.shape[0]
    met = np.zeros(stored.first_rows[table + 1] - stored.first_rows[table], np.uint8)
    for level in range(levels):
        for column in range(stored.first_columns[table], stored.first_columns[table + 1]):
            start = shared.starts[level, column]
            end = start + shared.counts[level, column] if shared.bounds[level, column] else start
            for value in range(start, end):
                code = code_of(stored, column, known.ids[shared.values[value]])
                first = first_place(stored, column, code)
                for place in range(first, first + rows_with(stored, column, code)):
                    met[row_at(stored, column, place)] |= 1 << level
    return met == (1 << levels) - 1
