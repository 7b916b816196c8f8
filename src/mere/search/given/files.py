"""Which table of a raw file does a question use?"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mere.errors import ProfileOnly, Unreadable, UsageError
from mere.readers import Limits
from mere.readers.as_text import has_fractions
from mere.segments import OpenSnapshot

if TYPE_CHECKING:
    from mere.readers import RawTable

_TYPED = {b"mere.typed": b"true"}
_OWN_TYPES = {b"mere.own_types": b"true"}


def path_and_member(name: str) -> tuple[str, str]:
    """A file's path, and the name of its member after a '#', or an empty text."""
    if os.path.exists(name) or "#" not in name:
        return name, ""
    path, _, member = name.rpartition("#")
    return path, member


def is_file(given: Any) -> bool:
    """Whether a name is that of a file (or of a member of one), and not of a table of the lake."""
    return isinstance(given, str | os.PathLike) and os.path.exists(path_and_member(os.fspath(given))[0])


def is_table_of_the_lake(given: Any) -> bool:
    return isinstance(given, str) and not is_file(given)


def limits_of(opened: OpenSnapshot) -> Limits:
    """The limits of reading that the lake was indexed with."""
    return Limits.from_dict(opened.snapshot.settings.get("limits", {}))


def table_with_rows(name: str, on: Sequence[str], limits: Limits) -> tuple[RawTable, bool]:
    """The table of a file, and whether the file has others; an error if the file is a published profile."""
    raw, several = table_of_file(name, on, limits)
    if raw.published:
        raise ProfileOnly(name, raw.published.get("source") or "the file does not name the owner")
    return raw, several


def table_of_file(name: str, on: Sequence[str], limits: Limits) -> tuple[RawTable, bool]:
    """The table of a file, and whether the file has others and no member was named.

    It is the named member, else the first table with these columns, else the first table.
    """
    from mere.readers import open_tables  # a question asked with words or a list reads no file

    path, member = path_and_member(name)
    if os.path.isdir(path) or not os.path.exists(path):
        raise UsageError(f"'{path}' is not a file", "give the path of a file with a table")
    tables: list[RawTable] = []
    try:
        for table in open_tables(path, limits):
            if member and table.member == member:
                return table, False
            tables.append(table)
            if not member and len(tables) > 1 and any(set(on) <= set(known.columns) for known in tables):
                break
    except Unreadable as error:
        reason = error.message.removeprefix(f"{path}: ")
        raise UsageError(f"cannot read '{path}': {reason}", error.remedy) from error
    if member:
        known = ", ".join(table.member or "the file itself" for table in tables[:20])
        raise UsageError(f"'{path}' has no member '{member}'", f"it has {known}")
    with_columns = [table for table in tables if set(on) <= set(table.columns)]
    return (with_columns or tables)[0], len(tables) > 1


def rows_of(raw: RawTable, own_types: bool = False) -> pa.Table:
    """All rows of a file's table; as text, unless it has types itself and these are wanted.

    Whether fractions that are text were numbers is kept in the schema.
    """
    from mere.readers import concatenated

    table = concatenated(list(raw.batches(own_types)), raw.columns)
    if own_types and raw.read_own_types:
        return table.replace_schema_metadata(_OWN_TYPES)
    return table.replace_schema_metadata(_TYPED) if raw.typed else table


def is_typed(table: pa.Table) -> bool:
    """Whether some fractions of a frame, or of the file it was read from, are numbers and not text."""
    noted = (table.schema.metadata or {}).items() >= _TYPED.items()
    return noted or has_fractions(pa.struct(list(table.schema)))


def has_own_types(table: pa.Table) -> bool:
    """Whether a file's table (`rows_of`) has the types of the file."""
    return (table.schema.metadata or {}).items() >= _OWN_TYPES.items()


def reading_notes(name: str, raw: RawTable, several: bool) -> tuple[str, ...]:
    """Notes on how a file was read."""
    choice = f"'{name}' has several tables and '{raw.member}' was used; name another after a '#'"
    return (*losses(name, raw), *([choice] if several else []))


def losses(name: str, raw: RawTable) -> list[str]:
    """A note on a file that was read only in part."""
    return [f"'{name}' was read only in part: {'; '.join(raw.issues)}"] if raw.lost else []
