"""Which texts belong to a table, and to which of its fields?

    field        its texts                                                   its filter
    table        the file's name, and the sheet or member                    table
    folder       the folders on its path                                     folder
    column       each header                                                 column
    title        title and keywords of the table's descriptions              about
    description  description, licence, and descriptions of columns           about
    source       the name of the source folder                               source
    value        the distinct values of columns of text and dates            value

Every utterance (one header, one keyword) is followed by a position without a word, so that a phrase never starts
in one and ends in the next.  Values have no positions: what is kept of them is in `cells`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from mere.indexes.keywords.words import width, words
from mere.segments import Facts

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
NAMES = tuple(field for field in Field if field != Field.VALUE)  # everything but cells
NAMES_COLUMNS = (Field.COLUMN, Field.DESCRIPTION)  # fields with positions whose words may belong to a column


class Utterance(NamedTuple):
    """A piece of text, its field, and the column that it is about, if any."""

    field: Field
    column: int
    text: str


def utterances(facts: Facts, columns: Sequence[str]) -> Iterator[Utterance]:
    """All texts of a table but its cells, field by field."""
    path = facts.name.removesuffix(f"#{facts.member}") if facts.member else facts.name
    *folders, file = path.split("/")
    yield from (Utterance(Field.TABLE, NO_COLUMN, text) for text in (file, facts.member))
    yield from (Utterance(Field.FOLDER, NO_COLUMN, folder) for folder in folders)
    yield from (Utterance(Field.COLUMN, c, name) for c, name in enumerate(columns))
    yield from about(facts.about, columns)
    yield Utterance(Field.SOURCE, NO_COLUMN, facts.source.rstrip("/").split("/")[-1])


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
