"""What is a single cell, judged by its text alone: missing, a number, a date, a code, or words?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

Row = Sequence[str | None]

NUMBER = re.compile(
    r"[(<>~≈]?\s*[-+−]?\s*[$€£¥]?\s*(?:\d[\d,.'’\u00a0\u2009\u202f ]*|[.,]\d+)(?:[eE][-+]?\d+)?\s*(?:%|[$€£]|-)?\)?\*?"
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
UNIT = re.compile(
    r"[(\[].{1,20}[)\]]|%|‰|[€$£¥]|[a-z°µμ%$€£]{1,4}[²³23]?(/[a-z°µ]{1,6}[²³23]?)?|(million|thousand|number|count|percent)s?",
    re.IGNORECASE,
)
SHORTEST_HASH = 24  # digits of a hexadecimal number that is a code
MISSING = {"", "na", "n/a", "n.a.", "nan", "null", "none", "x", "\\n"}  # and cells without any letter or digit


@lru_cache(maxsize=1 << 14)
def cell_type(cell: str | None) -> str:
    """missing, number, date, code (an id that cannot be a column name) or text."""
    cell = (cell or "").strip()
    if cell.isdecimal():
        return "number"
    if cell.isalpha() and len(cell) < SHORTEST_HASH:  # most cells are a word or a whole number: no pattern is needed
        return "missing" if cell.casefold() in MISSING else "text"
    if cell.casefold() in MISSING or not any(map(str.isalnum, cell[:60])):
        return "missing"
    if len(cell) > 60:
        return "code" if len(cell) <= 300 and CODE.fullmatch(cell) else "text"
    if DATE.fullmatch(cell):
        return "date"
    if NUMBER.fullmatch(cell):
        return "number"
    return "code" if CODE.fullmatch(cell) else "text"


def filled(row: Row) -> int:
    """How many cells are not blank."""
    return len(list(filter(str.strip, filter(None, row))))


def is_blank(row: Row) -> bool:
    return not any(map(str.strip, filter(None, row)))


def used(row: Row) -> int:
    """How many cells there are up to the last one that is not empty."""
    width = len(row)
    while width and not row[width - 1]:
        width -= 1
    return width
