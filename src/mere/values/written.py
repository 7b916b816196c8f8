"""Which number does a value stand for, however people write it?  One value at a time: the definition.

A value is folded (lower case, single plain spaces).  Around its digits it may have, at most once each: a sign or
accounting brackets or a minus behind it (`-5`, `(5)`, `5-`), and a unit before or behind it (`€ 5`, `12 %`, `usd 5`).
A dash may stand for the cents, behind a decimal mark or a slash: `5,-` and `5/-` are 5.

Spaces and apostrophes between groups of three digits are thousands, always.  Points and commas are either the decimal
mark or thousands, and most numbers show which:

    point    the decimal mark can only be the point   1.5   0.123   1234.567   1,234.5   1,234,567   12,34,567   1.5e3
    comma    it can only be the comma                 28,9  0,123   1234,567   1.234,5   1.234.567   1,5e3
    either   it may be both                           913.446   1,234
    neutral  there is neither                         12   1 234   1'234

So the convention of a column or a table is needed for `either` only.  A leading zero is a code, not a number (`007`,
`09.30`), four groups of three digits up to 255 are an address of the internet, and a plus before groups with spaces, or
before eight digits or more, a telephone number.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mere.values.normalise import canonical_number
from mere.values.units import GLUED, UNIT, unit_name

_MINUS = r"\-\u2212\u2013"  # as typed, as printed, and the dash that stands for it
_WRAPPED = re.compile(rf"({UNIT} ?)?\((.*)\)( ?{UNIT})?", re.ASCII)
_PARTS = re.compile(rf"({UNIT} ?)?([+{_MINUS}] ?)?({UNIT} ?)?([0-9.,][0-9.,' ’e+-]*?)(-?)( ?{UNIT})?", re.ASCII)
_SIGNED_PADDED = re.compile(r"-0[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?", re.ASCII)  # -01 is a number, 01 is a code
_BARE = re.compile(r"(-?(?:0|[1-9][0-9]*))e([0-9]+)", re.ASCII)  # an exponent with neither point nor sign
_TELEPHONE = re.compile("^[0-9]{8,}$| ", re.ASCII)  # after a plus
_GLUED = re.compile(GLUED)
_DIGITS = re.compile(r"[0-9]+", re.ASCII)
_FIRST_GROUP = re.compile(r"[1-9][0-9]{0,2}", re.ASCII)
_SEPARATORS = " ,.'’"  # of groups


_CENTS = re.compile(r"([0-9][.,])(?:--?|[\u2212\u2013\u2014])($|[^0-9])", re.ASCII)
_SLASH = re.compile(r"([0-9])/-$", re.ASCII)


class Written(NamedTuple):
    """A number as it was written."""

    plain: str  # canonical, with a decimal point
    kind: str  # neutral, point, comma or either
    unit: str = ""
    marked: bool = False  # negative by brackets, or by a minus behind it


def read_number(value: str, decimal: str = "point") -> Written | None:
    """The number that a value stands for if `decimal` is the decimal mark where it may be both; None if it is none.

    >>> [read_number(value).plain for value in ("6.718,21", "€ 1 200", "12 %", "(1,234)", "1,234-", "12,34,567.8")]
    ['6718.21', '1200', '12', '-1234', '-1234', '1234567.8']
    >>> read_number("913.446").plain, read_number("913.446", "comma").plain, read_number("31.12.2020")
    ('913.446', '913446', None)
    """
    if _SIGNED_PADDED.fullmatch(value):
        return Written(value, "point" if "." in value else "neutral") if _is_finite(value) else None
    value = _SLASH.sub(r"\1.0", _CENTS.sub(r"\g<1>0\2", value))
    wrapped = _WRAPPED.fullmatch(value)
    parts = _PARTS.fullmatch(wrapped[2] if wrapped else value)
    if parts is None:
        return None
    units = [unit.strip() for unit in (parts[1], parts[3], parts[6], *(wrapped.group(1, 3) if wrapped else ())) if unit]
    signs = [sign.strip() for sign in (parts[2], parts[5], "(" if wrapped else "") if sign]
    digits = _digits(parts[4], decimal)
    is_telephone = signs == ["+"] and _TELEPHONE.search(parts[4]) is not None
    before = [unit for unit in (wrapped[1] if wrapped else "", parts[1], parts[3]) if unit]
    is_code = any(_GLUED.search(unit) for unit in before) and _DIGITS.fullmatch(parts[4])
    if digits is None or len(units) > 1 or len(signs) > 1 or is_telephone or is_code:
        return None
    text = f"-{digits[0]}" if signs and signs != ["+"] else digits[0]
    marked = bool(parts[5] or wrapped)
    text = _BARE.sub(r"\1e+\2", text) if _BARE.fullmatch(text) else text
    plain = canonical_number(text) or text
    return Written(plain, digits[1], unit_name("".join(units)), marked) if _is_finite(plain) else None


def _is_finite(plain: str) -> bool:
    return abs(float(plain)) < float("inf")


def _digits(text: str, decimal: str) -> tuple[str, str] | None:
    """Digits and separators as plain text, and of which kind they are."""
    mantissa, exponent_mark, exponent = text.partition("e")
    if not exponent_mark:
        return _either(text, decimal) or _simple(text) or _grouped(text)
    simple = _simple(mantissa)
    unsigned = exponent[1:] if exponent[:1] in ("+", "-") else exponent
    return (f"{simple[0]}e{exponent}", simple[1]) if simple and _DIGITS.fullmatch(unsigned) else None


def _either(text: str, decimal: str) -> tuple[str, str] | None:
    """A first group of digits, a point or a comma, three digits."""
    whole, mark, thousandths = text[:-4], text[-4:-3], text[-3:]
    if mark not in (".", ",") or not _FIRST_GROUP.fullmatch(whole) or not _DIGITS.fullmatch(thousandths):
        return None
    is_decimal = (mark == ".") == (decimal == "point")
    return (f"{whole}.{thousandths}" if is_decimal else whole + thousandths, "either")


def _simple(text: str) -> tuple[str, str] | None:
    """Digits with at most one point or comma."""
    for mark, kind in ((".", "point"), (",", "comma")):
        whole, found, fraction = text.partition(mark)
        if found:
            is_number = _DIGITS.fullmatch(fraction) and (not whole or _DIGITS.fullmatch(whole))
            is_padded = len(whole) > 1 and whole.startswith("0")  # 09.30 is a time, 09,380 nine thousand
            return (f"{whole or '0'}.{fraction}", kind) if is_number and not is_padded else None
    is_code = len(text) > 1 and text.startswith("0")
    return (text, "neutral") if _DIGITS.fullmatch(text) and not is_code else None


def _grouped(text: str) -> tuple[str, str] | None:
    """Digits in groups, and a decimal mark other than what separates the groups."""
    separator = next((mark for mark in text if not mark.isdigit()), "")
    if not separator or separator not in _SEPARATORS:
        return None
    marks = {",": ".", ".": ","}.get(separator, ".,")  # those that may be the decimal mark
    last = next((mark for mark in marks if mark in text), "")
    whole, _, fraction = text.partition(last) if last else (text, "", "")
    groups = whole.split(separator)
    if (last and not _DIGITS.fullmatch(fraction)) or not _are_groups(groups, separator):
        return None
    if not last and _is_address(groups, separator):
        return None
    kind = {".": "point", ",": "comma"}.get(last) or {",": "point", ".": "comma"}.get(separator, "neutral")
    return "".join(groups) + (f".{fraction}" if last else ""), kind


def _are_groups(groups: list[str], separator: str) -> bool:
    """Whether thousands are grouped by three digits or, between commas, as in India."""
    lengths = [len(group) for group in groups[1:]]
    if not all(_DIGITS.fullmatch(group) for group in groups) or groups[0].startswith("0") or lengths[-1:] != [3]:
        return False
    indian = separator == "," and len(lengths) > 1 and set(lengths[:-1]) == {2} and len(groups[0]) <= 2
    return indian or (set(lengths) == {3} and len(groups[0]) <= 3)


def _is_address(groups: list[str], separator: str) -> bool:
    return separator == "." and len(groups) == 4 and all(int(group) <= 255 for group in groups)
