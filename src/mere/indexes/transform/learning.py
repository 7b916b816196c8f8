"""Which program makes one column's values out of another's, and which values does it pair?

The program is learnt by `mere.transform` from at most `LEARN_FROM` values of each column.  Of more values, one half are
those with the rarest pieces that both columns have, so that the partners of many of them are among the others; one half
are taken at random.  The rules that were learnt are then run on all values; a value takes the partners of the first
rule that gives it any.  Accidental joins are accepted here, because `agreement` recognises them by the whole lake.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from mere.indexes.transform.pieces import pieces_of
from mere.store import Strings
from mere.transform import Options, Rule
from mere.transform.cardinality import Pairing
from mere.transform.match import match
from mere.transform.program import Cell
from mere.values import normalise

MINE, THEIRS = "mine", "theirs"
LEARN_FROM = 300  # values of each column
_TIME_LIMIT = "the time limit of "  # how `mere.transform` begins its note that it was reached


class Pairs(NamedTuple):
    """Places of my values and of the column's that match; in the order of mine, then of theirs."""

    mine: np.ndarray
    theirs: np.ndarray

    def matched(self) -> int:
        """How many of my values match."""
        return len(np.unique(self.mine))

    def pairing(self, mine: int, theirs: int) -> Pairing:
        """Whether a side of so many values is a key."""
        return Pairing((mine, theirs), (self.matched(), len(np.unique(self.theirs))), len(self.mine))


class Learnt(NamedTuple):
    """The rules that join two columns; none if nothing does."""

    rules: tuple[Rule, ...]
    out_of_time: bool  # there may be more, or better ones


def learnt(mine: Strings, theirs: Strings, seconds: float, many_to_many: bool = False) -> Learnt:
    """What is learnt from two columns of distinct values, which are in the order of hashes."""
    left, right = _sampled(mine, theirs)
    options = Options(seconds=seconds, fuzzy=False, accidents=True, many_to_many=many_to_many)
    outcome = match({MINE: left.tolist()}, {THEIRS: right.tolist()}, options)
    out_of_time = any(note.startswith(_TIME_LIMIT) for note in outcome.notes)
    return Learnt(() if outcome.refused else outcome.rules, out_of_time)


def _sampled(mine: Strings, theirs: Strings) -> tuple[Strings, Strings]:
    if max(len(mine), len(theirs)) <= LEARN_FROM:
        return mine, theirs
    sides = [pieces_of(values) for values in (mine, theirs)]
    counts = [np.unique(side.hashes, return_counts=True) for side in sides]
    shared, *places = np.intersect1d(counts[0][0], counts[1][0], assume_unique=True, return_indices=True)
    how_often = counts[0][1][places[0]] + counts[1][1][places[1]]
    rank = np.empty(len(shared), np.int64)
    rank[np.lexsort((shared, how_often))] = np.arange(len(shared))
    chosen = [
        _chosen(len(values), side.owners, _rank_of(side.hashes, shared, rank))
        for values, side in zip((mine, theirs), sides, strict=True)
    ]
    return mine.take(chosen[0]), theirs.take(chosen[1])


def _rank_of(hashes: np.ndarray, shared: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """The rank of each piece, by rarity; those that are not shared come last."""
    if len(shared) == 0:
        return np.zeros(len(hashes), np.int64)
    place = np.minimum(np.searchsorted(shared, hashes), len(shared) - 1)
    return np.where(shared[place] == hashes, rank[place], len(shared))


def _chosen(size: int, owners: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """The places of the values to learn from, ascending."""
    if size <= LEARN_FROM:
        return np.arange(size)
    best = np.full(size, np.iinfo(np.int64).max)
    np.minimum.at(best, owners, ranks)
    rarest = np.argsort(best, kind="stable")[: LEARN_FROM // 2]
    others = np.setdiff1d(np.arange(LEARN_FROM), rarest)[: LEARN_FROM - len(rarest)]
    return np.sort(np.concatenate([rarest, others]))


def paired(rules: Sequence[Rule], mine: Sequence[str], theirs: Sequence[str]) -> Pairs:
    """The pairs that the rules make of all values."""
    partners: dict[int, list[int]] = {}
    for rule in rules:
        reads_mine = rule.direction == "left to right"
        source, target = (mine, theirs) if reads_mine else (theirs, mine)
        places: dict[str, list[int]] = {}
        for place, key in enumerate(compared(rule.key.over([target]))):
            if key:
                places.setdefault(key, []).append(place)
        found: dict[int, list[int]] = {}
        for place, output in enumerate(compared(rule.program.over([source]))):
            for other in places.get(output, ()) if output else ():
                left, right = (place, other) if reads_mine else (other, place)
                found.setdefault(left, []).append(right)
        partners = {**found, **partners}
    order = sorted(partners)
    counts = [len(partners[place]) for place in order]
    theirs_of = [other for place in order for other in sorted(partners[place])]
    return Pairs(np.repeat(np.array(order, np.int64), counts), np.array(theirs_of, np.int64))


def compared(outputs: Sequence[Cell]) -> list[Cell]:
    """Outputs as values are compared everywhere: without case, with single spaces."""
    return normalise(pa.array(outputs, pa.string())).to_pylist()
