"""Which quote characters does a text use, and how are quotes inside quoted cells written?"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import lru_cache

from mere.readers.blocks import is_sound, quote_positions
from mere.readers.dialects import DELIMITERS, UNESCAPED, WHITESPACE, Dialect, lines_of
from mere.readers.quoting import Quoting

QUOTES = ('"', "'", "`")
SOUND_WEIGHT = 1.3  # if every quote opens or closes a cell
UNSOUND_WEIGHT = 0.8  # for apostrophes that do not
_QUOTED = {q: re.compile(rf"{q}(?<!\w{q})[^{q}]*+(?:{q}{q}[^{q}]*+)*+{q}(?!\w)") for q in QUOTES}
_ALONE = {  # a pattern that starts with the quote is found much faster
    q: re.compile(rf"{q}(?<!\w{q})[^{q}\n]*{q}(?:[^\w\s]|[\t \r\n]|$)", re.MULTILINE) for q in "'`"
}
_ONE_BYTE = "\x1f"  # stands for a delimiter of several characters


def quotes_in(sample: str) -> list[str]:
    """The quote characters worth trying, likeliest first; "" for none."""
    others = [quote for quote, alone in _ALONE.items() if quote in sample and alone.search(sample)]
    return ['"', *others, ""] if '"' in sample else ['"', *others]


def usual_quote(sample: str) -> str:
    """The double quote, unless most lines have a cell in others."""
    if '"' in sample:
        return '"'
    return next((quote for quote in "'`" if _in_most_lines(sample, quote)), '"')


def _in_most_lines(sample: str, quote: str) -> bool:
    return quote in sample and len(_ALONE[quote].findall(sample)) * 2 > sample.count("\n")


def without_quoted(sample: str, quote: str) -> str:
    """The text with each quoted cell replaced by a letter, whatever its delimiter."""
    if not quote or quote not in sample:
        return sample
    rest = _QUOTED[quote].sub("q", sample.replace(f"\\{quote}", ""))
    return _QUOTED[quote].sub("q", rest) if quote in rest else rest  # a quoted word inside a quoted cell is gone now


def complete(delimiter: str, quote: str, newline: str, sample: str) -> tuple[Dialect, float]:
    """The dialect of a delimiter and a quote with its escapes and padding; and a weight for what its quotes show.

    Quotes that each open or close a cell are evidence. Apostrophes may do that by chance, so they must be in most
    lines, or be doubled inside a cell; and if they do not, they are hardly quotes.
    """
    if not quote or quote not in sample:
        return _escaped(
            _spaced(Dialect(delimiter, quote if delimiter != " " else "", newline=newline), sample), sample
        ), 1.0
    padded = sample.count(f"{delimiter} {quote}") > sample.count(delimiter + quote)
    escape = "\\" if _backslash(delimiter, quote).search(sample) else ""
    dialect = _spaced(Dialect(delimiter, quote, escape, padded and delimiter != " ", newline), sample)
    if _is_sound(sample, dialect):
        sure = quote == '"' or _in_most_lines(sample, quote) or _doubled(delimiter, quote).search(sample)
        return _escaped(dialect, sample), SOUND_WEIGHT if sure else 1.0
    if not (escape or delimiter == " ") and _has_strays(sample, dialect):
        dialect = Dialect(delimiter, quote, UNESCAPED, dialect.skip_space, newline)
    return dialect, 1.0 if quote == '"' else UNSOUND_WEIGHT


def fits_quotes(sample: str, delimiter: str) -> bool:
    """Whether there are double quotes, and with this delimiter each of them opens or closes a cell."""
    return '"' in sample and _is_sound(sample, Dialect(delimiter, '"'))


def _spaced(dialect: Dialect, sample: str) -> Dialect:
    """Runs of blanks as one delimiter, if rows do not get less even."""
    if dialect.delimiter != " ":
        return dialect
    spaced = Dialect(WHITESPACE, dialect.quote, dialect.escape, False, dialect.newline)
    return spaced if _evenness(spaced, sample) >= _evenness(dialect, sample) else dialect


def _escaped(dialect: Dialect, sample: str) -> Dialect:
    """With backslashes as escapes of delimiters, if all rows then have the same width, and not otherwise."""
    if dialect.escape or f"\\{dialect.delimiter}" not in sample:
        return dialect
    escaped = replace(dialect, escape=DELIMITERS)
    return escaped if _evenness(escaped, sample) == 1 > _evenness(dialect, sample) else dialect


def _evenness(dialect: Dialect, sample: str) -> float:
    counts = Counter(len(row) for row in dialect.rows(lines_of(sample)) if row)
    return max(counts.values()) / sum(counts.values()) if counts else 0.0


@lru_cache(maxsize=64)
def _backslash(delimiter: str, quote: str) -> re.Pattern[str]:
    """A backslash and a quote inside a cell."""
    edge = re.escape(delimiter)
    return re.compile(rf"\\{quote}(?<![\r\n]\\{quote})(?<!{edge}\\{quote})(?!{edge}|[\r\n]|$)")


@lru_cache(maxsize=64)
def _doubled(delimiter: str, quote: str) -> re.Pattern[str]:
    """Two quotes inside a cell."""
    edge = re.escape(delimiter)
    return re.compile(rf"{quote}{quote}(?<!{edge}{quote}{quote})(?!{edge}|[\r\n]|$)")


def _is_sound(sample: str, dialect: Dialect) -> bool:
    """Whether each quote opens or closes a cell, escaped quotes and padding aside."""
    delimiter = " " if dialect.delimiter == WHITESPACE else dialect.delimiter
    if dialect.escape:
        sample = sample.replace("\\\\", "").replace(f"\\{dialect.quote}", "")
    if dialect.skip_space:
        sample = re.sub(f"{re.escape(delimiter)} +{dialect.quote}", lambda _: delimiter + dialect.quote, sample)
    if len(delimiter) > 1:
        sample, delimiter = sample.replace(delimiter, _ONE_BYTE), _ONE_BYTE
    data = sample.encode("utf-8", "surrogateescape")
    positions = quote_positions(data, dialect.quote)
    return delimiter.isascii() and len(positions) % 2 == 0 and is_sound(data, positions, delimiter, inside=False)


def _has_strays(sample: str, dialect: Dialect) -> bool:
    """Whether there are quoted cells with quotes that are not escaped."""
    rows = Quoting(lines_of(sample), dialect.delimiter, dialect.quote, "", dialect.skip_space)
    return any(rows.strays for _ in rows)
