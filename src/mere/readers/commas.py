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

NUMBER = re.compile(
    r"[-+−(]?\s*[$€£¥]?\s*\d+(?:,\d+)?\s*[%$€£)]?|[-+−(]?\s*[$€£¥]?\s*\d{1,3}(?:,\d{3})+(?:\.\d+)?\s*[%$€£)]?"
)
NAME = re.compile(r"[\w ()\[\]°%€$£-]+")  # of a single column: what else it has may be a delimiter
OTHERS = ";\t|"  # delimiters that are hardly ever a part of a value
MOST = 0.9  # of the lines must show it; the others may be damaged
FEWEST_ROWS = 2
LONGEST_NAME = 3  # words of the name of a single column
TYPED = 0.25  # of the parts of some words may be numbers: a postal code


def divider_of_numbers(lines: Sequence[str], delimiters: Iterable[str], extension: str) -> str:
    """The delimiter that divides all lines alike and leaves each comma inside a number; empty if none does.

    Without a first line that has no comma, only blanks do: a comma between the digits of `10:15,20:30` is a delimiter.
    """
    if not any("," in line for line in lines):
        return ""
    if "," in lines[0]:
        return " " if _divides(lines, " ") and _all_numbers(lines, extension) else ""
    return next((each for each in delimiters if each != "," and _divides(lines, each)), "")


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


def _divides(lines: Sequence[str], delimiter: str) -> bool:
    """Whether nearly all lines have as many cells as the first one, and each cell with a comma is a number."""
    rows = [cells_of(line, delimiter) for line in lines]
    width = len(rows[0])
    if width < 2 or sum(len(row) == width for row in rows) < max(FEWEST_ROWS + 1, MOST * len(rows)):
        return False
    return all(NUMBER.fullmatch(cell.strip()) for row in rows for cell in row if "," in cell)


def cells_of(line: str, delimiter: str) -> list[str]:
    """The cells of a line; a run of blanks is one delimiter."""
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
