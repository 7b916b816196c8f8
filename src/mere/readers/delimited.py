"""Delimited text: blocks of complete rows, parsed by Arrow if possible and by Python otherwise.

The file is read in blocks of a few megabytes that end at a row end. Arrow's parser reads a regular block at
full speed; a ragged, oddly quoted or undecodable one is read again by the `csv` module, row by row. Both
agree on every well-formed cell, so a table does not depend on where its blocks end.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

import pyarrow as pa
import pyarrow.csv as pacsv

from mere.readers.blocks import is_sound, last_row_end, quote_positions
from mere.readers.dialects import UNESCAPED, Dialect, Lines
from mere.readers.encodings import repaired
from mere.readers.inner_comments import Comments
from mere.readers.limits import Limits
from mere.readers.rows import cut_cells, fit, to_batch
from mere.readers.source import read_fully
from mere.readers.table import BATCH_ROWS, Findings

BLOCK = 4 << 20
ROW_BYTES = 16 << 20  # a quote that is not closed within this is treated as a stray one
LINE_BYTES = 64 << 20  # of one line, quoted or not; a longer one is broken up
BROKEN = "{{n}} {{line is|lines are}} longer than {:,} bytes and {{was|were}} broken up into several rows"
REPAIRS = 100  # from so many stray quotes in one block on, its quotes are ignored


def read_delimited(
    stream: BinaryIO,
    dialect: Dialect,
    columns: list[str],
    limits: Limits,
    findings: Findings,
    block: int = BLOCK,
) -> Iterator[pa.RecordBatch]:
    """The rows of a UTF-8 stream that starts at its first body row."""
    rest, last, most, broken = b"", False, max(ROW_BYTES, 4 * block), False
    longest = max(LINE_BYTES, most)
    while not last:
        # A row that is not complete is read again with much more, so that it is not parsed many times.
        size = block if len(rest) < block else max(most + block, 2 * len(rest)) - len(rest)
        data = read_fully(stream, size)
        last = len(data) < size
        buffer = rest + data if rest else data
        complete_line = _newline(dialect) in buffer
        final = last or len(buffer) > (most if complete_line else longest)
        end = _line_end(buffer, dialect) if final and not last else len(buffer)
        if complete_line:
            broken = False
        elif final and not last:
            findings.note(BROKEN.format(longest), not broken, lost=True)
            broken = True
        complete, rest, sound = _cut(buffer[:end], dialect, final)
        parser = _Parser(dialect, columns, limits, findings)
        yield from parser.batches(complete, final, sound)
        rest = parser.remainder + rest + buffer[end:]


def _newline(dialect: Dialect) -> bytes:
    return (dialect.row_end + dialect.newline[-1]).encode()


def _line_end(buffer: bytes, dialect: Dialect) -> int:
    """The offset after the last line end, quoted or not; of a single line without end, its length."""
    newline = _newline(dialect)
    return buffer.rfind(newline) + len(newline) if newline in buffer else len(buffer)


def _cut(buffer: bytes, dialect: Dialect, final: bool) -> tuple[bytes, bytes, bool]:
    """Complete rows, the rest, and whether the quotes are sound."""
    newline = _newline(dialect)
    if not dialect.plain:
        end = len(buffer) if final else _line_end(buffer, dialect) * (newline in buffer)
        return buffer[:end], buffer[end:], False
    quotes = quote_positions(buffer, dialect.quote)
    sound = is_sound(buffer, quotes, dialect.delimiter, inside=False)
    if final:
        return buffer, b"", sound and len(quotes) % 2 == 0
    if not sound:
        quotes = quotes[:0]
    end = last_row_end(buffer, quotes, newline)
    return buffer[:end], buffer[end:], sound


class _Parser:
    """Parses one block; `remainder` starts at a quote that is not closed in it, and belongs to the next block."""

    def __init__(self, dialect: Dialect, columns: list[str], limits: Limits, findings: Findings) -> None:
        self.remainder = b""
        self._dialect = dialect
        self._columns = columns
        self._limits = limits
        self._findings = findings

    def batches(self, data: bytes, final: bool, sound: bool) -> Iterator[pa.RecordBatch]:
        if b"\x00" in data:
            self._findings.note("{n} NUL {byte was|bytes were} removed", data.count(0), lost=False)
            data = data.replace(b"\x00", b"")
        if not data.strip(b"\r\n"):
            return
        table = _arrow(data, self._dialect, self._columns) if sound and self._dialect.plain else None
        comments = Comments(self._dialect, self._columns, self._findings) if self._dialect.comment else None
        if table is not None:
            table = comments.left_out_of(table) if comments else table
            for batch in table.combine_chunks().to_batches(max_chunksize=BATCH_ROWS):
                yield cut_cells(batch, self._limits, self._findings)
            return
        parsed = self._rows(self._decoded(data), final)
        parsed = comments.left_out(parsed) if comments else parsed
        rows = list(fit(parsed, len(self._columns), self._findings))
        for start in range(0, len(rows), BATCH_ROWS):
            yield cut_cells(to_batch(rows[start : start + BATCH_ROWS], self._columns), self._limits, self._findings)

    def _decoded(self, data: bytes) -> str:
        text, bad = repaired(data, "utf-8")
        self._findings.note("{n} {byte is|bytes are} not UTF-8 and {was|were} read as windows-1252", bad, lost=False)
        return text

    def _rows(self, text: str, final: bool) -> Iterator[list[str]]:
        """Python's parser, line by line, so that a stray quote affects one row and not the rest of the file."""
        dialect, repairs, start = _tolerant(self._dialect, text), 0, 0
        lines = Lines(text, dialect)
        reader = dialect.rows(lines)
        while True:
            try:
                row = next(reader, None)
            except csv.Error:
                self._findings.note("{n} {row|rows} could not be parsed and {was|were} dropped", lost=True)
                row = []
            if row is None:
                return
            if lines.exhausted:
                if not final:
                    self.remainder = text[start:].encode()
                    return
                repairs += 1
                lines, row = self._without_quotes(text, start)
                reader = (dialect if repairs < REPAIRS else Dialect(dialect.delimiter, "")).rows(lines)
            start = lines.offset
            if row:
                yield row

    def _without_quotes(self, text: str, start: int) -> tuple[Lines, list[str]]:
        self._findings.note("{n} {row has|rows have} an unclosed quote and {was|were} read without quotes", lost=False)
        plain = Dialect(self._dialect.delimiter, "", newline=self._dialect.newline)
        lines = Lines(text, plain, start)
        return lines, next(plain.rows(lines), [])


def _tolerant(dialect: Dialect, text: str) -> Dialect:
    """For a block whose quotes are not sound: quotes may be inside cells unescaped, or after blanks."""
    if not (dialect.plain and dialect.quote and dialect.quote in text):
        return dialect
    padded = f"{dialect.delimiter} {dialect.quote}" in text and f"{dialect.delimiter}{dialect.quote}" not in text
    return replace(dialect, escape=UNESCAPED, skip_space=padded)


def _arrow(data: bytes, dialect: Dialect, columns: list[str]) -> pa.Table | None:
    """The block as Arrow reads it, or None if Arrow cannot."""
    try:
        reader = pacsv.open_csv(  # in this thread: `read_csv` starts a task in another one, a millisecond per file
            pa.BufferReader(data),
            read_options=pacsv.ReadOptions(column_names=columns, block_size=len(data) + 64, use_threads=False),
            parse_options=pacsv.ParseOptions(
                delimiter=dialect.delimiter, quote_char=dialect.quote or False, newlines_in_values=True
            ),
            convert_options=pacsv.ConvertOptions(
                column_types=dict.fromkeys(columns, pa.string()), strings_can_be_null=False
            ),
        )
        return reader.read_all()
    except (pa.ArrowException, ValueError, OverflowError):
        return None
