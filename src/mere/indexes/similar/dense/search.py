"""How many of the query's values match a value of each set, and which pairs match?

The vectors of the query are taken in batches.  A set is refused as soon as it cannot reach `need` with the vectors that
are left; once most sets are refused, only the values of the others are useful, and the rest is no longer compared.  No
set can be refused before all but `need - 1` vectors are done, so a batch ends there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from mere import compiled
from mere.compiled import read_only
from mere.errors import UsageError
from mere.indexes.similar.dense.engines import DENSE, PAIR_BYTES, ROOM, Engine, count, is_ready, pairs_of
from mere.indexes.similar.dense.mapping import asked_of
from mere.indexes.similar.dense.plan import planned
from mere.indexes.similar.dense.product import distances_of
from mere.indexes.similar.dense.records import ENGINES, Asked, Marks, Options, Stored, stored
from mere.indexes.similar.records import Lists, Matches, Vectors, Wanted

Arrays = Mapping[str, np.ndarray]

_MOST = 512  # vectors of the query in a batch
_FEW = 64  # the same once sets may be refused
_REFUSED = 20.0  # nanoseconds to find out, for one entry of the lists, whether its place is still useful


def counted(arrays: Arrays, lists: Lists, question: Vectors, wanted: Wanted, options: Options) -> np.ndarray:
    """How many vectors of the question match a value of each set; exact for every set that reaches `need`."""
    index, counts = stored(arrays), np.zeros(len(wanted.owned), np.int64)
    vectors = question.dense[question.dense.any(axis=1)]
    if len(vectors) == 0 or len(index.order) == 0:
        return counts
    lists = Lists(read_only(lists.starts), read_only(lists.sets))
    asked = asked_of(index, vectors, wanted.limit)
    engine, cost = _engine(index, asked, options, is_ready(arrays, lists))
    for begin, end in _batches(len(vectors), wanted.need, _rows(options, len(counts))):
        alive = wanted.owned & (counts + (len(vectors) - begin) >= wanted.need)
        batch = _part(asked, begin, end)
        if 2 * alive.sum() <= len(alive) and cost * (end - begin) > 2 * _REFUSED * len(lists.sets):
            batch = batch._replace(useful=_useful(index, lists, alive))
        if alive.any():
            count(engine, batch, lists, Marks(np.repeat(~alive, end - begin).reshape(-1, end - begin), counts))
    return counts


def matched(arrays: Arrays, question: Vectors, limit: float, chosen: np.ndarray, options: Options) -> Iterator[Matches]:
    """All matching pairs of a vector of the question and a chosen place, piece by piece, in no order."""
    index, rows = stored(arrays), np.flatnonzero(question.dense.any(axis=1))
    useful = chosen[index.order]
    if len(rows) == 0 or not useful.any():
        return
    asked = asked_of(index, question.dense[rows], limit)._replace(useful=useful)
    engine, _ = _engine(index, asked, options, compiled.ready(DENSE))
    for begin, end in _batches(len(rows), 1, _rows(options, 0)):
        batch = _part(asked, begin, end)
        for pairs in pairs_of(engine, batch):
            places = index.order[pairs.position].astype(np.int64)
            yield Matches(rows[begin + pairs.query], places, distances_of(pairs, index, batch))


def _engine(index: Stored, asked: Asked, options: Options, ready: bool) -> tuple[Engine, float]:
    """The engine, and how many nanoseconds it takes for a vector of the query."""
    if options.engine not in ENGINES:
        raise UsageError(f"no engine '{options.engine}'", f"choose one of {', '.join(ENGINES)}")
    plan = planned(index, asked, options.engine, ready)
    return Engine(plan.engine, index, options.memory, ready), plan.nanoseconds


def _rows(options: Options, sets: int) -> int:
    """How many vectors of the query are compared together: each has marks for all sets, and room for pairs."""
    return max(min(options.memory // (sets + ROOM * PAIR_BYTES), _MOST), 1)


def _batches(size: int, need: int, most: int) -> Iterator[tuple[int, int]]:
    """Begins and ends; a batch ends where sets without a match can be refused for the first time."""
    begin, first = 0, size - need + 1
    while begin < size:
        end = min(begin + most, first) if begin < first else min(begin + min(most, _FEW), size)
        yield begin, end
        begin = end


def _part(asked: Asked, begin: int, end: int) -> Asked:
    """Some of the vectors of the query."""
    points = np.ascontiguousarray(asked.points[:, begin:end])
    return asked._replace(vectors=asked.vectors[begin:end], points=read_only(points))


def _useful(index: Stored, lists: Lists, alive: np.ndarray) -> np.ndarray:
    """Whether the value of each stored vector is in a set that is alive."""
    running = np.zeros(len(lists.sets) + 1, np.int64)
    np.cumsum(alive[lists.sets], out=running[1:])
    edges = running[lists.starts]
    return (edges[1:] > edges[:-1])[index.order]
