"""What is uncertain about a table that was detected? Told with the table as notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mere.readers.cell_types import cell_type
from mere.readers.dialects import DELIMITERS, Dialect, lines_of

LINES = 100
ALIKE = 0.8  # of the lines have the same structure
MARKS = "=/#&@~^*<>|;:,_-\\!$%"
BETWEEN = "=/#&~^<>|;:,"  # of which one is enough: two fields; a hyphen may be part of a word
LISTED = ",;|="  # of which a line may have several: an address with or without a floor
NEARLY_ALL = 0.9  # of the lines have one
LONGEST = 80  # characters of a line, on average; longer ones are sentences
SINGLE = "read as a single column although its lines look structured: {}; give it a delimiter if it has several columns"
SEVERAL = (
    "the last rows have {} cells and the first ones {}: there may be several tables in the file; "
    "only its first {:,} bytes were searched for them"
)

ESCAPED = "a backslash before a delimiter was read as an escape: all rows have the same width then, and not otherwise"
UNCLOSED = "a quote that opens a cell is not closed: quotes were read as part of the cells"


def quoting_notes(rows: Sequence[Sequence[str]], dialect: Dialect) -> list[str]:
    """Notes about delimiters that are escaped without quotes, and about quotes that are not closed."""
    escaped = [ESCAPED] if dialect.escape == DELIMITERS else []
    opened = (cell for row in rows for cell in row if cell[:1] == '"') if not dialect.quote else ()
    return [*escaped, *([UNCLOSED] if any('"' not in cell[1:] for cell in opened) else [])]


def single_column_notes(rows: Sequence[Sequence[str]]) -> list[str]:
    """A note if the rows of one cell have the same punctuation, lists, or words and numbers in the same order."""
    lines = [row[0] for row in rows[:LINES] if row and row[0].strip()][1:]
    values = sum(cell_type(line) != "text" for line in lines)
    if len(lines) < 4 or values * 2 > len(lines):
        return []
    for mark in MARKS:
        count, alike = Counter(line.count(mark) for line in lines).most_common(1)[0]
        if count >= (1 if mark in BETWEEN else 2) and alike >= ALIKE * len(lines):
            return [SINGLE.format(f"{count} '{mark}' in each")]
    shapes = Counter(tuple(map(cell_type, line.split()[:20])) for line in lines)
    shape, alike = shapes.most_common(1)[0]
    if len(shape) >= 3 and len(set(shape)) > 1 and alike >= ALIKE * len(lines):
        return [SINGLE.format(f"{len(shape)} words and numbers in each")]
    short = sum(map(len, lines)) <= LONGEST * len(lines)
    listed = next((mark for mark in LISTED if sum(mark in line for line in lines) >= NEARLY_ALL * len(lines)), "")
    return [SINGLE.format(f"'{listed}' in nearly each")] if listed and short else []


def tail_notes(tail: str, dialect: Dialect, width: int, searched: int) -> list[str]:
    """A note if the last rows of a file that was not searched to its end have another width than the first ones."""
    rows = list(dialect.rows(lines_of(tail)))[1:]
    widths = Counter(len(row) for row in rows if len(row) > 1)
    if sum(widths.values()) < 5:
        return []
    usual, alike = widths.most_common(1)[0]
    if usual == width or alike < 0.9 * sum(widths.values()):
        return []
    return [SEVERAL.format(usual, width, searched)]
