"""How are answers shown in a terminal?  Text from raw files is escaped first."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console, ConsoleOptions, RenderResult
from rich.filesize import decimal
from rich.text import Text

from mere.cli.fitting import Column, clean, fit, width_of
from mere.cli.flags import document_in_flags, in_flags
from mere.cli.options import print_json
from mere.drawing import sparkline, spread_evenly

if TYPE_CHECKING:
    from mere.answers import Hits
    from mere.answers.shown import Cell, Shown


_UNLIMITED = 1_000_000  # cells: the width where nothing is cut
_NARROWEST = 20
_CELL = 24  # cells of a raw cell
_LEFT_OUT = "--json or a wider terminal shows"


def console() -> Console:
    """A console as wide as `COLUMNS` says, or the terminal is; for a pipe or file without it, nothing is cut."""
    width = os.environ.get("COLUMNS", "")
    if width.isdecimal() and int(width):
        return _Console(highlight=False, width=max(_NARROWEST, int(width)))
    terminal = _Console(highlight=False)
    return _Console(highlight=False, width=max(_NARROWEST, terminal.width) if terminal.is_terminal else _UNLIMITED)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # instead of exiting: the reader closed the pipe, which is no error


def size(number: float) -> str:
    return decimal(int(number))


def counted(number: int | None, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "table"), counted(1234, "row"), counted(None, "row")
    ('1 table', '1,234 rows', '? rows')
    """
    return f"{'?' if number is None else f'{number:,}'} {noun}{'' if number == 1 else 's'}"


class Grid:
    """A table of cells, fitted into the width of the console that prints it; a last line counts what is left out."""

    def __init__(
        self, columns: Sequence[Column], header: bool = True, remedy: str = _LEFT_OUT, brief: bool = False
    ) -> None:
        self._columns, self._header, self._remedy, self._brief = columns, header, remedy, brief
        self._rows: list[Sequence[str]] = []

    def add(self, *cells: str) -> None:
        self._rows.append(cells)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = None if options.max_width >= _UNLIMITED else options.max_width
        lines, left_out, below = fit(self._columns, self._rows, width, self._header)
        for place, line in enumerate(lines):
            yield Text(line, style="bold" if self._header and place == 0 else "", no_wrap=True, overflow="ignore")
            for more in [] if self._brief else below[place]:
                yield Text(more, style="dim", no_wrap=True, overflow="ignore")
        if left_out:
            yield Text(left_out_line(left_out, options.max_width, self._remedy))


def left_out_line(headers: Sequence[str], width: int, remedy: str) -> str:
    """How many columns are not shown, which if the line has space for them, and what shows them."""
    them = "it" if len(headers) == 1 else "them"
    short, names = counted(len(headers), "more column"), ", ".join(map(clean, headers))
    for line in (f"{short} ({names}): {remedy} {them}", f"{short}: {remedy} {them}"):
        if width_of(line) <= width:
            return line
    return short


def grid(*columns: str | Column, right: Iterable[str] = ()) -> Grid:
    """A table with these columns; those of `right` are numbers."""
    aligned = set(right)
    made = [Column(column, right=column in aligned) if isinstance(column, str) else column for column in columns]
    return Grid(made)


def row(table: Grid, *cells: str) -> None:
    table.add(*cells)


def show_notes(notes: Iterable[str]) -> None:
    """Notes, written for the command line."""
    for note in notes:
        console().print(Text(f"note: {clean(in_flags(note, _current_command()))}"))


def changed_cells(cells: int) -> list[str]:
    """A line on how many cells of a text file got an apostrophe, if any did."""
    was = "cell that a spreadsheet would run was" if cells == 1 else "cells that a spreadsheet would run were"
    return [f"{cells:,} {was} given an apostrophe: --formulas keeps them as they are"] if cells else []


def _current_command() -> click.Command | None:
    context = click.get_current_context(silent=True)
    return context.command if context else None


def print_document(document: Mapping[str, Any]) -> None:
    """A document as JSON, its notes written for the command line."""
    print_json(document_in_flags(document, _current_command()))


def print_hits(hits: Hits, as_json: bool) -> None:
    """Hits as JSON, or as a table."""
    print_document(hits.to_dict()) if as_json else show_hits(hits)


def show_hits(hits: Hits) -> None:
    """The notes; a row per hit, with the columns that its kind declares; and what was searched."""
    show_notes(hits.notes)
    out = console()
    if hits.hits:
        out.print(hits_grid(hits))
    out.print(Text(hits.summary()))


def hits_grid(hits: Hits, brief: bool = False) -> Grid:
    """A row per hit, with the columns that its kind declares; `brief`: one line per hit, nothing below it."""
    from mere.answers.shown import shown_cells

    columns, rows = shown_cells(hits.shown, hits)
    table = Grid(list(map(_column, columns)), brief=brief)
    for cells in rows:
        table.add(*map(_cell_text, cells))
    return table


def _column(shown: Shown) -> Column:
    return Column(
        shown.header, shown.right, shown.whole, shown.name, shown.rank, shown.width, None, shown.below, shown.full
    )


def _cell_text(cell: Cell) -> str:
    from mere.answers import Picture

    if isinstance(cell, str):
        return cell
    pictures = [cell] if isinstance(cell, Picture) else cell
    return sparkline(spread_evenly(pictures[0].edges, pictures[0].counts)) if pictures else ""


def show_rows(raw: Any, remedy: str = _LEFT_OUT, ranks: Sequence[int] | None = None) -> None:
    """Rows of a table; `ranks` says which columns are left out first, by default the last."""
    columns = zip(raw.column_names, ranks or range(raw.num_columns), strict=True)
    table = Grid([Column(name, name=True, rank=rank, most=_CELL) for name, rank in columns], remedy=remedy)
    for cells in zip(*(column.to_pylist() for column in raw.columns), strict=True):
        table.add(*("" if cell is None else str(cell) for cell in cells))
    console().print(table)
