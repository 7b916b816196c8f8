"""Text whose columns are aligned by position: where does each column start, and what are its cells?

A position that is blank in all lines of the body is a gap between two columns. Text that splits at blanks into rows of
equal width needs no positions; they are used where cells have blanks inside or are absent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mere.readers.dialects import WHITESPACE, Dialect, lines_of
from mere.readers.encodings import repaired
from mere.readers.limits import Limits
from mere.readers.rows import cut_cells
from mere.readers.source import read_fully
from mere.readers.table import BATCH_ROWS, Findings

LINES = 300
LEAST_LINES = 4
HEADER_LINES = 10
ENOUGH = 0.97  # of the body's lines are blank in a gap
WEAK = 0.75  # a delimiter with a lower score may be a character inside aligned cells
BLOCK = 4 << 20
BLANKS = re.compile(r"\S {2,}\S")


def find_columns(text: str, dialect: Dialect, score: float) -> list[int]:
    """The positions at which columns start, in characters; empty if the text is not aligned, or need not be."""
    spaced = dialect.delimiter in (" ", WHITESPACE)
    if (not spaced and score >= WEAK) or text.count("  ") * 2 < text.count("\n"):
        return []
    lines = [line.rstrip() for line in text.splitlines() if line.strip()][:LINES]
    if len(lines) < LEAST_LINES or any("\t" in line for line in lines):
        return []
    if sum(BLANKS.search(line) is not None for line in lines) * 10 < 7 * len(lines):
        return []
    starts = _starts(lines)
    split = [line.split() for line in lines] if spaced else list(dialect.rows(iter(lines)))
    if len(starts) < 2 or (spaced and all(len(row) == len(starts) for row in split)):
        return []
    return starts if spaced or len(starts) > max(map(len, split)) else []


def _starts(lines: Sequence[str]) -> list[int]:
    """Where a character follows a gap of the body, and of the first line above it that has a word in each column."""
    width = max(map(len, lines))
    gaps = _gaps(lines[len(lines) // 3 :], width)
    for line in lines[:HEADER_LINES]:
        starts = _named(line, _after(gaps & _blank([line], width)[0]), gaps)
        if len(starts) * 10 >= 6 * len(_after(gaps)) and all(split_line(line, starts)):
            return starts
    return _after(gaps)


def _gaps(body: Sequence[str], width: int) -> NDArray[np.bool_]:
    """Positions that are blank in nearly all lines; where most lines have ended, only two or more of them in a row."""
    gaps = _blank(body, width).mean(axis=0) >= ENOUGH
    wide = gaps & (np.append(False, gaps[:-1]) | np.append(gaps[1:], False))
    reached = np.array([len(line) for line in body])[:, None] > np.arange(width)
    return np.where(reached.mean(axis=0) > 0.5, gaps, wide)


def _named(header: str, starts: list[int], gaps: NDArray[np.bool_]) -> list[int]:
    """The columns, without those that have no name after a gap of one blank: it is a blank inside the cells before."""
    cells = split_line(header, starts)
    return [at for at, cell in zip(starts, cells, strict=True) if cell or at < 2 or gaps[at - 2]]


def _blank(lines: Sequence[str], width: int) -> NDArray[np.bool_]:
    """For each line and position, whether it is blank."""
    points = np.frombuffer("".join(line.ljust(width) for line in lines).encode("utf-32-le", "replace"), np.uint32)
    return points.reshape(len(lines), width) == 32


def _after(gaps: NDArray[np.bool_]) -> list[int]:
    return [int(at) for at in np.flatnonzero(~gaps & np.append(True, gaps[:-1]))]


def split_line(line: str, starts: Sequence[int]) -> list[str]:
    """The cells of a line of the body."""
    stops = [*starts[1:], len(line)]
    return [line[start:stop].strip() for start, stop in zip([0, *starts[1:]], stops, strict=True)]


def sample_rows(text: str, starts: Sequence[int], most: int) -> tuple[list[list[str]], list[int]]:
    """The first rows, and where each ends in the text; a title is one cell, and a header need not be aligned."""
    rows, ends, end = [], [], 0
    for line, _ in zip(lines_of(text), range(most), strict=False):
        end += len(line)
        rows.append(loose_cells(line.rstrip(), starts))
        ends.append(end)
    return rows, ends


def loose_cells(line: str, starts: Sequence[int]) -> list[str]:
    """The cells of a line that may be a title or a header."""
    if all(line[at - 1 : at].isspace() or at > len(line) for at in starts[1:]):
        return split_line(line, starts) if line.strip() else []
    for cells in (re.split(r"\s{2,}", line.strip()), line.split()):
        if len(cells) == len(starts):
            return cells
    return [line.strip()]


def read_fixed(
    stream: BinaryIO, starts: Sequence[int], columns: list[str], limits: Limits, findings: Findings
) -> Iterator[pa.RecordBatch]:
    """The rows of a UTF-8 stream that starts at its first body row."""
    rest, last = b"", False
    while not last:
        data = read_fully(stream, BLOCK)
        last = len(data) < BLOCK
        block = rest + data
        end = len(block) if last else max(block.rfind(b"\n"), block.rfind(b"\r", 0, -1)) + 1
        block, rest = block[:end], block[end:]
        text, bad = repaired(block, "utf-8")
        findings.note("{n} {byte is|bytes are} not UTF-8 and {was|were} read as windows-1252", bad, lost=False)
        lines = [line for line in text.replace("\r", "\n").split("\n") if line and not line.isspace()]
        for start in range(0, len(lines), BATCH_ROWS):
            yield cut_cells(_batch(lines[start : start + BATCH_ROWS], starts, columns), limits, findings)


def _batch(lines: list[str], starts: Sequence[int], columns: list[str]) -> pa.RecordBatch:
    text = pa.array(lines, pa.string())
    pieces = zip([0, *starts[1:]], [*starts[1:], None], strict=True)
    cells = [pc.utf8_trim_whitespace(pc.utf8_slice_codeunits(text, start, stop)) for start, stop in pieces]
    return pa.RecordBatch.from_arrays(cells, names=columns)
