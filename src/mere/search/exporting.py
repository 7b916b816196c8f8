"""How is a table written to a file that other programs open?

A spreadsheet runs a cell as a formula if it starts with `=`, `+`, `-`, `@` (also their full-width forms, also after
white space), a tab or a line end, and a raw file may contain such cells on purpose.  In CSV and TSV they get a leading
apostrophe, so that spreadsheets show them as text; numbers are not changed.
"""

from __future__ import annotations

import csv
import os
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mere.errors import UsageError
from mere.store import files

FORMATS = (".csv", ".tsv", ".parquet")
_BATCH_ROWS = 10_000  # written at a time
_FORMULA = r"^([\s\x{feff}]*[=+\-@\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}]|[\t\r\n])"
_NUMBER = r"^[+-]?[0-9][0-9.,]*([eE][+-]?[0-9]+)?%?$"


def export(table: pa.Table, path: str, neutralise: bool = True) -> None:
    """Write the table in the format of the path's extension; the file is complete or does not exist."""
    extension = check_format(path)
    with files.written_aside(path) as aside:
        if extension == ".parquet":
            import pyarrow.parquet as pq

            pq.write_table(table, aside)
        else:
            _write_text(neutralised(table) if neutralise else table, aside, "," if extension == ".csv" else "\t")


def check_format(path: str) -> str:
    """The extension of the path; an error if there is no writer for it."""
    extension = os.path.splitext(path)[1].lower()
    if extension not in FORMATS:
        raise UsageError(f"cannot write '{path}'", f"choose a name that ends in {', '.join(FORMATS)}")
    return extension


def check_target(path: str, source: str) -> None:
    """Refuse a path that cannot be written, or that is the query file, before anything is computed."""
    check_format(path)
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise UsageError(f"there is no folder '{folder}'", "create it, or choose another")
    if os.path.exists(path) and os.path.exists(source) and os.path.samefile(path, source):
        raise UsageError(f"'{path}' is the query file itself", "choose another name for the result")


def _write_text(table: pa.Table, path: str, delimiter: str) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        has_returns = any(_has_return(column) for column in table.columns)  # `csv` does not quote them by itself
        quoting: Any = csv.QUOTE_ALL if has_returns else csv.QUOTE_MINIMAL
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n", quoting=quoting)
        writer.writerow(table.column_names)
        for batch in table.to_batches(_BATCH_ROWS):
            writer.writerows(zip(*(column.to_pylist() for column in batch.columns), strict=True))


def _has_return(column: pa.ChunkedArray) -> bool:
    is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    return is_text and bool(pc.any(pc.match_substring(column, "\r")).as_py())


def neutralised(table: pa.Table) -> pa.Table:
    """The same table without cells or names that a spreadsheet would run.

    >>> neutralised(pa.table({"=x": ["=1+1", "-5", "a"]})).to_pydict()
    {"'=x": ["'=1+1", '-5', 'a']}
    """
    names = _harmless(pa.array(table.column_names, pa.string())).to_pylist()
    is_text = [pa.types.is_string(kind) or pa.types.is_large_string(kind) for kind in table.schema.types]
    columns = [_harmless(c) if text else c for c, text in zip(table.columns, is_text, strict=True)]
    return pa.table(columns, names=names)


def _harmless(cells: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    runs = pc.and_(pc.match_substring_regex(cells, _FORMULA), pc.invert(pc.match_substring_regex(cells, _NUMBER)))
    return pc.if_else(pc.fill_null(runs, False), pc.binary_join_element_wise("'", cells, ""), cells)
