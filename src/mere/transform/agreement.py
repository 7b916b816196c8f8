"""How much do two rows share besides their key?

The words and numbers that both rows have, outside of the columns of the key, weighted by rarity: a year in
common says more than a party.  Used to settle keys that several rows have, and to tell accidents.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from math import fsum, log2

from mere.transform.canonical import tokens
from mere.transform.outcome import Rule
from mere.transform.tables import Side

_FREQUENT = 0.25  # words that more of the rows of a table have say nothing
_SEEN = 2000  # rows that are counted
WIDEST = 100  # columns of a table that are looked at
_KEPT = 20_000  # rows whose words are kept

Without = tuple[tuple[str, ...], tuple[str, ...]]  # columns of the left and of the right table that do not count


class Agreement:
    """The words of the rows of two tables."""

    def __init__(self, left: Side, right: Side) -> None:
        self.left, self.right = left, right
        self._words: dict[tuple[bool, int, tuple[str, ...]], set[str]] = {}

    @cached_property
    def _frequent(self) -> tuple[Counter[str], int]:
        counts: Counter[str] = Counter()
        rows = 0
        for side in (self.left, self.right):
            for row in side.rows[:_SEEN]:
                counts.update(self.words(side, row, ()))
                rows += 1
        return counts, rows

    def weight(self, word: str) -> float:
        """How much it says that two rows share a word."""
        counts, rows = self._frequent
        share = counts[word] / max(1, rows)
        return 0.0 if share > _FREQUENT else log2(1 + 1 / max(share, 1 / max(1, rows)))

    def words(self, side: Side, row: int, without: tuple[str, ...]) -> set[str]:
        """The words of a row, outside of some columns."""
        place = (side is self.left, row, without)
        if place not in self._words:
            if len(self._words) >= _KEPT:
                self._words.clear()
            names = [name for name in side.names[:WIDEST] if name not in without]
            self._words[place] = {word for text in side.canonical(names, row) for word in tokens(text)}
        return self._words[place]

    @staticmethod
    def columns_of(rule: Rule) -> Without:
        """The columns of both tables that a rule uses, left ones first."""
        mine, theirs = rule.program.columns, rule.key.columns
        return (mine, theirs) if rule.direction == "left to right" else (theirs, mine)

    def of(self, left_row: int, right_row: int, without: Without = ((), ())) -> float:
        """What two rows share, outside of some columns."""
        mine = self.words(self.left, left_row, without[0])
        theirs = self.words(self.right, right_row, without[1])
        return fsum(map(self.weight, mine & theirs))  # the same in any order
