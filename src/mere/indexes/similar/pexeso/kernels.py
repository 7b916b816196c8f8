"""Mapping, blocking (algorithm 1) and verification (algorithm 2), compiled.

A pair is dropped or accepted without its distance only if the pivots say so with `SLACK` to spare, so all other pairs
are decided by `distances.distance` in float64.  A lemma of the paper holds for one pivot, not for all (3 and 4 drop a
pair if one pivot says so; 5 and 6 accept it if one pivot says so).
"""

from __future__ import annotations

import numpy as np

from mere.compiled.jit import helper, kernel
from mere.indexes.similar.distances import distance
from mere.indexes.similar.pexeso.records import (
    BEST,
    DISTANCES,
    DONE,
    FILTERED,
    JOINABLE,
    MATCHED,
    OPEN,
    REFUSED,
    SLACK,
)
from mere.indexes.similar.records import FARTHEST, TOLERANCE

_UNKNOWN, _NO, _YES = 0, 1, 2  # whether a vector, or all vectors of a cell, match


@kernel
def map_vectors(vectors, numbers, others, pivots, out):
    """Write the distance of each of these vectors from each pivot, which is one of `others`."""
    for i in range(len(numbers)):
        for j in range(len(pivots)):
            out[i, j] = distance(vectors, numbers[i], others, pivots[j])


@kernel
def block(query, target, limit, stack, pairs):
    """Write the pairs of a query vector and a leaf cell of the target that are not dropped: the vector in the first
    row, the cell in the second, as -1 - cell if all its vectors match.

    Cells at the same place come first (quick browsing).  Returns how many pairs there are, -1 if they do not fit, and
    how many pairs of cells were compared.
    """
    grid, last_level = query.grid, len(target.levels) - 2
    size = _browse(query, target, limit, pairs)
    stack[0] = 0
    waiting, compared = 1, 0
    while waiting > 0 and size >= 0:
        waiting -= 1
        mine, theirs, level = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] + 1
        edge = FARTHEST / (1 << level)
        for own in range(grid.children[mine], grid.children[mine + 1]):
            for other in range(target.children[theirs], target.children[theirs + 1]):
                compared += 1
                verdict = _compare_cells(query, own, target.coordinates, other, edge, limit)
                if verdict == _UNKNOWN and level < last_level:
                    stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = own, other, level
                    waiting += 1
                elif verdict == _UNKNOWN and size >= 0:
                    size = _pair_vectors(query, own, target, other, limit, pairs, size)
                elif verdict == _YES and size >= 0:
                    size = _pair_all(query, own, target, other, level, pairs, size)
    return size, compared


@helper
def _browse(query, target, limit, pairs):
    """Pair each query vector with the target's cell at the same place."""
    size, leaves = 0, target.levels[len(target.levels) - 2]
    edge = FARTHEST / (1 << (len(target.levels) - 2))
    for q in range(len(query.same)):
        cell = query.same[q]
        if cell >= 0:
            verdict = _compare_vector(query.mapped, q, target.coordinates, leaves + cell, edge, limit)
            if size == pairs.shape[1]:
                return -1
            pairs[0, size] = q
            pairs[1, size] = -1 - cell if verdict == _YES else cell
            size += 1
    return size


@helper
def _pair_vectors(query, own, target, other, limit, pairs, size):
    """Pair the vectors of a leaf cell of the query with a leaf cell of the target (lemmas 3 and 5)."""
    cell = other - target.levels[len(target.levels) - 2]
    edge = FARTHEST / (1 << (len(target.levels) - 2))
    for q in range(query.grid.begins[own], query.grid.ends[own]):
        if query.same[q] == cell:
            continue
        verdict = _compare_vector(query.mapped, q, target.coordinates, other, edge, limit)
        if verdict != _NO:
            if size == pairs.shape[1]:
                return -1
            pairs[0, size] = q
            pairs[1, size] = -1 - cell if verdict == _YES else cell
            size += 1
    return size


@helper
def _pair_all(query, own, target, other, level, pairs, size):
    """Pair all vectors of a cell of the query with all leaf cells in a cell of the target: they match."""
    begin, end, leaves = other, other + 1, len(target.levels) - 2
    for _ in range(level, leaves):
        begin, end = target.children[begin], target.children[end]
    for q in range(query.grid.begins[own], query.grid.ends[own]):
        for leaf in range(begin, end):
            cell = leaf - target.levels[leaves]
            if query.same[q] != cell:
                if size == pairs.shape[1]:
                    return -1
                pairs[0, size] = q
                pairs[1, size] = -1 - cell
                size += 1
    return size


@helper(inlined=True)
def _compare_cells(query, own, coordinates, other, edge, limit):
    """Whether all vectors of two cells match (lemma 6), none do (lemma 4), or neither is known."""
    for p in range(coordinates.shape[1]):
        between = abs(np.int64(query.grid.coordinates[own, p]) - np.int64(coordinates[other, p])) - 1
        if between * edge > limit + SLACK:
            return _NO
    for p in range(coordinates.shape[1]):
        if (coordinates[other, p] + 1) * edge + query.highest[own, p] <= limit - SLACK:
            return _YES
    return _UNKNOWN


@helper(inlined=True)
def _compare_vector(mapped, q, coordinates, cell, edge, limit):
    """Whether all vectors of a cell match a query vector (lemma 5), none do (lemma 3), or neither is known."""
    for p in range(coordinates.shape[1]):
        low = coordinates[cell, p] * edge
        if low - mapped[q, p] > limit + SLACK or mapped[q, p] - (low + edge) > limit + SLACK:
            return _NO
    for p in range(coordinates.shape[1]):
        if (coordinates[cell, p] + 1) * edge + mapped[q, p] <= limit - SLACK:
            return _YES
    return _UNKNOWN


@kernel
def group_pairs(pairs, starts, cells):
    """Sort pairs by query vector, for each the matching ones first, otherwise in their order; as `Pairs`."""
    for i in range(pairs.shape[1]):
        starts[2 * pairs[0, i] + (pairs[1, i] >= 0) + 1] += 1
    for i in range(1, len(starts)):
        starts[i] += starts[i - 1]
    for i in range(pairs.shape[1] - 1, -1, -1):  # from the end, so that each group's start ends up in `starts`
        candidate = pairs[1, i] >= 0
        group = 2 * pairs[0, i] + candidate + 1
        starts[group] -= 1
        cells[starts[group]] = pairs[1, i] if candidate else -1 - pairs[1, i]
    for i in range(1, len(starts)):
        starts[i - 1] = starts[i]
    starts[len(starts) - 1] = pairs.shape[1]


@kernel
def verify(index, query, pairs, ask, state):
    """Count the query vectors that match a vector of each set, by the inverted index (PEXESO).

    Returns whether no set can reach `need` any more.
    """
    verdicts = np.zeros(len(index.order), np.uint8)  # of the current query vector, in the current cell
    leaves = index.grid.levels[len(index.grid.levels) - 2]
    for q in range(len(query.order)):
        for i in range(pairs.starts[2 * q], pairs.starts[2 * q + 1]):
            cell = pairs.cells[i]
            for posting in range(index.inverted.starts[cell], index.inverted.starts[cell + 1]):
                _count(index.inverted.sets[posting], ask, state)
        for i in range(pairs.starts[2 * q + 1], pairs.starts[2 * q + 2]):
            cell = pairs.cells[i]
            verdicts[index.grid.begins[leaves + cell] : index.grid.ends[leaves + cell]] = _UNKNOWN
            for posting in range(index.inverted.starts[cell], index.inverted.starts[cell + 1]):
                which = index.inverted.sets[posting]
                if _is_open(which, ask, state) and _matches(index, posting, query, q, ask.limit, verdicts, state.tally):
                    _count(which, ask, state)
        if _finish(ask, state):
            return True
    return False


@helper(inlined=True)
def _is_open(which, ask, state):
    """Whether the current query vector is to be compared with a set: not if the set cannot reach `need` (lemma 7)."""
    if state.closed[which] != OPEN or state.last[which] == state.tally[DONE]:
        return False
    if state.counts[which] + ask.total - state.tally[DONE] < ask.need:
        state.closed[which] = REFUSED
        return False
    return True


@helper(inlined=True)
def _count(which, ask, state):
    """The current query vector matches a set."""
    if state.closed[which] == OPEN and state.last[which] != state.tally[DONE]:
        state.last[which] = state.tally[DONE]
        state.counts[which] += 1
        state.tally[BEST] = max(state.tally[BEST], state.counts[which])
        if ask.stop_early and state.counts[which] >= ask.need:
            state.closed[which] = JOINABLE


@helper(inlined=True)
def _finish(ask, state):
    """All cells of a query vector are done: from now on it counts as a mismatch of the sets that it did not match.

    Whether no set can reach `need` any more."""
    state.tally[DONE] += 1
    return state.tally[BEST] + ask.total - state.tally[DONE] < ask.need


@helper(inlined=True)
def _matches(index, posting, query, q, limit, verdicts, tally):
    """Whether a vector of a set in a cell matches; each vector is compared once, whichever sets have it."""
    for i in range(index.inverted.members[posting], index.inverted.members[posting + 1]):
        vector = index.inverted.vectors[i]
        if verdicts[vector] == _UNKNOWN:
            verdict = _compare_mapped(index.mapped, vector, query.mapped, q, limit)
            tally[FILTERED] += verdict == _NO
            tally[MATCHED] += verdict == _YES
            if verdict == _UNKNOWN:
                tally[DISTANCES] += 1
                apart = distance(index.vectors, index.order[vector], query.vectors, query.order[q])
                verdict = _YES if apart <= limit + TOLERANCE else _NO
            verdicts[vector] = verdict
        if verdicts[vector] == _YES:
            return True
    return False


@helper(inlined=True)
def _compare_mapped(mapped, vector, queries, q, limit):
    """Whether two vectors match (lemma 2), do not (lemma 1), or neither is known."""
    for p in range(mapped.shape[1]):
        if abs(mapped[vector, p] - queries[q, p]) > limit + SLACK:
            return _NO
    for p in range(mapped.shape[1]):
        if mapped[vector, p] + queries[q, p] <= limit - SLACK:
            return _YES
    return _UNKNOWN


@kernel
def verify_every(index, query, pairs, ask, state):
    """The same without the inverted index: every vector of a candidate cell is compared (PEXESO-H)."""
    leaves = index.grid.levels[len(index.grid.levels) - 2]
    for q in range(len(query.order)):
        for i in range(pairs.starts[2 * q], pairs.starts[2 * q + 2]):
            cell = leaves + pairs.cells[i]
            for vector in range(index.grid.begins[cell], index.grid.ends[cell]):
                place = index.order[vector]
                if i >= pairs.starts[2 * q + 1]:
                    state.tally[DISTANCES] += 1
                    if distance(index.vectors, place, query.vectors, query.order[q]) > ask.limit + TOLERANCE:
                        continue
                for entry in range(index.lists.starts[place], index.lists.starts[place + 1]):
                    _count(index.lists.sets[entry], ask, state)
        state.tally[DONE] += 1
    return False
