"""Which lines inside a table are comments?

A line that starts with a comment mark is one if the file shows that the mark starts comments: there are such lines
above the table, or inside it, where all other lines are as wide as the table. A line with a cell for each column is
a row, whatever it starts with: `#1,foo,bar`; unless all cells but the first are empty, or it names the fields of a
log (`#Fields: date time`). Fields that are other ones than those of the header are told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.readers.cell_types import Row, filled, is_blank
from mere.readers.dialects import Dialect
from mere.readers.field_lines import named_fields
from mere.readers.names import unique_names
from mere.readers.preambles import mark_of
from mere.readers.table import Findings

MARKS = ("#", "%", "//", "--")
OTHER_FIELDS = "{n} {comment names|comments name} other fields than the header: rows below have values of other columns"
NOTE = "{n} comment {line|lines} inside the table {was|were} left out"


def comment_mark(text: str, rows: Sequence[Row]) -> str:
    """The mark that starts comments in a text, given its first rows; empty if none does."""
    firsts = {row[0][:1] for row in rows if row and row[0]}  # nearly always without a mark
    marks = (mark for mark in MARKS if mark[0] in firsts and _starts_a_line(mark, text))
    return next((mark for mark in marks if _starts_comments(mark, rows)), "")


def _starts_a_line(mark: str, text: str) -> bool:
    return text.startswith(mark) or f"\n{mark}" in text or f"\r{mark}" in text


def usual_width(rows: Iterable[Row]) -> int:
    """The number of cells that most rows have."""
    widths = Counter(len(row) for row in rows if not mark_of(row) and not is_blank(row))
    return max(widths.items(), key=lambda item: (item[1], item[0]))[0] if widths else 0


def without_inner(rows: list[list[str]], ends: list[int], mark: str) -> tuple[list[list[str]], list[int]]:
    """The first rows of a text, and where each ends, without the comments below the first one of the table."""
    width = usual_width(rows)
    top = _first_row(rows, width)
    kept = [at for at, row in enumerate(rows) if at <= top or not is_comment(row, mark, width)]
    return [rows[at] for at in kept], [ends[at] for at in kept]


def is_comment(row: Row, mark: str, width: int) -> bool:
    """Whether a row starts with the mark and does not have a cell for each column, or has empty ones only."""
    return mark_of(row).startswith(mark) and (len(row) != width or filled(row) == 1)


class Comments:
    """Leaves comments out of the rows of a table, parsed by Python or by Arrow, and tells how many they are."""

    def __init__(self, dialect: Dialect, columns: list[str], findings: Findings) -> None:
        self._mark = dialect.comment
        self._between = dialect.delimiter if dialect.delimiter in (" ", "\t") and not dialect.quote else ""
        self._columns = columns
        self._findings = findings

    def left_out(self, rows: Iterable[list[str]]) -> Iterator[list[str]]:
        """The rows that are no comments."""
        return (row for row in rows if not self._is_one(row))

    def left_out_of(self, table: pa.Table) -> pa.Table:
        """The table without comments; nearly always it has none."""
        marked = pc.starts_with(pc.utf8_ltrim_whitespace(table.column(0)), self._mark)
        places = np.flatnonzero(marked.to_numpy())
        if not len(places):
            return table
        columns = (column.to_pylist() for column in table.take(pa.array(places)).columns)
        rows = map(list, zip(*columns, strict=True))
        keep = np.ones(table.num_rows, bool)
        keep[places] = [not self._is_one(row) for row in rows]
        return table.filter(pa.array(keep))

    def _is_one(self, row: list[str]) -> bool:
        names = named_fields(self._between.join(row)) if self._between and row and row[0][:1] == "#" else []
        if not names and not is_comment(row, self._mark, len(self._columns)):
            return False
        self._findings.note(NOTE, lost=False)
        if names and unique_names(names, len(names)) != self._columns:
            self._findings.note(OTHER_FIELDS, lost=True)
        return True


def _starts_comments(mark: str, rows: Sequence[Row]) -> bool:
    """Whether lines above the table start with the mark, or lines inside it that alone have another width."""
    width = usual_width(rows)
    top = _first_row(rows, width)
    above, inside = ([row for row in part if mark_of(row).startswith(mark)] for part in (rows[:top], rows[top:]))
    if width < 2 or any(len(row) == width and filled(row) > 1 for row in inside):
        return False
    if len(above) > 1 or any(len(row) != width for row in above):
        return True  # a single line with a cell for each column is a header
    last = max(at for at, row in enumerate(rows) if len(row) == width)
    even = all(len(row) == width or mark_of(row) or is_blank(row) for row in rows[top:last])
    return even and any(len(row) != width for row in inside)


def _first_row(rows: Sequence[Row], width: int) -> int:
    """The first row of the table, the header if it has no mark."""
    return next((at for at, row in enumerate(rows) if len(row) == width and not mark_of(row)), len(rows))
