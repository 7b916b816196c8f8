"""What was given as a table: a frame, a list of rows, a file, or a table of the lake?

A table of the lake is mapped from its segment.  Of a file, only what is compared is kept: its distinct values and a
code per row; its spelling is read again when rows are fetched.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from mere.bundles.relation import Column, Relation, relation_of_cells, relation_of_stored
from mere.bundles.schema import Reading, Schema
from mere.errors import LakeError, NoSuchTable, UsageError
from mere.readers import Limits, describe, sidecars_of
from mere.search.catalog import find_table
from mere.search.given import code_given, decimal_of, is_file, limits_of, number_share, texts
from mere.search.given.files import (
    has_own_types,
    is_typed,
    path_and_member,
    reading_notes,
    rows_of,
    table_with_rows,
)
from mere.search.given.frames import collected, frame_of_rows, is_frame, to_arrow
from mere.search.given.numbers import dates_of
from mere.search.raw import raw_path, raw_rows
from mere.search.typed_rows import typed_rows, typed_text
from mere.segments import Coded, OpenSnapshot, Segment, code_column
from mere.values import NUMBER_SHARE, Type, infer

REMEDY = "give a pandas, polars, Arrow or Spark frame, a list of rows, the path of a file, or a table of the lake"


class Stored(NamedTuple):
    """A table of the lake: its segment and its number there."""

    segment: Segment
    number: int

    @property
    def lake(self) -> str:
        """The folder of the lake, as processes with another working folder find it."""
        return os.path.dirname(os.path.dirname(os.path.abspath(self.segment.folder)))

    @property
    def numbers(self) -> Mapping[str, Any]:
        """What is known of how its numbers and dates were read (`segments.plain_numbers`)."""
        return self.segment.facts(self.number).numbers

    @property
    def profile_only(self) -> bool:
        return bool(self.segment.profile_only[self.number])

    @property
    def columns(self) -> list[str]:
        span = self.segment.columns_of(self.number)
        return self.segment.column_names[span.start : span.stop]

    def types(self, schema: Schema) -> list[Type]:
        """The types of the columns of the schema; EMPTY for a column that the table lacks."""
        stored = self.segment.catalog["column.types"][self.segment.columns_of(self.number).start :]
        places = schema.places(self.columns)
        return [Type.EMPTY if place is None else Type(int(stored[place])) for place in places]


@dataclass(frozen=True, eq=False)
class Table:
    """A table that takes part: the names of its columns, its size, and how its rows are read as they are spelled."""

    name: str
    columns: tuple[str, ...]
    rows: int
    read: Callable[[], pa.Table]
    given: Any = None
    notes: tuple[str, ...] = ()
    path: str = ""  # of its raw file, and the member of it after a '#'
    stored: Stored | None = None
    cells: pa.Table | None = None  # of a table that is in memory anyway, or was just read
    share: float = NUMBER_SHARE  # see `number_share`
    read_typed: Callable[[], pa.Table] | None = None  # its rows with their types, if `read` gives text
    as_written: bool = True  # `read` gives the cells as they are written
    hidden: bool = False  # a sheet that its workbook hides

    def rows_read(self, raw: bool) -> pa.Table:
        """Its rows with their types, or, with `raw`, as they are spelled; a frame as it is."""
        return self.read() if raw or self.read_typed is None else self.read_typed()

    def relation(self, schema: Schema) -> Relation:
        """Its rows in the columns of the schema."""
        if self.stored is not None:
            return relation_of_stored(*self.stored, schema)
        cells = self.read() if self.cells is None else self.cells
        decimal = cache(lambda: decimal_of(cells, self.share))

        def code(name: str, column: pa.ChunkedArray, reading: Reading) -> Coded:
            if reading.mark:
                return code_column(texts(column), reading.data, as_written=True)
            return code_given(column, decimal, self.share, reading.data, name)

        return relation_of_cells(self.name, cells.column_names, cells.columns, schema, code)

    def decimal(self) -> str:
        """The decimal mark that it shows: point, comma, or empty."""
        if self.stored is not None:
            return str(self.stored.numbers.get("decimal", ""))
        return decimal_of(self.read() if self.cells is None else self.cells, self.share)

    def dates(self) -> str:
        """The order of day and month that its dates show; empty if they show none, or disagree."""
        if self.stored is not None:
            return str(self.stored.numbers.get("dates", ""))
        return dates_of(self.read() if self.cells is None else self.cells, self.share)

    def called(self, name: str) -> Table:
        """The same table under another name."""
        return replace(self, name=name)

    def licence(self) -> str:
        """The licence that the descriptions beside the table name; empty if they name none."""
        if self.stored is not None:
            segment, number = self.stored
            return str(segment.facts(number).about.get("licence", ""))
        if not self.path:
            return ""
        path = path_and_member(self.path)[0]
        folder = os.path.dirname(path)
        beside = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        return describe(path, sidecars_of([*beside, path]).get(path, [])).licence


@dataclass(frozen=True, eq=False)
class Member:
    """A table that takes part, and its rows in the compared columns; None: mapped from the lake when needed."""

    table: Table
    coded: Relation | None

    def relation(self, schema: Schema) -> Relation:
        if self.coded is None:
            return self.table.relation(schema)
        pairs = zip(self.coded.columns, schema.readings, strict=True)
        columns = tuple(None if column is None else column.read(reading) for column, reading in pairs)
        return replace(self.coded, schema=schema, columns=columns)

    def types(self, schema: Schema) -> list[Type]:
        """The types of the columns of the schema; EMPTY for a column that the table lacks."""
        if self.coded is not None:
            return [_inferred(column, self.table.share) for column in self.coded.columns]
        stored = self.table.stored
        assert stored is not None
        return stored.types(schema)


def member_of(table: Table, schema: Schema) -> Member:
    """The table with its rows coded, and without the text of a file; a table of the lake stays where it is."""
    if table.stored is not None:
        return Member(table, None)
    coded = table.relation(schema)
    return Member(replace(table, cells=None) if table.path else table, coded)


def _inferred(column: Column | None, share: float) -> Type:
    """The type of a column that is not stored; EMPTY if the table lacks it."""
    if column is None:
        return Type.EMPTY
    counts = np.bincount(column.codes, minlength=len(column.values) + 1)[1:]
    return Type(int(infer(column.texts, np.array([0, len(column.values)]), counts, share).types[0]))


def read_table(given: Any, opened: OpenSnapshot | None, unnamed: str) -> Table:
    """The table that was given; `unnamed` is what a table without a name is called."""
    given, share = collected(given), NUMBER_SHARE if opened is None else number_share(opened)
    if isinstance(given, str | os.PathLike):
        name = os.fspath(given)
        if is_file(name):
            return _file(name, Limits() if opened is None else limits_of(opened), share)
        return _of_the_lake(name, opened)
    frame = to_arrow(given) if is_frame(given) else _from_rows(given, unnamed)
    return Table(unnamed, tuple(frame.column_names), frame.num_rows, lambda: frame, given, cells=frame, share=share)


def _file(name: str, limits: Limits, share: float) -> Table:
    path, member = path_and_member(name)
    stamp = _stamp(path)

    def read(own_types: bool = False) -> pa.Table:
        if _stamp(path) != stamp:
            raise LakeError(f"'{path}' has changed since it was read", "assemble the bundle again")
        raw, _ = table_with_rows(name, (), limits)
        return rows_of(raw, own_types)

    def read_typed() -> pa.Table:
        rows = read(own_types=True)
        return rows if has_own_types(rows) else typed_text(rows, share, is_typed(rows))

    raw, several = table_with_rows(name, (), limits)
    cells = rows_of(raw)
    full = os.path.realpath(path) + (f"#{member or raw.member}" if member or raw.member else "")
    notes = reading_notes(name, raw, several)
    return Table(
        name, tuple(cells.column_names), cells.num_rows, read, given=None, notes=notes, path=full, cells=cells,
        share=share, read_typed=read_typed,
    )  # fmt: skip


def _stamp(path: str) -> tuple[int, int] | None:
    """By what a file that was changed is noticed; None if there is none."""
    try:
        facts = os.stat(path)
    except FileNotFoundError:
        return None
    return facts.st_size, facts.st_mtime_ns


def _of_the_lake(name: str, opened: OpenSnapshot | None) -> Table:
    if opened is None:
        raise UsageError(
            f"'{name}' is not a file, and no lake was given", "check the path, or name the lake with lake="
        )
    try:
        return table_of_the_lake(opened, Stored(*find_table(opened, name)))
    except NoSuchTable as error:
        raise NoSuchTable(f"no file '{name}', and {error.message}", error.remedy) from error


def table_of_the_lake(opened: OpenSnapshot, stored: Stored) -> Table:
    """A table of the lake by its place."""
    segment, number = stored
    name = segment.names[number]
    facts = segment.facts(number)
    raw = raw_path(opened, facts)
    path = os.path.realpath(raw or facts.source)
    full = path + (f"#{facts.member}" if facts.member else "")
    notes = (f"'{name}' was read only in part: {'; '.join(facts.issues)}",) if facts.lost else ()
    return Table(
        name, tuple(stored.columns), int(segment.catalog["table.rows"][number]),
        lambda: raw_rows(opened, name), notes=notes, path=full, stored=stored,
        read_typed=lambda: typed_rows(opened, name), as_written=raw is not None,
        hidden=segment.is_hidden(number),
    )  # fmt: skip


def _from_rows(given: Any, unnamed: str) -> pa.Table:
    """A table from a list of rows, each a mapping from column names to values; a row may lack some."""
    if not isinstance(given, list | tuple) or not all(isinstance(row, Mapping) for row in given):
        shown = type(given).__name__ if not isinstance(given, list | tuple) else "a list of other things"
        raise UsageError(f"expected a table as {unnamed}, got {shown}", REMEDY)
    return frame_of_rows(given)


def check_names(table: Table) -> None:
    """Refuse a frame in which several columns have one name."""
    if repeated := [name for name, times in Counter(table.columns).items() if times > 1]:
        raise UsageError(f"{table.name} has several columns called '{repeated[0]}'", "rename one of them")
