"""What must be known to read the rows of a text table again, all of them or in spans?"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, BinaryIO, cast

import pyarrow as pa

from mere.readers.delimited import read_delimited
from mere.readers.dialects import Dialect
from mere.readers.encodings import Utf8Stream
from mere.readers.fixed_width import read_fixed
from mere.readers.footnotes import note_footnotes
from mere.readers.grid_tables import read_grid
from mere.readers.inner_rules import RowsOfPrint
from mere.readers.limits import Limits
from mere.readers.line_streams import Rewritten
from mere.readers.padding import without_padding
from mere.readers.repeats import without_repeats
from mere.readers.table import Findings

FRAME = ("\x00first", "\x00last")  # columns before the first and after the last delimiter


@dataclass(frozen=True)
class TextFacts:
    """Encoding, dialect and layout of a text table; can be written as JSON."""

    encoding: str
    bom_bytes: int
    delimiter: str
    quote: str
    escape: str
    skip_space: bool
    newline: str
    row_end: str
    preamble_lines: int
    header_rows: int
    skip_bytes: int  # of UTF-8 text after the byte-order mark: what is above the first row of the body
    data_offset: int  # in raw bytes; -1 if unknown in this encoding
    end_offset: int  # where footnotes start, in raw bytes; -1 if there are none
    footnote_lines: int
    stop_bytes: int = -1  # of UTF-8 text after the byte-order mark: where the table ends; -1 at the end of the file
    row_names: bool = False  # the first column has no name in the header
    column_starts: list[int] = field(default_factory=list)  # of columns aligned by position, in characters
    title: str = ""  # of one of several tables in a file
    notes: list[str] = field(default_factory=list)  # what is uncertain about the reading
    other_encodings: str = ""  # nearly as likely, and would give another text
    framed: bool = False  # each row starts and ends with the delimiter
    comment: str = ""  # the mark of comments inside the table
    grid: bool = False  # lines of dashes are between the rows, which may have several lines
    ruled: bool = False  # a line of dashes shows the columns; further ones are no rows
    rewritten: bool = False  # the text is in another form in the file
    padding: str = ""  # which cells start with a blank that is no part of them: `inner` ones, or `all`

    @property
    def dialect(self) -> Dialect:
        return Dialect(**{each.name: getattr(self, each.name) for each in fields(Dialect)})

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> TextFacts:
        return cls(**{each.name: facts[each.name] for each in fields(cls) if each.name in facts})


def note_facts(facts: TextFacts, findings: Findings) -> None:
    """What is known about the table before its rows are read."""
    note_footnotes(facts.footnote_lines, findings)
    for sentence in facts.notes:
        findings.note(sentence, lost=False)
    if facts.other_encodings:
        sentence = f"the encoding is uncertain: read as {facts.encoding}, may be {facts.other_encodings}"
        findings.note(sentence, lost=False)


def read_rows(
    stream: BinaryIO, facts: TextFacts, columns: list[str], limits: Limits, findings: Findings
) -> Iterator[pa.RecordBatch]:
    """The rows of a UTF-8 stream that starts at a row of the body, without those that repeat the header."""
    if facts.ruled:
        bars = len(columns) + (1 if facts.framed else -1)
        rows = RowsOfPrint(0 if facts.column_starts else bars, facts.column_starts, findings)
        stream = cast(BinaryIO, Rewritten(stream, rows))
    if facts.grid:
        batches = read_grid(stream, columns, limits, findings)
    elif facts.column_starts:
        batches = read_fixed(stream, facts.column_starts, columns, limits, findings, facts.comment)
    elif facts.framed:
        cells = read_delimited(stream, facts.dialect, [*FRAME[:1], *columns, *FRAME[1:]], limits, findings)
        batches = (batch.select(columns) for batch in cells)
    else:
        batches = read_delimited(stream, facts.dialect, columns, limits, findings)
    batches = without_padding(batches, facts.padding) if facts.padding else batches
    return without_repeats(batches, columns, facts.header_rows, findings)


def body(raw: BinaryIO, facts: TextFacts, findings: Findings) -> BinaryIO:
    """The rows as a UTF-8 stream: without byte-order mark, preamble, header, footnotes and further tables."""
    within = raw if facts.end_offset < 0 else cast(BinaryIO, Range(raw, facts.end_offset))
    _skip(within, facts.bom_bytes)
    text = cast(BinaryIO, Utf8Stream(within, facts.encoding, findings))
    rest = cast(BinaryIO, _Chained(_skip(text, facts.skip_bytes), text))
    return rest if facts.stop_bytes < 0 else cast(BinaryIO, Range(rest, facts.stop_bytes - facts.skip_bytes))


def _skip(stream: BinaryIO, count: int) -> bytes:
    """Skips `count` bytes; returns what was read beyond them."""
    while count > 0:
        piece = stream.read(count)
        if not piece:
            return b""
        if len(piece) > count:
            return piece[count:]
        count -= len(piece)
    return b""


class _Chained(io.RawIOBase):
    def __init__(self, first: bytes, then: BinaryIO) -> None:
        self._first = first
        self._then = then

    def read(self, size: int = -1) -> bytes:
        if self._first:
            first, self._first = self._first, b""
            return first
        return self._then.read(size)


class Range(io.RawIOBase):
    """The next `size` bytes of a stream, which may return more than it is asked for."""

    def __init__(self, raw: BinaryIO, size: int) -> None:
        self._raw = raw
        self._left = size

    def read(self, size: int = -1) -> bytes:
        data = self._raw.read(self._left if size < 0 else min(size, self._left))[: self._left]
        self._left -= len(data)
        return data
