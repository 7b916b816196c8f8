"""Which columns of a table hold the most keys?  Compiled, exact, and all mappings of columns are considered.

A **candidate** is a column for a level: it shares values with it, enough to reach what is needed.  The descent maps one
level after the other to a candidate.  Rows that still agree carry the node of the tree they have come to: a step is to
look up the row's code in the next column, and the node's child with that value.  What a mapping can still reach is
known at every step: a node with so many rows, above so many keys, adds the smaller of the two.  Where that is less than
what is needed, or than the best mapping so far, the descent turns back; at a leaf it is the number of keys itself.

Rows come from the row lists of the first level's candidate; or, if another level's values stand in far fewer rows
(the rarest of them, as a key would be started from its rarest value), from the lists of that one.

Of equally good mappings the one whose columns come first by name counts, so a branch that can only equal the best is
followed only if it can still come first; and candidates are tried in that order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.indexes.composite.kernels import (
    child_of,
    code_of,
    covers,
    first_place,
    len_of_set,
    number_at,
    row_at,
    rows_with,
)
from mere.indexes.composite.question import PATIENCE, STEP
from mere.store.jit import kernel
from mere.store.kernels import first_at_least


class Candidates(NamedTuple):
    """Columns that may stand for a level, level by level, the most promising first, of equals the first by name."""

    starts: np.ndarray  # of each level, and behind the last
    columns: np.ndarray
    bounds: np.ndarray  # keys it can hold at most: its rows with a value, or the value's keys, whichever are fewer
    rows: np.ndarray  # rows that hold a value of the level
    firsts: np.ndarray  # where its codes start; they end at `lasts`
    lasts: np.ndarray
    codes: np.ndarray  # of the column, ascending
    values: np.ndarray  # of the level, for each code


@kernel
def candidates_of(table, need, known, weights, tree, stored, shared):
    """The candidates of a table; a level without any says that the table cannot reach what is needed."""
    levels = len(tree.starts) - 1
    begin, end = stored.first_columns[table], stored.first_columns[table + 1]
    number, room = 0, 0
    for level in range(levels):
        for column in range(begin, end):
            if shared.bounds[level, column] >= need:
                number += 1
                room += shared.counts[level, column]
    starts = np.zeros(levels + 1, np.int64)
    columns, most = np.empty(number, np.int64), np.empty(number, np.int64)
    rows, firsts, lasts = np.empty(number, np.int64), np.empty(number, np.int64), np.empty(number, np.int64)
    codes, values = np.empty(room, np.uint32), np.empty(room, np.uint32)
    number, size = 0, 0
    for level in range(levels):
        for column in range(begin, end):
            if shared.bounds[level, column] < need:
                continue
            held, reach, last = np.int64(0), np.int64(0), size
            first = shared.starts[level, column]
            for place in range(first, first + shared.counts[level, column]):
                which = shared.values[place]
                codes[last] = code_of(stored, column, known.ids[which])
                values[last] = known.values[which]
                count = rows_with(stored, column, codes[last])
                held += count
                reach += min(count, np.int64(weights[tree.starts[level] + values[last]]))
                last += 1
            if reach >= need:
                columns[number], most[number], rows[number] = column, reach, held
                firsts[number], lasts[number] = size, last
                number, size = number + 1, last
        first = starts[level]
        starts[level + 1] = number
        if first == number:
            break
        if number > first + 1:
            by_name = np.argsort(stored.ranks[columns[first:number]], kind="mergesort")
            order = first + by_name[np.argsort(-most[first:number][by_name], kind="mergesort")]
            columns[first:number], most[first:number] = columns[order], most[order]
            rows[first:number], firsts[first:number], lasts[first:number] = rows[order], firsts[order], lasts[order]
    return Candidates(starts, columns, most, rows, firsts, lasts, codes, values)


@kernel
def start_rows(level, found, stored, length, rows):
    """The rows of a table, so long, that hold a value of the level in one of its candidates, once each; how many."""
    met = np.zeros(length, np.bool_)
    size = 0
    for which in range(found.starts[level], found.starts[level + 1]):
        column = found.columns[which]
        for i in range(found.firsts[which], found.lasts[which]):
            first = first_place(stored, column, found.codes[i])
            for place in range(first, first + rows_with(stored, column, found.codes[i])):
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
    order, begin, width = stored.order, stored.order_starts[column], stored.order_widths[column]
    size, reach = 0, np.int64(0)
    for i in range(found.firsts[which], found.lasts[which]):
        node = 1 + np.int64(found.values[i])
        first, count = first_place(stored, column, found.codes[i]), rows_with(stored, column, found.codes[i])
        for place in range(first, first + count):
            rows[size], nodes[size] = number_at(order, begin, width, place), node
            size += 1
        reach += min(count, np.int64(tree.keys[node]))
    return size, reach


@kernel
def extend(which, level, need, found, tree, stored, lookup, seen, rows, nodes, count, next_rows, next_nodes):
    """The rows that still agree when a level is mapped to a candidate, and their nodes; how many, and their reach.

    Ends early, with a reach below the need, where the need cannot be met any more.
    """
    column = found.columns[which]
    cells, begin, width = stored.cells, stored.cell_starts[column], stored.cell_widths[column]
    codes = found.codes[found.firsts[which] : found.lasts[which]]
    values = found.values[found.firsts[which] : found.lasts[which]]
    held, distinct = tree.starts[level + 1] - tree.starts[level], len_of_set(stored, column)
    direct = 4 * count > len(codes)
    if direct:
        for i in range(len(codes)):
            lookup[codes[i]] = values[i] + 1
    size, reach = 0, 0
    for i in range(count):
        if reach + count - i < need:
            break
        code = number_at(cells, begin, width, rows[i])
        value = np.int64(-1)
        if direct:
            value += lookup[code]
        else:
            at = first_at_least(codes, code, code * len(codes) // (distinct + 1))
            if at < len(codes) and codes[at] == code:
                value += values[at] + 1
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


class Desk(NamedTuple):
    """Room to work in, from table to table."""

    rows: np.ndarray  # uint32 (levels + 1, rows): those that agree, level by level; the last are where to start
    nodes: np.ndarray  # uint32, beside them; all zero in the last
    lookup: np.ndarray  # uint32 per code, all zero between steps
    seen: np.ndarray  # uint32 per node, all zero between steps


@kernel
def new_desk(rows, tree, stored, shared):
    """A desk for tables with so many rows of interest."""
    levels, most = len(tree.starts) - 1, np.int64(0)
    for level in range(levels):
        for column in range(shared.bounds.shape[1]):
            if shared.bounds[level, column]:
                most = max(most, len_of_set(stored, column))
    room = (levels + 1, rows)
    seen = np.zeros(len(tree.values), np.uint32)
    return Desk(np.empty(room, np.uint32), np.zeros(room, np.uint32), np.zeros(most + 1, np.uint32), seen)


@kernel
def larger_desk(desk, found):
    """The desk, or one with room for the rows of these candidates."""
    needed = np.int64(0)
    for level in range(len(found.starts) - 1):
        needed = max(needed, found.rows[found.starts[level] : found.starts[level + 1]].sum())
    if needed <= desk.rows.shape[1]:
        return desk
    room = (len(desk.rows), 2 * needed)
    return Desk(np.empty(room, np.uint32), np.zeros(room, np.uint32), desk.lookup, desk.seen)


@kernel
def best_mapping(table, need, limit, turns, found, tree, stored, desk, answer):
    """The most keys that a table holds, if they are as many as needed, else 0; whether that is sure; the work done.

    `limit` is how many rows may be looked at; beyond, the best so far is returned, and is not sure.  `turns[place]` is
    the level of the question's column at that place; `answer` is filled with a column for each.
    """
    levels = len(tree.starts) - 1
    work = np.int64(len(found.codes))
    least = np.empty(levels, np.int64)
    rarest, fewest = 0, np.int64(0)
    for level in range(levels):
        first, last = found.starts[level], found.starts[level + 1]
        if first >= last:
            return np.int64(0), True, work
        total = found.rows[first:last].sum()
        if level == 0 or 2 * total < fewest:
            rarest, fewest = level, total
        least[level] = np.int64(0x7FFFFFFF)
        for column in found.columns[first:last]:
            least[level] = min(least[level], np.int64(stored.ranks[column]))
    rows, nodes, lookup, seen = desk
    length = stored.first_rows[table + 1] - stored.first_rows[table]
    started = start_rows(rarest, found, stored, length, rows[levels]) if rarest > 0 else np.int64(-1)
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
            work += STEP + counts[0]
        else:
            counts[level], reach = extend(
                which, level, wanted, found, tree, stored, lookup, seen,
                before, nodes_before, agree, rows[level], nodes[level],
            )  # fmt: skip
            work += STEP + agree + min(4 * agree, found.lasts[which] - found.firsts[which])
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
        if work > limit:
            return best, False, work


@kernel
def _taken(found, chosen, level):
    for above in range(level):  # noqa: SIM110
        if found.columns[chosen[above]] == found.columns[chosen[level]]:
            return True
    return False


@kernel
def best_tables(order, most, begin, floor, limit, spent, top, turns, known, weights, tree, stored, shared):
    """The tables of an order, from a place on, that may be among the best; how far it was followed, and the work done.

    `most` is what each can reach, descending; `top` the scores of the best k so far, ascending, 0 where there are none,
    and is kept up to date; with k = 0 every table counts that reaches the floor.  `limit` is how many rows may be
    looked at in one table, and how many, about, before the caller gets a chance to be interrupted; once PATIENCE times
    as many are spent, tables get a small part of it.
    """
    left = len(order) - begin
    tables, scores, sure = np.empty(left, np.int64), np.empty(left, np.int64), np.empty(left, np.bool_)
    columns = np.empty((left, len(turns)), np.int64)
    desk = new_desk(1024, tree, stored, shared)
    size, place, until = 0, begin, spent + limit
    while place < len(order) and spent < until:
        need = max(floor, top[0]) if len(top) else floor
        if most[place] < need:
            place = len(order)
            break
        table = order[place]
        found = candidates_of(table, need, known, weights, tree, stored, shared)
        desk = larger_desk(desk, found)
        allowed = limit if spent < PATIENCE * limit else limit // (4 * PATIENCE)
        score, certain, work = best_mapping(table, need, allowed, turns, found, tree, stored, desk, columns[size])
        spent += work
        if score >= need or not certain:
            tables[size], scores[size], sure[size] = table, score, certain
            size += 1
        remember(top, score)
        place += 1
    return tables[:size], scores[:size], sure[:size], columns[:size], place, spent


@kernel
def remember(top, score):
    """Let a score take its place among the best k, the least of which goes."""
    if len(top) and score > top[0]:
        at = 0
        while at + 1 < len(top) and top[at + 1] < score:
            top[at] = top[at + 1]
            at += 1
        top[at] = score


@kernel
def follow(table, found, tree, stored, bits, most_pairs):
    """One mapping, the only candidates found, through a table: rows per key; rows it starts from that are checked, and
    those of them whose super key covers one of the keys that they may still hold.  `bits` are the keys' own; of very
    many pairs of rows and keys every so many-th row is checked, so that they are about `most_pairs`."""
    levels = len(tree.starts) - 1
    keys = len(bits)
    lookup = np.zeros(1, np.uint32)
    for column in found.columns:
        if len_of_set(stored, column) >= len(lookup):
            lookup = np.zeros(len_of_set(stored, column) + 1, np.uint32)
    rows, nodes = np.empty((2, found.rows[0]), np.uint32), np.empty((2, found.rows[0]), np.uint32)
    seen, here = np.zeros(len(tree.values), np.uint32), 0
    size, _ = enter(0, found, tree, stored, rows[0], nodes[0])
    checked, passing, pairs = 0, 0, np.int64(0)
    first_keys = np.zeros(tree.starts[1] + 1, np.int64)
    for value in range(tree.starts[1]):
        first_keys[value + 1] = first_keys[value] + tree.keys[1 + value]
    for i in range(size):
        pairs += tree.keys[nodes[0, i]]
    for i in range(0, size, 1 + pairs // most_pairs):
        checked += 1
        row, node = stored.super_keys[stored.first_rows[table] + rows[0, i]], np.int64(nodes[0, i])
        for key in range(first_keys[node - 1], first_keys[node]):
            if covers(row, bits[key]):
                passing += 1
                break
    for level in range(1, levels):
        there = 1 - here
        size, _ = extend(
            level, level, 0, found, tree, stored, lookup, seen, rows[here], nodes[here], size, rows[there], nodes[there]
        )
        here = there
    held = np.zeros(keys, np.int64)
    for i in range(size):
        held[np.int64(nodes[here, i]) - (len(tree.values) - keys)] += 1
    return held, checked, passing
