"""Which columns of a table hold the most keys?  Compiled, exact, and all mappings of columns are considered.

A **candidate** is a column for a level: it shares values with it, enough to reach what is needed.  The descent maps one
level after the other to a candidate.  Rows that still agree carry the node of the tree they have come to: a step is to
look up the row's code in the next column, and the node's child with that value.  What a mapping can still reach is
known at every step: a node with so many rows, above so many keys, adds the smaller of the two.  Where that is less than
what is needed, or than the best mapping so far, the descent turns back; at a leaf it is the number of keys itself.

Rows come from the row lists of the first level's candidate; or, if another level's values stand in far fewer rows
(the rarest of them, as a key would be started from its rarest value), from the lists of that one.

Of equally good mappings the one whose columns come first by name counts, so a branch that can only equal the best is
followed only if it can still come first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.indexes.composite.kernels import child_of, code_at, common_codes, first_place, row_at
from mere.store.jit import kernel
from mere.store.kernels import first_at_least

WORK = 300_000_000  # rows looked at in one table, in vain or not: about a second; then the best so far is a lower bound
SLICE = 300_000_000  # rows looked at before the caller gets a chance to be interrupted


class Candidates(NamedTuple):
    """Columns that may stand for a level, level by level, the most promising first."""

    starts: np.ndarray  # of each level, and behind the last
    columns: np.ndarray
    bounds: np.ndarray  # keys it can hold at most: its rows with a value, or the value's keys, whichever are fewer
    rows: np.ndarray  # rows that hold a value of the level
    firsts: np.ndarray  # where its codes start; they end at `lasts`
    lasts: np.ndarray
    codes: np.ndarray  # of the column, ascending
    values: np.ndarray  # of the level, for each code


@kernel
def candidates_of(table, need, known, weights, tree, stored, bounds):
    """The candidates of a table; a level without any says that the table cannot reach what is needed."""
    levels = len(tree.starts) - 1
    begin, end = stored.first_columns[table], stored.first_columns[table + 1]
    number, room = 0, 0
    for level in range(levels):
        for column in range(begin, end):
            if bounds[level, column] >= need:
                number += 1
                sizes = stored.set_starts[column + 1] - stored.set_starts[column]
                room += min(sizes, known.starts[level + 1] - known.starts[level])
    starts = np.zeros(levels + 1, np.int64)
    columns, most = np.empty(number, np.int64), np.empty(number, np.int64)
    rows, firsts, lasts = np.empty(number, np.int64), np.empty(number, np.int64), np.empty(number, np.int64)
    codes, values = np.empty(room, np.uint32), np.empty(room, np.uint32)
    number, size = 0, 0
    for level in range(levels):
        for column in range(begin, end):
            if bounds[level, column] < need:
                continue
            last = common_codes(known, level, stored, column, codes, values, size)
            held, reach = np.int64(0), np.int64(0)
            for i in range(size, last):
                count = np.int64(stored.set_counts[stored.set_starts[column] + codes[i] - 1])
                held += count
                reach += min(count, np.int64(weights[tree.starts[level] + values[i]]))
            if reach >= need:
                columns[number], most[number], rows[number] = column, reach, held
                firsts[number], lasts[number] = size, last
                number, size = number + 1, last
        starts[level + 1] = number
        first = starts[level]
        order = first + np.argsort(-most[first:number], kind="mergesort")
        columns[first:number], most[first:number] = columns[order], most[order]
        rows[first:number], firsts[first:number], lasts[first:number] = rows[order], firsts[order], lasts[order]
    return Candidates(starts, columns, most, rows, firsts, lasts, codes, values)


@kernel
def start_rows(level, found, stored, rows):
    """All rows that hold a value of the level in one of its candidates, once each, into `rows`; their number."""
    column = found.columns[found.starts[level]]
    length = (stored.cell_starts[column + 1] - stored.cell_starts[column]) // stored.cell_widths[column]
    met = np.zeros(length, np.bool_)
    size = 0
    for which in range(found.starts[level], found.starts[level + 1]):
        column = found.columns[which]
        for i in range(found.firsts[which], found.lasts[which]):
            first = first_place(stored, column, found.codes[i])
            count = stored.set_counts[stored.set_starts[column] + found.codes[i] - 1]
            for place in range(first, first + count):
                row = row_at(stored, column, place)
                if not met[row]:
                    met[row] = True
                    rows[size] = row
                    size += 1
    return size


@kernel
def enter(which, found, tree, stored, rows, nodes):
    """The rows of a candidate for the first level, and their nodes; how many, and what they can reach."""
    column = found.columns[which]
    size, reach = 0, np.int64(0)
    for i in range(found.firsts[which], found.lasts[which]):
        node = 1 + np.int64(found.values[i])
        first = first_place(stored, column, found.codes[i])
        count = np.int64(stored.set_counts[stored.set_starts[column] + found.codes[i] - 1])
        for place in range(first, first + count):
            rows[size], nodes[size] = row_at(stored, column, place), node
            size += 1
        reach += min(count, np.int64(tree.keys[node]))
    return size, reach


@kernel
def extend(which, level, need, found, tree, stored, lookup, seen, rows, nodes, count, next_rows, next_nodes):
    """The rows that still agree when a level is mapped to a candidate, and their nodes; how many, and their reach.

    Ends early, with a reach below the need, where the need cannot be met any more.
    """
    column = found.columns[which]
    codes, values = found.codes[found.firsts[which] : found.lasts[which]], found.values
    offset, held = found.firsts[which], tree.starts[level + 1] - tree.starts[level]
    direct = 4 * count > len(codes)
    if direct:
        for i in range(len(codes)):
            lookup[codes[i]] = values[offset + i] + 1
    distinct = stored.set_starts[column + 1] - stored.set_starts[column]
    size, reach = 0, 0
    for i in range(count):
        if reach + count - i < need:
            break
        code = code_at(stored, column, rows[i])
        value = np.int64(-1)
        if direct:
            value += lookup[code]
        else:
            at = first_at_least(codes, code, code * len(codes) // (distinct + 1))
            if at < len(codes) and codes[at] == code:
                value += values[offset + at] + 1
        if value < 0:
            continue
        child = child_of(tree, nodes[i], value, held)
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
    return size, reach


@kernel
def comes_first(chosen, depth, levels, found, least, stored, best):
    """Whether a mapping, decided down to a depth, can have names before those of the best; at the end: whether it has.

    `levels` says whose turn each level is; `least` is the first name that a level may still get.
    """
    for place in range(len(levels)):
        level = levels[place]
        rank = least[level]
        if level <= depth:
            rank = stored.ranks[found.columns[chosen[level]]]
        if rank != best[place]:
            return rank < best[place]
    return False


@kernel
def best_mapping(table, need, turns, known, weights, tree, stored, bounds, seen, answer):
    """The most keys that a table holds, if they are as many as needed, else 0; whether that is sure; the work done.

    `turns[place]` is the level of the question's column at that place; `answer` is filled with a column for each.
    """
    levels = len(tree.starts) - 1
    found = candidates_of(table, need, known, weights, tree, stored, bounds)
    work = np.int64(len(found.codes))
    least = np.empty(levels, np.int64)
    rarest, fewest, room = 0, 0, 0
    for level in range(levels):
        first, last = found.starts[level], found.starts[level + 1]
        if first == last:
            return np.int64(0), True, work
        total = found.rows[first:last].sum()
        if level == 0 or 2 * total < fewest:
            rarest, fewest = level, total
        least[level] = stored.ranks[found.columns[first:last]].min()
        if level == 0:
            room = found.rows[first:last].max()
    lookup = np.zeros(_most_distinct(found, stored) + 1, np.uint32)
    room = max(room, fewest)
    rows, nodes = np.empty((levels + 1, room), np.uint32), np.zeros((levels + 1, room), np.uint32)
    started = start_rows(rarest, found, stored, rows[levels]) if rarest > 0 else np.int64(-1)
    counts, chosen, turn = np.zeros(levels, np.int64), np.zeros(levels, np.int64), found.starts[:levels].copy()
    best, best_ranks = np.int64(0), np.zeros(levels, np.int64)
    level = 0
    while True:
        which = turn[level]
        wanted = max(need, best)
        if which == found.starts[level + 1] or found.bounds[which] < wanted:
            if level == 0:
                return best, True, work
            level -= 1
            turn[level] += 1
            continue
        turn[level] += 1
        chosen[level] = which
        if _taken(found, chosen, level):
            continue
        if found.bounds[which] == best and not comes_first(chosen, level, turns, found, least, stored, best_ranks):
            continue
        if level > 0:
            before, agree, nodes_before = rows[level - 1], counts[level - 1], nodes[level - 1]
        else:
            before, agree, nodes_before = rows[levels], started, nodes[levels]
        if level == 0 and (started < 0 or found.rows[which] < started):
            counts[0], reach = enter(which, found, tree, stored, rows[0], nodes[0])
            work += counts[0]
        else:
            counts[level], reach = extend(
                which, level, wanted, found, tree, stored, lookup, seen,
                before, nodes_before, agree, rows[level], nodes[level],
            )  # fmt: skip
            work += agree + min(4 * agree, found.lasts[which] - found.firsts[which])
        hopeful = reach > best or comes_first(chosen, level, turns, found, least, stored, best_ranks)
        if reach >= wanted and hopeful:
            if level == levels - 1:
                best = np.int64(reach)
                for place in range(levels):
                    answer[place] = found.columns[chosen[turns[place]]]
                    best_ranks[place] = stored.ranks[answer[place]]
            else:
                turn[level] -= 1  # stay here until the level below is done
                level += 1
                turn[level] = found.starts[level]
        if work > WORK:
            return best, False, work


@kernel
def _taken(found, chosen, level):
    for above in range(level):  # noqa: SIM110
        if found.columns[chosen[above]] == found.columns[chosen[level]]:
            return True
    return False


@kernel
def _most_distinct(found, stored):
    most = np.int64(0)
    for column in found.columns[: found.starts[-1]]:
        most = max(most, stored.set_starts[column + 1] - stored.set_starts[column])
    return most


@kernel
def best_tables(order, most, begin, floor, top, turns, known, weights, tree, stored, bounds):
    """The tables of an order, from a place on, that may be among the best; and how far it was followed.

    `most` is what each can reach, descending; `top` the scores of the best k so far, ascending, 0 where there are none,
    and is kept up to date; with k = 0 every table counts that reaches the floor.
    """
    left = len(order) - begin
    tables, scores, sure = np.empty(left, np.int64), np.empty(left, np.int64), np.empty(left, np.bool_)
    columns = np.empty((left, len(turns)), np.int64)
    seen = np.zeros(len(tree.values), np.uint32)
    size, work, place = 0, np.int64(0), begin
    while place < len(order) and work < SLICE:
        need = max(floor, top[0]) if len(top) else floor
        if most[place] < need:
            place = len(order)
            break
        found, known_for_sure, done = best_mapping(
            order[place], need, turns, known, weights, tree, stored, bounds, seen, columns[size]
        )
        work += done
        if found >= need or not known_for_sure:
            tables[size], scores[size], sure[size] = order[place], found, known_for_sure
            size += 1
        if len(top) and found > top[0]:
            at = 0
            while at + 1 < len(top) and top[at + 1] < found:
                top[at] = top[at + 1]
                at += 1
            top[at] = found
        place += 1
    return tables[:size], scores[:size], sure[:size], columns[:size], place
