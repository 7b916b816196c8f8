"""Which lines inside a printed table are no rows?

Lines of dashes between pages or groups, as Oracle and SAP print them; totals that have fewer cells than the table; and
what follows the end of the table, such as the result of another query.
"""

from __future__ import annotations

from collections.abc import Sequence

from mere.readers.client_lines import TOTAL, is_client_line
from mere.readers.fixed_width import fills_columns
from mere.readers.ruled import is_rule
from mere.readers.table import Findings

RULES = "{n} {line|lines} of dashes inside the table {was|were} left out"
SUBTOTALS = "{n} {line|lines} of totals inside the table, with fewer cells than it, {was|were} left out"

FURTHER = "{n} {line|lines} after the end of the first printed table {was|were} not read: save each table as a file"


def without_inner_rules(rows: list[list[str]], ends: list[int], lines: list[str]) -> tuple[list[list[str]], list[int]]:
    """The first rows of a printed table without lines of clients and of dashes; each ends where the next row starts."""
    first = next((at for at, line in enumerate(lines) if is_rule(line)), len(lines))
    bars = lines[first - 1].count("|") if 0 < first < len(lines) else 0  # of the header
    kept = [
        at
        for at, line in enumerate(lines)
        if not (is_rule(line) or is_client_line(line)) or (at > first and 0 < bars <= line.count("|"))
    ]
    following = [*kept[1:], len(rows)]
    return [rows[at] for at in kept], [ends[at - 1] for at in following]


class RowsOfPrint:
    """Tells the rows of a printed table, up to its end: no lines of dashes, no totals that have fewer `bars`.

    A line that has these bars, or fills the columns that start at `starts`, is a row, whatever it says.
    """

    def __init__(self, bars: int, starts: Sequence[int], findings: Findings) -> None:
        self._bars = bars
        self._starts = starts
        self._below_blank = False  # clients print a blank line above the end, and no row below one
        self._findings = findings
        self._ended = False  # the client has printed the end of the table

    def __call__(self, line: bytes) -> bytes:
        """The line, or nothing."""
        return line if self._is_row(line) else b""

    def _is_row(self, line: bytes) -> bool:
        text = line.decode("utf-8", "replace")
        below_blank, self._below_blank = self._below_blank, not text.strip()
        if is_client_line(text) and (self._ended or not self._is_whole(text, below_blank)):
            self._ended = True
        elif self._ended:
            self._findings.note(FURTHER, bool(text.strip()), lost=True)
        elif is_rule(text):
            self._findings.note(RULES, lost=False)
        elif line.count(b"|") < self._bars and self._is_total(line):
            self._findings.note(SUBTOTALS, lost=False)
        else:
            return True
        return False

    def _is_whole(self, text: str, below_blank: bool) -> bool:
        if self._starts:
            return not below_blank and fills_columns(text.rstrip(), self._starts)
        return 0 < self._bars <= text.count("|")

    def _is_total(self, line: bytes) -> bool:
        first = line.strip().removeprefix(b"|").partition(b"|")[0]
        return TOTAL.fullmatch(first.decode("utf-8", "replace")) is not None
