"""How much of what tells my values apart is also in their partners?

Any program that cuts values down to something short finds partners: dates match by their day, prices by their first
digits.  A true transformation keeps what is rare.  So a match counts by the larger of two shares, from 0 to 1; of
several partners, the best counts:

    in the lake      the weight of the rarest piece that the two values share, divided by the weight of my value's
                     rarest piece (`candidates` has the weights)
    in my column     the same with the weight ln(my values / my values that have the piece), rounded as in
                     `candidates`: the words that all my values have count nothing, so that `market austria (2024)`
                     agrees with `austria` also in a lake where many columns have that word; only for partners that
                     have no other words than mine, because `jana novak` is not `jana silva`; and only by pieces that
                     have letters, because a column of common numbers may be of anything

    score            the matches of all my values, added up, divided by the number of my values; each value of the
                     column counts at most once, so that a column of years is not a good partner of a column of dates
    accident         where matches count less than `LEAST` on average

Counted in thousandths, so that sums are exact in any order.  Of more than `MOST_VALUES` values, the first by hash.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from mere.indexes.transform.candidates import MOST_VALUES, logarithms
from mere.indexes.transform.learning import Pairs
from mere.indexes.transform.pieces import Pieces, pieces_of, words_of
from mere.store import Strings, offsets_of, places_of

LEAST, COMPLETE = 0.6, 0.99
UNIT = 1_000  # of agreement
_PAIR = np.uint64(32)  # bits below the number of a pair in a key


class Agreement(NamedTuple):
    """What the pairs of two columns say."""

    score: float
    mean: float  # over my values that match
    in_lake: float  # the same, of what is rare in the lake only

    @property
    def is_complete(self) -> bool:
        """Whether matched values have all in common that is rare in the lake."""
        return self.in_lake >= COMPLETE


def agreement_of(pairs: Pairs, mine: Strings, theirs: Strings, probe: Mapping[str, Any]) -> Agreement:
    """How well the paired values of two columns agree."""
    size = min(len(mine), MOST_VALUES)
    pairs = Pairs(*(side[pairs.mine < size] for side in pairs))
    if len(pairs.mine) == 0:
        return Agreement(0.0, 0.0, 0.0)
    compared = _compared(pairs, mine.slice(0, size), theirs)
    in_lake = compared.degrees(probe["weights"][np.searchsorted(probe["pieces"], compared.mine.hashes)])
    in_column = np.where(compared.has_others, 0, compared.with_letters().degrees(_own_weights(compared.mine, size)))
    total, rare = (int(_best(pairs, degrees).sum()) for degrees in (np.maximum(in_lake, in_column), in_lake))
    distinct, matched = len(np.unique(pairs.theirs)), UNIT * pairs.matched()
    return Agreement(min(total, UNIT * distinct) / (UNIT * size), total / matched, rare / matched)


def _best(pairs: Pairs, degrees: np.ndarray) -> np.ndarray:
    """The best agreement of each of my values."""
    best = np.zeros(int(pairs.mine.max()) + 1, np.int64)
    np.maximum.at(best, pairs.mine, degrees)
    return best


class _Compared(NamedTuple):
    """The pieces of my values, and which of them the partners have."""

    values: int  # of mine
    mine: Pieces
    owners: np.ndarray  # of each pair: the place of my value
    shared: _Places  # the pieces that the two values of a pair share
    has_others: np.ndarray  # of each pair: whether the partner has words that my value does not have

    def with_letters(self) -> _Compared:
        """The same without the shared pieces that have no letters."""
        chosen = self.mine.has_letters[self.shared.pieces]
        return self._replace(shared=_Places(*(side[chosen] for side in self.shared)))

    def degrees(self, weights: np.ndarray) -> np.ndarray:
        """The agreement of each pair in thousandths, by weights of my pieces."""
        most = np.zeros(self.values, np.int64)
        np.maximum.at(most, self.mine.owners, weights)
        shared = np.zeros(len(self.owners), np.int64)
        np.maximum.at(shared, self.shared.pairs, weights[self.shared.pieces])
        return UNIT * shared // np.maximum(most[self.owners], 1)


def _compared(pairs: Pairs, mine: Strings, theirs: Strings) -> _Compared:
    partners, place = np.unique(pairs.theirs, return_inverse=True)
    theirs = theirs.take(partners)
    left, right, words = pieces_of(mine), pieces_of(theirs), words_of(theirs)
    at, at_words = _places(left, pairs.mine, len(mine)), _places(words, place, len(partners))
    keys = _keys(left, at)
    is_shared = np.isin(keys, _keys(right, _places(right, place, len(partners))))
    others = at_words.pairs[~np.isin(_keys(words, at_words), keys)]
    has_others = np.bincount(others, minlength=len(place)) > 0
    shared = _Places(at.pairs[is_shared], at.pieces[is_shared])
    return _Compared(len(mine), left, pairs.mine, shared, has_others)


def _own_weights(pieces: Pieces, values: int) -> np.ndarray:
    """The weight of each piece by how many of my values have it."""
    having = np.unique(pieces.owners.astype(np.uint64) << _PAIR | pieces.hashes).astype(np.uint32)
    distinct, counts = np.unique(having, return_counts=True)
    return logarithms(values / counts)[np.searchsorted(distinct, pieces.hashes)]


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
