"""Tables in a grid, as reStructuredText writes them: a line of dashes below each row, `+====+` below the header.

    +------+---------+
    | name | city    |
    +======+=========+
    | Ada  | Lima,   |
    |      | Trujillo|
    +------+---------+

The lines between two lines of dashes are one row; the parts of a cell are joined. Most printed tables have such lines
around the header and the end only: there, each line is a row, and the table is no grid.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from typing import BinaryIO, NamedTuple

import pyarrow as pa

from mere.readers.dialects import lines_of
from mere.readers.encodings import repaired
from mere.readers.header_evidence import is_header
from mere.readers.headers import Layout
from mere.readers.limits import Limits
from mere.readers.rows import fit, to_batches
from mere.readers.ruled import is_rule
from mere.readers.source import read_fully
from mere.readers.table import Findings

BLOCK = 4 << 20
LOOK_LINES = 300
MOST_TITLES = 4  # lines above the grid
FEWEST_BORDERS = 4  # without one of `=`: a client prints three, also around a single row
MOST_LINES = 1000  # of a row: beyond them, the lines below are no row
MOST_WRAPPED = 4  # lines of a row on average, if few borders show that it is one
FEWEST_GROUPS = 3  # of such rows
INNER_BORDER = re.compile(r"\+[-=]{3,}[+|]")  # in a line of cells: below some of them only
LONG = "a row of the grid has more than 1,000 lines: it was cut into {n} more"
OUTSIDE = "{n} {line|lines} outside the grid {was|were} left out"


class Grid(NamedTuple):
    """A text that is a grid: its layout, and where the first row of the body starts, in characters."""

    layout: Layout
    body: int


def find_grid(text: str) -> Grid | None:
    """The grid that a text is, titles above and notes below it aside."""
    if not any(line.startswith("+") for line in text.split("\n", MOST_TITLES + 1)[: MOST_TITLES + 1]):
        return None
    lines = list(islice(lines_of(text), LOOK_LINES))
    borders = [at for at, line in enumerate(lines) if _is_border(line)]
    top, last = (borders[0], borders[-1]) if borders else (len(lines), 0)
    if top > MOST_TITLES or not all(line.startswith(("+", "|")) for line in lines[top:last]):
        return None
    below_header = next((at for at in borders if "=" in lines[at]), -1)
    if below_header < 0 and len(borders) < FEWEST_BORDERS:
        return None
    groups = _groups(lines[top : last + 1])
    rows = list(map(_joined, groups))
    if not rows or len(rows[0]) < 2 or not _are_rows(groups[1:], len(rows[0]), len(borders)):
        return None
    named = below_header >= 0 or is_header(rows[0], rows[1:])
    end = (below_header if below_header >= 0 else borders[1]) if named else top
    names = _joined(lines[top + 1 : end]) if named else []
    return Grid(Layout(top, int(named), names, len(rows[0])), sum(map(len, lines[: end + 1])))


def _groups(lines: list[str]) -> list[list[str]]:
    """The lines between any two neighbouring borders; none if a border is next to another, or below some cells only."""
    groups: list[list[str]] = []
    for above, line in pairwise(lines):
        if (_is_border(line) and _is_border(above)) or (not _is_border(line) and _is_partial(line)):
            return []
        if _is_border(above):
            groups.append([])
        if not _is_border(line):
            groups[-1].append(line)
    return [group for group in groups if group]


def _is_partial(line: str) -> bool:
    return line.startswith("+") or INNER_BORDER.search(line) is not None


def _are_rows(groups: list[list[str]], width: int, borders: int) -> bool:
    """Whether each group of lines below the header is one row, and not a table without lines between its rows."""
    lines = sum(map(len, groups))
    wrapped = len(groups) >= FEWEST_GROUPS and lines <= MOST_WRAPPED * len(groups)
    return (2 * borders > lines or wrapped) and all(_is_row(group, width) for group in groups)


def _is_row(group: list[str], width: int) -> bool:
    """Whether each line below the first has a blank cell where the first has none: it continues the others."""
    first, *further = map(_cells, group)
    return len(first) >= width and all(
        any(cell and not below for cell, below in zip(first, line, strict=False)) for line in further
    )


def _is_border(line: str) -> bool:
    return line.startswith("+") and is_rule(line)


def read_grid(stream: BinaryIO, columns: list[str], limits: Limits, findings: Findings) -> Iterator[pa.RecordBatch]:
    """The rows of a UTF-8 stream that starts at the first row of the body."""
    rows = _rows(_lines(stream, findings), findings)
    return to_batches(fit(rows, len(columns), findings), columns, limits, findings)


def _lines(stream: BinaryIO, findings: Findings) -> Iterator[str]:
    rest, last = b"", False
    while not last:
        data = read_fully(stream, BLOCK)
        last = len(data) < BLOCK
        block = rest + data
        end = len(block) if last else block.rfind(b"\n") + 1
        text, bad = repaired(block[:end], "utf-8")
        findings.note("{n} {byte is|bytes are} not UTF-8 and {was|were} read as windows-1252", bad, lost=False)
        rest = block[end:]
        yield from lines_of(text)


def _rows(lines: Iterable[str], findings: Findings) -> Iterator[list[str]]:
    row: list[str] = []
    for line in lines:
        if line.startswith("|"):
            if len(row) == MOST_LINES:
                findings.note(LONG, lost=True)
                yield _joined(row)
                row = []
            row.append(line)
        elif _is_border(line):
            if row:
                yield _joined(row)
            row = []
        else:
            findings.note(OUTSIDE, int(bool(line.strip())), lost=False)
    if row:
        yield _joined(row)


def _joined(lines: list[str]) -> list[str]:
    """The cells of a row of several lines."""
    parts = list(map(_cells, lines))
    width = max(map(len, parts), default=0)
    return [" ".join(filter(None, (part[at] for part in parts if at < len(part)))) for at in range(width)]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
