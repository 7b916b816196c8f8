"""HTML pages: every table with rows and columns is a table, named by its caption, its id or its number.

Cells that span several rows or columns are repeated. A table that contains other tables, or has a single cell or a
single column without a header, is layout and left out.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

import pyarrow as pa

from mere.errors import Unreadable
from mere.readers.encodings import detect_encoding, repaired
from mere.readers.footnotes import is_note, note_footnotes
from mere.readers.headers import find_layout
from mere.readers.html_cells import MOST_COLUMNS, Cell, Page, PageTable
from mere.readers.limits import Limits
from mere.readers.names import unique_names
from mere.readers.rows import fit, to_batches
from mere.readers.source import Source
from mere.readers.table import Findings, RawTable

CHARSET = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?\s*([A-Za-z0-9_:.-]{2,40})""", re.IGNORECASE)
HEAD = 4096
NAME = 80  # characters of a caption that name a table

Grid = list[list[str | None]]


def open_html(source: Source, limits: Limits, failures: list[tuple[str, str]], member: str = "") -> Iterator[RawTable]:
    """The tables of the page in order."""
    data = source.read_all(limits.html_bytes, "html_bytes")
    encoding, bom = _encoding(data)
    page = Page(limits.nesting)
    page.feed(repaired(data[bom:], encoding)[0])
    page.finish()
    count = 0
    for number, table in enumerate(page.tables, 1):
        if count == limits.members:
            failures.append((member, f"more than {limits.members:,} tables: the others were not read"))
            return
        raw = _table(table, source, limits, encoding)
        if raw is not None:
            count += 1
            name = (table.caption or table.id)[:NAME].strip() or str(number)
            raw.member = f"{member}/{name}" if member else name
            yield raw
    if not count:
        raise Unreadable(f"{source.name}: an HTML page without a table of data", "move it out of the source")


def _encoding(data: bytes) -> tuple[str, int]:
    """A byte-order mark, else what the page declares, else what its bytes look like."""
    detected, bom = detect_encoding(data[: 1 << 20], len(data) <= 1 << 20)
    declared = CHARSET.search(data[:HEAD])
    if bom or not declared:
        return detected, bom
    try:
        name = codecs.lookup(declared[1].decode("ascii")).name
    except LookupError:
        return detected, bom
    if name.startswith(("utf-16", "utf-32")):  # then the declaration itself could not be read
        return detected, bom
    return ("cp1252" if name in ("iso8859-1", "ascii") else name), 0


def _table(table: PageTable, source: Source, limits: Limits, encoding: str) -> RawTable | None:
    """None for layout."""
    rows, footnotes = _without_footnotes(table.rows)
    grid, headers = _grid(rows, source, limits)
    if table.has_tables and not headers:
        return None
    header, body = grid[:headers], [row for row in grid[headers:] if any(row)]
    width = max(map(len, grid), default=0)
    if not body or width == 0 or (width == 1 and (not headers or len(body) < 2)):
        return None
    facts: dict[str, object] = {"encoding": encoding, "header_rows": headers}
    names, notes = _joined(header, width), list[str]()
    if not headers:
        layout = find_layout(body[:1000])
        names, body = [*layout.names, *[""] * width][:width], body[layout.body :]
        facts |= {"preamble_lines": layout.preamble, "header_rows": layout.header_rows}
        notes = layout.notes
    if not body:
        return None
    columns = unique_names(names, width)

    def read(findings: Findings) -> Iterator[pa.RecordBatch]:
        source.report(findings)
        note_footnotes(footnotes, findings)
        findings.note("{n} footnote {mark was|marks were} left out of {a cell|cells}", table.marks, lost=False)
        findings.note(
            f"{{n}} {{cell spans|cells span}} more than {MOST_COLUMNS:,} columns: read as {MOST_COLUMNS:,}",
            table.cut_spans,
            lost=False,
        )
        for sentence in notes:
            findings.note(sentence, lost=False)
        yield from to_batches(fit(body, width, findings), columns, limits, findings)

    return RawTable("", columns, "html", dict(facts), read)


def _without_footnotes(rows: list[list[Cell]]) -> tuple[list[list[Cell]], int]:
    """The rows without single cells that span all columns and are in the foot of the table, or notes below it."""
    width = max((sum(cell.columns for cell in row) for row in rows if len(row) > 1), default=0)
    wide = [len(row) == 1 and row[0].columns >= width > 1 for row in rows]
    last = next(
        (at for at in range(len(rows), 0, -1) if not (wide[at - 1] and is_note([rows[at - 1][0].text], width))), 0
    )
    kept = [row for at, row in enumerate(rows) if at < last and not (wide[at] and row[0].foot)]
    return kept, len(rows) - len(kept)


def _grid(rows: list[list[Cell]], source: Source, limits: Limits) -> tuple[Grid, int]:
    """The cells in their places, spans filled; and how many rows at the top have only header cells."""
    grid: Grid = []
    spans: dict[int, tuple[int, str | None]] = {}  # column -> rows still to fill, and with what
    cells = headers = 0
    for number, row in enumerate(rows):
        line: list[str | None] = []
        for cell in row:
            _fill_spans(line, spans)
            down = min(cell.rows, len(rows) - number)
            for _ in range(cell.columns):
                spans[len(line)] = (down - 1, cell.text)
                line.append(cell.text)
            cells += cell.columns * down
            if cells > limits.sheet_cells or len(line) > limits.columns:
                raise Unreadable(f"{source.name}: a table spans {cells:,} cells", "raise sheet_cells or columns")
        _fill_spans(line, spans, to_the_end=True)
        headers += headers == number and bool(row) and all(cell.header for cell in row)
        grid.append(line)
    return grid, headers if headers < len(grid) else 0


def _fill_spans(line: list[str | None], spans: dict[int, tuple[int, str | None]], to_the_end: bool = False) -> None:
    """Append what reaches into this row from above: up to a free place, or all of it."""
    last = max((column for column, (left, _) in spans.items() if left), default=-1) if to_the_end else -1
    while len(line) <= last or spans.get(len(line), (0, None))[0]:
        left, text = spans.get(len(line), (0, None))
        spans[len(line)] = (max(0, left - 1), text)
        line.append(text if left else None)


def _joined(header: Grid, width: int) -> list[str]:
    """One name per column: the different texts of its header cells, from top to bottom."""
    columns = [[row[place] for row in header if place < len(row)] for place in range(width)]
    return [" ".join(dict.fromkeys(text for text in column if text)) for column in columns]
