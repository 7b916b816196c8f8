"""Compiled: keys counted under every mapping of a table's columns, each pair of mapping and key as one number.

A mapping is one number, its columns as digits; with the key as the last digit, the number of a pair.  Where these
numbers would be too large, or too many, the best mapping of the table is found by the descent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.compiled.jit import helper
from mere.indexes.composite.candidates import candidates_of
from mere.indexes.composite.descent import Limits, best_mapping, scratch_for, with_room
from mere.indexes.composite.kernels import Int
from mere.indexes.composite.plan import WORK

MOST_PAIRS = 20_000_000  # of mappings and keys, kept before a table is left to the descent
TOO_MANY = -1  # instead of a number of pairs


class Keys(NamedTuple):
    """The question's keys, one by one."""

    ids: np.ndarray  # (keys, levels): of its values; -1 where the segment does not have one
    bits: np.ndarray  # (keys, words): those of its values in a super key
    first: Int  # the level with the fewest values
    grouped: np.ndarray  # keys in the order of their values in that level
    edges: np.ndarray  # where those of each value start, and where the last one's end


class Numbering(NamedTuple):
    """How the pairs of a table are numbered."""

    table: Int
    first_column: Int
    width: Int  # columns
    keys: Int


class Choices(NamedTuple):
    """The columns of a table that hold a key's values in one row."""

    columns: np.ndarray  # (levels, columns), counted from the table's first
    counts: np.ndarray  # per level
    turn: np.ndarray  # per level: the one of them that is taken
    cells: np.ndarray  # the row's ids, if they were read; -1 for null


class Pairs(NamedTuple):
    """Room for pairs: their numbers, and the tables that they are of."""

    numbers: np.ndarray
    tables: np.ndarray


@helper(allocates=True)
def new_pairs():
    return Pairs(np.empty(1024, np.int64), np.empty(1024, np.int64))


@helper(allocates=True)
def new_choices(levels, width):
    counts, turn = np.empty(levels, np.int64), np.empty(levels, np.int64)
    return Choices(np.empty((levels, width), np.int64), counts, turn, np.empty(width, np.int64))


@helper
def numbering_of(table, keys, stored):
    """How the pairs of a table are numbered."""
    first = np.int64(stored.first_columns[table])
    return Numbering(np.int64(table), first, np.int64(stored.first_columns[table + 1]) - first, np.int64(keys))


@helper
def fits(numbering, levels):
    """Whether the pairs of a table can be numbered in 62 bits."""
    left = 2.0**62 / numbering.keys
    for _ in range(levels):
        left /= max(1, numbering.width)
    return left >= 1.0


@helper(inlined=True)
def room_for(choices, size):
    """How many pairs there are at most once those of the choices are added to as many as `size`; TOO_MANY to keep."""
    product = 1.0
    for level in range(len(choices.counts)):
        product *= choices.counts[level]
    return np.int64(size + product) if size + product <= MOST_PAIRS else np.int64(TOO_MANY)


@helper(inlined=True)
def add_mappings(key, choices, numbering, pairs, size):
    """Add a pair of the key and every mapping that takes one of the columns of each level, and none twice.

    There must be room for them.  Returns how many pairs there are then.
    """
    numbers, tables = pairs
    for level in range(len(choices.counts)):
        choices.turn[level] = 0
    while True:
        number = _number_of(choices.columns, choices.turn, numbering.width)
        if number >= 0:
            numbers[size], tables[size] = number * numbering.keys + key, numbering.table
            size += 1
        if not _advance(choices.turn, choices.counts):
            return size


@helper(allocates=True)
def more_room(pairs, needed):
    """The pairs, with room for more than needed."""
    numbers, tables = np.empty(2 * needed, np.int64), np.empty(2 * needed, np.int64)
    for i in range(len(pairs.numbers)):
        numbers[i], tables[i] = pairs.numbers[i], pairs.tables[i]
    return Pairs(numbers, tables)


@helper(inlined=True)
def _number_of(columns, turn, width):
    """The number of the mapping that takes these columns; -1 if it takes one twice."""
    number = np.int64(0)
    for level in range(len(turn)):
        column = columns[level, turn[level]]
        number = number * width + column
        for above in range(level):
            if columns[above, turn[above]] == column:
                return np.int64(-1)
    return number


@helper(inlined=True)
def _advance(turn, counts):
    """Go to the next combination, the last level first; False if there is none."""
    for level in range(len(turn) - 1, -1, -1):
        turn[level] += 1
        if turn[level] < counts[level]:
            return True
        turn[level] = 0
    return False


@helper(allocates=True)
def best_of_pairs(numbers, numbering, ranks, path):
    """The most distinct keys of a mapping; of equal ones the first by name is written to `path.answer`."""
    numbers.sort()
    best, place = np.int64(0), 0
    while place < len(numbers):
        mapping, distinct, first = numbers[place] // numbering.keys, np.int64(0), place
        while place < len(numbers) and numbers[place] // numbering.keys == mapping:
            distinct += place == first or numbers[place] != numbers[place - 1]
            place += 1
        if distinct < best:
            continue
        for level in range(len(path.turns) - 1, -1, -1):
            path.chosen[level] = numbering.first_column + mapping % numbering.width
            mapping //= numbering.width
        if distinct > best or _comes_first(ranks, path):
            best = distinct
            for turn in range(len(path.turns)):
                path.answer[turn] = path.chosen[path.turns[turn]]
                path.ranks[turn] = ranks[path.turns[turn], path.answer[turn]]
    return best


@helper
def _comes_first(ranks, path):
    """Whether the names of the columns chosen come before those of the best mapping."""
    for turn in range(len(path.turns)):
        rank = np.int64(ranks[path.turns[turn], path.chosen[path.turns[turn]]])
        if rank != path.ranks[turn]:
            return rank < path.ranks[turn]
    return False


@helper(allocates=True)
def by_descent(table, need, context, path):
    """The best mapping of a table by the descent, and whether it is certain."""
    _, known, tree, stored, shared = context
    found = candidates_of(table, need, known, stored, shared)
    scratch = with_room(scratch_for(tree, stored, shared), found)
    score, certain, _ = best_mapping(Limits(need, np.int64(WORK)), found, tree, stored, scratch, path)
    return score, certain
