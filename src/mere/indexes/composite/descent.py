"""Compiled: which columns of a table hold the most keys?  Exact; every mapping of columns is considered.

A **candidate** is a column for a level: it shares values with it, enough to reach what is needed.  The descent maps one
level after the other to a candidate.  What a mapping can still reach is known at every step: a node with so many rows,
above so many keys, adds the smaller of the two.  Where that is less than what is needed, or than the best mapping so
far, the descent turns back; at a leaf it is the number of keys itself.

Rows come from the row lists of the first level's candidate; or, if another level's values are in far fewer rows, from
the lists of that one.

Of equally good mappings the one with the first names counts (`name_ranks`), so a branch that can only equal the best is
followed only if it can still come first; and candidates are tried in that order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.compiled.jit import helper, kernel
from mere.indexes.composite.candidates import candidates_of
from mere.indexes.composite.kernels import Int, len_of_set
from mere.indexes.composite.plan import PATIENCE, STEP
from mere.indexes.composite.steps import Scratch, Step, enter, extend, new_scratch, start_rows

_NO_RANK = 0x7FFFFFFF


class Path(NamedTuple):
    """Where a descent is, and its best mapping so far; one number per level, or per column of the question."""

    turns: np.ndarray  # the level of each of the question's columns
    turn: np.ndarray  # the candidate to try next
    chosen: np.ndarray  # the candidate that the level is mapped to
    least: np.ndarray  # the first name, as a rank, that a candidate of the level has
    answer: np.ndarray  # columns of the best mapping, in the order of the question's
    ranks: np.ndarray  # their names, as ranks


class Answers(NamedTuple):
    """Tables, each with its best mapping."""

    tables: np.ndarray
    scores: np.ndarray
    certain: np.ndarray  # whether the score is exact, or a lower bound
    columns: np.ndarray  # (tables, question's columns)


class Order(NamedTuple):
    """Tables to open: those that can hold the most keys first, and the keys that they can hold at most."""

    tables: np.ndarray
    most: np.ndarray


class Budget(NamedTuple):
    """How long to go on: the least score that counts, the row visits a table may take, and those made so far."""

    floor: Int
    limit: Int
    spent: Int


class Limits(NamedTuple):
    """Of one table: the keys needed, and the row visits that it may take."""

    need: Int
    work: Int


@helper(allocates=True)
def new_path(turns):
    levels = len(turns)
    return Path(
        turns, np.zeros(levels, np.int64), np.zeros(levels, np.int64), np.zeros(levels, np.int64),
        np.zeros(levels, np.int64), np.zeros(levels, np.int64),
    )  # fmt: skip


@helper(allocates=True)
def scratch_for(tree, stored, shared):
    """Scratch for the columns that share values with the question, and a few rows."""
    longest = np.int64(0)
    for level in range(shared.bounds.shape[0]):
        for column in range(shared.bounds.shape[1]):
            if shared.bounds[level, column]:
                longest = max(longest, len_of_set(stored, column))
    return new_scratch(np.int64(1024), longest, tree)


@helper(allocates=True)
def with_room(scratch, found):
    """The scratch, or one with room for the rows of these candidates."""
    needed = np.int64(0)
    for level in range(len(found.starts) - 1):
        needed = max(needed, _rows_of(found, level))
    if needed <= scratch.rows.shape[1]:
        return scratch
    shape = (scratch.rows.shape[0], 2 * needed)
    return Scratch(np.empty(shape, np.uint32), np.zeros(shape, np.uint32), scratch.counts, scratch.lookup, scratch.seen)


@helper
def _rows_of(found, level):
    """The rows of all candidates of a level, added up."""
    rows = np.int64(0)
    for which in range(found.starts[level], found.starts[level + 1]):
        rows += found.rows[which]
    return rows


@helper
def _prepared(found, stored, scratch, path):
    """Set up a descent: its path, and the rows to start from.  False if a level has no candidate."""
    levels = len(path.turn)
    rarest, fewest = np.int64(0), np.int64(0)
    for level in range(levels):
        if found.starts[level] >= found.starts[level + 1]:
            return False
        rows = _rows_of(found, level)
        if level == 0 or 2 * rows < fewest:
            rarest, fewest = np.int64(level), rows
        path.turn[level], path.ranks[level], path.least[level] = found.starts[level], 0, _NO_RANK
        for which in range(found.starts[level], found.starts[level + 1]):
            path.least[level] = min(path.least[level], found.ranks[which])
    scratch.counts[levels] = -1
    if rarest > 0:
        start_rows(rarest, found, stored, scratch)
    return True


@helper
def best_mapping(limits, found, tree, stored, scratch, path):
    """The most keys that a table holds, if they are as many as needed, else 0; whether that is certain; the work done.

    Where it would take more work than allowed, the best so far is returned, and is not certain.  The columns are
    written to `path.answer`.
    """
    levels, best, level, work = len(path.turns), np.int64(0), np.int64(0), np.int64(len(found.codes))
    if not _prepared(found, stored, scratch, path):
        return best, True, work
    while True:
        which, wanted = path.turn[level], max(limits.need, best)
        if which == found.starts[level + 1] or found.bounds[which] < wanted:
            if level == 0:
                return best, True, work
            level -= 1
            path.turn[level] += 1
            continue
        path.turn[level] += 1
        path.chosen[level] = which
        if _is_used(level, found.columns, path.chosen):
            continue
        if found.bounds[which] == best and not _comes_first(level, found.ranks, path):
            continue
        reach, looked = _one_step(Step(level, which, level - 1, wanted), found, tree, stored, scratch)
        work += looked
        if reach >= wanted and (reach > best or _comes_first(level, found.ranks, path)):
            if level == levels - 1:
                best = reach
                _remember(found.columns, found.ranks, path)
            else:
                path.turn[level] -= 1  # stay here until the level below is done
                level += 1
                path.turn[level] = found.starts[level]
        if work > limits.work:
            return best, False, work


@helper
def _is_used(level, columns, chosen):
    """Whether a level above is mapped to the same column."""
    for above in range(level):  # noqa: SIM110
        if columns[chosen[above]] == columns[chosen[level]]:
            return True
    return False


@helper
def _comes_first(depth, ranks, path):
    """Whether the names of a mapping, decided down to a level, can come before those of the best one.

    At the last level: whether they do.
    """
    for place in range(len(path.turns)):
        level = path.turns[place]
        rank = path.least[level]
        if level <= depth:
            rank = ranks[path.chosen[level]]
        if rank != path.ranks[place]:
            return rank < path.ranks[place]
    return False


@helper
def _remember(columns, ranks, path):
    """Make the mapping that was chosen the best one."""
    for place in range(len(path.turns)):
        which = path.chosen[path.turns[place]]
        path.answer[place], path.ranks[place] = columns[which], ranks[which]


@helper
def _one_step(step, found, tree, stored, scratch):
    """What a step reaches, and the work that it took."""
    last, which = len(scratch.counts) - 1, step.which
    if step.level == 0:
        if scratch.counts[last] < 0 or found.rows[which] < scratch.counts[last]:
            reach = enter(which, found, tree, stored, scratch)
            return reach, STEP + scratch.counts[0]
        step = Step(step.level, which, np.int64(last), step.need)
    agree = scratch.counts[step.line]
    reach = extend(step, found, tree, stored, scratch)
    return reach, STEP + agree + min(4 * agree, found.lasts[which] - found.firsts[which])


@kernel
def best_tables(order, begin, budget, top, context):
    """The tables of an order, from a place on, that may be among the best; how far it was followed; the work so far.

    `top` has the scores of the best k so far, ascending, 0 where there are none, and is kept up to date; with k = 0
    every table counts that reaches the floor.  `budget.limit` is how many rows may be looked at in one table, and about
    how many before the caller gets a chance to be interrupted; once PATIENCE times as many are spent, tables get a
    small part of it.
    """
    (turns, known, tree, stored, shared), (floor, limit, spent) = context, budget
    out, path = new_answers(len(order.tables) - begin, len(turns)), new_path(turns)
    scratch = scratch_for(tree, stored, shared)
    size, place, until = np.int64(0), begin, spent + limit
    while place < len(order.tables) and spent < until:
        need = max(floor, top[0]) if len(top) else floor
        if order.most[place] < need:
            place = np.int64(len(order.tables))
            break
        found = candidates_of(order.tables[place], need, known, stored, shared)
        scratch = with_room(scratch, found)
        allowed = limit if spent < PATIENCE * limit else limit // (4 * PATIENCE)
        score, certain, work = best_mapping(Limits(need, allowed), found, tree, stored, scratch, path)
        spent += work
        if score >= need or not certain:
            size = add_answer(out, size, found.table, score, certain, path.answer)
        keep_best(top, score)
        place += 1
    return first_answers(out, size), place, spent


@helper(allocates=True)
def new_answers(size, levels):
    """Room for as many tables."""
    tables, scores = np.empty(size, np.int64), np.empty(size, np.int64)
    return Answers(tables, scores, np.empty(size, np.bool_), np.zeros((size, levels), np.int64))


@helper
def add_answer(out, size, table, score, certain, columns):
    """Write one more table; how many there are then."""
    out.tables[size], out.scores[size], out.certain[size] = table, score, certain
    for place in range(len(columns)):
        out.columns[size, place] = columns[place]
    return size + 1


@helper(allocates=True)
def first_answers(out, size):
    return Answers(out.tables[:size], out.scores[:size], out.certain[:size], out.columns[:size])


@helper
def keep_best(top, score):
    """Let a score take its place among the best k; the least of them is dropped."""
    if len(top) and score > top[0]:
        at = 0
        while at + 1 < len(top) and top[at + 1] < score:
            top[at] = top[at + 1]
            at += 1
        top[at] = score
