"""Mapping to pivots and verification (algorithm 2), compiled; `descent` has the kernels of algorithm 1.

A pair is dropped or accepted without its distance only if a pivot says so with `SLACK` to spare; all other pairs are
decided by `distances.distance` in float64.
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
from mere.indexes.similar.records import TOLERANCE

_UNKNOWN, _NO, _YES = 0, 1, 2  # whether a vector matches


@kernel
def map_vectors(vectors, numbers, others, pivots, out):
    """Write the distance of each of these vectors from each pivot, which is one of `others`."""
    for i in range(len(numbers)):
        for j in range(len(pivots)):
            out[i, j] = distance(vectors, numbers[i], others, pivots[j])


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
