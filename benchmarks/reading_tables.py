"""Tables whose every cell, name and type is known, from which the files of the benchmark of reading are made."""

from __future__ import annotations

import datetime
import random
from dataclasses import dataclass, field

from reading_words import SENTENCES, words_of

NUMBER, DATE, BOOLEAN, TEXT = "number", "date", "boolean", "text"

# name, kind of column; the schemas of the two sets share none
SCHEMAS = {
    "tuning": [
        "id:id name:person city:place born:date",
        "code:code product:thing price:decimal stock:integer active:boolean",
        "Station:place Date:date Temperature:decimal Humidity:integer Wind:decimal Rain:decimal",
        "order_id:id customer:person ordered:timestamp amount:decimal paid:boolean remark:sentence",
        "Country:place Population:large Area:decimal Capital:place Founded:date Member:boolean Notes:text",
        "sensor:code measured:timestamp value:decimal error:decimal",
        "Title:sentence Author:person Pages:integer Published:date Rating:decimal Language:place Shelf:code",
        "region:place q1:decimal q2:decimal q3:decimal q4:decimal total:large",
        "key:code word:place",
        "id:id a:integer b:integer c:decimal d:decimal e:decimal f:decimal g:integer h:decimal day:date ok:boolean"
        " place:place owner:person text:text kind:thing",
    ],
    "held-out": [
        "nr:id employee:person department:place hired:date salary:large",
        "Item:thing Colour:place Weight:decimal Count:integer Fragile:boolean Maker:person",
        "timestamp:timestamp device:code load:decimal memory:large",
        "Museum:place Visitors:large Opened:date Director:person Free:boolean Comment:text",
        "parcel:code street:place width:decimal depth:decimal owner:person sold:date price:large",
        "species:thing island:place length_mm:decimal mass_g:integer year:integer",
        "question:sentence answer:boolean asked_by:person asked_on:date votes:integer",
        "team:place wins:integer draws:integer losses:integer points:integer ratio:decimal coach:person",
        "term:thing place:place",
        "run:id seed:integer loss:decimal score:decimal accuracy:decimal started:timestamp done:boolean host:code"
        " memory:integer disk:integer note:sentence author:person",
    ],
}


@dataclass
class Column:
    """`kind` is a word of the schema, `type` what a reader should find."""

    name: str
    kind: str
    type: str
    cells: list[str] = field(default_factory=list)


@dataclass
class Truth:
    """What a reader should give: per column its names (accepted spellings of it, or any if empty), cells and type.

    `rows_below` of the rows at the end may be absent (a line of totals); cells beyond the header do not count.
    """

    names: list[list[str]]
    cells: list[list[str]]
    types: list[str]
    has_header: bool = True
    rows_below: int = 0


TYPES = {"id": NUMBER, "integer": NUMBER, "decimal": NUMBER, "large": NUMBER, "date": DATE, "timestamp": DATE,
         "boolean": BOOLEAN}  # fmt: skip


class Maker:
    """Random tables of one language."""

    def __init__(self, rng: random.Random, held_out: bool, language: str = "english") -> None:
        self.rng = rng
        self.held_out = held_out
        self._words = words_of(language, held_out)
        self._set = "held-out" if held_out else "tuning"

    def table(self, null: str) -> list[Column]:
        """A table; in half of all tables some values are absent, which `null` stands for."""
        rng = self.rng
        schema = rng.choice(SCHEMAS[self._set]).split()
        count = rng.randint(60, 300) if rng.random() < 0.15 else rng.randint(3, 30)
        absent = bool(null) or rng.random() < 0.5
        columns = [Column(name, kind, TYPES.get(kind, TEXT)) for name, kind in (part.split(":") for part in schema)]
        for number, column in enumerate(columns):
            column.cells = [self._cell(column.kind, row) for row in range(count)]
            if absent and number and count > 4:
                for row in rng.sample(range(count), k=rng.randint(0, count // 6)):
                    column.cells[row] = null
        return columns

    def _cell(self, kind: str, row: int) -> str:
        rng = self.rng
        if kind == "id":
            return str(row + 1)
        if kind == "integer":
            return str(rng.randint(0, 999))
        if kind == "decimal":
            return f"{rng.uniform(0.5, 950):.2f}"
        if kind == "large":
            return f"{rng.uniform(1_000, 9_000_000):.2f}"
        if kind == "date":
            return str(datetime.date(1950, 1, 1) + datetime.timedelta(days=rng.randint(0, 27_000)))
        if kind == "timestamp":
            moment = datetime.datetime(2001, 1, 1) + datetime.timedelta(seconds=rng.randint(0, 7 * 10**8))
            return str(moment)
        if kind == "boolean":
            return ("true", "false")[row % 2 if row < 2 else rng.randint(0, 1)]
        if kind == "code":
            return f"{rng.choice('ABCDEFGH')}{rng.choice('KLMN')}-{rng.randint(100, 999)}"
        if kind in ("sentence", "text"):
            return self._text(kind == "text")
        return rng.choice(self._words)

    def _text(self, lines: bool) -> str:
        sentences = [self.rng.choice(SENTENCES[self._set]), self.rng.choice(self._words)]
        if lines and self.rng.random() < 0.3:
            return "\n".join([*sentences, self.rng.choice(SENTENCES[self._set])])
        return ", ".join(sentences) if self.rng.random() < 0.7 else sentences[0]
