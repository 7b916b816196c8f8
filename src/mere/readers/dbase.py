"""dBase and FoxPro tables (dbf): records of fixed width, cut into columns as NumPy arrays.

A record is one byte ('*': deleted), then its fields as text or numbers; `dbase_header.py` has what comes before.
Deleted records are left out. Memo and picture fields lie in another file, and are left out, with a note.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from mere.errors import Unreadable
from mere.readers.dbase_fields import FRACTIONS, TYPES, text_of
from mere.readers.dbase_header import HEADER, Table, read_header
from mere.readers.encodings import detect_encoding
from mere.readers.limits import Limits
from mere.readers.names import unique_names
from mere.readers.rows import cut_cells
from mere.readers.source import Source, read_fully
from mere.readers.table import BATCH_BYTES, BATCH_ROWS, Findings, RawTable

CODE_PAGES = {
    0x01: "cp437", 0x02: "cp850", 0x03: "cp1252", 0x04: "mac-roman", 0x08: "cp865", 0x09: "cp437", 0x0A: "cp850",
    0x0B: "cp437", 0x0D: "cp437", 0x0E: "cp850", 0x0F: "cp437", 0x10: "cp850", 0x11: "cp437", 0x12: "cp850",
    0x13: "cp932", 0x14: "cp850", 0x15: "cp437", 0x16: "cp850", 0x17: "cp865", 0x18: "cp437", 0x19: "cp437",
    0x1A: "cp850", 0x1B: "cp437", 0x1C: "cp863", 0x1D: "cp850", 0x1F: "cp852", 0x22: "cp852", 0x23: "cp852",
    0x24: "cp860", 0x25: "cp850", 0x26: "cp866", 0x37: "cp850", 0x40: "cp852", 0x4D: "cp936", 0x4E: "cp949",
    0x4F: "cp950", 0x50: "cp874", 0x57: "cp1252", 0x58: "cp1252", 0x59: "cp1252", 0x64: "cp852", 0x65: "cp866",
    0x66: "cp865", 0x67: "cp861", 0x6A: "cp737", 0x6B: "cp857", 0x78: "cp950", 0x79: "cp949", 0x7A: "cp936",
    0x7B: "cp932", 0x7C: "cp874", 0x7D: "cp1255", 0x7E: "cp1256", 0x86: "cp737", 0x87: "cp852", 0x88: "cp857",
    0x96: "mac-cyrillic", 0x97: "mac-latin2", 0x98: "mac-greek", 0xC8: "cp1250", 0xC9: "cp1251", 0xCA: "cp1254",
    0xCB: "cp1253", 0xCC: "cp1257",
}  # fmt: skip


def open_dbase(source: Source, limits: Limits, member: str = "") -> Iterator[RawTable]:
    """The table of the file."""
    start = struct.unpack_from("<H", source.head(HEADER)[0], 8)[0]
    sample = source.head(start + (1 << 16))[0]
    try:
        table = read_header(sample)
    except (ValueError, struct.error) as fault:
        raise Unreadable(f"{source.name}: corrupt dBase file: {fault}", "export it again") from fault
    fields = [field for field in table.fields if field.type in TYPES]
    if not fields or len(sample) < table.start:
        raise Unreadable(f"{source.name}: corrupt dBase file: the header has no fields", "export it again")
    limits.check_extent(source.name, table.rows, len(fields), source.size)
    data = sample[table.start :]
    encoding = CODE_PAGES.get(table.code_page) or detect_encoding(data, complete=False)[0]
    columns = unique_names([field.name.decode(encoding, "replace") for field in fields])

    def read(findings: Findings) -> Iterator[pa.RecordBatch]:
        left = sum(field.type not in TYPES and field.type != "0" for field in table.fields)
        findings.note("{n} memo or binary {field was|fields were} left out", left, lost=True)
        for records in _records(source, table, findings):
            arrays = [text_of(records[:, f.offset : f.offset + f.length], f.type, encoding) for f in fields]
            yield cut_cells(pa.RecordBatch.from_arrays(arrays, names=columns), limits, findings)

    facts = {"encoding": encoding, "code_page": table.code_page, "rows": table.rows}
    raw = RawTable(member, columns, "dbase", facts, read)
    raw.typed = any(field.type in FRACTIONS for field in fields)
    yield raw


def _records(source: Source, table: Table, findings: Findings) -> Iterator[np.ndarray]:
    """The records that are not deleted, as rows of bytes."""
    step = max(1, min(BATCH_ROWS, BATCH_BYTES // table.width))
    left, deleted = table.rows, 0
    with source.stream(findings) as stream:
        read_fully(stream, table.start)
        while left:
            data = read_fully(stream, min(step, left) * table.width)
            records = np.frombuffer(data[: len(data) // table.width * table.width], np.uint8).reshape(-1, table.width)
            if not len(records):
                break
            left -= len(records)
            kept = records[:, 0] != ord("*")
            deleted += int((~kept).sum())
            yield records[kept]
        source.finish(stream, findings)
    findings.note("{n} deleted {record was|records were} left out", deleted, lost=False)
    findings.note("the file ends early: {n} {record is|records are} missing", left, lost=True)
