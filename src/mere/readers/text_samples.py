"""How is a text written: encoding, dialect, positions of columns? Detected from its first bytes."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from itertools import accumulate, dropwhile, islice, pairwise

from mere.errors import Unreadable
from mere.readers.comments import leading_comments, with_whole_comments, with_whole_titles
from mere.readers.dialects import WHITESPACE, Dialect, Lines, lines_of
from mere.readers.encodings import REPAIR, detect_encoding, other_encodings, single_byte
from mere.readers.field_lines import field_delimiter, with_fields
from mere.readers.fixed_width import find_columns, loose_cells, sample_rows, splits_at_blanks
from mere.readers.grid_tables import Grid, find_grid
from mere.readers.inner_rules import without_inner_rules
from mere.readers.magic import looks_binary
from mere.readers.not_tables import SUGGESTED, refuse_known_text, refuse_other_text
from mere.readers.preambles import COMMENT
from mere.readers.ruled import find_rule, is_rule
from mere.readers.sniffing import detect_dialect
from mere.readers.source import Source

HEAD = 64 << 10
LONGEST_HEAD = 16 << 20  # a header of 20,000 long names
ROWS = 300


@dataclass(frozen=True)
class Sample:
    """The start of a text, and how it is written."""

    text: str
    complete: bool
    encoding: str
    bom: int
    dialect: Dialect
    column_starts: list[int]
    other_encodings: str = ""  # nearly as likely, and would give another text
    grid: Grid | None = None
    ruled: bool = False  # a line of dashes shows the columns

    def rows(self, text: str, complete: bool) -> tuple[list[list[str]], list[int]]:
        """The first rows of a text that is written alike, and where each ends in it."""
        rows, ends = self._rows(text, complete)
        if self.dialect.newline == "\r\r\n":
            rows, ends = _without_halves(rows, ends, text)
        spaced = bool(self.column_starts) or self.dialect.delimiter in (WHITESPACE, " ")
        fields = text.startswith("#")
        lines = [text[start:end] for start, end in pairwise([0, *ends])] if spaced or self.ruled or fields else []
        if spaced:
            rows = with_whole_comments(rows, lines, self._names)
            rows = rows if self.column_starts else with_whole_titles(rows, lines)
        if fields:
            rows = with_fields(rows, lines)
        return without_inner_rules(rows, ends, lines) if self.ruled else (rows, ends)

    def _names(self, line: str) -> list[str]:
        """The cells of a line that may be a header but need not be aligned."""
        cells = loose_cells(line, self.column_starts) if self.column_starts else []
        return cells if len(cells) > 1 and all(cells) else line.split()

    def _rows(self, text: str, complete: bool) -> tuple[list[list[str]], list[int]]:
        if self.column_starts:
            return sample_rows(text, self.column_starts, ROWS)
        quoted = bool(self.dialect.row_end) or (bool(self.dialect.quote) and self.dialect.quote in text)
        rows, ends = self._tracked(text, complete) if quoted else self._by_line(text)
        if "\x00" in text:
            rows = [[cell.replace("\x00", "") for cell in row] for row in rows]
        return rows, ends

    def _by_line(self, text: str) -> tuple[list[list[str]], list[int]]:
        """Without quotes, each line is a row."""
        lines = list(islice(lines_of(text), ROWS))
        return list(self.dialect.rows(iter(lines))), list(accumulate(map(len, lines)))

    def _tracked(self, text: str, complete: bool) -> tuple[list[list[str]], list[int]]:
        lines = Lines(text, self.dialect)
        rows: list[list[str]] = []
        ends: list[int] = []
        for row in islice(self.dialect.rows(lines), ROWS):
            if lines.exhausted and not complete and rows:
                break  # the sample ends within a quoted cell
            rows.append(row)
            ends.append(lines.offset)
        return rows, ends

    def is_framed(self, rows: list[list[str]]) -> bool:
        """Whether each row of a complete text, below titles of one cell, starts and ends with `|`, as in Markdown.

        Where lines of dashes are borders (`+---+---+`), the first rows are enough.
        """
        if self.dialect.delimiter != "|" or self.column_starts:
            return False
        bordered = any(len(row) == 1 and is_rule(row[0]) for row in rows)
        if not bordered and (not self.complete or len(rows) >= ROWS):
            return False
        cells = (row for row in rows if not (bordered and len(row) < 2))
        table = list(dropwhile(lambda row: len(row) < 2, cells))
        return len(table) > 1 and all(
            len(row) > 2 and not row[0].strip() and not row[-1].strip() for row in table if row
        )

    def cells(self, line: str) -> list[str]:
        """The cells of a line that is one row."""
        if self.column_starts:
            return loose_cells(line, self.column_starts)
        try:
            return next(iter(self.dialect.rows(iter([line]))), [])
        except csv.Error:
            return [line]


def take_sample(source: Source) -> Sample:
    """The sample of a file; refuses what is not a table."""
    head, complete = _head(source)
    encoding, bom = detect_encoding(head, complete)
    if not encoding.startswith(("utf-16", "utf-32")) and looks_binary(head):
        raise Unreadable(f"{source.name}: binary data of an unknown kind", "convert it to CSV or Parquet")
    text = decoded(head[bom:], encoding, complete)
    if not text.replace("\x00", "").strip():
        raise Unreadable(f"{source.name}: the file is blank", "remove it")
    grid = find_grid(text)
    if grid:
        dialect = Dialect("|", "", newline="\r\n" if "\r\n" in text else "\n")
        return Sample(text, complete, encoding, bom, dialect, [], _others(head, encoding), grid)
    fields = field_delimiter(text)
    if not fields:
        refuse_known_text(text, source)
    below = _below_comments(text)
    dialect, score = detect_dialect(below, source.extension)
    if fields:
        return Sample(
            text, complete, encoding, bom, Dialect(fields, "", newline=dialect.newline), [], _others(head, encoding)
        )
    rule = find_rule(below) if source.extension not in SUGGESTED else None
    if rule:
        dialect = Dialect("|" if rule.bars else WHITESPACE, "", newline=dialect.newline)
        starts, others = [] if rule.bars else rule.starts, _others(head, encoding)
        return Sample(text, complete, encoding, bom, dialect, starts, others, ruled=True)
    starts = find_columns(below, dialect, score)
    if starts and splits_at_blanks(below, len(starts)):
        dialect, starts = Dialect(WHITESPACE, "", newline=dialect.newline), []
    elif not starts:
        refuse_other_text(text, source, dialect, score)
    return Sample(text, complete, encoding, bom, dialect, starts, _others(head, encoding))


def _without_halves(rows: list[list[str]], ends: list[int], text: str) -> tuple[list[list[str]], list[int]]:
    """The rows of lines that end in CR CR LF, whose CR LF was taken for a blank line."""
    pairs = enumerate(pairwise(ends), 1)
    halves = {at for at, (start, end) in pairs if rows[at - 1] and text[start - 1 : end] == "\r\r\n"}
    kept = [at for at in range(len(rows)) if at not in halves]
    return [rows[at] for at in kept], [ends[at + (at + 1 in halves)] for at in kept]


def _others(head: bytes, encoding: str) -> str:
    return ", ".join(other_encodings(head, encoding)[:3])


def _below_comments(text: str) -> str:
    """The text without the comments at its top, whose commas are not delimiters; all of it if little is left."""
    if not COMMENT.match(text):
        return text
    lines = list(lines_of(text))
    rest = "".join(lines[leading_comments(lines) :])
    return rest if rest.count("\n") + rest.count("\r") > 2 else text


def _head(source: Source) -> tuple[bytes, bool]:
    """Enough for a dozen complete lines: very wide tables need more than the usual head."""
    size = HEAD
    head, complete = source.head(size)
    if not head:
        raise Unreadable(f"{source.name}: the file is empty", "remove it")
    while not complete and head.count(b"\n") + head.count(b"\r") < 12 and size < LONGEST_HEAD:
        size *= 8
        head, complete = source.head(size)
    if not complete and b"\n" not in head and b"\r" not in head:
        raise Unreadable(f"{source.name}: the first line has more than {size:,} bytes", "check how its lines end")
    return head, complete


def decoded(data: bytes, encoding: str, complete: bool) -> str:
    """Text for detection, up to the last complete line; `encoded` gives the bytes of UTF-8 back, invalid ones too."""
    if encoding == "utf-8":
        text = data.decode("utf-8", "surrogateescape")
    else:
        text = data.decode(encoding, REPAIR if single_byte(encoding) else "replace")
    if complete:
        return text
    cut = max(text.rfind("\n"), text.rfind("\r", 0, len(text) - 1)) + 1
    return text[:cut] or text


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
