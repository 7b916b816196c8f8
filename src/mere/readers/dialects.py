"""How are the cells of a text file separated and quoted?

Every candidate delimiter splits a sample; the one chosen gives rows of the most even width, and cells that look
like single values rather than like several cells that were not split. The idea to judge a dialect by regular rows
*and* clean cells is that of van den Burg, Nazabal, Sutton: Wrangling Messy CSV Files (2019); this score is
different and much cheaper, because a lake has many small files.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from mere.readers.blocks import is_sound, quote_positions

csv.field_size_limit(1 << 30)  # the default, 128 KiB, refuses real cells; Limits.cell_bytes is our bound

SAMPLE_LINES = 80
SAMPLE_CHARACTERS = 16_000

# Prior weight of each delimiter: a space or a colon is mostly just text.
PRIOR = {",": 1.0, ";": 1.0, "\t": 1.05, "|": 1.0, "^": 0.9, "~": 0.9, ":": 0.3, " ": 0.4, "\x01": 1.0,
         "\x1f": 1.0}  # fmt: skip
BY_EXTENSION = {".csv": ",;", ".tsv": "\t", ".tab": "\t", ".psv": "|", ".ssv": "; "}
ONE_COLUMN = 0.25  # score of a table of a single column if the extension is that of a table
BY_EXTENSION_WEIGHT = 1.2  # for the delimiter that the extension suggests
SOUND_WEIGHT = 1.3  # for a delimiter with which every quote opens or closes a cell
LEAST_SCORE = 0.12  # of a table; text below this score is not a table
WHITESPACE = "whitespace"

UNSPLIT = re.compile(r"[;\t|^~\x01\x1f]|\d,\d+[^\d%,. ]|,(?! )")
BROKEN = re.compile(r"""["'][,;\t|^~]|[,;\t|^~]["']|^["']$""")  # a delimiter inside a quoted cell was taken for one
DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*%?")
OPENING = re.compile(r"(?:^|[,;\t|^~ :])'[^'\n]*'(?=[,;\t|^~ :\r\n]|$)", re.MULTILINE)
SPACED = re.compile(r'[,;|] +"')
MARK = r"[+|&~^:;#@$%*=!<>§¦¬-]"
PAIR = re.compile(f"(?=({MARK}{{2}}))")


@dataclass(frozen=True)
class Dialect:
    """How to turn text into rows. `row_end` is set only where rows do not end in a plain newline."""

    delimiter: str = ","
    quote: str = '"'
    escape: str = ""
    skip_space: bool = False
    newline: str = "\n"
    row_end: str = ""

    @property
    def plain(self) -> bool:
        """Whether Arrow's parser reads it: one-byte delimiter, doubled quotes, no padding."""
        return len(self.delimiter) == 1 and self.delimiter.isascii() and not (self.escape or self.skip_space)

    def rows(self, lines: Iterator[str]) -> Iterator[list[str]]:
        """Rows of an iterator over lines that keep their ends."""
        if self.delimiter == WHITESPACE and not self.quote:
            return (line.split() for line in lines)
        if self.delimiter == WHITESPACE:
            return ([cell for cell in row if cell] for row in self._csv((line.strip() + "\n" for line in lines), " "))
        if len(self.delimiter) > 1:
            return (line.rstrip("\r\n").removesuffix(self.row_end).split(self.delimiter) for line in lines)
        return self._csv(lines, self.delimiter)

    def _csv(self, lines: Iterator[str], delimiter: str) -> Iterator[list[str]]:
        return csv.reader(
            lines,
            delimiter=delimiter,
            quotechar=self.quote or None,
            quoting=csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE,
            escapechar=self.escape or None,
            skipinitialspace=self.skip_space,
        )


class Lines:
    """Lines of a text with their ends, and how far they have been read.

    `offset` is the end of the last line taken; `exhausted` becomes true only when a further line is requested,
    which a CSV parser does at the end of the text only if a quote is still open.
    """

    def __init__(self, text: str, dialect: Dialect, offset: int = 0) -> None:
        self.offset = offset
        self.exhausted = False
        rest = text[offset:] if offset else text
        self._lines = _records(rest, dialect.row_end + dialect.newline) if dialect.row_end else lines_of(rest)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        for line in self._lines:
            self.offset += len(line)
            return line
        self.exhausted = True
        raise StopIteration


def _records(text: str, end: str) -> Iterator[str]:
    pieces = text.split(end)
    last = pieces.pop()
    yield from (piece + end for piece in pieces)
    if last:
        yield last


def lines_of(text: str) -> Iterator[str]:
    """Lines with their ends, cut at `\\n`, `\\r`, `\\r\\n` only (a string's own splitlines cuts at more)."""
    return iter(io.StringIO(text, newline=""))


def detect_dialect(text: str, extension: str) -> tuple[Dialect, float]:
    """The dialect of a sample and its score; a score under `LEAST_SCORE` means prose."""
    sample = _sample(text)
    newline = _newline(text)
    pair = _long_delimiter(text, newline)
    if pair is not None:
        return pair, 1.0
    quotes = _quotes(sample)
    best, delimiter, quote = 0.0, "", quotes[0]
    for candidate in sorted(filter(sample.__contains__, PRIOR), key=lambda c: -PRIOR[c]):
        if best >= PRIOR[candidate] * BY_EXTENSION_WEIGHT * SOUND_WEIGHT:
            break  # a perfect score of this one, or of any after it, would not be better
        for mark, weight in _weighted_quotes(sample, candidate, quotes):
            score = _score(sample, Dialect(candidate, mark, newline=newline), extension) * weight
            if score > best:
                best, delimiter, quote = score, candidate, mark
    floor = ONE_COLUMN if extension in BY_EXTENSION else LEAST_SCORE
    if best < floor:
        if suggested := _suggested(sample, extension):
            return Dialect(suggested, quotes[0], newline=newline), floor
        return _one_column(sample, quotes, newline), 0.0
    return _refine(Dialect(delimiter, quote, newline=newline), sample), best


def _weighted_quotes(sample: str, delimiter: str, quotes: list[str]) -> list[tuple[str, float]]:
    """The quotes to try with a delimiter, with weights: only one if all of its quotes open or close a cell."""
    data = sample.encode("utf-8", "surrogateescape")
    for quote in filter(None, quotes):
        positions = quote_positions(data, quote)
        if len(positions) and len(positions) % 2 == 0 and is_sound(data, positions, delimiter, inside=False):
            return [(quote, SOUND_WEIGHT)]
    return [(quote, 1.0) for quote in quotes]


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
        if len(lines) >= SAMPLE_LINES or (size >= SAMPLE_CHARACTERS and len(lines) >= 12):
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
    if '"' in sample:
        return ['"', ""]
    if len(OPENING.findall(sample)) * 2 > sample.count("\n"):
        return ["'", '"']
    return ['"']


def _score(sample: str, dialect: Dialect, extension: str) -> float:
    """Evenness of row widths, times cleanliness of cells, times prior; between 0 and about 1.5."""
    rows = [row for row in dialect.rows(lines_of(sample)) if len(row) > 1 or (row and row[0].strip())]
    counts = Counter(map(len, rows))
    width, regular = max(counts.items(), key=lambda item: (item[1] * (item[0] > 1), item[0]), default=(1, 0))
    if width < 2:
        return 0.0
    fits = [index for index, row in enumerate(rows) if len(row) == width]
    reach = fits[-1] - fits[0] + 1
    even = (regular / reach) ** 2 * (reach / len(rows)) ** 0.5
    even *= min(1.0, 0.4 + 0.2 * len(rows))  # one row is always even: a stray quote may have merged the others into it
    suggested = dialect.delimiter in BY_EXTENSION.get(extension, "")
    prior = PRIOR[dialect.delimiter] * (BY_EXTENSION_WEIGHT if suggested else 1.0)
    quoting = 1.0 if dialect.quote else 0.9
    if dialect.delimiter in " :" and fits[0]:
        prior /= 2  # entries of three words under a header of one word are still one column
    return even * _clean([rows[index] for index in fits[:20]], dialect) * (1 - 1 / width) * prior * quoting


def _clean(rows: list[list[str]], dialect: Dialect) -> float:
    """The share of cells that do not look like two unsplit cells, or like half of a quoted cell."""
    cells = [cell for row in rows for cell in row[:40] if cell]
    if not cells:
        return 0.3
    dirty = sum(0.6 for cell in cells if _is_unsplit(cell, dialect))
    quoted = [cell[:200] for cell in cells if '"' in cell or "'" in cell]
    broken = sum(1.2 for cell in quoted if BROKEN.search(cell))
    return max(0.1, 1 - (dirty + broken) / len(cells))


def _is_unsplit(cell: str, dialect: Dialect) -> bool:
    if len(cell) > 200:
        return cell.count("\n") > 20
    if cell[0] in "\"'" and cell[0] != dialect.quote:
        return True
    return UNSPLIT.search(cell) is not None and DECIMAL_COMMA.fullmatch(cell) is None


def _refine(dialect: Dialect, sample: str) -> Dialect:
    """Backslash escapes, blanks before quotes and runs of blanks, each only if rows get more even."""
    if dialect.delimiter == " ":
        spaced = replace(dialect, delimiter=WHITESPACE, quote=dialect.quote if dialect.quote in sample else "")
        return spaced if _evenness(spaced, sample) >= _evenness(dialect, sample) else dialect
    if dialect.quote and f"\\{dialect.quote}" in sample:
        escaped = replace(dialect, escape="\\")
        within = rf"[^{re.escape(dialect.delimiter)}\r\n]"
        inside = re.search(rf"{within}\\{dialect.quote}{within}", sample)
        better = _evenness(escaped, sample) - _evenness(dialect, sample)
        if better > 0 or (better == 0 and inside):
            return escaped
    if dialect.quote == '"' and len(SPACED.findall(sample)) > sample.count(dialect.delimiter + '"'):
        padded = replace(dialect, skip_space=True)
        if _evenness(padded, sample) >= _evenness(dialect, sample):
            return padded
    return dialect


def _evenness(dialect: Dialect, sample: str) -> float:
    counts = Counter(len(row) for row in dialect.rows(lines_of(sample)) if row)
    return max(counts.values()) / sum(counts.values()) if counts else 0.0


def _long_delimiter(text: str, newline: str) -> Dialect | None:
    """Two-character delimiters such as `+|` or `::`, perhaps with a special row end such as `&|`.

    The delimiter's last character must hardly ever occur outside the delimiter and the row end;
    otherwise `||` is a `|` around an empty cell.
    """
    pairs = Counter(PAIR.findall(text[: SAMPLE_CHARACTERS // 2]))
    for pair, count in pairs.most_common(12):
        if count < 2 or pair in ("--", "==", "**", "##", "<<", ">>", "->", "<-", "=>", "=="):
            continue
        end = _row_end(text, pair, newline)
        rows = [row for row in text.split(end + newline) if row.strip()][:SAMPLE_LINES]
        widths = Counter(row.count(pair) for row in (rows[:-1] or rows))
        width, regular = widths.most_common(1)[0]
        first, last = (_alone(text, pair, end, character) for character in pair)
        even = regular >= 0.9 * sum(widths.values())
        if width and even and last * 20 <= text.count(pair) and first * 2 <= text.count(pair):
            return Dialect(pair, "", newline=newline, row_end=end)
    return None


def _alone(text: str, pair: str, end: str, character: str) -> int:
    """How often a character of the pair occurs outside the pair and the row end."""
    within_end = text.count(end) * end.count(character) if end else 0
    return text.count(character) - text.count(pair) * pair.count(character) - within_end


def _row_end(text: str, delimiter: str, newline: str) -> str:
    """The pair before most newlines, if it is one and not the delimiter itself."""
    ends = Counter(text[match.start() - 2 : match.start()] for match in re.finditer(re.escape(newline), text))
    for end, count in ends.most_common(3):
        if end != delimiter and re.fullmatch(MARK + "{2}", end) and end[1] == delimiter[1] and count > 0:
            return end
    return ""
