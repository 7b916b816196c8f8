"""Which of the first rows are a preamble, a header, and the body of a table?

Title lines, `key: value` lines, blank lines and comments above the table are preamble. What makes a row a header is
in `header_evidence`; how several lines become one is in `header_lines`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from mere.readers.cell_types import YEAR, Row, cell_type, filled, is_blank, used
from mere.readers.header_evidence import is_header, words_over_values
from mere.readers.header_lines import MOST_LINES, header_lines, joined_names, rule_below, rules_above
from mere.readers.preambles import first_data, is_phrase, left_out, left_out_note, line_above, line_above_note, mark_of
from mere.readers.row_names import has_row_names, short_header_note

LAYOUT_ROWS = 100
PREAMBLE_ROWS = 40
MANY_COMMENTS = 20
RULE_NOTE = "the line of dashes below the header was left out"
DIGIT, LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class Layout:
    """What the first rows are: `preamble` rows to skip, then `header_rows`, then the body."""

    preamble: int
    header_rows: int
    names: list[str]
    width: int
    row_names: bool = False  # the header has no name for the first column, as R writes it
    left_out: int = 0  # rows of the preamble that have several cells
    unnamed: int = 0  # columns that the header is too short for
    rule: int = 0  # 1 if a line of dashes is below the header
    above: str = ""  # a line directly above the table that may name its columns

    @property
    def body(self) -> int:
        return self.preamble + self.header_rows + self.rule

    @property
    def notes(self) -> list[str]:
        """What was left out or guessed."""
        rule = [RULE_NOTE] if self.rule else []
        above = line_above_note(self.above, self.header_rows)
        return [*left_out_note(self.left_out), *above, *short_header_note(self.row_names, self.unnamed), *rule]


def find_layout(rows: Sequence[Row], delimited: bool = True) -> Layout:
    """The layout of a table, from its first rows; if they are not `delimited`, titles are split at blanks as well."""
    skipped = _many_comments(rows) or rules_above(rows)
    if skipped:
        layout = find_layout(rows[skipped:], delimited)
        return replace(layout, preamble=layout.preamble + skipped)
    at = rule_below(rows)
    if at < 0:
        return _layout(rows, delimited)
    layout = _layout([*rows[:at], *rows[at + 1 :]], delimited)
    return replace(layout, rule=1) if layout.body == at and layout.header_rows else _layout(rows, delimited)


def _layout(rows: Sequence[Row], delimited: bool) -> Layout:
    lead = _table_start(rows)
    if delimited and lead < len(rows):
        lead = first_data(rows, lead)
    if lead >= len(rows):
        return Layout(len(rows), 0, [], 0)
    body = [row for row in rows[lead : lead + LAYOUT_ROWS] if not is_blank(row)]
    lines = header_lines(body)
    header = _up_to_blank(rows, lead, lines)
    names = joined_names(_uncommented(body[:header], rows[lead - 1] if lead else (), body[header:]))
    width = _width([row for row in rows[lead + header :] if row], len(names))
    shifted = bool(header) and has_row_names(names, body[header:])
    names = ["row_name", *names] if shifted else names
    width = max(width, len(names))
    several = left_out(rows[:lead]) if delimited else 0
    above = line_above(rows, lead, header)
    return Layout(lead, header, names, width, shifted, several, width - len(names) if header else 0, above=above)


def _many_comments(rows: Sequence[Row]) -> int:
    """Rows at the top to skip at once: of many comments, all but the last ones, which may be a header."""
    other = next((place for place, row in enumerate(rows) if not mark_of(row) and not is_blank(row)), 0)
    return max(0, other - MOST_LINES) if other > MANY_COMMENTS else 0


def _up_to_blank(rows: Sequence[Row], lead: int, lines: int) -> int:
    """The lines of the header without a blank row between them."""
    return next((line for line in range(lines) if is_blank(rows[lead + line])), lines)


def _table_start(rows: Sequence[Row]) -> int:
    """The first row that is filled about as well as the rows after it."""
    counts = [filled(row) for row in rows[:LAYOUT_ROWS]]
    nonblank = [count for count in counts if count]
    if not nonblank:
        return len(rows)
    typical = median(nonblank[len(nonblank) // 3 :])
    need = 1 if typical < 2 else max(2, 0.34 * typical)
    for index, (row, count) in enumerate(zip(rows[:PREAMBLE_ROWS], counts, strict=False)):
        if count >= need and not _is_comment(rows, index, row) and not _is_split_title(rows, index):
            return _with_upper_lines(rows, _after_narrow_rows(rows, counts, index, typical))
    return next(index for index, count in enumerate(counts) if count)


def _after_narrow_rows(rows: Sequence[Row], counts: list[int], start: int, typical: float) -> int:
    """Skips titles and `key, value` lines that have several cells, but fewer than the table: a header must follow."""
    if typical < 3:
        return start
    following = [row for row, count in zip(rows[start:LAYOUT_ROWS], counts[start:], strict=False) if count]
    usual = max(Counter(map(len, following)).items(), key=lambda item: (item[1], item[0]))[0]
    full = range(start, min(len(counts), start + PREAMBLE_ROWS))
    first = next((index for index in full if len(rows[index]) >= usual and counts[index] >= 0.6 * typical), start)
    if first == start or _is_comment(rows, first, rows[first]):
        return start
    below = [row for row in rows[first + 1 : LAYOUT_ROWS] if not is_blank(row)]
    narrow = all(len(row) < usual for row in rows[start:first])
    if not is_header(rows[first], below) or not (narrow or words_over_values(rows[first], below)[0]):
        return first - 1 if narrow and first - 1 > start and is_header(rows[first - 1], rows[first:]) else start
    return first


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
    first = _shape(row[0])
    return len(first) > 1 and sum(bool(other) and _shape(other[0]) == first for other in below[:LAYOUT_ROWS]) > 1


def _shape(cell: str | None) -> str:
    """A cell with all digits and all letters made equal; an empty string for one without digits."""
    text = DIGIT.sub("9", (cell or "").strip())
    return LETTER.sub("a", text) if "9" in text else ""


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


def _uncommented(header: Sequence[Row], above: Row, below: Sequence[Row]) -> Sequence[Row]:
    """Removes the comment mark of a header: it is one if it is a cell too many, or if comments are above, or if it is a
    `#` right before a word: `#id` is a commented header, `# of people` and `#` are names."""
    mark = mark_of(header[0]) if header else ""
    if not mark or not below:
        return header
    first, *others = header[0]
    if (first or "").strip() == mark and len(others) == len(below[0]):
        return [others, *header[1:]]
    name = (first or "").strip().removeprefix(mark)
    attached = mark == "#" and name[:1].isalpha() and bool(others)
    if not attached and mark_of(above)[:1] != mark[0]:
        return header
    return [[name.strip() or first, *others], *header[1:]]


def _width(body: Sequence[Row], names: int) -> int:
    """Wide enough for the header and for all but one row in a hundred; empty trailing cells do not count."""
    widths = sorted(map(used, body))
    common = widths[min(len(widths) - 1, int(len(widths) * 0.99))] if widths else 1
    usual = Counter(map(len, body)).most_common(1)[0][0] if widths and not names else 0
    return max(names, common, usual, 1)
