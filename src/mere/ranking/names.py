"""Do two names mean the same: a column's header, another's, and the names of tables and folders?

Names are compared as sets of words: split where the case changes and at everything that is not a letter, casefolded,
in the singular, without words that say only that a column identifies something (`id`, `code`, `name`).  A word also
agrees with one that it abbreviates (`cat`, `category`).  Columns without a header are called `column_1` and so on:
such a name has no words.

Cost: a regular expression per distinct name, remembered.
"""

from __future__ import annotations

import re
from functools import lru_cache

Words = frozenset[str]

GENERIC = frozenset({"id", "ids", "code", "key", "no", "nr", "num", "number", "name", "pk", "fk", "uuid", "column"})
_IDENTIFYING = GENERIC - {"column", "name"}
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])(?!.s(?![a-z]))")  # not within IDs
_WORD = re.compile(r"[^\W\d_]{2,}")
_SHORTEST = 4  # letters of an abbreviation: 'age' does not stand for 'agencies'
_SHORTEST_BESIDE = 3  # beside a word that both names have


@lru_cache(1 << 16)
def all_words(name: str) -> Words:
    """Every word of a name, in the singular.

    >>> sorted(all_words("CustomerGroupIDs")), sorted(all_words("part_categories")), sorted(all_words("Länder-Nr. 2"))
    (['customer', 'group', 'id'], ['category', 'part'], ['länder', 'nr'])
    """
    return frozenset(_singular(word) for word in _WORD.findall(_CAMEL.sub(" ", name).casefold()))


def _singular(word: str) -> str:
    if word == "ids":
        return "id"
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


@lru_cache(1 << 16)
def words(name: str) -> Words:
    """The words of a name that say what it is about.

    >>> sorted(words("customer_group_id")), sorted(words("column_4"))
    (['customer', 'group'], [])
    """
    return all_words(name) - GENERIC


def identifies(name: str) -> bool:
    """Whether a header says that the column identifies something: `category_id`, `Code`."""
    return not _IDENTIFYING.isdisjoint(all_words(name))


def only_identifies(name: str) -> bool:
    """Whether a header says that the column identifies its rows, and no more: `id`, `Code`."""
    return identifies(name) and all_words(name) <= GENERIC


@lru_cache(1 << 16)
def plain(name: str) -> str:
    """A header without case and punctuation; empty for a column that has none.

    >>> plain("Country Code") == plain("country_code"), plain("column_4")
    (True, '')
    """
    letters = "".join(character for character in name.casefold() if character.isalnum())
    return "" if re.fullmatch(r"column\d+", letters) else letters


@lru_cache(1 << 16)
def table_words(table: str) -> Words:
    """The words of a table's own name, without its folder and the endings of its file.

    >>> sorted(table_words("shop/2024/customer_groups.csv.gz")), sorted(table_words("a/book.xlsx#Sales"))
    (['customer', 'group'], ['book', 'sale'])
    """
    path, _, member = table.partition("#")
    return words(path.rsplit("/", 1)[-1].split(".")[0]) | words(member)


@lru_cache(1 << 16)
def folders(table: str) -> tuple[str, ...]:
    """The folders that hold a table, from the top; a workbook counts as a folder of its sheets."""
    path, member_mark, _ = table.partition("#")
    return tuple(path.split("/") if member_mark else path.split("/")[:-1])


@lru_cache(1 << 14)
def same_folders(mine: tuple[str, ...], theirs: tuple[str, ...]) -> float:
    """How much of the way to both tables is the same: 1 in one folder.

    >>> same_folders(("shop", "2024"), ("shop", "2025")), same_folders((), ()), same_folders(("a",), ("b",))
    (0.5, 1.0, 0.0)
    """
    longest = max(len(mine), len(theirs))
    common = 0
    for left, right in zip(mine, theirs, strict=False):
        if left != right:
            break
        common += 1
    return common / longest if longest else 1.0


@lru_cache(1 << 16)
def agreement(left: Words, right: Words) -> float:
    """The share of the words of both that the other has, too (Dice); 0 without words.

    >>> agreement(words("part_cat_id"), table_words("part_categories.csv")), agreement(words("a id"), words("id"))
    (1.0, 0.0)
    >>> agreement(words("dist"), words("district")), agreement(words("age"), table_words("agencies.csv"))
    (1.0, 0.0)
    """
    if not left or not right:
        return 0.0
    shortest = _SHORTEST if left.isdisjoint(right) else _SHORTEST_BESIDE
    agreeing = sum(_has(right, word, shortest) for word in left) + sum(_has(left, word, shortest) for word in right)
    return agreeing / (len(left) + len(right))


def _has(known: Words, word: str, shortest: int) -> bool:
    return word in known or any(min(len(word), len(other)) >= shortest and _starts(word, other) for other in known)


def _starts(left: str, right: str) -> bool:
    return left.startswith(right) or right.startswith(left)
