"""My whole table: which columns does it have, and what are the values of each?

Columns are coded when they are asked for, and kept; those of a table of the lake are in the index already.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from mere.errors import NoSuchTable, UsageError
from mere.indexes.inputs import Column, Distinct, Key, Origin
from mere.search.catalog import find_rows
from mere.search.given.files import is_file, is_typed, limits_of, reading_notes, rows_of, table_with_rows
from mere.search.given.frames import FRAME_REMEDY, array_of, as_frame, is_frame, texts, to_arrow
from mere.search.given.numbers import decimal_of, doubts
from mere.segments import Coded, Facts, digest, summarise
from mere.store import Strings
from mere.values import Type, per_column

if TYPE_CHECKING:
    from mere.search.given.given import LakeInputs

_SAMPLE = 500  # rows, three times


class WholeTable:
    """A frame, a file or a table of the lake, column by column."""

    names: list[str]
    rows: int
    table: str | None  # its name, if it is one of the lake
    notes: tuple[str, ...]
    origin: Origin
    owner: str  # how errors name it
    stored = False  # whether its columns are in the index already

    def distinct(self, place: int) -> Column:
        """The distinct values of a column."""
        raise NotImplementedError

    def coded(self, place: int) -> Coded:
        """The values of a column and the code of each row."""
        raise NotImplementedError

    def described(self) -> tuple[list[Type], list[float]]:
        """The type of each column, and the characters of its cells, on average."""
        raise NotImplementedError

    def key(self, places: Sequence[int]) -> Key:
        """Several columns together."""
        columns, names = [self.coded(place) for place in places], [self.names[place] for place in places]
        more = (note for column, name in zip(columns, names, strict=True) for note in doubts(column, name))
        return Key([*columns], names, self.table, (*self.notes, *more))


def read_column(coded: Coded, name: str | None) -> Column:
    """The distinct values of a column that was read."""
    distinct = Distinct(coded.values, coded.hashes, coded.counts(), coded.numeric, tuple(coded.dropped), coded.unsure)
    return Column(distinct, name, notes=doubts(coded, name))


class ReadTable(WholeTable):
    """A frame, or a file that was read."""

    def __init__(self, table: pa.Table, origin: Origin, inputs: LakeInputs, notes: tuple[str, ...] = ()) -> None:
        self._table, self._inputs = table, inputs
        self.names, self.rows, self.table = table.column_names, table.num_rows, None
        self.origin, self.notes = origin, notes
        self.owner = "the frame"
        self._coded: dict[int, Coded] = {}

    @cached_property
    def _decimal(self) -> str:
        return decimal_of(self._table, self._inputs.share)

    def coded(self, place: int) -> Coded:
        if place not in self._coded:
            column, name = self._table.column(place), self.names[place]
            self._coded[place] = self._inputs.coded(column, lambda: self._decimal, name)
        return self._coded[place]

    def distinct(self, place: int) -> Column:
        return replace(read_column(self.coded(place), self.names[place] or None), origin=self.origin)

    def described(self) -> tuple[list[Type], list[float]]:
        """As the first rows and rows of the middle and of the end show."""
        pieces = [self._table.slice(start, _SAMPLE) for start in (0, self.rows // 2, max(self.rows - _SAMPLE, 0))]
        sample = pieces[0] if self.rows <= _SAMPLE else pa.concat_tables(pieces)
        names = [str(place) for place in range(len(self.names))]
        facts = Facts("", "", "", numbers={"typed": is_typed(self._table)})
        cells = digest([pa.table([texts(column) for column in sample.columns], names)])
        [summary] = summarise([facts], cells, self._inputs.share, data=self._inputs.keep_words)
        sets = summary.sets
        letters = per_column(sets.counts.astype(np.int64) * sets.values.lengths(), sets.starts)
        filled = np.maximum(sample.num_rows - summary.columns.nulls, 1)
        return [Type(int(type_)) for type_ in summary.columns.types], (letters / filled).tolist()


class StoredTable(WholeTable):
    """A table of the lake."""

    stored = True

    def __init__(self, inputs: LakeInputs, name: str) -> None:
        self._inputs, (self._segment, self._number) = inputs, find_rows(inputs.opened, name)
        self.names = self._segment.columns(self._number).names
        self.rows = int(self._segment.catalog["table.rows"][self._number])
        self.table, self.notes = self._segment.names[self._number], ()
        self.origin, self.owner = Origin(self.table, tuple(self.names)), f"table '{name}'"
        self.distinct = cache(self.distinct)  # type: ignore[method-assign]

    def described(self) -> tuple[list[Type], list[float]]:
        """Prose is not looked for: it matches nothing, and its values are known already."""
        span = self._segment.columns_of(self._number)
        types = self._segment.catalog["column.types"][span.start : span.stop]
        return [Type(int(type_)) for type_ in types], [0.0] * len(types)

    @cached_property
    def _raw(self) -> pa.Table:
        from mere.search.raw import raw_rows

        return raw_rows(self._inputs.opened, self.origin.table)

    def coded(self, place: int) -> Coded:
        """As its segment has it; from its raw rows if words are kept that were read as missing."""
        if self._inputs.keep_words:
            mark = self._segment.facts(self._number).numbers.get("decimal", "")
            return self._inputs.coded(self._raw.column(place), lambda: mark, self.names[place])
        column, values = self._stored(place)
        return Coded(values.values, values.hashes, self._segment.codes_of(column), [], values.numeric, values.unsure)

    def distinct(self, place: int) -> Column:
        if self._inputs.keep_words:
            column = read_column(self.coded(place), self.names[place])
        else:
            column = Column(self._stored(place)[1], self.names[place])
        return replace(column, table=self.table, origin=self.origin)

    def _stored(self, place: int) -> tuple[int, Distinct]:
        """The number of a column, and its distinct values."""
        segment, column = self._segment, self._segment.columns_of(self._number)[place]
        ids, numeric = segment.set_of(column), Type(int(segment.catalog["column.types"][column])).is_number
        values = segment.dictionary.values.take(ids) if len(ids) else Strings.of([])
        unsure = segment.unsure_columns(self._number).get(column) == "decimal"
        return column, Distinct(
            values, segment.dictionary.hashes[ids], segment.counts_of(column), numeric, (), numeric and unsure
        )


def as_table(given: Any) -> Any:
    """What was given; a list or column as a table of one column, whose name is empty if it has none of its own."""
    given = given if isinstance(given, str | os.PathLike) else as_frame(given)
    if isinstance(given, str | os.PathLike) or is_frame(given):
        return given
    name = getattr(given, "name", None)
    return pa.table([array_of(given)], [name if isinstance(name, str) else ""])


def _of_the_lake(inputs: LakeInputs, name: str) -> StoredTable:
    try:
        return StoredTable(inputs, name)
    except NoSuchTable as error:
        raise NoSuchTable(f"no file '{name}', and {error.message}", error.remedy) from error


def whole_table(inputs: LakeInputs, given: Any, on: Sequence[str] = ()) -> WholeTable:
    """What was given, as a table; of a file with several, the first that has these columns."""
    given = given if isinstance(given, str | os.PathLike) else as_frame(given)
    if is_frame(given):
        frame = to_arrow(given)
        return ReadTable(frame, Origin("", tuple(frame.column_names)), inputs)
    if not isinstance(given, str | os.PathLike):
        raise UsageError(f"expected a frame, got {type(given).__name__}", FRAME_REMEDY)
    name = os.fspath(given)
    if not is_file(name):
        return _of_the_lake(inputs, name)
    raw, several = table_with_rows(name, on, limits_of(inputs.opened))
    origin = Origin(os.path.basename(name), tuple(raw.columns))  # its folder is not one of the lake
    table = ReadTable(rows_of(raw), origin, inputs, tuple(reading_notes(name, raw, several)))
    table.owner = f"'{name}'"
    return table
