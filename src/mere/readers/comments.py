"""Which lines at the top of a text are comments or titles, and does the last comment name the columns?

Where cells are divided at delimiters, a comment is a row of few cells. Where they are divided at blanks, its words
would be cells: it is kept as one cell, unless it has a name for each column and the rows below have no other header.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from mere.readers.cell_types import cell_type
from mere.readers.header_evidence import is_header, words_over_values
from mere.readers.preambles import COMMENT, mark_of

LOOK_ROWS = 30
MOST_TITLES = 4  # lines, blank ones included
# Words of a sentence: `Data from NOAA` above three columns does not name them.
SENTENCE = {"a", "an", "and", "are", "as", "at", "by", "for", "from", "in", "is", "it", "of", "on", "or", "see", "the",
            "this", "to", "was", "were", "with"}  # fmt: skip


def leading_comments(lines: Sequence[str]) -> int:
    """How many lines at the top are comments, or blank lines above or between them."""
    count = 0
    for number, line in enumerate(lines, 1):
        if COMMENT.match(line):
            count = number
        elif line.strip():
            break
    return count


def with_whole_comments(
    rows: list[list[str]], lines: Sequence[str], split: Callable[[str], list[str]]
) -> list[list[str]]:
    """The rows of `lines`, divided at blanks, with each comment at the top as one cell; `split` divides a header."""
    count = leading_comments(lines)
    below = [row for row in rows[count:] if row]
    if not count or not below:
        return rows
    whole = [[line.strip()] if line.strip() else [] for line in lines[:count]]
    if not is_header(below[0], below[1:]):
        _name_columns(whole, Counter(map(len, below[:LOOK_ROWS])).most_common(1)[0][0], split)
    return [*whole, *rows[count:]]


def with_whole_titles(rows: list[list[str]], lines: Sequence[str]) -> list[list[str]]:
    """The rows of `lines`, divided at blanks, with each title above a header without doubt as one cell."""
    look = [row for row in rows[:LOOK_ROWS] if row]
    width = Counter(map(len, look)).most_common(1)[0][0] if look else 0
    top = next((at for at, row in enumerate(rows) if len(row) == width), 0)
    words, typed = words_over_values(rows[top], rows[top + 1 :]) if 0 < top <= MOST_TITLES else (0, 0)
    if not words or words * 2 < typed:
        return rows
    return [*([line.strip()] if line.strip() else [] for line in lines[:top]), *rows[top:]]


def _name_columns(comments: list[list[str]], width: int, split: Callable[[str], list[str]]) -> None:
    """Replaces the last comment that has a name for each of several columns by these names."""
    for place in range(len(comments) - 1, -1, -1):
        mark = mark_of(comments[place])
        names = split(" " * len(mark) + comments[place][0].removeprefix(mark)) if mark else []
        if len(names) == width > 1 and _are_names(names):
            comments[place] = names
            return


def _are_names(cells: Sequence[str]) -> bool:
    """Whether no cell is a value, the key of a pair or a word that only sentences have."""
    return all(cell_type(cell) == "text" and cell[-1] not in ":." and cell.lower() not in SENTENCE for cell in cells)
