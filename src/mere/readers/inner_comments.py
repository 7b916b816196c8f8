"""Which lines inside a table are comments?

A line that starts with a comment mark is one if the file shows that the mark starts comments: there are such lines
above the table, or inside it, where all other lines are as wide as the table. A line with a cell for each column is
a row, whatever it starts with: `#1,foo,bar`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from mere.readers.cell_types import Row, filled, is_blank
from mere.readers.preambles import mark_of
from mere.readers.table import Findings

MARKS = ("#", "%", "//", "--")
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


def without_comments(rows: Iterable[list[str]], mark: str, width: int, findings: Findings) -> Iterator[list[str]]:
    """The rows that are no comments; how many were left out is told."""
    count = 0
    for row in rows:
        if is_comment(row, mark, width):
            count += 1
        else:
            yield row
    findings.note(NOTE, count, lost=False)


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
