"""Are the commas of a text inside its values rather than between them?

A decimal comma is a delimiter to whoever only counts characters. It is none if another character divides the first line
and the rows alike, and each comma is inside a number (`Name Wert`, `n1 0,5`); nor is a comma below the name of a single
column, if each row is one number (`temp`, `1,5`), one date, or words with a blank after each comma (`name`,
`Smith, John`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import takewhile

from mere.readers.cell_types import cell_type
from mere.readers.header_evidence import IDENTIFIER, has_values
from mere.readers.quotes import QUOTES

NUMBER = re.compile(  # with a decimal comma, or commas for thousands, also as in India
    r"[-+−(]?\s*(?:[A-Z]{0,3}[$€£¥])?\s*"
    r"(?:\d{1,3}(?:[.'’\xa0]\d{3})+,\d+|\d+,\d+|\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?|\d+)\s*[-%$€£)]?"
)
NAME = re.compile(r"[\w ()\[\]°%€$£-]+")  # of a single column: what else it has may be a delimiter
OTHERS = ";\t|"  # delimiters that are hardly ever a part of a value
MOST = 0.9  # of the lines must show it; the others may be damaged
EVEN = 0.8  # of the lines must have the same number of cells if each comma is inside a number
MOST_TITLES = 2  # lines above the header
WIDE, GAP = "  ", re.compile(" {2,}")  # two blanks or more divide columns that are aligned
FEWEST_ROWS = 2
LONGEST_NAME = 3  # words of the name of a single column
TYPED = 0.25  # of the parts of some words may be numbers: a postal code


def divider_of_numbers(lines: Sequence[str], delimiters: Iterable[str], extension: str) -> str:
    """The delimiter that divides all lines alike and leaves each comma inside a number; empty if none does.

    Below a first line with a comma, only blanks do: a comma between the digits of `10:15,20:30` is a delimiter.
    """
    if not any("," in line for line in lines):
        return ""
    even = "," in lines[0] and lines[0].count(",") == lines[len(lines) // 2].count(",")  # not a title
    if even and " " not in lines[0]:
        return ""
    others = [] if even else [each for each in delimiters if each not in (",", " ")]
    divider = next((each for each in [*others, " ", WIDE] if _divides(lines, each, extension)), "")
    return " " if divider == WIDE else divider


def is_one_column(text: str) -> bool:
    """Whether a text is the name of a single column and below it rows whose commas are inside their values."""
    if any(map(text.__contains__, OTHERS)):
        return False
    lines = [line.strip() for line in text.splitlines()]
    above = list(takewhile(lambda line: "," not in line, lines))
    rows = [line for line in lines[len(above) :] if line]
    if not above or not _is_name(above[-1]) or len(rows) < FEWEST_ROWS or any(row[0] in QUOTES for row in rows):
        return False
    return sum(map(_is_value, rows)) >= MOST * len(rows) or _are_words(rows)


def _divides(lines: Sequence[str], delimiter: str, extension: str) -> bool:
    """Whether the first line, titles aside, has as many cells as nearly all others, and each comma is in a number.

    A header of row names has one cell fewer.
    """
    if delimiter not in lines[-1] and delimiter not in lines[0]:
        return False
    rows = [cells_of(line, delimiter) for line in lines]
    width, alike = Counter(map(len, rows)).most_common(1)[0]
    top = next(at for at, row in enumerate(rows) if len(row) in (width - 1, width))
    if width < 2 or top > MOST_TITLES or alike < max(FEWEST_ROWS, EVEN * (len(rows) - top - 1)):
        return False
    if "," in lines[top] and (delimiter.strip() or not _all_numbers(lines[top:], extension)):
        return False
    if any("," in title and title.count(",") == lines[top].count(",") for title in lines[:top]):
        return False  # the commas divide it like the rows: it is a header
    return all(NUMBER.fullmatch(cell.strip()) for row in rows[top:] for cell in row if "," in cell)


def cells_of(line: str, delimiter: str) -> list[str]:
    """The cells of a line; a run of blanks is one delimiter."""
    if delimiter == WIDE:
        return GAP.split(line.strip())
    return line.split() if delimiter == " " else line.split(delimiter)


def _all_numbers(lines: Sequence[str], extension: str) -> bool:
    """Whether every cell has a decimal comma; in a file that is not named after commas, some is enough."""
    return extension != ".csv" or all("," in cell for line in lines for cell in line.split())


def _is_name(line: str) -> bool:
    return NAME.fullmatch(line) is not None and cell_type(line) == "text" and len(line.split()) <= LONGEST_NAME


def _is_value(row: str) -> bool:
    """Whether a row is one number, or one date with a comma."""
    return NUMBER.fullmatch(row) is not None or (", " in row and cell_type(row) == "date")


def _are_words(rows: Sequence[str]) -> bool:
    """Whether a blank follows each comma, and the parts are words but no table with a header of its own."""
    if any(", " not in row or row.count(",") != row.count(", ") for row in rows):
        return False
    parts = [row.split(", ") for row in rows]
    width = Counter(map(len, parts)).most_common(1)[0][0]
    even = [row for row in parts if len(row) == width]
    typed = sum(has_values([row[column] for row in even]) for column in range(width))
    return typed <= TYPED * width and not _is_header(parts[0], parts[1:])


def _is_header(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether a row of small letters is above rows that have others."""
    others = [cell for row in below for cell in row]
    return all(map(IDENTIFIER.fullmatch, first)) and not all(map(IDENTIFIER.fullmatch, others))
