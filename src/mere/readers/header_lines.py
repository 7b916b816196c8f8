"""How many lines has a header, and what are the columns called?

The lower lines of a header have words, units or nothing above columns of numbers and dates. Its upper lines may
have cells that belong to several columns; such a cell is written once, above the first of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from mere.readers.cell_types import YEAR, Row, cell_type, filled
from mere.readers.header_evidence import LOOK_ROWS, is_header, is_units, words_over_values

MOST_LINES = 5
BELOW = 3  # so many rows are needed below a second line


def header_lines(body: Sequence[Row]) -> int:
    """The number of lines of the header that `body` starts with, 0 if it has none; no row of `body` is blank."""
    count = 1 if is_header(body[0], body[1:]) else 0
    if not count and _is_upper_line(body):
        count = 2
    while 0 < count < min(MOST_LINES, len(body) - BELOW + 1) and _continues(body, count):
        count += 1
    return count


def _is_upper_line(body: Sequence[Row]) -> bool:
    """Whether the first row has years or words only, and the second is without doubt a header: two words over values."""
    if len(body) < 2 + BELOW:
        return False
    words, typed = words_over_values(body[1], body[2 : 2 + LOOK_ROWS])
    names = [cell.strip() for cell in body[0] if cell and cell.strip()]
    return words == typed >= 2 and all(cell_type(name) == "text" or YEAR.fullmatch(name) for name in names)


def _continues(body: Sequence[Row], count: int) -> bool:
    """Whether the row after `count` header lines is one more.

    Needs strong evidence: words above two columns of values and no value in the row; or units; or words above all
    columns of values under a line with cells that extend over several columns.
    """
    row, below = body[count], body[count + 1 : count + 1 + LOOK_ROWS]
    if len(below) < BELOW - 1:
        return False
    words, typed = words_over_values(row, below)
    if words and words == typed and _has_spans(body[count - 1], row):
        return True
    if len(below) < BELOW:
        return False
    words, _ = words_over_values(row, below, digits=False)
    return (words >= 2 and words >= 0.6 * typed) or is_units(row, below)


def _has_spans(upper: Row, lower: Row) -> bool:
    """Whether a name of the upper line is followed by a blank cell, or by itself, above names of the lower line."""
    pairs = list(itertools.pairwise(range(min(len(upper), len(lower)))))
    return any(
        _text(upper, left) and _text(upper, right) in ("", _text(upper, left)) and _text(lower, right)
        for left, right in pairs
    ) and filled(lower) >= filled(upper)


def _text(row: Row, column: int) -> str:
    return " ".join((row[column] or "").split()) if column < len(row) else ""


def joined_names(lines: Sequence[Row]) -> list[str]:
    """One name per column: its cells in all lines, from the top; a cell above several columns is part of each name.

    >>> joined_names([["", "sold", "", "kept"], ["city", "2019", "2020", ""]])
    ['city', 'sold 2019', 'sold 2020', 'kept']
    """
    width = max(map(len, lines), default=0)
    cells = [[_text(line, column) for column in range(width)] for line in lines]
    for upper, *lower in (cells[line:] for line in range(len(cells) - 1)):
        _spread(upper, lower)
    return [" ".join(name for name, _ in itertools.groupby(filter(None, column))) for column in zip(*cells)]


def _spread(upper: list[str], lower: Sequence[list[str]]) -> None:
    """Repeats a name to the right, over columns that have a name below, as it has itself; not if the line has repeated
    names already."""
    if any(left and left == right for left, right in itertools.pairwise(upper)):
        return
    below = [any(line[column] for line in lower) for column in range(len(upper))]
    for column in range(1, len(upper)):
        if not upper[column] and below[column] and below[column - 1]:
            upper[column] = upper[column - 1]
