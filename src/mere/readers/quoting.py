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
        self._inside = _inside(delimiter, quote)
        self._searched = 0  # up to here, the line has no quote that closes a cell with a stray one
        self.strays = 0  # cells with quotes that were not escaped

    def __next__(self) -> list[str]:
        line = next(self._lines)
        if self._quote not in line:
            return self._split(line.rstrip("\r\n"))
        row: list[str] = []
        place, end, self._searched = 0, -1, 0
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
        """The cell that starts after an opening quote; the line it ends in; the next delimiter there or -1."""
        quote, place = self._quote, start
        above: list[str] = []  # what the cell has in earlier lines
        while True:
            close = line.find(quote, place)
            if close < 0:
                above.append(line[start:])
                further = next(self._lines, None)
                if further is None:
                    return "".join(above), line, -1
                line, start, place, self._searched = further, 0, 0, 0
            elif self._escape and self._is_escaped(line, start, close):
                place = close + 1
            elif line.startswith(quote, close + 1):
                place = close + 2
            else:
                break
        close, rest, end = self._closed(line, close)
        return self._plain("".join([*above, line[start:close]])) + rest, line, end

    def _closed(self, line: str, close: int) -> tuple[int, str, int]:
        """Where a cell with a quote at `close` really closes, what follows its quote, and the next delimiter or -1."""
        if not self._ends(line, close + 1):
            stray = self._closes_later(line, close)
            if stray < 0:  # text after a closing quote belongs to the cell, as in the csv module
                end = line.find(self._delimiter, close)
                return close, line[close + 1 : end] if end >= 0 else line[close + 1 :].rstrip("\r\n"), end
            self.strays += 1
            close = stray
        return close, "", close + 1 if line.startswith(self._delimiter, close + 1) else -1

    def _closes_later(self, line: str, close: int) -> int:
        """Where a cell with a stray quote at `close` is closed in the same line, or -1; no place is searched twice."""
        inside = self._inside.match(line, close) if close >= self._searched else None
        if inside is None:
            return -1
        end = inside.end()
        if line.startswith(self._quote, end) and self._ends(line, end + 1):
            return end
        self._searched = end
        return -1

    def _is_escaped(self, line: str, start: int, close: int) -> bool:
        place = close
        while place > start and line[place - 1] == self._escape:
            place -= 1
        return (close - place) % 2 == 1

    def _ends(self, line: str, place: int) -> bool:
        return place >= len(line) or line[place] in "\r\n" or line.startswith(self._delimiter, place)

    def _plain(self, cell: str) -> str:
        cell = cell.replace(self._quote * 2, self._quote)
        return re.sub(re.escape(self._escape) + "(.)", r"\1", cell, flags=re.DOTALL) if self._escape else cell


@lru_cache(maxsize=64)
def _inside(delimiter: str, quote: str) -> re.Pattern[str]:
    """From a stray quote to the next one in the line that opens or closes a cell, or to the line's end."""
    edge = re.escape(delimiter)
    mark = re.escape(quote)
    inner = f"(?<!{edge}){mark}(?!{edge}|[\r\n]|$)"
    return re.compile(f"{inner}(?:[^{mark}\r\n]|{mark}{mark}(?!{edge}|[\r\n]|$)|{inner})*+")
