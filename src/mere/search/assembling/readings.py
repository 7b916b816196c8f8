"""How are cells read if their table alone does not tell?  As in another table of the bundle, that does.

When a table is read, all values of a column decide whether 5/1/2020 is in May or in January, whether `1,234` is more
than a thousand, whether its numbers are euros, and whether `NA` is a missing value or a word (the code of a country).
A table with few rows may not tell.  The rows of a bundle are compared with each other, so they have to be read alike:
what one table tells, the base first, holds for those that do not tell; one that tells otherwise is read as it tells.

The form in which the cells of a column are compared is one for all tables (`values.compared`).  It is computed from
what a segment has, wherever that shows how a cell was written.  It does not show

    words      that were taken for missing values
    units      other than the bundle's, of which the numbers were made plain
    marks      of a table that does not tell its decimal mark, where another one tells a comma, and among texts
    zeros      of `1.10`, in a table of numbers, where another one has versions

Such a table of the lake is read from its raw file.  If that cannot be done, the answer is not exact; nor is it if cells
may be read in two ways, and no table of the bundle shows which is meant: `1,234` and `5/1/2020`, also among texts, and
columns of which some numbers are percentages, or in brackets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.bundles.relation import stored_column
from mere.bundles.schema import Reading, Schema
from mere.errors import LakeError, MereError
from mere.search.assembling.inputs import Member, Stored, member_of
from mere.search.finishing.marks import notes_on
from mere.segments import Segment
from mere.store import Strings
from mere.values import (
    DAY_FIRST,
    MONTH_FIRST,
    Form,
    Type,
    classify,
    day_order,
    evidence_of,
    has_open_dates,
    hash_values,
)
from mere.values.nulls import SPELLINGS
from mere.values.spelled import Kind

_WORDS = Strings.of(sorted(SPELLINGS)).to_arrow()
_WITH_TEXTS = (Type.TEXT, Type.DATETIME)  # numbers among these stay as they are written, but for zeros
_SHORT_NUMBER = r"^-?[1-9][0-9]{0,2}(\.[0-9]{1,2})?$"  # which text keeps of `1.500`, too
_IN_DOUBT = {  # what cells may be read otherwise, and how they were
    "point": ("numbers", "they were read with decimal points"),
    "comma": ("numbers", "they were read with decimal commas"),
    "percent": ("numbers", "some are percentages and others have no unit, all were read as they are written"),
    "brackets": ("numbers", "those like (2) may be footnotes, they were read as negative"),
    "dates": ("dates", "their day and month may be exchanged"),
}


class Alike(NamedTuple):
    """Tables that are read alike."""

    schema: Schema  # with readings
    members: list[Member]
    notes: list[str]
    complete: bool  # whether all could be


def read_alike(schema: Schema, members: Sequence[Member]) -> Alike:
    """The tables, the base first, read alike; a column has the type of the first table that has a value in it."""
    words = _SegmentWords()
    tables = [_Evidence(member, schema, words) for member in members]
    places = range(len(schema.names))
    known = [[each.types[place] for each in tables if each.types[place] is not Type.EMPTY] for place in places]
    readings = tuple(_reading(place, name, known[place], tables) for place, name in enumerate(schema.names))
    numeric = [any(type_.is_number for type_ in types) for types in known]
    versions = {place for place in places if numeric[place] and not readings[place].form.numbers}
    common = cache(lambda: next((each.decimal for each in tables if each.decimal), ""))
    types = tuple(each[0] if each else Type.EMPTY for each in known)
    schema, read, faults = replace(schema, types=types, known_readings=readings), [], []
    for member, own in zip(members, tables, strict=True):
        marks = [own.mark(place, readings[place].form, place in versions, common) for place in places]
        lacking = any(own.may_lack(place, readings[place].data) for place in places)
        try:
            read.append(_read_again(member, schema, marks) if lacking or any(marks) else member)
        except MereError as error:
            read.append(member)
            fault = "numbers of '{}' are written in another way in other tables: {}"
            fault = "missing values of '{}' may be words in other tables: {}" if lacking else fault
            faults.append(fault.format(member.table.name, error.message))
    in_doubt = _notes_in_doubt(schema, tables, read, common)
    notes = [*_notes_on_types(schema, tables), *faults, *in_doubt]
    return Alike(schema, read, notes, not (faults or in_doubt))


def _notes_in_doubt(
    schema: Schema, tables: Sequence[_Evidence], read: Sequence[Member], common: Callable[[], str]
) -> list[str]:  # fmt: skip
    """A note on each kind of cells that may be read in two ways."""
    columns: dict[str, list[str]] = {kind: [] for kind in _IN_DOUBT}
    for place, (name, reading) in enumerate(zip(schema.names, schema.readings, strict=True)):
        order = _day_order(place, tables) if reading.form.dates else None
        for each, member in zip(tables, read, strict=True):
            for kind in each.in_doubt(place, reading.form, member, common, order):
                columns[kind].append(f"'{name}' of '{each.name}'")
    return [note for kind, how in _IN_DOUBT.items() for note in notes_on(columns[kind], *how)]


def _read_again(member: Member, schema: Schema, marks: Sequence[str]) -> Member:
    if not member.table.as_written:
        raise LakeError("it has no raw file, and the lake keeps its cells only as they are compared", "")
    readings = tuple(replace(each, mark=mark) for each, mark in zip(schema.readings, marks, strict=True))
    return member_of(replace(member.table, stored=None), replace(schema, known_readings=readings))


def _reading(place: int, name: str, types: Sequence[Type], tables: Sequence[_Evidence]) -> Reading:
    data = frozenset().union(*(each.words(place) for each in tables))
    form = Form.of(types, name=name)
    if form.numbers:
        form = replace(form, unit=next((unit for each in tables if (unit := each.unit(place))), ""))
        if Type.TEXT in types and any(each.has_versions(place) for each in tables):
            form = Form(dates=form.dates)
    return Reading(bool(form.dates and _day_order(place, tables)), data, form)


def _day_order(place: int, tables: Sequence[_Evidence]) -> bool | None:
    """Whether the first table that shows it writes dates with the day first; None if none does."""
    return next((order for each in tables if (order := each.day_order(place)) is not None), None)


def _notes_on_types(schema: Schema, tables: Sequence[_Evidence]) -> list[str]:
    """Which columns have types in some tables that are compared otherwise than in others, and how they are."""
    notes = []
    for place, (name, first, reading) in enumerate(zip(schema.names, schema.types, schema.readings, strict=True)):
        other = {each for each in Type if each is not Type.EMPTY and Form.of([each]) != Form.of([first])}
        others = [(each.name, each.types[place].word) for each in tables if each.types[place] in other]
        if first is not Type.EMPTY and others:
            owner = next(each.name for each in tables if each.types[place] is first)
            more = f" and {len(others) - 1:,} more" if len(others) > 1 else ""
            notes.append(f"'{name}' is {first.word} in '{owner}' and {others[0][1]} in '{others[0][0]}'{more}: "
                         f"{_compared_as(reading.form)}")  # fmt: skip
    return notes


def _compared_as(form: Form) -> str:
    if form.booleans:
        return "yes and true are compared as 1, no and false as 0"
    known = [kind for kind, is_known in (("numbers", form.numbers), ("dates", form.dates)) if is_known]
    if not known:
        return "all is compared as text"
    return f"{' and '.join(known)} are compared as such, other values, such as 007, as text"


class _Evidence:
    """What a table shows about the columns of the schema."""

    def __init__(self, member: Member, schema: Schema, words: _SegmentWords) -> None:
        self._member, self._stored, self._stored_words = member, member.table.stored, words
        self._schema, self.name = schema, member.table.name
        self._places = schema.places(member.table.columns)

    @cached_property
    def types(self) -> list[Type]:
        """The types of the columns of the schema; EMPTY where the table has no value."""
        return self._member.types(self._schema)

    @cached_property
    def decimal(self) -> str:
        """The decimal mark that the table shows; empty if it shows none."""
        return self._member.table.decimal()

    @cached_property
    def _dates(self) -> str:
        return self._member.table.dates()

    def unit(self, place: int) -> str:
        """The unit of the numbers in a column."""
        if self._member.coded is not None:
            column = self._member.coded.columns[place]
            return "" if column is None else column.unit
        return str(self._of_stored("units", place))

    def unsure(self, place: int) -> str:
        """What is not known of the numbers in a column (`segments.plain_numbers`); empty if all is."""
        if not self.types[place].is_number:
            return ""
        if self._member.coded is not None:
            column = self._member.coded.columns[place]
            return "" if column is None else column.unsure
        return str(self._of_stored("unsure", place))

    def in_doubt(
        self, place: int, form: Form, read: Member, common: Callable[[], str], day_first: bool | None
    ) -> list[str]:  # fmt: skip
        """In which ways (`_IN_DOUBT`) cells of a column may be read otherwise; `read` is the table as it is compared.

        `common` and `day_first` are the decimal mark, and the order of day and month, that a table of the bundle shows.
        """
        kinds = []
        if form.numbers and not form.degrees:
            unsure = self.unsure(place)
            if unsure in ("percent", "brackets"):
                kinds.append(unsure)
            if unsure == "decimal" and self.decimal:  # which its other columns show by few numbers only
                kinds.append(self.decimal)
            if (unsure == "decimal" or self._has_open_numbers(place, read)) and not (self.decimal or common()):
                kinds.append("point")
        if form.dates and self._has_open_dates(place, day_first):
            kinds.append("dates")
        return kinds

    def _has_open_numbers(self, place: int, read: Member) -> bool:
        """Whether numbers among texts or dates may have a decimal point or comma; of other numbers see `unsure`."""
        values = self._column(place, read) if self.types[place] in _WITH_TEXTS else None
        return values is not None and bool((classify(values).kinds == Kind.EITHER).any())

    def _has_open_dates(self, place: int, day_first: bool | None) -> bool:
        """Whether a column has dates that may be read in two ways, and is not read as its table, or another, shows."""
        column = self._column(place)
        if column is None or not has_open_dates(column):
            return False
        shows_both = day_order(column) is not None
        return shows_both or day_first is None or self._order_of_table() not in (None, day_first)

    def _of_stored(self, what: str, place: int) -> Any:
        own = self._places[place]
        assert self._stored is not None
        return "" if own is None else self._stored.numbers.get(what, {}).get(self._member.table.columns[own], "")

    def has_versions(self, place: int) -> bool:
        """Whether a column has versions, such as `1.10`, which is not `1.1`."""
        values = self._column(place) if self.types[place] is Type.TEXT else None
        if values is None:
            return False
        edges, counts = np.array([0, len(values)]), np.ones(len(values), np.int64)
        return bool(evidence_of(values, edges, counts, classify(values)).versions()[0])

    def mark(self, place: int, form: Form, has_versions: bool, common: Callable[[], str]) -> str:
        """The decimal mark of cells that have to be read as they are written; empty if those at hand show enough.

        `has_versions`: the column has them in one of the tables; `common` is the mark that other tables show.
        """
        type_ = self.types[place]
        if has_versions:
            return "point" if (type_.is_number or type_ is Type.TEXT) and not self.has_versions(place) else ""
        if not form.numbers:
            return ""
        if type_.is_number and self.unit(place) not in ("", form.unit):
            return self.decimal or common() or "point"
        is_open = type_ in _WITH_TEXTS or (self.unsure(place) == "decimal" and not self.decimal)
        if not is_open or (self.decimal or common()) == "point":
            return ""
        if self.decimal or common():
            return "comma"
        return "point" if type_ in _WITH_TEXTS and self._may_lack_zeros(place) else ""

    def _may_lack_zeros(self, place: int) -> bool:
        """Whether a column of text has numbers such as `1.5` that may have been written `1.500`."""
        values = self._column(place)
        return values is not None and bool(pc.any(pc.match_substring_regex(values, _SHORT_NUMBER)).as_py())

    def day_order(self, place: int) -> bool | None:
        """Whether dates are written with the day first; None if the table does not tell."""
        column = self._column(place)
        order = None if column is None else day_order(column)
        if column is None or order is not None:
            return order
        return self._order_of_table() if self._stored is not None or has_open_dates(column) else None

    def _order_of_table(self) -> bool | None:
        """The order that the columns of the table show."""
        return {DAY_FIRST: True, MONTH_FIRST: False}.get(self._dates)

    def words(self, place: int) -> frozenset[str]:
        """The spellings of null that are data in a column."""
        if self._stored is not None and self._member.coded is None:
            return self._stored_words.of(self._stored, self._places[place])
        column = self._column(place)
        return frozenset() if column is None else _words_among(column)

    def may_lack(self, place: int, data: frozenset[str]) -> bool:
        """Whether one of these words may have been taken for a missing value in a column."""
        return bool(data - self.words(place)) and self._has_nulls(place)

    def _column(self, place: int, member: Member | None = None) -> pa.Array | None:
        """The distinct values of a column, of the table that was read again (`member`) if so; None if it is lacking."""
        coded = (member or self._member).coded
        if coded is not None:
            column = coded.columns[place]
            return None if column is None else column.texts
        own = self._places[place]
        assert self._stored is not None
        first = self._stored.segment.columns_of(self._stored.number).start
        return None if own is None else stored_column(self._stored.segment, first + own).texts

    def _has_nulls(self, place: int) -> bool:
        own = self._places[place]
        if own is None:
            return False
        if self._member.coded is not None:
            column = self._member.coded.columns[place]
            return column is not None and not np.all(column.codes)
        assert self._stored is not None
        segment, number = self._stored
        return bool(segment.catalog["column.nulls"][segment.columns_of(number).start + own])


def _words_among(values: pa.Array) -> frozenset[str]:
    return frozenset(values.filter(pc.is_in(values, value_set=_WORDS)).to_pylist())


class _SegmentWords:
    """The spellings of null that are data in columns of the lake; they are looked up once per segment."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[np.ndarray, list[str]]] = {}  # ids and words, by the segment's folder

    def of(self, stored: Stored, place: int | None) -> frozenset[str]:
        """Those of a column of a table."""
        segment, number = stored
        if place is None:
            return frozenset()
        if segment.folder not in self._known:
            self._known[segment.folder] = _words_in(segment)
        ids, words = self._known[segment.folder]
        held = segment.set_of(segment.columns_of(number).start + place)
        at = np.searchsorted(held, ids)
        return frozenset(word for word, id, i in zip(words, ids, at, strict=True) if i < len(held) and held[i] == id)


def _words_in(segment: Segment) -> tuple[np.ndarray, list[str]]:
    """The spellings of null that are values of a segment."""
    ids = segment.dictionary.find(Strings.from_arrow(_WORDS), hash_values(_WORDS))
    return ids[ids >= 0], _WORDS.filter(pa.array(ids >= 0)).to_pylist()
