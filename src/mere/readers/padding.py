"""Are the blanks beside the delimiters a part of the cells?

They are not if every cell after a delimiter starts with one: `1, Ada, 3`, `| 1 | Ada |`. Quoted blanks are,
so nothing is removed if a cell after a delimiter is quoted. Only the first rows are looked at: further down, Arrow does
not tell which cells were quoted, and blanks inside quotes are removed like others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from mere.readers.cell_types import Row
from mere.readers.dialects import WHITESPACE, Dialect

INNER, ALL = "inner", "all"  # of a row: all cells but the first, which may be indented; or the first, too
FEWEST_ROWS = 2


def padding_of(body: Sequence[Row], dialect: Dialect, text: str) -> str:
    """Which cells of the rows start with a blank that is no part of them."""
    if not body or not all(map(_is_padded, body[0][1:])):
        return ""
    rows = [row for row in body if len(row) > 1]
    if dialect.delimiter in (" ", "\t", WHITESPACE) or dialect.skip_space or len(rows) < FEWEST_ROWS:
        return ""
    if not all(_is_padded(cell) for row in rows for cell in row[1:]) or not any(any(row[1:]) for row in rows):
        return ""
    if dialect.quote and dialect.delimiter + dialect.quote in text:
        return ""  # a blank may be quoted
    return ALL if all(_is_padded(row[0]) for row in rows) else INNER


def _is_padded(cell: str | None) -> bool:
    return not cell or cell[0] == " "


def without_padding(batches: Iterator[pa.RecordBatch], padding: str) -> Iterator[pa.RecordBatch]:
    """The batches, their cells stripped of blanks; of the first column, unless all are padded, at the end only."""
    for batch in batches:
        first, *others = batch.columns
        first = pc.utf8_trim(first, " ") if padding == ALL else pc.utf8_rtrim(first, " ")
        yield pa.RecordBatch.from_arrays(
            [first, *(pc.utf8_trim(each, " ") for each in others)], names=batch.schema.names
        )
