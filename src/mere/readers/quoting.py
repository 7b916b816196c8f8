"""How is a row cut into cells where quotes are not escaped, or delimiters have several characters?

Python's `csv` module knows neither. Like it, a quote opens a cell only as its first character, and a doubled quote
is a quote. Unlike it, a quote inside a quoted cell that neither precedes nor follows a delimiter or a line end is
just a character, if the cell is closed properly later in the same line: `"the "new" kind"` is one cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache


class Quoting(Iterator[list[str]]):
    """Rows of an iterator over lines that keep their ends; asks for a further line only if a quote is open."""

    def __init__(self, lines: Iterator[str], delimiter: str, quote: str, escape: str, skip_space: bool) -> None:
        self._lines = lines
        self._delimiter = delimiter
        self._quote = quote
        self._escape = escape
        self._skip_space = skip_space
        self._stray_close = _stray_close(delimiter, quote)
        self.strays = 0  # cells with quotes that were not escaped

    def __next__(self) -> list[str]:
        line = next(self._lines)
        if self._quote not in line:
            return self._split(line.rstrip("\r\n"))
        row: list[str] = []
        place, end = 0, -1
        while place >= 0:
            start = self._skipped(line, place)
            if line.startswith(self._quote, start):
                cell, line, end = self._quoted(line, start + 1)
            else:
                end = line.find(self._delimiter, place)
                cell = line[start:end] if end >= 0 else line[start:].rstrip("\r\n")
            row.append(cell)
            place = end + len(self._delimiter) if end >= 0 else -1
        return row

    def _split(self, line: str) -> list[str]:
        cells = line.split(self._delimiter) if line else []
        return [cell.lstrip(" ") for cell in cells] if self._skip_space else cells

    def _skipped(self, line: str, place: int) -> int:
        while self._skip_space and line.startswith(" ", place):
            place += 1
        return place

    def _quoted(self, line: str, start: int) -> tuple[str, str, int]:
        """The cell that starts after an opening quote; its line, perhaps made longer; the next delimiter or -1."""
        quote, place = self._quote, start
        while True:
            close = line.find(quote, place)
            if close < 0:
                further = next(self._lines, None)
                if further is None:
                    return line[start:], line, -1
                place, line = len(line), line + further
            elif self._escape and line[close - 1] == self._escape and self._is_escaped(line, start, close):
                place = close + 1
            elif line.startswith(quote, close + 1):
                place = close + 2
            elif self._ends(line, close + 1):
                return self._plain(line[start:close]), line, self._delimiter_at(line, close + 1)
            elif stray := self._stray_close.match(line, close):
                self.strays += 1
                close = stray.end() - 1
                return self._plain(line[start:close]), line, self._delimiter_at(line, close + 1)
            else:  # text after a closing quote belongs to the cell, as in the csv module
                end = line.find(self._delimiter, close)
                rest = line[close + 1 : end] if end >= 0 else line[close + 1 :].rstrip("\r\n")
                return self._plain(line[start:close]) + rest, line, end

    def _is_escaped(self, line: str, start: int, close: int) -> bool:
        before = line[start:close]
        return (len(before) - len(before.rstrip(self._escape))) % 2 == 1

    def _ends(self, line: str, place: int) -> bool:
        return place >= len(line) or line[place] in "\r\n" or line.startswith(self._delimiter, place)

    def _delimiter_at(self, line: str, place: int) -> int:
        return place if line.startswith(self._delimiter, place) else -1

    def _plain(self, cell: str) -> str:
        cell = cell.replace(self._quote * 2, self._quote)
        return re.sub(re.escape(self._escape) + "(.)", r"\1", cell, flags=re.DOTALL) if self._escape else cell


@lru_cache(maxsize=64)
def _stray_close(delimiter: str, quote: str) -> re.Pattern[str]:
    """From a stray quote to the quote that closes its cell, within the line."""
    edge = re.escape(delimiter)
    mark = re.escape(quote)
    inner = f"(?<!{edge}){mark}(?!{edge}|[\r\n]|$)"
    return re.compile(f"{inner}(?:[^{mark}\r\n]|{mark}{mark}(?!{edge}|[\r\n]|$)|{inner})*+{mark}(?={edge}|[\r\n]|$)")
