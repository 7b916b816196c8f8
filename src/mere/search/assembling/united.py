"""Which type has a column that is put together from several tables?

That of the base, if every cell of the other tables can be converted to it and is then still equal to what it was, as
Mere compares values; of integers in a base that is no frame, else float64, if every cell can be converted to that; if
not, the column is text, and no digit of any cell is lost.

Cost: a conversion of each cell, and a comparison of each distinct one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.search.given import same_type, texts
from mere.values import Form, Type, compared_forms, normalise, parse_dates


def united(parts: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    """One column: of the type of the first part if the others fit it, else as text."""
    if (column := of_one_type(parts)) is not None:
        return column
    column = _as_text([_without_codes(part) for part in parts])
    return column.dictionary_encode() if _is_coded(parts) else column


def of_one_type(parts: Sequence[pa.ChunkedArray], widen: bool = False) -> pa.ChunkedArray | None:
    """One column of the type of the first part, or with `widen` of float64; None if a cell does not fit, or is text."""
    plain = [_without_codes(part) for part in parts]
    types = [part.type for part in plain if not pa.types.is_null(part.type)]
    wider = [pa.float64()] if widen and types and pa.types.is_integer(types[0]) else []
    columns = (_of_type(plain, type_) for type_ in [*types[:1], *wider])
    column = next((column for column in columns if column is not None), None)
    return column.dictionary_encode() if column is not None and _is_coded(parts) else column


def _is_coded(parts: Sequence[pa.ChunkedArray]) -> bool:
    """Whether the first part that has a type is one of categories."""
    types = [part.type for part in parts if not pa.types.is_null(part.type)]
    return bool(types) and pa.types.is_dictionary(types[0])


def _without_codes(part: pa.ChunkedArray) -> pa.ChunkedArray:
    return part.cast(part.type.value_type) if pa.types.is_dictionary(part.type) else part


def _of_type(parts: Sequence[pa.ChunkedArray], type_: pa.DataType) -> pa.ChunkedArray | None:
    """The parts as one column of a type; None if a cell does not fit it, and for text, which every cell fits."""
    if is_text(type_):
        return None
    converted = [_converted(part, type_) for part in parts]
    chunks = [chunk for part in converted if part is not None for chunk in part.chunks]
    return None if any(part is None for part in converted) else pa.chunked_array(chunks, type_)


def _converted(part: pa.ChunkedArray, type_: pa.DataType) -> pa.ChunkedArray | None:
    """The cells as a type; None if one of them would not be equal to what it was."""
    if part.type == type_ or pa.types.is_null(part.type):
        return part.cast(type_)
    if is_text(part.type):
        part = pc.if_else(pc.equal(pc.utf8_trim_whitespace(part), ""), pa.scalar(None, part.type), part)
    if pa.types.is_integer(part.type) and pa.types.is_decimal(type_):
        part = part.cast(pa.string())  # Arrow converts integers directly only to decimals that hold all of them
    try:
        cells = part.unique()
        if not _compared(cells, type_).equals(_compared(cells.cast(type_), type_)):
            return None
        return part.cast(type_)
    except pa.ArrowException:
        return None


def _compared(cells: pa.Array, type_: pa.DataType) -> pa.Array:
    """The cells, but for nulls, as they are compared in a column of a type."""
    values = normalise(texts(cells.drop_null()))
    moments = lambda places: parse_dates(values, np.zeros(len(values), np.int64))[places]  # noqa: E731
    return compared_forms(values, Form.of([_type_of(type_)]), moments)


def _type_of(type_: pa.DataType) -> Type:
    if pa.types.is_boolean(type_):
        return Type.BOOLEAN
    if pa.types.is_integer(type_) or pa.types.is_floating(type_) or pa.types.is_decimal(type_):
        return Type.DECIMAL
    return Type.DATETIME if pa.types.is_temporal(type_) else Type.TEXT


def _as_text(parts: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    cells = [texts(part) for part in parts]
    wide = any(pa.types.is_large_string(part.type) for part in cells)  # more than two gigabytes of text in one
    type_ = pa.large_string() if wide else pa.string()
    return pa.chunked_array([part.cast(type_) for part in cells], type_)


def is_text(type_: pa.DataType) -> bool:
    return pa.types.is_string(type_) or pa.types.is_large_string(type_)


def as_given(rows: pa.Table, given: Any) -> Any:
    """The rows as a frame of the type of the base; a pandas column keeps its type if its cells fit it."""
    if type(given).__module__.partition(".")[0] != "pandas":
        return same_type(rows, given)
    names = [str(name) for name in given.columns]
    empty = given.head(0).iloc[:, [names.index(name) for name in rows.column_names[:-1]]]
    for place, column in enumerate(rows.columns[:-1]):
        if not _fits(column, empty.dtypes.iloc[place]):
            empty = empty.astype({empty.columns[place]: object})
    return same_type(rows, empty)


def _fits(column: pa.ChunkedArray, dtype: Any) -> bool:
    """Whether a column can have a type of pandas: text must be text, and a category one of the categories."""
    from pandas.api.types import is_string_dtype

    if is_text(column.type):
        return bool(is_string_dtype(dtype))
    if not hasattr(dtype, "categories"):
        return True
    return set(column.unique().dictionary_decode().drop_null().to_pylist()) <= set(dtype.categories.tolist())
