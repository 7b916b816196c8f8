"""Which pairs of rows do the chosen rules make, where a key belongs to several rows, or rules disagree?

Rules are applied in the order in which they were chosen; a row that has a partner keeps it.  Where a key belongs to
several rows, the rows that share the most besides the key are taken (`agreement`); if they share equally much, all are.
Where the pairs made first agree in their other columns nearly always, later pairs must, too: "White Christmas" by one
singer is not "White Christmas" by another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

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
        new = _settled(new, agreement, conflicts)
        if pairs:
            new = _agreeing(new, list(pairs), candidate, agreement)
        pairs.update(dict.fromkeys(new, number))
        left.update(one for one, _ in new)
        right.update(other for _, other in new)
    return Resolved(pairs, conflicts)


def _settled(pairs: list[Pair], agreement: Agreement, conflicts: list[Conflict]) -> list[Pair]:
    """The pairs without those of rows that share less than a rival does, where both sides have several."""
    of_left: dict[int, list[int]] = defaultdict(list)
    of_right: dict[int, list[int]] = defaultdict(list)
    for one, other in pairs:
        of_left[one].append(other)
        of_right[other].append(one)
    if all(len(others) == 1 for others in of_left.values()) or all(len(ones) == 1 for ones in of_right.values()):
        several = of_left if any(len(others) > 1 for others in of_left.values()) else {}
    else:
        several = of_left
    kept = []
    for one, other in pairs:
        rivals = several.get(one, [])
        if len(rivals) > 1 or (several and len(of_right[other]) > 1):
            mine = agreement.of(one, other)
            best = max(agreement.of(one, rival) for rival in rivals)
            best_for_other = max(agreement.of(row, other) for row in of_right[other])
            if mine < max(best, best_for_other) and len(rivals) > 1:
                continue
        kept.append((one, other))
    for one, others in several.items():
        if len(others) > 1:
            taken = [other for left, other in kept if left == one]
            conflicts.append(Conflict("left", one, tuple(others), taken[0] if len(taken) == 1 else -1))
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
