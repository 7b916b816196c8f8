"""Is a text a table that is drawn with box characters, as DuckDB, polars, psql and SQLite print it?

Such a text is read as if it were drawn with `+`, `-` and `|`, without the line of types below the header. A print that
leaves out rows or columns is refused: what is left of it is not the table.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

from mere.errors import Unreadable
from mere.readers.source import SMALL, Content, Source

LOOK = 4096  # bytes in which a box character is searched
BOX = (b"\xe2\x94", b"\xe2\x95")  # the first bytes of all box characters in UTF-8
HORIZONTAL, VERTICAL = "─━═╌╍┄┅┈┉", "│┃║┆┇┊┋╎╏"
ASCII = dict.fromkeys(range(0x2500, 0x2580), "+") | {ord(each): "-" for each in HORIZONTAL}
ASCII |= {ord(each): "|" for each in VERTICAL}
RULE = re.compile(rf"\s*[\u2500-\u257f]*[{HORIZONTAL}]{{3}}[\u2500-\u257f]*\s*")
ELIDED = re.compile(r"[·…⋮]|\.\.\.")
DASHES = re.compile(r"-{3}|")
TYPE = re.compile(
    r"u?(tiny|small|big|huge)?int(eger)?\d*|[iuf]\d+|float\d*|double|(decimal|enum|list|struct|map|array|time|datetime"
    r"|timestamp|duration)\b.*|varchar|text|str(ing)?|cat|bool(ean)?|date|interval|blob|binary|uuid|json|null|object"
    r"|.*\[\d*\]|"
)
TYPES_NOTE = "the line of types below the header was left out"


def without_boxes(source: Source) -> tuple[Source, list[str]]:
    """The same table drawn in ASCII, and what to tell about it; or the source as it is."""
    data, complete = source.head(SMALL) if any(map(source.head(LOOK)[0].__contains__, BOX)) else (b"", False)
    lines = data.decode("utf-8", "replace").splitlines() if complete and not source.fault else []
    rules = [at for at, line in enumerate(lines) if RULE.fullmatch(line)]
    cells = [_cells(line) for line in lines]
    if not rules or not any(cells):
        return source, []
    header = next(filter(None, cells))
    if any(map(_is_elided, cells)) or any(map(ELIDED.fullmatch, header)):
        raise Unreadable(
            f"{source.name}: a printed table that leaves out rows or columns", "export it as CSV or Parquet"
        )
    types = _types(cells, rules)
    text = "\n".join(line.translate(ASCII) for at, line in enumerate(lines) if at not in types)
    ascii_text = (text + "\n").encode()
    drawn = Source(source.name, Content(lambda: io.BytesIO(ascii_text), len(ascii_text)), source.limits)
    return drawn, [TYPES_NOTE] if types else []


def _cells(line: str) -> list[str]:
    """The cells of a line with bars; none of another one."""
    parts = line.translate(ASCII).split("|")
    return [part.strip() for part in parts] if len(parts) > 1 else []


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
