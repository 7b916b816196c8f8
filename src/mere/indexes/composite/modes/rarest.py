"""Compiled: every key starts from its rarest value, and looks at the other values' columns in the same tables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.indexes.composite.descent import Answers, add_answer, first_answers, new_answers, new_path
from mere.indexes.composite.kernels import Context, code_at, code_of, first_place, row_at, rows_with
from mere.indexes.composite.matches import Wanted
from mere.indexes.composite.modes.pairs import (
    TOO_MANY,
    Choices,
    Keys,
    Pairs,
    add_mappings,
    best_of_pairs,
    by_descent,
    fits,
    new_choices,
    new_pairs,
    numbering_of,
)
from mere.store import offsets_of
from mere.store.jit import kernel
from mere.store.kernels import first_at_least


class Tables(NamedTuple):
    """What is known of values, columns and tables before the first key."""

    lengths: np.ndarray  # how many columns hold each of the question's values
    owners: np.ndarray  # the table of each column
    narrow: np.ndarray  # whether the pairs of a table can be numbered; cleared where they become too many
    may: np.ndarray  # whether a column may answer
    widest: int  # columns of the widest table


class Near(NamedTuple):
    """Where the other values of a key are in one table, and arrays to work in."""

    columns: np.ndarray  # (levels, columns)
    codes: np.ndarray  # (levels, columns)
    counts: np.ndarray  # per level
    passed: np.ndarray  # per level: columns of the value's list that belong to tables before this one
    choices: Choices


class Start(NamedTuple):
    """A key, the level of its rarest value, and a column that holds this value."""

    key: int
    level: int
    column: int


def tables_by_rarest(keys: Keys, wanted: Wanted, context: Context) -> Answers:
    """The tables that reach the floor."""
    stored = context.stored
    starts, known = stored.list_starts.astype(np.int64), np.maximum(keys.ids, 0)
    lengths = np.where(keys.ids >= 0, starts[known + 1] - starts[known], 0) if len(starts) > 1 else 0 * known
    widths = np.diff(stored.first_columns)
    owners = np.repeat(np.arange(len(widths)), widths)
    narrow = _narrow(len(keys.paths), context)
    tables = Tables(lengths, owners, narrow, wanted.may, int(widths.max(initial=1)))
    pairs = _pairs_of_keys(keys, tables, context)
    order = np.argsort(pairs.tables[: pairs.size], kind="stable")
    edges = offsets_of(np.bincount(pairs.tables[: pairs.size], minlength=len(widths)))
    return _counted(pairs.numbers[: pairs.size][order], edges, narrow, keys, wanted.floor, context)


@kernel
def _narrow(keys, context):
    """Whether the pairs of each table can be numbered."""
    narrow = np.empty(len(context.stored.first_columns) - 1, np.bool_)
    for table in range(len(narrow)):
        narrow[table] = fits(numbering_of(table, keys, context.stored), len(context.asked.turns))
    return narrow


@kernel
def _pairs_of_keys(keys, tables, context):
    """The pairs of all keys and narrow tables, key by key."""
    stored, tree, levels = context.stored, context.asked.tree, np.int64(len(context.asked.turns))
    shape, pairs = (levels, tables.widest), new_pairs()
    near = Near(
        np.empty(shape, np.int64), np.empty(shape, np.int64), np.empty(levels, np.int64), np.empty(levels, np.int64),
        new_choices(levels, tables.widest),
    )  # fmt: skip
    for key in range(len(keys.paths)):
        rarest = _rarest_level(key, keys, tables, tree)
        if rarest < 0:
            continue
        near.passed[:] = 0
        which = keys.ids[tree.starts[rarest] + keys.paths[key, rarest]]
        for place in range(np.int64(stored.list_starts[which]), np.int64(stored.list_starts[which + 1])):
            start = Start(np.int64(key), rarest, np.int64(stored.list_columns[place]))
            table = tables.owners[start.column]
            if tables.may[start.column] and tables.narrow[table] and _find_near(start, keys, tables, near, context):
                size = pairs.size
                pairs = _row_pairs(start, keys, tables, near, pairs, context)
                if pairs.size == TOO_MANY:
                    tables.narrow[table] = False
                    pairs = Pairs(pairs.numbers, pairs.tables, size)
    return pairs


@kernel
def _rarest_level(key, keys, tables, tree):
    """The level where the fewest columns hold the key's value; -1 if the segment lacks one of its values."""
    rarest, fewest = np.int64(0), np.int64(-1)
    for level in range(len(tree.starts) - 1):
        value = tree.starts[level] + keys.paths[key, level]
        if keys.ids[value] < 0:
            return np.int64(-1)
        if fewest < 0 or tables.lengths[value] < fewest:
            rarest, fewest = np.int64(level), tables.lengths[value]
    return rarest


@kernel
def _find_near(start, keys, tables, near, context):
    """Write the columns of the start's table that hold the key's other values; False if one has none."""
    stored, tree = context.stored, context.asked.tree
    table = tables.owners[start.column]
    first_column, last_column = stored.first_columns[table], stored.first_columns[table + 1]
    for level in range(len(near.counts)):
        if level == start.level:
            continue
        which, count = keys.ids[tree.starts[level] + keys.paths[start.key, level]], 0
        own = stored.list_columns[np.int64(stored.list_starts[which]) : np.int64(stored.list_starts[which + 1])]
        if near.passed[level] < len(own) and own[near.passed[level]] < first_column:
            near.passed[level] += first_at_least(own[near.passed[level] :], first_column, 0)
        for place in range(near.passed[level], len(own)):
            column = np.int64(own[place])
            if column >= last_column:
                break
            if tables.may[column]:
                near.columns[level, count] = column
                near.codes[level, count] = code_of(stored, column, np.uint32(which))
                count += 1
        near.counts[level] = count
        if count == 0:
            return False
    return True


@kernel
def _row_pairs(start, keys, tables, near, pairs, context):
    """The pairs, with those of the rows that hold the key's rarest value in the start's column."""
    stored, tree = context.stored, context.asked.tree
    which = np.uint32(keys.ids[tree.starts[start.level] + keys.paths[start.key, start.level]])
    code = code_of(stored, start.column, which)
    numbering = numbering_of(tables.owners[start.column], len(keys.paths), stored)
    first = first_place(stored, start.column, code)
    for place in range(first, first + rows_with(stored, start.column, code)):
        if _choose(row_at(stored, start.column, place), start, numbering, near, stored):
            pairs = add_mappings(start.key, near.choices, numbering, pairs)
            if pairs.size == TOO_MANY:
                break
    return pairs


@kernel
def _choose(row, start, numbering, near, stored):
    """Write the columns of a row that hold the key's values; False if a value has none."""
    choices = near.choices
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
    asked, stored, shared, levels = context.asked, context.stored, context.shared, len(context.asked.turns)
    out, path, size = new_answers(len(narrow), levels), new_path(levels), np.int64(0)
    for table in range(len(narrow)):
        certain, score = True, np.int64(0)
        if narrow[table]:
            numbering, own = numbering_of(table, len(keys.paths), stored), numbers[edges[table] : edges[table + 1]]
            score = best_of_pairs(own, numbering, asked, stored, path)
        elif _shares_any(table, stored, shared):
            score, certain = by_descent(np.int64(table), floor, context, path)
        if score >= floor or not certain:
            size = add_answer(out, size, np.int64(table), score, certain, path.answer)
    return first_answers(out, size)


@kernel
def _shares_any(table, stored, shared):
    """Whether a column of a table shares a value with the first level."""
    for column in range(stored.first_columns[table], stored.first_columns[table + 1]):
        if shared.bounds[0, column]:
            return True
    return False
