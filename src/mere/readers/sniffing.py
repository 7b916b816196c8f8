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
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, islice

from mere.readers.commas import MOST_TITLES, cells_of, divider_of_numbers, is_one_column
from mere.readers.dialects import Dialect, lines_of
from mere.readers.header_evidence import words_over_values
from mere.readers.long_delimiters import long_delimiters, with_row_end
from mere.readers.quotes import QUOTES, SOUND_WEIGHT, complete, fits_quotes, quotes_in, usual_quote, without_quoted

SAMPLE_LINES = 80
SAMPLE_CHARACTERS = 16_000
STACKED = 0.75  # of the rows are in runs of one width...
SHORTEST_RUN = 4  # ...of at least so many rows, if a text has several tables
FEWEST_LINES = 12  # of a sample, however long they are
LOOK_ROWS = 20  # whose cells are looked at

# Prior weight of each delimiter: the weak ones are mostly just text.
PRIOR = {",": 1.0, ";": 1.0, "\t": 1.05, "|": 1.0, "^": 0.9, "~": 0.9, "\x01": 1.0, "\x1f": 1.0, "\x02": 1.0,
         "\x1e": 1.0, "\x14": 1.0, "¦": 0.9, "§": 0.8, "¬": 0.8, "#": 0.7, ":": 0.5, " ": 0.4, "!": 0.35,
         "*": 0.35, "&": 0.35}  # fmt: skip
WEAK = 0.75
LONG_PRIOR = 1.1  # of delimiters of several characters
BY_EXTENSION = {".csv": ",;", ".tsv": "\t", ".tab": "\t", ".psv": "|", ".ssv": "; "}
ONE_COLUMN = 0.25  # score of a table of a single column if the extension is that of a table
BY_EXTENSION_WEIGHT = 1.2  # for the delimiter that the extension suggests
QUOTE_WEIGHTS = {'"': 1.0, "": 0.9}  # the latter for leaving quote characters in the cells
OTHER_QUOTES_WEIGHT = 0.98
LEAST_SCORE = 0.12  # of a table; text below this score is not a table
HEADLESS = 0.85  # factor if the first line has another width...
HEADLESS_WEAK = 0.5  # ...for a weak delimiter: entries of three words under a header of one word are one column
ABSENT = 0.5  # ...for `~` or `^` if the first line has none: an address with a `~` under a header is one column
RIVALLED = 0.4  # ...if it has none, and another delimiter divides it as it divides the rows
EVEN = 0.5  # so even must the rows of the other delimiter be
USUAL = ",;\t|"
FEWEST_REGULAR = 4  # lines that make a weak delimiter likely by their equal widths
COMMENTS = 0.5  # factor of the score of `#` if some lines are comments
EMPTY_COLUMNS = 0.9  # how much of the score would be lost if all columns were empty: `||` split at `|`

UNSPLIT = re.compile(r"[;\t|^~\x01\x1f]|\d,\d+[^\d%,. ]|,(?! )")
BROKEN = re.compile(r"""["'`][,;\t|^~]|[,;\t|^~]["'`]|^["'`]$""")  # a delimiter inside a quoted cell split it
DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*%?")
SUSPECT = (",", ";", "\t", "|", "^", "~", "\x01", "\x1f", "\n", *QUOTES)  # without these a cell is clean
# A line that is one value with colons inside: a time, an address of the web, a word and what it says.
ONE_VALUE = re.compile(
    r"[-\d/. T]*\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[ap]m|z|[+-]\d\d:?\d\d)?|\w+://\S*|[^:]*: .*", re.I
)


@dataclass(frozen=True)
class Candidate:
    delimiter: str
    quote: str
    weight: float  # before its rows are looked at
    handicap: float  # the part of it that counts only against other candidates
    bound: float  # about the highest score that it can have


def detect_dialect(text: str, extension: str) -> tuple[Dialect, float]:
    """The dialect of a sample and its score; a score under `LEAST_SCORE` means prose."""
    newline = _newline(text)
    special = with_row_end(text, newline)
    if special is not None:
        return special, 1.0
    sample = _sample(text)
    if is_one_column(sample):
        return Dialect("\x1f", "", newline=newline), ONE_COLUMN
    best, found, handicap = 0.0, Dialect(), 1.0
    for candidate in _candidates(sample, extension):
        if candidate.bound <= best:
            break
        if candidate.quote != '"' and fits_quotes(sample, candidate.delimiter):
            continue  # the double quotes are quotes
        dialect, quoting = complete(candidate.delimiter, candidate.quote, newline, sample)
        score = _score(sample, dialect, candidate.weight) * quoting
        if score > best:
            best, found, handicap = score, dialect, candidate.handicap
    weak = PRIOR.get(found.delimiter, LONG_PRIOR) < WEAK
    floor = ONE_COLUMN if weak or extension in BY_EXTENSION else LEAST_SCORE
    if best / handicap >= floor:
        return found, best / handicap
    quote = usual_quote(sample)
    if suggested := _suggested(sample, extension):
        return Dialect(suggested, quote, newline=newline), floor
    return _one_column(sample, quote, newline), 0.0


def _candidates(sample: str, extension: str) -> list[Candidate]:
    """All that can be a dialect, the highest bound first."""
    candidates = []
    for quote in quotes_in(sample):
        lines = _lines(without_quoted(sample, quote))
        rest, long = "\n".join(lines), long_delimiters(lines)
        best = SOUND_WEIGHT if quote and quote in sample else 1.0
        delimiters = [*filter(rest.__contains__, PRIOR), *long]
        divider = divider_of_numbers(lines, [*long, *delimiters], extension)
        if divider:
            delimiters.remove(",")
        shapes = {each: _shape(lines, each, "\\" in rest) for each in delimiters}
        if divider:
            shapes[divider] = _even([len(cells_of(line, divider)) for line in lines])
        rivalled = any(
            each in USUAL and even >= EVEN and lines[0].count(each) + 1 == width
            for each, (width, even) in shapes.items()
        )
        for delimiter, (width, even) in shapes.items():
            if even and delimiter == divider:
                weight = max(WEAK, _prior(delimiter, quote, extension))
                candidates.append(Candidate(delimiter, quote, weight, 1.0, even * weight * best))
            elif even:
                weight = _prior(delimiter, quote, extension) * _doubt(delimiter, width, lines, long)
                between = weight < WEAK and quote and _is_between(delimiter, quote, sample, len(lines))
                table = _below_titles(lines, delimiter, width, bool(between)) if weight < WEAK else lines
                weight = WEAK if between else weight
                weight += (1 - min(1, weight)) * _regular(width, even if table is lines else 1, len(table))
                handicap = _handicap(table[0].count(delimiter) + 1, width, weight, bool(quote) and quote in sample)
                undone = max(handicap, HEADLESS)
                if delimiter not in table[0]:
                    handicap, undone = _absent(delimiter, extension, rivalled, handicap)
                weight *= handicap
                bound = even * (1 - 1 / width) * weight * best
                candidates.append(Candidate(delimiter, quote, weight, undone, bound))
    return sorted(candidates, key=lambda candidate: -candidate.bound)


def _is_between(delimiter: str, quote: str, sample: str, lines: int) -> bool:
    """Whether a delimiter is between two quoted cells in most lines, and no comma is beside one, as in JSON."""
    return sample.count(quote + delimiter + quote) * 2 > lines and f"{quote}," not in sample


def _below_titles(lines: list[str], delimiter: str, width: int, sure: bool) -> list[str]:
    """The lines below one title or two, if all have the same width, and the first is a header without doubt.

    The latter need not be shown if it is `sure` that the delimiter is one.
    """
    if lines[0].count(delimiter) + 1 == width or lines[-1].count(delimiter) + 1 != width:
        return lines
    widths = [line.count(delimiter) + 1 for line in lines]
    top = next((at for at, each in enumerate(widths) if each == width), 0)
    table = lines[top:]
    if not 0 < top <= MOST_TITLES or len(table) < FEWEST_REGULAR or len(set(widths[top:])) > 1:
        return lines
    header, *rows = (line.split(delimiter) for line in table)
    words, typed = words_over_values(header, rows)
    return table if sure or (words and words * 2 >= typed) else lines


def _handicap(first: int, width: int, weight: float, quoted: bool) -> float:
    """Below 1 if the first line has another width: entries of three words under a header of one word are one column.

    A header one field shorter than rows with quotes is one above row names.
    """
    if first == width or (quoted and first == width - 1 > 1):
        return 1.0
    return HEADLESS_WEAK if weight < WEAK else HEADLESS


def _absent(delimiter: str, extension: str, rivalled: bool, handicap: float) -> tuple[float, float]:
    """The handicap of a delimiter that the first line does not have, and the part that counts only against others."""
    if delimiter in PRIOR and delimiter.isprintable() and delimiter not in USUAL + BY_EXTENSION.get(extension, ""):
        return min(handicap, ABSENT), 1.0
    handicap = min(handicap, RIVALLED) if rivalled else handicap
    return handicap, max(handicap, RIVALLED if rivalled else HEADLESS)


def _regular(width: int, even: float, lines: int) -> float:
    """How unlikely it is that a character divides every line into so many cells by chance, between 0 and 1."""
    return max(0.0, 1 - 3 / width) if even == 1 and lines >= FEWEST_REGULAR else 0.0


def _doubt(delimiter: str, width: int, lines: list[str], long: list[str]) -> float:
    """Below 1 for a `#` that starts comments, and for a delimiter that occurs doubled and so makes empty columns."""
    if delimiter == "#" and any(line[0] == "#" and line.count("#") + 1 != width for line in lines):
        return COMMENTS
    if delimiter * 2 not in long:
        return 1.0
    rows = [line.split(delimiter) for line in lines if line.count(delimiter) + 1 == width]
    filled = [any(column) for column in zip(*rows, strict=True)]
    return 1 - EMPTY_COLUMNS * filled.count(False) / width


def _lines(text: str) -> list[str]:
    return [line for line in text.replace("\r", "\n").split("\n") if line and not line.isspace()]


def _shape(lines: list[str], delimiter: str, backslashes: bool) -> tuple[int, float]:
    """Width and evenness of the lines, divided at each delimiter, or at those that no backslash escapes."""
    counts = [line.count(delimiter) + 1 for line in lines]
    if not backslashes:
        return _even(counts)
    others = [count - line.count(f"\\{delimiter}") for count, line in zip(counts, lines, strict=True)]
    return max(_even(counts), _even(others), key=lambda shape: shape[1])


def _even(widths: list[int]) -> tuple[int, float]:
    """The usual width of a row if more than one cell, and how even the widths are, between 0 and 1."""
    usual, regular = max(Counter(widths).items(), key=lambda item: (item[1] * (item[0] > 1), item[0]), default=(1, 0))
    if usual < 2:
        return 1, 0.0
    reach = len(widths) - widths.index(usual) - widths[::-1].index(usual)
    even = (regular / reach) ** 2 * (reach / len(widths)) ** 0.5
    if regular * 4 < 3 * len(widths):
        even = max(even, _even_in_runs(widths))
    return usual, even * min(1.0, 0.4 + 0.2 * len(widths))  # one row is always even: a stray quote may have merged all


def _even_in_runs(widths: list[int]) -> float:
    """How even the rows of several tables, one below the other, are: most rows are in runs of one width."""
    runs = [(width, len(list(run))) for width, run in groupby(widths)]
    share = sum(count for width, count in runs if width > 1 and count >= SHORTEST_RUN) / len(widths)
    return share**2 if share >= STACKED else 0.0


def _prior(delimiter: str, quote: str, extension: str) -> float:
    suggested = delimiter in BY_EXTENSION.get(extension, "")
    prior = PRIOR.get(delimiter, LONG_PRIOR) * (BY_EXTENSION_WEIGHT if suggested else 1.0)
    return prior * QUOTE_WEIGHTS.get(quote, OTHER_QUOTES_WEIGHT)


def _score(sample: str, dialect: Dialect, weight: float) -> float:
    """Evenness of row widths, times cleanliness of cells, times weight; between 0 and about 1.2."""
    rows = [row for row in dialect.rows(lines_of(sample)) if len(row) > 1 or (row and row[0].strip())]
    width, even = _even(list(map(len, rows)))
    if not even or (dialect.delimiter == ":" and _are_single_values(sample)):
        return 0.0
    fits = [row for row in rows if len(row) == width]
    return even * _clean(fits[:LOOK_ROWS], dialect) * (1 - 1 / width) * weight


def _are_single_values(sample: str) -> bool:
    lines = _lines(sample)[:LOOK_ROWS]
    return sum(ONE_VALUE.fullmatch(line) is not None for line in lines) * 2 > len(lines)


def _clean(rows: list[list[str]], dialect: Dialect) -> float:
    """The share of cells that do not look like two unsplit cells, or like half of a quoted cell."""
    cells = [cell for row in rows for cell in row[:40] if cell]
    if not cells:
        return 0.3
    if not any(map("\x00".join(cells).__contains__, SUSPECT)):
        return 1.0
    dirty = sum([0.6 for cell in cells if _is_unsplit(cell, dialect.quote)])
    quoted = [cell[:200] for cell in cells if '"' in cell or "'" in cell or "`" in cell]
    broken = sum([1.2 for cell in quoted if BROKEN.search(cell)])
    return max(0.1, 1 - (dirty + broken) / len(cells))


def _is_unsplit(cell: str, quote: str) -> bool:
    if len(cell) > 200:
        return cell.count("\n") > 20
    if cell[0] in QUOTES and cell[0] != quote:
        return True
    return UNSPLIT.search(cell) is not None and DECIMAL_COMMA.fullmatch(cell) is None


def _suggested(sample: str, extension: str) -> str:
    """The delimiter that the extension suggests, if the first line and most others contain it; titles do not."""
    lines = [line for line in sample.splitlines() if line.strip() and not line.startswith("#")]
    for delimiter in BY_EXTENSION.get(extension, ""):
        if lines and delimiter in lines[0] and sum(delimiter in line for line in lines) * 4 >= 3 * len(lines):
            return delimiter
    return ""


def _one_column(sample: str, quote: str, newline: str) -> Dialect:
    """No delimiter; a comma is assumed so that a quoted cell is still unquoted."""
    comma = Dialect(",", quote, newline=newline)
    rows = [row for row in comma.rows(lines_of(sample)) if row]
    if sample.count(",") and any(len(row) > 1 for row in rows):
        return Dialect("\x1f", "", newline=newline)
    return comma


def _sample(text: str) -> str:
    """The first lines, uncut: enough rows to compare, few enough to parse several times."""
    return "".join(_first_lines(text))


def _first_lines(text: str) -> Iterator[str]:
    size = 0
    for number, line in enumerate(islice(lines_of(text), SAMPLE_LINES), 1):
        yield line
        size += len(line)
        if size >= SAMPLE_CHARACTERS and number >= FEWEST_LINES:
            return


def _newline(text: str) -> str:
    if "\n" not in text:
        return "\r" if "\r" in text else "\n"
    if "\r" not in text:
        return "\n"
    for end in ("\r\r\n", "\r\n"):
        if text.count(end) * 2 > text.count("\n"):
            return end
    return "\r" if text.count("\r") > 10 * text.count("\n") else "\n"
