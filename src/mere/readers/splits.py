"""Reading one large delimited file in pieces, each row exactly once.

Whether a newline of a CSV file ends a row cannot be decided locally, because it may be quoted. It can be decided
from the number of quotes before it, and counting is cheap and parallel (Ge, Li, Eilebrecht, Chandramouli,
Kossmann: Speculative Distributed CSV Data Parsing, SIGMOD 2019, describe it as the two-pass method):

    scan_chunk   per chunk, in parallel: how many quotes; are they sound if it starts inside or outside quotes?
    plan_spans   over all chunks: the parity before each; None if quotes are not sound: read the file in one piece
    read_span    per span, in parallel: the rows that *start* in it

Departs: no speculation; a chunk is judged under both hypotheses, so the plan is exact, or there is none.
Cost: one extra pass over the bytes at memory speed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

import pyarrow as pa

from mere.errors import MereError
from mere.readers.blocks import is_sound, next_row_start, quote_positions
from mere.readers.dialects import Dialect
from mere.readers.encodings import Utf8Stream, single_byte
from mere.readers.json_tables import looks_like_json
from mere.readers.limits import Limits
from mere.readers.magic import codec_of, format_of, unsupported_format
from mere.readers.source import open_raw, read_fully, size_of, source_of
from mere.readers.table import Findings, RawTable
from mere.readers.text_facts import Range, TextFacts, note_facts, read_rows
from mere.readers.text_tables import open_delimited

STEP = 1 << 16


@dataclass(frozen=True)
class ChunkScan:
    """How many quotes a chunk has; whether they are sound if it starts outside (`sound`) or inside a quoted cell."""

    quotes: int
    sound: bool
    sound_inside: bool = True


@dataclass(frozen=True)
class Span:
    """A byte range of the file; `inside` if it starts within quotes, `ends_inside` if the next one does."""

    offset: int
    length: int
    inside: bool
    ends_inside: bool = False


def sniff_splittable(path: str, limits: Limits) -> RawTable | None:
    """The table of a plain text file that can be read in spans, or None if it must be read in one piece."""
    try:
        source = source_of(path, limits)
        head, _ = source.head(4096)
        binary = codec_of(head) or format_of(head, source.extension) or unsupported_format(head, source.extension)
        if binary or looks_like_json(head, source.extension):
            return None
        tables = list(open_delimited(source, limits))
    except (MereError, OSError):
        return None
    if len(tables) > 1:
        return None
    (table,) = tables
    facts = TextFacts.from_dict(table.dialect)
    special = facts.column_starts or facts.ruled or facts.rewritten or facts.grid
    plain = not special and facts.dialect.plain and not facts.row_end and facts.newline in ("\n", "\r\n")
    return table if plain and single_byte(facts.encoding) else None


def scan_chunk(path: str, offset: int, length: int, dialect: dict[str, Any]) -> ChunkScan:
    """Counts the quotes of one chunk and checks whether they are sound."""
    parsed = TextFacts.from_dict(dialect).dialect
    with open_raw(path) as raw:
        before = _at(raw, offset - 1, 1) if offset else b""
        data = _at(raw, offset, length)
        after = _at(raw, offset + len(data), 1)
    if offset <= dialect["bom_bytes"]:  # the byte-order mark is treated as an edge
        data, before = data[max(0, dialect["bom_bytes"] - offset) :], b""
    quotes = quote_positions(data, parsed.quote)
    outside, inside = (is_sound(data, quotes, parsed.delimiter, state, before, after) for state in (False, True))
    return ChunkScan(len(quotes), outside, inside)


def _at(raw: BinaryIO, offset: int, length: int) -> bytes:
    raw.seek(offset)
    return read_fully(raw, length)


def plan_spans(scans: Sequence[ChunkScan], size: int, chunk: int) -> list[Span] | None:
    """Spans with the parity at either end; None if a chunk is unsound or the last quote is not closed."""
    spans: list[Span] = []
    inside = False
    for index, scan in enumerate(scans):
        if not (scan.sound_inside if inside else scan.sound):
            return None
        ends_inside = inside ^ bool(scan.quotes % 2)
        offset = index * chunk
        spans.append(Span(offset, min(chunk, size - offset), inside, ends_inside))
        inside = ends_inside
    return None if inside else spans


def read_span(path: str, span: Span, dialect: dict[str, Any], columns: list[str], limits: Limits) -> RawTable:
    """The rows that start in the span; the last one is read past its end."""
    facts = TextFacts.from_dict(dialect)

    def read(findings: Findings) -> Iterator[pa.RecordBatch]:
        size = size_of(path) if facts.end_offset < 0 else facts.end_offset
        if span.offset == 0:
            note_facts(facts, findings)
        with open_raw(path) as raw:
            start = max(facts.data_offset, _row_start(raw, span.offset, span.inside, facts.dialect, size))
            end = _row_start(raw, span.offset + span.length, span.ends_inside, facts.dialect, size)
            if start < end:
                raw.seek(start)
                rows = Utf8Stream(cast(BinaryIO, Range(raw, end - start)), facts.encoding, findings)
                yield from read_rows(cast(BinaryIO, rows), facts, columns, limits, findings)

    return RawTable("", columns, "csv", dialect, read)


def _row_start(raw: BinaryIO, offset: int, inside: bool, dialect: Dialect, size: int) -> int:
    """The first row start at or after `offset`, whose quote state is known; `size` if there is none.

    A row starts after a newline, so the byte before `offset` is read as well.
    """
    if offset <= 0:
        return 0
    if offset >= size:
        return size
    if not inside and _at(raw, offset - 1, 1) == b"\n":
        return offset
    while offset < size:
        data = _at(raw, offset, min(STEP, size - offset))
        quotes = quote_positions(data, dialect.quote)
        start = next_row_start(data, quotes, b"\n", inside)
        if start >= 0 or not data:
            return offset + start if data else size
        inside ^= bool(len(quotes) % 2)
        offset += len(data)
    return size
