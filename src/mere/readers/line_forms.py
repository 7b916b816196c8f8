"""Are the lines of a text rows in another form: in quotes as a whole, or pairs `key=value`?

    "1,Ann,3"              an export that took each row for a cell: without these quotes, a row
    ts=12:00 temp=0.5      the same keys in each line: they are the columns

Such a text of up to 4 MiB is read as if it were written as usual. A longer one is read as it is.
"""

from __future__ import annotations

import io
import re

from mere.readers.dialects import Dialect
from mere.readers.not_tables import SUGGESTED
from mere.readers.source import SMALL, Content, Source

DELIMITERS = ",;\t|"
QUOTED = re.compile(r'"(?:[^"]|"")*"')
PAIR = re.compile(r'([\w.-]+)=("[^"\t]*"|[^\s"=;,|&]*)')
PAIRS = re.compile(rf"{PAIR.pattern}(?:[ \t;,|&]+{PAIR.pattern})+[;,|&]?")
FEWEST_PAIRS = 3  # lines
OUTER_NOTE = "each line was in quotes as a whole: they were left out"
PAIRS_NOTE = "each line has the same keys, as in {}=...: they are the columns"
BOM = "\ufeff"


def as_usual(source: Source) -> tuple[Source, list[str]]:
    """The text in the usual form, and what to tell about it; or the source as it is."""
    head, complete = source.head(SMALL) if source.small and not source.fault else (b"", False)
    first = head[: head.find(b"\n")].removeprefix(BOM.encode()).strip()
    if not complete or not (first[:1] == first[-1:] == b'"' or first.count(b"=") > 1):
        return source, []
    text = head.decode("utf-8", "surrogateescape").removeprefix(BOM)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    rows, note = _without_outer_quotes(lines), OUTER_NOTE
    if not rows and source.extension not in SUGGESTED:
        rows, note = _from_pairs(lines)
    if not rows:
        return source, []
    data = "".join(f"{row}\n" for row in rows).encode("utf-8", "surrogateescape")
    return Source(source.name, Content(lambda: io.BytesIO(data), len(data)), source.limits), [note]


def _without_outer_quotes(lines: list[str]) -> list[str]:
    """The lines without the quotes around each, if a delimiter then divides them into rows of one width; else none."""
    if len(lines) < 2 or not all(map(QUOTED.fullmatch, lines)):
        return []
    inner = [line[1:-1].replace('""', '"') for line in lines]
    return inner if any(_divides(delimiter, inner) for delimiter in DELIMITERS) else []


def _divides(delimiter: str, lines: list[str]) -> bool:
    """Whether rows have one width, and not each delimiter is a comma of a sentence, with a blank after it."""
    widths = {len(row) for row in Dialect(delimiter).rows(iter(lines))}
    spaced = all(line.count(delimiter) == line.count(f"{delimiter} ") for line in lines)
    return len(widths) == 1 and widths != {1} and not spaced


def _from_pairs(lines: list[str]) -> tuple[list[str], str]:
    """Rows below a header of keys, and a note, if all lines have the same keys; else none."""
    if len(lines) < FEWEST_PAIRS or not all(map(PAIRS.fullmatch, lines)):
        return [], ""
    pairs = [PAIR.findall(line) for line in lines]
    keys = [key for key, _ in pairs[0]]
    if len(set(keys)) < len(keys) or any([key for key, _ in row] != keys for row in pairs):
        return [], ""
    rows = ["\t".join(value.strip('"') for _, value in row) for row in pairs]
    return ["\t".join(keys), *rows], PAIRS_NOTE.format("=..., ".join(keys[:3]))
