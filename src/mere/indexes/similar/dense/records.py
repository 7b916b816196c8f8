"""What do the modules of the dense engine exchange: what a part keeps, what is asked, and pairs?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from mere.compiled import read_only

BLOCK = 128  # vectors of a block
GROUP = 32  # blocks of a group
ENGINES = ("auto", "blocks", "product")


class Options(NamedTuple):
    """How to search."""

    engine: str = "auto"  # one of `ENGINES`
    memory: int = 64 << 20  # bytes for products, marks or pairs, each; beside a few bytes per stored vector


class Stored(NamedTuple):
    """The arrays of a part, in the order of blocks."""

    axes: np.ndarray  # float32 (axes, dimensions)
    vectors: np.ndarray  # float32 (vectors, dimensions); vectors of zeros are left out
    order: np.ndarray  # uint32: the place of each vector
    coordinates: np.ndarray  # int16 (blocks, axes + 1, BLOCK); the last block is filled up with zeros
    boxes: np.ndarray  # int16 (groups, 2, axes + 1, GROUP): the least and the largest coordinates in each block
    groups: np.ndarray  # int16 (2, axes + 1, groups): the same in each group


class Asked(NamedTuple):
    """Vectors of the query, none of zeros, and what a vector must be to match one of them."""

    vectors: np.ndarray  # float32 (vectors, dimensions)
    points: np.ndarray  # int32 (axes + 1, vectors): the mapped vectors
    limit: float  # the largest distance of a match, tolerance included
    farthest: int  # the largest squared distance of mapped vectors that can match; see `mapping`
    useful: np.ndarray  # bool per stored vector: whether a match with it is of interest


class Tile(NamedTuple):
    """The products of all vectors of the query with some stored vectors."""

    products: np.ndarray  # float32 (stored vectors, vectors of the query), contiguous
    positions: np.ndarray  # int64: of the stored vectors, in the order of blocks
    least: np.float32  # a pair with a smaller product does not match
    sure: np.float32  # a pair with a larger product matches


class Marks(NamedTuple):
    """The sets that each vector of the query has matched."""

    seen: np.ndarray  # bool (sets, vectors of the query); sets that are not wanted are marked from the beginning
    counts: np.ndarray  # int64 per set


class Pairs(NamedTuple):
    """Vectors of the query that match stored vectors, by their numbers."""

    query: np.ndarray  # int64
    position: np.ndarray  # int64, in the order of blocks


def vectors_at(arrays: Mapping[str, np.ndarray], places: np.ndarray) -> np.ndarray:
    """The stored vectors of some places; zeros where none is stored."""
    order, vectors = arrays["dense.order"], arrays["dense.vectors"]
    row = np.full(int(max(order.max(initial=0), places.max(initial=0))) + 1, -1)
    row[order] = np.arange(len(order))
    known = np.flatnonzero(row[places] >= 0)
    found = np.zeros((len(places), vectors.shape[1]), np.float32)
    found[known] = vectors[row[places][known]]
    return found


def stored(arrays: Mapping[str, np.ndarray]) -> Stored:
    """The arrays of a part, as kernels take them."""
    return Stored(*(read_only(arrays[f"dense.{name}"]) for name in Stored._fields))
