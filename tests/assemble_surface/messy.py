"""Bundles of messy tables, and what is true of them by plain SQL over normalised cells.

`normalised` is the definition in short: a cell is its number, its date or its truth value where a table of the bundle
has a column of these, and its folded text elsewhere.  It shares no code with the product; DuckDB counts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import combinations
from random import Random

import duckdb

Cells = list[str | None]
MISSING = ("", "n/a", "NULL", None)
WORDS = ["on request", "Näheres", "ＷＩＤＥ", "straße", "日本", "unknown", "see note", "It's"]
TRUE, FALSE = ("true", "yes", "t", "y", "1"), ("false", "no", "f", "n", "0")
PAIRS = [{"true", "false"}, {"yes", "no"}, {"t", "f"}, {"y", "n"}]
DATES = ("%Y-%m-%d", "%Y/%m/%d", "%d/%m/%Y", "%d %b %Y")
NUMBER_SHARE, WITH_LABELS = 0.66, 0.9


def spelled(family: str, style: int, n: int) -> str:
    """One of a few values, as a table of some style writes it."""
    day = datetime(2021, 1 + n % 12, 13 + n % 9)
    ways = {
        "money": [f"€ {n}", f"{n}.50 EUR", f"€{n:,}.00", str(n)],
        "dollars": [f"${n}", f"$ {n}", f"${n}.00", f"${n},000.00"],
        "percent": [f"{n} %", f"{n}%", f"{n}.0 %", f"{n}.25%"],
        "comma": [f"{n},50", f"{n}.000,50", f"{n + 1}.250,75", f"{n},25"],
        "thousands": [f"{n + 1},107", f"{n + 1},{n:03}", f"{(n + 1) * 1000 + 107}", f"{n + 1},000,107"],
        "point": [f"{n}.5", f"{n}.50", f"{n + 1},000.5", f"{n + 1}000.5"],
        "codes": [f"{n:03}", str(n), f"{n:02}", f"{n}00"],
        "dates": [day.strftime(each) for each in DATES],
        "flags": [("yes", "no")[n % 2], ("TRUE", "FALSE")[n % 2], ("y", "n")[n % 2], str(n % 2)],
        "words": [WORDS[n % 8], WORDS[n % 8].upper(), f" {WORDS[n % 8]}  ", unicodedata.normalize("NFD", WORDS[n % 8])],
        "mixed": [WORDS[n % 8], f"{n}.50", f"room {n}", str(n)],
    }
    return ways[family][style]


FAMILIES = ["money", "dollars", "percent", "comma", "thousands", "point", "codes", "dates", "flags", "words", "mixed"]


@dataclass(frozen=True)
class Bundle:
    names: list[str]
    tables: list[list[Cells]]  # the base first; rows of cells
    prices: list[int]
    budget: int


def bundle(random: Random) -> Bundle:
    families = random.sample(FAMILIES, random.randint(1, 3))
    if "comma" in families and {"thousands", "point"} & set(families):  # which would tell each other's decimal mark
        families.remove("comma")
    count = random.randint(2, 5)
    tables = [_table(random, families) for _ in range(count)]
    for number in range(1, count):  # rows that two tables spell alike
        other = random.choice(tables[:number])
        tables[number] += random.sample(other, random.randint(0, len(other)))
    return Bundle(["shop", *families], tables,
                  [random.randint(1, 4) for _ in tables[1:]], random.randint(4, 9))  # fmt: skip


def _table(random: Random, families: Sequence[str]) -> list[Cells]:
    rows = random.choice([0, 1, 2, 12, 30])
    columns = []
    for family in families:
        styles = random.sample(range(4), random.choice([1, 1, 2, 4]))
        others = random.choice(
            [0, 0, 0.05, 0.5, 0.5]
        )  # words among them: a few, or so many that it is a column of text
        missing = random.choice([0, 0.1])
        columns.append([_cell(random, family, styles, others, missing) for _ in range(rows)])
    shops = [f"shop {random.randrange(2)}" for _ in range(rows)]  # so that no row looks like a second header
    return [list(row) for row in zip(shops, *columns, strict=True)]


def _cell(random: Random, family: str, styles: Sequence[int], others: float, missing: float) -> str | None:
    if random.random() < missing:
        return random.choice(MISSING)
    return (
        random.choice(WORDS)
        if random.random() < others
        else spelled(family, random.choice(styles), random.randrange(12))
    )


# The definition.


def fold(cell: str | None) -> str | None:
    text = " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", cell or "").casefold()).split())
    return None if text in ("", "n/a", "null") else text


def number(text: str, unit: str | None) -> str | None:
    """The number of a text; `unit` is that of its column, None if it does not matter."""
    match = re.fullmatch(r"([€$]?) ?([0-9.,]+) ?(%|eur|)", text)
    if not match or (unit is not None and (match[1] or match[3]).replace("eur", "€") not in ("", unit)):
        return None
    digits = match[2]
    if re.fullmatch(r"[0-9]+,[0-9]{1,2}|[0-9]{1,3}(\.[0-9]{3})+,[0-9]+", digits):
        digits = digits.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?", digits):
        digits = digits.replace(",", "")
    if not re.fullmatch(r"(0|[1-9][0-9]*)(\.[0-9]+)?", digits):
        return None
    return format(Decimal(digits).normalize(), "f")


def date(text: str) -> str | None:
    for form in DATES:
        try:
            return datetime.strptime(text, form).date().isoformat()
        except ValueError:
            continue
    return None


def kind_of(cells: Sequence[str]) -> str:
    """What a table takes a column for, given its folded cells."""
    if not cells:
        return "empty"
    words = set(cells)
    if any(words <= pair and (len(words) == 2 or len(min(words)) > 1) for pair in PAIRS):
        return "flags"
    labels = sum(not re.search("[0-9]", cell) for cell in cells)
    codes = any(re.fullmatch("0[0-9]+", cell) for cell in cells)
    unit = unit_of(cells)
    for kind, found in (("numbers", [number(c, unit) for c in cells]), ("dates", [date(c) for c in cells])):
        hits = sum(each is not None for each in found)
        if hits >= NUMBER_SHARE * len(cells) and hits + labels >= WITH_LABELS * len(cells):
            return "text" if codes and kind == "numbers" else kind
    return "text"


def unit_of(cells: Sequence[str]) -> str:
    units = [match[0].replace("eur", "€") for cell in cells if number(cell, None)
             for match in [re.search("[€$%]|eur", cell)] if match]  # fmt: skip
    return max(units, key=units.count) if units else ""


def normalised(bundle: Bundle) -> list[list[tuple[str | None, ...]]]:
    """The rows of all tables in one form per column."""
    columns = []
    for place in range(len(bundle.names)):
        folded = [[fold(row[place]) for row in table] for table in bundle.tables]
        filled = [[cell for cell in cells if cell is not None] for cells in folded]
        kinds = [kind_of(cells) for cells in filled]
        unit = next((unit_of(c) for c, kind in zip(filled, kinds, strict=True) if kind == "numbers" and unit_of(c)), "")
        columns.append([[None if c is None else _form(c, set(kinds), unit) for c in cells] for cells in folded])
    return [list(zip(*(column[table] for column in columns), strict=True)) for table in range(len(bundle.tables))]


def _form(cell: str, kinds: set[str], unit: str) -> str:
    if "dates" in kinds and (day := date(cell)):
        return day
    if "numbers" in kinds and (plain := number(cell, unit)):
        cell = plain
    if "flags" in kinds and not kinds & {"text", "dates"} and cell in (*TRUE, *FALSE):
        return "1" if cell in TRUE else "0"
    return plain if re.fullmatch(r"[0-9.]+", cell) and (plain := number(cell, "")) else cell


def has_one_reading(bundle: Bundle) -> bool:
    """Whether no number may have thousands or decimals, or a column of numbers shows which.

    All of them have decimal points: no bundle has `1,107` and decimal commas.
    """
    any_open = any_shown = False
    for place in range(len(bundle.names)):
        folded = [[cell for row in table if (cell := fold(row[place])) is not None] for table in bundle.tables]
        kinds = [kind_of(cells) for cells in folded]
        if "numbers" in kinds:
            any_open |= any(re.fullmatch("[1-9][0-9]{0,2},[0-9]{3}", cell) for cells in folded for cell in cells)
        shown = [cell for cells, kind in zip(folded, kinds, strict=True) if kind == "numbers" for cell in cells]
        any_shown |= any(re.search("[.].|,.*,", cell) and number(cell, None) for cell in shown)
    return any_shown or not any_open


class Counted:
    """The rows of a bundle in DuckDB."""

    def __init__(self, given: Bundle) -> None:
        self.given, self._db = given, duckdb.connect()
        columns = ", ".join(f"c{place} VARCHAR" for place in range(len(given.names)))
        self._db.execute(f"CREATE TABLE rows (t INTEGER, {columns})")
        rows_of = normalised(given)
        self.normalised = {
            (t, tuple(map(fold, row))): form
            for t, (table, forms) in enumerate(zip(given.tables, rows_of, strict=True))
            for row, form in zip(table, forms, strict=True)
        }
        marks = ", ".join("?" * (1 + len(given.names)))
        for number, rows in enumerate(rows_of):
            for row in rows:
                self._db.execute(f"INSERT INTO rows VALUES ({marks})", [number, *row])

    def distinct(self, tables: Sequence[int]) -> int:
        """How many distinct rows the base and some tables have; a null equals a null."""
        chosen = ", ".join(map(str, (0, *tables)))
        query = f"SELECT count(*) FROM (SELECT DISTINCT * EXCLUDE (t) FROM rows WHERE t IN ({chosen}))"
        return int(self._db.execute(query).fetchall()[0][0])

    def best(self) -> int:
        """The most rows of any bundle that can be paid."""
        offers = range(1, len(self.given.tables))
        sets = (some for size in range(len(offers) + 1) for some in combinations(offers, size))
        return max(self.distinct(s) for s in sets if sum(self.given.prices[t - 1] for t in s) <= self.given.budget)
