"""How does the oracle read texts, tables and questions?  Written from the documents of `words`, `fields` and `query`.

It calls nothing of these modules: of the index, it uses the numbers of the fields and the limits on values.  It is
simple and slow, and expects a question without errors.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from mere.indexes.keywords.fields import LONGEST_VALUE, MOST_VALUES, NO_COLUMN, Field
from mere.segments import Table
from mere.values import Type

Slot = tuple[str, ...]  # any of these words; a word that ends in * is a prefix
Option = tuple[Slot, ...]  # slots on adjacent positions

LONGEST_WORD = 64
FILTERS = {
    "table": (Field.TABLE,),
    "folder": (Field.FOLDER,),
    "column": (Field.COLUMN,),
    "about": (Field.TITLE, Field.DESCRIPTION),
    "source": (Field.SOURCE,),
    "value": (Field.VALUE,),
}
_WITHOUT_SPACES = "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_OTHER_FORMS = (  # the first rule that fits: singulars of a plural, otherwise the plural
    (r"(..+)ies", (r"\1y",)),
    (r"(?=....)(.*(?:s|x|z|ch|sh))es", (r"\1e", r"\1")),
    (r"(..+[^sui])s", (r"\1",)),
    (r"(.+[^aeiou])y", (r"\1ies",)),
    (r"(.*(?:s|x|z|ch|sh))", (r"\1es",)),
    (r"(.*)", (r"\1s",)),
)


class Word(NamedTuple):
    """A word of a table, its field, its position in the field, and the column it belongs to."""

    term: str
    field: Field
    position: int
    column: int


@dataclass(frozen=True)
class Clause:
    """A part of a question: any of the options must match, or of the forms, which count for less."""

    text: str
    fields: tuple[Field, ...]  # none: in any field
    must: bool
    excluded: bool
    quoted: bool
    options: tuple[Option, ...] = ()
    forms: tuple[Option, ...] = ()
    word: str = ""  # of a plain clause


def words_at(text: str) -> list[list[str]]:
    """The words at each position of a text: a piece of a run, and for the first piece also the uncut run.

    >>> words_at("CO2 per Capita")
    [['co', 'co2'], ['2'], ['per'], ['capita']]
    """
    positions: list[list[str]] = []
    run = ""
    for character in _without_accents(unicodedata.normalize("NFKC", text)) + " ":
        if _class(character):
            run += character
        elif run:
            positions += _words_of_run(run)
            run = ""
    return positions


def _words_of_run(run: str) -> list[list[str]]:
    pieces = [run[0]]
    for i in range(1, len(run)):
        if _starts_piece(run, i):
            pieces.append("")
        pieces[-1] += run[i]
    if sum(_class(piece[0]) == "digit" for piece in pieces) > 2:
        return [[_folded(run)]]
    positions = [[_folded(piece)] for piece in pieces]
    if len(pieces) > 1 and not any(_class(character) == "character" for character in run):
        positions[0].append(_folded(run))
    return positions


def _starts_piece(run: str, i: int) -> bool:
    """Whether a run is cut before its i-th character."""
    before, here = _class(run[i - 1]), _class(run[i])
    after = _class(run[i + 1]) if i + 1 < len(run) else ""
    if "character" in (before, here) or (before == "digit") != (here == "digit"):
        return True
    if (before, here, after) == ("capital", "capital", "letter"):  # HTTPServer, but not the plural in IDs
        return not (run[i + 1] == "s" and (i + 2 == len(run) or _class(run[i + 2]) != "letter"))
    return (before, here) == ("letter", "capital")


def _class(character: str) -> str:
    """Chinese or Japanese character, capital, other letter or mark, digit; empty for what separates words."""
    if character.isalpha() and re.match(_WITHOUT_SPACES, character):
        return "character"
    if character.isalpha() or unicodedata.category(character)[0] == "M":
        return "capital" if character.isupper() or character.istitle() else "letter"
    return "digit" if character.isnumeric() else ""


def _folded(piece: str) -> str:
    return _without_accents(piece.casefold())[:LONGEST_WORD]


def _without_accents(text: str) -> str:
    letters = [c for c in unicodedata.normalize("NFD", text) if not "\u0300" <= c <= "\u036f"]
    return unicodedata.normalize("NFC", "".join(letters))


def words_of_table(table: Table, with_values: bool) -> list[Word]:
    """Every word of a table; between two texts of a field is a position without a word."""
    words, ends = list[Word](), dict.fromkeys(Field, 0)
    for field, column, text in [*_texts(table), *(_values(table) if with_values else ())]:
        positions = words_at(text)
        for i, terms in enumerate(positions):
            words += [Word(term, field, ends[field] + i, column) for term in terms]
        ends[field] += len(positions) + 1 if positions else 0
    return words


def _texts(table: Table) -> Iterator[tuple[Field, int, str]]:
    facts, names = table.facts, table.columns.names
    has_member = facts.member and facts.name.endswith(f"#{facts.member}")
    path = facts.name[: -len(facts.member) - 1] if has_member else facts.name
    yield Field.TABLE, NO_COLUMN, path.split("/")[-1]
    yield Field.TABLE, NO_COLUMN, facts.member
    for folder in path.split("/")[:-1]:
        yield Field.FOLDER, NO_COLUMN, folder
    for column, name in enumerate(names):
        yield Field.COLUMN, column, name
    for key in ("title", "keywords", "description", "licence"):
        field = Field.TITLE if key in ("title", "keywords") else Field.DESCRIPTION
        yield from ((field, NO_COLUMN, text) for text in _strings(facts.about.get(key)))
    described = facts.about.get("columns")
    for name, description in described.items() if isinstance(described, dict) else ():
        column = names.index(name) if name in names else NO_COLUMN
        yield from ((Field.DESCRIPTION, column, text) for text in _strings(description))
    yield Field.SOURCE, NO_COLUMN, facts.source.rstrip("/").split("/")[-1]


def _strings(given: Any) -> list[str]:
    return [text for text in (given if isinstance(given, list) else [given]) if isinstance(text, str)]


def _values(table: Table) -> Iterator[tuple[Field, int, str]]:
    """The most frequent values of the columns of text, in the order of each column."""
    starts, values, counts = table.sets.starts.tolist(), table.sets.values.tolist(), table.sets.counts.tolist()
    for column, type_ in enumerate(table.columns.types):
        if type_ == Type.TEXT:
            by_frequency = sorted(range(starts[column], starts[column + 1]), key=lambda i: (-counts[i], i))
            for i in sorted(by_frequency[:MOST_VALUES]):
                yield Field.VALUE, column, values[i][:LONGEST_VALUE]


def clauses_of(line: str) -> list[Clause]:
    """The clauses of a question, each once; two adjacent plain words are also matched by both joined."""
    clauses = list({clause.text: clause for clause in _clauses(re.sub("[“”„‟«»]", '"', line))}.values())
    plain = [bool(clause.word) and not clause.must and not clause.excluded for clause in clauses]
    joined = list(clauses)
    for i in range(len(clauses) - 1):
        if plain[i] and plain[i + 1]:
            together = (clauses[i].word + clauses[i + 1].word)[:LONGEST_WORD]
            joined[i], joined[i + 1] = (_with_option(clause, [together]) for clause in joined[i : i + 2])
    return joined


def _clauses(line: str) -> Iterator[Clause]:
    """[-][filter:]"phrase" or [-][filter:]word, one after the other."""
    place = 0
    while place < len(line):
        start = place
        excluded = line[place] == "-"
        place += excluded
        name, colon, _ = line[place:].partition(":")
        field = name.casefold() if colon and name.casefold() in FILTERS else ""
        place += len(name) + 1 if field else 0
        quoted = line[place : place + 1] == '"'
        stop = place + 1 if quoted else place
        while stop < len(line) and line[stop] != '"' and (quoted or not line[stop].isspace()):
            stop += 1
        typed = line[place + quoted : stop]
        place = stop + quoted
        words = [terms[0] for terms in words_at(typed)]
        if words:
            fields = FILTERS[field] if field else ()
            clause = Clause(line[start:place], fields, bool(field) or quoted, excluded, quoted)
            yield _with_words(clause, words, starred=typed.endswith("*"))
        place += place == start  # white space


def _with_words(clause: Clause, words: list[str], starred: bool) -> Clause:
    if clause.quoted:
        return replace(clause, options=(tuple((word,) for word in words),))
    if starred:
        return replace(clause, options=(tuple((word,) for word in [*words[:-1], f"{words[-1]}*"]),))
    word = "".join(words)[:LONGEST_WORD]
    clause = replace(clause, word=word)
    return _with_option(_with_option(clause, words) if len(words) > 1 else clause, [word])


def _with_option(clause: Clause, words: list[str]) -> Clause:
    """The clause with one more option, and with the other forms of its last word."""
    first = tuple((word,) for word in words[:-1])
    others = other_forms(words[-1])
    forms = ((*first, others),) if others else ()
    return replace(clause, options=(*clause.options, (*first, (words[-1],))), forms=clause.forms + forms)


def other_forms(word: str) -> tuple[str, ...]:
    """The singulars of an English plural, or the plural of any other English word.

    >>> other_forms("countries"), other_forms("box"), other_forms("cases"), other_forms("status")
    (('country',), ('boxes',), ('case', 'cas'), ('statuses',))
    """
    if not re.fullmatch("[a-z]{3,}", word):
        return ()
    matches = ((re.fullmatch(pattern, word), templates) for pattern, templates in _OTHER_FORMS)
    return next(tuple(match.expand(t) for t in templates) for match, templates in matches if match)
