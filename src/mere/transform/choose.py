"""Which of the rules are taken together?  Greedily, the most new pairs first, against conflicts and complexity.

A rule gains the rows of both tables that had no partner; it loses for every row that it pairs differently from the rules
taken before, and for ambiguous keys.  A further rule must explain more than it costs to write down: every new pair
is worth the bits that name a row of the smaller table, every step costs a few bits, and letters of constants that the
target's keys do not have in common cost theirs (minimum description length).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import log2

from mere.transform.candidates import Candidate
from mere.transform.learn import cost_of
from mere.transform.program import Constant

_BITS_OF_STEP = 3.0
_BITS_OF_LETTER = 4.7
_OTHER_KEY = 0.1  # a rule for another key than the first must bring so many of the rows

Pair = tuple[int, int]  # left row, right row


def pairs_of(candidate: Candidate) -> Iterator[Pair]:
    """The pairs of rows of a candidate, left row first."""
    forwards = candidate.rule.direction == "left to right"
    for row, partners in candidate.partners.items():
        for partner in partners:
            yield (row, partner) if forwards else (partner, row)


def bits(candidate: Candidate) -> float:
    """What it costs to write a program down."""
    keys = [text.casefold() for text in candidate.keys.texts[:200] if text]
    total = 0.0
    for step in candidate.rule.program.steps:
        total += _BITS_OF_STEP
        if isinstance(step, Constant):
            common = sum(step.text.casefold() in key for key in keys) / max(1, len(keys))
            total += _BITS_OF_LETTER * len(step.text) * (1 - common)
    return total


def choose(candidates: Sequence[Candidate], most: int, rows: int) -> list[Candidate]:
    """The rules to take, in the order in which they were taken; `rows` is the size of the smaller table."""
    left: set[int] = set()
    right: set[int] = set()
    taken: set[Pair] = set()
    chosen: list[Candidate] = []
    open_ones = [(candidate, list(pairs_of(candidate)), bits(candidate)) for candidate in candidates]
    worth = log2(max(2, rows))
    while open_ones and len(chosen) < most:
        rated = [(_gain(pairs, left, right, taken), -cost, number) for number, (_, pairs, cost) in enumerate(open_ones)]
        gain, _, number = max(rated)
        candidate, pairs, cost = open_ones.pop(number)
        if gain <= 0:
            break
        if chosen:
            if gain * worth <= cost:
                continue
            if _other_key(candidate, chosen[0]) and gain < max(3, _OTHER_KEY * rows):
                continue
        chosen.append(candidate)
        new = [pair for pair in pairs if pair[0] not in left and pair[1] not in right]
        taken.update(new)
        left.update(one for one, _ in new)
        right.update(other for _, other in new)
    return chosen


def _other_key(candidate: Candidate, first: Candidate) -> bool:
    return (candidate.rule.direction, candidate.rule.key) != (first.rule.direction, first.rule.key)


def _gain(pairs: Sequence[Pair], left: set[int], right: set[int], taken: set[Pair]) -> float:
    """New rows on both sides, less conflicts with what was taken, less ambiguity."""
    new_left: Counter[int] = Counter()
    new_right: Counter[int] = Counter()
    conflicts = 0.0
    for one, other in pairs:
        if (one, other) in taken:
            continue
        if one in left or other in right:
            conflicts += 1.0 if one in left and other in right else 0.5
        else:
            new_left[one] += 1
            new_right[other] += 1
    fewer, more = sorted((len(new_left), len(new_right)))
    ambiguous = sum(new_left.values()) - more
    return fewer + 0.1 * more - 2 * conflicts - ambiguous


def cost(candidate: Candidate) -> int:
    """How complicated a rule is."""
    return sum(cost_of(step) for step in candidate.rule.program.steps)
