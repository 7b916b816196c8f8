"""Is a row a header of the rows below it?

It is unless its cells look like the values below: cells of the same types, or values that occur again below.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from mere.readers.cell_types import UNIT, YEAR, Row, cell_type, filled

LOOK_ROWS = 25  # rows below the header that are compared with it
LOOK_COLUMNS = 64  # of a wide table; the others are assumed to be similar
MOST_VALUES = 0.8  # of a column, below a row that cannot be data
VALUES = ("number", "date", "code")  # what is no column name, except in a series of years or days

WORD = re.compile(r"[a-z]+")
IDENTIFIER = re.compile(r"[a-z][a-z0-9_.-]*")
DIGIT = re.compile(r"\d")  # in `A84423K`, `October 1761`
NUMERAL = re.compile(r"(?<![A-Za-z0-9])\d")  # in `October 1761`
COMMON = set(
    WORD.findall(
        "id ids name names code codes date year month day time type value region country state city county"
        " title description notes note category status number rank team player opponent result score location"
        " address price total count gender sex age url source key label iso lat lon percent"
    )
)


def is_header(first: Row, below: Sequence[Row]) -> bool:
    """Adds up the evidence of every column; without evidence, a row of words is a header."""
    types = [cell_type(cell) for cell in first[:LOOK_COLUMNS]]
    if "text" not in types:
        return (is_sequence(first, types) and _differs(first, below)) or _has_empty_corner(first, below)
    named = [cell for cell in first if cell and cell.strip()]
    score = -0.5 * (len(named) - len(set(named)))
    score += 0.5 if all(map(IDENTIFIER.fullmatch, named)) else 0.0
    series = is_sequence(first, types)
    look = [row for row in below[:LOOK_ROWS] if len(row) > 1 or len(first) == 1]
    if len(first) > 1 and first in look and look.count(first) * 3 <= len(look):
        look = [row for row in look if row != first]  # a header that is repeated on each page
    for column, each in enumerate(types):
        cells = [cell for row in look if column < len(row) and (cell := row[column]) and not cell.isspace()]
        score += evidence(first[column] or "", each, cells, series)
    return score >= 0


def evidence(name: str, each: str, cells: list[str], series: bool) -> float:
    """For (positive) or against (negative) `name`, of type `each`, being the header of a column of `cells`."""
    if each == "missing" or (series and each != "text"):
        return 0.0
    if not cells:
        return 0.0 if each == "text" else -0.3
    types = list(map(cell_type, cells))
    words, present = types.count("text"), len(cells) - types.count("missing")
    if each != "text":
        dates = types.count("date")
        return 0.0 if is_unlike(name, each, cells) or (each == "number" and dates * 2 > present) else -1.5
    if present and present - words >= 0.7 * present:
        return 1.0
    if name in cells:
        return -1.0 - 0.5 * (cells.count(name) > 1)
    return _wording(name, cells)


def is_unlike(name: str, each: str, cells: Sequence[str]) -> bool:
    """Whether a year, a date or a percentage is above a column that has none: it names the column."""
    if YEAR.fullmatch(name.strip()):
        return not any(YEAR.fullmatch(cell.strip()) for cell in cells)
    if each == "date":
        return not any(cell_type(cell) == "date" for cell in cells)
    return name.rstrip().endswith("%") and not any(cell.rstrip().endswith("%") for cell in cells)


def _wording(name: str, cells: list[str]) -> float:
    """For text above text: a usual header word, another length or another case than the values below."""
    usual = 0.5 if COMMON & set(WORD.findall(name[:80].lower())) else 0.0
    lengths = {len(cell) for cell in cells}
    even = len(cells) >= 4 and len(lengths) == 1
    if even and len(name) not in lengths:
        return usual + (1.0 if len(cells) >= 10 else 0.6)
    capitals = sum(cell[:1].isupper() for cell in cells)
    if name[:1].islower() and capitals * 10 >= 9 * len(cells):
        return usual + 0.4
    return usual + (-0.4 if even else 0.15 if len(name) <= 40 else 0.0)


def is_sequence(first: Row, types: list[str]) -> bool:
    """Whether a header is a series of years, days or numbers: 1990, 1991, 1992... or 1/22/20, 1/23/20..."""
    if types.count("date") >= 3 and types.count("number") + types.count("code") == 0:
        dates = [cell for cell, each in zip(first, types, strict=False) if each == "date"]
        return len(set(dates)) == len(dates)
    try:
        numbers = [float(cell or "") for cell, each in zip(first, types, strict=False) if each == "number"]
    except ValueError:
        return False
    steps = {round(after - before, 9) for before, after in itertools.pairwise(numbers)}
    years = all(1500 <= number <= 2200 and number == int(number) for number in numbers)
    if years and len(numbers) >= 2:
        return len(set(numbers)) == len(numbers)
    return len(numbers) >= 3 and len(steps) == 1 and 0 not in steps


def _differs(first: Row, below: Sequence[Row]) -> bool:
    """Whether the rows below a header made of values only (0, 1, 2...) are no such series themselves."""
    if len(first) < 4 or len(below) < 2:
        return False
    if cell_type(first[0]) != "missing":
        return False
    return not any(is_sequence(row, [cell_type(cell) for cell in row]) for row in below[:5])


def _has_empty_corner(first: Row, below: Sequence[Row]) -> bool:
    """Whether only the first cell of a row of years, dates, percentages or 0, 1, 2... is empty, and no row below is so.

    That is how a table of two dimensions is written: the first column names the rows, and the first row the columns.
    """
    cells = [(cell or "").strip() for cell in first[1:]]
    if not first or (first[0] or "").strip() or len(set(cells)) < max(2, len(cells)) or "" in cells:
        return False
    look = [row for row in below[:LOOK_ROWS] if len(row) > 1]
    if len(look) < 2 or not all((row[0] or "").strip() for row in look):
        return False
    if cells == [str(place) for place in range(int(cells[0] == "1"), len(cells) + int(cells[0] == "1"))]:
        return not any([(cell or "").strip() for cell in row[1:]] == cells for row in look)
    columns = [[row[place] or "" for row in look if place < len(row)] for place in range(1, len(first))]
    return all(is_unlike(cell, cell_type(cell), column) for cell, column in zip(cells, columns, strict=True))


def words_over_values(row: Row, below: Sequence[Row], unlike: re.Pattern[str] | None = None) -> tuple[int, int]:
    """How many columns of numbers or dates have a word of `row` above them, of how many such columns.

    (0, 0) if the row has a value itself: it is data, or a header that cannot be told from data. A cell in which
    `unlike` is found is not counted as a word.
    """
    if any(cell_type(cell) in VALUES for cell in row[:LOOK_COLUMNS]):
        return 0, 0
    words = typed = 0
    for column, cell in enumerate(row[:LOOK_COLUMNS]):
        if has_values([other[column] for other in below[:LOOK_ROWS] if column < len(other)]):
            typed += 1
            words += cell_type(cell) == "text" and not (unlike and unlike.search(cell or ""))
    return words, typed


def has_values(cells: Sequence[str | None], share: float = 0.9) -> bool:
    """Whether a column is one of numbers or dates: at least two, and nine of ten cells that are not missing."""
    types = list(map(cell_type, cells))
    return types.count("number") + types.count("date") >= max(2, share * (len(cells) - types.count("missing")))


def is_units(row: Row, below: Sequence[Row]) -> bool:
    """Whether all cells are units (kg, (m), %), most of them above columns of values, and no row below is like it."""
    cells = [(column, cell.strip()) for column, cell in enumerate(row[:LOOK_COLUMNS]) if cell and cell.strip()]
    if not cells or not all(UNIT.fullmatch(cell) for _, cell in cells):
        return False
    if len(cells) < len(row) and any(_is_alike(other, row) for other in below):
        return False  # headings inside the table: `,Men,,` and `,Women,,`
    over = [has_values([other[column] for other in below[:LOOK_ROWS] if column < len(other)]) for column, _ in cells]
    return sum(over) * 2 > len(over)


def _is_alike(row: Row, other: Row) -> bool:
    """Whether a row has words where another one has them, and no other cell."""
    return [cell_type(cell) for cell in row] == [cell_type(cell) for cell in other]


def lacks_label(row: Row, below: Sequence[Row]) -> bool:
    """Whether a row has words or units above half of the columns of values, no other cell, and no label, as all others.

    So are units and the lower lines of names written: `,Persons` or `,households,%`.
    """
    columns = [[other[place] if place < len(other) else None for other in below] for place in range(len(row))]
    typed = [has_values(cells[:LOOK_ROWS], MOST_VALUES) for cells in columns[:LOOK_COLUMNS]]
    words = [cell_type(cell) == "text" or UNIT.fullmatch((cell or "").strip()) is not None for cell in row]
    if any(word and not each for word, each in zip(words, typed, strict=False)) or sum(words) * 2 < max(sum(typed), 1):
        return False
    labels = (cells for cell, cells in zip(row, columns, strict=True) if not (cell or "").strip())
    return filled(row) == sum(words) and any(all(cell_type(cell) == "text" for cell in cells) for cells in labels)
