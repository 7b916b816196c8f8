"""Which texts belong to a table, and to which of its fields?

    field        its texts                                                   its filter
    table        the file's name, and the sheet or member                    table
    folder       the folders on its path                                     folder
    column       each header                                                 column
    title        title and keywords of the table's descriptions              about
    description  description, licence, and descriptions of columns           about
    source       the name of the source folder                               source
    value        the distinct values of text columns, with `keywords_values` value

Every utterance (one header, one keyword, one value) is followed by a position without a word, so that a
phrase never starts in one and ends in the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from mere.indexes.keywords.words import width, words
from mere.segments import Facts

MOST_VALUES = 10_000  # of a column; the most frequent
LONGEST_VALUE = 1_000  # characters of a value that are read
LONGEST_FIELD = 1 << 28  # positions; fits the 29 bits of a position
NO_COLUMN = -1


class Field(IntEnum):
    """The numbers are part of the format; they take three bits."""

    TABLE = 0
    FOLDER = 1
    COLUMN = 2
    TITLE = 3
    DESCRIPTION = 4
    SOURCE = 5
    VALUE = 6

    @property
    def filter(self) -> str:
        return "about" if self in FILTERS["about"] else self.name.lower()


FILTERS: dict[str, tuple[Field, ...]] = {
    "table": (Field.TABLE,),
    "folder": (Field.FOLDER,),
    "column": (Field.COLUMN,),
    "about": (Field.TITLE, Field.DESCRIPTION),
    "source": (Field.SOURCE,),
    "value": (Field.VALUE,),
}
NAMES_COLUMNS = (Field.COLUMN, Field.DESCRIPTION, Field.VALUE)  # fields whose words may belong to a column


class Utterance(NamedTuple):
    """A piece of text, its field, and the column that it is about, if any."""

    field: Field
    column: int
    text: str


class Word(NamedTuple):
    """A word and its place."""

    term: str
    field: Field
    position: int
    column: int


Values = Iterable[tuple[int, Iterable[str]]]  # column, its values


def utterances(facts: Facts, columns: Sequence[str], values: Values = ()) -> Iterator[Utterance]:
    """All texts of a table, field by field."""
    path = facts.name.removesuffix(f"#{facts.member}") if facts.member else facts.name
    *folders, file = path.split("/")
    yield from (Utterance(Field.TABLE, NO_COLUMN, text) for text in (file, facts.member))
    yield from (Utterance(Field.FOLDER, NO_COLUMN, folder) for folder in folders)
    yield from (Utterance(Field.COLUMN, c, name) for c, name in enumerate(columns))
    yield from about(facts.about, columns)
    yield Utterance(Field.SOURCE, NO_COLUMN, facts.source.rstrip("/").split("/")[-1])
    yield from (Utterance(Field.VALUE, c, text[:LONGEST_VALUE]) for c, texts in values for text in texts)


def about(facts: Mapping[str, Any], columns: Sequence[str]) -> Iterator[Utterance]:
    """The texts of the table's description; any part of it may be missing or of another type."""
    for text in _texts(facts.get("title")) + _texts(facts.get("keywords")):
        yield Utterance(Field.TITLE, NO_COLUMN, text)
    for text in _texts(facts.get("description")) + _texts(facts.get("licence")):
        yield Utterance(Field.DESCRIPTION, NO_COLUMN, text)
    described = facts.get("columns")
    places = {name: place for place, name in reversed(list(enumerate(columns)))} if described else {}
    for name, texts in described.items() if isinstance(described, Mapping) else ():
        column = places.get(name, NO_COLUMN)
        yield from (Utterance(Field.DESCRIPTION, column, text) for text in _texts(texts))


def _texts(given: Any) -> list[str]:
    if isinstance(given, str):
        return [given]
    return [text for text in given if isinstance(text, str)] if isinstance(given, list) else []


Spelled = list[tuple[int, str]]


def placed(texts: Iterable[Utterance]) -> Iterator[tuple[Utterance, int, Spelled]]:
    """Each utterance that contains a word, the position in its field at which it starts, and its words."""
    field, position = None, 0
    for utterance in texts:
        if utterance.field != field:
            field, position = utterance.field, 0
        spelled = words(utterance.text)
        if spelled and position + width(spelled) < LONGEST_FIELD:
            yield utterance, position, spelled
            position += width(spelled) + 1


def words_of(texts: Iterable[Utterance]) -> Iterator[Word]:
    """Every word of a table, in the order of field and position."""
    for utterance, start, spelled in placed(texts):
        for offset, term in spelled:
            yield Word(term, utterance.field, start + offset, utterance.column)


def most_frequent(counts: np.ndarray) -> np.ndarray:
    """Which of a column's values are indexed, in the column's own order; ties go to the earlier one."""
    return np.sort(np.argsort(-counts.astype(np.int64), kind="stable")[:MOST_VALUES])
