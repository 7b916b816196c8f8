"""Which lines do clients of databases print around the rows of a table?

Counts of rows, prompts with commands, times, marks of the end of a file, and lines of totals.
"""

from __future__ import annotations

import re

PROMPT = re.compile(r"(SQL|mysql|sqlite|db2 =|MariaDB \[.*\])> ?.*|\w+=[#>] .*")
END = re.compile(
    r"\(?\d[\d,.]*( \d{3})* (row|record)s?(\(s\))?( selected| affected| returned| in set.*|(, | +)\d+ columns?)?\.?\)?"
    r"|only showing top \d+ rows?|(Time|Elapsed): *[\d:.,]+(?: *[a-z]+)?|EOF|\x1a+|_{3,}",
    re.IGNORECASE,
)
FIRST_ROWS = re.compile(rb"only showing top (\d+) rows?\s*$")
TOTAL = re.compile(
    r"\W*((grand |sub)?totals?|sums?|all|summe|zwischensumme|gesamt|insgesamt|ensemble|totale)\W*", re.IGNORECASE
)


def is_client_line(line: str) -> bool:
    """Whether a line is the end of a table, or a prompt with a command."""
    text = line.strip()
    return END.fullmatch(text) is not None or PROMPT.fullmatch(text) is not None


def first_rows_note(tail: bytes) -> list[str]:
    """A note if the end of a file says that only the first rows were printed."""
    match = FIRST_ROWS.search(tail)
    return [f"the table was printed with its first {match[1].decode()} rows only"] if match else []
