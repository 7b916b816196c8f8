"""Stata (dta), SPSS (sav, zsav, por) and SAS (sas7bdat, xpt) files by pyreadstat (extra `stats`).

A column with value labels stays as its codes, and `NAME.label` has the labels: some tables are joined on codes, others
on what they mean. Codes that SPSS counts as missing are kept, too. Labels of columns become their descriptions, the
label of the file its title.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from mere.errors import Unreadable
from mere.readers.as_text import cell_text
from mere.readers.descriptions import Description
from mere.readers.extras import need
from mere.readers.limits import Limits
from mere.readers.names import unique_names
from mere.readers.rows import Row, to_batches
from mere.readers.source import Source
from mere.readers.spool import Spooled
from mere.readers.table import BATCH_ROWS, Findings, RawTable

READERS = {
    "stata": "read_dta",
    "spss": "read_sav",
    "spss-portable": "read_por",
    "sas": "read_sas7bdat",
    "sas-transport": "read_xport",
}
OPTIONS = {"spss": {"user_missing": True}}  # codes such as 99, "refused", are values; the library would drop them
MISSING_NOTE = "{n} {column has|columns have} codes that mean a missing value; they are kept, with their labels"
FAULTS = (ValueError, OverflowError, KeyError)
CELLS = 8_000_000  # read at a time; the library skips the rows before from the start, each time


def open_statistics(source: Source, format: str, limits: Limits, member: str = "") -> Iterator[RawTable]:
    """The table of the file; `format` is a key of READERS."""
    file = _File(source, need("pyreadstat", "stats", source), READERS[format], OPTIONS.get(format, {}))
    _, meta = file.read(metadataonly=True)
    names = list(meta.column_names)
    if not 0 < len(names) <= limits.columns:
        raise Unreadable(f"{source.name}: {len(names):,} columns, 1 to {limits.columns:,} allowed", "check the file")
    limits.check_extent(source.name, meta.number_rows or 0, len(names), source.size)
    labels = {name: _labels(meta.variable_value_labels[name]) for name in names if name in meta.variable_value_labels}
    columns = unique_names(part for name in names for part in ([name, f"{name}.label"] if name in labels else [name]))

    def read(findings: Findings) -> Iterator[pa.RecordBatch]:
        source.report(findings)
        findings.note(MISSING_NOTE, len(meta.missing_ranges), lost=False)
        yield from to_batches(_rows(file, names, labels), columns, limits, findings)

    facts = {"encoding": meta.file_encoding, "labelled": len(labels)}
    table = RawTable(member, columns, format, facts, read)
    meanings = {name: text for name, text in meta.column_names_to_labels.items() if text}
    table.about = Description(title=meta.file_label or "", columns=meanings)
    table.typed = any(kind != "string" for kind in meta.readstat_variable_types.values())
    yield table


class _File:
    """A file that pyreadstat opens from its start, each time."""

    def __init__(self, source: Source, library: Any, reader: str, settings: dict[str, Any]) -> None:
        self._source, self._content = source, Spooled(source)
        self._read = getattr(library, reader)
        self._fault = library.ReadstatError
        self._settings = settings

    def read(self, **options: Any) -> tuple[dict[str, list[Any]], Any]:
        with self._content.open() as stream:
            try:
                columns, meta = self._read(stream, output_format="dict", **self._settings, **options)
            except (self._fault, *FAULTS) as fault:
                reason = " ".join(str(fault).split())[:200]
                raise Unreadable(f"{self._source.name}: corrupt file: {reason}", "save it again") from fault
        return columns, meta


def _labels(labels: dict[Any, str]) -> dict[str | None, str]:
    return {cell_text(code): label for code, label in labels.items()}


def _rows(file: _File, names: list[str], labels: dict[str, dict[str | None, str]]) -> Iterator[Row]:
    step = max(BATCH_ROWS, CELLS // len(names))
    offset = 0
    while True:
        columns, _ = file.read(row_limit=step, row_offset=offset)
        cells = [[cell_text(value) or None for value in columns[name]] for name in names]
        wide: list[list[str | None]] = []
        for name, column in zip(names, cells, strict=True):
            wide += [column, [labels[name].get(code) for code in column]] if name in labels else [column]
        yield from zip(*wide, strict=True)
        if len(cells[0]) < step:
            return
        offset += step
