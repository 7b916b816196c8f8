"""Which of the first rows are a preamble, a header, and the body of a table?

Title lines, `key: value` lines, blank lines and comments above the table are preamble. What makes a row a header is
in `header_evidence`; how several lines become one is in `header_lines`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mere.readers.cell_types import Row, is_blank, used
from mere.readers.column_numbers import is_above_header, numbers_at
from mere.readers.header_lines import MOST_LINES, header_lines, joined_names, rule_below, rules_above
from mere.readers.header_notes import header_notes
from mere.readers.preambles import first_data, left_out, left_out_note, line_above, line_above_note, mark_of
from mere.readers.row_names import has_row_names, short_header_note
from mere.readers.table_start import LAYOUT_ROWS, table_start

MANY_COMMENTS = 20
LEFT_OUT = "the line of {} {} the header was left out"
RULE_NOTE = LEFT_OUT.format("dashes", "below")


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
    below: int = 0  # lines below the header that are left out: dashes, the numbers of the columns
    above: str = ""  # a line directly above the table that may name its columns
    remarks: tuple[str, ...] = ()  # what else was left out of the header, or guessed

    @property
    def body(self) -> int:
        return self.preamble + self.header_rows + self.below

    @property
    def notes(self) -> list[str]:
        """What was left out or guessed."""
        above = line_above_note(self.above, self.header_rows)
        short = short_header_note(self.row_names, self.unnamed)
        return [*left_out_note(self.left_out), *above, *short, *self.remarks]


def find_layout(rows: Sequence[Row], delimited: bool = True) -> Layout:
    """The layout of a table, from its first rows; if they are not `delimited`, titles are split at blanks as well."""
    skipped = _many_comments(rows) or rules_above(rows)
    if skipped:
        layout = find_layout(rows[skipped:], delimited)
        return replace(layout, preamble=layout.preamble + skipped)
    at = rule_below(rows)
    ruled = _unnumbered(_without(rows, at), delimited) if at >= 0 else None
    if ruled and ruled.header_rows and ruled.preamble + ruled.header_rows <= at <= ruled.body:
        return _left_out(ruled, "dashes", "below")
    return _unnumbered(rows, delimited)


def _unnumbered(rows: Sequence[Row], delimited: bool) -> Layout:
    """The layout, without a line of the numbers of the columns directly below or above a header that names them all."""
    at = numbers_at(rows)
    layout = _layout(_without(rows, at), delimited) if at >= 0 else None
    if layout and layout.header_rows and layout.body == at and all(layout.names):
        return _left_out(layout, "column numbers", "below")
    if layout and layout.header_rows and layout.preamble == at and is_above_header(rows, at):
        return _left_out(layout, "column numbers", "above")
    return _layout(rows, delimited)


def _without(rows: Sequence[Row], at: int) -> list[Row]:
    return [*rows[:at], *rows[at + 1 :]]


def _left_out(layout: Layout, content: str, where: str) -> Layout:
    """The layout with one more line, which is left out, below or above the header."""
    remarks = (*layout.remarks, LEFT_OUT.format(content, where))
    above = where == "above"
    return replace(layout, preamble=layout.preamble + above, below=layout.below + (not above), remarks=remarks)


def _layout(rows: Sequence[Row], delimited: bool) -> Layout:
    lead = table_start(rows)
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
    unnamed, remarks = width - len(names) if header else 0, header_notes(body[:header], body[header:])
    return Layout(lead, header, names, width, shifted, several, unnamed, above=above, remarks=remarks)


def _many_comments(rows: Sequence[Row]) -> int:
    """Rows at the top to skip at once: of many comments, all but the last ones, which may be a header."""
    other = next((place for place, row in enumerate(rows) if not mark_of(row) and not is_blank(row)), 0)
    return max(0, other - MOST_LINES) if other > MANY_COMMENTS else 0


def _up_to_blank(rows: Sequence[Row], lead: int, lines: int) -> int:
    """The lines of the header without a blank row between them."""
    return next((line for line in range(lines) if is_blank(rows[lead + line])), lines)


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
