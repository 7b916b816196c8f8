"""Which dialect does a text have?

A candidate is a delimiter and a quote character. Its score says how even the widths of its rows are and how many
cells look like single values rather than like several cells that were not split. The idea to judge a dialect by
regular rows *and* clean cells is that of van den Burg, Nazabal, Sutton: Wrangling Messy CSV Files (2019); this
score is different and much cheaper, because a lake has many small files.

Departs: how even the rows can be is counted first, per line, on a text without its quoted cells. That bounds the
score, so candidates are parsed best bound first, and most of them not at all.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

from mere.readers.blocks import is_sound, quote_positions
from mere.readers.dialects import UNESCAPED, WHITESPACE, Dialect, lines_of
from mere.readers.long_delimiters import long_delimiters, with_row_end
from mere.readers.quoting import Quoting

SAMPLE_LINES = 80
SAMPLE_CHARACTERS = 16_000
FEWEST_LINES = 12  # of a sample, however long they are

# Prior weight of each delimiter: most of them are mostly just text.
PRIOR = {",": 1.0, ";": 1.0, "\t": 1.05, "|": 1.0, "^": 0.9, "~": 0.9, ":": 0.45, " ": 0.4, "#": 0.7, "\x01": 1.0,
         "\x1f": 1.0, "\x02": 1.0, "\x1e": 1.0, "\x14": 1.0, "¦": 0.9, "§": 0.8, "¬": 0.8, "!": 0.35, "*": 0.35,
         "&": 0.3, "@": 0.3, "=": 0.3, "$": 0.3, "%": 0.3}  # fmt: skip
WEAK = 0.75  # delimiters below this are not looked for below a line without them
LONG_PRIOR = 1.1  # of delimiters of several characters
BY_EXTENSION = {".csv": ",;", ".tsv": "\t", ".tab": "\t", ".psv": "|", ".ssv": "; "}
ONE_COLUMN = 0.2  # score of a table of a single column if the extension is that of a table
BY_EXTENSION_WEIGHT = 1.2  # for the delimiter that the extension suggests
SOUND_WEIGHT = 1.3  # for a delimiter with which every quote opens or closes a cell
NO_QUOTES_WEIGHT = 0.9  # for leaving quote characters in the cells
LEAST_SCORE = 0.12  # of a table; text below this score is not a table
EMPTY_COLUMNS = 0.5  # how much of the score is lost if all columns are empty: `||` split at `|`
QUOTES = ('"', "'", "`")

UNSPLIT = re.compile(r"[;\t|^~\x01\x1f]|\d,\d+[^\d%,. ]|,(?! )")
BROKEN = re.compile(r"""["'`][,;\t|^~]|[,;\t|^~]["'`]|^["'`]$""")  # a delimiter inside a quoted cell was taken for one
DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*%?")
LINE_END = re.compile(r"[\r\n]+")
QUOTED = {q: re.compile(rf"(?<!\w){q}[^{q}]*+(?:{q}{q}[^{q}]*+)*+{q}(?!\w)") for q in QUOTES}
OPENING = {q: re.compile(rf"(?:^|[^\w\s]|[\t ]){q}[^{q}\n]*{q}(?:[^\w\s]|[\t \r\n]|$)", re.MULTILINE) for q in "'`"}
# A line that is one value with a weak delimiter inside: a time, an address of the web, a sentence with a colon.
ONE_VALUE = re.compile(r"[-\d/. T]*\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[aApP][mM]|Z|[+-]\d\d:?\d\d)?|\w+://\S*|[^:]*: .*")


@dataclass(frozen=True)
class Candidate:
    delimiter: str
    quote: str
    bound: float  # the score that it can have at most


def detect_dialect(text: str, extension: str) -> tuple[Dialect, float]:
    """The dialect of a sample and its score; a score under `LEAST_SCORE` means prose."""
    newline = _newline(text)
    special = with_row_end(text, newline)
    if special is not None:
        return special, 1.0
    sample = _sample(text)
    quotes = _quotes(sample)
    best, found = 0.0, Dialect(newline=newline)
    for candidate in _candidates(sample, quotes, extension):
        if candidate.bound <= best:
            break
        dialect = Dialect(candidate.delimiter, candidate.quote, newline=newline)
        score = _score(sample, dialect, extension) * _sound_weight(sample, dialect)
        if score > best:
            best, found = score, dialect
    floor = ONE_COLUMN if extension in BY_EXTENSION else LEAST_SCORE
    if best >= floor:
        return _refine(found, sample), best
    if suggested := _suggested(sample, extension):
        return Dialect(suggested, quotes[0], newline=newline), floor
    return _one_column(sample, quotes, newline), 0.0


def _candidates(sample: str, quotes: list[str], extension: str) -> list[Candidate]:
    """All that can be a dialect, the highest bound first."""
    found = []
    for quote in quotes:
        lines = [line for line in LINE_END.split(QUOTED[quote].sub("q", sample) if quote else sample) if line.strip()]
        rest = "\n".join(lines)
        weight = SOUND_WEIGHT if quote and quote in sample else 1.0 if quote else NO_QUOTES_WEIGHT
        for delimiter in [*filter(rest.__contains__, PRIOR), *long_delimiters(lines)]:
            counts = [line.count(delimiter) for line in lines]
            width, even = _even([count + 1 for count in counts])
            bound = even * (1 - 1 / width) * _prior(delimiter, extension) * weight
            if bound > 0:
                found.append(Candidate(delimiter, quote, bound))
    return sorted(found, key=lambda candidate: -candidate.bound)


def _even(widths: list[int]) -> tuple[int, float]:
    """The usual width of a row if more than one cell, and how even the widths are, between 0 and 1."""
    usual, regular = max(Counter(widths).items(), key=lambda item: (item[1] * (item[0] > 1), item[0]), default=(1, 0))
    if usual < 2:
        return 1, 0.0
    first = widths.index(usual)
    reach = len(widths) - first - widths[::-1].index(usual)
    even = (regular / reach) ** 2 * (reach / len(widths)) ** 0.5
    return usual, even * min(1.0, 0.4 + 0.2 * len(widths))  # one row is always even: a stray quote may have merged all


def _prior(delimiter: str, extension: str) -> float:
    suggested = delimiter in BY_EXTENSION.get(extension, "")
    return PRIOR.get(delimiter, LONG_PRIOR) * (BY_EXTENSION_WEIGHT if suggested else 1.0)


def _sound_weight(sample: str, dialect: Dialect) -> float:
    if not dialect.quote or dialect.quote not in sample or len(dialect.delimiter) > 1:
        return 1.0
    data = sample.encode("utf-8", "surrogateescape")
    positions = quote_positions(data, dialect.quote)
    if len(positions) % 2 or not is_sound(data, positions, dialect.delimiter, inside=False):
        return 1.0
    return SOUND_WEIGHT


def _score(sample: str, dialect: Dialect, extension: str) -> float:
    """Evenness of row widths, times cleanliness of cells, times prior; between 0 and about 1.5."""
    rows = [row for row in dialect.rows(lines_of(sample)) if len(row) > 1 or (row and row[0].strip())]
    width, even = _even(list(map(len, rows)))
    if not even:
        return 0.0
    fits = [row for row in rows if len(row) == width]
    prior = _prior(dialect.delimiter, extension)
    if prior < WEAK and len(rows[0]) != width:
        prior /= 2  # entries of three words under a header of one word are still one column
    quoting = 1.0 if dialect.quote else NO_QUOTES_WEIGHT
    return even * _clean(fits[:20], dialect) * _filled(fits, dialect) * (1 - 1 / width) * prior * quoting


def _filled(rows: list[list[str]], dialect: Dialect) -> float:
    """Less than 1 if columns are empty in every row."""
    empty = sum(not any(column) for column in zip(*rows, strict=True))
    return 1 - EMPTY_COLUMNS * empty / len(rows[0])


def _clean(rows: list[list[str]], dialect: Dialect) -> float:
    """The share of cells that do not look like two unsplit cells, or like half of a quoted cell."""
    cells = [cell for row in rows for cell in row[:40] if cell]
    if not cells:
        return 0.3
    dirty = sum(0.6 for cell in cells if _is_unsplit(cell, dialect))
    quoted = [cell[:200] for cell in cells if '"' in cell or "'" in cell or "`" in cell]
    broken = sum(1.2 for cell in quoted if BROKEN.search(cell))
    return max(0.1, 1 - (dirty + broken) / len(cells))


def _is_unsplit(cell: str, dialect: Dialect) -> bool:
    if len(cell) > 200:
        return cell.count("\n") > 20
    if cell[0] in QUOTES and cell[0] != dialect.quote:
        return True
    return UNSPLIT.search(cell) is not None and DECIMAL_COMMA.fullmatch(cell) is None


def _refine(dialect: Dialect, sample: str) -> Dialect:
    """Escapes, blanks after delimiters and runs of blanks, each only if rows do not get less even."""
    if dialect.delimiter == " ":
        spaced = replace(dialect, delimiter=WHITESPACE, quote=dialect.quote if dialect.quote in sample else "")
        return spaced if _evenness(spaced, sample) >= _evenness(dialect, sample) else dialect
    if not dialect.quote or dialect.quote not in sample:
        return dialect
    padding = sample.count(f"{dialect.delimiter} {dialect.quote}")
    if padding > sample.count(dialect.delimiter + dialect.quote):
        padded = replace(dialect, skip_space=True)
        dialect = padded if _evenness(padded, sample) >= _evenness(dialect, sample) else dialect
    return _escaped(dialect, sample)


def _escaped(dialect: Dialect, sample: str) -> Dialect:
    """Backslashes before quotes; or quotes that are not escaped at all."""
    if f"\\{dialect.quote}" in sample:
        escaped = replace(dialect, escape="\\")
        within = rf"[^{re.escape(dialect.delimiter)}\r\n]"
        inside = re.search(rf"{within}\\{dialect.quote}{within}", sample)
        better = _evenness(escaped, sample) - _evenness(dialect, sample)
        if better > 0 or (better == 0 and inside):
            return escaped
    if dialect.escape or _sound_weight(sample, dialect) > 1:
        return dialect
    rows = Quoting(lines_of(sample), dialect.delimiter, dialect.quote, "", dialect.skip_space)
    widths = Counter(len(row) for row in rows if row)
    even = max(widths.values()) / sum(widths.values())
    return replace(dialect, escape=UNESCAPED) if rows.strays and even >= _evenness(dialect, sample) else dialect


def _evenness(dialect: Dialect, sample: str) -> float:
    counts = Counter(len(row) for row in dialect.rows(lines_of(sample)) if row)
    return max(counts.values()) / sum(counts.values()) if counts else 0.0


def _suggested(sample: str, extension: str) -> str:
    """The delimiter that the extension suggests, if the first line and nearly all others contain it."""
    lines = [line for line in sample.splitlines() if line.strip() and not line.startswith("#")]
    for delimiter in BY_EXTENSION.get(extension, ""):
        if lines and delimiter in lines[0] and sum(delimiter in line for line in lines) * 10 >= 9 * len(lines):
            return delimiter
    return ""


def _one_column(sample: str, quotes: list[str], newline: str) -> Dialect:
    """No delimiter; a comma is assumed so that a quoted cell is still unquoted."""
    comma = Dialect(",", quotes[0], newline=newline)
    rows = [row for row in comma.rows(lines_of(sample)) if row]
    if sample.count(",") and any(len(row) > 1 for row in rows):
        return Dialect("\x1f", "", newline=newline)
    return comma


def _sample(text: str) -> str:
    """The first lines, uncut: enough rows to compare, few enough to parse ten times."""
    lines: list[str] = []
    size = 0
    for line in lines_of(text):
        lines.append(line)
        size += len(line)
        if len(lines) >= SAMPLE_LINES or (size >= SAMPLE_CHARACTERS and len(lines) >= FEWEST_LINES):
            break
    return "".join(lines)


def _newline(text: str) -> str:
    if "\n" not in text:
        return "\r" if "\r" in text else "\n"
    for end in ("\r\r\n", "\r\n"):
        if text.count(end) * 2 > text.count("\n"):
            return end
    return "\r" if text.count("\r") > 10 * text.count("\n") else "\n"


def _quotes(sample: str) -> list[str]:
    """The quote characters worth trying, likeliest first."""
    others = [quote for quote, opening in OPENING.items() if quote in sample and opening.search(sample)]
    return ['"', *others, ""] if '"' in sample else ['"', *others]
