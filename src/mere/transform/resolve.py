"""Which pairs of rows do the chosen rules make, where a key belongs to several rows, or rules disagree?

Rules are applied in the order in which they were chosen; a row that has a partner keeps it.  Where a key belongs to
several rows, the rows that share the most besides the key are taken (`agreement`); if they share equally much, all are.
So are the rows that make the same key, unless many do: that is a join of many rows with one.
Where the pairs made first agree in their other columns nearly always, later pairs must, too: "White Christmas" by one
singer is not "White Christmas" by another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mere.transform.agreement import Agreement
from mere.transform.candidates import Candidate
from mere.transform.choose import Pair, pairs_of
from mere.transform.outcome import Conflict

_NEARLY_ALWAYS = 0.85
_ENOUGH_PAIRS = 8
_MOST_RIVALS = 200_000  # pairs: of more, all are taken
_MANY_TO_ONE = 0.1  # share of the keys that several source rows make: then a key may have several


Rivals = dict[int, list[Pair]]  # by row


class Resolved(NamedTuple):
    """Pairs of distinct rows with the number of the rule that made each, and what was decided."""

    pairs: dict[Pair, int]
    conflicts: list[Conflict]


def resolve(chosen: Sequence[Candidate], agreement: Agreement) -> Resolved:
    """The pairs of some rules, each in its turn."""
    pairs: dict[Pair, int] = {}
    left: set[int] = set()
    right: set[int] = set()
    conflicts: list[Conflict] = []
    for number, candidate in enumerate(chosen):
        new = [pair for pair in pairs_of(candidate) if pair[0] not in left and pair[1] not in right]
        contested = _contested(new, candidate)
        kept = _settled(new, contested, agreement)
        if pairs:
            kept = _agreeing(kept, list(pairs), candidate, agreement)
        for place, rivals in enumerate(contested):
            conflicts += _decisions(rivals, place, set(kept))
        pairs.update(dict.fromkeys(kept, number))
        left.update(one for one, _ in kept)
        right.update(other for _, other in kept)
    return Resolved(pairs, conflicts)


def _contested(pairs: list[Pair], candidate: Candidate) -> tuple[Rivals, Rivals]:
    """The left and the right rows that have several partners but should have one, with all their pairs."""
    target = 1 if candidate.rule.direction == "left to right" else 0
    several = [{row: rivals for row, rivals in _by_row(pairs, place).items() if len(rivals) > 1} for place in (0, 1)]
    targets = len({pair[target] for pair in pairs})
    if len(several[target]) > _MANY_TO_ONE * targets:
        several[target] = {}  # many source rows belong to one target row, and that is how it should be
    return several[0], several[1]


def _settled(pairs: list[Pair], contested: tuple[Rivals, Rivals], agreement: Agreement) -> list[Pair]:
    """The pairs without those that agree less than a rival."""
    rivals = [pair for side in contested for ones in side.values() for pair in ones]
    if not rivals or len(rivals) > _MOST_RIVALS:
        return pairs
    shared = {pair: agreement.of(*pair) for pair in rivals}
    best = [{row: max(map(shared.__getitem__, ones)) for row, ones in side.items()} for side in contested]
    return [
        pair
        for pair in pairs
        if all(shared[pair] >= best[place][pair[place]] for place in (0, 1) if pair[place] in best[place])
    ]


def _by_row(pairs: list[Pair], place: int) -> Rivals:
    found: dict[int, list[Pair]] = defaultdict(list)
    for pair in pairs:
        found[pair[place]].append(pair)
    return found


def _decisions(rivals: Rivals, place: int, kept: set[Pair]) -> Iterator[Conflict]:
    """What was decided for rows with several partners; `place` is 0 for rows of the left table."""
    for row, pairs in rivals.items():
        taken = tuple(pair[1 - place] for pair in pairs if pair in kept)
        partners = tuple(pair[1 - place] for pair in pairs)
        yield Conflict("right" if place else "left", row, partners, taken)


def _agreeing(new: list[Pair], taken: list[Pair], candidate: Candidate, agreement: Agreement) -> list[Pair]:
    """The new pairs whose other columns agree, if those of the pairs taken before nearly always do."""
    without = agreement.columns_of(candidate.rule)
    if len(taken) < _ENOUGH_PAIRS:
        return new
    agree = [agreement.of(*pair, without) > 0 for pair in taken[:500]]
    if sum(agree) < _NEARLY_ALWAYS * len(agree):
        return new
    return [pair for pair in new if agreement.of(*pair, without) > 0]
