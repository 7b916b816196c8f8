"""Which rows of a body repeat the header, as in files that were printed page by page or put together from several?

A row repeats the header if every cell of it is the name of its column; a line of dashes below it is dropped with it.
Each batch is compared in one named column; only where this matches are whole rows looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.readers.cell_types import cell_type
from mere.readers.table import Findings

RENAMED = re.compile(r"_\d+$")  # of a name that occurred twice
RULE = re.compile(r"\s*[-:=+]+\s*")
UNNAMED = re.compile(r"column_\d+")
MOST_CANDIDATES = 1000  # rows of one batch
NOTE = "{n} {row repeats|rows repeat} the header and {was|were} dropped"


def without_repeats(
    batches: Iterator[pa.RecordBatch], columns: list[str], header_rows: int, findings: Findings
) -> Iterator[pa.RecordBatch]:
    """The batches without rows that repeat a header of `header_rows` lines."""
    named = next((index for index, name in enumerate(columns) if not UNNAMED.fullmatch(name)), -1)
    if not header_rows or len(columns) < 2 or named < 0:
        yield from batches
        return
    above = False  # whether the batch before ended with a repeated header
    for batch in batches:
        candidates = _candidates(batch.column(named), columns[named], header_rows)
        rows = [row for row in candidates if _repeats(batch, row, header_rows)]
        rules = [row + 1 for row in [*([-1] if above else []), *rows] if _is_rule(batch, row + 1)]
        yield _without(batch, rows + rules) if rows or rules else batch
        findings.note(NOTE, len(rows), lost=False)
        above = batch.num_rows - 1 in rows if batch.num_rows else above


def _candidates(column: pa.Array, name: str, header_rows: int) -> list[int]:
    """Rows whose cell is the column's name, or, of a header of several lines, a part of it or blank."""
    if header_rows == 1 and pc.index(column, name).as_py() < 0:
        return []  # nearly always
    parts = [name] if header_rows == 1 else ["", *_parts(name)]
    matches = pc.is_in(column, pa.array(parts, pa.string()))
    return [int(row) for row in np.flatnonzero(matches.to_numpy(zero_copy_only=False))[:MOST_CANDIDATES]]


def _parts(name: str) -> list[str]:
    """What one line of a header may have contributed to a name: words that follow each other."""
    words = name.split()[:10]
    return [" ".join(words[start:stop]) for start in range(len(words)) for stop in range(start + 1, len(words) + 1)]


def _repeats(batch: pa.RecordBatch, row: int, header_rows: int) -> bool:
    """Whether all cells that are not blank, at least two, are the names of their columns."""
    texts = (" ".join((column[row].as_py() or "").split()) for column in batch.columns)
    cells = [(cell, name) for cell, name in zip(texts, batch.schema.names, strict=True) if cell]
    if header_rows == 1:
        return len(cells) > 1 and all(cell in (name, RENAMED.sub("", name)) for cell, name in cells)
    return len(cells) > 1 and all(cell_type(cell) == "text" and cell in _parts(name) for cell, name in cells)


def _is_rule(batch: pa.RecordBatch, row: int) -> bool:
    """Whether a row below a repeated header is its line of dashes."""
    return row < batch.num_rows and all(RULE.fullmatch(column[row].as_py() or "") for column in batch.columns)


def _without(batch: pa.RecordBatch, rows: list[int]) -> pa.RecordBatch:
    keep = np.ones(batch.num_rows, bool)
    keep[rows] = False
    return batch.filter(pa.array(keep))
