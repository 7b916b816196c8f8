"""Does a comment name the fields: `#Fields: date time s-ip`, as web servers (W3C extended log format) write it?

Zeek writes `#fields`, without a colon. The names are divided by blanks even where the rows are divided by tabs. A
file with such a line is a table, although it is a log, and the number of names shows what divides its rows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from mere.readers.preambles import mark_of

FIELDS = re.compile(r"#\s*fields\b:?\s+(\S.*)", re.IGNORECASE)
LOOK_ROWS = 30
LONGEST_TOP = 1 << 16  # characters with comments and some rows
MOST = 0.9  # of the rows have a cell for each name


def field_delimiter(text: str) -> str:
    """The blank or tab that divides most rows into the fields that a comment at the top names; empty without one."""
    lines = text[:LONGEST_TOP].splitlines() if text.startswith("#") else []
    fields = next(filter(None, map(FIELDS.match, lines)), None)
    rows = [line for line in lines if line and not line.startswith("#")][:LOOK_ROWS]
    if not fields or not rows:
        return ""
    breaks = len(fields[1].split()) - 1
    fitting = {mark: sum(line.count(mark) == breaks for line in rows) for mark in "\t "}
    return next((mark for mark, count in fitting.items() if breaks and count >= MOST * len(rows)), "")


def with_fields(rows: list[list[str]], lines: Sequence[str]) -> list[list[str]]:
    """The rows of `lines`, with the names of the fields in place of the last such comment above the first row."""
    top = next((at for at, row in enumerate(rows) if row and not mark_of(row)), 0)
    place = next((at for at in range(top - 1, -1, -1) if FIELDS.match(lines[at])), -1)
    match = FIELDS.match(lines[place]) if place >= 0 else None
    if not match:
        return rows
    widths = Counter(len(row) for row in rows[top : top + LOOK_ROWS] if not mark_of(row))
    names = match[1].split()
    if len(names) != widths.most_common(1)[0][0] or rows[top] == names:
        return rows
    return [*rows[:place], names, *rows[place + 1 :]]


def named_fields(line: str) -> list[str]:
    """The fields that a comment names; none for another line."""
    match = FIELDS.match(line)
    return match[1].split() if match else []
