"""Is it safe to give an old workbook (.xls) to the library that reads it?

Such a file is a small file system (the compound file binary format): a table says for each sector which one follows.
The library follows these chains without counting; a chain that returns to itself takes all memory.  A sound file has no
such chain, so the whole table is checked at once.  The counts in the header are trusted, too.
"""

from __future__ import annotations

import struct

import numpy as np

from mere.errors import Unreadable

_HEADER = struct.Struct("<30xHH6x9I")  # from the size of sectors to the number of blocks of the table's list
_LISTED = 109  # sectors of the table that the header itself lists
_REGULAR = 0xFFFFFFFA  # larger numbers are no sectors: free, end of a chain, the table itself


def check_ole(data: bytes, name: str) -> None:
    """Refuse a file whose chains of sectors have no end; what else is wrong with it, the library reports."""
    if len(data) < 512:
        raise Unreadable(f"{name}: an Excel file of {len(data):,} bytes is too short", "save the workbook again")
    shift, small_shift, folders, tables, _, _, _, first_small, smalls, first_list, lists = _HEADER.unpack_from(data)
    if not (7 <= shift <= 20 and small_shift <= shift):
        raise Unreadable(f"{name}: sectors of 2^{shift} bytes", "save the workbook again")
    sectors = _Sectors(data, shift)
    if max(folders, tables, smalls, lists) > sectors.count:
        raise Unreadable(f"{name}: announces more sectors than the file has", "save the workbook again")
    table = sectors.joined(sectors.of_table(first_list, name))
    small = sectors.joined(_chain(table, first_small)) if not _has_loop(table) else table
    if _has_loop(table) or _has_loop(small):
        raise Unreadable(f"{name}: its sectors form a loop", "save the workbook again")


class _Sectors:
    def __init__(self, data: bytes, shift: int) -> None:
        self._data, self._shift = data, shift
        self.count = -(-len(data) >> shift)

    def of_table(self, first_list: int, name: str) -> list[int]:
        """The sectors in which the table lies: listed in the header, then in a chain of sectors."""
        listed = np.frombuffer(self._data, "<u4", _LISTED, 76).tolist()
        for _ in range(self.count):
            block = self._sector(first_list)
            if first_list >= _REGULAR or not len(block):
                return listed
            listed += block[:-1][block[:-1] < _REGULAR].tolist()
            first_list = int(block[-1])
            if len(listed) > self.count + _LISTED:
                break
        raise Unreadable(f"{name}: the lists of its sectors form a loop", "save the workbook again")

    def joined(self, sectors: list[int]) -> np.ndarray:
        parts = [self._sector(sector) for sector in sectors if sector < _REGULAR]
        return np.concatenate([np.empty(0, "<u4"), *parts])

    def _sector(self, number: int) -> np.ndarray:
        """The numbers in a sector; none if it is outside the file."""
        start = (number + 1) << self._shift
        piece = self._data[start : start + (1 << self._shift)]
        return np.frombuffer(piece[: len(piece) // 4 * 4], "<u4")


def _chain(table: np.ndarray, sector: int) -> list[int]:
    sectors = []
    while sector < len(table):
        sectors.append(sector)
        sector = int(table[sector])
    return sectors


def _has_loop(table: np.ndarray) -> bool:
    """Whether following the table from some sector never ends: after as many steps as there are sectors, it would have.

    Steps are doubled, so that this takes the logarithm of their number.
    """
    end = len(table)
    following = np.append(np.where(table < end, table, end), end).astype(np.int64)
    for _ in range(end.bit_length() + 1):
        following = following[following]
    return bool((following != end).any())
