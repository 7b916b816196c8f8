"""Are rows above a table really titles and notes, or rows of data?

A row of several cells is data unless it is a comment, a title with commas, one of a few `key, value` pairs (a word and
what it says), or a single row about the file. Data are kept as rows of the table; what is left out is told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mere.readers.cell_types import Row, cell_type, filled, used
from mere.readers.header_evidence import LOOK_ROWS, VALUES, is_header, is_units, words_over_values

MOST_PAIRS = 15  # rows of several cells above a table; more are data
LONGEST_SHOWN = 60  # characters of a line in a note
DIGIT, LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")
COMMENT = re.compile(r"\s*(#+|%+|//+|--+(?=\s|\w))\s*")


def mark_of(row: Row) -> str:
    """The comment mark that a row starts with, or an empty string."""
    match = COMMENT.match(row[0] or "") if row else None
    return match[1] if match else ""


def is_phrase(cell: str | None) -> bool:
    """Whether a cell follows a comma and a blank, as in a sentence."""
    return cell is not None and cell[:1] == " " and cell.strip() != ""


def shape_of(cell: str | None) -> str:
    """A cell with all digits and all letters made equal; an empty string for one without digits."""
    text = DIGIT.sub("9", (cell or "").strip())
    return LETTER.sub("a", text) if "9" in text else ""


def is_unlike_rows(row: Row, table: Sequence[Row]) -> bool:
    """Whether a row starts with a word, and has a cell of a type that its column never has, as lines about a file do.

    A row of years or dates below its first name is a line of a header.
    """
    shapes = {shape_of(cell) for cell in row[1:] if cell}
    if not row or cell_type(row[0]) != "text" or (filled(row) > 2 and len(shapes) == 1):
        return False
    kinds = enumerate(map(cell_type, row))
    return any(kind not in {"missing", *_types(table[:LOOK_ROWS], column)} for column, kind in kinds)


def below_units(rows: Sequence[Row]) -> Sequence[Row]:
    """The rows below a line of names, without a line of units above them."""
    return rows[1:] if len(rows) > 1 and is_units(rows[0], rows[1:]) else rows


def _types(rows: Sequence[Row], column: int) -> set[str]:
    return {cell_type(row[column]) for row in rows if column < len(row)}


def first_data(rows: Sequence[Row], start: int) -> int:
    """The first row of data: `start`, or a row above it that is neither title nor pair."""
    several = [place for place in range(start) if filled(rows[place]) > 1 and not mark_of(rows[place])]
    spaced = any(is_phrase(cell) for row in rows[start : start + 5] for cell in row[1:])
    others = [rows[at] for at in several if not _is_pair(rows[at]) and not _is_title(rows[at], spaced)]
    if len(several) <= MOST_PAIRS and (not others or _are_about_file(others, rows[start:])):
        return start
    return start if len(several) == 1 and _is_above_header(others[0], rows[start:]) else several[0]


def _are_about_file(rows: Sequence[Row], table: Sequence[Row]) -> bool:
    """Whether rows are wider than all rows of the table, or are unlike these below a header without doubt."""
    if min(map(used, rows)) > max(map(used, table)):
        return True
    body = below_units(table[1:])
    words, typed = words_over_values(table[0], body)
    return 0 < words == typed and all(is_unlike_rows(row, body) for row in rows)


def _is_above_header(row: Row, table: Sequence[Row]) -> bool:
    """Whether a row with values, and thus no header, is above a header that is twice as wide."""
    values = any(cell_type(cell) in VALUES for cell in row)
    return values and filled(table[0]) >= 2 * filled(row) and is_header(table[0], table[1:])


def left_out(preamble: Sequence[Row]) -> int:
    """How many rows of a preamble have several cells and are no comments."""
    return sum(filled(row) > 1 and not mark_of(row) for row in preamble)


def left_out_note(count: int) -> list[str]:
    """What to tell about rows of several cells above a table."""
    lines = "1 line above the table was" if count == 1 else f"{count} lines above the table were"
    return [f"{lines} left out"] if count else []


def line_above(rows: Sequence[Row], lead: int, header: int) -> str:
    """The line directly above a table that starts at `lead`, if it may name its columns; else an empty string.

    It may if no header was found, or one of words above words, which can be a row, below a line of one word.
    """
    line = " ".join(filter(None, rows[lead - 1])).strip() if lead else ""
    if header and (len(line.split()) != 1 or mark_of([line]) or words_over_values(rows[lead], rows[lead + 1 :])[1]):
        return ""
    return line


def line_above_note(line: str, header: int) -> list[str]:
    """What to tell about a line directly above the table that was left out."""
    where = "above the header" if header else "above the rows"
    found = "" if header else "no header was found; "
    return [f"{found}the line {where} was left out: '{shown(line)}'"] if line else []


def shown(line: str) -> str:
    """A line as a note shows it."""
    return line if len(line) <= LONGEST_SHOWN else f"{line[:LONGEST_SHOWN]}..."


def _is_pair(row: Row) -> bool:
    return filled(row) == 2 and cell_type(row[0]) == "text"


def _is_title(row: Row, spaced: bool) -> bool:
    """Whether each comma of a line is followed by a blank, as none of the table is."""
    return not spaced and all(map(is_phrase, filter(None, row[1:])))
