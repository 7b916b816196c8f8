"""Which stored vectors match vectors of the query, by matrix products of all with all?

Of two vectors of unit length, distance^2 = 2 - 2 * product, so a pair matches if its product is at least
1 - limit^2 / 2.  Products are computed in float32, tile by tile, so that they stay in the cache; a pair whose product
is within rounding of that bound is decided by its distance in float64.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mere.indexes.similar.dense.records import Asked, Pairs, Stored, Tile

TILE = 1 << 19  # products computed together: 2 MB, which stays in the cache
_GATHERED = 0.5  # if at most this share of the vectors is useful, only these are copied and multiplied


def rounding_of(dimensions: int) -> float:
    """More than the error of a sum of so many products in float32: an addition is wrong by 2^-24 of the sum at most."""
    return (dimensions + 16) * 2.0**-23


def tiles_of(index: Stored, asked: Asked, memory: int) -> Iterator[Tile]:
    """The products of the vectors of the query with all useful vectors, each tile valid until the next."""
    dimensions = index.vectors.shape[1]
    width = max(min(TILE, memory // 8) // max(len(asked.vectors), dimensions), 1)
    room = np.empty((width, len(asked.vectors)), np.float32)
    least = np.float32(1.0 - asked.limit * asked.limit / 2 - rounding_of(dimensions))
    sure = np.float32(1.0 - asked.limit * asked.limit / 2 + rounding_of(dimensions))
    everything = np.arange(len(index.order))
    useful = everything[asked.useful]
    if len(useful) > _GATHERED * len(everything):
        useful = everything
    for begin in range(0, len(useful), width):
        positions = useful[begin : begin + width]
        vectors = index.vectors[begin : begin + width] if useful is everything else index.vectors[positions]
        products = np.matmul(vectors, asked.vectors.T, out=room[: len(vectors)])
        yield Tile(products, positions, least, sure)


def pairs_in_tile(tile: Tile, index: Stored, asked: Asked) -> Pairs:
    """The matching pairs of a tile whose stored vectors are useful."""
    row, query = np.divmod(np.flatnonzero(tile.products >= tile.least), len(asked.vectors))
    position = tile.positions[row]
    kept = asked.useful[position]
    doubtful = np.flatnonzero(kept & (tile.products[row, query] <= tile.sure))
    pairs = Pairs(query[doubtful], position[doubtful])
    kept[doubtful] = distances_of(pairs, index, asked) <= asked.limit
    return Pairs(query[kept], position[kept])


def distances_of(pairs: Pairs, index: Stored, asked: Asked) -> np.ndarray:
    """The distances of pairs in float64, added up in the order of the dimensions as `dense_distance` does."""
    distances = np.empty(len(pairs.query))
    dimensions = index.vectors.shape[1]
    size = max(TILE // dimensions, 1)
    for begin in range(0, len(distances), size):
        mine = asked.vectors[pairs.query[begin : begin + size]].astype(np.float64)
        theirs = index.vectors[pairs.position[begin : begin + size]]
        total = np.zeros(len(mine))
        for dimension in range(dimensions):
            gap = theirs[:, dimension] - mine[:, dimension]
            total += gap * gap
        distances[begin : begin + size] = np.sqrt(total)
    return distances
