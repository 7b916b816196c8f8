"""How are cells read if their table alone does not tell?  As in another table of the bundle, that does.

When a table is read, all values of a column decide whether 5/1/2020 is in May or in January, and whether `NA` is a
missing value or a word (the code of a country).  A table with few rows may not tell.  The rows of a bundle are compared
with each other, so they have to be read alike: what one table tells, the base first, holds for those that do not tell;
a table that tells otherwise is read as it tells.

Segments do not have the words that were taken for missing values: a table of the lake to which one of them may belong
is read from its raw file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.bundles.relation import stored_column
from mere.bundles.schema import Reading, Schema
from mere.errors import MereError
from mere.search.assembling.inputs import Member, Stored, member_of
from mere.segments import Segment
from mere.store import Strings
from mere.values import DAY_FIRST, MONTH_FIRST, Type, day_order, hash_values
from mere.values.nulls import SPELLINGS

_WORDS = Strings.of(sorted(SPELLINGS)).to_arrow()


def read_alike(schema: Schema, members: Sequence[Member]) -> tuple[Schema, list[Member], list[str]]:
    """The schema with readings, the tables read by them, and notes on tables that could not be; the base is first."""
    words = _SegmentWords()
    told = [_Told(member, schema, words) for member in members]
    readings = [_reading(place, type_, told) for place, type_ in enumerate(schema.types)]
    schema = replace(schema, known_readings=tuple(readings) if any(each != Reading() for each in readings) else ())
    read, notes = [], []
    for member, own in zip(members, told, strict=True):
        if not any(own.may_lack(place, reading.data) for place, reading in enumerate(readings)):
            read.append(member)
            continue
        try:
            read.append(member_of(replace(member.table, stored=None), schema))
        except MereError as error:
            read.append(member)
            notes.append(f"missing values of '{member.table.name}' may be words in other tables: {error.message}")
    return schema, read, notes


def _reading(place: int, type_: Type, told: Sequence[_Told]) -> Reading:
    data = frozenset().union(*(each.words(place) for each in told))
    orders = (each.day_order(place) for each in told) if type_ is Type.DATETIME else iter(())
    return Reading(next((order for order in orders if order is not None), False), data)


class _Told:
    """What a table tells about the columns of the schema."""

    def __init__(self, member: Member, schema: Schema, words: _SegmentWords) -> None:
        self._member, self._stored, self._stored_words = member, member.table.stored, words
        self._places = schema.places(member.table.columns)

    def day_order(self, place: int) -> bool | None:
        """Whether dates are written with the day first; None if the table does not tell."""
        column = self._column(place)
        order = None if column is None else day_order(column)
        return self._order_of_table() if order is None and column is not None else order

    def _order_of_table(self) -> bool | None:
        """The order that other columns of a table of the lake show."""
        if self._stored is None:
            return None
        segment, number = self._stored
        return {DAY_FIRST: True, MONTH_FIRST: False}.get(segment.facts(number).numbers.get("dates", ""))

    def words(self, place: int) -> frozenset[str]:
        """The spellings of null that are data in a column."""
        if self._stored is not None and self._member.coded is None:
            return self._stored_words.of(self._stored, self._places[place])
        column = self._column(place)
        return frozenset() if column is None else _words_among(column)

    def may_lack(self, place: int, data: frozenset[str]) -> bool:
        """Whether one of these words may have been taken for a missing value in a column."""
        return bool(data - self.words(place)) and self._has_nulls(place)

    def _column(self, place: int) -> pa.Array | None:
        """The distinct values of a column; None if the table lacks it."""
        if self._member.coded is not None:
            column = self._member.coded.columns[place]
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
