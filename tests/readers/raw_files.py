"""Helpers of this folder's tests: write a raw file, read all its tables back as lists."""

from __future__ import annotations

from pathlib import Path

from mere.readers import Limits, RawTable, open_tables

Rows = list[list[str | None]]


def write(folder: Path, name: str, content: bytes | str) -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def rows_of(table: RawTable) -> Rows:
    rows: Rows = []
    for batch in table.batches():
        assert batch.schema.names == table.columns
        assert {str(field.type) for field in batch.schema} == {"string"}
        rows += [list(row) for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)]
    return rows


def read(folder: Path, name: str, content: bytes | str, limits: Limits | None = None) -> tuple[RawTable, Rows]:
    """The single table of a file."""
    (table,) = open_tables(write(folder, name, content), limits or Limits())
    return table, rows_of(table)


def read_all(
    folder: Path, name: str, content: bytes | str, limits: Limits | None = None
) -> dict[str, tuple[list[str], Rows]]:
    """Columns and rows by member name."""
    tables = open_tables(write(folder, name, content), limits or Limits())
    return {table.member: (table.columns, rows_of(table)) for table in tables}
