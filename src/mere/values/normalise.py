"""When are two cells the same value?

`normalise_cell` is the definition, one cell at a time; `normalise` gives the same answer for an Arrow array,
almost always without creating a Python string.  The rules, in order:

1. Unicode NFKC and full case folding, repeated until nothing changes (folding may need NFKC again);
2. white space trimmed, inner runs collapsed to one space;
3. a number gets one canonical form: `12.0`, `+12` and `1.2e1` are `12`, `.50` is `0.5`, `-0` is `0`.
   A leading zero is a code, not a number: `007` stays `007`.  So is a plus before eight digits or more, which is a
   telephone number; and an `e` between digits only: `0e8` is the code of an
   airport, while programs write an exponent after a decimal point or with a sign (`1.5e3`, `1e+05`).
   Thousands separators are not removed, because `1,234` is 1.234 in some countries: what a whole column of numbers
   means is decided later (`conventions`).

`fold` leaves `913.440` as it is, which `normalise` writes `913.44`: in some countries it is 913440, and that is
decided by the table it is in.  And it leaves `1.10` as it is: among versions it is not `1.1` (`versions`).

The empty value is null.  Which other spellings are null depends on the column (`nulls`).
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
_LONGEST_WITH_PLUS = 8  # characters: with more digits it is a telephone number
_WIDEST_EXPONENT = 40  # 1e400 stays as written rather than become 400 zeros
_LONGEST_EXPONENT = 4  # characters, its sign included

# The same rules for RE2, for arrays of ASCII text.
_WHITE = "[\t-\r\x1c-\x20]+"
_IS_WHITE = np.zeros(256, bool)
_IS_WHITE[[*range(9, 14), *range(28, 33)]] = True
_STARTS_NUMBER = np.zeros(256, bool)
_STARTS_NUMBER[list(b"+-.0123456789")] = True
_ODD_NUMBER = (  # a number that is not canonical: a plus sign, a point at an end, a last zero, an exponent, minus zero
    r"^(\+[0-9]*\.?[0-9]*|[+-]?[0-9]*\.?[0-9]*e[+-]?[0-9]+|-?[0-9]*\.[0-9]*0|-?[0-9]+\.|-?\.[0-9]+|-0)$"
)
_OPEN_NUMBER = (  # the point may separate thousands, or the last zero may count
    r"^([+-]?[1-9][0-9]{0,2}\.[0-9]{3}|(0|[1-9][0-9]*)\.[1-9]0)$"
)
_WHOLE_DECIMAL = r"^[+-]?[0-9]*\.0+$"
_PLAIN_DECIMAL = r"^(0|-?[1-9][0-9]*)\.[0-9]+$"


def normalise_cell(text: str) -> str:
    """The value of one cell: the definition that `normalise` must agree with.

    >>> normalise_cell("  New\\u00a0 YORK "), normalise_cell("12.0"), normalise_cell("007")
    ('new york', '12', '007')
    """
    text = _folded_cell(text)
    return canonical_number(text) or text


def _folded_cell(text: str) -> str:
    while (folded := unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())) != text:
        text = folded
    return " ".join(text.split())


def normalise(cells: pa.Array) -> pa.Array:
    """The value of every cell; nulls stay null, and no other cell becomes null."""
    return canonical_numbers(_folded(cells))


def fold(cells: pa.Array) -> tuple[pa.Array, np.ndarray]:
    """The same, but numbers that the column decides on stay as they are; and which lost a decimal point."""
    folded = _folded(cells)
    values = canonical_numbers(folded, but_open=True)
    lost_point = np.zeros(len(cells), bool)
    if values is not folded:
        (before, _), (after, _) = string_buffers(folded), string_buffers(values)
        shorter = np.flatnonzero(np.diff(before) != np.diff(after))
        lost_point[shorter] = np.asarray(pc.match_substring_regex(folded.take(pa.array(shorter)), _WHOLE_DECIMAL))
    return values, lost_point


def _folded(cells: pa.Array) -> pa.Array:
    lower = pc.ascii_lower(cells)
    other, untrimmed = _is_not_ascii(lower), _has_extra_space(lower)
    changed = other | untrimmed
    if not changed.any():
        return lower
    texts = lower.filter(pa.array(changed))
    trimmed = pc.ascii_trim(pc.replace_substring_regex(texts, _WHITE, " "), " ")
    if other.any():
        mask = pa.array(other[changed])
        folded = pa.array([_folded_cell(cell) for cell in texts.filter(mask).to_pylist()], cells.type)
        trimmed = pc.replace_with_mask(trimmed, mask, folded)
    return pc.replace_with_mask(lower, pa.array(changed), trimmed)


def _is_not_ascii(cells: pa.Array) -> np.ndarray:
    offsets, data = string_buffers(cells)
    if int(data[offsets[0] : offsets[-1]].max(initial=0)) < 128:
        return np.zeros(len(cells), bool)
    return np.asarray(pc.fill_null(pc.invert(pc.string_is_ascii(cells)), False))


def _has_extra_space(cells: pa.Array) -> np.ndarray:
    """Which cells have white space to remove: at either end, doubled, or other than a plain space."""
    offsets, data = string_buffers(cells)
    extra = np.zeros(len(cells), bool)
    white = np.flatnonzero(data <= 32)
    white = white[_IS_WHITE[data[white]]]
    if white.size:
        suspect = white[(data[white] != 32) | np.append(np.diff(white) == 1, False)]
        owner = np.searchsorted(offsets, suspect, side="right") - 1
        extra[owner[(owner >= 0) & (owner < len(cells))]] = True
        filled = np.flatnonzero(np.diff(offsets))
        for ends in (offsets[filled], offsets[filled + 1] - 1):
            low = np.flatnonzero(data[ends] <= 32)
            extra[filled[low]] |= _IS_WHITE[data[ends[low]]]
    return extra


def starts_like_a_number(cells: pa.Array) -> np.ndarray:
    """Which cells start with a digit, a sign or a point: only these can be numbers."""
    offsets, data = string_buffers(cells)
    starts = np.zeros(len(cells), bool)
    filled = np.flatnonzero(np.diff(offsets))
    starts[filled] = _STARTS_NUMBER[data[offsets[filled]]]
    return starts


def canonical_numbers(cells: pa.Array, but_open: bool = False) -> pa.Array:
    """Rewrite the numbers that are not canonical; those like `12.0` as an array, the others one by one."""
    places = _odd_numbers(cells, but_open)
    if not places.size:
        return cells
    mask = np.zeros(len(cells), bool)
    mask[places] = True
    return pc.replace_with_mask(cells, pa.array(mask), _canonical(cells.filter(pa.array(mask))))


def _odd_numbers(cells: pa.Array, but_open: bool) -> np.ndarray:
    """The places of numbers that are not canonical; only what may be one by its last bytes is matched."""
    likely = np.flatnonzero(starts_like_a_number(cells))
    offsets, data = string_buffers(cells)
    first, end = offsets[likely], offsets[likely + 1]
    sign_or_point = data[first] < ord("0")
    with_exponent = np.zeros(len(likely), bool)
    for back in range(2, 2 + _LONGEST_EXPONENT):
        with_exponent |= data[np.maximum(end - back, first)] == ord("e")
    places = likely[sign_or_point | with_exponent | (data[end - 1] <= ord("0"))]
    numbers = cells.take(pa.array(places))
    odd = pc.match_substring_regex(numbers, _ODD_NUMBER)
    if but_open:
        odd = pc.and_not(odd, pc.match_substring_regex(numbers, _OPEN_NUMBER))
    return places[np.asarray(odd)]


def _canonical(odd: pa.Array) -> pa.Array:
    simple = pc.and_(
        pc.match_substring_regex(odd, _PLAIN_DECIMAL),
        pc.less_equal(pc.binary_length(odd), _LONGEST_NUMBER),
    )
    rewritten = pc.replace_substring_regex(odd, r"(\.[0-9]*[1-9])0+$", r"\1")
    rewritten = pc.replace_substring_regex(rewritten, r"\.0+$", "")
    rest = odd.filter(pc.invert(simple)).to_pylist()
    if not rest:
        return rewritten
    others = pa.array([canonical_number(cell) or cell for cell in rest], odd.type)
    return pc.replace_with_mask(rewritten, pc.invert(simple), others)


def canonical_number(text: str) -> str | None:
    """The canonical form of a number, or None if the text is not a number.

    >>> [canonical_number(t) for t in ("+12.50", "1.2e1", ".5", "-0.0", "007", "1e", "5e-3", ".", "0e8", "+49301234")]
    ['12.5', '12', '0.5', '0', None, None, '0.005', None, None, None]
    """
    match = _NUMBER.fullmatch(text) if len(text) <= _LONGEST_NUMBER else None
    if not match or not (match[2] or match[3]):
        return None
    if match[4] and match[4][0] not in "+-" and "." not in text:
        return None
    if match[1] == "+" and len(text) > _LONGEST_WITH_PLUS and match[3] is None and not match[4]:
        return None
    integer, fraction, exponent = match[2] or "", match[3] or "", int(match[4] or 0)
    if abs(exponent) > _WIDEST_EXPONENT:
        return None
    digits, point = integer + fraction, len(integer) + exponent
    digits, point = ("0" * -point + digits, 0) if point < 0 else (digits, point)
    digits = digits.ljust(point, "0")
    integer, fraction = digits[:point].lstrip("0") or "0", digits[point:].rstrip("0")
    sign = "-" if match[1] == "-" and (integer != "0" or fraction) else ""
    return f"{sign}{integer}.{fraction}" if fraction else f"{sign}{integer}"
