"""Which rows of two tables probably belong together?  Examples to learn programs from (algorithm 3 of the thesis).

For every value of a source column, or every row of the source table, the values of a target column are scored by the
pieces they share: the longer and the rarer a piece, the more it says.

    C_s, C_t        source and target column          the cells given to find_examples, TargetIndex
    1/(n m)         score of a q-gram match           rarity: log2(1 + M / m), M values in the column, m with the piece
    joinable pair   1-to-1 q-gram match               Example: each is the other's best, by a margin

Beyond the thesis: pieces are compared in canonical form; words and numbers shorter than a q-gram count, too, as do
initials, and texts that have the same words in any order, or are equal without their signs; all pieces of a pair add
up; and pairs need not share a piece that nobody else has, but must be mutually best.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from heapq import nlargest
from math import log2
from typing import NamedTuple

from mere.transform.canonical import canonical, tokens
from mere.transform.suffixes import Suffixes

MARGIN = 1.15  # how much better the best partner must be than the second
_ENOUGH_MUTUAL = 0.2  # of the target values: then examples of which only one is the best for the other are left out
_MOST_VALUES = 24  # a piece that more values hold is ignored
_MOST_WITH_TOKEN = 500
_MOST_CHARACTERS = 1_500_000  # of an index: of many long texts, only the beginnings are looked at
_SHORTEST_CUT = 32
_ROWS_PER_LOOK = 50  # at the clock
_LONGEST_INITIALS = 4


class Example(NamedTuple):
    """A row of the source and a row of the target that probably belong together."""

    source: int
    target: int
    mutual: bool  # each is the other's best
    margin: float  # 1 and more: how many times better than the second best
    score: float


class TargetIndex:
    """The distinct texts of a target column, and what they are made of."""

    def __init__(self, texts: Sequence[str | None]) -> None:
        first_row: dict[str, int] = {}
        for row, text in enumerate(texts):
            if text is not None and (key := canonical(text)):
                first_row.setdefault(key, row)
        self.texts = list(first_row)
        self._known: dict[str, Mapping[int, float]] = {}  # the scores of texts that were asked for
        self.rows = list(first_row.values())
        longest = max(_SHORTEST_CUT, _MOST_CHARACTERS // max(1, len(self.texts)))
        self.suffixes = Suffixes([text[:longest] for text in self.texts])
        self.by_token: dict[str, list[int]] = defaultdict(list)
        self.by_letters: dict[str, list[int]] = defaultdict(list)
        self.by_words: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for place, text in enumerate(self.texts):
            for token in set(tokens(text)):
                self.by_token[token].append(place)
            self.by_letters[_letters(text)].append(place)
            self.by_words[_sorted_words(text)].append(place)

    def rarity(self, count: int) -> float:
        return log2(1 + len(self.texts) / count)

    def scores(self, cells: Sequence[str]) -> Mapping[int, float]:
        """How much the cells of a source row share with every target value: by place, those that share anything."""
        if len(cells) == 1:
            return self._scores_of(cells[0])
        total: dict[int, float] = defaultdict(float)
        for text in cells:
            for place, score in self._scores_of(text).items():
                total[place] += score
        return total

    def _scores_of(self, text: str) -> Mapping[int, float]:
        if text not in self._known:
            self._known[text] = self._new_scores(text)
        return self._known[text]

    def _new_scores(self, text: str) -> Mapping[int, float]:
        scores: dict[int, float] = defaultdict(float)
        for shared in self.suffixes.shared_pieces(text, _MOST_VALUES):
            holders = self.suffixes.values_with(shared)
            weight = (shared.length - 2) * self.rarity(len(holders))
            for place in holders:
                scores[place] += weight
        most = max(_MOST_VALUES, min(_MOST_WITH_TOKEN, len(self.texts) // 8))
        for token in dict.fromkeys(tokens(text)):  # not a set: the order of a sum of floats
            places = self.by_token.get(token, [])
            if places and len(places) <= most:
                weight = min(len(token), 4) * 0.5 * self.rarity(len(places))
                for place in places:
                    scores[place] += weight
        initials = "".join(word[0] for word in text.split())
        for letters in dict.fromkeys((_letters(text), initials if len(initials) <= _LONGEST_INITIALS else "")):
            places = self.by_letters.get(letters, []) if len(letters) > 1 else []
            for place in places:
                scores[place] += 2 * len(letters) * self.rarity(len(places))
        words = _sorted_words(text)
        places = self.by_words.get(words, []) if len(words) > 1 else []
        for place in places:
            scores[place] += 2 * sum(map(len, words)) * self.rarity(len(places))
        return scores


def _sorted_words(text: str) -> tuple[str, ...]:
    """All words and numbers of a text, whatever their order."""
    return tuple(sorted(tokens(text)))


def _letters(text: str) -> str:
    """A text without spaces and signs."""
    return "".join(c for c in text if c.isalnum())


def find_examples(
    rows: Sequence[tuple[int, tuple[str, ...]]], index: TargetIndex, out_of_time: Callable[[], bool]
) -> list[Example]:
    """The mutually best pairs of source rows (their number and canonical cells) and target values, best first."""
    rivals: dict[int, tuple[float, int, float]] = {}  # by target: the best score, its item, the second best score
    best: dict[int, tuple[int, float, float]] = {}
    for item, (_, cells) in enumerate(rows):
        if item % _ROWS_PER_LOOK == 0 and out_of_time():
            break
        scores = index.scores(cells)
        if not scores:
            continue
        top = nlargest(2, scores.items(), key=lambda item: (item[1], -item[0]))
        best[item] = (top[0][0], top[0][1], top[1][1] if len(top) > 1 else 0.0)
        for place, score in scores.items():
            first, owner, second = rivals.get(place, (0.0, -1, 0.0))
            if score > first:
                rivals[place] = (score, item, first)
            elif score > second:
                rivals[place] = (first, owner, score)
    examples = []
    for item, (place, score, second) in best.items():
        _, owner, rival = rivals[place]
        margin: float = score / second if second else 2 * MARGIN
        if margin >= MARGIN:
            mutual = owner == item and score >= MARGIN * rival
            examples.append(Example(rows[item][0], index.rows[place], mutual, min(margin, 4.0), score))
    both = [example for example in examples if example.mutual]
    if len(both) >= max(3, _ENOUGH_MUTUAL * len(index.texts)):
        examples = both  # the others are likely rows without a partner
    return sorted(examples, key=lambda example: (not example.mutual, -example.margin, -example.score, example.source))
