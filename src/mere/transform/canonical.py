"""How are texts compared while pairs of rows are looked for?  Programs run on the texts as they were written.

canonical("Pope&#39;s  Creek")  ->  "pope's creek"       entities, accents, case and runs of spaces do not count
tokens("05 March 2021")         ->  ("5", "3", "2021")   words and numbers, without leading zeros; months by number
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from html import unescape

from mere.transform.program import month_number

LONGEST = 256  # characters of a cell that are looked at; programs read all of them
_WORDS = re.compile(r"[^\W\d_]+|[0-9]+")


def canonical(text: str) -> str:
    """A text without the differences that do not matter to people."""
    return _canonical(text[: 4 * LONGEST])


@lru_cache(maxsize=1 << 15)
def _canonical(text: str) -> str:
    if "&" in text:
        text = unescape(text)
    if not text.isascii():
        text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return " ".join(text.casefold().split())[:LONGEST]


def tokens(text: str) -> tuple[str, ...]:
    """The words and numbers of a text, in order."""
    return _tokens(text[: 4 * LONGEST])


@lru_cache(maxsize=1 << 15)
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(month_number(word) or word.lstrip("0") or "0" for word in _WORDS.findall(canonical(text)))


def shape_of(key: str) -> str:
    """The kinds of a key's characters: a for a letter, 0 for a digit, signs as they are."""
    return "".join("0" if c.isdecimal() else "a" if c.isalpha() else c for c in key)


def unread(value: str, key: str) -> tuple[str, ...]:
    """The words and numbers of a value that a key made of it does not have."""
    rest, kept = canonical(value), tokens(key)
    for word in sorted(canonical(key).split(), key=len, reverse=True):
        rest = rest.replace(word, " ", 1)
    return tuple(word for word in tokens(rest) if word not in kept and word != "0")
