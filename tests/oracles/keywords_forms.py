"""Which words does the oracle take for forms of a word, and in which languages?  Written from the documents of `stems`.

It tests every word of the lake, where the index lists the words that could exist.  Shared are the lists of endings,
of plurals and of markers.
"""

from __future__ import annotations

import re

from mere.indexes.keywords.stems import ENDINGS, IRREGULAR, MARKERS, NUMBERS
from tests.oracles.keywords_reading import Word

_PLURALS = (  # the first that fits
    (r"(..+)ies", r"\1y"),
    (r"(?=....)(.*(?:ss|x|z|ch|sh))es", r"\1"),
    (r"(..+[^sui])s", r"\1"),
)


def spoken(lake: list[list[Word]]) -> list[str]:
    """The languages besides English: markers in a quarter of the tables that the most frequent language is in."""
    terms = [{word.term for word in words} for words in lake]
    tables = {name: sum(bool(own & set(markers)) for own in terms) for name, markers in MARKERS.items()}
    most = max(tables.values(), default=0)
    return [name for name in ENDINGS if most and tables[name] / most >= 0.25]


def are_forms(word: str, other: str, languages: list[str]) -> bool:
    """Whether two different words have the same stem in English or one of the languages.

    >>> are_forms("housing", "house", []), are_forms("house", "horse", []), are_forms("land", "lander", ["german"])
    (True, False, True)
    """
    if word == other or not all(re.fullmatch("[a-z]{3,}", each) for each in (word, other)):
        return False
    if any(word in group and other in group for group in IRREGULAR) or _are_numbers(word, other):
        return True
    stems = [english, *(lambda w, name=name: foreign(w, ENDINGS[name]) for name in languages)]
    return any(stem(word) == stem(other) for stem in stems)


def _are_numbers(word: str, other: str) -> bool:
    """Whether one is the other with the ending of a plural, after the same four letters or more."""
    if word[:4] != other[:4] or min(len(word), len(other)) < 4:
        return False
    cuts = [cut for cut in range(len(word) + 1) if word[:cut] == other[:cut]]
    endings = {(word[cut:], other[cut:]) for cut in cuts} | {(other[cut:], word[cut:]) for cut in cuts}
    return not endings.isdisjoint(NUMBERS)


def english(word: str) -> str:
    """The stem of an English word.

    >>> english("cities"), english("planned"), english("glass"), english("string"), english("rating")
    ('citi', 'plan', 'glass', 'string', 'rate')
    """
    for pattern, singular in _PLURALS:
        if match := re.fullmatch(pattern, word):
            word = match.expand(singular)
            break
    if (match := re.fullmatch("(..+[^e])(?:ing|ed)", word)) and re.search("[aeiouy]", match[1]):
        word = re.sub(r"([^lsz])\1$", r"\1", match[1])
        if word == match[1]:
            word = re.sub("^([^aeiouy][aeiouy][^aeiouywx])$", r"\1e", word)
    if word.endswith("ione"):
        return word
    return re.sub("(....|..s)e$", r"\1", word) if word.endswith("e") else re.sub("(..[^aeiouy])y$", r"\1i", word)


def foreign(word: str, endings: tuple[str, ...]) -> str:
    stems = [word[: -len(end)] for end in endings if word.endswith(end)]
    return min((stem for stem in stems if len(stem) >= 4), key=len, default=word)
