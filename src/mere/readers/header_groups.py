"""Is a row of years, dates or numbers the lower line of a header whose upper line names groups of columns?

    Region,Sales,,Costs,
    ,2022,2023,2022,2023
    Leeds,1,2,3,4

A cell of the upper line that is followed by blank ones, or by itself, is the name of a group. The row below divides the
groups if it has a cell for each of their columns, and these are not like the values below: years of equal steps or the
same in each group above columns without years, dates above columns without dates, words above values; or any cells that
are the same in each group, where the row alone has no label. A row with a label below the name of the labels is data.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from mere.readers.cell_types import YEAR, Row, cell_type, is_blank
from mere.readers.header_evidence import LOOK_COLUMNS, LOOK_ROWS, has_values, is_unlike

LARGEST_STEP = 10  # years between two columns

Places = list[int]


def divides_groups(above: Sequence[Row], row: Row, below: Sequence[Row]) -> bool:
    """Whether `row` names the columns of the groups that the last one of the lines `above` names."""
    upper = above[-1]
    if all(upper) and not has_repeats(upper):
        return False  # nearly always: each column has a name of its own
    groups = _groups(upper[:LOOK_COLUMNS], row)
    if not any(len(group) > 1 for group in groups):
        return False
    inside = {place for group in groups for place in group}
    outside = [place for place in range(min(len(upper), len(row))) if place not in inside]
    if any(text_at(row, place) and text_at(line, place) for place in outside for line in above):
        return False
    parts = [[text_at(row, place) for place in group] for group in groups]
    if any(cell_type(row[place]) not in ("text", "missing") for place in outside) or not all(map(_differ, parts)):
        return False
    look = below[:LOOK_ROWS]
    repeated = _are_repeated(parts)
    if all(_is_name(row[place], _column(look, place)) for place in inside):
        return repeated or _are_even(parts)
    single = [group[0] for group in groups if len(group) == 1]
    return repeated and not single and any(_is_blank_label(row, look, place) for place in outside)


def text_at(row: Row, column: int) -> str:
    """The cell of a column, with single blanks; an empty string if there is none."""
    return " ".join((row[column] or "").split()) if column < len(row) else ""


def has_repeats(line: Row) -> bool:
    """Whether a name is written above each of its columns, so that none has to be repeated."""
    return any(left and left == right for left, right in itertools.pairwise(line))


def names_labels(above: Sequence[Row], row: Row, below: Sequence[Row]) -> bool:
    """Whether `row` names the columns of labels only, below lines that name all others, and no row below is like it."""
    if not is_label_line(above, row):
        return False
    others = _unnamed(row, max(map(len, above)))
    return not any(is_blank([other[place] for place in others if place < len(other)]) for other in below[:LOOK_ROWS])


def is_label_line(above: Sequence[Row], row: Row) -> bool:
    """Whether the last line of a header has names for the first columns only, as pandas writes the names of an index.

        Year,,2022,2022
        Sex,,M,F
        Region,Code,,

    The lines above name all other columns, write a name above each of its columns, as nobody does by hand, and say in
    the first column what they are. Without such names, the row may be a heading inside the table.
    """
    if len(above) < 2:
        return False
    width = max(map(len, above))
    others = _unnamed(row, width)
    labels = width - len(others)
    if not others or others[0] != labels or not labels:
        return False
    if any(cell_type(row[place]) != "text" for place in range(labels)):
        return False
    names = [[text_at(line, place) for place in range(width)] for line in above]
    complete = all(all(line[labels:]) and not any(line[1:labels]) for line in names)
    return complete and any(has_repeats(line[labels:]) for line in names)


def _unnamed(row: Row, width: int) -> Places:
    return [place for place in range(width) if not text_at(row, place)]


def _groups(upper: Row, row: Row) -> list[Places]:
    """The columns of each group: below a name, and on its right below blank cells, or below the same name."""
    groups: list[Places] = []
    for place in range(min(len(upper), len(row))):
        name = text_at(upper, place)
        last = groups[-1] if groups else []
        if last and place == last[-1] + 1 and name in ("", text_at(upper, last[0])) and text_at(row, place):
            last.append(place)
        elif name and text_at(row, place):
            groups.append([place])
    return groups


def _differ(cells: Sequence[str]) -> bool:
    return len(set(cells)) == len(cells)


def _are_repeated(parts: Sequence[Sequence[str]]) -> bool:
    """Whether there are several groups, of several columns, with the same cells."""
    large = [part for part in parts if len(part) > 1]
    return len(large) > 1 and all(part == large[0] for part in large)


def _are_even(parts: Sequence[Sequence[str]]) -> bool:
    """Whether all cells have digits, and the years of each group, if it has several, are the same few years apart."""
    if not all(any(map(str.isdigit, cell)) for part in parts for cell in part):
        return False
    years = [[int(cell) for cell in part if YEAR.fullmatch(cell)] for part in parts]
    steps = {after - before for part in years for before, after in itertools.pairwise(part)}
    return not steps or (len(steps) == 1 and 0 < abs(next(iter(steps))) <= LARGEST_STEP)


def _is_name(cell: str | None, cells: Sequence[str]) -> bool:
    """Whether a cell is unlike the values of its column: words above values, or a year, date or percentage."""
    kind = cell_type(cell)
    return has_values(cells) if kind == "text" else kind != "missing" and is_unlike(cell or "", kind, cells)


def _is_blank_label(row: Row, below: Sequence[Row], place: int) -> bool:
    """Whether a row alone has no cell in a column."""
    return not text_at(row, place) and all(text_at(other, place) for other in below)


def _column(rows: Sequence[Row], place: int) -> list[str]:
    return [row[place] or "" for row in rows if place < len(row)]
