"""Which cells of the pivot space hold vectors, and which sets are in each?  (Section III-B and C)

The space [0, 2]^pivots is halved in every dimension at every level; the last cell of a level includes 2.  The bits of a
cell's coordinates, interleaved with the highest first, are its code.  In the order of codes, the vectors of any cell of
any level lie together, and so do its children: one sort makes all levels.  A grid of fewer levels is the beginning of a
deeper one (`cut`).

Cost: one sort of the vectors, and one pass over them per level; the inverted index is one sort of all pairs of a value
and a set that has it.
"""

from __future__ import annotations

import numpy as np

from mere.indexes.similar.pexeso.records import Grid, Inverted
from mere.indexes.similar.records import FARTHEST, Lists
from mere.store import offsets_of, places_of


def grid_of(mapped: np.ndarray, depth: int) -> tuple[Grid, np.ndarray]:
    """The grid of some mapped vectors (at least one), and the order that sorts them by leaf cell."""
    coordinates = _coordinates(mapped, depth)
    codes = _codes(coordinates, depth)
    order = np.argsort(codes, kind="stable")
    codes, coordinates = codes[order], coordinates[order]
    pivots = mapped.shape[1]
    begins = [_begins(codes >> np.uint64((depth - level) * pivots)) for level in range(depth + 1)]
    levels = offsets_of(np.array([len(level) for level in begins], np.int64))
    children = [levels[i + 1] + np.searchsorted(begins[i + 1], begins[i]) for i in range(depth)]
    grid = Grid(
        levels,
        np.concatenate([coordinates[level] >> np.uint8(depth - i) for i, level in enumerate(begins)]),
        np.concatenate([*children, levels[-1:]]),
        np.concatenate(begins),
        np.concatenate([np.append(level[1:], len(mapped)) for level in begins]),
        codes[begins[-1]],
    )
    return grid, order


def cut(grid: Grid, depth: int) -> Grid:
    """The grid of the same vectors with at most so many levels; it does not keep the deeper one in memory."""
    if depth >= depth_of(grid):
        return grid
    inner, cells = grid.levels[depth : depth + 2].tolist()
    return Grid(
        grid.levels[: depth + 2].copy(),
        grid.coordinates[:cells].copy(),
        grid.children[: inner + 1].copy(),
        grid.begins[:cells].copy(),
        grid.ends[:cells].copy(),
        _codes(grid.coordinates[inner:cells], depth),
    )


def depth_of(grid: Grid) -> int:
    """The number of levels below the root."""
    return len(grid.levels) - 2


def leaf_starts(grid: Grid) -> np.ndarray:
    """Where the vectors of each leaf cell start, and where the last one's end."""
    return np.append(grid.begins[grid.levels[-2] :], grid.ends[-1:])


def highest_of(grid: Grid, mapped: np.ndarray) -> np.ndarray:
    """The largest mapped value of each pivot in each cell; `mapped` is in the grid's order."""
    edges = zip(grid.levels[:-1], grid.levels[1:], strict=True)
    return np.concatenate([np.maximum.reduceat(mapped, grid.begins[first:end], axis=0) for first, end in edges])


def same_cells(grid: Grid, target: Grid) -> np.ndarray:
    """For each vector of a grid the leaf cell of another at the same place; -1 if the other has none."""
    found = np.searchsorted(target.codes, grid.codes)
    near = np.minimum(found, len(target.codes) - 1)
    same = np.where(target.codes[near] == grid.codes, near, -1)
    return np.repeat(same, np.diff(leaf_starts(grid)))


def inverted_of(grid: Grid, order: np.ndarray, lists: Lists) -> Inverted:
    """The sets of each leaf cell, and their vectors in it."""
    cells = np.repeat(np.arange(len(grid.codes)), np.diff(leaf_starts(grid)))
    lengths = (lists.starts[1:] - lists.starts[:-1])[order]
    vectors = np.repeat(np.arange(len(order), dtype=np.uint32), lengths)
    sets = lists.sets[places_of(lists.starts[order], lengths)]
    keys = (cells[vectors].astype(np.uint64) << np.uint64(32)) | sets.astype(np.uint64)
    by_key = np.argsort(keys, kind="stable")
    keys, vectors = keys[by_key], vectors[by_key]
    members = _begins(keys)
    postings = np.bincount((keys[members] >> np.uint64(32)).astype(np.int64), minlength=len(grid.codes))
    return Inverted(offsets_of(postings), sets[by_key][members], np.append(members, len(keys)), vectors)


def _coordinates(mapped: np.ndarray, depth: int) -> np.ndarray:
    cells = 1 << depth
    return np.clip(mapped * np.float32(cells / FARTHEST), 0, cells - 1).astype(np.uint8)


def _codes(coordinates: np.ndarray, depth: int) -> np.ndarray:
    codes = np.zeros(len(coordinates), np.uint64)
    for bit in range(depth - 1, -1, -1):
        for own in coordinates.T:
            codes = (codes << np.uint64(1)) | ((own >> np.uint8(bit)) & np.uint8(1)).astype(np.uint64)
    return codes


def _begins(ascending: np.ndarray) -> np.ndarray:
    """Where each run of equal numbers begins."""
    if len(ascending) == 0:
        return np.zeros(0, np.int64)
    return np.append(0, np.flatnonzero(ascending[1:] != ascending[:-1]) + 1)
