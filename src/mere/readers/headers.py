"""In which row does a table start, and is its first row a header?

Title lines, blank lines and `#` comments above the table are preamble. The first row is a header unless its
cells look like the values below: cells of the same types, or values that occur again below.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

Row = Sequence[str | None]

LOOK_ROWS = 25  # rows below the header that are compared with it
LOOK_COLUMNS = 64  # of a wide table; the others are assumed to be similar
LAYOUT_ROWS = 100
PREAMBLE_ROWS = 40

NUMBER = re.compile(
    r"[(<>~≈]?\s*[-+−]?\s*[$€£¥]?\s*(?:\d[\d,.'’\u00a0 ]*|[.,]\d+)(?:[eE][-+]?\d+)?\s*(?:%|[$€£])?\)?\*?"
)
DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?([T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}( .*)?"
    r"|\d{1,2}:\d{2}(:\d{2}.*)?"
    r"|\d{1,2}[- ](jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[- ,]*\d{2,4}"
    r"|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}, \d{4}",
    re.IGNORECASE,
)
CODE = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{20,}|https?://\S+|\S+@\S+\.\w+|[0-9a-f]{24,}", re.IGNORECASE)
YEAR = re.compile(r"(1[5-9]|20|21)\d\d")
WORD = re.compile(r"[a-z]+")
IDENTIFIER = re.compile(r"[a-z][a-z0-9_.-]*")
COMMON = set(
    WORD.findall(
        "id ids name names code codes date year month day time type value region country state city county"
        " title description notes note category status number rank team player opponent result score location"
        " address price total count gender sex age url source key label iso lat lon percent"
    )
)
MISSING = {"", "na", "n/a", "n.a.", "nan", "null", "none", "x", "\\n"}  # and cells without any letter or digit


@dataclass(frozen=True)
class Layout:
    """What the first rows are: `preamble` rows to skip, then `header_rows`, then the body."""

    preamble: int
    header_rows: int
    names: list[str]
    width: int

    @property
    def body(self) -> int:
        return self.preamble + self.header_rows


def find_layout(rows: Sequence[Row], complete: bool) -> Layout:
    """The layout of a table, from its first rows; `complete` if these are all rows."""
    start = _table_start(rows)
    if start >= len(rows):
        return Layout(len(rows), 0, [], 0)
    body = [row for row in rows[start : start + LAYOUT_ROWS] if _filled(row)]
    header = 1 if _is_header(body[0], body[1:], complete) else 0
    lead = next(index for index in range(start, len(rows)) if _filled(rows[index]))
    if header and lead + 1 < len(rows) and _is_second_header(body):
        header = 2 if _filled(rows[lead + 1]) else 1
    names = _merge(body[:header])
    return Layout(lead, header, names, _width([row for row in rows[start:] if row], len(names)))


def _filled(row: Row) -> int:
    return sum([1 for cell in row if cell and not cell.isspace()])


def _table_start(rows: Sequence[Row]) -> int:
    """The first row that is filled about as well as the rows after it."""
    counts = [_filled(row) for row in rows[:LAYOUT_ROWS]]
    nonblank = [count for count in counts if count]
    if not nonblank:
        return len(rows)
    typical = median(nonblank[len(nonblank) // 3 :])
    need = 1 if typical < 2 else max(2, 0.34 * typical)
    for index, (row, count) in enumerate(zip(rows[:PREAMBLE_ROWS], counts, strict=False)):
        if count >= need and not _is_comment(rows, index, row):
            return index
    return next(index for index, count in enumerate(counts) if count)


def _is_comment(rows: Sequence[Row], index: int, row: Row) -> bool:
    """A `#` line is a comment unless it is as wide as the table: then it is a commented header."""
    first = (row[0] or "").lstrip() if row else ""
    if not first.startswith("#"):
        return False
    following = [other for other in rows[index + 1 : index + 30] if _filled(other)]
    others = [other for other in following if not (other[0] or "").lstrip().startswith("#")]
    if not others:
        return False
    usual = Counter(map(len, others)).most_common(1)[0][0]
    if len(others) > 1 and _is_header(others[0], others[1:], complete=False) and len(others[0]) > 1:
        return True  # the table has a header without a `#`
    return len(row) != usual or (len(row) == 1 and len(others) < len(following))


@lru_cache(maxsize=1 << 14)
def cell_type(cell: str | None) -> str:
    """missing, number, date, code (an id that cannot be a column name) or text."""
    cell = (cell or "").strip()
    if cell.casefold() in MISSING or not any(map(str.isalnum, cell[:60])):
        return "missing"
    if len(cell) > 60:
        return "code" if len(cell) <= 300 and CODE.fullmatch(cell) else "text"
    if DATE.fullmatch(cell):
        return "date"
    if NUMBER.fullmatch(cell):
        return "number"
    return "code" if CODE.fullmatch(cell) else "text"


def _is_header(first: Row, below: Sequence[Row], complete: bool) -> bool:
    """Adds up the evidence of every column; without evidence, a row of words is a header."""
    types = [cell_type(cell) for cell in first[:LOOK_COLUMNS]]
    if not any(each == "text" for each in types):
        return _is_sequence(first, types) and _differs(first, below)
    named = [cell for cell in first if cell and cell.strip()]
    score = -0.5 * (len(named) - len(set(named)))
    score += 0.5 if all(map(IDENTIFIER.fullmatch, named)) else 0.0
    series = _is_sequence(first, types)
    look = [row for row in below[:LOOK_ROWS] if len(row) > 1 or len(first) == 1]
    for column, each in enumerate(types):
        cells = [row[column] for row in look if column < len(row)]
        score += _evidence(first[column] or "", each, [cell for cell in cells if cell and cell.strip()], series)
    return score >= 0


def _evidence(name: str, each: str, cells: list[str], series: bool) -> float:
    """For (positive) or against (negative) `name` being the header of a column of `cells`."""
    if each == "missing" or (series and each != "text"):
        return 0.0
    if not cells:
        return 0.0 if each == "text" else -0.3
    types = Counter(cell_type(cell) for cell in cells)
    typed = types["number"] + types["date"] + types["code"]
    present = len(cells) - types["missing"]
    if each != "text":
        year = YEAR.fullmatch(name.strip()) is not None and not any(YEAR.fullmatch(cell.strip()) for cell in cells)
        return 0.0 if year or (each == "number" and types["date"] * 2 > present) else -1.5
    if present and typed >= 0.7 * present:
        return 1.0
    if name in cells:
        return -1.0 - 0.5 * (cells.count(name) > 1)
    return _wording(name, cells)


def _wording(name: str, cells: list[str]) -> float:
    """For text above text: a usual header word, another length or another case than the values below."""
    usual = 0.5 if COMMON & set(WORD.findall(name[:80].lower())) else 0.0
    lengths = {len(cell) for cell in cells}
    if len(cells) >= 4 and len(lengths) == 1:
        return usual + ((1.0 if len(cells) >= 10 else 0.6) if len(name) not in lengths else -0.4)
    capitals = sum(cell[:1].isupper() for cell in cells)
    if name[:1].islower() and capitals * 10 >= 9 * len(cells):
        return usual + 0.4
    return usual + (0.15 if len(name) <= 40 else 0.0)


def _is_sequence(first: Row, types: list[str]) -> bool:
    """Whether a header is a series of years, days or numbers: 1990, 1991, 1992... or 1/22/20, 1/23/20..."""
    if types.count("date") >= 3 and types.count("date") + types.count("text") == len(types):
        dates = [cell for cell, each in zip(first, types, strict=False) if each == "date"]
        return len(set(dates)) == len(dates)
    try:
        numbers = [float(cell or "") for cell, each in zip(first, types, strict=False) if each == "number"]
    except ValueError:
        return False
    steps = {round(after - before, 9) for before, after in itertools.pairwise(numbers)}
    years = all(1500 <= number <= 2200 and number == int(number) for number in numbers)
    if years and len(numbers) >= 2:
        return len(set(numbers)) == len(numbers)
    return len(numbers) >= 3 and len(steps) == 1 and 0 not in steps


def _differs(first: Row, below: Sequence[Row]) -> bool:
    """Whether the rows below a header made of numbers only (0, 1, 2...) are not such series themselves."""
    if len(first) < 4 or len(below) < 2:
        return False
    if cell_type(first[0]) != "missing":
        return False
    return not any(_is_sequence(row, [cell_type(cell) for cell in row]) for row in below[:5])


def _is_second_header(body: Sequence[Row]) -> bool:
    """Whether the second row has words above columns of numbers, too: units, or the lower line of a two-line header.

    Needs strong evidence: at least two such columns, and no number anywhere in the row.
    """
    second, below = body[1] if len(body) > 1 else (), body[2 : 2 + LOOK_ROWS]
    if len(below) < 3 or any(cell_type(cell) in ("number", "date", "code") for cell in second):
        return False
    words = typed = 0
    for column, cell in enumerate(second[:LOOK_COLUMNS]):
        types = Counter(cell_type(row[column]) for row in below if column < len(row))
        if types["number"] + types["date"] >= max(2, 0.9 * (sum(types.values()) - types["missing"])):
            typed += 1
            words += cell_type(cell) == "text" and not any(map(str.isdigit, cell or ""))
    return words >= 2 and words >= 0.6 * typed


def _merge(headers: Sequence[Row]) -> list[str]:
    """One name per column; of a two-line header, "upper lower", where empty upper cells repeat the one before."""
    if not headers:
        return []
    if len(headers) == 1:
        return [cell or "" for cell in headers[0]]
    upper, lower = ([cell or "" for cell in row] for row in headers)
    lower += [""] * (len(upper) - len(lower))
    upper += [""] * (len(lower) - len(upper))
    below = [cell for cell in lower if cell.strip()]
    if len(set(below)) < len(below):
        for column in range(1, len(upper)):
            upper[column] = upper[column].strip() or upper[column - 1]
    return [f"{above} {under}".strip() for above, under in zip(upper, lower, strict=True)]


def _width(body: Sequence[Row], names: int) -> int:
    """Wide enough for the header and for all but one row in a hundred; empty trailing cells do not count."""
    widths = sorted(_used(row) for row in body)
    common = widths[min(len(widths) - 1, int(len(widths) * 0.99))]
    usual = Counter(map(len, body)).most_common(1)[0][0]
    return max(names, common, usual if not names else 0, 1)


def _used(row: Row) -> int:
    width = len(row)
    while width and not row[width - 1]:
        width -= 1
    return width
