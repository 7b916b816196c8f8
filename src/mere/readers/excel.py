"""Workbooks (xlsx, xlsb, xls, ods): every sheet with data is a table."""

from __future__ import annotations

import datetime
import io
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import python_calamine as calamine

from mere.errors import Unreadable
from mere.readers.headers import find_layout
from mere.readers.limits import Limits
from mere.readers.names import unique_names
from mere.readers.panics import panics_as_errors
from mere.readers.rows import fit, to_batches
from mere.readers.source import Source
from mere.readers.table import Findings, RawTable
from mere.readers.workbook_checks import check_sheet, check_workbook


def open_workbook(
    source: Source, limits: Limits, failures: list[tuple[str, str]], member: str = ""
) -> Iterator[RawTable]:
    """The sheets in order; a sheet that cannot be read goes to `failures`, the others are still yielded."""
    data = source.read_all(limits.excel_bytes, "excel_bytes")
    check_workbook(data, source.name, limits)
    try:
        with panics_as_errors():
            book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
    except Exception as fault:
        raise Unreadable(f"{source.name}: {_reason(fault)}", "save the workbook again") from fault
    for name in book.sheet_names[: limits.members]:
        label = f"{member}/{name}" if member else name
        try:
            with panics_as_errors():
                sheet = book.get_sheet_by_name(name)
                check_sheet(sheet.height * sheet.width, limits)
                table = _sheet(sheet, label, limits)
        except Exception as fault:
            failures.append((label, _reason(fault)))
            continue
        if table is not None:
            yield table
    for name in book.sheet_names[limits.members :]:
        failures.append((name, f"more than {limits.members:,} sheets"))


def _reason(fault: Exception) -> str:
    if isinstance(fault, calamine.PasswordError):
        return "the workbook is protected by a password"
    return f"not a readable workbook ({type(fault).__name__}: {' '.join(str(fault).split())[:150]})"


def _sheet(sheet: Any, label: str, limits: Limits) -> RawTable | None:
    """A table, or None for a sheet without cells (a chart, an empty sheet)."""
    grid = [[as_cell(value) for value in row] for row in sheet.to_python(skip_empty_area=True)]
    if not any(cell for row in grid for cell in row):
        return None
    layout = find_layout(grid[:1000], len(grid) <= 1000)
    width = max(layout.width, max((_used(row) for row in grid[layout.body :]), default=0))
    if width > limits.columns:
        raise Unreadable(f"{width:,} columns, more than {limits.columns:,}", "raise the limit 'columns'")
    columns = unique_names(layout.names[:width], width)
    rows = [row[:width] for row in grid[layout.body :] if any(row)]
    facts = {"preamble_lines": layout.preamble, "header_rows": layout.header_rows}

    def read(findings: Findings) -> Iterator[pa.RecordBatch]:
        yield from to_batches(fit(rows, width, findings), columns, limits, findings)

    return RawTable(label, columns, "excel", facts, read)


def _used(row: list[str | None]) -> int:
    width = len(row)
    while width and not row[width - 1]:
        width -= 1
    return width


def as_cell(value: Any) -> str | None:
    """The text of a cell: integers without .0, dates in ISO 8601, None for an empty cell."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime.datetime):
        midnight = value.time() == datetime.time()
        return value.date().isoformat() if midnight else value.isoformat()
    return value.isoformat() if isinstance(value, (datetime.date, datetime.time)) else str(value)
