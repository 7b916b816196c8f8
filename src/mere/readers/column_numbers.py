"""Is a row only the numbers of the columns: 1, 2, 3 or (1), (2), (3), below or above a header, as in printed tables?

Such a row is like no other: numbers above a column of words, or brackets that no other cell has. A first column of
labels may be without a number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mere.readers.cell_types import Row, cell_type
from mere.readers.header_evidence import LOOK_ROWS, words_over_values
from mere.readers.header_groups import text_at

PLAIN = re.compile(r"\d{1,3}")
BRACKETS = re.compile(r"\(\d{1,3}\)|\[\d{1,3}\]")
FIRST = {"1", "(1)", "[1]"}
FEWEST, FEWEST_IN_BRACKETS = 3, 2  # numbers


def numbers_at(rows: Sequence[Row]) -> int:
    """The first row that has the numbers of the columns, -1 without one."""
    look = enumerate(rows[: min(len(rows) - 1, LOOK_ROWS)])
    return next((at for at, row in look if not FIRST.isdisjoint(row[:2]) and _is_numbering(row, rows[at + 1 :])), -1)


def is_above_header(rows: Sequence[Row], at: int) -> bool:
    """Whether all columns are numbered in row `at`, and the next row is a header without doubt."""
    words, typed = words_over_values(rows[at + 1], rows[at + 2 :])
    return bool(text_at(rows[at], 0)) and 0 < words == typed


def _is_numbering(row: Row, below: Sequence[Row]) -> bool:
    labels = 0 if text_at(row, 0) else 1
    cells = [text_at(row, place) for place in range(labels, len(row))]
    brackets = bool(cells) and BRACKETS.fullmatch(cells[0]) is not None
    pattern, fewest = (BRACKETS, FEWEST_IN_BRACKETS) if brackets else (PLAIN, FEWEST - labels)
    if len(cells) < fewest or not all(map(pattern.fullmatch, cells)):
        return False
    if [int(cell.strip("()[]")) for cell in cells] != list(range(1, len(cells) + 1)):
        return False
    look = below[:LOOK_ROWS]
    if brackets:
        return not any(BRACKETS.fullmatch(text_at(other, place)) for other in look for place in range(len(row)))
    return any(_has_words(look, place) for place in range(len(row)))


def _has_words(rows: Sequence[Row], place: int) -> bool:
    """Whether all cells of a column are words."""
    types = [cell_type(row[place]) for row in rows if place < len(row)]
    return len(types) > 1 and all(each == "text" for each in types)
