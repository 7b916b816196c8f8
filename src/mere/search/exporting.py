"""How is a table written to a file that other programs open?

A file is complete or does not exist: it is written beside its name, and renamed.  In CSV and TSV, cells that a
spreadsheet would run as formulas (`formulas.py`) get a leading apostrophe, so that it shows them as text.
"""

from __future__ import annotations

import os
from typing import NamedTuple

import pyarrow as pa

from mere.errors import UsageError

FORMATS = (".csv", ".tsv", ".parquet", ".arrow", ".feather")
DELIMITERS = {".csv": ",", ".tsv": "\t"}


class Written(NamedTuple):
    """What was written."""

    rows: int
    neutralised: int = 0  # cells and names that got an apostrophe
    notes: tuple[str, ...] = ()  # on columns that stayed text, and on what typed cells do not say


def export(table: pa.Table, path: str, neutralise: bool = True) -> Written:
    """Write the table in the format of the path's extension; the file is complete or does not exist."""
    from mere.search.writing import TableRows, write_rows

    return write_rows(TableRows(table), path, neutralise=neutralise)


def check_format(path: str) -> str:
    """The extension of the path; an error if there is no writer for it."""
    extension = os.path.splitext(path)[1].lower()
    if extension not in FORMATS:
        raise UsageError(f"cannot write '{path}'", f"choose a name that ends in {', '.join(FORMATS)}")
    return extension


def is_text_format(path: str) -> bool:
    """Whether the format has no types: cells are written as text."""
    return check_format(path) in DELIMITERS


def check_target(path: str, source: str) -> None:
    """Refuse a path that cannot be written, or that is the query file, before anything is computed."""
    check_format(path)
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise UsageError(f"there is no folder '{folder}'", "create it, or choose another")
    if os.path.exists(path) and os.path.exists(source) and os.path.samefile(path, source):
        raise UsageError(f"'{path}' is the query file itself", "choose another name for the result")
