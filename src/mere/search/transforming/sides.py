"""What are the two tables to match, and what are their cells as text?

A table is a frame (pandas, polars, Arrow, Spark, a mapping of columns), a list of rows, or a file of any format that
Mere reads.  Cells become the text that a file would have: a whole number in a column of floats is written without its
".0".  Missing values stay missing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mere.errors import UsageError
from mere.readers import Limits
from mere.search.given import several_columns, texts
from mere.search.given.files import has_own_types, is_typed, reading_notes, rows_of, table_with_rows
from mere.search.given.frames import collected, frame_of_rows, is_frame, to_arrow
from mere.search.typed_rows import typed_text, warn_of_losses
from mere.transform import Columns
from mere.values import NUMBER_SHARE

REMEDY = "give a pandas, polars or Arrow frame, a list of rows, or the path of a file"
SIDES = ("left", "right")


@dataclass(frozen=True)
class Side:
    """One of the two tables: what was given, its rows, and the columns that may be matched."""

    name: str  # left or right
    given: Any
    table: pa.Table
    columns: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def cells(self) -> Columns:
        """The texts of the columns that may be matched."""
        return {name: self.texts(name).to_pylist() for name in self.columns}

    def texts(self, column: str) -> pa.Array:
        return texts(self.table.column(column))

    def shown(self, raw: bool) -> pa.Table:
        """The rows with their types; with `raw`, those of a file without types as they are written."""
        is_text = isinstance(self.given, str | os.PathLike) and not has_own_types(self.table)
        if raw or not is_text:
            return self.table
        return warn_of_losses(typed_text(self.table, NUMBER_SHARE, is_typed(self.table)), stacklevel=4)

    def fault(self) -> str | None:
        """Why nothing can match: no column, no row, no value."""
        if not self.columns:
            return f"the {self.name} table has no columns"
        if not self.table.num_rows:
            return f"the {self.name} table has no rows"
        if all(self._is_blank(name) for name in self.columns):
            return f"all cells of the {self.name} table are missing"
        return None

    def _is_blank(self, column: str) -> bool:
        cells = self.texts(column)
        return not pc.any(pc.not_equal(pc.utf8_trim_whitespace(cells), "")).as_py()


def read_side(name: str, given: Any, on: Sequence[str] | None) -> Side:
    """Read one table; `on` names the columns that may be matched (default: all)."""
    owner = f"the {name} table"
    notes: tuple[str, ...] = ()
    if isinstance(given, str | os.PathLike):
        owner = f"'{os.fspath(given)}'"
        table, notes = _read_file(os.fspath(given), on or ())
    elif is_frame(given := collected(given)):
        table = to_arrow(given)
    else:
        table = _from_rows(name, given)
    names = table.column_names
    if repeated := [column for column in names if names.count(column) > 1]:
        raise UsageError(f"{owner} has several columns called '{repeated[0]}'", "rename one of them")
    columns = names if on is None else several_columns(names, on, owner)
    return Side(name, given, table, tuple(columns), notes)


def _read_file(path: str, on: Sequence[str]) -> tuple[pa.Table, tuple[str, ...]]:
    raw, several = table_with_rows(path, on, Limits())
    table = rows_of(raw, own_types=True)
    return table, reading_notes(path, raw, several)


def _from_rows(name: str, given: Any) -> pa.Table:
    """A table from a list of rows, each a mapping from column names to values; a row may lack some."""
    if not isinstance(given, list | tuple):
        raise UsageError(f"expected a table on the {name}, got {type(given).__name__}", REMEDY)
    if odd := [row for row in given if not isinstance(row, Mapping)]:
        raise UsageError(f"expected rows with named columns on the {name}, got {type(odd[0]).__name__}", REMEDY)
    return frame_of_rows(given)
