"""How is what a question is asked with read: a column, a frame and a column's name, a file, a table of the lake?"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from mere.errors import NoSuchTable, UsageError
from mere.indexes.inputs import Column, Histogram, Key
from mere.search.catalog import find_rows, find_table
from mere.search.given.files import is_file, limits_of, losses, rows_of, table_of_file, table_with_rows
from mere.search.given.frames import COLUMN_REMEDY, FRAME_REMEDY, array_of, as_frame, is_frame, to_arrow
from mere.search.given.names import only_column, several_columns
from mere.search.given.numbers import Decimal, code_given, dates_of, number_share
from mere.search.given.whole import read_column, whole_table
from mere.search.given.words import checked_words, words_of_lake
from mere.segments import Coded, OpenSnapshot, Segment

Find = Callable[[OpenSnapshot, str], tuple[Segment, int]]


class LakeInputs:
    """Reads what a question is asked with; a name is looked for among files first, then among tables of the lake.

    Words for missing values of `keep_words` are values in it; a table of the lake is then read again from its file.
    `partner` is the only table that is asked: it alone shows which other such words are values.
    """

    def __init__(
        self, opened: OpenSnapshot, keep_words: Iterable[str] | str | None = (), partner: str | None = None
    ) -> None:
        self.opened, self.keep_words, self.partner = opened, checked_words(keep_words), partner

    def keeping(self, words: Iterable[str] | str | None, partner: str | None = None) -> LakeInputs:
        """The same for a table that was handed in with words that are values, or to ask one table."""
        return LakeInputs(self.opened, words, partner) if words or partner else self

    def column(self, given: Any, on: str | None) -> Column:
        """One column of what was given."""
        if isinstance(given, Column):
            return given
        if isinstance(on, list | tuple):
            if len(on) != 1:
                raise UsageError(f"one column is asked for, got on={list(on)}", "for a key of several, use composite")
            [on] = on
        on = on if on is None else str(on)
        if not isinstance(given, str | os.PathLike) and not is_frame(given := as_frame(given)):
            return self._list_column(given, on)
        table = whole_table(self, given, () if on is None else (on,))
        column = table.distinct(table.names.index(only_column(table.names, on, table.owner)))
        return replace(column, notes=(*table.notes, *column.notes))

    def _list_column(self, given: Any, on: str | None) -> Column:
        if on is not None:
            raise UsageError(f"on='{on}' needs named columns, got a {type(given).__name__}", COLUMN_REMEDY)
        name = getattr(given, "name", None)
        return read_column(self.coded(array_of(given), lambda: ""), name if isinstance(name, str) and name else None)

    @property
    def share(self) -> float:
        """The share of a column's cells that must be numbers."""
        return number_share(self.opened)

    def coded(self, cells: pa.Array | pa.ChunkedArray, decimal: Decimal, name: str | None = None) -> Coded:
        """A column that was handed in, as the lake compares values."""
        coded = code_given(cells, decimal, self.share, self.keep_words, name)
        if not (words := words_of_lake(self.opened, coded, self.partner)):
            return coded
        return replace(code_given(cells, decimal, self.share, self.keep_words.union(words), name), kept=words)

    def key(self, given: Any, on: Sequence[str] | str | None, most: int) -> Key:
        """The named columns of a frame, file or table; if none is named, all of them, if they are at most `most`."""
        if isinstance(given, Key):
            return given
        wanted = None if on is None else [on] if isinstance(on, str) else [str(name) for name in on]
        table = whole_table(self, given, wanted or ())
        names = several_columns(table.names, wanted, table.owner, most)
        return table.key([table.names.index(name) for name in names])

    def published_histogram(self, given: Any, on: str | None) -> Histogram | None:
        """The histogram of a column whose owner publishes only a profile; None if its values can be read."""
        if not isinstance(given, str | os.PathLike):
            return None
        name, table = os.fspath(given), None
        if is_file(name):
            raw, _ = table_of_file(name, [] if on is None else [on], limits_of(self.opened))
            published, names = raw.published, raw.columns
        else:
            segment, number = self._table(name)
            published, table = segment.facts(number).published, segment.names[number]
            names = segment.columns(number).names
        if not published:
            return None
        column = only_column(names, on, f"table '{name}'")
        profile = published["columns"][names.index(column)]
        if "edges" not in profile:
            raise UsageError(f"no histogram of '{column}' was published", "choose a column of numbers or dates")
        return Histogram(profile["edges"], profile["counts"], table)

    def day_order(self, given: Any, on: str | None) -> str:
        """The order of day and month in the dates of a frame, a file or a table of the lake; empty if unknown."""
        if isinstance(given, str | os.PathLike) and not is_file(os.fspath(given)):
            segment, number = self._table(os.fspath(given), find_rows)
            return str(segment.facts(number).numbers.get("dates", ""))
        given = as_frame(given)
        named = isinstance(given, str | os.PathLike)
        return dates_of(self.frame(given, [] if on is None else [on]), self.share) if named or is_frame(given) else ""

    def table(self, name: str | None, with_rows: bool) -> str | None:
        """The full name of a table of the lake; with `with_rows`, an error if only a profile of it was published."""
        if name is None:
            return None
        segment, number = (find_rows if with_rows else find_table)(self.opened, name)
        return segment.names[number]

    def column_names(self, given: Any) -> list[str]:
        """The names of the columns of a frame, a file or a table of the lake."""
        if not isinstance(given, str | os.PathLike):
            return self.frame(given, ()).column_names
        name = os.fspath(given)
        if is_file(name):
            return table_of_file(name, [], limits_of(self.opened))[0].columns
        segment, number = self._table(name)
        return segment.columns(number).names

    def frame(self, given: Any, on: Sequence[str], own_types: bool = False) -> pa.Table:
        """All rows: of a frame, or of a file as text (of several tables, the first with these columns).

        With `own_types`, columns of a file that has types keep them.
        """
        if isinstance(given, str | os.PathLike):
            raw, _ = table_with_rows(os.fspath(given), on, limits_of(self.opened))
            table = rows_of(raw, own_types)
            for note in losses(os.fspath(given), raw):
                warnings.warn(note, stacklevel=3)
            return table
        given = as_frame(given)
        if not is_frame(given):
            raise UsageError(f"expected a frame, got {type(given).__name__}", FRAME_REMEDY)
        return to_arrow(given)

    def _table(self, name: str, find: Find = find_table) -> tuple[Segment, int]:
        try:
            return find(self.opened, name)
        except NoSuchTable as error:
            raise NoSuchTable(f"no file '{name}', and {error.message}", error.remedy) from error
