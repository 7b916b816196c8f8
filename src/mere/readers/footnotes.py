"""Which lines below a table are footnotes? Lines of words that have fewer cells than the table."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mere.readers.cell_types import cell_type
from mere.readers.dialects import WHITESPACE
from mere.readers.encodings import repaired
from mere.readers.preambles import is_phrase
from mere.readers.source import Source, read_fully
from mere.readers.table import Findings
from mere.readers.text_samples import Sample

TAIL = 4096
TOTAL = re.compile(r"(grand |sub)?totals?\W*|sums?\W*|all|summe|gesamt|insgesamt|ensemble|totale", re.IGNORECASE)
TOTAL_NOTE = "the last row looks like a line of totals; it is kept as a row"
SENTENCE = 6  # words
BLANK = b" \r\n"  # a tab may be a delimiter
WORDS = re.compile(r"[^\W\d_]{2,}\W+\w+|source|note", re.IGNORECASE)
LABELLED = re.compile(r"\W*(sources?|notes?|footnotes?|remarks?)\s*:\s", re.IGNORECASE)
MARKED = re.compile(
    r"\W*(sources?|notes?|footnotes?|remarks?|copyright|last updated|generated|retrieved)\b|[*†‡©]", re.I
)


def note_footnotes(count: int, findings: Findings) -> None:
    findings.note("{n} {line|lines} of footnotes below the table {was|were} left out", count, lost=False)


def find_footnotes(tail: bytes, start: int, sample: Sample, width: int) -> tuple[int, int]:
    """How many lines, and the offset where they start; (0, -1) if there are none.

    `tail` is the end of a table, from the offset `start` of its file on.
    """
    dialect = sample.dialect
    if width < 2 or dialect.row_end or (dialect.delimiter == WHITESPACE and not sample.column_starts):
        return 0, -1
    offset, count = len(tail), 0
    for line in reversed(tail[tail.find(b"\n") + 1 :].splitlines(keepends=True) if start else tail.splitlines(True)):
        if offset - len(line) <= 0 or (line.strip(BLANK) and not _is_footnote(line, sample, width)):
            break
        offset -= len(line)
        count += bool(line.strip(BLANK))
    return (count, start + offset) if count and offset > 0 else (0, -1)


def _is_footnote(line: bytes, sample: Sample, width: int) -> bool:
    text = repaired(line.rstrip(BLANK), "utf-8")[0]
    quotes = text.count(sample.dialect.quote) if sample.dialect.quote else 0
    if quotes % 2 and not sample.column_starts:
        return False  # the end of a cell of several lines
    return is_note(sample.cells(text), width)


def is_note(row: Sequence[str | None], width: int) -> bool:
    """Whether a row below a table is one cell of words; if others, empty or not, follow, it must look like a note."""
    text = (row[0] or "") if row else ""
    if len(row) >= width > 1 and all(row) and not any(map(is_phrase, row[1:])):
        return False  # a complete row is data, whatever its words; a comma before a blank is one of a sentence
    if LABELLED.match(text):
        return len(row) <= max(2, width - 1) or not any(row[1:])
    if len(row) == 1:
        return width > 2 and WORDS.search(text[:300]) is not None
    if any(row[1:]):
        return len(row) < width and MARKED.match(text) is not None
    return MARKED.match(text) is not None or len(text.split()) >= SENTENCE


def last_row(tail: bytes, end: int, sample: Sample) -> list[str]:
    """The cells of the last line of a table, which ends at `end` of the tail."""
    rest = tail[:end].rstrip(BLANK)
    line = rest[max(rest.rfind(b"\n"), rest.rfind(b"\r")) + 1 :]
    return sample.cells(repaired(line, "utf-8")[0])


def totals_notes(row: Sequence[str | None]) -> list[str]:
    """A note if the last row of a table sums up the others; it is kept, because no data may be lost."""
    is_total = len(row) > 1 and TOTAL.fullmatch((row[0] or "").strip()) is not None
    return [TOTAL_NOTE] if is_total and any(cell_type(cell) == "number" for cell in row[1:]) else []


def tail_of(source: Source, bom: int) -> tuple[bytes, int]:
    """The last bytes and where they start, for content in memory or in a seekable file.

    A long compressed stream keeps its footnotes as padded rows.
    """
    data, complete = source.head(1 << 30) if source.small else (b"", False)
    if complete:
        start = max(bom, len(data) - TAIL)
        return data[start:], start
    if source.codec or not source.seekable:
        return b"", 0
    with source.stream(Findings()) as stream:
        start = max(bom, source.size - TAIL)
        stream.seek(start)
        return read_fully(stream, TAIL), start
