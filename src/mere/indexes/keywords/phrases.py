"""Which values have these words next to each other?

The index knows which columns have the words; the values of these columns decide.  They are filtered by a regular
expression first, so that Python cuts few of them into words.
"""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from mere.indexes.keywords.query import Option, Slot
from mere.indexes.keywords.words import cell_words, joined_words
from mere.segments import Segment
from mere.store import Strings

_AT_ONCE = 4096  # values that are looked at before the next ones
_SIGN = "[^a-z0-9]"
_OTHER = r"\x{80}-\x{10ffff}"  # letters beyond ASCII
_ACCENTS = r"\x{300}-\x{36f}"


def values_with(segment: Segment, columns: np.ndarray, option: Option) -> np.ndarray:
    """The ids of the values of these columns that have the phrase, ascending."""
    ids = np.sort(np.concatenate([segment.set_of(int(column)) for column in columns]))
    ids = ids[np.concatenate([[True], ids[1:] != ids[:-1]])[: len(ids)]]
    return ids[_matching(segment, ids, option)]


def first_with(segment: Segment, ids: np.ndarray, option: Option) -> str:
    """The first of these values that has the phrase; empty if none has it."""
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        if matching := _matching(segment, some, option):
            return segment.dictionary.values[int(some[matching[0]])]
    return ""


def first_with_word(segment: Segment, ids: np.ndarray, slot: Slot) -> str:
    """The first of these values that has one of the words, or words that make one of them when joined."""
    for id_ in ids.tolist():
        value = segment.dictionary.values[id_]
        if any(_fills(word, slot) for word in cell_words(value) + joined_words(value)):
            return value
    return ""


def _matching(segment: Segment, ids: np.ndarray, option: Option) -> list[int]:
    """The places of the values that have the phrase."""
    if not len(ids):
        return []
    values = segment.dictionary.values.take(ids)
    places = np.flatnonzero(_may_match(values, option)).tolist()
    return [place for place in places if has_phrase(cell_words(values[place]), option)]


def _may_match(values: Strings, option: Option) -> np.ndarray:
    return np.asarray(pc.match_substring_regex(values.to_arrow(), _loose(option)))


def _loose(option: Option) -> str:
    """An expression (of RE2) that every value with the phrase matches, and few others: any accent may be on a letter.

    >>> _loose((("new",), ("yo*",))).count("[^a-z0-9]")
    2
    """
    slots = ["(?:" + "|".join(_loose_word(pattern) for pattern in slot) + ")" for slot in option]
    starts_in_ascii = all(pattern[0].isascii() for pattern in option[0])
    return (f"(?:^|{_SIGN})" if starts_in_ascii else "") + f"{_SIGN}*".join(slots)


def _loose_word(pattern: str) -> str:
    letters = (f"[{letter}{_OTHER}]" if letter.isascii() else f"[{_OTHER}]" for letter in pattern.rstrip("*"))
    return f"[{_ACCENTS}]*".join(letters) + (f"[a-z0-9{_OTHER}]*" if pattern.endswith("*") else "")


def has_phrase(words: list[str], option: Option) -> bool:
    """Whether the words of the slots are next to each other among these.

    >>> has_phrase(["a", "new", "york"], (("new",), ("yo*",))), has_phrase(["york", "new"], (("new",), ("york",)))
    (True, False)
    """
    starts = range(len(words) - len(option) + 1)
    return any(all(_fills(words[start + i], slot) for i, slot in enumerate(option)) for start in starts)


def _fills(word: str, slot: Slot) -> bool:
    return any(word.startswith(p[:-1]) if p.endswith("*") else word == p for p in slot)
