"""Which tables does a sheet contain, given as a grid of cells, and what is in its merged cells?

A merged cell has its value in its upper left corner only. It is filled to the right, as the name of several columns or
the value of several cells, unless it is alone in its row and not part of a header: then it is a title. It is filled
downwards in the body, in rows that are not blank; in a header, one name is enough.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mere.readers.cell_types import filled, used
from mere.readers.footnotes import is_note
from mere.readers.header_lines import MOST_LINES, joined_names
from mere.readers.headers import Layout, find_layout
from mere.readers.stacked import GUESSED, Integers, Stacked, find_tables, is_cut, only_first

Cell = str | None
Grid = list[list[Cell]]
LOOK_ROWS = 1000
LOOK_BELOW = 25  # rows below a merged cell of a header
TITLE = 0.8  # of the columns are below a merged title
FILL = 4  # merged regions may overlap; together they may be this many times as large as the grid


@dataclass(frozen=True)
class Merged:
    """A merged region of the grid: the rows `top` to `bottom` and the columns `left` to `right`, both included."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(frozen=True)
class SheetTable:
    """One table of a sheet: its layout, the rows of its body, and how much was filled or left out."""

    layout: Layout
    rows: Grid
    title: str
    merged: int
    footnotes: int
    note: str = ""


@dataclass(frozen=True)
class GridRows:
    """A grid as `stacked.Rows`."""

    grid: Grid
    widths: Integers
    filled: Integers

    def __len__(self) -> int:
        return len(self.grid)

    def rows(self, start: int, stop: int) -> list[list[str]]:
        return [[cell or "" for cell in row] for row in self.grid[start:stop]]


Range = tuple[tuple[int, int], tuple[int, int]]


def regions(ranges: Sequence[Range], start: tuple[int, int], grid: Grid) -> tuple[list[Merged], int]:
    """The merged ranges of a sheet, relative to the grid, which starts at the cell `start` of the sheet.

    And how many were left out because they overlap more than `FILL` allows.
    """
    height, width = len(grid), max(map(len, grid), default=0)
    found: list[Merged] = []
    area = beyond = 0
    for (top, left), (bottom, right) in ranges:
        region = Merged(
            top - start[0], left - start[1], min(bottom - start[0], height - 1), min(right - start[1], width - 1)
        )
        if not (0 <= region.top <= region.bottom and 0 <= region.left <= region.right):
            continue
        area += (region.bottom - region.top + 1) * (region.right - region.left + 1)
        if area <= FILL * height * width:
            found.append(region)
        else:
            beyond += 1
    return sorted(found, key=_top), beyond


def _top(region: Merged) -> int:
    return region.top


def sheet_tables(grid: Grid, merged: Sequence[Merged]) -> list[SheetTable]:
    """The tables of a grid whose rows all have the same width; its merged cells, ordered by row, are filled."""
    counts = np.array([filled(row) for row in grid], np.int64)
    done = {region for region in merged if counts[region.top] > 1 and _fill_right(grid, region)}
    index = GridRows(grid, np.array([len(row) for row in grid], np.int64), counts)
    pieces = find_tables(index)
    filler = _Filler(grid, merged, done)
    tables = [_table(grid, piece, filler, len(pieces) > 1) for piece in pieces]
    if len(tables) > 1 and is_cut(index):
        notes = filter(None, [tables[-1].note, only_first(len(tables))])
        tables[-1] = replace(tables[-1], note="; ".join(notes))
    return tables


def _table(grid: Grid, piece: Stacked, filler: _Filler, padded: bool) -> SheetTable:
    rows = grid[piece.start : piece.stop]
    width = max(map(used, rows), default=0) if padded else max(map(len, rows))
    titles = _titles(rows[:LOOK_ROWS], width, filler.in_one_row, piece.start)
    look = _above_last_notes([row[:width] for row in rows[titles:LOOK_ROWS]])
    layout = find_layout(look)
    layout = replace(layout, preamble=layout.preamble + titles)
    layout = replace(layout, header_rows=filler.header_rows(layout, piece))
    header, first = piece.start + layout.preamble, piece.start + layout.body
    count = filler.fill(header, first, piece.stop)
    names = joined_names([row[:width] for row in grid[header : header + layout.header_rows]], spans_known=True)
    body = [row[:width] for row in rows[layout.body :]]
    notes = next((at for at, row in enumerate(reversed(body)) if any(row) and not is_note(row, layout.width)), 0)
    lines = sum(any(row) for row in body[len(body) - notes :])
    guessed = GUESSED if piece.guessed else ""
    return SheetTable(replace(layout, names=names), body[: len(body) - notes], piece.title, count, lines, guessed)


def _titles(rows: Grid, width: int, merged: Sequence[Merged], start: int) -> int:
    """How many rows at the top are titles: blank, or one merged cell over nearly all columns."""
    wide = {region.top - start for region in merged if region.right - region.left + 1 >= max(2, TITLE * width)}
    count = next((at for at, row in enumerate(rows) if any(row) and not (at in wide and filled(row) == 1)), 0)
    return count if any(filled(row) > 1 for row in rows[count:]) else 0


def _above_last_notes(rows: Grid) -> Grid:
    """The rows down to the last one of several cells: notes below a table say nothing about its layout."""
    several = [at for at, row in enumerate(rows) if filled(row) > 1]
    return rows[: several[-1] + 1] if len(several) > 2 else rows


def _fill_right(grid: Grid, region: Merged) -> bool:
    """Fills the first row of a region; whether it has several cells and a value."""
    row = grid[region.top]
    row[region.left : region.right + 1] = [row[region.left]] * (region.right + 1 - region.left)
    return region.right > region.left and bool(row[region.left])


class _Filler:
    """Fills the merged cells of a grid, table by table; `done` are those that have been filled to the right."""

    def __init__(self, grid: Grid, merged: Sequence[Merged], done: set[Merged]) -> None:
        self._grid = grid
        self._merged = merged
        self._done = done
        self._blank = [not any(row) for row in grid] if merged else []  # once: a row may be part of many regions
        self.in_one_row = [region for region in merged if region.top == region.bottom]

    def header_rows(self, layout: Layout, piece: Stacked) -> int:
        """The lines of a header: a merged cell that starts in it, above cells of the body, is part of it down to its
        last row; a box beside the table has nothing below."""
        header = piece.start + layout.preamble
        stop = header + layout.header_rows
        most = min(header + MOST_LINES, piece.stop - 1)  # one row is left
        for region in self._merged[bisect_left(self._merged, header, key=_top) :]:
            if region.top >= stop:
                break
            below = self._grid[region.bottom + 1 : min(piece.stop, region.bottom + 1 + LOOK_BELOW)]
            if region.bottom < most and any(row[region.left] for row in below):
                stop = max(stop, region.bottom + 1)
        return stop - header

    def fill(self, header: int, body: int, stop: int) -> int:
        """Fills the regions that start in the rows from `header` up to `stop`; how many there are."""
        places = (bisect_left(self._merged, row, key=_top) for row in (header, stop))
        inside = dict.fromkeys(self._merged[slice(*places)])
        filled = [_fill_right(self._grid, each) if each.top < body else self._fill_down(each) for each in inside]
        return sum(done or each in self._done for each, done in zip(inside, filled, strict=True))

    def _fill_down(self, region: Merged) -> bool:
        """Fills the rows below the first one that are not blank; whether there are any, and a value."""
        first = self._grid[region.top]
        below = [row for row in range(region.top + 1, region.bottom + 1) if not self._blank[row]]
        for row in below:
            self._grid[row][region.left : region.right + 1] = first[region.left : region.right + 1]
        return bool(below) and bool(first[region.left])
