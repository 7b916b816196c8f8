"""Which values have these words next to each other?

The index knows which columns have the words; the values of these columns decide.  They are filtered as bytes
first, so that Python cuts into words only what has every word of the phrase as a substring, or letters beyond ASCII.
"""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from mere.indexes.keywords.query import Option
from mere.indexes.keywords.words import cell_words
from mere.segments import Segment
from mere.store import Strings


def values_with(segment: Segment, columns: np.ndarray, option: Option) -> np.ndarray:
    """The ids of the values of these columns that have the phrase, ascending."""
    ids = np.sort(np.concatenate([segment.set_of(int(column)) for column in columns]))
    ids = ids[np.concatenate([[True], ids[1:] != ids[:-1]])[: len(ids)]]
    return ids[_matching(segment, ids, option)]


def first_with(segment: Segment, ids: np.ndarray, option: Option) -> str:
    """The first of these values that has the phrase; empty if none has it."""
    matching = _matching(segment, ids, option, at_most=1)
    return segment.dictionary.values[int(ids[matching[0]])] if matching else ""


def _matching(segment: Segment, ids: np.ndarray, option: Option, at_most: int = 0) -> list[int]:
    """The places of the values that have the phrase; no more than so many, unless 0."""
    if not len(ids):
        return []
    values = segment.dictionary.values.take(ids)
    places = np.flatnonzero(_may_match(values, option)).tolist()
    matching = []
    for place in places:
        if has_phrase(cell_words(values[place]), option):
            matching.append(place)
            if len(matching) == at_most:
                break
    return matching


def _may_match(values: Strings, option: Option) -> np.ndarray:
    arrow = values.to_arrow()
    may = np.ones(len(values), bool)
    for slot in option:
        if len(slot) == 1 and slot[0].isascii():
            may &= np.asarray(pc.match_substring(arrow, slot[0].rstrip("*")))
    return may if may.all() else may | ~np.asarray(pc.string_is_ascii(arrow))


def has_phrase(words: list[str], option: Option) -> bool:
    """Whether the words of the slots are next to each other among these.

    >>> has_phrase(["a", "new", "york"], (("new",), ("yo*",))), has_phrase(["york", "new"], (("new",), ("york",)))
    (True, False)
    """
    starts = range(len(words) - len(option) + 1)
    return any(all(_fills(words[start + i], slot) for i, slot in enumerate(option)) for start in starts)


def _fills(word: str, slot: tuple[str, ...]) -> bool:
    return any(word.startswith(p[:-1]) if p.endswith("*") else word == p for p in slot)
