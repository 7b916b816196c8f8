"""The tables of an HTML page as cells, by the parser of the standard library; tags that are not closed are implied.

That parser searches the rest of the page for the end of each tag, comment and declaration, even if there is none; a
page of such starts would take quadratic time. So what follows the last `>` is text, and an end of comments that was
not found once is not searched again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

SKIPPED = ("script", "style", "template")
BREAKS = ("br", "p", "div", "li", "ul", "ol", "tr", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6")
MARK = re.compile(r"[*†‡§]+|\[\s*\w{1,3}\s*\]")  # of a footnote, whatever it follows...
SHORT_MARK = re.compile(r"\d{1,3}|[^\W\d_]|[(]\w[)]")  # ...unless it follows a letter: then it may be an exponent
POWER = re.compile(r"[×x·*]\s*10$|[^\W\d_]$")
MOST_COLUMNS, MOST_ROWS = 1000, 65_534  # of a span, as in the HTML standard


@dataclass
class Cell:
    header: bool
    columns: int
    rows: int
    foot: bool = False  # in the foot of the table
    text: str | None = None


@dataclass
class PageTable:
    id: str = ""
    caption: str = ""
    has_tables: bool = False
    marks: int = 0  # of footnotes, left out of the cells
    cut_spans: int = 0  # cells that would span more columns than the HTML standard allows
    rows: list[list[Cell]] = field(default_factory=list)


@dataclass
class _Open:
    """A table that is not closed yet, and the text of its open cell or caption."""

    table: PageTable
    cell: Cell | None = None
    in_caption: bool = False
    in_foot: bool = False
    texts: list[str] = field(default_factory=list)
    raised: int = -1  # where the raised text starts in `texts`, if some is open

    def end_raised(self) -> None:
        """Leaves out a mark of a footnote: a raised digit, letter or star after other text."""
        start, self.raised = self.raised, -1
        if start < 0 or self.cell is None:
            return
        before, mark = "".join(self.texts[:start]).strip(), "".join(self.texts[start:]).strip()
        short = SHORT_MARK.fullmatch(mark) and not POWER.search(before)
        if before and (short or MARK.fullmatch(mark)):
            del self.texts[start:]
            self.table.marks += 1

    def end_text(self) -> None:
        self.end_raised()
        text = " ".join("".join(self.texts).split())
        if self.cell is not None:
            self.cell.text = text or None
        elif self.in_caption:
            self.table.caption = text
        self.cell, self.in_caption, self.texts = None, False, []


class Page(HTMLParser):
    """Collects the tables in the order in which they start; `nesting` is how deep tables may be nested."""

    def __init__(self, nesting: int) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[PageTable] = []
        self._open: list[_Open] = []
        self._nesting = nesting
        self._skipped = ""
        self._comments_end = True  # false if there is a comment without end

    def feed(self, data: str) -> None:
        """The whole page, once."""
        end = data.rfind(">") + 1
        super().feed(data[:end] + data[end:].replace("<", "&lt;"))

    def parse_comment(self, i: int, report: bool = True) -> int:
        end = super().parse_comment(i, report) if self._comments_end else -1
        self._comments_end = end >= 0
        return end

    def parse_html_declaration(self, i: int) -> int:
        """A declaration in brackets ends at the next `>`, as in the HTML standard."""
        return self.parse_bogus_comment(i) if self.rawdata.startswith("<![", i) else super().parse_html_declaration(i)

    def finish(self) -> None:
        self.close()
        while self._open:
            self._end_table()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in SKIPPED:
            self._skipped = self._skipped or tag
        if tag == "table" and len(self._open) < self._nesting:
            self._start_table(dict(attrs).get("id") or "")
        if not self._open or tag == "table":
            return
        top = self._open[-1]
        if tag in ("tr", "td", "th", "caption", "thead", "tbody", "tfoot"):
            top.end_text()
        if tag in ("thead", "tbody", "tfoot"):
            top.in_foot = tag == "tfoot"
        if tag == "tr":
            top.table.rows.append([])
        elif tag in ("td", "th"):
            self._start_cell(top, tag, dict(attrs))
        elif tag == "caption":
            top.in_caption = True
        elif tag == "sup":
            top.raised = len(top.texts)
        elif tag in BREAKS:
            top.texts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._skipped:
            self._skipped = ""
        if not self._open:
            return
        if tag == "table":
            self._end_table()
        elif tag in ("td", "th", "tr", "caption", "thead", "tbody", "tfoot"):
            self._open[-1].end_text()
        elif tag == "sup":
            self._open[-1].end_raised()
        elif tag in BREAKS:
            self._open[-1].texts.append(" ")

    def handle_data(self, data: str) -> None:
        if self._open and not self._skipped:
            top = self._open[-1]
            if top.cell is not None or top.in_caption:
                top.texts.append(data)

    def _start_table(self, name: str) -> None:
        for outer in self._open[-1:]:
            outer.table.has_tables = True
        table = PageTable(id=name)
        self.tables.append(table)
        self._open.append(_Open(table))

    def _end_table(self) -> None:
        top = self._open.pop()
        top.end_text()
        top.table.rows = [row for row in top.table.rows if row]

    def _start_cell(self, top: _Open, tag: str, attributes: dict[str, str | None]) -> None:
        if not top.table.rows:
            top.table.rows.append([])
        columns = _span(attributes.get("colspan"), MOST_COLUMNS + 1) or 1
        top.table.cut_spans += columns > MOST_COLUMNS
        columns = min(columns, MOST_COLUMNS)
        rows = _span(attributes.get("rowspan"), MOST_ROWS) or MOST_ROWS  # 0: to the end of the table
        top.cell = Cell(tag == "th", columns, rows, top.in_foot)
        top.table.rows[-1].append(top.cell)


def _span(value: str | None, most: int) -> int:
    digits = (value or "1").strip()
    return min(int(digits), most) if digits.isascii() and digits.isdigit() and len(digits) < 9 else 1
