"""What did the caller hand in: a column, a frame and a column's name, a file, or a table of the lake?

Everything becomes text the way a file of that type would be read, so that a column asks the same whether it comes as a
list, a Series, an Arrow array, a file or a column that is already indexed.
"""

from __future__ import annotations

import csv
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.errors import NoSuchTable, ProfileOnly, Unreadable, UsageError
from mere.indexes.composite.question import MOST_COLUMNS
from mere.indexes.distribution.likeness import curve_like, numbers_like
from mere.indexes.sets.question import Distinct, distinct_of
from mere.readers import Limits, RawTable, open_tables
from mere.readers.as_text import as_text
from mere.search.catalog import find_rows, find_table
from mere.segments import Coded, OpenSnapshot, Segment
from mere.store import Strings
from mere.values import Type, infer

_REMEDY = "give a list of values, a pandas, polars or Arrow column, or a frame, file or table with on='column'"


@dataclass(frozen=True)
class Column:
    """A column to ask with."""

    cells: pa.Array | Distinct
    name: str | None = None
    table: str | None = None  # of the lake, if it comes from there
    notes: tuple[str, ...] = ()  # what the asker should know of it

    def query(self) -> dict[str, Any]:
        """As the kinds take it; a table of the lake does not answer itself."""
        return {"values": self.cells, "on": self.name, "skip": self.table, "notes": list(self.notes)}


def read_column(given: Any, on: str | None, opened: OpenSnapshot) -> Column:
    """The column meant by what was given."""
    if isinstance(given, Column):
        return given
    on = on if on is None else str(on)
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


@dataclass(frozen=True)
class Key:
    """Columns of one table to ask with, together."""

    columns: list[pa.Array | Coded]
    names: list[str]
    table: str | None = None  # of the lake, if it comes from there
    notes: tuple[str, ...] = ()

    def query(self) -> dict[str, Any]:
        """As the kinds take it; a table of the lake does not answer itself."""
        return {"columns": self.columns, "on": self.names, "skip": self.table, "notes": list(self.notes)}


def read_key(given: Any, on: Sequence[str] | str | None, opened: OpenSnapshot) -> Key:
    """The columns of a frame, a file or a table of the lake that were named; all of them if none were."""
    if isinstance(given, Key):
        return given
    wanted = None if on is None else [on] if isinstance(on, str) else [str(name) for name in on]
    if isinstance(given, str | os.PathLike):
        return _named_key(os.fspath(given), wanted, opened)
    if not is_frame(given):
        raise UsageError(f"{type(given).__name__} is no frame", "give a pandas, polars or Arrow frame, or a file")
    frame = to_arrow(given)
    names = several_columns(frame.column_names, wanted, "the frame")
    return Key([texts(frame.column(name)) for name in names], names)


def _named_key(name: str, wanted: list[str] | None, opened: OpenSnapshot) -> Key:
    if not os.path.exists(_path_of(name)[0]):
        segment, number = _table_of_the_lake(name, opened, find_rows)
        known = segment.columns(number).names
        names = several_columns(known, wanted, f"table '{name}'")
        columns = [_coded(segment, segment.columns_of(number)[known.index(one)]) for one in names]
        return Key(list(columns), names, segment.names[number])
    raw, several = _rows_meant(name, wanted or [], opened)
    names = several_columns(raw.columns, wanted, f"'{name}'")
    places = [raw.columns.index(one) for one in names]
    batches = [[batch.column(place) for place in places] for batch in raw.batches()]
    columns = [pa.chunked_array([batch[i] for batch in batches], pa.string()) for i in range(len(names))]
    return Key([texts(column) for column in columns], names, notes=_read_notes(name, raw, several))


def _coded(segment: Segment, column: int) -> Coded:
    """A column of the lake, as it is kept."""
    ids = segment.set_of(column)
    return Coded(_values(segment, ids), segment.dictionary.hashes[ids], segment.codes_of(column), [])


def read_shape(given: Any, on: str | None, opened: OpenSnapshot) -> dict[str, Any]:
    """A distribution to compare with: of a column, however it is handed over, or of a curve by its name."""
    if isinstance(given, str) and on is None:
        return {"like": curve_like(given), "skip": None}
    if isinstance(given, str | os.PathLike) and (known := _published_shape(os.fspath(given), on, opened)):
        return known
    column = read_column(given, on, opened)
    values, _, counts, _, _ = distinct_of(column.cells)
    starts = np.array([0, len(counts)])
    inferred = infer(values.to_arrow(), starts, np.asarray(counts, np.int64))
    valid = np.flatnonzero(np.isfinite(inferred.numbers))
    numbers = np.repeat(inferred.numbers[valid], np.asarray(counts, np.int64)[valid])
    return {"like": numbers_like(numbers.tolist()), "skip": column.table, "notes": list(column.notes)}


def _published_shape(name: str, on: str | None, opened: OpenSnapshot) -> dict[str, Any] | None:
    """The histogram that was published of a column; None if the table has rows to make one of."""
    if os.path.exists(_path_of(name)[0]):
        raw, _ = _tables_meant(name, [] if on is None else [on], opened)
        published, names, table = raw.published, raw.columns, None
    else:
        segment, number = _table_of_the_lake(name, opened)
        published, table = segment.facts(number).published, segment.names[number]
        names = segment.columns(number).names
    if not published:
        return None
    column = only_column(names, on, f"table '{name}'")
    told = published["columns"][names.index(column)]
    if "edges" not in told:
        raise UsageError(f"no histogram of '{column}' was published", "choose a column of numbers or dates")
    return {"like": {"edges": told["edges"], "counts": told["counts"]}, "skip": table}


def column_names(given: Any, opened: OpenSnapshot) -> list[str]:
    """What the columns of a file or of a table of the lake are called."""
    name = os.fspath(given)
    if not os.path.exists(_path_of(name)[0]):
        segment, number = _table_of_the_lake(name, opened)
        return segment.columns(number).names
    return _tables_meant(name, [], opened)[0].columns


def read_frame(given: Any, on: Sequence[str], opened: OpenSnapshot) -> pa.Table:
    """A whole table: a frame as it is, a file's rows as text (of several tables, the first with these columns)."""
    if isinstance(given, str | os.PathLike):
        raw = _rows_meant(os.fspath(given), on, opened)[0]
        whole = united(list(raw.batches()), raw.columns)
        for note in _losses(os.fspath(given), raw):
            warnings.warn(note, stacklevel=3)
        return whole
    if not is_frame(given):
        raise UsageError(f"{type(given).__name__} is no frame", "give a pandas, polars or Arrow frame, or a file")
    return to_arrow(given)


def _losses(name: str, raw: RawTable) -> list[str]:
    """What is missing of a file that could be read only in part."""
    return [f"'{name}' was read only in part: {'; '.join(raw.issues)}"] if raw.lost else []


def is_table_of_the_lake(given: Any) -> bool:
    """Whether a name means a table of the lake, and not a file."""
    return isinstance(given, str) and not os.path.exists(_path_of(given)[0])


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
        columns = {str(name): _array_of(column) for name, column in frame.items()}
        if len({len(column) for column in columns.values()}) > 1:
            told = ", ".join(f"'{name}' {len(column):,}" for name, column in list(columns.items())[:20])
            raise UsageError(f"columns of different lengths: {told}", "give columns of one table")
        return pa.table(columns)
    if hasattr(frame, "toArrow"):  # Spark
        return frame.toArrow()
    if hasattr(frame, "iloc"):  # pandas
        series = [frame.iloc[:, place] for place in range(len(frame.columns))]
    else:  # polars
        series = list(frame.get_columns())
    arrays = [_array_of(column) for column in series]
    return pa.table(arrays, names=[str(name) for name in frame.columns])


def like(result: pa.Table, given: Any) -> Any:
    """The result as the kind of frame that was given."""
    module = type(given).__module__.partition(".")[0]
    if module == "pandas":
        return _to_pandas(result, given)
    if module == "polars":
        import polars

        return polars.from_arrow(result)
    return result


def _to_pandas(result: pa.Table, given: Any) -> Any:
    """As pandas, whole numbers beside nulls as whole numbers, and columns of the given frame as they were."""
    import pandas

    whole = {"int8": "Int8", "int16": "Int16", "int32": "Int32", "int64": "Int64"}
    kinds = {**whole, **{f"u{small}": f"U{large}" for small, large in whole.items()}}
    columns = {}
    for place, (name, column) in enumerate(zip(result.column_names, result.columns, strict=True)):
        kind = kinds.get(str(column.type)) if column.null_count else None
        exactly = {column.type: pandas.api.types.pandas_dtype(kind)}.get if kind else None
        columns[name] = column.to_pandas(types_mapper=exactly)
        if place < len(given.columns) and pandas.api.types.is_extension_array_dtype(given.dtypes.iloc[place]):
            columns[name] = columns[name].astype(given.dtypes.iloc[place])
    return pandas.DataFrame(columns, index=range(result.num_rows))


def texts(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """The cells as text; nulls stay null."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    if isinstance(column, pa.ChunkedArray):  # too long for one chunk of 32-bit offsets
        column = pa.concat_arrays([chunk.cast(pa.large_string()) for chunk in column.chunks])
    return as_text(_dates(column))


def _dates(column: pa.Array) -> pa.Array:
    """Moments that are all at midnight are dates: frames often have no other type for them."""
    if not pa.types.is_timestamp(column.type) or column.type.tz:
        return column
    days = column.cast(pa.date32(), safe=False)
    return days if pc.all(pc.equal(days.cast(column.type), column)).as_py() is not False else column


def _array_of(given: Any) -> pa.Array | pa.ChunkedArray:
    if isinstance(given, pa.Array | pa.ChunkedArray):
        return given
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise UsageError(f"{given!r} is no column", _REMEDY)
    if (dimensions := getattr(given, "ndim", 1)) != 1:
        raise UsageError(f"an array of {dimensions} dimensions is no column", "give one column of it")
    if hasattr(given, "to_list"):  # pandas and polars: Arrow where Arrow has the type, Python's own words otherwise
        several = given.to_arrow if hasattr(given, "to_arrow") else (lambda: pa.array(given, from_pandas=True))
        return _plain(several, given.to_list)
    cells = given if hasattr(given, "dtype") else list(given)
    return _plain(lambda: pa.array(cells, from_pandas=True), lambda: list(cells))


def _plain(as_arrow: Callable[[], pa.Array], as_list: Callable[[], list[Any]]) -> pa.Array | pa.ChunkedArray:
    """The column as Arrow has it; as text, cell by cell, if Arrow does not know the type, or knows it as bytes."""
    try:
        found = as_arrow()
        inner = found.type.value_type if pa.types.is_dictionary(found.type) else found.type
        strange = isinstance(inner, pa.BaseExtensionType) or pa.types.is_fixed_size_binary(inner)
        if not strange:
            return found
    except (pa.ArrowException, TypeError, ValueError, OverflowError, UnicodeError, NotImplementedError):
        pass
    return pa.array([_cell(cell) for cell in as_list()], pa.string())


def _cell(cell: Any) -> str | None:
    try:
        if cell is None or cell != cell:  # NaN and NaT differ from themselves
            return None
    except (TypeError, ValueError):  # pandas' NA will not say, and an array cannot
        return None if type(cell).__name__ == "NAType" else str(cell)
    return str(cell).encode("utf-8", "replace").decode()


def _named_column(name: str, on: str | None, opened: OpenSnapshot) -> Column:
    if not os.path.exists(_path_of(name)[0]) and (known := _lake_column(name, on, opened)):
        return known
    raw, several = _rows_meant(name, [] if on is None else [on], opened)
    column = only_column(raw.columns, on, f"'{name}'")
    place = raw.columns.index(column)
    cells = pa.chunked_array([batch.column(place) for batch in raw.batches()], pa.string())
    return Column(texts(cells), column, notes=_read_notes(name, raw, several))


def _read_notes(name: str, raw: RawTable, several: bool) -> tuple[str, ...]:
    others = f"'{name}' holds several tables: this is '{raw.member}'; name another after a '#'"
    return (*_losses(name, raw), *([others] if several else []))


def _lake_column(name: str, on: str | None, opened: OpenSnapshot) -> Column | None:
    """A column that is already indexed: its values are at hand."""
    segment, number = _table_of_the_lake(name, opened, find_rows)
    names = segment.columns(number).names
    column = segment.columns_of(number)[names.index(only_column(names, on, f"table '{name}'"))]
    ids = segment.set_of(column)
    kind = Type(int(segment.catalog["column.types"][column]))
    distinct = Distinct(
        _values(segment, ids), segment.dictionary.hashes[ids], segment.counts_of(column), kind.is_number
    )
    return Column(distinct, segment.column_name(column), segment.names[number])


Find = Callable[[OpenSnapshot, str], tuple[Segment, int]]


def _table_of_the_lake(name: str, opened: OpenSnapshot, find: Find = find_table) -> tuple[Segment, int]:
    try:
        return find(opened, name)
    except NoSuchTable as error:
        raise NoSuchTable(f"no file '{name}', and {error.message}", error.remedy) from error


def _values(segment: Segment, ids: np.ndarray) -> Strings:
    return Strings.of([]) if len(ids) == 0 else segment.dictionary.values.take(ids)


def _path_of(name: str) -> tuple[str, str]:
    """A file's path, and the member of it that is meant, if one is named after a '#'."""
    if os.path.exists(name) or "#" not in name:
        return name, ""
    path, _, member = name.rpartition("#")
    return path, member


def _rows_meant(name: str, on: Sequence[str], opened: OpenSnapshot) -> tuple[RawTable, bool]:
    """The table that is meant, and whether the file holds others; never one whose rows stay with their owner."""
    raw, several = _tables_meant(name, on, opened)
    if raw.published:
        raise ProfileOnly(name, raw.published.get("source") or "the file does not say who that is")
    return raw, several


def _tables_meant(name: str, on: Sequence[str], opened: OpenSnapshot) -> tuple[RawTable, bool]:
    """The table that is meant, and whether the file holds others and none was named.

    It is the named member, else the first with these columns, else the first.
    """
    path, member = _path_of(name)
    limits = Limits.from_dict(opened.snapshot.settings.get("limits", {}))
    if os.path.isdir(path) or not os.path.exists(path):
        raise UsageError(f"'{path}' is not a file", "give the path of a table")
    found: list[RawTable] = []
    try:
        for table in open_tables(path, limits):
            if member and table.member == member:
                return table, False
            found.append(table)
            if not member and len(found) > 1 and any(set(on) <= set(one.columns) for one in found):
                break
    except Unreadable as error:
        raise UsageError(f"cannot read '{path}': {error.message}", error.remedy) from error
    if member:
        known = ", ".join(table.member or "the file itself" for table in found[:20])
        raise UsageError(f"'{path}' has no member '{member}'", f"it has {known}")
    with_it = [table for table in found if set(on) <= set(table.columns)]
    return (with_it or found)[0], len(found) > 1


def only_column(names: list[str], on: str | None, what: str) -> str:
    """The column asked for; if none was, the only one there is."""
    if on is not None and names.count(on) > 1:
        raise UsageError(f"{what} has several columns called '{on}'", "give them different names")
    if on is None and len(names) == 1:
        return names[0]
    listed = ", ".join(map(_told_name, names[:20])) + (" ..." if len(names) > 20 else "")
    if on is None:
        raise UsageError(f"{what} has {len(names)} columns: on which?", f"choose from {listed}")
    if on not in names:
        folded = [name for name in names if str(name).casefold() == on.casefold()]
        if len(folded) == 1:
            return folded[0]
        raise UsageError(f"{what} has no column '{on}'", f"it has {listed}")
    return on


def _told_name(name: Any) -> str:
    """A name in a list of names; in quotes if it could be taken for several."""
    text = str(name)
    return f'"{text}"' if any(mark in text for mark in ',"\n') else text


def several_columns(names: list[str], wanted: Sequence[str] | None, what: str) -> list[str]:
    """The columns asked for, each once; if none were, all there are."""
    if wanted is None and len(names) > MOST_COLUMNS:
        raise UsageError(f"{what} has {len(names)} columns: on which ones?", f"name up to {MOST_COLUMNS} of them")
    found = [only_column(names, name, what) for name in (names if wanted is None else wanted)]
    if not found:
        raise UsageError("no columns were named", f"choose from {', '.join(names[:20])}")
    if twice := [name for name in found if found.count(name) > 1]:
        raise UsageError(f"column '{twice[0]}' is named twice", "name each column of a key once")
    return found


def split_names(text: str, names: list[str]) -> list[str]:
    """The columns that a list with commas names; a name with a comma of its own stands alone, or in quotes.

    >>> split_names("city,year", ["city", "year"]), split_names("a,b", ["a,b"]), split_names('"a,b",c', ["a,b", "c"])
    (['city', 'year'], ['a,b'], ['a,b', 'c'])
    """
    if text in names or text.casefold() in [name.casefold() for name in names]:
        return [text]
    try:
        [parts] = csv.reader([text], skipinitialspace=True)
    except (csv.Error, ValueError) as error:
        remedy = "separate names by commas; put one with a comma or a line end in double quotes"
        raise UsageError(f"{text!r} names no columns", remedy) from error
    return [part.strip() for part in parts] or [text]


def united(batches: list[pa.RecordBatch], columns: list[str]) -> pa.Table:
    """Batches of one raw table as one; a later batch may have more columns than the first."""
    if not batches:
        return pa.table({name: pa.array([], pa.string()) for name in columns})
    return pa.concat_tables([pa.Table.from_batches([batch]) for batch in batches], promote_options="default")
