"""Is it safe to give an old workbook (.xls) to the library that reads it?

Such a file is a small file system (the compound file binary format): a table says for each sector which one follows.
The library follows these chains without counting; a chain that returns to itself takes all memory.  A sound file has no
such chain, so the whole table is checked at once.  The counts in the header are trusted, too, and the place of a cell:
`biff_extent` says how far away the cells of the workbook are.
"""

from __future__ import annotations

import struct

import numpy as np

from mere.errors import Unreadable
from mere.readers.biff_extent import largest_extent
from mere.readers.limits import Limits

_HEADER = struct.Struct("<30xHH6x9I")  # from the size of sectors to the number of blocks of the table's list
_LISTED = 109  # sectors of the table that the header itself lists
_REGULAR = 0xFFFFFFFA  # larger numbers are no sectors: free, end of a chain, the table itself
_ENTRY = 128  # bytes of an entry of the folder
_ENTRY_START = struct.Struct("<116xII")  # first sector and size
_ROOT = 5  # the type of the entry that has the small sectors
_NAMES = tuple(name.encode("utf-16-le") for name in ("Workbook\0", "WORKBOOK\0", "Book\0", "BOOK\0"))
_REMEDY = "save the workbook again"


def check_ole(data: bytes, name: str, limits: Limits) -> None:
    """Refuse a file whose chains of sectors have no end, or whose cells are too far away.

    What else is wrong with it, the library reports.
    """
    if len(data) < 512:
        raise Unreadable(f"{name}: an Excel file of {len(data):,} bytes is too short", _REMEDY)
    sectors = _Sectors(data, name)
    cells = max(map(largest_extent, sectors.workbooks()), default=0)
    if cells > limits.sheet_cells:
        raise Unreadable(f"{name}: a sheet spans {cells:,} cells", "raise sheet_cells")


class _Sectors:
    """The sectors of a file whose chains all have an end."""

    def __init__(self, data: bytes, name: str) -> None:
        header = _HEADER.unpack_from(data)
        shift, small_shift, folders, tables, self._folder, _, self._cutoff, first_small, smalls, first_list, lists = (
            header
        )
        if not (7 <= shift <= 20 and small_shift <= shift):
            raise Unreadable(f"{name}: sectors of 2^{shift} bytes", _REMEDY)
        self._data, self._shift, self._small_shift = data, shift, small_shift
        self._count = -(-len(data) >> shift)
        if max(folders, tables, smalls, lists) > self._count:
            raise Unreadable(f"{name}: announces more sectors than the file has", _REMEDY)
        self._table = _numbers(self._joined(self._of_table(first_list, name)))
        _check_ends(self._table, name)
        self._small_table = _numbers(self._joined(_chain(self._table, first_small)))
        _check_ends(self._small_table, name)

    def workbooks(self) -> list[bytes]:
        """The streams that hold a workbook; usually one."""
        folder = self._joined(_chain(self._table, self._folder))
        entries = [folder[start : start + _ENTRY] for start in range(0, len(folder) - _ENTRY + 1, _ENTRY)]
        roots = [_ENTRY_START.unpack_from(entry)[0] for entry in entries if entry[66] == _ROOT]
        small = self._joined(_chain(self._table, roots[0])) if roots else b""
        return [self._stream(entry, small) for entry in entries if entry.startswith(_NAMES)]

    def _stream(self, entry: bytes, small: bytes) -> bytes:
        first, size = _ENTRY_START.unpack_from(entry)
        if size >= self._cutoff:
            return self._joined(_chain(self._table, first))[:size]
        width = 1 << self._small_shift
        pieces = [small[sector * width :][:width] for sector in _chain(self._small_table, first)]
        return b"".join(pieces)[:size]

    def _of_table(self, first_list: int, name: str) -> list[int]:
        """The sectors in which the table lies: listed in the header, then in a chain of sectors."""
        listed = np.frombuffer(self._data, "<u4", _LISTED, 76).tolist()
        for _ in range(self._count):
            block = _numbers(self._sector(first_list))
            if first_list >= _REGULAR or not len(block):
                return listed
            listed += block[:-1][block[:-1] < _REGULAR].tolist()
            first_list = int(block[-1])
            if len(listed) > self._count + _LISTED:
                break
        raise Unreadable(f"{name}: the lists of its sectors form a loop", _REMEDY)

    def _joined(self, sectors: list[int]) -> bytes:
        return b"".join(self._sector(sector) for sector in sectors if sector < _REGULAR)

    def _sector(self, number: int) -> bytes:
        """Empty if it is outside the file."""
        start = (number + 1) << self._shift
        return self._data[start : start + (1 << self._shift)]


def _numbers(data: bytes) -> np.ndarray:
    return np.frombuffer(data[: len(data) // 4 * 4], "<u4")


def _chain(table: np.ndarray, sector: int) -> list[int]:
    """A sector and those that follow it, by a table that has no loop."""
    sectors = []
    while sector < _REGULAR:
        sectors.append(sector)
        sector = int(table[sector]) if sector < len(table) else _REGULAR
    return sectors


def _check_ends(table: np.ndarray, name: str) -> None:
    if _has_loop(table):
        raise Unreadable(f"{name}: its sectors form a loop", _REMEDY)


def _has_loop(table: np.ndarray) -> bool:
    """Whether following the table from some sector never ends: after as many steps as there are sectors, it would have.

    Steps are doubled, so that this takes the logarithm of their number.
    """
    end = len(table)
    following = np.append(np.where(table < end, table, end), end).astype(np.int64)
    for _ in range(end.bit_length() + 1):
        following = following[following]
    return bool((following != end).any())
