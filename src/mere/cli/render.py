"""How are answers shown in a terminal?  Text from raw files is escaped first."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.filesize import decimal
from rich.table import Table
from rich.text import Text

from mere.cli.flags import document_in_flags, in_flags
from mere.cli.options import print_json
from mere.drawing import sparkline, spread_evenly

if TYPE_CHECKING:
    from mere.answers import Hits
    from mere.answers.shown import Cell


def console() -> Console:
    """A console with the width of the terminal; for a pipe or file, so wide that nothing is wrapped."""
    terminal = _Console(highlight=False)
    return terminal if terminal.is_terminal else _Console(highlight=False, width=220)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # instead of exiting: the reader closed the pipe, which is no error


def clean(text: str, width: int | None = None) -> str:
    """Text that cannot control the terminal: control characters and direction marks are escaped."""
    escaped = "".join(_visible(c) if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c for c in text)
    return escaped if width is None or len(escaped) <= width else escaped[: width - 1] + "…"


def _visible(character: str) -> str:
    return " " if character in "\n\t\r" else f"\\u{ord(character):04x}"


def size(number: float) -> str:
    return decimal(int(number))


def counted(number: int | None, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "table"), counted(1234, "row"), counted(None, "row")
    ('1 table', '1,234 rows', '? rows')
    """
    return f"{'?' if number is None else f'{number:,}'} {noun}{'' if number == 1 else 's'}"


def grid(*columns: str, right: Iterable[str] = ()) -> Table:
    table, aligned = Table(box=None, pad_edge=False, header_style="bold"), set(right)
    for column in columns:
        table.add_column(
            Text(column), justify="right" if column in aligned else "left", overflow="fold", no_wrap=column in aligned
        )
    return table


def row(table: Table, *cells: str) -> None:
    table.add_row(*(Text(cell) for cell in cells))


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
    from mere.answers.shown import shown_cells

    show_notes(hits.notes)
    out = console()
    if hits.hits:
        columns, rows = shown_cells(hits.shown, hits)
        table = grid(
            *(column.header for column in columns), right=[column.header for column in columns if column.right]
        )
        for cells in rows:
            row(table, *(_cell_text(cell, column.width) for cell, column in zip(cells, columns, strict=True)))
        out.print(table)
    out.print(Text(hits.summary()))


def _cell_text(cell: Cell, width: int | None) -> str:
    from mere.answers import Picture

    if isinstance(cell, str):
        return clean(cell, width)
    pictures = [cell] if isinstance(cell, Picture) else cell
    return sparkline(spread_evenly(pictures[0].edges, pictures[0].counts)) if pictures else ""


def show_rows(raw: Any) -> None:
    table = grid(*(clean(name, 24) for name in raw.column_names))
    for cells in raw.to_pylist():
        row(table, *("" if cell is None else clean(str(cell), 24) for cell in cells.values()))
    console().print(table)
