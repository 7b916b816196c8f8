"""When are two cells the same value?

`normalise_cell` is the definition, one cell at a time; `normalise` gives the same answer for a whole Arrow array,
almost always without touching a Python string.  The rules, in order:

1. Unicode NFKC and full case folding, repeated until nothing changes (folding can undo NFKC);
2. white space trimmed, inner runs collapsed to one space;
3. a number takes one form: `12.0`, `+12` and `1.2e1` are `12`, `.50` is `0.5`, `-0` is `0`.
   A leading zero is a code, not a number: `007` stays `007`.  So is a bare `e` between digits: `0e8` is an airport,
   while programs write an exponent with a point before it or a sign behind it (`1.5e3`, `1e+05`).
   Thousands separators are left alone, because `1,234` is another number on the other side of the Channel.

The empty value is null.  Which other spellings are null is for the column to say (`nulls`).
"""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.values.hashing import string_buffers

_NUMBER = re.compile(r"([+-]?)(0|[1-9][0-9]*)?(?:\.([0-9]*))?(?:e([+-]?[0-9]{1,3}))?", re.ASCII)
_LONGEST_NUMBER = 40  # characters: longer runs of digits are identifiers
_WIDEST_EXPONENT = 40  # 1e400 stays as written rather than become 400 zeros

# RE2's view of the same things, for whole arrays of ASCII text.
_WHITE = "[\t-\r\x1c-\x20]+"
_IS_WHITE = np.zeros(256, bool)
_IS_WHITE[[*range(9, 14), *range(28, 33)]] = True
_STARTS_NUMBER = np.zeros(256, bool)
_STARTS_NUMBER[list(b"+-.0123456789")] = True
_ODD_NUMBER = (  # a number, but not in its one form: signed plus, a bare point, a last zero, an exponent, minus zero
    r"^(\+[0-9]*\.?[0-9]*|[+-]?[0-9]*\.?[0-9]*e[+-]?[0-9]+|-?[0-9]*\.[0-9]*0|-?[0-9]+\.|-?\.[0-9]+|-0)$"
)
_PLAIN_DECIMAL = r"^(0|-?[1-9][0-9]*)\.[0-9]+$"


def normalise_cell(text: str) -> str:
    """The value of one cell: the definition that `normalise` must agree with.

    >>> normalise_cell("  New\\u00a0 YORK "), normalise_cell("12.0"), normalise_cell("007")
    ('new york', '12', '007')
    """
    while (folded := unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())) != text:
        text = folded
    text = " ".join(text.split())
    return _canonical_number(text) or text


def normalise(cells: pa.Array) -> pa.Array:
    """The value of every cell; nulls stay null, and so does nothing else."""
    if len(cells) == 0:
        return cells
    ascii_only = pc.string_is_ascii(cells)
    if pc.all(ascii_only, skip_nulls=True).as_py() is not False:
        return _normalise_ascii(cells)
    other = pc.invert(ascii_only)
    values = [None if cell is None else normalise_cell(cell) for cell in cells.filter(other).to_pylist()]
    plain = pc.if_else(other, "", cells)
    return pc.replace_with_mask(_normalise_ascii(plain), other, pa.array(values, pa.string()))


def _normalise_ascii(cells: pa.Array) -> pa.Array:
    cells = pc.ascii_lower(cells)
    loose = _loose(cells)
    if loose.any():
        tidy = pc.ascii_trim(pc.replace_substring_regex(cells.filter(pa.array(loose)), _WHITE, " "), " ")
        cells = pc.replace_with_mask(cells, pa.array(loose), tidy)
    return _canonical_numbers(cells)


def _loose(cells: pa.Array) -> np.ndarray:
    """Which cells have white space to tidy: at either end, doubled, or other than a plain space."""
    offsets, data = string_buffers(cells)
    white = np.flatnonzero(_IS_WHITE[data])
    loose = np.zeros(len(cells), bool)
    if white.size:
        suspect = white[(data[white] != 32) | np.append(np.diff(white) == 1, False)]
        owner = np.searchsorted(offsets, suspect, side="right") - 1
        loose[owner[(owner >= 0) & (owner < len(cells))]] = True
        some = np.flatnonzero(np.diff(offsets))
        loose[some] |= _IS_WHITE[data[offsets[some]]] | _IS_WHITE[data[offsets[some + 1] - 1]]
    return loose


def starts_like_a_number(cells: pa.Array) -> np.ndarray:
    """Which cells begin with a digit, a sign or a point: the only ones worth a regular expression."""
    offsets, data = string_buffers(cells)
    starts = np.zeros(len(cells), bool)
    some = np.flatnonzero(np.diff(offsets))
    starts[some] = _STARTS_NUMBER[data[offsets[some]]]
    return starts


def _canonical_numbers(cells: pa.Array) -> pa.Array:
    """Rewrite the few numbers that are not in their one form; `12.0` at array speed, the rest one by one."""
    likely = starts_like_a_number(cells)
    if not likely.any():
        return cells
    numbers = cells.filter(pa.array(likely))
    new = _canonical(numbers)
    return cells if new is numbers else pc.replace_with_mask(cells, pa.array(likely), new)


def _canonical(cells: pa.Array) -> pa.Array:
    odd = pc.match_substring_regex(cells, _ODD_NUMBER)
    if not pc.any(odd).as_py():
        return cells
    candidates = cells.filter(odd)
    simple = pc.and_(
        pc.match_substring_regex(candidates, _PLAIN_DECIMAL),
        pc.less_equal(pc.binary_length(candidates), _LONGEST_NUMBER),
    )
    rewritten = pc.replace_substring_regex(candidates, r"(\.[0-9]*[1-9])0+$", r"\1")
    rewritten = pc.replace_substring_regex(rewritten, r"\.0+$", "")
    rest = candidates.filter(pc.invert(simple)).to_pylist()
    if rest:
        others = pa.array([_canonical_number(cell) or cell for cell in rest], pa.string())
        rewritten = pc.replace_with_mask(rewritten, pc.invert(simple), others)
    return pc.replace_with_mask(cells, odd, rewritten)


def _canonical_number(text: str) -> str | None:
    """The one form of a number, or None if the text is not one.

    >>> [_canonical_number(t) for t in ("+12.50", "1.2e1", ".5", "-0.0", "007", "1e", "5e-3", ".", "0e8")]
    ['12.5', '12', '0.5', '0', None, None, '0.005', None, None]
    """
    match = _NUMBER.fullmatch(text) if len(text) <= _LONGEST_NUMBER else None
    if not match or not (match[2] or match[3]):
        return None
    if match[4] and match[4][0] not in "+-" and "." not in text:
        return None
    whole, fraction, exponent = match[2] or "", match[3] or "", int(match[4] or 0)
    if abs(exponent) > _WIDEST_EXPONENT:
        return None
    digits, point = whole + fraction, len(whole) + exponent
    digits, point = ("0" * -point + digits, 0) if point < 0 else (digits, point)
    digits = digits.ljust(point, "0")
    whole, fraction = digits[:point].lstrip("0") or "0", digits[point:].rstrip("0")
    sign = "-" if match[1] == "-" and (whole != "0" or fraction) else ""
    return f"{sign}{whole}.{fraction}" if fraction else f"{sign}{whole}"
