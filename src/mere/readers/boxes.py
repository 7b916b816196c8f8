"""Is a text a table that is drawn with box characters, as DuckDB, polars, psql and SQLite print it?

Such a text is read as if it were drawn with `+`, `-` and `|`, without the line of types below the header. Box marks
inside cells stay. A print that leaves out rows or columns is refused: what is left of it is not the table. So is one
with a `|` inside a cell, and a very long one.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

from mere.errors import Unreadable
from mere.readers.dialects import lines_of
from mere.readers.encodings import repaired
from mere.readers.source import SMALL, Content, Source

LOOK = 4096  # bytes in which a box character is searched
BOX = (b"\xe2\x94", b"\xe2\x95")  # the first bytes of all box characters in UTF-8
BOM = b"\xef\xbb\xbf"
HORIZONTAL, VERTICAL = "─━═╌╍┄┅┈┉", "│┃║┆┇┊┋╎╏"
ASCII = dict.fromkeys(range(0x2500, 0x2580), "+") | {ord(each): "-" for each in HORIZONTAL}
BARS = {ord(each): "|" for each in VERTICAL}
BAR = re.compile(f"[{VERTICAL}]")
RULE = re.compile(r"\s*[\u2500-\u257f]+\s*")
RUN = re.compile(f"[{HORIZONTAL}]{{3}}")
ELIDED = re.compile(r"[·…⋮]|\.\.\.")
DASHES = re.compile(r"-{3}|")
TYPE = re.compile(
    r"u?(tiny|small|big|huge)?int(eger)?\d*|[iuf]\d+|float\d*|double|(decimal|enum|list|struct|map|array|time|datetime"
    r"|timestamp|duration)\b.*|varchar|text|str(ing)?|cat|bool(ean)?|date|interval|blob|binary|uuid|json|null|object"
    r"|.*\[\d*\]|"
)
ADVICE = "export it as CSV or Parquet"
TYPES_NOTE = "the line of types below the header was left out"


def without_boxes(source: Source) -> tuple[Source, list[str]]:
    """The same table drawn in ASCII, and what to tell about it; or the source as it is."""
    if not any(map(source.head(LOOK)[0].__contains__, BOX)):
        return source, []  # nearly always
    data, complete = source.head(SMALL)
    text, bad = repaired(data.removeprefix(BOM), "utf-8")
    lines = [line.rstrip("\r\n") for line in lines_of(text)]
    rules = [at for at, line in enumerate(lines) if _is_rule(line)]
    rows = _rows(lines, rules)
    if source.fault or not rows:
        return source, []
    cells = [_cells(line) if at in rows else [] for at, line in enumerate(lines)]
    _refuse(source, complete, [row for row in cells if row])
    types = _types(cells, rules)
    drawn = "\n".join(_drawn(line, at in rows) for at, line in enumerate(lines) if at not in types)
    ascii_text = (drawn + "\n").encode()
    content = Content(lambda: io.BytesIO(ascii_text), len(ascii_text))
    return Source(source.name, content, source.limits), [*([TYPES_NOTE] if types else []), *_bad_note(bad)]


def _refuse(source: Source, complete: bool, cells: Sequence[Sequence[str]]) -> None:
    """Refuses a box that would be read wrongly."""
    if any(map(_is_elided, cells)) or any(map(ELIDED.fullmatch, cells[0])):
        raise Unreadable(f"{source.name}: a printed table that leaves out rows or columns", ADVICE)
    if not complete:
        raise Unreadable(f"{source.name}: a table of more than {SMALL:,} bytes, drawn with box characters", ADVICE)
    if any("|" in cell for row in cells for cell in row):
        raise Unreadable(f"{source.name}: a table drawn with box characters that has `|` inside a cell", ADVICE)


def _bad_note(bad: int) -> list[str]:
    subject = "1 byte is not UTF-8 and was" if bad == 1 else f"{bad:,} bytes are not UTF-8 and were"
    return [f"{subject} read as windows-1252"] if bad else []


def _is_rule(line: str) -> bool:
    return RULE.fullmatch(line) is not None and RUN.search(line) is not None


def _rows(lines: Sequence[str], rules: Sequence[int]) -> set[int]:
    """The lines between bars, or with as many bars as the first; none if they are not most lines of a table."""
    inside = [(at, line.strip()) for at, line in enumerate(lines) if line.strip() and not _is_rule(line)]
    bars = next(filter(None, (len(BAR.findall(line)) for _, line in inside)), 0)
    if not bars or not rules:
        return set()
    joined = any(lines[at].translate(ASCII).count("+") >= bars for at in rules[:2])  # the rule meets the bars
    rows = {at for at, line in inside if _is_framed(line) or (joined and len(BAR.findall(line)) == bars)}
    if not rows:
        return set()
    end = max(*rows, rules[-1])
    return rows if 2 * len(rows) > sum(rules[0] <= at <= end or at in rows for at, _ in inside) else set()


def _is_framed(line: str) -> bool:
    return len(line) > 1 and line[0] in VERTICAL and line[-1] in VERTICAL


def _cells(line: str) -> list[str]:
    """The cells of a line with bars."""
    return [part.strip() for part in BAR.split(line)]


def _drawn(line: str, row: bool) -> str:
    """A line in ASCII, if it is one of the table."""
    return line.translate(BARS) if row else line.translate(ASCII) if _is_rule(line) else line


def _is_elided(row: Sequence[str]) -> bool:
    """Whether a row says that rows are left out."""
    filled = [cell for cell in row if cell]
    return bool(filled) and all(map(ELIDED.fullmatch, filled))


def _types(cells: Sequence[Sequence[str]], rules: Sequence[int]) -> set[int]:
    """The lines of types, and of dashes above them, in the header: between the first two rules, or above the only."""
    top, end = (rules[0], rules[1]) if len(rules) > 1 and rules[1] - rules[0] > 2 else (-1, rules[0])
    header = range(top + 2, end)
    return {at for at in header if cells[at] and (_are(TYPE, cells[at]) or _are(DASHES, cells[at]))}


def _are(pattern: re.Pattern[str], row: Sequence[str]) -> bool:
    return any(row) and all(map(pattern.fullmatch, row))
