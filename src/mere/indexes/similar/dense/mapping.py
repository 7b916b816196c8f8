"""Which few numbers bound the distance of two vectors, and how are vectors put into blocks that are close together?

A vector x is mapped to its coordinates on the first principal axes P of the lake and the length of the rest:

    m(x) = (P x, |x - P^T P x|)        |m(x) - m(q)| <= |x - q|

since the rows of P are orthonormal and lengths obey the triangle inequality.  So a pair whose mapped vectors are
farther apart than the limit cannot match, and is not looked at.  The axes need not be those of this part: others are
less effective, not wrong.

Coordinates are kept as integers, `SCALE` times as large and rounded: each differs by at most 1/2, a mapped vector by at
most sqrt(axes + 1) / 2, and the distance of two by at most twice that, which is added to the limit.  Vectors of unit
length are at most 2 apart, and so are mapped ones: squared distances of integers stay below 2^31.

Vectors are divided in two at the median of the coordinate with the largest variance, again and again, down to blocks;
every division keeps groups of blocks together.  Cost: O(vectors * log(vectors) * axes).
"""

from __future__ import annotations

import math

import numpy as np

from mere.compiled import read_only
from mere.indexes.similar.dense.records import BLOCK, GROUP, Asked, Stored
from mere.indexes.similar.records import FARTHEST, TOLERANCE, Vectors

MOST_AXES = 23  # on 256 dimensions, 15 search 5 times as long at distance 0.3, and 31 are not faster
DIMENSIONS_PER_AXIS = 3  # on 50 dimensions, 7 axes take 1.7 times as long as 15 at 0.3, and 23 are not faster
SCALE = 16_383  # of the coordinates, which are kept as integers

_ROWS = 4_096  # vectors that are mapped together
_ROUNDING = 1e-5  # the axes are orthonormal, and vectors of unit length, within the precision of float32


def principal_axes(sample: np.ndarray) -> np.ndarray:
    """The axes along which vectors of a sample vary most, largest first: float32 (axes, dimensions), orthonormal."""
    rows = np.asarray(sample, np.float64)
    rows = rows[rows.any(axis=1)]
    dimensions = rows.shape[1]
    centred = rows - rows.mean(axis=0) if len(rows) else rows
    _, axes = np.linalg.eigh(centred.T @ centred)
    axes = axes.T[::-1][: min(MOST_AXES, max(dimensions // DIMENSIONS_PER_AXIS, 1))]
    largest = np.abs(axes).argmax(axis=1)
    signs = np.sign(axes[np.arange(len(axes)), largest])
    return np.ascontiguousarray(axes * signs[:, None], np.float32)


def mapped(vectors: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """The coordinates of vectors, and the length of the rest, as integers: int16 (vectors, axes + 1)."""
    out = np.empty((len(vectors), len(axes) + 1), np.int16)
    wide = axes.astype(np.float64)
    for begin in range(0, len(vectors), _ROWS):
        rows = vectors[begin : begin + _ROWS].astype(np.float64)
        coordinates = rows @ wide.T
        rest = rows - coordinates @ wide
        lengths = np.sqrt((rest * rest).sum(axis=1, keepdims=True))
        both = np.concatenate([coordinates, lengths], axis=1)
        out[begin : begin + _ROWS] = np.clip(np.rint(both * SCALE), -SCALE, SCALE)
    return out


def asked_of(index: Stored, vectors: np.ndarray, limit: float) -> Asked:
    """Vectors of the query, none of zeros, with their coordinates; every stored vector is of interest."""
    points = np.ascontiguousarray(mapped(vectors, index.axes).T.astype(np.int32))
    useful = np.ones(len(index.order), bool)
    return Asked(read_only(vectors), read_only(points), limit + TOLERANCE, _farthest(limit, len(points)), useful)


def _farthest(limit: float, coordinates: int) -> int:
    """The squared distance of mapped vectors, as integers, above which two vectors do not match."""
    reach = min(limit + TOLERANCE, FARTHEST) * (1 + _ROUNDING) + _ROUNDING
    return math.floor((reach * SCALE + math.sqrt(coordinates)) ** 2)


def arrays_of(vectors: Vectors, axes: np.ndarray) -> dict[str, np.ndarray]:
    """What a part keeps, see `Stored`; vectors of zeros match nothing and are left out."""
    places = np.flatnonzero(vectors.dense.any(axis=1))
    coordinates = mapped(vectors.dense[places], axes)
    order = block_order(coordinates)
    places, coordinates = places[order], coordinates[order]
    kept = {
        "axes": axes,
        "vectors": vectors.dense[places],
        "order": places.astype(np.uint32),
        "coordinates": _in_blocks(coordinates),
        "boxes": _in_groups(_boxes(coordinates, BLOCK)),
        "groups": _boxes(coordinates, BLOCK * GROUP),
    }
    return {f"dense.{name}": array for name, array in kept.items()}


def block_order(coordinates: np.ndarray) -> np.ndarray:
    """The order in which consecutive vectors, from a multiple of `BLOCK` on, are a block."""
    order = np.arange(len(coordinates))
    waiting = [(0, len(order))]
    while waiting:
        begin, end = waiting.pop()
        if end - begin > BLOCK:
            members = order[begin:end]
            widest = _variances(coordinates[members]).argmax()
            order[begin:end] = members[np.argsort(coordinates[members, widest], kind="stable")]
            middle = begin + _half(end - begin)
            waiting += [(begin, middle), (middle, end)]
    return order


def _variances(coordinates: np.ndarray) -> np.ndarray:
    """Of each column; from sums of integers, so that they do not depend on the order of additions."""
    wide = coordinates.astype(np.int64)
    return (wide * wide).sum(axis=0) / len(wide) - (wide.sum(axis=0) / len(wide)) ** 2


def _half(size: int) -> int:
    """About the half: complete groups if there is more than one group, else complete blocks."""
    unit = BLOCK * GROUP if size > BLOCK * GROUP else BLOCK
    return max(size // 2 // unit, 1) * unit


def _in_blocks(coordinates: np.ndarray) -> np.ndarray:
    """As (blocks, axes + 1, BLOCK); the last block is filled up with zeros."""
    blocks = -(-len(coordinates) // BLOCK)
    filled = np.zeros((blocks * BLOCK, coordinates.shape[1]), np.int16)
    filled[: len(coordinates)] = coordinates
    return np.ascontiguousarray(filled.reshape(blocks, BLOCK, coordinates.shape[1]).transpose(0, 2, 1))


def _in_groups(boxes: np.ndarray) -> np.ndarray:
    """As (groups, 2, axes + 1, GROUP); the last group is filled up with zeros."""
    groups = -(-boxes.shape[2] // GROUP)
    filled = np.zeros((*boxes.shape[:2], groups * GROUP), np.int16)
    filled[:, :, : boxes.shape[2]] = boxes
    return np.ascontiguousarray(filled.reshape(*boxes.shape[:2], groups, GROUP).transpose(2, 0, 1, 3))


def _boxes(coordinates: np.ndarray, size: int) -> np.ndarray:
    """The least and the largest coordinates of so many consecutive vectors."""
    begins = np.arange(0, len(coordinates), size)
    if len(begins) == 0:
        return np.zeros((2, coordinates.shape[1], 0), np.int16)
    edges = np.minimum.reduceat(coordinates, begins), np.maximum.reduceat(coordinates, begins)
    return np.ascontiguousarray(np.stack(edges).transpose(0, 2, 1))
