"""How many cells does the largest sheet of an old workbook span?  (The records of Excel 5 to 2003: BIFF5, BIFF8.)

A record is its type, its length and its content; that of a cell begins with its row and column.  The sheets begin where
the records of the workbook say.  A sheet also announces its first and last row and column, and the library reserves
memory for all cells between them, whatever the cells are.  Cost: one pass over the records, about a microsecond each.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

_HEAD = struct.Struct("<HH")  # of a record: type and length
_PLACE = struct.Struct("<HH")  # of a cell: row and column
_SHEET, _END, _NUMBERS, _ANNOUNCED = 0x85, 0x0A, 0xBD, 0x200
_PLACES = {10: struct.Struct("<HHHH"), 14: struct.Struct("<IIHH")}  # by length: first row, end, first column, end
_CELLS = {0x06, 0xBD, 0xBE, 0xD6, 0xFD, 0x201, 0x203, 0x204, 0x205, 0x27E}


def largest_extent(stream: bytes) -> int:
    """Rows times columns up to the farthest cell of a sheet."""
    starts = {int.from_bytes(stream[at : at + 4], "little") for kind, at, _ in _records(stream, 0) if kind == _SHEET}
    return max((_extent(stream, start) for start in starts), default=0)


def _extent(stream: bytes, start: int) -> int:
    rows = columns = announced = 0
    for kind, at, length in _records(stream, start):
        if kind == _ANNOUNCED and length in _PLACES:
            announced = max(announced, _announced(*_PLACES[length].unpack_from(stream, at)))
        if kind in _CELLS and length >= _PLACE.size:
            row, column = _PLACE.unpack_from(stream, at)
            if kind == _NUMBERS:  # several cells: the last column is the last number
                column = max(column, int.from_bytes(stream[at + length - 2 : at + length], "little"))
            rows, columns = max(rows, row + 1), max(columns, column + 1)
    return max(announced, rows * columns)


def _announced(top: int, bottom: int, left: int, right: int) -> int:
    """Rows times columns that are announced; the library subtracts in 32 bits, so an end before a start is far away."""
    rows, columns = (bottom - top) % (1 << 32) or bottom, (right - left) % (1 << 32) or right
    return rows * columns


def _records(stream: bytes, start: int) -> Iterator[tuple[int, int, int]]:
    """Type, place and length of each record, up to the end of a sheet."""
    while start + _HEAD.size <= len(stream):
        kind, length = _HEAD.unpack_from(stream, start)
        start += _HEAD.size
        if kind == _END or start + length > len(stream):
            return
        yield kind, start, length
        start += length
