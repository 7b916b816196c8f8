"""How is the index of the PEXESO engine made from vectors and the sets that have them?  In memory, not stored."""

from __future__ import annotations

import numpy as np

from mere.compiled import read_only
from mere.errors import UsageError
from mere.indexes.similar.pexeso.costs import depth_chosen
from mere.indexes.similar.pexeso.grid import cut, grid_of, inverted_of
from mere.indexes.similar.pexeso.pivots import map_to_pivots, not_zero, pivots_of
from mere.indexes.similar.pexeso.records import MOST_LEVELS, PIVOTS, Grid, Index, Inverted, frozen
from mere.indexes.similar.records import Lists, Vectors
from mere.store import offsets_of, places_of


def prepared(vectors: Vectors, lists: Lists, pivots: int = 5, depth: int | None = None) -> Index:
    """The index of some vectors; the depth of the grid is chosen by the cost model unless it is given."""
    _check("number of pivots", pivots, *PIVOTS)
    _check("depth of the grid", depth or 1, 1, MOST_LEVELS)
    places = not_zero(vectors)
    if len(places) == 0:
        return _empty(vectors, lists)
    chosen = pivots_of(vectors, places, pivots)
    mapped = map_to_pivots(vectors, places, vectors, chosen)
    grid, order = grid_of(mapped, MOST_LEVELS)
    mapped = mapped[order]
    grid = cut(grid, depth or depth_chosen(grid, mapped, _sets_of(places[order], lists)))
    inverted = inverted_of(grid, places[order], lists)
    return _frozen(Index(vectors, lists, chosen, places[order], mapped, grid, inverted))


def _check(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise UsageError(f"the {name} is {value}", f"give a number from {least} to {most}")


def _sets_of(places: np.ndarray, lists: Lists) -> Lists:
    """The vectors of each set, by their numbers among `places`: the lists the other way round."""
    lengths = (lists.starts[1:] - lists.starts[:-1])[places]
    sets = lists.sets[places_of(lists.starts[places], lengths)].astype(np.int64)
    vectors = np.repeat(np.arange(len(places), dtype=np.uint32), lengths)
    return Lists(offsets_of(np.bincount(sets)), vectors[np.argsort(sets, kind="stable")])


def _empty(vectors: Vectors, lists: Lists) -> Index:
    nothing, table = np.zeros(0, np.int64), np.zeros((0, 1), np.float32)
    grid, _ = grid_of(np.zeros((1, 1), np.float32), 1)
    none = Grid(*(array[:0] for array in grid))
    inverted = Inverted(np.zeros(1, np.int64), np.zeros(0, np.uint32), np.zeros(1, np.int64), np.zeros(0, np.uint32))
    return _frozen(Index(vectors, lists, nothing, nothing, table, none, inverted))


def _frozen(index: Index) -> Index:
    """The same index in read-only arrays, as kernels take them."""
    return Index(
        frozen(index.vectors),
        frozen(index.lists),
        read_only(index.pivots),
        read_only(index.order),
        read_only(index.mapped),
        frozen(index.grid),
        frozen(index.inverted),
    )
