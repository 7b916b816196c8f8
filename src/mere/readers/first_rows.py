"""Is the first row of a text table its header?  The parts of one table decide it together.

A single file shows it poorly: of two rows of words, the first may be a header or not.  Where most parts begin with the
same row, that is the header; where no two begin alike, none has a header.  `first_row` is how a part is read: empty, as
its reader does; `data`, with the header that its reader found as the first row; `header`, the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from mere.readers.names import unique_names
from mere.readers.table import Findings, RawTable

DATA, HEADER = "data", "header"


def top_of(raw: RawTable) -> tuple[tuple[str, ...], bool]:
    """The cells of the first row of a text table, and whether its reader took them for the header; else nothing."""
    rows = raw.dialect.get("header_rows") if raw.format == "csv" and not raw.member else None
    if rows == 1:
        return tuple(cell or "" for cell in _header_cells(raw.columns)), True
    first = next(raw.batches(), None) if rows == 0 else None
    return (() if first is None else tuple(cell or "" for cell in _row(first))), False


def with_first_row(raw: RawTable, first_row: str) -> RawTable:
    """The table, read as `first_row` says."""
    if first_row == DATA:
        return _with_header_as_data(raw)
    return _with_data_as_header(raw) if first_row == HEADER else raw


def _with_header_as_data(raw: RawTable) -> RawTable:
    columns = [f"column_{place}" for place in range(1, len(raw.columns) + 1)]

    def read(findings: Findings) -> Iterator[pa.RecordBatch]:
        cells = [pa.array([cell], pa.string()) for cell in _header_cells(raw.columns)]
        yield pa.RecordBatch.from_arrays(cells, names=columns)
        for batch in raw.batches():
            yield batch.rename_columns([f"column_{place}" for place in range(1, batch.num_columns + 1)])
        findings.add(raw._findings)

    return RawTable(raw.member, columns, raw.format, raw.dialect, read)


def _with_data_as_header(raw: RawTable) -> RawTable:
    first = next(raw.batches(), None)
    columns = unique_names(_row(first)) if first is not None else raw.columns

    def read(findings: Findings) -> Iterator[pa.RecordBatch]:
        for number, batch in enumerate(raw.batches()):
            more = [f"column_{place}" for place in range(len(columns) + 1, batch.num_columns + 1)]
            yield batch.slice(0 if number else 1).rename_columns([*columns[: batch.num_columns], *more])
        findings.add(raw._findings)

    return RawTable(raw.member, columns, raw.format, raw.dialect, read)


def _row(batch: pa.RecordBatch) -> list[str | None]:
    return [column[0].as_py() for column in batch.columns]


def _header_cells(columns: list[str]) -> list[str | None]:
    """The cells that became names of columns: blank ones have got a name, repeated ones a number.

    >>> _header_cells(["a", "column_2", "a_2"])
    ['a', None, 'a']
    """
    cells: list[str | None] = []
    for place, name in enumerate(columns, start=1):
        base, _, number = name.rpartition("_")
        repeats = number.isdecimal() and base in columns[: place - 1]
        cells.append(None if name == f"column_{place}" else base if repeats else name)
    return cells
