"""Which leaf cells of the target must be verified for each vector of the query?  (Algorithm 1)

The query's vectors get a grid of the same depth, and both grids are descended together.  Quick browsing comes first:
a query vector is paired with the target's cell at its own place, which cannot be dropped; lemma 5 decides whether it
matches, and the descent leaves these pairs out.

Departs: lemmas 4 and 6 are applied to leaf cells as well, before their vectors are looked at.  Pairs are made for as
many query vectors at a time as `PAIRS` allows, so that memory does not depend on the query.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mere.compiled import read_only
from mere.indexes.similar.pexeso.grid import depth_of, grid_of, highest_of, same_cells
from mere.indexes.similar.pexeso.records import Grid, Pairs, Query, frozen
from mere.indexes.similar.records import Vectors

PAIRS = 1 << 22  # that are made at a time: 8 bytes each, and 4 more once they are sorted


class Block(NamedTuple):
    """Some vectors of the question, and the cells that must be looked at for each of them."""

    query: Query
    pairs: Pairs
    compared: int  # pairs of cells


class Mapped(NamedTuple):
    """Vectors that are not zero, by their numbers among `vectors`, with their distances from the pivots."""

    vectors: Vectors
    numbers: np.ndarray  # int64
    distances: np.ndarray  # float32 (numbers, pivots)


def blocks_of(question: Mapped, target: Grid, limit: float) -> Iterator[Block]:
    """The question in blocks; the target is not empty."""
    _, order = grid_of(question.distances, depth_of(target))
    room = np.empty((2, max(PAIRS, len(target.codes))), np.int32)  # one query vector always fits
    waiting = [order] if len(order) else []
    while waiting:
        chosen = waiting.pop()
        query = _query(question, chosen, target)
        size, compared = _pairs(query, target, limit, room)
        if size >= 0:
            yield Block(query, _grouped(room[:, :size], len(chosen)), compared)
        else:
            half = len(chosen) // 2
            waiting += [chosen[half:], chosen[:half]]


def _query(question: Mapped, chosen: np.ndarray, target: Grid) -> Query:
    grid, order = grid_of(question.distances[chosen], depth_of(target))
    mapped = question.distances[chosen][order]
    return Query(
        frozen(question.vectors),
        read_only(question.numbers[chosen][order]),
        read_only(mapped),
        frozen(grid),
        read_only(highest_of(grid, mapped)),
        read_only(same_cells(grid, target)),
    )


def _pairs(query: Query, target: Grid, limit: float, room: np.ndarray) -> tuple[int, int]:
    """Write the pairs; their number, -1 if there is no room for them, and how many pairs of cells were compared."""
    from mere.indexes.similar.pexeso import descent

    widths = [int(np.diff(grid.children).max()) for grid in (query.grid, target)]
    stack = np.empty((widths[0] * widths[1] * depth_of(target) + 1, 3), np.int64)
    return descent.block(query, target, limit, stack, room)


def _grouped(pairs: np.ndarray, vectors: int) -> Pairs:
    """The pairs sorted by query vector."""
    from mere.indexes.similar.pexeso import descent

    starts, cells = np.zeros(2 * vectors + 1, np.int64), np.empty(pairs.shape[1], np.int32)
    descent.group_pairs(np.ascontiguousarray(pairs), starts, cells)
    return Pairs(read_only(starts), read_only(cells))
