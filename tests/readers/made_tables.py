"""Tables whose names and cells are known, for the tests of layouts: words, whole numbers, decimals, dates, codes."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from random import Random

from hypothesis import strategies as st

NAMES = ["station", "Height", "unit price", "stock", "remark", "born", "Wind speed", "city", "share", "kind", "ratio"]
WORDS = ["Ada", "copper wire", "Old Mill Road", "Riverside", "blue chair", "Tom", "garden hose", "Lima", "rain barrel"]
KINDS = ["number", "decimal", "date", "word"]


def _cell(kind: str, random: Random) -> str:
    if kind == "number":
        return str(random.randint(0, 9999))
    if kind == "decimal":
        return f"{random.randint(0, 99_999) / 100:.2f}"
    return random.choice(WORDS) if kind == "word" else f"{random.randint(1990, 2020)}-03-{random.randint(1, 28):02}"


@dataclass
class Made:
    names: list[str]
    rows: list[list[str]]

    def text(self, delimiter: str = ",", newline: str = "\n") -> str:
        return written([self.names, *self.rows], delimiter, newline)


def written(rows: list[list[str]], delimiter: str = ",", newline: str = "\n") -> str:
    sink = io.StringIO()
    csv.writer(sink, delimiter=delimiter, lineterminator=newline).writerows(rows)
    return sink.getvalue()


@st.composite
def made_tables(draw: st.DrawFn, least_columns: int = 3, least_rows: int = 4) -> Made:
    """A table of words and, in two columns or more, values."""
    random = draw(st.randoms(use_true_random=False))
    width = random.randint(least_columns, 6)
    kinds = ["word", "number", "decimal", *random.choices(KINDS, k=3)][:width]
    random.shuffle(kinds)
    rows = [[_cell(kind, random) for kind in kinds] for _ in range(random.randint(least_rows, 12))]
    return Made(random.sample(NAMES, width), rows)
