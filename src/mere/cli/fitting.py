"""How does a table of cells fit into the width of a terminal?

Every row is one line, and no line is wider than the terminal.  Where the columns are too wide together, prose that may
stand below its row does (two indented lines at most); then columns of the highest rank are left out and counted; then
the others are cut: names in the middle, so that their start and their end stay, other text at its end, numbers and
histograms not at all.  Names that are needed in full, to be typed, are repeated below their row where they were cut.
Width is measured in the cells of a terminal: a wide character (of Chinese, an emoji) has two, a combining mark none.
Without a width nothing is cut, moved or left out; then a cell that is longer than usual moves the rest of its row
instead of widening its column.

Cost: linear in the characters of the cells, plus columns times width.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.cells import get_character_cell_size

GAP = "  "  # between columns
INDENT = "    "  # of what stands below a row
MOST_BELOW = 2  # lines of prose below a row
EMPTY = "(empty)"  # a row without a visible character
_LEAST, _LEAST_NAME = 14, 24  # cells below which a column is left out instead of being cut
_LEAST_FULL = 36  # of a name that is repeated below if it is cut: fewer columns are better than more lines
_ALIGNED = 60  # cells up to which columns are aligned if there is no width
_ESCAPED = ("Cc", "Cf", "Cs", "Zl", "Zp")
_WIDENS = "\ufe0f"  # may make the character before it a wide one


@dataclass(frozen=True)
class Column:
    """One column: its header, and how it may be made smaller."""

    header: str
    right: bool = False  # numbers: aligned to the right, and never cut
    whole: bool = False  # never cut
    name: bool = False  # cut in the middle instead of at the end
    rank: int | None = None  # the largest is left out first, 0 and the first column never; by default its position
    most: int | None = None  # cells at most, where there is a width
    least: int | None = None  # cells without which it is left out; by default as is usual for such a column
    below: bool = False  # prose: if the others and `most` cells of it do not fit, it stands below its row
    full: bool = False  # a name to be typed: repeated below its row where it was cut


class Fitted(NamedTuple):
    """The lines of a table, the header first; the headers of the columns that are left out; what is below each line."""

    lines: list[str]
    left_out: list[str]
    below: list[list[str]]


def fit(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int | None, header: bool = True) -> Fitted:
    """A line per row, none of them wider than `width`, none of them blank."""
    table = [[clean(cell) for cell in cells] for cells in ([[column.header for column in columns]] if header else [])]
    table += [[clean(cell) for cell in cells] for cells in rows]
    natural = [max((width_of(cell) for cell in cells), default=0) for cells in zip(*table, strict=True)]
    natural = natural or [0] * len(columns)
    moved: list[int] = []
    if width is None:
        kept = list(range(len(columns)))
        widths = [size if column.right else min(size, _ALIGNED) for size, column in zip(natural, columns, strict=True)]
    else:
        natural = [min(size, _most(column) or size, width) for size, column in zip(natural, columns, strict=True)]
        moved = _moved(columns, natural, width)
        kept = _kept(columns, natural, width, moved)
        widths = _widths([columns[place] for place in kept], [natural[place] for place in kept], width)
    beside = [[(columns[p], cells[p], w) for p, w in zip(kept, widths, strict=True)] for cells in table]
    below = [
        [] if width is None else _below(row, [cells[p] for p in moved], width)
        for row, cells in zip(beside, table, strict=True)
    ]
    if header:
        below[0] = []
    shown = {*kept, *moved}
    left_out = [column.header for place, column in enumerate(columns) if place not in shown]
    return Fitted([_line(row, width) for row in beside], left_out, below)


def _most(column: Column) -> int | None:
    """The cells that a column may have; prose and names that are needed in full take all the space that is left."""
    return None if column.below or column.full else column.most


def _moved(columns: Sequence[Column], natural: Sequence[int], width: int) -> list[int]:
    """The positions of the columns that stand below their rows, since the others would be cut for them."""
    below = [place for place, column in enumerate(columns) if column.below and place > 0]
    needed = [_least(columns[place], size) if place in below else size for place, size in enumerate(natural)]
    total = sum(needed) + len(GAP) * (len(needed) - 1)
    return below if total > width else []


def _below(row: Sequence[tuple[Column, str, int]], prose: Sequence[str], width: int) -> list[str]:
    """The lines below a row: its names that were cut, in full, and what was moved there."""
    space = width - len(INDENT)
    cut = [(f"{clean(column.header)}: ", text) for column, text, size in row if column.full and width_of(text) > size]
    named = [(label if width_of(label + text) <= space else "") + text for label, text in cut]
    lines = [line for name in named for line in wrapped(name, space)]
    lines += [line for text in prose for line in wrapped(text, space, MOST_BELOW)]
    return [INDENT + line for line in lines]


def wrapped(text: str, width: int, most: int | None = None) -> list[str]:
    """The text in lines of at most so many cells, broken between words where that is possible; the last may be cut.

    >>> wrapped("all of my rows match; its values are unique", 16), wrapped("all of my rows match", 9, 2)
    (['all of my rows', 'match; its', 'values are', 'unique'], ['all of my', 'rows mat…'])
    """
    lines: list[str] = []
    rest = text.strip()
    while rest:
        if len(lines) + 1 == most or width_of(rest) <= width:
            lines.append(shorten(rest, width))
            break
        start = _start(rest, width) or rest[0]
        space = start.rfind(" ") if not rest[len(start)].isspace() else len(start)
        lines.append(start[: space if space > 0 else len(start)].rstrip())
        rest = rest[len(lines[-1]) :].lstrip()
    return lines


def _kept(columns: Sequence[Column], natural: Sequence[int], width: int, moved: Sequence[int]) -> list[int]:
    """The positions of the columns that are shown: the largest ranks are left out until the rest fits."""
    ranks = [place if column.rank is None or place == 0 else column.rank for place, column in enumerate(columns)]
    needed = [_least(column, size) + len(GAP) for column, size in zip(columns, natural, strict=True)]
    kept = set(range(len(columns))) - set(moved)
    total = sum(needed[place] for place in kept) - len(GAP)
    by_rank: dict[int, list[int]] = {}
    for place in sorted(kept):
        by_rank.setdefault(ranks[place], []).append(place)
    for rank in sorted(by_rank, reverse=True):
        if total <= width or rank == 0:
            break
        kept -= set(by_rank[rank])
        total -= sum(needed[place] for place in by_rank[rank])
    fitting = max(1, (width + len(GAP)) // (len(GAP) + 1))  # columns of one cell each
    return sorted(kept)[:fitting]


def _least(column: Column, natural: int) -> int:
    """The cells without which a column is of no use."""
    if column.below:
        return min(natural, column.most or natural)
    if column.right or column.whole:
        return natural
    usual = _LEAST_FULL if column.full else _LEAST_NAME if column.name else _LEAST
    return min(natural, column.least or usual)


def _widths(columns: Sequence[Column], natural: Sequence[int], width: int) -> list[int]:
    """The least widths, each raised to its natural one as far as there is space, the smallest first; names twice."""
    space = width - len(GAP) * (len(columns) - 1)
    widths = [_least(column, size) for column, size in zip(columns, natural, strict=True)]
    while sum(widths) > space:  # only columns that must stay: the widest gives way, from the last on
        widest = max(range(len(widths)), key=lambda place: (widths[place], place))
        widths[widest] -= 1
    free = space - sum(widths)
    while free > 0 and (narrow := [place for place, size in enumerate(natural) if widths[place] < size]):
        widths[min(narrow, key=lambda place: widths[place] / (2 if columns[place].name else 1))] += 1
        free -= 1
    return widths


def _line(cells: Sequence[tuple[Column, str, int]], width: int | None) -> str:
    parts = []
    for column, text, size in cells:
        shown = text if width is None else (shorten_middle if column.name else shorten)(text, size)
        padding = " " * (size - width_of(shown))
        parts.append(padding + shown if column.right else shown + padding)
    line = GAP.join(parts).rstrip()
    return line or (EMPTY if width is None else shorten(EMPTY, width))


def shorten(text: str, width: int) -> str:
    """The text, cut at its end if it is wider.

    >>> shorten("one, two, three", 9), shorten("東京都", 5), shorten("ab", 2)
    ('one, two…', '東京…', 'ab')
    """
    if width_of(text) <= width:
        return text
    return _start(text, width - 1).rstrip() + "…" if width > 0 else ""


def shorten_middle(text: str, width: int) -> str:
    """The text, cut in the middle if it is wider; of a path, folders are left out as long as its file's name fits.

    >>> path = "geography/europe/alps/country_codes.csv"
    >>> shorten_middle(path, 30), shorten_middle(path, 24), shorten_middle("a_very_long_column_name", 12)
    ('geography/…/country_codes.csv', 'geogr…/country_codes.csv', 'a_v…umn_name')
    """
    if width_of(text) <= width:
        return text
    folders, _, file = text.rpartition("/")
    first, _, rest = folders.partition("/")
    if rest and (path := _folders_left_out(first, rest, file, width)):
        return path
    if folders and width_of(file) <= width - 6:
        return _start(folders, width - 2 - width_of(file)) + "…/" + file
    head = _start(text, max(1, (width - 1) // 3))
    return head + "…" + _end(text, width - 1 - width_of(head)) if width > 2 else shorten(text, width)


def _folders_left_out(first: str, middle: str, file: str, width: int) -> str:
    """The path with as many of the last folders as fit; empty if not even the first folder and the file do."""
    folders = middle.split("/")
    for place in range(1, len(folders) + 1):
        path = "/".join([first, "…", *folders[place:], file])
        if width_of(path) <= width:
            return path
    return ""


def _start(text: str, width: int) -> str:
    """The longest start of the text that has at most so many cells."""
    used = 0
    for place, character in enumerate(text):
        used += _size(character)
        if used > width:
            return text[:place]
    return text


def _end(text: str, width: int) -> str:
    """The longest end of the text that has at most so many cells, without marks that belong to what was cut."""
    used = 0
    for place in range(len(text) - 1, -1, -1):
        used += _size(text[place])
        if used > width:
            end = text[place + 1 :]
            return end[next((first for first, mark in enumerate(end) if _size(mark) and mark != _WIDENS), len(end)) :]
    return text


def width_of(text: str) -> int:
    """The cells of a terminal that a text takes, at most.

    >>> width_of("Graz"), width_of("東京"), width_of("e\\u0301")
    (4, 4, 1)
    """
    return len(text) if text.isascii() else sum(map(_size, text))


def _size(character: str) -> int:
    return 1 if character == _WIDENS else get_character_cell_size(character)


def clean(text: str, width: int | None = None) -> str:
    """Text that cannot control the terminal: control characters and direction marks are escaped."""
    if not (text.isascii() and text.isprintable()):
        text = "".join(_visible(c) if unicodedata.category(c) in _ESCAPED else c for c in text)
    return text if width is None else shorten(text, width)


def _visible(character: str) -> str:
    return " " if character in "\n\t\r" else f"\\u{ord(character):04x}"
