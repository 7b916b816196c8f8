"""Does a line of dashes below the header show where the columns of a printed table are?

Clients of databases print such tables: psql (`----+----`), mysql and Spark (`+----+----+`), sqlcmd and Oracle
(`---- ----`), and so does reStructuredText (`==== ====`). Where the dashes are joined by `+`, the cells are divided by
`|`; where they are divided by blanks, each run of dashes is as wide as its column.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

LOOK_LINES = 12  # in which the line of dashes is looked for
LOOK_ROWS = 20  # below it that must fit
MOST = 0.9  # of them: a note may follow
RULE = re.compile(r"\s*\+?[-=]+(?:(?:\+| +)[-=]+)*\+?\s*")
DASHES = re.compile(r"[-=]+")
LONGEST_RUN = 3  # dashes: fewer in all columns may be missing values


class Rule(NamedTuple):
    """Cells are divided by `|`, or, without bars, start at given positions."""

    bars: bool
    starts: list[int]


def is_rule(line: str) -> bool:
    """Whether a line is made of dashes, with `+` or blanks between them."""
    return RULE.fullmatch(line) is not None and any(len(run) >= LONGEST_RUN for run in DASHES.findall(line))


def find_rule(text: str) -> Rule | None:
    """What the first line of dashes below a line of words shows, if the rows below fit it."""
    if "-" * LONGEST_RUN not in text and "=" * LONGEST_RUN not in text:
        return None  # nearly always: no line of dashes
    lines = [line.rstrip() for line in text.splitlines()[: LOOK_LINES + LOOK_ROWS] if line.strip()]
    for at in range(1, min(len(lines), LOOK_LINES)):
        runs = [match.span() for match in DASHES.finditer(lines[at])]
        if is_rule(lines[at]) and len(runs) > 1 and not is_rule(lines[at - 1]):
            rows = [line for line in lines[at + 1 :] if not is_rule(line)]
            return _fitting(lines[at], runs, lines[at - 1], rows)
    return None


def _fitting(rule: str, runs: list[tuple[int, int]], header: str, rows: Sequence[str]) -> Rule | None:
    """The rule if the header and nearly all rows have a bar, or a blank, between any two runs of dashes."""
    bars = "+" in rule
    gaps = [end for _, end in runs[:-1]]
    if not rows or not _has_gaps(header, gaps, bars):
        return None
    fitting = sum(_has_gaps(row, gaps, bars) for row in rows)
    # A client prints the number of rows, after a blank line or not, below the last one.
    return Rule(bars, [start for start, _ in runs]) if fitting >= min(MOST * len(rows), len(rows) - 1) else None


def _has_gaps(line: str, gaps: Sequence[int], bars: bool) -> bool:
    if bars:
        return line.count("|") >= len(gaps)
    return all(line[at : at + 1] in ("", " ") for at in gaps)
