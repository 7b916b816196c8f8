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
_MANY_TO_ONE = 0.1  # share of the keys that several source rows make: then a key may have several


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
        new = _settled(new, candidate, agreement, conflicts)
        if pairs:
            new = _agreeing(new, list(pairs), candidate, agreement)
        pairs.update(dict.fromkeys(new, number))
        left.update(one for one, _ in new)
        right.update(other for _, other in new)
    return Resolved(pairs, conflicts)


def _settled(pairs: list[Pair], candidate: Candidate, agreement: Agreement, conflicts: list[Conflict]) -> list[Pair]:
    """The pairs without those that agree less than a rival, where a row should have one partner."""
    source, target = (0, 1) if candidate.rule.direction == "left to right" else (1, 0)
    of_source, of_target = _by_row(pairs, source), _by_row(pairs, target)
    crowded = [row for row, rivals in of_target.items() if len(rivals) > 1]
    alone = {row for row, rivals in of_source.items() if len(rivals) == 1}
    many = set(crowded) if len(crowded) > _MANY_TO_ONE * len(of_target) else set()
    single = {row for row, rivals in of_target.items() if len(rivals) == 1} | many
    kept = set()
    for pair in pairs:
        if pair[source] in alone and pair[target] in single:
            kept.add(pair)
            continue
        rivals = [*of_source[pair[source]], *of_target[pair[target]]]
        if agreement.of(*pair) >= max(agreement.of(*rival) for rival in rivals):
            kept.add(pair)
    conflicts += _decisions({row: of_source[row] for row in of_source if row not in alone}, source, kept)
    conflicts += _decisions({row: of_target[row] for row in of_target if row not in single}, target, kept)
    return [pair for pair in pairs if pair in kept]


def _by_row(pairs: list[Pair], place: int) -> dict[int, list[Pair]]:
    found: dict[int, list[Pair]] = defaultdict(list)
    for pair in pairs:
        found[pair[place]].append(pair)
    return found


def _decisions(rivals: dict[int, list[Pair]], place: int, kept: set[Pair]) -> Iterator[Conflict]:
    """What was decided for rows with several partners; `place` is 0 for rows of the left table."""
    for row, pairs in rivals.items():
        taken = [pair[1 - place] for pair in pairs if pair in kept]
        partners = tuple(pair[1 - place] for pair in pairs)
        yield Conflict("right" if place else "left", row, partners, taken[0] if len(taken) == 1 else -1)


def _agreeing(new: list[Pair], taken: list[Pair], candidate: Candidate, agreement: Agreement) -> list[Pair]:
    """The new pairs whose other columns agree, if those of the pairs taken before nearly always do."""
    without = agreement.columns_of(candidate.rule)
    if len(taken) < _ENOUGH_PAIRS:
        return new
    agree = [agreement.of(*pair, without) > 0 for pair in taken[:500]]
    if sum(agree) < _NEARLY_ALWAYS * len(agree):
        return new
    return [pair for pair in new if agreement.of(*pair, without) > 0]
