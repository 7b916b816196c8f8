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
from mere.readers.inner_comments import NOTE, is_comment
from mere.readers.limits import Limits
from mere.readers.preambles import COMMENT
from mere.readers.rows import cut_cells
from mere.readers.source import read_fully
from mere.readers.table import BATCH_ROWS, Findings

Blanks = NDArray[np.bool_]
Run = tuple[int, int]
LINES = 300
LEAST_LINES = 4
HEADER_LINES = 10
ENOUGH = 0.97  # of the body's lines are blank in a gap
WEAK = 0.75  # a delimiter with a lower score may be a character inside aligned cells
BLOCK = 4 << 20
CUT_NOTE = "{n} {row has|rows have} no blank where a column starts: {its|their} cells may be cut at the wrong place"
BLANKS = re.compile(r"\S {2,}\S")
WORDS = re.compile(r"\S+(?: \S+)*")


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


def splits_at_blanks(text: str, columns: int) -> bool:
    """Whether every line has a word for each column, so that positions are not needed."""
    lines = [line for line in text.splitlines() if line.strip()][:LINES]
    return all(len(line.split()) == columns for line in lines)


def _starts(lines: Sequence[str]) -> list[int]:
    """Where columns start: after the gaps of the body, if they are gaps of the header, too."""
    width = max(map(len, lines))
    runs = _runs(_gaps(_blank(lines[len(lines) // 3 :], width)))
    rows = [line for line in lines if not _is_title(line, len(runs) + 1)] or lines
    wide = [(start, end) for start, end in runs if end - start > 1]
    if len(rows[0].split()) == len(wide) + 1:
        runs = wide  # a header, aligned or not, with a word for each column between wider gaps
    if not runs:
        return []  # blanks that align the cells of a single column
    for line in rows[:HEADER_LINES]:
        kept = _kept(line.ljust(width), runs)
        starts = _after(kept, _narrowed(kept, _blank([line], width)))
        if len(starts) > 1 and all(split_line(line, starts)):
            runs = kept
            break
    return _after(runs, _narrowed(runs, _blank(rows, width)))


def _is_title(line: str, columns: int) -> bool:
    """Whether a line is a sentence: more words than columns, and single blanks between them."""
    words = line.split()
    return (
        len(words) > max(columns, 3) and "  " not in line.strip() and sum(map(str.isalpha, words)) * 4 >= 3 * len(words)
    )


def _gaps(blank: Blanks) -> Blanks:
    """Positions that are blank in nearly all lines. A gap of one blank needs words in most lines on its right."""
    gaps = np.asarray(blank.mean(axis=0) >= ENOUGH)
    for start, end in _runs(gaps):
        if start == 0 or end == len(gaps):
            gaps[start:end] = False  # a margin
            continue
        stop = next((at for at in range(end, len(gaps)) if gaps[at]), len(gaps))
        filled = ~blank[:, end:stop].all(axis=1)
        if end - start == 1 and filled.mean() < 0.5:
            gaps[start] = False
    return gaps


def _narrowed(runs: list[Run], blank: Blanks) -> Blanks:
    """The positions that are blank in all lines that have a blank in each gap: rows, and a header that is aligned."""
    gaps = np.ones(blank.shape[1], bool)
    for line in blank[::-1]:  # the header last: rows are aligned without doubt
        both = gaps & line
        if all(both[start:end].any() for start, end in runs):
            gaps = both
    return gaps


def _after(runs: list[Run], gaps: Blanks) -> list[int]:
    """Where columns start: after the widest part of each gap."""
    parts = [[(start + at, start + end) for at, end in _runs(gaps[start:end])] for start, end in runs]
    return [0, *(max(each, key=lambda run: (run[1] - run[0], run[1]))[1] for each in parts if each)]


def _runs(gaps: Blanks) -> list[Run]:
    """Start and end of each run of blank positions."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], gaps, [False]]).astype(np.int8)))
    return [(int(start), int(end)) for start, end in edges.reshape(-1, 2)]


def _kept(header: str, runs: list[Run]) -> list[Run]:
    """The gaps of a body that are gaps of the header, too; none if the header is not aligned.

    A gap of one blank that the header does not have, or that has no name after it, is inside the cells.
    """
    kept = []
    for (start, end), following in zip(runs, [*runs[1:], (len(header), 0)], strict=True):
        blank = " " in header[start:end]
        if end - start == 1 and not (blank and header[end : following[0]].strip()):
            continue
        if not blank:
            return []
        kept.append((start, end))
    return kept


def _blank(lines: Sequence[str], width: int) -> Blanks:
    """For each line and position, whether it is blank."""
    points = np.frombuffer("".join(line.ljust(width) for line in lines).encode("utf-32-le", "replace"), np.uint32)
    return points.reshape(len(lines), width) == 32


def split_line(line: str, starts: Sequence[int]) -> list[str]:
    """The cells of a line of the body."""
    stops = [*starts[1:], len(line)]
    return [line[start:stop].strip() for start, stop in zip([0, *starts[1:]], stops, strict=True)]


def sample_rows(text: str, starts: Sequence[int], most: int) -> tuple[list[list[str]], list[int]]:
    """The first rows, and where each ends in the text; a title is one cell, and a header need not be aligned."""
    rows: list[list[str]] = []
    ends, end = [], 0
    for line, _ in zip(lines_of(text), range(most), strict=False):
        end += len(line)
        cells = loose_cells(line.rstrip(), starts)
        below_names = 0 < len(rows) < HEADER_LINES and len(rows[-1]) == len(starts) and len(cells) == 1
        rows.append(_overlapping(line.rstrip(), starts) or cells if below_names else cells)
        ends.append(end)
    return rows, ends


def _overlapping(line: str, starts: Sequence[int]) -> list[str]:
    """The cells of a line of several words, each in the column that it overlaps most; empty if two are in one.

    The second line of a header may have words that are wider than their columns.
    """
    cells = [""] * len(starts)
    edges = list(zip([0, *starts[1:]], [*starts[1:], max(len(line), starts[-1] + 1)], strict=True))
    for word in WORDS.finditer(line):
        overlaps = [min(word.end(), stop) - max(word.start(), start) for start, stop in edges]
        column = overlaps.index(max(overlaps))
        if cells[column]:
            return []
        cells[column] = word[0]
    return cells if sum(map(bool, cells)) > 1 else []


def loose_cells(line: str, starts: Sequence[int]) -> list[str]:
    """The cells of a line that may be a title or a header."""
    if _is_title(line, len(starts)):
        return [line.strip()]
    if all(line[at - 1 : at].isspace() or at > len(line) for at in starts[1:]):
        return split_line(line, starts) if line.strip() else []
    if COMMENT.match(line):
        return [line.strip()]
    for cells in (re.split(r"\s{2,}", line.strip()), line.split()):
        if len(cells) == len(starts):
            return cells
    return [line.strip()]


def fills_columns(line: str, starts: Sequence[int]) -> bool:
    """Whether a line has a blank before each column and a cell in each, so that it is a row, whatever its words."""
    return all(line[at - 1 : at] == " " for at in starts[1:]) and all(split_line(line, starts))


def read_fixed(
    stream: BinaryIO, starts: Sequence[int], columns: list[str], limits: Limits, findings: Findings, comment: str = ""
) -> Iterator[pa.RecordBatch]:
    """The rows of a UTF-8 stream that starts at its first body row; lines that start with `comment` may be none."""
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
        if comment:
            lines = _without_comments(lines, starts, comment, findings)
        for start in range(0, len(lines), BATCH_ROWS):
            batch = _batch(lines[start : start + BATCH_ROWS], starts, columns, findings)
            yield cut_cells(batch, limits, findings)


def _without_comments(lines: list[str], starts: Sequence[int], mark: str, findings: Findings) -> list[str]:
    kept = [line for line in lines if not is_comment(loose_cells(line.rstrip(), starts), mark, len(starts))]
    findings.note(NOTE, len(lines) - len(kept), lost=False)
    return kept


def _batch(lines: list[str], starts: Sequence[int], columns: list[str], findings: Findings) -> pa.RecordBatch:
    text = pa.array(lines, pa.string())
    findings.note(CUT_NOTE, _count_cut(text, starts), lost=True)
    pieces = zip([0, *starts[1:]], [*starts[1:], None], strict=True)
    cells = [pc.utf8_trim_whitespace(pc.utf8_slice_codeunits(text, start, stop)) for start, stop in pieces]
    return pa.RecordBatch.from_arrays(cells, names=columns)


def _count_cut(text: pa.Array, starts: Sequence[int]) -> int:
    """How many lines have a word where a column starts, and so are cut inside it."""
    cut = pa.scalar(False)
    for at in starts[1:]:
        around = pc.utf8_slice_codeunits(text, at - 1, at + 1)
        cut = pc.or_(cut, pc.match_substring_regex(around, r"^\S\S$"))
    return pc.sum(cut).as_py() or 0
