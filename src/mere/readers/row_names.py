"""Does the first name of a header belong to the second column?

R's `write.table` writes no name for the column of row names, so its header is one field shorter than the rows. A header
may also lack its last names. Row names are all different, and are 1, 2, 3... or words; and the names must fit
the types of the columns at least as well as without the shift.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mere.readers.cell_types import YEAR, Row, cell_type

DATES = re.compile(r"date|time|day|year|month|week|period|timestamp", re.IGNORECASE)
TEXTS = re.compile(r"names?|title|country|city|state|region|label|description|category|type|species", re.IGNORECASE)
KEYS = re.compile(r"id|key|code|no|nr|number|index|rank", re.IGNORECASE)
WORDS = re.compile(r"[A-Za-z][a-z]*")


def has_row_names(names: Sequence[str], body: Sequence[Row]) -> bool:
    """Whether the rows have one cell more than there are names, and the first one is a row name."""
    width = len(names) + 1
    body = [row for row in body if len(row) > 1]  # a footnote is one cell
    if not body or len(body[0]) != width:
        return False  # the first row shows the width that the header is for
    rows = [row for row in body if len(row) == width]
    if len(rows) < 2 or len(rows) * 10 < 9 * len(body) or not any(row[-1] for row in rows):
        return False
    columns = [[(row[column] or "").strip() for row in rows] for column in range(width)]
    if not _are_row_names(columns[0]):
        return False
    shifted = sum(_fit(name, column) for name, column in zip(names, columns[1:], strict=True))
    return shifted >= sum(_fit(name, column) for name, column in zip(names, columns[:-1], strict=True))


def short_header_note(row_names: bool, unnamed: int) -> list[str]:
    """Which guess was made about a header that is shorter than the rows."""
    if row_names:
        return ["the header has one name fewer than the rows: the first column was taken for row names"]
    if unnamed == 1:
        return ["the header has one name fewer than the rows: the last column was left without a name"]
    return (
        [f"the header has {unnamed} names fewer than the rows: the last columns were left without names"]
        if unnamed
        else []
    )


def _are_row_names(cells: list[str]) -> bool:
    """All different, and consecutive numbers or words."""
    if len(set(cells)) < len(cells) or "" in cells:
        return False
    if all(map(str.isdecimal, cells)):
        numbers = [int(cell) for cell in cells if len(cell) < 18]
        return numbers == list(range(numbers[0], numbers[0] + len(cells))) if numbers else False
    return sum(cell_type(cell) == "text" for cell in cells) * 10 >= 9 * len(cells)


def _fit(name: str, cells: list[str]) -> float:
    """How well the words of a name fit the type of a column, from -1 to 1; 0 if they do not say."""
    words = WORDS.findall(name.replace("_", " "))
    types = [cell_type(cell) for cell in cells]
    if any(map(DATES.fullmatch, words)):
        dates = sum(each == "date" or bool(YEAR.fullmatch(cell)) for each, cell in zip(types, cells, strict=True))
        return 2 * dates / len(cells) - 1
    if any(map(KEYS.fullmatch, words)):
        return 2 * len(set(cells)) / len(cells) - 1
    if any(map(TEXTS.fullmatch, words)):
        return 2 * types.count("text") / len(cells) - 1
    return 0.0
