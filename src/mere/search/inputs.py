"""What did the caller hand in: a column, a frame and a column's name, a file, or a table of the lake?

Everything becomes text the way a file of that type would be read, so that a column asks the same whether it comes as a
list, a Series, an Arrow array, a file or a column that is already indexed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from mere.errors import NoSuchTable, Unreadable, UsageError
from mere.indexes.sets.question import Distinct
from mere.readers import Limits, RawTable, open_tables
from mere.readers.as_text import as_text
from mere.search.catalog import find_table
from mere.segments import OpenSnapshot
from mere.store import Strings
from mere.values import Type

_REMEDY = "give a list of values, a pandas, polars or Arrow column, or a frame, file or table with on='column'"


@dataclass(frozen=True)
class Column:
    """A column to ask with."""

    cells: pa.Array | Distinct
    name: str | None = None
    table: str | None = None  # of the lake, if it comes from there

    def query(self) -> dict[str, Any]:
        """As the kinds take it; a table of the lake does not answer itself."""
        return {"values": self.cells, "on": self.name, "skip": self.table}


def read_column(given: Any, on: str | None, opened: OpenSnapshot) -> Column:
    """The column meant by what was given."""
    if isinstance(given, Column):
        return given
    if isinstance(given, str | os.PathLike):
        return _named_column(os.fspath(given), on, opened)
    if is_frame(given):
        frame = to_arrow(given)
        name = only_column(frame.column_names, on, "the frame")
        return Column(texts(frame.column(name)), name)
    if on is not None:
        raise UsageError(f"on='{on}' names a column, but what was given is no frame, file or table", _REMEDY)
    called = getattr(given, "name", None)
    return Column(texts(_array_of(given)), called if isinstance(called, str) and called else None)


def read_frame(given: Any, on: str | None, opened: OpenSnapshot) -> pa.Table:
    """A whole table: a frame as it is, a file's rows as text (of several tables in it, the first with that column)."""
    if isinstance(given, str | os.PathLike):
        raw = _raw_table(os.fspath(given), on, opened)
        return united(list(raw.batches()), raw.columns)
    if not is_frame(given):
        raise UsageError(f"{type(given).__name__} is no frame", "give a pandas, polars or Arrow frame, or a file")
    return to_arrow(given)


def is_frame(given: Any) -> bool:
    """Whether it has named columns: an Arrow, pandas, polars or Spark frame, or a mapping of columns."""
    return isinstance(given, pa.Table | pa.RecordBatch | Mapping) or _is_foreign_frame(given)


def _is_foreign_frame(given: Any) -> bool:
    return hasattr(given, "columns") and any(hasattr(given, name) for name in ("iloc", "to_arrow", "toArrow"))


def to_arrow(frame: Any) -> pa.Table:
    """A frame as an Arrow table, its index (if it has one) left out."""
    if isinstance(frame, pa.Table):
        return frame
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame])
    if isinstance(frame, Mapping):
        return pa.table({str(name): _array_of(column) for name, column in frame.items()})
    if hasattr(frame, "toArrow"):  # Spark
        return frame.toArrow()
    if hasattr(frame, "to_arrow"):  # polars
        return frame.to_arrow()
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowException, TypeError):  # a column of mixed types
        return pa.table({str(name): _array_of(frame[name]) for name in frame.columns})


def like(result: pa.Table, given: Any) -> Any:
    """The result as the kind of frame that was given."""
    module = type(given).__module__.partition(".")[0]
    if module == "pandas":
        return result.to_pandas()
    if module == "polars":
        import polars

        return polars.from_arrow(result)
    return result


def texts(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """The cells as text; nulls stay null."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    if isinstance(column, pa.ChunkedArray):  # too long for one chunk of 32-bit offsets
        column = pa.concat_arrays([chunk.cast(pa.large_string()) for chunk in column.chunks])
    return as_text(column)


def _array_of(given: Any) -> pa.Array | pa.ChunkedArray:
    if isinstance(given, pa.Array | pa.ChunkedArray):
        return given
    if hasattr(given, "to_arrow"):  # polars
        return given.to_arrow()
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise UsageError(f"{given!r} is no column", _REMEDY)
    if not hasattr(given, "dtype"):
        given = list(given)
    try:
        return pa.array(given, from_pandas=True)
    except (pa.ArrowException, TypeError, OverflowError, UnicodeError):
        return pa.array([_cell(cell) for cell in given], pa.string())


def _cell(cell: Any) -> str | None:
    if cell is None or cell != cell:  # NaN and NaT differ from themselves
        return None
    return str(cell).encode("utf-8", "replace").decode()


def _named_column(name: str, on: str | None, opened: OpenSnapshot) -> Column:
    if not os.path.exists(_path_of(name)[0]) and (known := _lake_column(name, on, opened)):
        return known
    raw = _raw_table(name, on, opened)
    column = only_column(raw.columns, on, f"'{name}'")
    place = raw.columns.index(column)
    cells = pa.chunked_array([batch.column(place) for batch in raw.batches()], pa.string())
    return Column(texts(cells), column)


def _lake_column(name: str, on: str | None, opened: OpenSnapshot) -> Column | None:
    """A column that is already indexed: its values are at hand."""
    try:
        segment, number = find_table(opened, name)
    except NoSuchTable as error:
        raise NoSuchTable(f"no file '{name}', and {error.message}", error.remedy) from error
    names = segment.columns(number).names
    column = segment.columns_of(number)[names.index(only_column(names, on, f"table '{name}'"))]
    ids = segment.set_of(column)
    kind = Type(int(segment.catalog["column.types"][column]))
    values = Strings.of([]) if len(ids) == 0 else segment.dictionary.values.take(ids)
    distinct = Distinct(values, segment.dictionary.hashes[ids], segment.counts_of(column), kind.is_number)
    return Column(distinct, segment.column_name(column), segment.names[number])


def _path_of(name: str) -> tuple[str, str]:
    """A file's path, and the member of it that is meant, if one is named after a '#'."""
    if os.path.exists(name) or "#" not in name:
        return name, ""
    path, _, member = name.rpartition("#")
    return path, member


def _raw_table(name: str, on: str | None, opened: OpenSnapshot) -> RawTable:
    """The table of a file that is meant: the named member, else the first with that column, else the first."""
    path, member = _path_of(name)
    limits = Limits.from_dict(opened.snapshot.settings.get("limits", {}))
    if os.path.isdir(path) or not os.path.exists(path):
        raise UsageError(f"'{path}' is not a file", "give the path of a table")
    try:
        first = None
        for table in open_tables(path, limits):
            if member and table.member != member:
                continue
            if on is None or on in table.columns or member:
                return table
            first = first or table
    except Unreadable as error:
        raise UsageError(f"cannot read '{path}': {error.message}", error.remedy) from error
    if first is None:
        raise UsageError(f"'{path}' has no member '{member}'", "name one of its sheets or members after the '#'")
    return first


def only_column(names: list[str], on: str | None, what: str) -> str:
    """The column asked for; if none was, the only one there is."""
    if on is None and len(names) == 1:
        return names[0]
    listed = ", ".join(map(str, names[:20])) + (" ..." if len(names) > 20 else "")
    if on is None:
        raise UsageError(f"{what} has {len(names)} columns: on which one?", f"choose from {listed}")
    if on not in names:
        folded = [name for name in names if str(name).casefold() == on.casefold()]
        if len(folded) == 1:
            return folded[0]
        raise UsageError(f"{what} has no column '{on}'", f"it has {listed}")
    return on


def united(batches: list[pa.RecordBatch], columns: list[str]) -> pa.Table:
    """Batches of one raw table as one; a later batch may have more columns than the first."""
    if not batches:
        return pa.table({name: pa.array([], pa.string()) for name in columns})
    return pa.concat_tables([pa.Table.from_batches([batch]) for batch in batches], promote_options="default")
