"""How many lines has a header, and what are the columns called?

The lower lines of a header have words, units or nothing above columns of numbers and dates. Its upper lines may
have cells that belong to several columns; such a cell is written once, above the first of them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from mere.readers.cell_types import UNIT, YEAR, Row, cell_type
from mere.readers.header_evidence import (
    DIGIT,
    LOOK_COLUMNS,
    LOOK_ROWS,
    NUMERAL,
    has_values,
    is_header,
    is_units,
    lacks_label,
    words_over_values,
)
from mere.readers.header_groups import divides_groups, has_repeats, is_label_line, names_labels, text_at

MOST_LINES = 12
THOUSANDS = re.compile(r"0{3}")  # a unit, as statistical offices write it
RULE = re.compile(r"\s*[-:=]+\s*")  # a cell of a line of dashes
LONG_RULE = re.compile(r"\s*[-:=]{3,}\s*")  # at least one of them is as long
JOINED_RULE = re.compile(r"\s*\+?[-:=]+(\+[-:=]+)*\+?\s*")  # a whole one
BELOW = 3  # so many rows are needed below a second line


def header_lines(body: Sequence[Row]) -> int:
    """The number of lines of the header that `body` starts with, 0 if it has none; no row of `body` is blank."""
    most = min(MOST_LINES, len(body) - BELOW + 1) if _has_values(body[len(body) // 2 :][:BELOW]) else 0
    last = 0
    for line in range(1, most if _are_labels(body[0]) else 0):
        divides = divides_groups(body[:line], body[line], body[line + 1 :])
        if not divides and (not _are_labels(body[line]) or _has_usual_years(body, line)) and not _is_keyed(body, line):
            break
        if divides or _continues(body, line) or names_labels(body[:line], body[line], body[line + 1 :]):
            last = line
    return last + 1 if last or is_header(body[0], body[1:]) else 0


def rule_below(rows: Sequence[Row]) -> int:
    """The first line of dashes that is as wide as the row of several cells above it, or one cell; -1 without one."""
    for at, (above, row) in enumerate(itertools.pairwise(rows[:LOOK_ROWS]), 1):
        cells = [cell or "" for cell in row]
        inner = cells[bool(cells and not cells[0].strip()) : len(cells) - bool(cells and not cells[-1].strip())]
        whole = len(cells) == 1 and JOINED_RULE.fullmatch(cells[0]) and len(cells[0].strip()) > 2
        even = len(row) == len(above) and all(map(RULE.fullmatch, inner)) and any(map(LONG_RULE.fullmatch, inner))
        if len(above) > 1 and (whole or even) and not (at == 1 and all(RULE.fullmatch(cell or "") for cell in above)):
            return at
    return -1


def rules_above(rows: Sequence[Row]) -> int:
    """How many lines of dashes, divided into cells, a table starts with, as one that is printed between such lines."""
    return next((at for at, row in enumerate(rows) if not _is_rule(row)), 0)


def _is_rule(row: Row) -> bool:
    cells = [cell or "" for cell in row]
    return len(cells) > 1 and all(map(RULE.fullmatch, cells)) and any(map(LONG_RULE.fullmatch, cells))


def _has_values(rows: Sequence[Row]) -> bool:
    """Whether there is a number or date at all; without one, a second line of a header cannot be told."""
    return any(cell_type(cell) in ("number", "date") for row in rows for cell in row[:LOOK_COLUMNS])


def _are_labels(row: Row) -> bool:
    """Whether a row has several cells, and only words, years and thousands."""
    return len(row) > 1 and all(
        cell_type(cell) in ("text", "missing") or YEAR.fullmatch(cell.strip()) or THOUSANDS.fullmatch(cell.strip())
        for cell in (each or "" for each in row)
    )


def _has_usual_years(body: Sequence[Row], line: int) -> bool:
    """Whether a row has a year in a column of years, so that it is a row of the table."""
    years = [place for place, cell in enumerate(body[line][:LOOK_COLUMNS]) if cell and YEAR.fullmatch(cell.strip())]
    look = body[line + 1 : line + 1 + LOOK_ROWS]
    return any(sum(bool(YEAR.fullmatch(text_at(row, place))) for row in look) * 2 > len(look) for place in years)


def _is_keyed(body: Sequence[Row], line: int) -> bool:
    """Whether a row says what it is about (`Series start`) where the rows of the table have dates or numbers."""
    keys = (row[0] for row in body[len(body) * 2 // 3 :][:LOOK_ROWS])
    return cell_type(body[line][0]) == "text" and has_values(list(keys))


def _continues(body: Sequence[Row], line: int) -> bool:
    """Whether the row `line` is one more line of a header.

    Needs strong evidence: words above two columns of values and no value in the row; or units; or, where the lines
    above leave columns without a name or have cells over several columns, that all columns of values are named now.
    """
    row, below = body[line], body[line + 1 :]
    if row in body[:line]:
        return False  # the header again
    words, typed = words_over_values(row, below)
    if words and (_completes(body[:line], row) or (words > 1 and _has_years(body[line - 1]))):
        named = ["name" * any(text_at(each, column) for each in body[: line + 1]) for column in range(len(row))]
        covered, every = words_over_values(named, below)
        if covered == every:
            return True
    if len(below) < BELOW:
        return False
    words, _ = words_over_values(row, below, DIGIT if line == 1 else NUMERAL)  # codes may be data below a single line
    return (words >= 2 and words >= 0.6 * typed) or is_units(row, below) or lacks_label(row, below)


def _completes(above: Sequence[Row], row: Row) -> bool:
    """Whether a row has names for columns without a name above, or for columns that share one."""
    blank = (not any(text_at(line, column) for line in above) for column in range(len(row)))
    return any(text_at(row, column) for column, each in enumerate(blank) if each) or _has_spans(above[-1], row)


def _has_years(row: Row) -> bool:
    return any(YEAR.fullmatch((cell or "").strip()) for cell in row)


def _has_spans(upper: Row, lower: Row) -> bool:
    """Whether a name of the upper line is followed by a blank cell, or by itself, above names of the lower line."""
    pairs = list(itertools.pairwise(range(min(len(upper), len(lower)))))
    return any(
        text_at(upper, left) and text_at(upper, right) in ("", text_at(upper, left)) and text_at(lower, right)
        for left, right in pairs
    )


def joined_names(lines: Sequence[Row], spans_known: bool = False) -> list[str]:
    """One name per column: its cells in all lines, from the top; a cell above several columns is part of each name.

    With `spans_known`, such cells are written above each of their columns, unless names of the last line occur twice.

    >>> joined_names([["", "sold", "", "kept"], ["city", "2019", "2020", ""]])
    ['city', 'sold 2019', 'sold 2020', 'kept']
    """
    width = max(map(len, lines), default=0)
    if is_label_line(lines[:-1], lines[-1] if lines else ()):
        lines = [*(["", *line[1:]] for line in lines[:-1]), lines[-1]]
    cells = [[text_at(line, column) for column in range(width)] for line in lines]
    last = [name for name in cells[-1] if name] if cells else []
    certain = spans_known and len(set(last)) == len(last)
    if len(cells) > 1 and (certain or any(map(has_repeats, cells[:-1]))):
        return [
            " ".join(name for name, _ in itertools.groupby(filter(None, column))) for column in zip(*cells, strict=True)
        ]
    starts: set[int] = set()  # where a line above starts a group: a name does not go on there
    for upper, *below in (cells[line:] for line in range(len(cells) - 1)):
        named = {column for column, name in enumerate(upper) if name}
        _spread(upper, below, starts)
        starts |= named
    return [" ".join(filter(None, column)) for column in zip(*cells, strict=True)]


def _spread(upper: list[str], lower: Sequence[list[str]], starts: set[int]) -> None:
    """Repeats a name to the right, over columns that have a name below, as it has itself.

    At `starts`, where a line above starts a group, it goes on only if names of this line do so inside a group, too, and
    there is more than a unit below.
    """
    below = [any(line[column] for line in lower) for column in range(len(upper))]
    blank = [column for column in range(1, len(upper)) if not upper[column] and below[column] and below[column - 1]]
    inside = any(upper[column - 1] and column not in starts for column in blank)
    names = lower[:-1] if all(UNIT.fullmatch(cell) for cell in lower[-1] if cell) else lower
    for column in blank:
        if column not in starts or (inside and any(line[column] for line in names)):
            upper[column] = upper[column - 1]
