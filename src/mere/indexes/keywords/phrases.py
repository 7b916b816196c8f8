"""Which values have these words next to each other?

The index knows which columns have the words; the values of these columns decide.  They are filtered by a regular
expression first, so that Python cuts few of them into words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from mere.indexes.keywords.query import Option, Slot
from mere.indexes.keywords.words import cell_words, joined_words
from mere.segments import Segment
from mere.store import Strings

_AT_ONCE = 4096  # values that are looked at before the next ones
_SIGN = "[^a-z0-9]"
_OTHER = r"[^\x00-\x7f]"  # a letter beyond ASCII, perhaps with an accent
_ACCENTS = "\u0300-\u036f"


def values_with(segment: Segment, ids: np.ndarray, option: Option) -> np.ndarray:
    """Those of the values with these ids (each once, ascending) that have the phrase."""
    return ids[list(_matching(segment, ids, option))]


def first_with(segment: Segment, ids: np.ndarray, option: Option) -> str:
    """The first of these values that has the phrase; empty if none has it."""
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        if (place := next(_matching(segment, some, option), None)) is not None:
            return segment.dictionary.values[int(some[place])]
    return ""


def first_with_word(segment: Segment, ids: np.ndarray, slot: Slot) -> str:
    """The first of these values that has one of the words, or words that make one of them when joined."""
    for id_ in ids.tolist():
        value = segment.dictionary.values[id_]
        if any(_fills(word, slot) for word in cell_words(value) + joined_words(value)):
            return value
    return ""


def _matching(segment: Segment, ids: np.ndarray, option: Option) -> Iterator[int]:
    """The places of the values that have the phrase, ascending."""
    if not len(ids):
        return
    values, may_match = segment.dictionary.values.take(ids), re.compile(_loose(option)).search
    for place in _candidates(values, option).tolist():
        value = values[place]
        if may_match(value) and has_phrase(cell_words(value), option):
            yield place


def _candidates(values: Strings, option: Option) -> np.ndarray:
    """The places of the values that have the longest word of the phrase, or letters beyond ASCII."""
    words = [slot[0].rstrip("*") for slot in option if len(slot) == 1 and slot[0].isascii()]
    if not words:
        return np.arange(len(values))
    found = np.array(list(_found(values.data.tobytes(), max(words, key=len).encode())), np.int64)
    beyond = np.flatnonzero(values.data >= 128)
    owners = np.searchsorted(values.offsets, np.concatenate([found, beyond]), side="right") - 1
    wanted = np.zeros(len(values), bool)
    wanted[owners] = True
    return np.flatnonzero(wanted)


def _found(text: bytes, word: bytes) -> Iterator[int]:
    place = text.find(word)
    while place >= 0:
        yield place
        place = text.find(word, place + 1)


def _loose(option: Option) -> str:
    """An expression that every value with the phrase matches, and few others: any accent may be on a letter.

    >>> _loose((("new",), ("yo*",))).count("[^a-z0-9]")
    2
    """
    slots = ["(?:" + "|".join(_loose_word(pattern) for pattern in slot) + ")" for slot in option]
    starts_in_ascii = all(pattern[0].isascii() for pattern in option[0])
    return (f"(?:^|{_SIGN})" if starts_in_ascii else "") + f"{_SIGN}*".join(slots)


def _loose_word(pattern: str) -> str:
    letters = (f"(?:{letter}|{_OTHER})" if letter.isascii() else _OTHER for letter in pattern.rstrip("*"))
    return f"[{_ACCENTS}]*".join(letters) + (f"(?:[a-z0-9]|{_OTHER})*" if pattern.endswith("*") else "")


def has_phrase(words: list[str], option: Option) -> bool:
    """Whether the words of the slots are next to each other among these.

    >>> has_phrase(["a", "new", "york"], (("new",), ("yo*",))), has_phrase(["york", "new"], (("new",), ("york",)))
    (True, False)
    """
    starts = range(len(words) - len(option) + 1)
    return any(all(_fills(words[start + i], slot) for i, slot in enumerate(option)) for start in starts)


def _fills(word: str, slot: Slot) -> bool:
    return any(word.startswith(p[:-1]) if p.endswith("*") else word == p for p in slot)
