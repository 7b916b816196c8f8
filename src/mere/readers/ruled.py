"""Does a line of dashes below the header show where the columns of a printed table are?

Clients of databases print such tables: psql (`----+----`), mysql and Spark (`+----+----+`), sqlcmd and Oracle
(`---- ----`), and so does reStructuredText (`==== ====`). Where the dashes are joined by `+`, or the header is between
bars (SAP), the cells are divided by `|`; where they are divided by blanks, a column starts with each run of dashes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from mere.readers.client_lines import is_client_line

LOOK_LINES = 12  # in which the line of dashes is looked for
LOOK_ROWS = 20  # below it that must fit
MOST = 0.9  # of them
RULE = re.compile(r"\s*\+?[-=]+(?:(?:\+| +)[-=]+)*\+?\s*")
DASHES = re.compile(r"[-=]+")
FRAMED = re.compile(r"\s*\|.*\|\s*")
CUT = re.compile(r"\S\S")  # around the place where a column starts
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
        starts = [match.start() for match in DASHES.finditer(lines[at])]
        framed = FRAMED.fullmatch(lines[at - 1]) is not None
        if is_rule(lines[at]) and (len(starts) > 1 or framed) and not is_rule(lines[at - 1]):
            rows = [line for line in lines[at + 1 :] if not (is_rule(line) or is_client_line(line))]
            rule = Rule(framed or "+" in lines[at], starts)
            if _is_fitting(rule, lines[at - 1], rows):
                return rule
    return None


def _is_fitting(rule: Rule, header: str, rows: Sequence[str]) -> bool:
    """Whether the header and nearly all rows have a bar, or a blank, between any two columns."""
    if rows and not _fits(rows[-1], rule):
        rows = rows[:-1]  # a note
    return bool(rows) and _fits(header, rule) and sum(_fits(row, rule) for row in rows) >= MOST * len(rows)


def _fits(line: str, rule: Rule) -> bool:
    """Whether a line has enough bars, or is not cut inside a word where columns start."""
    if rule.bars:
        return line.count("|") >= len(rule.starts) - 1
    return not any(CUT.fullmatch(line[at - 1 : at + 1]) for at in rule.starts[1:])
