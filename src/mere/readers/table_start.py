"""With which row does a table start, after titles, pairs and comments?

It is the first row that is filled about as well as the rows after it, or one above that is no preamble.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median

from mere.readers.cell_types import YEAR, Row, cell_type, filled, is_blank, used
from mere.readers.header_evidence import VALUES, is_header, words_over_values
from mere.readers.header_groups import text_at
from mere.readers.header_lines import header_lines
from mere.readers.preambles import MOST_PAIRS, below_units, is_phrase, is_unlike_rows, mark_of, shape_of

LAYOUT_ROWS = 100
PREAMBLE_ROWS = 40
MOST_WIDE = 3  # lines about the file that are wider than the table


def table_start(rows: Sequence[Row]) -> int:
    """The first row that is filled about as well as the rows after it."""
    counts = [filled(row) for row in rows[:LAYOUT_ROWS]]
    nonblank = [count for count in counts if count]
    if not nonblank:
        return len(rows)
    typical = median(nonblank[len(nonblank) // 3 :])
    need = 1 if typical < 2 else max(2, 0.34 * typical)
    for index, (row, count) in enumerate(zip(rows[:PREAMBLE_ROWS], counts, strict=False)):
        if count >= need and not _is_comment(rows, index, row) and not _is_split_title(rows, index):
            start = _after_narrow_rows(rows, counts, index, typical)
            return _with_upper_lines(rows, start if start > index else _after_other_rows(rows, index))
    return next(index for index, count in enumerate(counts) if count)


def _after_narrow_rows(rows: Sequence[Row], counts: list[int], start: int, typical: float) -> int:
    """Skips titles and `key, value` lines that have several cells, but fewer than the table: a header must follow.

    Empty cells at the end of a row do not count: a spreadsheet pads each row to the width of the table.
    """
    if typical < 3:
        return start
    following = [row for row, count in zip(rows[start:LAYOUT_ROWS], counts[start:], strict=False) if count]
    if counts[start] >= max(map(len, following)):
        return start  # nearly always: the header is as wide as the table
    usual = _usual(following)
    full = range(start, min(len(counts), start + PREAMBLE_ROWS))
    first = next((index for index in full if used(rows[index]) >= usual and counts[index] >= 0.6 * typical), start)
    if first == start or _is_comment(rows, first, rows[first]):
        return start
    below = [row for row in rows[first + 1 : LAYOUT_ROWS] if not is_blank(row)]
    narrow = all(len(row) < usual for row in rows[start:first])
    if not is_header(rows[first], below) or not (narrow or words_over_values(rows[first], below)[0]):
        return first - 1 if narrow and first - 1 > start and is_header(rows[first - 1], rows[first:]) else start
    return first


def _usual(rows: Sequence[Row]) -> int:
    """The most frequent number of cells, the larger one of two."""
    return max(Counter(map(used, rows)).items(), key=lambda item: (item[1], item[0]))[0]


def _after_other_rows(rows: Sequence[Row], start: int) -> int:
    """Skips lines about the file: wider than all rows of the table, or with values of other types than its columns.

    A header without doubt must follow: a name for each column of numbers or dates.
    """
    wide = _after_wide_rows(rows, start)
    if wide > start or cell_type(rows[start][0]) != "text" or not _has_values(rows[start]):
        return wide
    for at in range(start + 1, min(len(rows), start + MOST_PAIRS)):
        body = below_units(rows[at + 1 :])
        words, typed = words_over_values(rows[at], body)
        if 1 < words == typed and filled(rows[at]) == len(rows[at]):
            above = [row for row in rows[start:at] if not is_blank(row)]
            return at if all(is_unlike_rows(row, body) for row in above) else start
    return start


def _after_wide_rows(rows: Sequence[Row], start: int) -> int:
    width, rest = used(rows[start]), rows[start + MOST_WIDE : start + LAYOUT_ROWS]
    if any(used(row) >= width for row in rest) or all(map(is_blank, rest)):
        return start
    usual = _usual([row for row in rest if not is_blank(row)])
    below = next(at for at in range(start, len(rows)) if 0 < used(rows[at]) <= usual)
    if _has_values(rows[below]):
        return start
    first = below + table_start(rows[below:])
    table = [row for row in rows[first : first + LAYOUT_ROWS] if not is_blank(row)]
    lines = header_lines(table) if 1 < max(map(used, table)) == usual else 0
    names = ["name" * any(text_at(line, place) for line in table[:lines]) for place in range(usual)]
    words, typed = words_over_values(names, table[lines:])
    return first if words and words == typed else start


def _has_values(row: Row) -> bool:
    return any(cell_type(cell) in VALUES for cell in row)


def _with_upper_lines(rows: Sequence[Row], start: int) -> int:
    """Includes rows above that have few filled cells but are no preamble: upper lines of the header, a header with
    few names, and rows of the body."""
    while start and _is_upper_line(rows[start - 1], rows[start]):
        start -= 1
    while start and len(rows[start - 1]) == len(rows[start]) > 1 and _belongs(rows[start - 1], rows[start:]):
        start -= 1
    return start


def _belongs(row: Row, below: Sequence[Row]) -> bool:
    """Whether a row of few cells is the header of the rows below, or one of them, and not a title."""
    if filled(row) + 1 == len(row) and is_header(row, below):
        single = all(len((cell or "").split()) <= 1 for cell in row)
        return not (row[0] or "").strip() or (single and not is_header(below[0], below[1:]))
    first = shape_of(row[0])
    return len(first) > 1 and sum(bool(other) and shape_of(other[0]) == first for other in below[:LAYOUT_ROWS]) > 1


def _is_upper_line(row: Row, lower: Row) -> bool:
    """Whether a row of few names is the upper line of a header and not a title, which would be in the first column."""
    names = [cell for cell in row if cell and cell.strip()]
    if len(row) < 3 or not names or mark_of(lower) or ((row[0] or "").strip() and not _is_left_open(names, lower)):
        return False
    short = len(names) > 1 or len(names[0].split()) <= 3
    return short and all(cell_type(name) == "text" or YEAR.fullmatch(name.strip()) for name in names)


def _is_left_open(names: Sequence[str], lower: Row) -> bool:
    """Whether a line of several names has one above the first column because the line below has none there."""
    return len(names) > 1 and bool(lower) and not (lower[0] or "").strip()


def _is_split_title(rows: Sequence[Row], index: int) -> bool:
    """Whether a row is a title with a comma: a blank follows the comma, as nowhere below, and a header is next."""
    if not any(map(is_phrase, rows[index][1:])):
        return False
    below = [other for other in rows[index + 1 : LAYOUT_ROWS] if not is_blank(other)]
    if len(below) < 2 or any(any(map(is_phrase, other[1:])) for other in below):
        return False
    return all(cell and len(cell.split()) == 1 for cell in below[0]) and is_header(below[0], below[1:])


def _is_comment(rows: Sequence[Row], index: int, row: Row) -> bool:
    """A line that starts with `#`, `%`, `//` or `--` is a comment unless it is as wide as the table: then it is a
    commented header."""
    mark = mark_of(row)
    if not mark:
        return False
    following = [other for other in rows[index + 1 : index + 30] if not is_blank(other)]
    others = [other for other in following if not (other[0] or "").lstrip().startswith(mark)]
    if not others:
        return False
    usual = Counter(map(len, others)).most_common(1)[0][0]
    if len(others) > 1 and is_header(others[0], others[1:]) and len(others[0]) > 1:
        return True  # the table has a header without a mark
    alone = (row[0] or "").strip() == mark and len(row) == usual + 1
    return (len(row) != usual and not alone) or (len(row) == 1 and len(others) < len(following))
