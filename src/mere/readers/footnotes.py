"""Which lines below a table are footnotes? Lines of a single cell of words under a wider table."""

from __future__ import annotations

import re

from mere.readers.dialects import WHITESPACE, Dialect
from mere.readers.encodings import repaired
from mere.readers.source import Source, read_fully
from mere.readers.table import Findings

TAIL = 4096
BLANK = b" \r\n"  # a tab may be a delimiter
WORDS = re.compile(r"[^\W\d_]{2,}\W+\w+|source|note", re.IGNORECASE)


def find_footnotes(source: Source, dialect: Dialect, bom: int, exact: bool, width: int) -> tuple[int, int]:
    """How many lines, and the offset in the raw file where they start; (0, -1) if there are none.

    Only the last few kilobytes of a file whose size is known are searched; a long compressed stream keeps its
    footnotes as padded rows.
    """
    if not exact or width < 3 or dialect.row_end or dialect.delimiter == WHITESPACE:
        return 0, -1
    tail, start = _tail(source)
    offset, count = len(tail), 0
    for line in reversed(tail[tail.find(b"\n") + 1 :].splitlines(keepends=True) if start else tail.splitlines(True)):
        if start + offset - len(line) <= bom or (line.strip(BLANK) and not _is_footnote(line, dialect)):
            break
        offset -= len(line)
        count += bool(line.strip(BLANK))
    return (count, start + offset) if count and offset > 0 else (0, -1)


def _is_footnote(line: bytes, dialect: Dialect) -> bool:
    text = repaired(line.strip(BLANK), "utf-8")[0]
    quotes = text.count(dialect.quote) if dialect.quote else 0
    if quotes % 2:
        return False  # the end of a cell of several lines
    row = next(iter(dialect.rows(iter([text]))), [])
    return len(row) == 1 and WORDS.search(text[:300]) is not None


def _tail(source: Source) -> tuple[bytes, int]:
    """The last bytes and where they start, for content in memory or in a seekable file."""
    data, complete = source.head(1 << 30) if source.small else (b"", False)
    if complete:
        start = max(0, len(data) - TAIL)
        return data[start:], start
    if source.codec or not source.seekable:
        return b"", 0
    with source.stream(Findings()) as stream:
        start = max(0, source.size - TAIL)
        stream.seek(start)
        return read_fully(stream, TAIL), start
