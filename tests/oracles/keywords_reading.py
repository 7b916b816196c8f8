"""How does the oracle read texts, tables and questions?  Written from the documents of `words`, `fields` and `query`.

It calls nothing of these modules: of the index, it uses the numbers of the fields and the lists of stop words.  It is
simple and slow, and expects a question without errors.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from mere.indexes.keywords.fields import NO_COLUMN, Field
from mere.indexes.keywords.stopwords import STOP_WORDS
from mere.segments import Table
from mere.values import Type

Slot = tuple[str, ...]  # any of these words; a word that ends in * is a prefix
Option = tuple[Slot, ...]  # slots on adjacent positions

LONGEST_WORD = 64
MARKS = "!'(),.:;?[]{}’…"
FILTERS = {
    "table": (Field.TABLE,),
    "folder": (Field.FOLDER,),
    "column": (Field.COLUMN,),
    "about": (Field.TITLE, Field.DESCRIPTION),
    "source": (Field.SOURCE,),
    "value": (Field.VALUE,),
}
_WITHOUT_SPACES = "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"


class Word(NamedTuple):
    """A word of a table, its field, its position in the field, the column it belongs to, and the cell it is in."""

    term: str
    field: Field
    position: int
    column: int
    value: str = ""


@dataclass(frozen=True)
class Clause:
    """A part of a question: any of the options must match."""

    text: str
    fields: tuple[Field, ...]  # none: in any field
    must: bool
    excluded: bool
    quoted: bool
    options: tuple[Option, ...] = ()
    word: str = ""  # of a clause that has other forms


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


def words_of_cell(value: str) -> list[str]:
    """The words of a normalised value: runs that are not cut, except for Chinese and Japanese characters."""
    spaced = "".join(f" {c} " if _class(c) == "character" else c if _class(c) else " " for c in _without_accents(value))
    return [_folded(run) for run in spaced.split()]


def is_unspaced(word: str) -> bool:
    return _class(word) == "character" if len(word) == 1 else False


def joined_in_cell(value: str) -> list[str]:
    """The words that two or three words of a value are together, because there is no space between them."""
    joined = []
    for chunk in value.split():
        runs = re.findall(r"[a-z0-9\u0080-\U0010ffff]+", chunk)  # cut by signs of ASCII
        if 1 < len(runs) <= 3 and len("".join(runs).encode()) <= 24:
            joined += words_of_cell("".join(runs))
    return joined


def words_of_table(table: Table) -> list[Word]:
    """Every word of a table; between two texts of a field is a position without a word."""
    words, ends = list[Word](), dict.fromkeys(Field, 0)
    for field, column, text in _texts(table):
        positions = words_at(text)
        for i, terms in enumerate(positions):
            words += [Word(term, field, ends[field] + i, column) for term in terms]
        ends[field] += len(positions) + 1 if positions else 0
    for column, value in _values(table):
        terms = words_of_cell(value)
        words += [Word(term, Field.VALUE, ends[Field.VALUE] + i, column, value) for i, term in enumerate(terms)]
        ends[Field.VALUE] += len(terms) + 1
        for term in joined_in_cell(value):
            words.append(Word(term, Field.VALUE, ends[Field.VALUE], column, value))
            ends[Field.VALUE] += 2  # beside no other word
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


def names_of(table: Table) -> list[tuple[int, int]]:
    """Of the file's name up to its first dot, and of the member's: the position of its first word, and its words."""
    file, member = (text for field, _, text in _texts(table) if field == Field.TABLE)
    before = len(words_at(file))
    return [(0, len(words_at(file.split(".")[0]))), (before + 1 if before else 0, len(words_at(member)))]


def _strings(given: Any) -> list[str]:
    return [text for text in (given if isinstance(given, list) else [given]) if isinstance(text, str)]


def _values(table: Table) -> Iterator[tuple[int, str]]:
    """The values of the columns of text and dates, in the order of each column."""
    starts, values = table.sets.starts.tolist(), table.sets.values.tolist()
    for column, type_ in enumerate(table.columns.types):
        if type_ in (Type.TEXT, Type.DATETIME):
            yield from ((column, value) for value in values[starts[column] : starts[column + 1]])


def clauses_of(line: str) -> tuple[list[Clause], bool]:
    """The clauses of a question, each once, and whether stop words were left out.

    Two adjacent plain words are also matched by both joined.
    """
    clauses = list({clause.text: clause for clause in _clauses(re.sub("[“”„‟«»]", '"', line))}.values())
    plain = [bool(clause.word) and not clause.must and not clause.excluded for clause in clauses]
    joined = list(clauses)
    for i in range(len(clauses) - 1):
        if plain[i] and plain[i + 1]:
            together = (clauses[i].word + clauses[i + 1].word)[:LONGEST_WORD]
            joined[i], joined[i + 1] = (_with_option(clause, [together]) for clause in joined[i : i + 2])
    typed = [
        {w for terms in words_at(c.text) for w in terms} if p else set() for c, p in zip(clauses, plain, strict=True)
    ]
    ignored = _stop_words({word for words in typed for word in words})
    kept = [clause for clause, words in zip(joined, typed, strict=True) if not words or not words <= ignored]
    if not any(not clause.excluded for clause in kept):
        return joined, False
    return kept, len(kept) < len(joined)


def _stop_words(words: set[str]) -> set[str]:
    """The stop words of every language of which one is certain."""
    languages = [plain | doubtful for plain, doubtful in STOP_WORDS.values() if plain & words]
    return set().union(*languages)


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
    text = clause.text if clause.must or clause.excluded else clause.text.strip(MARKS)
    clause = replace(clause, word=word, text=text)
    return _with_option(_with_option(clause, words) if len(words) > 1 else clause, [word])


def _with_option(clause: Clause, words: list[str]) -> Clause:
    return replace(clause, options=(*clause.options, tuple((word,) for word in words)))
