"""Opening delimited text: detect the encoding, the dialect and the layout; rows are read later."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from itertools import islice
from typing import Any, BinaryIO, cast

import pyarrow as pa

from mere.errors import Unreadable
from mere.readers.delimited import read_delimited
from mere.readers.dialects import Dialect, Lines
from mere.readers.encodings import REPAIR, Utf8Stream, detect_encoding, other_encodings, repaired, single_byte
from mere.readers.footnotes import find_footnotes
from mere.readers.headers import Layout, find_layout
from mere.readers.limits import Limits
from mere.readers.magic import looks_binary
from mere.readers.names import unique_names
from mere.readers.sniffing import BY_EXTENSION, detect_dialect
from mere.readers.source import Source
from mere.readers.table import Findings, RawTable

HEAD = 64 << 10
LONGEST_HEAD = 16 << 20  # a header of 20,000 long names
ROWS = 300
DOUBTFUL = 0.5  # below this score of the dialect, sentences are prose
TABLE_EXTENSIONS = {*BY_EXTENSION, ".dat", ".data"}


@dataclass(frozen=True)
class TextFacts:
    """Everything needed to read the rows again, all of them or in spans; can be written as JSON."""

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
    skip_bytes: int  # of UTF-8 text after the byte-order mark: preamble and header
    data_offset: int  # in raw bytes; -1 if unknown in this encoding
    end_offset: int  # where footnotes start, in raw bytes; -1 if there are none
    footnote_lines: int
    other_encodings: str = ""  # nearly as likely, and would give another text

    @property
    def dialect(self) -> Dialect:
        return Dialect(self.delimiter, self.quote, self.escape, self.skip_space, self.newline, self.row_end)

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> TextFacts:
        return cls(**{field.name: facts[field.name] for field in fields(cls) if field.name in facts})


def open_delimited(source: Source, limits: Limits, member: str = "") -> RawTable:
    """The table of a text file, or `Unreadable` if it has none."""
    facts, columns = sniff(source, limits)

    def read(findings: Findings) -> Iterator[pa.RecordBatch]:
        note_footnotes(facts, findings)
        with source.stream(findings) as raw:
            yield from read_delimited(body(raw, facts, findings), facts.dialect, columns, limits, findings)
            source.finish(raw, findings)

    return RawTable(member, columns, "csv", asdict(facts), read)


def note_footnotes(facts: TextFacts, findings: Findings) -> None:
    findings.note("{n} {line|lines} of footnotes below the table {was|were} left out", facts.footnote_lines, lost=False)
    if facts.other_encodings:
        findings.note(
            f"the encoding is uncertain: read as {facts.encoding}, may be {facts.other_encodings}", lost=False
        )


def body(raw: BinaryIO, facts: TextFacts, findings: Findings) -> BinaryIO:
    """The rows as a UTF-8 stream: without byte-order mark, preamble, header and footnotes."""
    within = raw if facts.end_offset < 0 else cast(BinaryIO, Range(raw, facts.end_offset))
    _skip(within, facts.bom_bytes)
    text = Utf8Stream(within, facts.encoding, findings)
    pushed_back = _skip(cast(BinaryIO, text), facts.skip_bytes)
    return cast(BinaryIO, _Chained(pushed_back, cast(BinaryIO, text)))


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
    """The next `size` bytes of a stream."""

    def __init__(self, raw: BinaryIO, size: int) -> None:
        self._raw = raw
        self._left = size

    def read(self, size: int = -1) -> bytes:
        data = self._raw.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data


def sniff(source: Source, limits: Limits) -> tuple[TextFacts, list[str]]:
    """Encoding, dialect, layout and column names, from the head of the file."""
    head, complete = _head(source)
    encoding, bom = detect_encoding(head, complete)
    if not encoding.startswith(("utf-16", "utf-32")) and looks_binary(head):
        raise Unreadable(f"{source.name}: binary data of an unknown kind", "convert it to CSV or Parquet")
    text = _decode(head[bom:], encoding, complete)
    if not text.replace("\x00", "").strip():
        raise Unreadable(f"{source.name}: the file is blank", "remove it")
    dialect, score = detect_dialect(text, source.extension)
    if score < DOUBTFUL:
        _refuse_prose(text, source, score > 0)
    rows, ends = _sample_rows(text, dialect, complete)
    layout = find_layout(rows, complete)
    columns = _columns(layout, source, limits)
    skipped = text[: ends[layout.body - 1]] if layout.body else ""
    count, end = find_footnotes(source, dialect, bom, single_byte(encoding), layout.width)
    skip_bytes = len(skipped.encode("utf-8", "surrogateescape"))
    offset = skip_bytes if encoding == "utf-8" else len(skipped)
    facts = TextFacts(
        encoding=encoding, bom_bytes=bom, **asdict(dialect), preamble_lines=layout.preamble,
        header_rows=layout.header_rows, skip_bytes=skip_bytes,
        data_offset=bom + offset if single_byte(encoding) else -1,
        end_offset=end, footnote_lines=count, other_encodings=", ".join(other_encodings(head, encoding)[:3]),
    )  # fmt: skip
    return facts, columns


def _head(source: Source) -> tuple[bytes, bool]:
    """Enough for a dozen complete lines: very wide tables need more than the usual head."""
    size = HEAD
    head, complete = source.head(size)
    if not head:
        raise Unreadable(f"{source.name}: the file is empty", "remove it")
    while not complete and head.count(b"\n") + head.count(b"\r") < 12 and size < LONGEST_HEAD:
        size *= 8
        head, complete = source.head(size)
    return head, complete


def _decode(head: bytes, encoding: str, complete: bool) -> str:
    """Text for detection; invalid bytes in UTF-8 can be encoded again, so that offsets are exact."""
    if encoding == "utf-8":
        text = head.decode("utf-8", "surrogateescape")
    else:
        text = head.decode(encoding, REPAIR if single_byte(encoding) else "replace")
    if complete:
        return text
    cut = max(text.rfind("\n"), text.rfind("\r", 0, len(text) - 1)) + 1
    return text[:cut] or text


def _sample_rows(text: str, dialect: Dialect, complete: bool) -> tuple[list[list[str]], list[int]]:
    """The first rows, and where each ends in the text."""
    lines = Lines(text, dialect)
    rows: list[list[str]] = []
    ends: list[int] = []
    nul = "\x00" in text
    for row in islice(dialect.rows(lines), ROWS):
        if lines.exhausted and not complete and rows:
            break  # the sample ends within a quoted cell
        rows.append([cell.replace("\x00", "") for cell in row] if nul else row)
        ends.append(lines.offset)
    return rows, ends


def _columns(layout: Layout, source: Source, limits: Limits) -> list[str]:
    if layout.width > limits.columns:
        raise Unreadable(
            f"{source.name}: {layout.width:,} columns, more than {limits.columns:,}",
            "raise the limit 'columns'",
        )
    names = [repaired(name.encode("utf-8", "surrogateescape"), "utf-8")[0] for name in layout.names]
    return unique_names(names, layout.width)


def _refuse_prose(text: str, source: Source, delimited: bool) -> None:
    """For text that no delimiter fits well: a list of short entries is a table of one column; sentences are refused."""
    lines = [line.strip() for line in text.splitlines() if line.strip()][:200]
    prose = sum(map(_is_sentence, lines))
    if prose * 3 >= len(lines) and not (delimited and source.extension in TABLE_EXTENSIONS):
        raise Unreadable(f"{source.name}: no table found: looks like prose", "move it out of the source")
    if delimited or source.extension in TABLE_EXTENSIONS:
        return
    words = sum(len(line.split()) for line in lines) / len(lines)
    if len(lines) < 10 or words > 3 or max(map(len, lines)) > 100:
        raise Unreadable(f"{source.name}: no table found: no delimiter gives rows of equal width", "convert it to CSV")


def _is_sentence(line: str) -> bool:
    """Eight words or more, most of them made of letters. (A regular expression would be slow here.)"""
    words = [word.strip(".,;:!?()'\"") for word in line[:1000].split()]
    return len(words) >= 8 and sum(map(str.isalpha, words)) * 10 >= 7 * len(words)
