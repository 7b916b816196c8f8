"""Which pairs of rows do the chosen rules make, where a key belongs to several rows, or rules disagree?

Rules are applied in the order in which they were chosen; a row that has a partner keeps it.  Where a key belongs to
several rows, the rows that share the most besides the key are taken (`agreement`); if they share equally much, all are.
Where the pairs made first agree in their other columns nearly always, later pairs must, too: "White Christmas" by one
singer is not "White Christmas" by another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal, NamedTuple

from mere.transform.agreement import Agreement
from mere.transform.candidates import Candidate
from mere.transform.choose import Pair, pairs_of
from mere.transform.outcome import Conflict

_NEARLY_ALWAYS = 0.85
_ENOUGH_PAIRS = 8


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
    """The pairs without those of a source row that has several, where a rival of the row or of its partner agrees more.

    Several source rows of one key are no conflict: that is a join of many rows with one.
    """
    source, target = (0, 1) if candidate.rule.direction == "left to right" else (1, 0)
    of_source: dict[int, list[Pair]] = defaultdict(list)
    of_target: dict[int, list[Pair]] = defaultdict(list)
    for pair in pairs:
        of_source[pair[source]].append(pair)
        of_target[pair[target]].append(pair)
    kept = []
    for pair in pairs:
        rivals = of_source[pair[source]]
        if len(rivals) > 1:
            best = max(agreement.of(*rival) for rival in (*rivals, *of_target[pair[target]]))
            if agreement.of(*pair) < best:
                continue
        kept.append(pair)
    left = set(kept)
    for row, rivals in of_source.items():
        if len(rivals) > 1:
            taken = [rival[target] for rival in rivals if rival in left]
            partners = tuple(rival[target] for rival in rivals)
            side: Literal["left", "right"] = "right" if source else "left"
            conflicts.append(Conflict(side, row, partners, taken[0] if len(taken) == 1 else -1))
    return kept


def _agreeing(new: list[Pair], taken: list[Pair], candidate: Candidate, agreement: Agreement) -> list[Pair]:
    """The new pairs whose other columns agree, if those of the pairs taken before nearly always do."""
    without = agreement.columns_of(candidate.rule)
    if len(taken) < _ENOUGH_PAIRS:
        return new
    agree = [agreement.of(*pair, without) > 0 for pair in taken[:500]]
    if sum(agree) < _NEARLY_ALWAYS * len(agree):
        return new
    return [pair for pair in new if agreement.of(*pair, without) > 0]
