"""Which tables does a sheet contain, given as a grid of cells, and what is in its merged cells?

A merged cell has its value in its upper left corner only. It is filled to the right, as the name of several columns or
the value of several cells, unless it is alone in its row and not part of a header: then it is a title. It is filled
downwards in the body, in rows that are not blank; in a header, one name is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mere.readers.cell_types import filled, used
from mere.readers.footnotes import is_note
from mere.readers.header_lines import joined_names
from mere.readers.headers import Layout, find_layout
from mere.readers.stacked import Integers, Stacked, find_tables

Cell = str | None
Grid = list[list[Cell]]
LOOK_ROWS = 1000
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


def regions(ranges: Sequence[Range], start: tuple[int, int], grid: Grid) -> list[Merged]:
    """The merged ranges of a sheet, relative to the grid, which starts at the cell `start` of the sheet."""
    height, width = len(grid), max(map(len, grid), default=0)
    found: list[Merged] = []
    area = 0
    for (top, left), (bottom, right) in ranges:
        region = Merged(
            top - start[0], left - start[1], min(bottom - start[0], height - 1), min(right - start[1], width - 1)
        )
        if not (0 <= region.top <= region.bottom and 0 <= region.left <= region.right):
            continue
        area += (region.bottom - region.top + 1) * (region.right - region.left + 1)
        if area <= FILL * height * width:
            found.append(region)
    return found


def sheet_tables(grid: Grid, merged: Sequence[Merged]) -> list[SheetTable]:
    """The tables of a grid whose rows all have the same width; its merged cells are filled."""
    counts = np.array([filled(row) for row in grid], np.int64)
    done = {region for region in merged if counts[region.top] > 1 and _fill_right(grid, region)}
    pieces = find_tables(GridRows(grid, np.array([len(row) for row in grid], np.int64), counts))
    return [_table(grid, piece, merged, done, len(pieces) > 1) for piece in pieces]


def _table(grid: Grid, piece: Stacked, merged: Sequence[Merged], done: set[Merged], padded: bool) -> SheetTable:
    rows = grid[piece.start : piece.stop]
    width = max(map(used, rows), default=0) if padded else max(map(len, rows))
    titles = _titles(rows[:LOOK_ROWS], width, [region for region in merged if region.top == region.bottom], piece.start)
    look = _above_last_notes([row[:width] for row in rows[titles:LOOK_ROWS]])
    layout = find_layout(look)
    layout = replace(layout, preamble=layout.preamble + titles)
    header, first = piece.start + layout.preamble, piece.start + layout.body
    inside = [region for region in merged if header <= region.top < piece.stop]
    fills = {region: _fill_right if region.top < first else _fill_down for region in inside}
    count = len({region for region, fill in fills.items() if fill(grid, region)} | done.intersection(inside))
    names = joined_names([row[:width] for row in grid[header : header + layout.header_rows]], spans_known=True)
    body = [row[:width] for row in rows[layout.body :]]
    notes = next((at for at, row in enumerate(reversed(body)) if any(row) and not is_note(row, layout.width)), 0)
    lines = sum(any(row) for row in body[len(body) - notes :])
    return SheetTable(replace(layout, names=names), body[: len(body) - notes], piece.title, count, lines)


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


def _fill_down(grid: Grid, region: Merged) -> bool:
    """Fills the rows below the first one that are not blank; whether there are any, and a value."""
    first = grid[region.top]
    below = [row for row in grid[region.top + 1 : region.bottom + 1] if any(row)]
    for row in below:
        row[region.left : region.right + 1] = first[region.left : region.right + 1]
    return bool(below) and bool(first[region.left])
