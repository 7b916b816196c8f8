"""Arrow values as text: integers plain, floats in shortest form, times in ISO 8601, nested values as JSON."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as types

from mere.readers.json_records import compact

NESTING = 64


def text_batch(batch: pa.RecordBatch, columns: list[str]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([as_text(column) for column in batch.columns], names=columns)


def as_text(column: pa.Array) -> pa.Array:
    """The column as `pa.string()`; nulls stay nulls."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return as_text(column.storage)
    if types.is_dictionary(kind):
        return as_text(column.dictionary_decode())
    if types.is_string(kind):
        return _valid(column)
    try:
        return _by_arrow(column, kind)
    except (pa.ArrowException, NotImplementedError):
        return pa.array([_by_hand(value) for value in column.to_pylist()], pa.string())


def _valid(column: pa.Array) -> pa.Array:
    """Text that claims to be UTF-8 and is not keeps what can be read of it."""
    try:
        column.validate(full=True)
        return column
    except pa.ArrowInvalid:
        cells = column.cast(pa.binary()).to_pylist()
        return pa.array([None if cell is None else cell.decode("utf-8", "replace") for cell in cells], pa.string())


def _by_arrow(column: pa.Array, kind: pa.DataType) -> pa.Array:
    if types.is_timestamp(kind):
        return _timestamps(column, kind)
    if types.is_float16(kind):
        column = column.cast(pa.float32())
    if types.is_decimal(kind) or types.is_nested(kind) or (types.is_temporal(kind) and not types.is_date(kind)):
        raise pa.ArrowNotImplementedError("one by one")
    text = column.cast(pa.string())
    text.validate(full=True)
    return text


def _timestamps(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """2019-04-30T12:00:00.5Z: no trailing zeros, UTC where the type knows its zone."""
    if kind.tz:
        column = column.cast(pa.timestamp(kind.unit, "UTC"))
    text = column.cast(pa.timestamp(kind.unit)).cast(pa.string())
    text = pc.replace_substring_regex(text, r"(\.\d*?)0+$", r"\1")
    text = pc.replace_substring(pc.replace_substring_regex(text, r"\.$", ""), " ", "T")
    return pc.binary_join_element_wise(text, "Z", "") if kind.tz else text


def _by_hand(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return _bytes(value)
    if isinstance(value, decimal.Decimal):
        return f"{value:f}"
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (dict, list, tuple)):
        return compact(_plain(value), NESTING)
    return str(value)


def _bytes(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.hex()


def _plain(value: Any) -> Any:
    """What JSON can write: keys as text, bytes and dates as `_by_hand` shows them."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else _by_hand(value)
