"""What does a line of keywords ask for?

    world cup            tables with either word; those with more of the words come first
    "world cup"          the words must be adjacent in one header, name, title...
    column:age           a header must contain the word; likewise table:, folder:, about:, source:, value:
    column:"birth date"  a phrase in a header
    -draft               no field may contain the word; -column:age, -"draft version"
    popul*               any word that starts with this

Tables must satisfy all quoted and filtered clauses and none of the excluded; where there are plain words as
well, at least one of them.  Plain and filtered words match in other forms (`stems`) and cut or joined (`WorldCup`,
`world-cup`, and `world cup` for `worldcup`); quoted ones exactly as typed.  Plain stop words are left out, unless
nothing else is asked for.

This module decides everything that does not depend on the lake.  A clause is matched by any of its `options`; an
option is a sequence of slots on adjacent positions; a slot is filled by any of its patterns, and a pattern
is a word, or the beginning of one if it ends in `*`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn

from mere.errors import QueryError
from mere.indexes.keywords.fields import FILTERS, Field
from mere.indexes.keywords.stopwords import left_out
from mere.indexes.keywords.words import LONGEST, pieces

Slot = tuple[str, ...]
Option = tuple[Slot, ...]

_QUOTES = str.maketrans("“”„‟«»", '""""""')
_CLAUSE = re.compile(r'(-?)(?:([^\W\d_]+):)?(?:"([^"]*)("?)|([^\s"]*))')
_KNOWN = ", ".join(FILTERS)
MARKS = "!'(),.:;?[]{}’…"  # around a plain word, not part of it


@dataclass(frozen=True)
class Clause:
    """One part of a question."""

    text: str  # as typed; a plain word without the marks around it
    fields: tuple[Field, ...]  # where it may match; in any field if empty
    options: tuple[Option, ...] = ()
    must: bool = False
    excluded: bool = False
    quoted: bool = False
    word: str = ""  # a single plain word, which has other forms and may be corrected

    @property
    def plain(self) -> bool:
        return not self.must and not self.excluded


class Question(NamedTuple):
    """The clauses of a question, and whether it is a sentence: whether stop words of it were left out."""

    clauses: list[Clause]
    sentence: bool


def unpack(query: str | Mapping[str, Any]) -> tuple[str, int]:
    """The words of a question, and how many hits are wanted (0: all)."""
    if isinstance(query, str):
        return query, 0
    text, k = query.get("text", ""), query.get("k", 0)
    if not isinstance(text, str) or not isinstance(k, int) or k < 0:
        raise QueryError(f"expected text (str) and k (int, 0 or more), got {text!r} and {k!r}")
    return text, k


def parse(text: str) -> Question:
    """The clauses of a question, each once."""
    clauses: dict[Clause, None] = {}
    place, line = 0, text.translate(_QUOTES)
    while place < len(line):
        match = _CLAUSE.match(line, place)
        if match is None or match.end() == place:
            place += 1
            continue
        if (clause := _clause(text, match)) is not None:
            clauses[clause] = None
        place = match.end()
    if not any(not clause.excluded for clause in clauses):
        _refuse(text, len(text), "no word to search for", "give at least one word that is not excluded")
    kept = _without_stop_words(_joined(list(clauses)))
    return Question(kept, len(kept) < len(clauses))


def _clause(text: str, match: re.Match[str]) -> Clause | None:
    excluded, field, quoted, closed, word = match.groups()
    if field and field.casefold() not in FILTERS:
        remedy = f'choose one of {_KNOWN}; or write "{match.group().lstrip("-")}" to search for exactly this text'
        _refuse(text, match.start(2), f"unknown field '{field}'", remedy)
    if quoted is not None and not closed:
        _refuse(text, match.start(3) - 1, "quote without end", 'close it with "')
    typed = quoted if quoted is not None else word
    typed_words = pieces(typed)
    if not typed_words:
        if field or typed.rstrip("*") != typed:
            _refuse(text, match.end(), f"'{match.group()}' contains no letter or digit", "give a word")
        return None
    fields = FILTERS[field.casefold()] if field else ()
    must = bool(field) or quoted is not None
    clause = Clause(match.group(), fields, (), must, bool(excluded), quoted is not None)
    if quoted is not None:
        return replace(clause, options=(tuple((piece,) for piece in typed_words),))
    if typed.endswith("*"):
        return replace(clause, options=(_beginning(typed_words),))
    word = "".join(typed_words)[:LONGEST]
    options: tuple[Option, ...] = (tuple((piece,) for piece in typed_words), ((word,),))
    text = clause.text.strip(MARKS) if clause.plain else clause.text
    return replace(clause, text=text, options=options if len(typed_words) > 1 else options[1:], word=word)


def _beginning(typed_words: list[str]) -> Option:
    *complete, last = typed_words
    return (*((piece,) for piece in complete), (f"{last}*",))


def _joined(clauses: list[Clause]) -> list[Clause]:
    """Let `world cup` find `worldcup`: of two adjacent plain words, each is also matched by both joined."""
    joined = list(clauses)
    for i, (left, right) in enumerate(pairwise(clauses)):
        if all(clause.word and clause.plain for clause in (left, right)):
            together: Option = (((left.word + right.word)[:LONGEST],),)
            joined[i : i + 2] = [replace(c, options=(*c.options, together)) for c in joined[i : i + 2]]
    return joined


def _without_stop_words(clauses: list[Clause]) -> list[Clause]:
    """The clauses without those that are stop words only, unless nothing would be left to search for."""
    typed = {clause.text: pieces(clause.text) for clause in clauses if clause.word and clause.plain}
    ignored = left_out([word for words in typed.values() for word in words])
    kept = [clause for clause in clauses if not (clause.text in typed and ignored >= set(typed[clause.text]))]
    return kept if any(not clause.excluded for clause in kept) else clauses


def _refuse(text: str, place: int, fault: str, remedy: str) -> NoReturn:
    marked = f"{text[:place]}⟦here⟧{text[place:]}"
    raise QueryError(f"{fault} at character {place + 1} of the query: {marked}", remedy)
