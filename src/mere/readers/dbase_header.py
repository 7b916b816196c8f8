"""The header of a dBase file: its fields, and how many records follow.

header   version, date, number of records, bytes of the header, bytes of a record, code page
fields   32 bytes each: name, type, length; a carriage return ends them
"""

from __future__ import annotations

import struct
from typing import NamedTuple

VERSIONS = (0x02, 0x03, 0x04, 0x05, 0x30, 0x31, 0x32, 0x43, 0x63, 0x83, 0x8B, 0x8C, 0xCB, 0xE5, 0xF5, 0xFB)
HEADER = 32


class Field(NamedTuple):
    name: bytes
    type: str
    offset: int
    length: int


class Table(NamedTuple):
    """What the header says."""

    rows: int
    start: int
    width: int
    fields: list[Field]
    code_page: int


def looks_like_dbase(head: bytes) -> bool:
    """Whether the first bytes are a header whose fields fill its records exactly."""
    if len(head) < HEADER + 1 or head[0] not in VERSIONS or not (head[2] <= 12 and head[3] <= 31):
        return False
    try:
        return bool(read_header(head).fields)
    except ValueError:
        return False


def read_header(head: bytes) -> Table:
    """`ValueError` if it is not one. Fields that lie beyond the head are not checked."""
    rows, start, width = struct.unpack_from("<IHH", head, 4)
    if start < HEADER + 1 or width < 2:
        raise ValueError(f"a header of {start} bytes for records of {width} bytes")
    fields, offset, place = [], 1, HEADER
    while place + HEADER <= min(len(head), start) and head[place] != 0x0D:
        name, kind, length = head[place : place + 11].split(b"\x00")[0], chr(head[place + 11]), head[place + 16]
        if kind == "C":  # long texts: the number of decimals is the high byte
            length += head[place + 17] << 8
        if not kind.isprintable() or not length:
            raise ValueError(f"a field of type {kind!r} and length {length}")
        fields.append(Field(name, kind, offset, length))
        offset, place = offset + length, place + HEADER
    if len(head) >= start and offset != width:
        raise ValueError(f"fields of {offset - 1} bytes in records of {width} bytes")
    return Table(rows, start, width, fields, head[29])
