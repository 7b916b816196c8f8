"""How similar are two texts, word by word?

Words count by their rarity.  Equal words match; so do, in part, an initial and its name, a short form and its long form
("Dan", "Daniel"), and words that differ in a letter or two.  The result is between 0 and 1: the weight that matches,
as a share of the lighter text for the most part, because one of the two often says more ("Gov.", a middle name).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log2

from rapidfuzz.distance import Indel

from mere.transform.canonical import tokens

_OF_LIGHTER = 0.7
_INITIAL, _SHORT_FORM, _MISSPELT = 0.6, 0.7, 0.8
_LEAST_RATIO = 0.75  # of two words that are one misspelt word


class Weights:
    """The weight of every word of two columns."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._counts: Counter[str] = Counter()
        self._texts = 0
        for text in texts:
            self._counts.update(set(tokens(text)))
            self._texts += 1

    def of(self, word: str) -> float:
        return log2(1 + self._texts / (1 + self._counts[word])) * (0.5 if len(word) == 1 else 1.0)

    def similarity(self, one: str, other: str) -> float:
        """How similar two texts are."""
        mine, theirs = list(tokens(one)), list(tokens(other))
        weight_mine, weight_theirs = sum(map(self.of, mine)), sum(map(self.of, theirs))
        lighter, heavier = sorted((weight_mine, weight_theirs))
        if not lighter:
            return 0.0
        matched = 0.0
        for word in [word for word in mine if word in theirs]:
            if word in theirs:
                mine.remove(word)
                theirs.remove(word)
                matched += self.of(word)
        matched += self._alike(mine, theirs, known=matched > 0)
        return min(1.0, matched / (_OF_LIGHTER * lighter + (1 - _OF_LIGHTER) * heavier))

    def _alike(self, mine: Sequence[str], theirs: list[str], known: bool) -> float:
        """The weight of words that match in part; each once.  Short forms count only beside equal words (`known`)."""
        matched, left = 0.0, list(theirs)
        for word in mine:
            degrees = [(_degree(word, other, known), other) for other in left]
            degree, other = max(degrees, default=(0.0, ""))
            if degree:
                left.remove(other)
                matched += degree * max(self.of(word), self.of(other))
        return matched


def _degree(word: str, other: str, known: bool) -> float:
    """To what degree two words that differ may be the same one."""
    if word[0] != other[0] or word[0].isdigit():
        return 0.0
    shorter, longer = sorted((word, other), key=len)
    if known and len(shorter) == 1:
        return _INITIAL
    if known and len(shorter) >= 3 and longer.startswith(shorter):
        return _SHORT_FORM
    ratio = Indel.normalized_similarity(word, other)
    return _MISSPELT * ratio if ratio >= _LEAST_RATIO and len(shorter) >= 4 else 0.0
