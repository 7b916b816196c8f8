"""What is a dialect: how the cells of a text file are separated and quoted, and how its rows are read."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, replace

from mere.readers.quoting import Quoting

csv.field_size_limit(1 << 30)  # the default, 128 KiB, refuses real cells; Limits.cell_bytes is our bound

WHITESPACE = "whitespace"  # as a delimiter: any run of blanks
DELIMITERS = "delimiters"  # as an escape: a backslash before a delimiter, and nowhere else, is one
STAND_IN = "\ue000"
ESCAPED, ITSELF = f"{STAND_IN}d", f"{STAND_IN}n"  # an escaped delimiter, and a stand-in, until a row is divided
UNESCAPED = "unescaped"  # as an escape: quotes inside quoted cells are neither doubled nor escaped


@dataclass(frozen=True)
class Dialect:
    """How to turn text into rows. `row_end` is set only where rows do not end in a plain newline."""

    delimiter: str = ","
    quote: str = '"'
    escape: str = ""
    skip_space: bool = False
    newline: str = "\n"
    row_end: str = ""
    comment: str = ""  # lines inside the table that start with it, and have another width, are no rows

    @property
    def plain(self) -> bool:
        """Whether Arrow's parser reads it: one-byte delimiter, doubled quotes, no padding."""
        escaped = self.escape not in ("", UNESCAPED)
        return len(self.delimiter) == 1 and self.delimiter.isascii() and not (escaped or self.skip_space)

    def rows(self, lines: Iterator[str]) -> Iterator[list[str]]:
        """Rows of an iterator over lines that keep their ends."""
        if self.escape == DELIMITERS:
            return self._with_escaped_delimiters(lines)
        if self.delimiter == WHITESPACE and not self.quote:
            return (line.split() for line in lines)
        if self.delimiter == WHITESPACE:
            return ([cell for cell in row if cell] for row in self._csv((line.strip() + "\n" for line in lines), " "))
        if len(self.delimiter) > 1 and not self.quote:
            return (line.rstrip("\r\n").removesuffix(self.row_end).split(self.delimiter) for line in lines)
        if len(self.delimiter) > 1 or self.escape == UNESCAPED:
            escape = "" if self.escape == UNESCAPED else self.escape
            return Quoting(lines, self.delimiter, self.quote, escape, self.skip_space)
        return self._csv(lines, self.delimiter)

    def _with_escaped_delimiters(self, lines: Iterator[str]) -> Iterator[list[str]]:
        marked = (line.replace(STAND_IN, ITSELF).replace(f"\\{self.delimiter}", ESCAPED) for line in lines)
        rows = replace(self, escape="").rows(marked)
        return ([cell.replace(ESCAPED, self.delimiter).replace(ITSELF, STAND_IN) for cell in row] for row in rows)

    def _csv(self, lines: Iterator[str], delimiter: str) -> Iterator[list[str]]:
        return csv.reader(
            lines,
            delimiter=delimiter,
            quotechar=self.quote or None,
            quoting=csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE,
            escapechar=self.escape or None,
            skipinitialspace=self.skip_space,
        )


class Lines:
    """Lines of a text with their ends, and how far they have been read.

    `offset` is the end of the last line taken; `exhausted` becomes true only when a further line is requested,
    which a CSV parser does at the end of the text only if a quote is still open.
    """

    def __init__(self, text: str, dialect: Dialect, offset: int = 0) -> None:
        self.offset = offset
        self.exhausted = False
        rest = text[offset:] if offset else text
        self._lines = _records(rest, dialect.row_end + dialect.newline) if dialect.row_end else lines_of(rest)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        for line in self._lines:
            self.offset += len(line)
            return line
        self.exhausted = True
        raise StopIteration


def _records(text: str, end: str) -> Iterator[str]:
    pieces = text.split(end)
    last = pieces.pop()
    yield from (piece + end for piece in pieces)
    if last:
        yield last


def lines_of(text: str) -> Iterator[str]:
    """Lines with their ends, cut at `\\n`, `\\r`, `\\r\\n` only (a string's own splitlines cuts at more)."""
    return iter(io.StringIO(text, newline=""))
