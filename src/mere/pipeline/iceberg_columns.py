"""Do the columns of a data file mean what the current schema of its Iceberg table says?

Iceberg tells columns apart by ids, Mere unites files by the names of columns.  Both agree if each id has the same name
in the file and in the schema.  A column that was dropped since is left out; one that was added since is null.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.types as types

from mere.pipeline.iceberg_files import Refused

Place = tuple[str, ...]  # the names from the outermost column to a field
_ID = b"PARQUET:field_id"
_REMEDY = "rewrite the data files"


def places(fields: Sequence[Any], above: Place = ()) -> Iterator[tuple[int, Place]]:
    """The ids of an Iceberg schema, and the fields they stand for."""
    for field in fields:
        place = (*above, field.name)
        yield field.field_id, place
        inside = ("fields", "element_field", "key_field", "value_field")
        found = [getattr(field.field_type, name) for name in inside if hasattr(field.field_type, name)]
        yield from places([each for part in found for each in (part if isinstance(part, tuple) else [part])], place)


def columns_to_leave_out(file: pa.Schema, current: Mapping[int, Place], needed: Mapping[int, str]) -> tuple[str, ...]:
    """The dropped columns of a file; `needed` has the columns that are not simply null where a file lacks them."""
    left_out: list[str] = []
    seen: set[int | None] = set()
    for number, place, kind in _fields_of(file):
        seen.add(number)
        now = current.get(number) if number is not None else None
        if now and not _same(place, now):
            old, new = ".".join(place), ".".join(now)
            raise Refused(f"its column '{old}' was renamed to '{new}', which older files do not know; {_REMEDY}")
        if now or (number is None and len(place) > 1):
            continue
        if len(place) > 1 or "." in place[0] or types.is_nested(kind):
            raise Refused(f"its column '{'.'.join(place)}' was dropped, which older files do not know; {_REMEDY}")
        left_out.append(place[0])
    if missing := [name for number, name in needed.items() if number not in seen]:
        raise Refused(f"some files lack the column '{missing[0]}', whose value is only in the metadata; {_REMEDY}")
    if left_out and (len(left_out) == len(file) or any(_has_lists(field.type) for field in file)):
        raise Refused(f"its column '{left_out[0]}' was dropped, which older files do not know; {_REMEDY}")
    return tuple(left_out)


def check_history(schemas: Sequence[Any], current: Mapping[int, Place]) -> None:
    """For files without ids: no column may ever have been dropped, renamed or replaced."""
    for schema in schemas:
        for number, place in places(schema.fields):
            if current.get(number) != place:
                raise Refused(f"its column '{'.'.join(place)}' changed, and some files have no column ids; {_REMEDY}")


def has_ids(file: pa.Schema) -> bool:
    return any(field.metadata and _ID in field.metadata for field in file)


def _fields_of(fields: Any, above: Place = ()) -> Iterator[tuple[int | None, Place, pa.DataType]]:
    for field in fields:
        place = (*above, field.name)
        yield int(field.metadata[_ID]) if field.metadata and _ID in field.metadata else None, place, field.type
        yield from _fields_of(_inside(field.type), place)


def _inside(kind: pa.DataType) -> list[pa.Field]:
    """The fields of a nested type, called as Iceberg calls them."""
    if types.is_struct(kind):
        return [kind.field(number) for number in range(kind.num_fields)]
    if types.is_map(kind):
        return [kind.key_field.with_name("key"), kind.item_field.with_name("value")]
    return [kind.value_field.with_name("element")] if _is_list(kind) else []


def _is_list(kind: pa.DataType) -> bool:
    return types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)


def _has_lists(kind: pa.DataType) -> bool:
    """Whether it may become a table of its own, in which dropped columns could be the key."""
    return _is_list(kind) or types.is_map(kind) or any(_has_lists(field.type) for field in _inside(kind))


def _same(written: Place, current: Place) -> bool:
    """Names that Avro does not allow are written in another spelling, also in Parquet files."""
    from pyiceberg.schema import make_compatible_name

    return written == current or written == tuple(map(make_compatible_name, current))
