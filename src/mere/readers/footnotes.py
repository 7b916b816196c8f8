"""Which lines below a table are footnotes? Lines of words that have fewer cells than the table.

They are searched from below. A line of words that could be a row is a note if one is above it, or a blank line and then
a row.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from mere.readers.cell_types import cell_type
from mere.readers.client_lines import END, TOTAL, is_client_line
from mere.readers.dialects import WHITESPACE
from mere.readers.encodings import repaired
from mere.readers.fixed_width import fills_columns
from mere.readers.note_words import LABELLED, MARKED
from mere.readers.preambles import is_phrase
from mere.readers.ruled import is_rule
from mere.readers.source import Source, read_fully
from mere.readers.table import Findings
from mere.readers.text_samples import Sample

TAIL = 64 << 10  # tables of spreadsheets end in hundreds of empty rows
TOTAL_NOTE = "the last row looks like a line of totals; it is kept as a row"
SENTENCE = 6  # words
MOST_UNSURE = 20  # lines
FIRST_LINES = 4  # that are looked at for blanks after the delimiters
DASHES = re.compile(r"\s*(-{2,}|={2,}|\*{3,})\s*")
BLANK = b" \r\n"  # a tab may be a delimiter
WORDS = re.compile(r"[^\W\d_]{2,}\W+\w+|source|note", re.IGNORECASE)
ENUMERATED = re.compile(r"(\*{1,3}|†+|‡+|\[\d{1,2}\]|\d{1,2}\)|\(\d{1,2}\))\s+\w")  # `* estimated`, `1) estimated`


def empty_note(count: int) -> list[str]:
    """What to tell about rows of empty cells below a table."""
    rows = "1 empty row below the table was" if count == 1 else f"{count:,} empty rows below the table were"
    return [f"{rows} left out"] if count else []


def note_footnotes(count: int, findings: Findings) -> None:
    findings.note("{n} {line|lines} of footnotes below the table {was|were} left out", count, lost=False)


class Footnotes(NamedTuple):
    """How many lines of notes and of empty cells are below a table, and the offset where they start, -1 without any."""

    lines: int = 0
    empty: int = 0
    offset: int = -1


def find_footnotes(tail: bytes, start: int, sample: Sample, width: int) -> Footnotes:
    """The lines below a table that are no rows; `tail` is its end, from the offset `start` of its file on."""
    dialect = sample.dialect
    if width < 2 or dialect.row_end or (dialect.delimiter == WHITESPACE and not sample.column_starts):
        return Footnotes()
    lines = tail[tail.find(b"\n") + 1 :].splitlines(keepends=True) if start else tail.splitlines(keepends=True)
    offset, count, empty, unsure, found = len(tail), 0, 0, 0, Footnotes()
    for at in range(len(lines) - 1, 0, -1):
        kind = _kind(lines[at], sample, width)
        if kind is Kind.ROW or unsure > MOST_UNSURE:
            break
        offset -= len(lines[at])
        count += kind in (Kind.NOTE, Kind.UNSURE)
        empty += kind is Kind.HOLLOW
        unsure += kind is Kind.UNSURE
        blank = kind in (Kind.BLANK, Kind.HOLLOW)
        if kind is Kind.NOTE or (blank and (not unsure or _kind(lines[at - 1], sample, width) is Kind.ROW)):
            found, unsure = Footnotes(count, empty, start + offset), 0
    return found if found.lines or found.empty else Footnotes()


class Kind(Enum):
    """What a line at the end of a table is; unsure: a note if a note or a blank line is above it, else a row."""

    BLANK, HOLLOW, NOTE, UNSURE, ROW = range(5)


def _kind(line: bytes, sample: Sample, width: int) -> Kind:
    if not line.strip(BLANK):
        return Kind.BLANK
    cells = _cells(line, sample)
    if _is_cut(line, sample):
        return Kind.ROW
    if len(cells) > 1 and not any(map(str.strip, cells)):
        return Kind.HOLLOW
    if _is_footnote(line, cells, sample, width):
        return Kind.NOTE
    return Kind.UNSURE if _may_be_note(line, cells, sample, width) else Kind.ROW


def _may_be_note(line: bytes, cells: list[str], sample: Sample, width: int) -> bool:
    """Whether a line is several words in the first cell, or a sentence with commas."""
    first, *others = cells
    if sample.column_starts and fills_columns(repaired(line.rstrip(BLANK), "utf-8")[0], sample.column_starts):
        return False
    words = len(first.split()) > 1 and cell_type(first) == "text" and not TOTAL.fullmatch(first)
    return words and (not any(map(str.strip, others)) or (len(cells) < width and _is_sentence(others, sample)))


def _cells(line: bytes, sample: Sample) -> list[str]:
    return sample.cells(repaired(line.rstrip(BLANK), "utf-8")[0])


def _is_cut(line: bytes, sample: Sample) -> bool:
    """Whether a line is the end of a cell of several lines."""
    quote = sample.dialect.quote
    return bool(quote) and not sample.column_starts and line.count(quote.encode()) % 2 == 1


def _is_footnote(line: bytes, cells: list[str], sample: Sample, width: int) -> bool:
    text = repaired(line.rstrip(BLANK), "utf-8")[0]
    is_full_row = sample.ruled and not sample.column_starts and len(cells) >= width  # a row, whatever it says
    if (is_client_line(text) and not is_full_row) or _is_border(text, cells, sample):
        return True
    if sample.column_starts and fills_columns(text, sample.column_starts) and not MARKED.match(text):
        return False
    return is_note(cells, width) or _is_enumerated(cells, sample)


def _is_border(text: str, cells: list[str], sample: Sample) -> bool:
    """Whether a line of dashes is the lower border of a printed table, or alone in its line."""
    alone = len(cells) == 1
    return (alone and DASHES.fullmatch(text) is not None) or (is_rule(text) and (alone or bool(sample.column_starts)))


def _is_enumerated(cells: list[str], sample: Sample) -> bool:
    """Whether a line is a note with a number or a star."""
    return ENUMERATED.match(cells[0]) is not None and _is_sentence(cells[1:], sample)


def _is_sentence(cells: list[str], sample: Sample) -> bool:
    """Whether each comma before these cells has a blank after it, as in no row."""
    spaced = any(f"{sample.dialect.delimiter} " in line for line in sample.text.split("\n", FIRST_LINES)[:FIRST_LINES])
    return not spaced and all(map(is_phrase, cells))


def is_note(row: Sequence[str | None], width: int) -> bool:
    """Whether a row below a table is one cell of words; if others, empty or not, follow, it must look like a note."""
    text = (row[0] or "") if row else ""
    if not any(row[1:]) and (END.fullmatch(text.strip()) or ENUMERATED.match(text)):
        return True
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
