"""How much of what is rare in my values is also in their partners?

Any program that cuts values down to something short finds partners: dates match by their day, prices by their first
digits.  A true transformation keeps what is rare.  So a match counts by the weight of the rarest piece that the two
values share, divided by the weight of my value's rarest piece (`candidates` has the weights), from 0 to 1; of several
partners, the best.

    score        the matches of all my values, added up, divided by the number of my values; each value of the column
                 counts at most once, so that a column of years is not a good partner of a column of dates
    accident     where matches count less than `LEAST` on average

Counted in thousandths, so that sums are exact in any order.  Of more than `MOST_VALUES` values, the first by hash.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from mere.indexes.transform.candidates import MOST_VALUES
from mere.indexes.transform.learning import Pairs
from mere.indexes.transform.pieces import Pieces, pieces_of
from mere.store import Strings, offsets_of, places_of

LEAST, COMPLETE = 0.6, 0.99
UNIT = 1_000  # of agreement
_PAIR = np.uint64(32)  # bits below the number of a pair in a key


class Agreement(NamedTuple):
    """What the pairs of two columns say."""

    score: float
    mean: float  # over my values that match

    @property
    def is_complete(self) -> bool:
        """Whether matched values have all that is rare in common."""
        return self.mean >= COMPLETE


def agreement_of(pairs: Pairs, mine: Strings, theirs: Strings, probe: Mapping[str, Any]) -> Agreement:
    """How well the paired values of two columns agree."""
    size = min(len(mine), MOST_VALUES)
    pairs = Pairs(*(side[pairs.mine < size] for side in pairs))
    if len(pairs.mine) == 0:
        return Agreement(0.0, 0.0)
    degrees = np.zeros(size, np.int64)
    np.maximum.at(degrees, pairs.mine, _degrees(pairs, mine.slice(0, size), theirs, probe))
    total, distinct = int(degrees.sum()), len(np.unique(pairs.theirs))
    return Agreement(min(total, UNIT * distinct) / (UNIT * size), total / (UNIT * pairs.matched()))


def _degrees(pairs: Pairs, mine: Strings, theirs: Strings, probe: Mapping[str, Any]) -> np.ndarray:
    """The agreement of each pair, in thousandths."""
    partners, place = np.unique(pairs.theirs, return_inverse=True)
    left, right = pieces_of(mine), pieces_of(theirs.take(partners))
    weights = probe["weights"][np.searchsorted(probe["pieces"], left.hashes)]
    most = np.zeros(len(mine), np.int64)
    np.maximum.at(most, left.owners, weights)
    at = _places(left, pairs.mine, len(mine))
    keys, other = _keys(left, at), _keys(right, _places(right, place, len(partners)))
    is_shared = np.isin(keys, other)
    shared = np.zeros(len(pairs.mine), np.int64)
    np.maximum.at(shared, at.pairs[is_shared], weights[at.pieces[is_shared]])
    return UNIT * shared // np.maximum(most[pairs.mine], 1)


class _Places(NamedTuple):
    pairs: np.ndarray  # the number of the pair
    pieces: np.ndarray  # the places of the pieces of its value


def _places(pieces: Pieces, owners: np.ndarray, values: int) -> _Places:
    """The pieces of the value of each pair."""
    starts = offsets_of(np.bincount(pieces.owners, minlength=values))
    lengths = np.diff(starts)[owners]
    return _Places(np.repeat(np.arange(len(owners)), lengths), places_of(starts[owners], lengths))


def _keys(pieces: Pieces, at: _Places) -> np.ndarray:
    return at.pairs.astype(np.uint64) << _PAIR | pieces.hashes[at.pieces]
