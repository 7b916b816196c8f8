"""Which values are numbers, and which mark can be their decimal mark?  For arrays; `written` is the definition.

A pass over the bytes says which classes of bytes each value has: digits alone are a number, one without a digit is a
label.  Almost all other numbers are plain (`-3.5`), and one regular expression says so.  What is left, if it has a
digit and little else, is taken apart into unit, sign, brackets and digits.

Cost: one look-up per byte, and a regular expression per value that has digits, points and signs only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.values.hashing import string_buffers
from mere.values.normalise import canonical_numbers
from mere.values.nulls import FLAGS
from mere.values.units import GLUED, UNIT, unit_name


class Kind(IntEnum):
    """What a value is, as far as numbers are concerned."""

    CODE = 0  # not a number, with a digit in it: a date, an identifier
    LABEL = 1  # a word, a bound such as `<5`, `4.5 b`, a long text: what stands where a number is not known
    NEUTRAL = 2  # a number without point and comma
    POINT = 3  # a number whose decimal mark can only be the point
    COMMA = 4  # ... only the comma
    EITHER = 5  # ... both
    PADDED = 6  # digits with a zero in front, also with a point: never a number


_BLOCK = 1 << 18  # values per step
_PLAIN = r"^-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$"
_BARE = "^(-?(?:0|[1-9][0-9]*))e([0-9]+)$"
_BEFORE = ("first", "before", "inner")  # units
_TELEPHONE = "^[0-9]{8,}$| "  # after a plus
_LONGEST_SURE = 300  # a plain number with more characters, or with an exponent, may be too large for 64 bits
_FRAME = (
    rf"^(?P<first>{UNIT} ?)?(?P<open>\()?(?P<before>{UNIT} ?)?(?P<sign>[+\x{{2212}}\x{{2013}}-] ?)?(?P<inner>{UNIT} ?)?"
    rf"(?P<digits>[0-9.,][0-9., '\x{{2019}}]*?(?:e[+-]?[0-9]+)?)(?P<minus>-)?(?P<after> ?{UNIT})?(?P<close>\))?"
    rf"(?P<last> ?{UNIT})?$"
)
_GROUP = "[1-9][0-9]{0,2}"
_SPACED = rf"{_GROUP}(?:(?: [0-9]{{3}})+|(?:'[0-9]{{3}})+|(?:\x{{2019}}[0-9]{{3}})+)"
_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9]|0[0-9]{2})"
_SHAPES = {  # of the digits, without sign and unit; the first that fits counts
    Kind.PADDED: r"^0(?:[0-9 ]+|[0-9]+\.[0-9]+)$",
    Kind.NEUTRAL: rf"^(?:(?:0|[1-9][0-9]*)(?:e[+-]?[0-9]+)?|{_SPACED})$",
    Kind.EITHER: rf"^{_GROUP}[.,][0-9]{{3}}$",
    Kind.CODE: rf"^{_BYTE}(?:\.{_BYTE}){{3}}$",
    Kind.POINT: rf"^(?:(?:0|[1-9][0-9]*)?\.[0-9]+(?:e[+-]?[0-9]+)?|{_GROUP}(?:,[0-9]{{3}})+\.[0-9]+"
    rf"|{_GROUP}(?:,[0-9]{{3}}){{2,}}|[1-9][0-9]?(?:,[0-9]{{2}})+,[0-9]{{3}}(?:\.[0-9]+)?|{_SPACED}\.[0-9]+)$",
    Kind.COMMA: rf"^(?:(?:0|[1-9][0-9]*)?,[0-9]+(?:e[+-]?[0-9]+)?|{_GROUP}(?:\.[0-9]{{3}})+,[0-9]+"
    rf"|{_GROUP}(?:\.[0-9]{{3}}){{2,}}|{_SPACED},[0-9]+)$",
}
_CENTS, _SLASH = r"([0-9][.,])(?:--?|[\x{2212}\x{2013}\x{2014}])($|[^0-9])", "([0-9])/-$"  # `5,-` and `5/-` are 5
_WITH_DASH = rf"{_CENTS}|{_SLASH}"
_FLAGGED = rf"^-?[0-9]+\.[0-9]+ [{FLAGS}]{{1,2}}$"  # as Eurostat does; `12 b` may be a house
_BOUND = (
    rf"{_FLAGGED}|"
    r"^[<>~=\x{2264}\x{2265}\x{2248}\x{b1}]{1,2} ?[0-9][0-9., ]*%?$|^[0-9][0-9., ]*%? ?[*+\x{2020}\x{2021}]+$"
)

# Classes of bytes: those that a value has say whether it may be a number.
_DIGIT, _POINT, _MINUS, _E, _PLUS, _LETTER, _NEUTRAL, _OTHER = (1 << bit for bit in range(8))
_CLASSES = np.full(256, _OTHER, np.uint8)
_CLASSES[list(b" ,'()$%<>=~*")] = _NEUTRAL
_CLASSES[128:] = _NEUTRAL
_CLASSES[list(b"abcdefghijklmnopqrstuvwxyz")] = _LETTER
_CLASSES[list(b"0123456789")] = _DIGIT
_CLASSES[list(b".-e+")] = _POINT, _MINUS, _E, _PLUS
_MAY_BE_PLAIN = _DIGIT | _POINT | _MINUS | _E | _PLUS
_MOST = 7  # letters and dashes of a number: the code of a currency, an exponent, and three dashes
_LONGEST = 64  # bytes


@dataclass(frozen=True, eq=False)
class Spelled:
    """What each value of an array is; and of those numbers that are not written plainly, how."""

    kinds: np.ndarray  # uint8 per value: Kind
    places: np.ndarray  # of the numbers that are not plain...
    digits: pa.Array  # ...these with their signs: plain, or with a point or comma that may be either
    units: np.ndarray  # ...the number of the unit in `unit_names`, 0 if there is none
    marked: np.ndarray  # ...whether brackets, or a minus behind it, make it negative...
    behind: np.ndarray  # ...whether it has a minus behind it...
    footnote: np.ndarray  # ...and whether it may be a footnote, one or two digits in brackets, or a grade, like `2-`
    unit_names: list[str]
    with_plus: np.ndarray  # places of labels with a plus behind them, like `2+`
    bare: np.ndarray  # places of numbers with an exponent, but neither point nor sign: `1e3`

    @property
    def numeric(self) -> np.ndarray:
        return (self.kinds >= Kind.NEUTRAL) & (self.kinds <= Kind.EITHER)


def classify(values: pa.Array) -> Spelled:
    """What each (folded) value is."""
    kinds = np.zeros(len(values), np.uint8)
    texts, places = [], []
    for start in range(0, len(values), _BLOCK):
        block = values[start : start + _BLOCK]
        candidates = _sort_out(block, kinds[start : start + _BLOCK])
        if candidates.size:
            texts.append(block.take(pa.array(candidates)))
            places.append(start + candidates)
    if not texts:
        none, nowhere = np.empty(0, bool), np.empty(0, np.int64)
        return Spelled(kinds, nowhere, values[:0], nowhere, none, none, none, [""], nowhere, _bare(values, kinds))
    spelled = _taken_apart(kinds, np.concatenate(places), pa.concat_arrays(texts))
    return replace(spelled, bare=_bare(values, kinds))


def _sort_out(values: pa.Array, kinds: np.ndarray) -> np.ndarray:
    """Fill in the kinds of plain numbers and of labels; return the places of what may be a number written otherwise."""
    offsets, data = string_buffers(values)
    classes = _classes(offsets, data)
    with_digit = classes & _DIGIT != 0
    plain = classes == _DIGIT
    likely = np.flatnonzero(with_digit & ~plain & (classes & ~np.uint8(_MAY_BE_PLAIN) == 0))
    if likely.size:
        plain[likely] = np.asarray(pc.match_substring_regex(values.take(pa.array(likely)), _PLAIN))
    places = np.flatnonzero(plain)
    kinds[places] = _plain_kinds(values, places, classes[places])
    rest = kinds == Kind.CODE
    kinds[rest & (~with_digit | (np.diff(offsets) > _LONGEST))] = Kind.LABEL
    others = np.flatnonzero(kinds == Kind.CODE)
    usual = classes[others] & _OTHER == 0
    others = others[usual | _ends_in_slash_and_dash(offsets[others + 1], data, ~usual)]
    return others[_has_few_letters(values.take(pa.array(others)))] if others.size else others


def _ends_in_slash_and_dash(ends: np.ndarray, data: np.ndarray, where: np.ndarray) -> np.ndarray:
    """Which values, ending here and two bytes long at least, are like `500/-`."""
    passing = where.copy()
    passing[where] = data[ends[where] - 1] == ord("-")
    passing[passing] = data[ends[passing] - 2] == ord("/")
    return passing


def has_no_digit(values: pa.Array) -> np.ndarray:
    """Which values have no digit."""
    return _classes(*string_buffers(values)) & _DIGIT == 0


def _classes(offsets: np.ndarray, data: np.ndarray) -> np.ndarray:
    """The classes of bytes that each value has, one bit each."""
    classes = np.zeros(len(offsets) - 1, np.uint8)
    filled = np.flatnonzero(np.diff(offsets))
    if filled.size:
        start, stop = offsets[0], offsets[-1]
        classes[filled] = np.bitwise_or.reduceat(_CLASSES[data[start:stop]], offsets[filled] - start)
    return classes


def _has_few_letters(values: pa.Array) -> np.ndarray:
    """Which values, none of them empty, have few letters and dashes; and no dash between digits, as dates have."""
    offsets, data = string_buffers(values)
    offsets, classes = offsets - offsets[0], _CLASSES[data[offsets[0] : offsets[-1]]]
    letters = classes & (_LETTER | _E | _MINUS) != 0
    few = np.add.reduceat(letters, offsets[:-1], dtype=np.int64) <= _MOST
    digit = np.append(classes == _DIGIT, False)
    dashes = np.flatnonzero(classes == _MINUS)
    owner = np.searchsorted(offsets, dashes, side="right") - 1
    inside = (dashes > offsets[owner]) & (dashes + 1 < offsets[owner + 1])
    few[owner[inside & digit[dashes - 1] & digit[dashes + 1]]] = False
    return few


def _plain_kinds(values: pa.Array, places: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The kinds of the plain numbers at some places, which have these classes; one too large for 64 bits is a code."""
    offsets, data = string_buffers(values)
    first, last = offsets[places], offsets[places + 1] - 1
    lengths, pointed = last + 1 - first, classes & _POINT != 0
    kinds = np.where(pointed, Kind.POINT, Kind.NEUTRAL).astype(np.uint8)
    first = first + (data[first] == ord("-"))
    digits = last - first + 1
    four = np.flatnonzero(pointed & (digits >= 5) & (digits <= 7))
    point = data[last[four] - 3] == ord(".")
    kinds[four[point & (data[last[four] - 1] != ord("e")) & (data[first[four]] != ord("0"))]] = Kind.EITHER
    padded = np.flatnonzero((digits == lengths) & (digits > 1) & (data[first] == ord("0")))  # -01 is a number, 01 not
    kinds[padded[_CLASSES[data[first[padded] + 1]] == _DIGIT]] = Kind.PADDED
    risky = np.flatnonzero((lengths > _LONGEST_SURE) | (classes & _E != 0))
    if risky.size:
        finite = np.isfinite(np.asarray(values.take(pa.array(places[risky])).cast(pa.float64())))
        kinds[risky[~finite | (kinds[risky] == Kind.PADDED)]] = Kind.CODE
    return kinds


def _bare(values: pa.Array, kinds: np.ndarray) -> np.ndarray:
    """The places of numbers with a bare exponent."""
    places = np.flatnonzero(kinds == Kind.NEUTRAL)
    return places[np.asarray(pc.match_substring_regex(values.take(pa.array(places)), _BARE))]


def _taken_apart(kinds: np.ndarray, places: np.ndarray, texts: pa.Array) -> Spelled:
    """Unit, sign and digits of what may be a number; what is none is a code, or a bound, which is a label."""
    bounds = np.asarray(pc.match_substring_regex(texts, _BOUND))
    kinds[places[bounds]] = Kind.LABEL
    with_plus = places[bounds & np.asarray(pc.ends_with(texts, "+"))]
    parts = pc.extract_regex(_with_cents(texts), _FRAME)
    whole = np.flatnonzero(np.asarray(parts.is_valid()))
    parts, places = parts.take(pa.array(whole)), places[whole]
    part = {field.name: parts.field(field.name) for field in parts.type}
    has = {name: np.asarray(pc.not_equal(each, "")) for name, each in part.items()}
    signs = has["sign"].astype(int) + has["minus"] + has["open"]
    units = sum(has[name].astype(int) for name in (*_BEFORE, "after", "last"))
    valid = (signs <= 1) & (units <= 1) & (has["open"] == has["close"])
    plus = np.asarray(pc.starts_with(part["sign"], "+"))
    valid &= ~(plus & np.asarray(pc.match_substring_regex(part["digits"], _TELEPHONE)))
    glued = np.asarray(pc.match_substring_regex(_joined([part[n] for n in _BEFORE], texts.type), GLUED))
    valid &= ~(glued & np.asarray(pc.match_substring_regex(part["digits"], "^[0-9]+$")))
    shapes = _shapes(part["digits"])
    kinds[places[valid]] = shapes[valid]
    negative = has["open"] | has["minus"] | (has["sign"] & ~plus)
    minus = pc.if_else(pa.array(negative), "-", "")
    digits = _joined([minus, _plain(part["digits"], shapes)], texts.type)
    numeric = valid & (shapes >= Kind.NEUTRAL) & (shapes <= Kind.EITHER) & _finite(digits, shapes)
    kinds[places[valid & (shapes != Kind.PADDED) & ~numeric]] = Kind.CODE
    kept = np.flatnonzero(numeric)
    written = [pc.utf8_trim(part[name], " ") for name in (*_BEFORE, "after", "last")]
    numbers, names = _numbered(_joined(written, texts.type).take(pa.array(kept)))
    marked = (has["open"] | has["minus"])[kept]
    short = np.asarray(pc.match_substring_regex(part["digits"], "^[0-9]{1,2}$")) & (units == 0)
    one_digit = short & (np.asarray(pc.binary_length(part["digits"])) == 1)
    footnote = ((has["open"] & short) | (has["minus"] & one_digit))[kept]
    behind, digits = has["minus"][kept], digits.take(pa.array(kept))
    bare = np.empty(0, np.int64)
    return Spelled(kinds, places[kept], digits, numbers, marked, behind, footnote, names, with_plus, bare)


def _with_cents(texts: pa.Array) -> pa.Array:
    """The texts with a zero where a dash stands for the cents."""
    dashed = pc.match_substring_regex(texts, _WITH_DASH)
    if not pc.any(dashed).as_py():
        return texts
    zeros = pc.replace_substring_regex(texts.filter(dashed), _CENTS, r"\10\2")
    return pc.replace_with_mask(texts, dashed, pc.replace_substring_regex(zeros, _SLASH, r"\1.0"))


def _joined(pieces: list[pa.Array], type_: pa.DataType) -> pa.Array:
    return pc.binary_join_element_wise(*(piece.cast(type_) for piece in pieces), pa.scalar("", type_))


def _shapes(digits: pa.Array) -> np.ndarray:
    """The kind of each text of digits and separators."""
    kinds, undecided = np.zeros(len(digits), np.uint8), np.ones(len(digits), bool)
    for kind, shape in _SHAPES.items():
        fits = undecided & np.asarray(pc.match_substring_regex(digits, shape))
        kinds[fits] = kind
        undecided &= ~fits
    return kinds


def _plain(digits: pa.Array, kinds: np.ndarray) -> pa.Array:
    """Digits without thousands and with a decimal point; those that may be either as they are."""
    bare = pc.replace_substring_regex(digits, r"[ '\x{2019}]", "")
    with_comma = pc.replace_substring(pc.replace_substring(bare, ".", ""), ",", ".")
    plain = pc.if_else(pa.array(kinds == Kind.COMMA), with_comma, pc.replace_substring(bare, ",", ""))
    return pc.if_else(pa.array(kinds == Kind.EITHER), bare, plain)


def _finite(digits: pa.Array, kinds: np.ndarray) -> np.ndarray:
    """Whether a number fits in 64 bits; those that may be either are short."""
    sure = (kinds < Kind.NEUTRAL) | (kinds > Kind.COMMA)
    return sure | np.isfinite(np.asarray(pc.if_else(pa.array(sure), "0", digits).cast(pa.float64())))


def _numbered(written: pa.Array) -> tuple[np.ndarray, list[str]]:
    """The number of each unit in a list of their names; 0 is none."""
    encoded = written.dictionary_encode()
    names = [unit_name(text) for text in encoded.dictionary.to_pylist()]
    known = sorted({"", *names})
    return np.array([known.index(name) for name in names], np.int64)[np.asarray(encoded.indices)], known


def plain_numbers(values: pa.Array, spelled: Spelled, comma: np.ndarray) -> tuple[np.ndarray, pa.Array]:
    """Which numbers are not written in canonical form, and their canonical forms.

    `comma` says of each value whether the comma is the decimal mark where it may be both.
    """
    open_ = np.flatnonzero((spelled.kinds == Kind.EITHER) | _keeps_a_zero(values, spelled.kinds))
    open_ = np.union1d(open_, spelled.bare)
    open_ = open_[~np.isin(open_, spelled.places, assume_unique=True)]
    places = np.concatenate([spelled.places, open_])
    texts = pa.concat_arrays([spelled.digits, values.take(pa.array(open_)).cast(spelled.digits.type)])
    either, with_comma = spelled.kinds[places] == Kind.EITHER, comma[places]
    as_point = pc.replace_substring(texts, ",", "")
    as_comma = pc.replace_substring(pc.replace_substring(texts, ".", ""), ",", ".")
    texts = pc.if_else(pa.array(either), pc.if_else(pa.array(with_comma), as_comma, as_point), texts)
    return places, canonical_numbers(pc.replace_substring_regex(texts, _BARE, r"\1e+\2"))


def _keeps_a_zero(values: pa.Array, kinds: np.ndarray) -> np.ndarray:
    """Which numbers with a point have a zero at the end, which is dropped but in versions."""
    offsets, data = string_buffers(values)
    keeps = kinds == Kind.POINT
    keeps[keeps] = data[offsets[1:][keeps] - 1] == ord("0")
    return keeps
