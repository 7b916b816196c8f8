"""Which of the rules are taken together?  Greedily, the most new pairs first, against conflicts and complexity.

A rule gains the rows of both tables that had no partner; it loses for every row that it pairs differently from the
rules taken before, and for ambiguous keys.  A rule must explain more than it costs to write down: every new pair is
worth the bits that name one of the keys, every piece costs a few bits, and letters of constants that the target's keys
do not have in common cost theirs (minimum description length).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import log2
from typing import NamedTuple

from mere.transform.candidates import Candidate
from mere.transform.program import Piece

_BITS_OF_PIECE = 3.0
_BITS_OF_LETTER = 4.7
_COMMON = 0.95  # of the keys: a constant in so many of them costs nothing
_SEEN = 200  # keys that are looked at
_FURTHER = 0.03  # of the pairs so far, that a further rule must bring
_RARE = 0.5  # a first rule with a constant that not all keys have counts half
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
    keys = [text.casefold() for text in candidate.keys.texts[:_SEEN] if text]
    total = 0.0
    for step in candidate.rule.program.steps:
        if isinstance(step, Piece):
            total += _BITS_OF_PIECE
        else:
            common = sum(step.text.casefold() in key for key in keys) / max(1, len(keys))
            total += 0.0 if common >= _COMMON else _BITS_OF_LETTER * len(step.text) * (1 - common)
    return total


def has_rare_constant(candidate: Candidate) -> bool:
    """Whether a program writes a text that not nearly all keys have: often it fits a few by accident."""
    pieces = sum(isinstance(step, Piece) for step in candidate.rule.program.steps)
    return bits(candidate) > _BITS_OF_PIECE * pieces


def choose(candidates: Sequence[Candidate], most: int, rows: int) -> list[Candidate]:
    """The rules to take, in the order in which they were taken; `rows` is the size of the smaller table."""
    taken = _Taken()
    chosen: list[Candidate] = []
    open_ones = [(candidate, list(pairs_of(candidate)), bits(candidate)) for candidate in candidates]
    rare = {id(candidate) for candidate in candidates if has_rare_constant(candidate)}
    while open_ones and len(chosen) < most:
        gains = [taken.gain(pairs) for _, pairs, _ in open_ones]
        rated = [
            (gain.total * (_RARE if id(candidate) in rare and not chosen else 1), -cost, -number)
            for number, (gain, (candidate, _, cost)) in enumerate(zip(gains, open_ones, strict=True))
        ]
        number = -max(rated)[2]
        gain = gains[number]
        candidate, pairs, cost = open_ones.pop(number)
        if gain.total <= 0:
            break
        worth = log2(max(2, len(candidate.keys.rows))) * (gain.fewer if chosen else gain.more)
        if worth <= cost or (chosen and gain.total < _least(candidate, chosen[0], len(taken.pairs), rows)):
            continue
        chosen.append(candidate)
        taken.add(pairs)
    return chosen


def _least(candidate: Candidate, first: Candidate, pairs: int, rows: int) -> float:
    """What a further rule must gain: a few percent of the pairs so far; more, if it is for another key."""
    same = (candidate.rule.direction, candidate.rule.key) == (first.rule.direction, first.rule.key)
    return max(2, _FURTHER * pairs) if same else max(3, _OTHER_KEY * rows)


class _Gain(NamedTuple):
    total: float
    fewer: int  # new rows, on the side that has fewer
    more: int


class _Taken:
    """The pairs that the rules taken so far make."""

    def __init__(self) -> None:
        self.left: set[int] = set()
        self.right: set[int] = set()
        self.pairs: set[Pair] = set()

    def add(self, pairs: Sequence[Pair]) -> None:
        """Take the pairs of rows that had no partner."""
        new = [(one, other) for one, other in pairs if one not in self.left and other not in self.right]
        self.pairs.update(new)
        self.left.update(one for one, _ in new)
        self.right.update(other for _, other in new)

    def gain(self, pairs: Sequence[Pair]) -> _Gain:
        """New rows on both sides, less conflicts with what was taken, less ambiguity."""
        new_left: Counter[int] = Counter()
        new_right: Counter[int] = Counter()
        conflicts = 0.0
        for one, other in pairs:
            if (one, other) in self.pairs:
                continue
            if one in self.left or other in self.right:
                conflicts += 1.0 if one in self.left and other in self.right else 0.5
            else:
                new_left[one] += 1
                new_right[other] += 1
        fewer, more = sorted((len(new_left), len(new_right)))
        ambiguous = min(sum(count > 1 for count in side.values()) for side in (new_left, new_right))
        return _Gain(fewer + 0.1 * more - 2 * conflicts - ambiguous, fewer, more)
