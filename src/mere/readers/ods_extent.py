"""How many cells does the largest sheet of an OpenDocument workbook (.ods) span?

A cell or a row that is repeated is written once, with a number.  Empty cells behind the last value of a row, and empty
rows below the last one, are written so up to the edge of the sheet, and do not count.  Cost: one match per cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_TAG = re.compile(rb"<table:(table|table-row|table-cell|covered-table-cell)(?=[\s/>])")
_REPEATED = re.compile(rb"""number-(?:rows|columns)-repeated\s*=\s*["'](\d{1,18})""")


def largest_extent(content: bytes) -> int:
    """Rows times columns up to the farthest cell with a value."""
    largest = rows = columns = last_row = column = 0
    for name, rest in _tags(content):
        repeated = _REPEATED.search(rest) if b"repeated" in rest else None
        count = int(repeated[1]) if repeated else 1
        if name == b"table":
            largest, rows, columns, last_row = max(largest, last_row * columns), 0, 0, 0
        elif name == b"table-row":
            rows, column = rows + count, 0
        else:
            column += count
            if _has_value(rest):
                columns, last_row = max(columns, column), rows
    return max(largest, last_row * columns)


def _tags(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Names and attributes; behind a tag that is not closed there is no other, so that no byte is searched twice."""
    end = 0
    while match := _TAG.search(content, end):
        start, end = match.end(), content.find(b">", match.end())
        if end < 0:
            return
        yield match[1], content[start:end]


def _has_value(rest: bytes) -> bool:
    """Whether the attributes of a cell, or what follows them, may be a value."""
    return not rest.endswith(b"/") or b"office:" in rest or b"formula" in rest
