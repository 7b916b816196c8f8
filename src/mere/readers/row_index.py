"""Where does each row of a text start, how many cells has it, and how many of them are filled?

For the dialects that Arrow reads, computed on arrays at memory speed; for others, row by row in Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mere.readers.blocks import is_sound, last_row_end, quote_positions
from mere.readers.cell_types import filled
from mere.readers.dialects import UNESCAPED, Dialect, Lines, lines_of

Integers = NDArray[np.int64]
BY_ROW_BYTES = 256 << 10  # of a dialect that is split in Python, only so much is looked at


@dataclass(frozen=True)
class RowIndex:
    """Row `i` is `data[offsets[i]:offsets[i + 1]]`; a blank row has no filled cell."""

    data: bytes
    dialect: Dialect
    offsets: Integers
    widths: Integers
    filled: Integers

    def __len__(self) -> int:
        return len(self.widths)

    def rows(self, start: int, stop: int) -> list[list[str]]:
        """The cells of some rows."""
        stop = min(stop, len(self))
        text = self.data[self.offsets[start] : self.offsets[stop]].decode("utf-8", "replace")
        return list(self.dialect.rows(lines_of(text)))


def index_rows(data: bytes, dialect: Dialect, complete: bool) -> RowIndex | None:
    """The rows of UTF-8 text, of which the last may be cut if it is not `complete`.

    None if quotes make it uncertain where rows end.
    """
    if dialect.row_end:
        return None
    if not dialect.plain:
        return _by_row(_first_lines(data), dialect)
    newline = dialect.newline[-1].encode()
    quotes = quote_positions(data, dialect.quote)
    if not is_sound(data, quotes, dialect.delimiter, inside=False):
        return _by_row(_first_lines(data), replace(dialect, escape=UNESCAPED))
    if not complete:
        data = data[: last_row_end(data, quotes, newline)]
        quotes = quotes[quotes < len(data)]
    if len(quotes) % 2 or not data:
        return None
    array = np.frombuffer(data, np.uint8)
    ends = _outside(np.flatnonzero(array == ord(newline)), quotes)
    if not data.endswith(newline):
        ends = np.append(ends, len(data))
    starts = np.append(0, ends[:-1] + 1)
    delimiters = _outside(np.flatnonzero(array == ord(dialect.delimiter)), quotes)
    widths = np.diff(np.searchsorted(delimiters, np.append(0, ends))) + 1
    empty = _empty_cells(array, (starts, ends), delimiters, dialect.quote)
    offsets = np.append(starts, min(len(data), int(ends[-1]) + 1))
    return RowIndex(data, dialect, offsets, widths, widths - empty)


def _first_lines(data: bytes) -> bytes:
    return data[: data.rfind(b"\n", 0, BY_ROW_BYTES) + 1] if len(data) > BY_ROW_BYTES else data


def _outside(positions: Integers, quotes: Integers) -> Integers:
    """Those of the positions that are not quoted."""
    return positions[np.searchsorted(quotes, positions) % 2 == 0] if len(quotes) else positions


def _empty_cells(
    array: NDArray[np.uint8], rows: tuple[Integers, Integers], delimiters: Integers, quote: str
) -> Integers:
    """The number of empty cells per row: nothing, or two quotes, between delimiters and edges of the row."""
    starts, ends = rows
    carriage = (ends > starts) & (array[np.maximum(ends - 1, 0)] == 13)
    cell_ends = np.sort(np.concatenate([delimiters, ends - carriage]), kind="stable")
    cell_starts = np.append(0, cell_ends[:-1] + 1)
    first = np.searchsorted(cell_ends, starts)
    cell_starts[first] = starts
    sizes = cell_ends - cell_starts
    empty = sizes <= 0
    if quote:
        pairs = np.flatnonzero(sizes == 2)
        marks = array[cell_starts[pairs]], array[cell_starts[pairs] + 1]
        empty[pairs] = (marks[0] == ord(quote)) & (marks[1] == ord(quote))
    return np.add.reduceat(empty.astype(np.int64), first)


def _by_row(data: bytes, dialect: Dialect) -> RowIndex:
    text = data.decode("utf-8", "surrogateescape")
    offsets, widths, counts = [0], [], []
    at = 0
    for row, end in _rows_with_ends(text, dialect):
        widths.append(len(row))
        counts.append(filled(row))
        offsets.append(offsets[-1] + len(text[at:end].encode("utf-8", "surrogateescape")))
        at = end
    return RowIndex(data, dialect, np.array(offsets), np.array(widths, np.int64), np.array(counts, np.int64))


def _rows_with_ends(text: str, dialect: Dialect) -> Iterator[tuple[list[str], int]]:
    lines = Lines(text, dialect)
    for row in dialect.rows(lines):
        yield row, lines.offset
