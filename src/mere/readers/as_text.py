"""Arrow values as text: integers plain, floats in shortest form, times in ISO 8601, nested values as JSON."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as types

from mere.readers.json_records import cell


def has_fractions(data_type: pa.DataType) -> bool:
    """Whether values of this type, or values in them, may be fractions, which become text with a decimal point."""
    if types.is_nested(data_type):
        return any(has_fractions(data_type.field(place).type) for place in range(data_type.num_fields))
    if types.is_dictionary(data_type) or types.is_run_end_encoded(data_type):
        return has_fractions(data_type.value_type)
    if isinstance(data_type, pa.BaseExtensionType):
        return has_fractions(data_type.storage_type)
    return bool(types.is_floating(data_type) or types.is_decimal(data_type))


def text_batch(batch: pa.RecordBatch, columns: list[str]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([as_text(column) for column in batch.columns], names=columns)


def of_own_type(column: pa.Array) -> pa.Array:
    """A column of numbers, dates, times or booleans as it is; anything else as text."""
    data_type = column.type
    if isinstance(data_type, pa.BaseExtensionType):
        return of_own_type(column.storage)
    if types.is_dictionary(data_type):
        return of_own_type(column.dictionary_decode())
    if types.is_run_end_encoded(data_type):
        return of_own_type(pc.run_end_decode(column))
    is_number = types.is_integer(data_type) or types.is_floating(data_type) or types.is_decimal(data_type)
    is_moment = types.is_date(data_type) or types.is_timestamp(data_type) or types.is_time(data_type)
    return column if is_number or is_moment or types.is_boolean(data_type) else as_text(column)


def as_text(column: pa.Array) -> pa.Array:
    """The column as `pa.string()`; nulls stay nulls."""
    data_type = column.type
    if isinstance(data_type, pa.BaseExtensionType):
        return as_text(column.storage)
    if types.is_dictionary(data_type):
        return as_text(column.dictionary_decode())
    if types.is_run_end_encoded(data_type):
        return as_text(pc.run_end_decode(column))
    if types.is_string(data_type):
        return _valid(column)
    try:
        if _is_list(data_type):
            return _lists(column)
        return _cast(column, data_type)
    except (pa.ArrowException, NotImplementedError):
        return pa.array([cell_text(value) for value in column.to_pylist()], pa.string())


def _valid(column: pa.Array) -> pa.Array:
    """In text that is not valid UTF-8, invalid bytes become replacement characters."""
    try:
        column.validate(full=True)
        return column
    except pa.ArrowInvalid:
        cells = column.cast(pa.binary()).to_pylist()
        return pa.array([None if cell is None else cell.decode("utf-8", "replace") for cell in cells], pa.string())


def _cast(column: pa.Array, data_type: pa.DataType) -> pa.Array:
    if types.is_timestamp(data_type):
        return _timestamps(column, data_type)
    if types.is_float16(data_type):
        column = column.cast(pa.float32())
    by_cell = types.is_temporal(data_type) and not types.is_date(data_type)
    if by_cell or types.is_decimal(data_type) or types.is_nested(data_type):
        raise pa.ArrowNotImplementedError("these types are converted cell by cell")
    text = column.cast(pa.string())
    text.validate(full=True)
    return text


def _is_list(data_type: pa.DataType) -> bool:
    return types.is_list(data_type) or types.is_large_list(data_type) or types.is_fixed_size_list(data_type)


def _lists(column: pa.Array) -> pa.Array:
    """Lists as JSON, joined by kernels; texts with control characters are left to the JSON writer."""
    if types.is_fixed_size_list(column.type):
        column = column.cast(pa.list_(column.type.value_type))
    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
    values = as_text(pc.list_flatten(column))
    inner = column.type.value_type
    if not (types.is_integer(inner) or types.is_floating(inner) or types.is_boolean(inner) or types.is_nested(inner)):
        values = _quoted(values)
    offsets = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    lists = pa.LargeListArray.from_arrays(pa.array(offsets), pc.fill_null(values, "null"))
    text = pc.binary_join_element_wise("[", pc.binary_join(lists, ","), "]", "")
    return pc.if_else(column.is_valid(), text, pa.scalar(None, pa.string()))


def _quoted(values: pa.Array) -> pa.Array:
    if pc.any(pc.match_substring_regex(values, r"[\x00-\x1f]")).as_py():
        raise pa.ArrowNotImplementedError("control characters need escapes")
    escaped = pc.replace_substring(pc.replace_substring(values, "\\", "\\\\"), '"', '\\"')
    return pc.binary_join_element_wise('"', escaped, '"', "")


def _timestamps(column: pa.Array, data_type: pa.DataType) -> pa.Array:
    """2019-04-30T12:00:00.5Z: no trailing zeros, in UTC if the type has a time zone."""
    if data_type.tz:
        column = column.cast(pa.timestamp(data_type.unit, "UTC"))
    text = column.cast(pa.timestamp(data_type.unit)).cast(pa.string())
    text = pc.replace_substring_regex(text, r"(\.\d*?)0+$", r"\1")
    text = pc.replace_substring(pc.replace_substring_regex(text, r"\.$", ""), " ", "T")
    return pc.binary_join_element_wise(text, "Z", "") if data_type.tz else text


def cell_text(value: Any) -> str | None:
    """The text of one Python value, as it comes from a typed format."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return cell(value)
    if isinstance(value, bytes):
        return _bytes(value)
    if isinstance(value, decimal.Decimal):
        return f"{value:f}"
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (dict, list, tuple)):
        return cell(plain_value(value))
    return str(value)


def _bytes(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.hex()


def plain_value(value: Any) -> Any:
    """What JSON can write: keys as text, bytes and dates as `cell_text` writes them."""
    if isinstance(value, dict):
        return {str(key): plain_value(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_value(inner) for inner in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else cell_text(value)
