"""Workbooks (xlsx, xlsb, xls, ods): every sheet with data is a table, or several, one below the other."""

from __future__ import annotations

import datetime
import io
from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

import pyarrow as pa
import python_calamine as calamine

from mere.errors import Unreadable
from mere.readers.cell_types import used
from mere.readers.footnotes import note_footnotes, totals_notes
from mere.readers.json_records import is_fraction
from mere.readers.limits import Limits
from mere.readers.names import unique_names
from mere.readers.panics import panics_as_errors
from mere.readers.repeats import without_repeats
from mere.readers.rows import fit, to_batches
from mere.readers.sheets import SheetTable, regions, sheet_tables
from mere.readers.source import Source
from mere.readers.stored_results import missing_results
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
    hidden = {each.name for each in book.sheets_metadata if each.visible != calamine.SheetVisibleEnum.Visible}
    missing = missing_results(data)
    for name in book.sheet_names[: limits.members]:
        label = f"{member}/{name}" if member else name
        try:
            with panics_as_errors():
                sheet = book.get_sheet_by_name(name)
                check_sheet(sheet.height * sheet.width, limits)
                tables = _sheet(sheet, label, Told(name in hidden, missing.get(name, 0)), limits)
        except Exception as fault:
            failures.append((label, _reason(fault)))
            continue
        yield from tables
    for name in book.sheet_names[limits.members :]:
        failures.append((name, f"more than {limits.members:,} sheets"))


def _reason(fault: Exception) -> str:
    if isinstance(fault, calamine.PasswordError):
        return "the workbook is protected by a password"
    return f"not a readable workbook ({type(fault).__name__}: {' '.join(str(fault).split())[:150]})"


class Told(NamedTuple):
    """What is known of a sheet besides its cells."""

    hidden: bool
    missing: int  # cells with formulas whose results are not stored
    overlapping: int = 0  # merged regions that were not filled


def _sheet(sheet: Any, label: str, told: Told, limits: Limits) -> list[RawTable]:
    """The tables of a sheet; none if it has no cells (a chart, an empty sheet)."""
    values = sheet.to_python(skip_empty_area=True)
    grid = [list(map(as_cell, row)) for row in values]
    if not any(map(any, grid)):
        return []
    merged, beyond = regions(sheet.merged_cell_ranges or [], sheet.start, grid)
    tables = sheet_tables(grid, merged)
    names = [label, *(f"{label}/{number}" for number in range(2, len(tables) + 1))]
    told = told._replace(overlapping=beyond)
    raws = [_table(table, name, told, limits) for table, name in zip(tables, names, strict=True)]
    typed = any(map(is_fraction, chain.from_iterable(values)))
    for raw in raws:
        raw.typed = typed
    return raws


def _table(table: SheetTable, name: str, told: Told, limits: Limits) -> RawTable:
    layout = table.layout
    width = max(layout.width, max(map(used, table.rows), default=0))
    if width > limits.columns:
        raise Unreadable(f"{width:,} columns, more than {limits.columns:,}", "raise the limit 'columns'")
    columns = unique_names(layout.names[:width], width)
    rows = [row[:width] for row in table.rows if any(row)]
    facts: dict[str, Any] = {"preamble_lines": layout.preamble, "header_rows": layout.header_rows}
    facts |= {"hidden": True} if told.hidden else {}
    facts |= {"title": table.title} if table.title else {}

    def read(findings: Findings) -> Iterator[pa.RecordBatch]:
        findings.note(table.note, bool(table.note), lost=False)
        note_footnotes(table.footnotes, findings)
        for sentence in layout.notes + totals_notes(rows[-1] if rows else ()):
            findings.note(sentence, lost=False)
        findings.note("{n} merged {cell was|cells were} filled with {its value|their values}", table.merged, lost=False)
        findings.note(
            "{n} merged {region|regions} of the sheet {overlaps|overlap} too many others: not filled",
            told.overlapping,
            lost=False,
        )
        findings.note(
            "{n} {cell|cells} of the sheet {holds a formula whose result is|hold formulas whose results are} not"
            " stored: open and save the workbook in a spreadsheet program",
            told.missing,
            lost=True,
        )
        batches = to_batches(fit(rows, width, findings), columns, limits, findings)
        yield from without_repeats(batches, columns, layout.header_rows, findings)

    return RawTable(name, columns, "excel", facts, read)


def as_cell(value: Any) -> str | None:
    """The text of a cell: integers without .0, dates in ISO 8601, None for an empty cell."""
    kind = type(value)
    if kind is str:
        return value or None
    if kind is float:
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if value is None:
        return None
    if kind is bool:
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        midnight = value.time() == datetime.time()
        return value.date().isoformat() if midnight else value.isoformat()
    return value.isoformat() if isinstance(value, (datetime.date, datetime.time)) else str(value)
