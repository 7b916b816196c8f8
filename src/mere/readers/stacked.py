"""Does a file have several tables, one below the other?

A further table starts where a header follows a blank line, a title or rows of another width. It must be a header
without doubt: words above columns of numbers or dates; a table with blank lines or a few odd rows stays one table.
"""

from __future__ import annotations

import re
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from mere.readers.cell_types import YEAR, Row, cell_type
from mere.readers.header_evidence import VALUES, is_header, words_over_values
from mere.readers.preambles import MOST_PAIRS, mark_of
from mere.readers.second_headers import is_header_alike, is_header_of_words

Integers = NDArray[np.int64]
LOOK = 12  # rows of a further table that are looked at
MOST_CANDIDATES = 500
LEAST_ROWS = 3
LONGEST_PREAMBLE = 7  # rows of several cells; more are a table, because no data may be lost
SURE, GUESS = "sure", "guess"  # what shows that a row is a header
GUESSED = "a further table was found by its header, words unlike those below it after a blank line: it may be a row"
FOOTNOTE = re.compile(r"\W*(source|note|footnote|data from|last updated|\*|†|‡|\[?\d+[\])])", re.IGNORECASE)
NUMBERED = re.compile(r"\W*(table|tab\.|section|part|panel|sheet)\s*[\divx]+\b", re.IGNORECASE)
PAGE = re.compile(r"\W*(page|seite)\b", re.IGNORECASE)


class Rows(Protocol):
    """Rows of text cells: how many cells each has, how many of them are filled, and the cells of some of them."""

    @property
    def widths(self) -> Integers: ...
    @property
    def filled(self) -> Integers: ...
    def __len__(self) -> int: ...
    def rows(self, start: int, stop: int) -> list[list[str]]: ...


class Stacked(NamedTuple):
    """A table of a file: rows from `start` up to `stop`, with the titles above its header."""

    start: int
    stop: int
    header: int
    title: str = ""
    guessed: bool = False  # its header has words above words


def find_tables(index: Rows) -> list[Stacked]:
    """The tables in order; one piece for the usual file."""
    starts: list[Stacked] = []
    for at in _candidates(index):
        last = starts[-1] if starts else Stacked(0, len(index), _first_header(index))
        evidence = _evidence(index, last, at) if at > last.header else ""
        if evidence:
            if not starts and not _is_table(index, last, at):
                continue  # what is above is a preamble
            start, title = _title(index, at)
            starts = starts or [last._replace(title=_title(index, last.header)[1])]
            starts.append(Stacked(start, len(index), at, title, evidence == GUESS))
    stops = [piece.start for piece in starts[1:]] + [len(index)]
    return [piece._replace(stop=stop) for piece, stop in zip(starts, stops, strict=False)] or [
        Stacked(0, len(index), 0)
    ]


def is_cut(index: Rows) -> bool:
    """Whether only the first rows that may start a table were looked at."""
    return len(_places(index)) > MOST_CANDIDATES


def only_first(tables: int) -> str:
    """A note for the last of some tables, if not all of the file was searched."""
    return f"only the first {tables:,} tables were told apart: the last one may contain further ones"


def _candidates(index: Rows) -> list[int]:
    return [int(at) for at in _places(index)[:MOST_CANDIDATES]]


def _places(index: Rows) -> Integers:
    """Rows of several cells after a blank row, a row of one cell, or a row of another width."""
    if len(index) < 2 * LEAST_ROWS or (index.filled.min() > 1 and np.ptp(index.widths) == 0):
        return np.empty(0, np.int64)
    other = (index.filled[:-1] <= 1) | (index.widths[1:] != index.widths[:-1])
    several = (index.filled[1:] > 1) & (np.append(index.filled[2:], 0) > 1)
    return np.flatnonzero(other & several) + 1


def _first_header(index: Rows) -> int:
    """The first row of several cells that is no comment, or the comment above it that names its columns."""
    several = np.flatnonzero(index.filled > 1)
    first = next((row for row in map(int, several) if not mark_of(index.rows(row, row + 1)[0])), 0)
    above = first - 1
    named = above >= 0 and index.filled[above] > 1 and index.widths[above] == index.widths[first]
    return above if named else first


def _evidence(index: Rows, last: Stacked, at: int) -> str:
    """Whether row `at` is, surely or as a guess, the header of a table other than that with header `last.header`."""
    block = _block(index, at)
    names = [" ".join(cell.split()) for cell in block[0] if cell.strip()] if block else []
    if len(block) < LEAST_ROWS or len(set(names)) < len(names) or max(map(len, names)) > 80:
        return ""
    separated = index.filled[at - 1] <= 1
    if not separated and not _changes_width(index, at, len(block)):
        return ""
    title = _title(index, at)[1]
    if _names(index, last.header) == names:
        other = bool(title) and not PAGE.match(title) and title != _title(index, last.header)[1]
        return SURE if other else ""
    words, typed = words_over_values(block[0], block[1:])
    if words and words * 2 >= typed:
        return SURE
    if not separated or typed:
        return ""
    wide = index.widths[at] != index.widths[last.header] and len({len(row) for row in block}) == 1
    if wide or NUMBERED.match(title):
        return SURE if _looks_like_names(block) else ""
    header, *above = index.rows(last.header, min(last.header + LOOK, at))
    alike = is_header_alike(header, block[0], [above, block[1:]]) or is_header_of_words(block, above)
    return GUESS if alike else ""


def _block(index: Rows, at: int, before: int | None = None) -> list[list[str]]:
    """The rows from `at` to the next blank row or row of one cell, at most `LOOK`, and none from `before` on.

    If the first few have one width, the rows end with it: the next table may follow without a blank row.
    """
    end = min(at + LOOK, len(index) if before is None else before)
    stops = np.flatnonzero(index.filled[at:end] <= 1)
    end = at + int(stops[0]) if len(stops) else end
    others = np.flatnonzero(index.widths[at:end] != index.widths[at])
    return index.rows(at, at + int(others[0]) if len(others) and others[0] >= LEAST_ROWS else end)


def _changes_width(index: Rows, at: int, size: int) -> bool:
    """Whether two rows of one width are followed by rows of another one."""
    before, after = index.widths[max(0, at - 2) : at], index.widths[at : at + min(size, 5)]
    return len(before) == 2 and np.ptp(before) == 0 and np.ptp(after) == 0 and before[0] != after[0]


def _looks_like_names(block: list[list[str]]) -> bool:
    """For a table of words: its first row differs from the rows below, and no row is prose or a `key: value` line."""
    prose = sum(len(cell) > 60 or cell.rstrip().endswith(":") for row in block for cell in row)
    names = all(cell_type(cell) == "text" or YEAR.fullmatch(cell.strip()) for cell in block[0])
    return not prose and names and is_header(block[0], block[1:])


def _names(index: Rows, row: int) -> list[str]:
    cells: Row = next(iter(index.rows(row, row + 1)), [])
    return [" ".join(cell.split()) for cell in cells if cell and cell.strip()]


def _is_table(index: Rows, first: Stacked, at: int) -> bool:
    """Whether the rows above the second table are a table, and not a preamble of titles and `key, value` lines."""
    rows = np.flatnonzero(index.filled[first.header : at] > 1) + first.header
    if len(rows) < LEAST_ROWS:
        return False
    pairs = index.widths[rows].max() == 2 or index.filled[rows].max() == 2
    block = _block(index, first.header, at)
    if len(rows) > (MOST_PAIRS if pairs and not _are_words(block[0]) else LONGEST_PREAMBLE):
        return True
    is_table = NUMBERED.match(_title(index, first.header)[1]) or _are_columns(block) or _repeats_keys(block)
    if pairs and index.filled[at] > 2 and not is_table:
        return False
    words, typed = words_over_values(block[0], block[1:])
    even = len({len(row) for row in block}) == 1 and len(block) >= LEAST_ROWS
    return bool(words and words * 2 >= typed) or (even and _looks_like_names(block))


def _are_words(row: list[str]) -> bool:
    """Whether each cell is one word, as the names of two columns are; what a pair says is mostly longer, or a value.

    A spreadsheet pads each row with empty cells.
    """
    return all(cell.strip().isalpha() for cell in row if cell.strip())


def _are_columns(pairs: list[list[str]]) -> bool:
    """Whether the first or the second cells of some pairs, from the second pair on, are three or more values of one
    type; keys are words, and one that ends with a colon is surely a key."""
    if len(pairs) <= LEAST_ROWS or any(row[0].rstrip().endswith(":") for row in pairs):
        return False
    columns = [{cell_type(row[place]) for row in pairs[1:] if len(row) > place} for place in (0, 1)]
    return any(len(types) == 1 and types <= set(VALUES) for types in columns)


def _repeats_keys(pairs: list[list[str]]) -> bool:
    """Whether a first cell occurs again; nobody says two things about a file under one key."""
    keys = [row[0] for row in pairs if row[0].strip()]
    return len(set(keys)) < len(keys)


def _title(index: Rows, header: int) -> tuple[int, str]:
    """Where the titles above a header start, and the last of them; footnotes of the table above are no titles."""
    top = header
    while top and index.filled[top - 1] <= 1:
        top -= 1
    above = [(row, " ".join("".join(cells).split())) for row, cells in _single_rows(index, top, header)]
    blank = next((row for row in range(top, header) if not index.filled[row]), top)
    start = top
    for row, text in above:
        if FOOTNOTE.match(text) or (top and row < blank):
            start = row + 1
    titles = [text for row, text in above if row >= start]
    return start, titles[-1][:200] if titles else ""


def _single_rows(index: Rows, start: int, stop: int) -> list[tuple[int, list[str]]]:
    """The rows of one cell among some rows."""
    return [(row, index.rows(row, row + 1)[0]) for row in range(start, stop) if index.filled[row]]
