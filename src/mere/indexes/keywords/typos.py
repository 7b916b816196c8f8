"""Which words of the lake are close to an unknown one?

The distance is that of optimal string alignment: letters inserted, deleted, replaced, or two neighbours
exchanged. Words of four letters or more may differ by one such slip, of eight or more by two; a missing space
is a slip, too. Numbers are not corrected: a nearby year is a different year.  Words of names, headers and
descriptions are preferred; only if none of them is near, words of cells are looked at that start with the same letter,
which are a twentieth of all.
"""

from __future__ import annotations

from mere.indexes.keywords.vocabulary import Vocabulary

MOST = 5  # corrections of one word
_ONE_SLIP, _TWO_SLIPS = 4, 8  # letters
_SHORTEST_PART = 3  # letters, where a space is missing
_WIDEST_LETTER = 4  # bytes


def slips(word: str) -> int:
    """How many slips are corrected."""
    if word.isnumeric() or len(word) < _ONE_SLIP:
        return 0
    return 1 if len(word) < _TWO_SLIPS else 2


def nearby(word: str, vocabulary: Vocabulary, reach: int, start: str = "") -> dict[str, int]:
    """The words of a vocabulary within reach that start like this, with their distances.

    Compares only those of similar length.
    """
    first, stop = vocabulary.span(start + "*") if start else (0, len(vocabulary))
    terms = vocabulary.texts(first, stop, len(word.encode()), reach * _WIDEST_LETTER)
    if not reach or not terms:
        return {}
    from rapidfuzz.distance import OSA  # only a question with a typo needs it
    from rapidfuzz.process import extract

    close = extract(word, terms, scorer=OSA.distance, score_cutoff=reach, limit=None)
    return {term: int(distance) for term, distance, _ in close}


def halves(word: str) -> list[tuple[str, str]]:
    """The two words it would be with a space in it."""
    return [(word[:cut], word[cut:]) for cut in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1)]
