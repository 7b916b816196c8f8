"""How are the cells of a text file separated and quoted?

Every candidate delimiter splits a sample; the one whose rows have the most even width, and whose cells look
like values rather than like glued-together cells, wins. The idea that a right dialect shows in regular rows
*and* clean cells is that of van den Burg, Nazabal, Sutton: Wrangling Messy CSV Files (2019); this score is
our own and much cheaper, since a lake has many small files.
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

# How likely each is to be a delimiter before anything is seen: a space or a colon is mostly just text.
PRIOR = {",": 1.0, ";": 1.0, "\t": 1.05, "|": 1.0, "^": 0.9, "~": 0.9, ":": 0.3, " ": 0.4, "\x01": 1.0,
         "\x1f": 1.0}  # fmt: skip
BY_EXTENSION = {".csv": ",;", ".tsv": "\t", ".tab": "\t", ".psv": "|", ".ssv": "; "}
ONE_COLUMN = 0.25  # what a table of a single column scores where the extension promises a table
PROMISED = 1.2  # the extension speaks for this delimiter
SOUND = 1.3  # quotes that only ever open and close cells speak for their delimiter
NO_TABLE = 0.12  # below this, text is no table
WHITESPACE = "whitespace"

GLUED = re.compile(r"[;\t|^~\x01\x1f]|\d,\d+[^\d%,. ]|,(?! )")
BROKEN = re.compile(r"""["'][,;\t|^~]|[,;\t|^~]["']|^["']$""")  # a delimiter that quoting had hidden
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
    """Lines of a text with their ends, counting what was handed out.

    `offset` is the end of the last line taken; `exhausted` turns true only when one more was asked for,
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
    """The dialect of a sample and its score; a score under `NO_TABLE` means prose."""
    sample = _sample(text)
    newline = _newline(text)
    pair = _long_delimiter(text, newline)
    if pair is not None:
        return pair, 1.0
    quotes = _quotes(sample)
    best, delimiter, quote = 0.0, "", quotes[0]
    for candidate in sorted(filter(sample.__contains__, PRIOR), key=lambda c: -PRIOR[c]):
        if best >= PRIOR[candidate] * PROMISED * SOUND:
            break  # a perfect score of this one, or of any after it, would not be better
        for mark, weight in _weighed(sample, candidate, quotes):
            score = _score(sample, Dialect(candidate, mark, newline=newline), extension) * weight
            if score > best:
                best, delimiter, quote = score, candidate, mark
    floor = ONE_COLUMN if extension in BY_EXTENSION else NO_TABLE
    if best < floor:
        if promised := _promised(sample, extension):
            return Dialect(promised, quotes[0], newline=newline), floor
        return _one_column(sample, quotes, newline), 0.0
    found = Dialect(delimiter, quote, newline=newline)
    return _refine(found, sample, extension, best), best


def _weighed(sample: str, delimiter: str, quotes: list[str]) -> list[tuple[str, float]]:
    """The quotes to try with a delimiter. Where each quote opens or closes a cell, no other needs trying."""
    data = sample.encode("utf-8", "surrogateescape")
    for quote in filter(None, quotes):
        positions = quote_positions(data, quote)
        if len(positions) and len(positions) % 2 == 0 and is_sound(data, positions, delimiter, inside=False):
            return [(quote, SOUND)]
    return [(quote, 1.0) for quote in quotes]


def _promised(sample: str, extension: str) -> str:
    """The delimiter the extension promises, if the first line and nearly every other has it, however unevenly."""
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
    """The first lines, whole: enough rows to compare, little enough to parse ten times."""
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
    even *= min(1.0, 0.4 + 0.2 * len(rows))  # one row is always even: a stray quote may have swallowed the others
    prior = PRIOR[dialect.delimiter] * (PROMISED if dialect.delimiter in BY_EXTENSION.get(extension, "") else 1.0)
    quoting = 1.0 if dialect.quote else 0.9
    if dialect.delimiter in " :" and fits[0]:
        prior /= 2  # entries of three words each under a header of one are still one column
    return even * _clean([rows[index] for index in fits[:20]], dialect) * (1 - 1 / width) * prior * quoting


def _clean(rows: list[list[str]], dialect: Dialect) -> float:
    """The share of cells that do not look like two cells glued together, or like half of a quoted one."""
    cells = [cell for row in rows for cell in row[:40] if cell]
    if not cells:
        return 0.3
    dirty = sum(0.6 for cell in cells if _is_glued(cell, dialect))
    quoted = [cell[:200] for cell in cells if '"' in cell or "'" in cell]
    broken = sum(1.2 for cell in quoted if BROKEN.search(cell))
    return max(0.1, 1 - (dirty + broken) / len(cells))


def _is_glued(cell: str, dialect: Dialect) -> bool:
    if len(cell) > 200:
        return cell.count("\n") > 20
    if cell[0] in "\"'" and cell[0] != dialect.quote:
        return True
    return GLUED.search(cell) is not None and DECIMAL_COMMA.fullmatch(cell) is None


def _refine(found: Dialect, sample: str, extension: str, score: float) -> Dialect:
    """Backslash escapes, blanks before quotes and runs of blanks, each only if rows get more even."""
    if found.delimiter == " ":
        spaced = replace(found, delimiter=WHITESPACE, quote=found.quote if found.quote in sample else "")
        return spaced if _evenness(spaced, sample) >= _evenness(found, sample) else found
    if found.quote and f"\\{found.quote}" in sample:
        escaped = replace(found, escape="\\")
        within = rf"[^{re.escape(found.delimiter)}\r\n]"
        inside = re.search(rf"{within}\\{found.quote}{within}", sample)
        better = _evenness(escaped, sample) - _evenness(found, sample)
        if better > 0 or (better == 0 and inside):
            return escaped
    if found.quote == '"' and len(SPACED.findall(sample)) > sample.count(found.delimiter + '"'):
        padded = replace(found, skip_space=True)
        if _evenness(padded, sample) >= _evenness(found, sample):
            return padded
    return found


def _evenness(dialect: Dialect, sample: str) -> float:
    counts = Counter(len(row) for row in dialect.rows(lines_of(sample)) if row)
    return max(counts.values()) / sum(counts.values()) if counts else 0.0


def _long_delimiter(text: str, newline: str) -> Dialect | None:
    """Two-character delimiters such as `+|` or `::`, perhaps with a row end of its own such as `&|`.

    The delimiter's last character must hardly ever occur outside the delimiter and the row end;
    that tells `||` from `|` around empty cells.
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
    """How often a character of the pair stands outside the pair and the row end."""
    within_end = text.count(end) * end.count(character) if end else 0
    return text.count(character) - text.count(pair) * pair.count(character) - within_end


def _row_end(text: str, delimiter: str, newline: str) -> str:
    """The pair before most newlines, if it is one and not the delimiter itself."""
    ends = Counter(text[match.start() - 2 : match.start()] for match in re.finditer(re.escape(newline), text))
    for end, count in ends.most_common(3):
        if end != delimiter and re.fullmatch(MARK + "{2}", end) and end[1] == delimiter[1] and count > 0:
            return end
    return ""
