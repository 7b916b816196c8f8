"""Which columns of the lake share rare pieces with mine?

    weight of a piece     (16 ln(1 + columns / columns that have it))^2, the logarithm rounded: integers, so that
                          sums are exact in any order
    score of a column     the weights of the pieces it shares with mine, added up; divided by the share of its pieces
                          that are stored, and by the square root of how many it has

This is the product of two vectors of squared rarities, of which the column's has unit length: a column of many pieces
does not win by its size.  Columns that hold the same values are one candidate.  Only live columns count, and all of
them, so candidates depend neither on segments nor on dead tables.
Columns that hold nearly all of my values as they are need no transformation: they are left out, unless the question
names a table, because they would take the places of those that do.
Cost: two binary searches per piece and segment, and one addition per column that has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mere.indexes.kind import Part
from mere.indexes.sets.eligible_columns import EligibleColumns, eligible_columns
from mere.indexes.sets.question import Question
from mere.indexes.transform.build import entries_with
from mere.indexes.transform.pieces import pieces_of

EQUAL = 0.8  # share of my values that a column holds as they are: it is left out
MOST_VALUES = 20_000  # values of the question whose pieces are looked up
_UNITS = 16  # of a logarithm of rarity


class Candidates(NamedTuple):
    """The contents of the best columns, the best first, and of how many different ones they were chosen."""

    contents: np.ndarray  # uint64
    sharing: int
    equal: int  # columns, of different contents, that were left out because they hold my values as they are
    pieces: np.ndarray  # uint32: the pieces of the question, ascending
    weights: np.ndarray  # int64: of each of them


class Shared(NamedTuple):
    """The pieces of the question that a part's sets have: the number of the piece, and the set."""

    pieces: np.ndarray
    sets: np.ndarray


def candidates_of(parts: Sequence[Part], probe: dict[str, Any], most: int) -> Candidates:
    """The columns that can answer and share the rarest pieces with the question's values."""
    question = Question.of(probe)
    mine = np.unique(pieces_of(question.values.slice(0, min(len(question), MOST_VALUES))).hashes)
    shared = [_shared(part, mine) for part in parts]
    weights = _weights(parts, shared, len(mine))
    scored = [_scored(part, found, weights, probe) for part, found in zip(parts, shared, strict=True)]
    owners = np.repeat(np.arange(len(parts)), [len(side.sets) for side in scored])
    sets = np.concatenate([np.zeros(0, np.int64), *(side.sets for side in scored)])
    contents = np.concatenate([np.zeros(0, np.uint64), *(side.contents for side in scored)])
    scores = np.concatenate([np.zeros(0), *(side.scores for side in scored)])
    sharing, first = np.unique(contents, return_index=True)
    chosen: list[int] = []
    equal = 0
    for place in first[np.lexsort((sharing, -scores[first]))].tolist():
        if len(chosen) == most:
            break
        if probe["table"] is None and _holds(parts[owners[place]], int(sets[place]), question):
            equal += 1
        else:
            chosen.append(place)
    return Candidates(contents[chosen], len(sharing) - equal, equal, mine, weights)


def _holds(part: Part, number: int, question: Question) -> bool:
    """Whether a set has nearly all values of the question as they are."""
    column = part.arrays["columns"][part.arrays["column.starts"][number]]
    hashes = part.segment.dictionary.hashes[part.segment.set_of(column)]
    return int(np.isin(question.hashes, hashes).sum()) >= EQUAL * len(question)


def _shared(part: Part, mine: np.ndarray) -> Shared:
    places, pieces = entries_with(part.arrays, mine)
    return Shared(pieces, part.arrays["entry.sets"][places])


def _weights(parts: Sequence[Part], shared: Sequence[Shared], size: int) -> np.ndarray:
    """The weight of each piece of the question."""
    columns, having = 0, np.zeros(size)
    for part, found in zip(parts, shared, strict=True):
        live = np.diff(_live_columns(part).starts)
        columns += int(live.sum())
        having += np.bincount(found.pieces, live[found.sets], minlength=size)
    return logarithms(1 + columns / np.maximum(having, 1)) ** 2


def logarithms(rarities: np.ndarray) -> np.ndarray:
    """Logarithms as integers, of which sums are exact."""
    return np.floor(_UNITS * np.log(rarities) + 0.5).astype(np.int64)


def _live_columns(part: Part) -> EligibleColumns:
    return eligible_columns(part, {"table": None, "skip": None, "numbers": True})


class _Scored(NamedTuple):
    sets: np.ndarray
    contents: np.ndarray
    scores: np.ndarray


def _scored(part: Part, found: Shared, weights: np.ndarray, probe: dict[str, Any]) -> _Scored:
    """The sets that can answer and share a piece, and their scores."""
    pieces, kept = part.arrays["set.pieces"], part.arrays["set.kept"]
    sums = np.bincount(found.sets, weights[found.pieces], minlength=len(pieces))
    sets = np.flatnonzero((sums > 0) & (np.diff(eligible_columns(part, probe).starts) > 0))
    scores = sums[sets] * np.sqrt(pieces[sets].astype(np.float64)) / kept[sets]
    return _Scored(sets, part.arrays["set.contents"][sets], scores)
