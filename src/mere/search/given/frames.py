"""How are frames and columns of other libraries converted to Arrow, and results back to the caller's type?

Cells become the text that a file of that type would be read as, so that a column gives the same answers whether it is
a list, a Series, an Arrow array, a column of a file or a column of the lake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from mere.errors import UsageError
from mere.readers.as_text import as_text

Column = TypeVar("Column", pa.Array, pa.ChunkedArray)
COLUMN_REMEDY = "give a list of values, a pandas, polars or Arrow column, or a frame, file or table with on='column'"
FRAME_REMEDY = "give a pandas, polars or Arrow frame, a list of rows (mappings from columns to values), or a file"


def collected(given: Any) -> Any:
    """What was given; a polars LazyFrame is computed, a stream of Arrow batches read, and an iterator made a list."""
    if is_lazy(given):
        return given.collect()
    if isinstance(given, pa.RecordBatchReader) or _is_relation(given):
        return pa.table(given)
    return list(given) if isinstance(given, Iterator) else given


def _is_relation(given: Any) -> bool:
    """Whether it is a frame of a library that is known by Arrow's interface only, as a relation of DuckDB."""
    return not is_frame(given) and hasattr(given, "columns") and hasattr(given, "__arrow_c_stream__")


def is_lazy(given: Any) -> bool:
    """Whether it is a polars LazyFrame."""
    return type(given).__name__ == "LazyFrame" and type(given).__module__.partition(".")[0] == "polars"


def as_frame(given: Any) -> Any:
    """What was given, `collected`; a list of rows as a frame."""
    given = collected(given)
    are_rows = isinstance(given, list | tuple) and bool(given) and isinstance(given[0], Mapping)
    return frame_of_rows(given) if are_rows else given


def frame_of_rows(rows: Sequence[Any]) -> pa.Table:
    """A frame from a list of rows, each a mapping from column names to values; a row may lack some.

    >>> frame_of_rows([{"land": "AT", "year": 2024}, {"land": "CH"}]).to_pydict()
    {'land': ['AT', 'CH'], 'year': [2024, None]}
    """
    for place, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise UsageError(f"row {place:,} of the list is {row!r:.60}, which has no columns", FRAME_REMEDY)
    columns = dict.fromkeys(column for row in rows for column in row)
    return to_arrow({column: [row.get(column) for row in rows] for column in columns})


def is_frame(given: Any) -> bool:
    """Whether it has named columns: an Arrow, pandas, polars or Spark frame, or a mapping of columns."""
    return isinstance(given, pa.Table | pa.RecordBatch | Mapping) or _is_foreign_frame(given)


def _is_foreign_frame(given: Any) -> bool:
    return hasattr(given, "columns") and any(hasattr(given, name) for name in ("iloc", "to_arrow", "toArrow"))


def to_arrow(frame: Any) -> pa.Table:
    """A frame as an Arrow table, without its index."""
    if isinstance(frame, pa.Table):
        return frame
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame])
    if isinstance(frame, Mapping):
        columns = {str(name): array_of(column) for name, column in frame.items()}
        if len({len(column) for column in columns.values()}) > 1:
            lengths = ", ".join(f"'{name}' {len(column):,}" for name, column in list(columns.items())[:20])
            raise UsageError(f"columns of different lengths: {lengths}", "give columns of one table")
        return pa.table(columns)
    if hasattr(frame, "toArrow"):  # Spark
        return frame.toArrow()
    if hasattr(frame, "iloc"):  # pandas
        series = [frame.iloc[:, place] for place in range(len(frame.columns))]
    else:  # polars
        series = list(frame.get_columns())
    arrays = [array_of(column) for column in series]
    return pa.table(arrays, names=[str(name) for name in frame.columns])


def same_type(result: pa.Table, given: Any) -> Any:
    """The result as the type of frame that was given."""
    module = type(given).__module__.partition(".")[0]
    if module == "pandas":
        return _to_pandas(result, given)
    if module == "polars":
        import polars

        return polars.from_arrow(result)
    return result


def _to_pandas(result: pa.Table, given: Any) -> Any:
    """As pandas: integers with nulls stay integers, and the columns of the given frame keep their types."""
    import pandas

    signed = {"int8": "Int8", "int16": "Int16", "int32": "Int32", "int64": "Int64"}
    nullable = {**signed, **{f"u{arrow}": f"U{name}" for arrow, name in signed.items()}}
    columns = {}
    for place, (name, column) in enumerate(zip(result.column_names, result.columns, strict=True)):
        dtype = nullable.get(str(column.type)) if column.null_count else None
        types = {column.type: pandas.api.types.pandas_dtype(dtype)}.get if dtype else None
        columns[name] = column.to_pandas(types_mapper=types)
        if place < len(given.columns) and pandas.api.types.is_extension_array_dtype(given.dtypes.iloc[place]):
            columns[name] = columns[name].astype(given.dtypes.iloc[place])
    return pandas.DataFrame(columns, index=range(result.num_rows))


def texts(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """The cells as text; nulls stay null."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    if isinstance(column, pa.ChunkedArray):  # too long for one chunk of 32-bit offsets
        column = pa.concat_arrays([chunk.cast(pa.large_string()) for chunk in column.chunks])
    return as_text(dates_of(column))


def dates_of(column: Column) -> Column:
    """Moments that are all at midnight are dates: frames often have no other type for them."""
    if not pa.types.is_timestamp(column.type) or column.type.tz:
        return column
    days = column.cast(pa.date32(), safe=False)
    return days if pc.all(pc.equal(days.cast(column.type), column)).as_py() is not False else column


def array_of(given: Any) -> pa.Array | pa.ChunkedArray:
    """A column of any library as Arrow."""
    if isinstance(given, pa.Array | pa.ChunkedArray):
        return given
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise UsageError(f"expected a column, got {given!r}", COLUMN_REMEDY)
    if (dimensions := getattr(given, "ndim", 1)) != 1:
        raise UsageError(f"expected a column, got an array of {dimensions} dimensions", "give one column of it")
    if hasattr(given, "to_list"):  # pandas and polars: Arrow where Arrow has the type, Python's own text otherwise
        as_arrow = given.to_arrow if hasattr(given, "to_arrow") else (lambda: pa.array(given, from_pandas=True))
        return _arrow_or_text(as_arrow, given.to_list)
    cells = given if hasattr(given, "dtype") else list(given)
    return _arrow_or_text(lambda: pa.array(cells, from_pandas=True), lambda: list(cells))


def _arrow_or_text(as_arrow: Callable[[], pa.Array], as_list: Callable[[], list[Any]]) -> pa.Array | pa.ChunkedArray:
    """The column as Arrow converts it; as text, cell by cell, if Arrow does not have the type, or only as bytes."""
    try:
        array = as_arrow()
        inner = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
        if not isinstance(inner, pa.BaseExtensionType) and not pa.types.is_fixed_size_binary(inner):
            return array
    except (pa.ArrowException, TypeError, ValueError, OverflowError, UnicodeError, NotImplementedError):
        pass
    return pa.array([_cell(cell) for cell in as_list()], pa.string())


def _cell(cell: Any) -> str | None:
    try:
        if cell is None or cell != cell:  # NaN and NaT differ from themselves
            return None
    except (TypeError, ValueError):  # a comparison with pandas' NA has no truth value, nor has one with an array
        return None if type(cell).__name__ == "NAType" else str(cell)
    return str(cell).encode("utf-8", "replace").decode()
