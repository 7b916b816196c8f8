"""The descent of two grids (algorithm 1), compiled.

Lemmas 3 and 4 drop a pair if one pivot says so, lemmas 5 and 6 accept it if one pivot says so; always with `SLACK` to
spare, so that all other pairs are left to verification.
"""

from __future__ import annotations

import numpy as np

from mere.compiled.jit import helper, kernel
from mere.indexes.similar.pexeso.records import SLACK
from mere.indexes.similar.records import FARTHEST

_UNKNOWN, _NO, _YES = 0, 1, 2  # whether all vectors of a cell match


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
