"""The paper's algorithms, and one more, by name: exact like the default, compiled, for comparison and for cold rows.

    mate      Algorithm 1: start from the key's column with the fewest values, tables in the order of their rows with
              such a value, both table filters, super keys to dismiss rows, then the cells of the rows that are left
    scr       the same without super keys: single-column retrieval
    mcr       only rows that hold a value of every column of the key, by row lists alone: multi-column retrieval
    rarest    every key starts from its rarest value and looks at the other values' columns in the same table

They are there to be compared with, and cannot be interrupted.  All of them look at rows without knowing the mapping: a
row that holds a key adds it to every mapping that fits, and the best mapping is taken at the table's end (equation 2).
A mapping is one number, its columns as digits; where that number would be too large, or the mappings too many, the
table is left to the descent.

Departs from Algorithm 1: rows checked and rows matched are counted (it forgets to), a table is dropped only if it is
strictly beaten, so that ties go by name, and distinct keys are counted, not rows.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mere.indexes.composite.descent import best_mapping, candidates_of, larger_desk, new_desk, remember
from mere.indexes.composite.evidence import key_bits
from mere.indexes.composite.kernels import (
    Stored,
    code_at,
    code_of,
    covers,
    first_place,
    known_of,
    row_at,
    rows_with,
    share,
)
from mere.indexes.composite.plain import Found, turns_of
from mere.indexes.composite.question import WORK, Question
from mere.store.jit import kernel
from mere.store.kernels import first_at_least

SCR, MATE, MCR = 0, 1, 2
MOST_PAIRS = 20_000_000  # of mappings and keys, noted before a table is left to the descent after all
_WAYS = {"scr": SCR, "mate": MATE, "mcr": MCR}


def best_tables(
    mode: str, stored: Stored, question: Question, ids: np.ndarray, may: np.ndarray, k: int, floor: int
) -> Iterator[Found]:
    """The tables that may be among the best k (0: all) that reach the floor."""
    tree, weights, turns = question.tree, question.weights, np.array(turns_of(question))
    known, paths = known_of(ids, tree), np.ascontiguousarray(question.paths())
    shared, _ = share(known, weights, tree, stored, may, floor)
    asked = (turns, ids, known, weights, tree, stored, shared, paths)
    if mode == "rarest":
        found = _by_rarest(*asked, may, floor)
    else:
        first = int(np.argmin(np.diff(tree.starts)))
        grouped = np.argsort(paths[:, first], kind="stable")
        edges = np.searchsorted(paths[grouped, first], np.arange(tree.starts[first + 1] - tree.starts[first] + 1))
        bits, top = key_bits(question, paths), np.zeros(min(k, len(stored.first_columns)), np.int64)
        found = _by_rows(_WAYS[mode], first, grouped, edges, bits, top, floor, *asked)
    for table, score, sure, columns in zip(*(one.tolist() for one in found), strict=True):
        yield Found(table, score, sure, tuple(columns))


@kernel
def grown(array, needed):
    """The array, or a larger copy if it has no room for what is needed."""
    if needed <= len(array):
        return array
    larger = np.empty(2 * needed, array.dtype)
    larger[: len(array)] = array
    return larger


@kernel
def fits(width, levels, keys):
    """Whether the mappings of a table, times the keys, can be numbered."""
    room = 2.0**62 / keys
    for _ in range(levels):
        room /= max(1, width)
    return room >= 1.0


@kernel
def by_descent(table, need, turns, known, weights, tree, stored, shared, answer):
    """The best mapping of a table by the descent, and whether it is sure."""
    found = candidates_of(table, need, known, weights, tree, stored, shared)
    desk = larger_desk(new_desk(1, tree, stored, shared), found)
    score, certain, _ = best_mapping(table, need, WORK, turns, found, tree, stored, desk, answer)
    return score, certain


@kernel
def add_mappings(choices, counts, key, keys, width, pairs, size):
    """Note the key with every mapping that takes, for each level, one of its columns, and none twice.

    The new size is -1 where that would be more than can be kept.
    """
    levels = len(counts)
    if size + counts.astype(np.float64).prod() > MOST_PAIRS:
        return pairs, -1
    turn = np.zeros(levels, np.int64)
    while True:
        number, valid = np.int64(0), True
        for level in range(levels):
            mine = choices[level, turn[level]]
            number = number * width + mine
            for above in range(level):
                valid &= choices[above, turn[above]] != mine
        if valid:
            pairs = grown(pairs, size + 1)
            pairs[size] = number * keys + key
            size += 1
        level = levels - 1
        while level >= 0:
            turn[level] += 1
            if turn[level] < counts[level]:
                break
            turn[level] = 0
            level -= 1
        if level < 0:
            return pairs, size


@kernel
def best_of_pairs(pairs, keys, width, begin, turns, stored, answer):
    """The mapping with the most distinct keys, of equals the first by name, into `answer`; and how many."""
    levels = len(turns)
    pairs.sort()
    best, place = np.int64(0), 0
    ranks, columns = np.zeros(levels, np.int64), np.zeros(levels, np.int64)
    while place < len(pairs):
        mapping, distinct = pairs[place] // keys, np.int64(0)
        first = place
        while place < len(pairs) and pairs[place] // keys == mapping:
            distinct += place == first or pairs[place] != pairs[place - 1]
            place += 1
        if distinct < best:
            continue
        left = mapping
        for level in range(levels - 1, -1, -1):
            columns[level] = begin + left % width
            left //= width
        better = distinct > best
        if not better:
            for turn in range(levels):
                rank = stored.ranks[columns[turns[turn]]]
                if rank != ranks[turn]:
                    better = rank < ranks[turn]
                    break
        if better:
            best = distinct
            for turn in range(levels):
                answer[turn] = columns[turns[turn]]
                ranks[turn] = stored.ranks[answer[turn]]
    return best


@kernel
def postings_of(level, known, stored, shared):
    """Where a level's values stand: columns, values and rows, in the order of the columns."""
    total = np.int64(0)
    for i in range(known.starts[level], known.starts[level + 1]):
        total += np.int64(stored.list_starts[known.ids[i] + 1]) - np.int64(stored.list_starts[known.ids[i]])
    columns, which = np.empty(total, np.int64), np.empty(total, np.int64)
    size = 0
    for i in range(known.starts[level], known.starts[level + 1]):
        first, last = np.int64(stored.list_starts[known.ids[i]]), np.int64(stored.list_starts[known.ids[i] + 1])
        for place in range(first, last):
            column = stored.list_columns[place]
            if shared.bounds[level, column] > 0:
                columns[size], which[size] = column, i
                size += 1
    order = np.argsort(columns[:size], kind="mergesort")
    columns, which = columns[order], which[order]
    rows = np.empty(size, np.int64)
    for i in range(size):
        rows[i] = rows_with(stored, columns[i], code_of(stored, columns[i], known.ids[which[i]]))
    return columns, which, rows


@kernel
def whole_rows(table, known, stored, shared, rows):
    """Which rows of a table, of so many, hold in some column a value of every level."""
    levels = len(known.starts) - 1
    met = np.zeros(rows, np.uint8)
    for level in range(levels):
        for column in range(stored.first_columns[table], stored.first_columns[table + 1]):
            if shared.bounds[level, column] == 0:
                continue
            start = shared.starts[level, column]
            for one in range(start, start + shared.counts[level, column]):
                code = code_of(stored, column, known.ids[shared.values[one]])
                first = first_place(stored, column, code)
                for place in range(first, first + rows_with(stored, column, code)):
                    met[row_at(stored, column, place)] |= 1 << level
    return met == (1 << levels) - 1


@kernel
def _by_rows(way, first, grouped, edges, bits, top, floor, turns, ids, known, weights, tree, stored, shared, paths):
    """Algorithm 1, with super keys, without them, or with the row lists of all columns."""
    levels, keys = len(turns), len(paths)
    columns, which, rows = postings_of(first, known, stored, shared)
    tables = len(stored.first_columns) - 1
    items, edge = np.zeros(tables, np.int64), np.zeros(tables + 1, np.int64)
    at = 0
    for table in range(tables):
        while at < len(columns) and columns[at] < stored.first_columns[table + 1]:
            items[table] += rows[at]
            at += 1
        edge[table + 1] = at
    order = np.argsort(-items, kind="mergesort")
    found, scores, sure = np.empty(tables, np.int64), np.empty(tables, np.int64), np.empty(tables, np.bool_)
    answers = np.zeros((tables, levels), np.int64)
    pairs, size = np.empty(1024, np.int64), 0
    for table in order:
        need = max(floor, top[0]) if len(top) else floor
        if items[table] < need:
            break  # the first table filter
        begin, width = stored.first_columns[table], stored.first_columns[table + 1] - stored.first_columns[table]
        certain, taken, score = True, -1, np.int64(0)
        if fits(width, levels, keys):
            held = stored.first_rows[table + 1] - stored.first_rows[table]
            whole = whole_rows(table, known, stored, shared, held) if way == MCR else np.zeros(0, np.bool_)
            pairs, taken = _row_pairs(
                way, first, grouped, edges, bits, need, items[table], edge[table], edge[table + 1], table,
                columns, which, whole, ids, known, tree, stored, shared, paths, pairs,
            )  # fmt: skip
            if taken >= 0:
                score = best_of_pairs(pairs[:taken], keys, width, begin, turns, stored, answers[size])
        if taken < 0:
            score, certain = by_descent(table, need, turns, known, weights, tree, stored, shared, answers[size])
        if score >= need or not certain:
            found[size], scores[size], sure[size] = table, score, certain
            size += 1
        remember(top, score)
    return found[:size], scores[:size], sure[:size], answers[:size]


@kernel
def _row_pairs(
    way, first, grouped, edges, bits, need, items, begin, end, table,
    columns, which, whole, ids, known, tree, stored, shared, paths, pairs,
):  # fmt: skip
    """The keys that the rows of a table hold, with their mappings; none, if the second table filter drops it."""
    levels, keys = len(known.starts) - 1, len(paths)
    first_column = stored.first_columns[table]
    width = stored.first_columns[table + 1] - first_column
    cells = np.empty(width, np.int64)
    choices, counts = np.empty((levels, width), np.int64), np.empty(levels, np.int64)
    size, checked, matched = 0, np.int64(0), np.int64(0)
    for posting in range(begin, end):
        column, value = columns[posting], known.values[which[posting]]
        code = code_of(stored, column, known.ids[which[posting]])
        start = first_place(stored, column, code)
        for place in range(start, start + rows_with(stored, column, code)):
            if items - checked + matched < need:
                return pairs, 0  # the second table filter
            checked += 1
            row = row_at(stored, column, place)
            if way == MCR and not whole[row]:
                continue
            passed, fetched = False, False
            for at in range(edges[value], edges[value + 1]):
                key = grouped[at]
                if way == MATE and not covers(stored.super_keys[stored.first_rows[table] + row], bits[key]):
                    continue
                passed = True
                if not fetched:
                    fetched = True
                    for c in range(width):
                        held = code_at(stored, first_column + c, row)
                        usable = held > 0
                        cells[c] = stored.set_ids[stored.set_starts[first_column + c] + held - 1] if usable else -1
                possible = True
                for level in range(levels):
                    counts[level] = 0
                    if level == first:
                        choices[level, 0], counts[level] = column - first_column, 1
                        continue
                    wanted = ids[tree.starts[level] + paths[key, level]]
                    for c in range(width):
                        if wanted >= 0 and cells[c] == wanted and shared.bounds[level, first_column + c] > 0:
                            choices[level, counts[level]] = c
                            counts[level] += 1
                    possible &= counts[level] > 0
                    if not possible:
                        break
                if possible:
                    pairs, size = add_mappings(choices, counts, key, keys, width, pairs, size)
                    if size < 0:
                        return pairs, size
            matched += passed
    return pairs, size


@kernel
def _by_rarest(turns, ids, known, weights, tree, stored, shared, paths, may, floor):
    """Key by key, from its rarest value; tables are counted at the end."""
    levels, keys = len(turns), len(paths)
    tables = len(stored.first_columns) - 1
    lengths = np.zeros(len(ids), np.int64)
    for v in range(len(ids)):
        if ids[v] >= 0:
            lengths[v] = np.int64(stored.list_starts[ids[v] + 1]) - np.int64(stored.list_starts[ids[v]])
    owner = np.empty(len(may), np.int64)
    for table in range(tables):
        owner[stored.first_columns[table] : stored.first_columns[table + 1]] = table
    pairs, homes, size = np.empty(1024, np.int64), np.empty(1024, np.int64), 0
    narrow = np.empty(tables, np.bool_)
    widest = 1
    for table in range(tables):
        width = stored.first_columns[table + 1] - stored.first_columns[table]
        narrow[table] = fits(width, levels, keys)
        widest = max(widest, width)
    choices, counts = np.empty((levels, widest), np.int64), np.empty(levels, np.int64)
    near, codes, near_counts = (
        np.empty((levels, widest), np.int64), np.empty((levels, widest), np.int64), np.empty(levels, np.int64)
    )  # fmt: skip
    at = np.empty(levels, np.int64)
    for key in range(keys):
        rarest, possible = 0, True
        for level in range(levels):
            v = tree.starts[level] + paths[key, level]
            possible &= ids[v] >= 0
            at[level] = 0
            if lengths[v] < lengths[tree.starts[rarest] + paths[key, rarest]]:
                rarest = level
        if not possible:
            continue
        which = ids[tree.starts[rarest] + paths[key, rarest]]
        for place in range(np.int64(stored.list_starts[which]), np.int64(stored.list_starts[which + 1])):
            column = np.int64(stored.list_columns[place])
            table = owner[column]
            if not may[column] or not narrow[table]:
                continue
            first_column, last_column = stored.first_columns[table], stored.first_columns[table + 1]
            possible = True
            for level in range(levels):
                if level == rarest:
                    continue
                near_counts[level] = 0
                other = ids[tree.starts[level] + paths[key, level]]
                first, last = np.int64(stored.list_starts[other]), np.int64(stored.list_starts[other + 1])
                own = stored.list_columns[first:last]
                if at[level] < len(own) and own[at[level]] < first_column:
                    at[level] += first_at_least(own[at[level] :], first_column, 0)
                for step in range(at[level], len(own)):
                    if own[step] >= last_column:
                        break
                    if may[own[step]]:
                        near[level, near_counts[level]] = own[step]
                        codes[level, near_counts[level]] = code_of(stored, np.int64(own[step]), other)
                        near_counts[level] += 1
                possible &= near_counts[level] > 0
                if not possible:
                    break
            if not possible:
                continue
            code = code_of(stored, column, which)
            start = first_place(stored, column, code)
            for spot in range(start, start + rows_with(stored, column, code)):
                row = row_at(stored, column, spot)
                possible = True
                for level in range(levels):
                    counts[level] = 0
                    if level == rarest:
                        choices[level, 0], counts[level] = column - first_column, 1
                        continue
                    for i in range(near_counts[level]):
                        if code_at(stored, near[level, i], row) == codes[level, i]:
                            choices[level, counts[level]] = near[level, i] - first_column
                            counts[level] += 1
                    possible &= counts[level] > 0
                    if not possible:
                        break
                if possible and narrow[table]:
                    before = size
                    pairs, size = add_mappings(choices, counts, key, keys, last_column - first_column, pairs, size)
                    if size < 0:
                        narrow[table], size = False, before
                    homes = grown(homes, size)
                    homes[before:size] = table
    return _tallied(pairs[:size], homes[:size], narrow, floor, turns, known, weights, tree, stored, shared, keys)


@kernel
def _tallied(pairs, homes, narrow, floor, turns, known, weights, tree, stored, shared, keys):
    """The best mapping of every table, from the pairs that were found in it; of those too wide, by the descent."""
    tables = len(narrow)
    order = np.argsort(homes, kind="mergesort")
    pairs, homes = pairs[order], homes[order]
    found, scores, sure = np.empty(tables, np.int64), np.empty(tables, np.int64), np.empty(tables, np.bool_)
    answers = np.zeros((tables, len(turns)), np.int64)
    size, at = 0, 0
    for table in range(tables):
        first = at
        while at < len(homes) and homes[at] == table:
            at += 1
        begin, certain = stored.first_columns[table], True
        if narrow[table]:
            width = stored.first_columns[table + 1] - begin
            score = best_of_pairs(pairs[first:at], keys, width, begin, turns, stored, answers[size])
        elif shared.bounds[0, begin : stored.first_columns[table + 1]].any():
            score, certain = by_descent(table, floor, turns, known, weights, tree, stored, shared, answers[size])
        else:
            continue
        if score >= floor or not certain:
            found[size], scores[size], sure[size] = table, score, certain
            size += 1
    return found[:size], scores[:size], sure[:size], answers[:size]
