"""Which values have these words next to each other?

The index knows which columns have the words; the values of these columns decide.  Their bytes are searched together
first, and then filtered by a regular expression, so that Python cuts few of them into words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from mere.indexes.keywords.query import Option, Slot
from mere.indexes.keywords.words import cell_words, joined_words
from mere.segments import Segment
from mere.store import Strings

_AT_ONCE = 4096  # values that are looked at before the next ones
_SIGN = "[^a-z0-9]"
_OTHER = r"[^\x00-\x7f]"  # a letter beyond ASCII, perhaps with an accent
_ACCENTS = "\u0300-\u036f"
_BETWEEN = r"[^a-z0-9\x80-\xff]+"
_IS_KEPT = np.zeros(256, bool)
_IS_KEPT[list(b"abcdefghijklmnopqrstuvwxyz0123456789 ")] = True


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
    values = segment.dictionary.values.take(ids)
    for place in _with_letters(values, slot).tolist():
        value = values[place]
        if any(_stands_alone(word, value) for word in slot) or _has_word(value, slot):
            return value
    return ""


def _stands_alone(word: str, value: str) -> bool:
    """Whether the word is in the value between signs of ASCII: a fast test that most values with the word pass.

    >>> [_stands_alone("new", value) for value in ("new", "a new-town", "anew", "newé")]
    [True, True, False, False]
    """
    place = value.find(word)
    while place >= 0:
        around = value[place - 1 : place] + value[place + len(word) : place + len(word) + 1]
        if around.isascii() and not any(map(str.isalnum, around)):
            return True
        place = value.find(word, place + 1)
    return False


def _has_word(value: str, slot: Slot) -> bool:
    return any(_fills(word, slot) for word in joined_words(value) + cell_words(value))


def _matching(segment: Segment, ids: np.ndarray, option: Option) -> Iterator[int]:
    """The places of the values that have the phrase, ascending."""
    if not len(ids):
        return
    values, may_match = segment.dictionary.values.take(ids), re.compile(_loose(option)).search
    for place in _with_run(values, option).tolist():
        value = values[place]
        if may_match(value) and has_phrase(cell_words(value), option):
            yield place


def _with_run(values: Strings, option: Option) -> np.ndarray:
    """The places of the values that have the longest run of words of a phrase."""
    run = _run(option)
    if not run:
        return np.arange(len(values))
    words = _BETWEEN.join(re.escape(word) for word in run)
    pattern = f"{words[0]}(?={words[1:]})".encode()  # looks ahead: runs that overlap are all found
    return _owners(values, [match.start() for match in re.finditer(pattern, values.data.tobytes())])


def _run(option: Option) -> list[str]:
    """The longest run of slots that have one pattern of ASCII.

    >>> _run((("a", "b"), ("new",), ("yo*",), ("x",)))
    ['new', 'yo']
    """
    runs = [list[str]()]
    for slot in option:
        single = len(slot) == 1 and slot[0].isascii()
        if single:
            runs[-1].append(slot[0].rstrip("*"))
        if not single or slot[0].endswith("*"):
            runs.append([])
    return max(runs, key=lambda run: len("".join(run)))


def _with_letters(values: Strings, slot: Slot) -> np.ndarray:
    """The places of the values that have the letters of one of these words, with any signs but spaces between them."""
    if not all(word.isascii() for word in slot):
        return np.arange(len(values))
    kept = np.flatnonzero(_IS_KEPT[values.data])
    data = values.data[kept].tobytes()
    found = [place for word in slot for place in _found(data, word.rstrip("*").encode())]
    return _owners(values, kept[found] if found else [])


def _owners(values: Strings, places: Sequence[int] | np.ndarray) -> np.ndarray:
    """The values that these bytes are in, and those with letters beyond ASCII, which may have accents."""
    wanted = np.zeros(len(values), bool)
    for each in (np.asarray(places, np.int64), np.flatnonzero(values.data >= 128)):
        wanted[np.searchsorted(values.offsets, each, side="right") - 1] = True
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
