"""Which words of names and headers have a word as a part: `passengercount` for `passenger`?

A compound is a word that starts or ends with the word that was asked for, where the rest is itself a word of the
names, headers or descriptions of the lake: its own vocabulary says where compounds are cut.  So `carpet` is not
found by `pet`, unless some header is `car`.  A run that is cut anyway (`homeTeam`) is not a compound where its pieces
are indexed beside it.

The rest must be known in the lake, not in the segment: answers do not depend on segments.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mere.indexes.keywords.vocabulary import Vocabulary

SHORTEST = 4  # letters of the word: shorter ones begin too many words
SHORTEST_REST = 3
_AFTER = "\U0010ffff"


class Compound(NamedTuple):
    """A word and its two parts, in order."""

    word: str
    first: str
    second: str


def compounds(word: str, names: Vocabulary, backwards: np.ndarray) -> Iterator[Compound]:
    """The words that start or end with this one, each with its two parts."""
    if len(word) < SHORTEST or not word.isalpha():
        return
    first, stop = names.span(word + "*")
    for place in range(first, stop):
        longer = names[place]
        if len(longer) >= len(word) + SHORTEST_REST:
            yield Compound(longer, word, longer[len(word) :])
    reverse = word[::-1]

    def reversed_word(place: int) -> str:
        return names[int(backwards[place])][::-1]

    low = bisect_left(range(len(backwards)), reverse, key=reversed_word)
    high = bisect_left(range(len(backwards)), reverse + _AFTER, low, key=reversed_word)
    for place in range(low, high):
        longer = names[int(backwards[place])]
        if len(longer) >= len(word) + SHORTEST_REST:
            yield Compound(longer, longer[: -len(word)], word)
