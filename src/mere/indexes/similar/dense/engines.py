"""How do the engines look for matching pairs, compiled or in NumPy, and how are the sets of pairs counted?

blocks     the mapped vectors of blocks are compared, and the pairs that remain are verified; compiled only
product    matrix products in NumPy; the sets of matching pairs are counted in NumPy until the kernels are compiled
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from mere import compiled
from mere.compiled import Trial, read_only
from mere.indexes.similar.dense.mapping import asked_of
from mere.indexes.similar.dense.product import pairs_in_tile, rounding_of, tiles_of
from mere.indexes.similar.dense.records import BLOCK, GROUP, Asked, Marks, Pairs, Stored, Tile, stored
from mere.indexes.similar.records import Lists
from mere.store import places_of

DENSE = compiled.Group("similar-dense", ("mere.indexes.similar.dense.kernels",), compiling=5.0)
ROOM = GROUP * BLOCK  # pairs that one vector of the query can have in a group
PAIR_BYTES = 8  # of a pair in the buffer of a kernel
_EXPANDED = 40  # bytes that an entry of the lists takes while it is marked in NumPy


class Engine(NamedTuple):
    """How to search a part."""

    name: str  # "blocks" or "product"
    stored: Stored
    memory: int  # bytes that temporary arrays may take
    compiled: bool


def pairs_of(engine: Engine, asked: Asked) -> Iterator[Pairs]:
    """All matching pairs with useful vectors."""
    if engine.name == "blocks":
        for pairs in _pairs_in_blocks(engine, asked):
            yield Pairs(pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64))
    else:
        for tile in tiles_of(engine.stored, asked, engine.memory):
            yield pairs_in_tile(tile, engine.stored, asked)


def _pairs_in_blocks(engine: Engine, asked: Asked) -> Iterator[np.ndarray]:
    from mere.indexes.similar.dense import kernels

    index, rounding = engine.stored, rounding_of(engine.stored.vectors.shape[1])
    most = min(len(index.order) * len(asked.vectors), engine.memory // PAIR_BYTES)
    room = np.empty((max(ROOM * len(asked.vectors), most), 2), np.int32)
    group = 0
    while group < index.groups.shape[2]:
        size, group = kernels.pairs_in_blocks(index, asked, rounding, group, room)
        yield room[:size]


def count(engine: Engine, asked: Asked, lists: Lists, marks: Marks) -> None:
    """Add the matched vectors of the query to the counts of the sets that are not marked from the beginning."""
    if not engine.compiled:
        with compiled.time_fallback(DENSE):
            _count_in_numpy(engine, asked, lists, marks)
        return
    from mere.indexes.similar.dense import kernels

    if engine.name == "blocks":
        for pairs in _pairs_in_blocks(engine, asked):
            kernels.mark_pairs(read_only(pairs), engine.stored.order, lists, marks)
    else:
        for tile in tiles_of(engine.stored, asked, engine.memory):
            large = np.flatnonzero(tile.products >= tile.least)
            kernels.mark_products(large, tile, engine.stored, asked, lists, marks)


def _count_in_numpy(engine: Engine, asked: Asked, lists: Lists, marks: Marks) -> None:
    before = marks.seen.sum(axis=1)
    for pairs in pairs_of(engine, asked):
        places = engine.stored.order[pairs.position].astype(np.int64)
        lengths = lists.starts[places + 1] - lists.starts[places]
        ends = np.cumsum(lengths)
        begin = 0
        while begin < len(places):
            most = engine.memory // _EXPANDED + (ends[begin - 1] if begin else 0)
            end = max(int(np.searchsorted(ends, most, side="right")), begin + 1)
            chosen = slice(begin, end)
            sets = lists.sets[places_of(lists.starts[places[chosen]], lengths[chosen])]
            marks.seen[sets, np.repeat(pairs.query[chosen], lengths[chosen])] = True
            begin = end
    marks.counts[:] += marks.seen.sum(axis=1) - before


def is_ready(arrays: Mapping[str, np.ndarray], lists: Lists) -> bool:
    """Whether the kernels are compiled; if NumPy has answered for long enough, they are compiled from now on."""
    return compiled.ready(DENSE, lambda: trial(arrays, lists))


def trial(arrays: Mapping[str, np.ndarray], lists: Lists) -> Trial:
    """Compiles what a question needs."""
    index = stored(arrays)
    lists = Lists(read_only(lists.starts), read_only(lists.sets))
    asked = asked_of(index, np.zeros((0, index.vectors.shape[1]), np.float32), 0.0)
    marks = Marks(np.zeros((0, 0), bool), np.zeros(0, np.int64))
    tile = Tile(np.zeros((0, 0), np.float32), np.zeros(0, np.int64), np.float32(0), np.float32(0))
    pairs = np.zeros((0, 2), np.int32)

    def run(kernel: str, *arguments: object) -> None:
        from mere.indexes.similar.dense import kernels

        getattr(kernels, kernel)(*arguments)

    return Trial(
        DENSE,
        (
            ("pairs_in_blocks", lambda: run("pairs_in_blocks", index, asked, 0.0, index.groups.shape[2], pairs)),
            ("sampled_survivors", lambda: run("sampled_survivors", index, asked, 1)),
            ("mark_pairs", lambda: run("mark_pairs", read_only(pairs), index.order, lists, marks)),
            ("mark_products", lambda: run("mark_products", np.zeros(0, np.int64), tile, index, asked, lists, marks)),
        ),
    )
