"""How many cells does a sheet of a binary workbook (.xlsb) span?

A part is a row of records: a type and a size, written with seven bits per byte, and content.  Between two marks, the
record of a row begins with its number, and that of a cell with its column.  Cost: about half a microsecond per record.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct

_NUMBER = Struct("<I")
_ROW, _LAST_CELL, _CELLS, _END = 0, 11, 145, 146
_MOST_BYTES = 4  # of a size


def extent_of_part(part: bytes) -> int:
    """Rows times columns up to the farthest cell; 0 for a part that is no sheet."""
    row = rows = columns = 0
    inside = False
    for kind, at, size in _records(part):
        if kind in (_CELLS, _END):
            inside = kind == _CELLS
        elif inside and kind <= _LAST_CELL and size >= _NUMBER.size:
            (number,) = _NUMBER.unpack_from(part, at)
            if kind == _ROW:
                row = number
            else:
                rows, columns = max(rows, row + 1), max(columns, number + 1)
    return rows * columns


def _records(part: bytes) -> Iterator[tuple[int, int, int]]:
    """Type, place and size of the content of each record that is complete."""
    at, end = 0, len(part)
    while at + 1 < end:
        kind, at = part[at], at + 1
        if kind > 127:
            kind, at = kind & 127 | (part[at] & 127) << 7, at + 1
        size = 0
        for place in range(_MOST_BYTES):
            byte, at = part[at] if at < end else 0, at + 1
            size |= (byte & 127) << 7 * place
            if byte < 128:
                break
        if at + size > end:
            return
        yield kind, at, size
        at += size
