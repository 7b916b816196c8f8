"""What is a literal of a query compared with?  That depends on the type of the column.

    integer, decimal   the number; a number in quotes, too.  TRUE and FALSE are 1 and 0
    date/time          the moment, in seconds since 1970
    text               the text, normalised like the cells; a number is taken as it is written
    boolean            every word that means the same: true, yes, t, y, 1; false, no, f, n, 0
    empty              whatever the literal is: the base has no values in this column, other tables may have

An integer that has no exact float (from 2**53 on) is kept as an int, so that long identifiers are told apart.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pyarrow as pa

from mere.bundles.predicates import Compare, Constant, Like, Not, OneOf, Predicate
from mere.bundles.schema import AS_STORED, Reading
from mere.errors import QueryError
from mere.values import Type, compared_forms, normalise_cell, parse_dates, parse_numbers
from mere.values.nulls import SPELLINGS

_TRUE = ("true", "yes", "t", "y", "1")
_FALSE = ("false", "no", "f", "n", "0")
_EXACT = 2.0**53  # up to here, every integer is a float
_PLAIN = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?(e[+-]?[0-9]{1,2})?")  # `parse_numbers` gives the same, in 0.3 ms
_DAY_FIRST = "31/1/2000"  # beside it, 5/1/2020 is read as the fifth of January


@dataclass(frozen=True)
class Literal:
    """A literal as it is written: a number, a text, a date, or TRUE or FALSE."""

    text: str
    kind: str  # "number", "text", "date", "boolean"


@dataclass(frozen=True)
class Field:
    """A column of the schema that is compared."""

    place: int
    name: str
    type: Type
    reading: Reading = AS_STORED


def compare(field: Field, operator: str, literal: Literal | None) -> Predicate:
    """A column compared with a literal; a comparison with NULL (None) is unknown."""
    if literal is None:
        return Constant(None)
    if not _is_boolean(field, literal):
        return Compare(field.place, operator, _cast(field, literal))
    if operator not in ("=", "<>"):
        raise QueryError(f"column '{field.name}' is boolean and has no order for '{operator}'", "use = or <>")
    equal = OneOf(field.place, _words(field, literal))
    return equal if operator == "=" else Not(equal)


def comparison_notes(field: Field, operator: str, literal: Literal | None) -> list[str]:
    """What a comparison may not have been meant to do."""
    if literal is None:
        remedy = f"{field.name} IS NOT NULL" if operator == "<>" else f"{field.name} IS NULL"
        return [f"'{field.name} {operator} NULL' is never true; use {remedy}"]
    if literal.kind == "text" and (value := normalise_cell(literal.text)) in {*SPELLINGS, ""} - field.reading.data:
        return [f"'{value}' is a missing value in '{field.name}', which is equal to nothing; use {field.name} IS NULL"]
    other = {"number": "a number", "date": "a date"}.get(literal.kind)
    if field.type is not Type.TEXT or operator in ("=", "<>") or other is None:
        return []
    return [f"'{field.name}' is text in the base, so it is compared as text with {literal.text} (not as {other})"]


def one_of(field: Field, literals: Sequence[Literal | None]) -> OneOf:
    """A column that is equal to one of several literals."""
    known = [literal for literal in literals if literal is not None]
    values: list[float | str] = []
    if field.type is Type.DATETIME:
        values += _moments(field, known)
    else:
        for literal in known:
            values += _words(field, literal) if _is_boolean(field, literal) else (_cast(field, literal),)
    return OneOf(field.place, tuple(dict.fromkeys(values)), len(known) < len(literals))


def _is_boolean(field: Field, literal: Literal) -> bool:
    return field.type is Type.BOOLEAN or (field.type is Type.EMPTY and literal.kind == "boolean")


def _words(field: Field, literal: Literal) -> tuple[str, ...]:
    value = normalise_cell(literal.text)
    for words in (_TRUE, _FALSE):
        if value in words:
            return words
    fault = f"column '{field.name}' is boolean, and '{literal.text}' is neither true nor false"
    raise QueryError(fault, f"e.g. {field.name} = TRUE")


def _cast(field: Field, literal: Literal) -> float | str:
    if field.type.is_number or (field.type is Type.EMPTY and literal.kind == "number"):
        return _number(field, literal)
    if field.type is Type.DATETIME:
        return _moments(field, [literal])[0]
    return _text(field, literal)


def _text(field: Field, literal: Literal) -> str:
    """The text in the form in which the column is compared."""
    value = pa.array([normalise_cell(literal.text)], pa.string())
    moments = lambda places: parse_dates(value, np.zeros(1, np.int64), field.reading.day_first)[places]  # noqa: E731
    return str(compared_forms(value, field.reading.form, moments)[0])


def _number(field: Field, literal: Literal) -> float:
    text = {"true": "1", "false": "0"}[literal.text] if literal.kind == "boolean" else normalise_cell(literal.text)
    number = float(text) if _PLAIN.fullmatch(text) else float(parse_numbers(pa.array([text], pa.string()))[0])
    if np.isnan(number):
        fault = f"column '{field.name}' is {field.type.word}, and '{literal.text}' is not a number"
        raise QueryError(fault, f"compare it with a number, e.g. {field.name} < 100")
    if abs(number) < _EXACT:
        return number
    exact = Decimal(text.replace(",", ""))
    return int(exact) if exact == int(exact) else number


def _moments(field: Field, literals: Sequence[Literal]) -> list[float]:
    """The moments of dates; one whose day and month cannot be told apart is refused."""
    texts = [normalise_cell(literal.text) for literal in literals]
    alone, beside = _seconds(texts), _seconds(texts, _DAY_FIRST)
    moments = np.where(np.isnan(alone), beside, alone)
    known = ~np.isnan(moments) & np.array([literal.kind in ("text", "date") for literal in literals], bool)
    for place in np.flatnonzero(~known | ~((beside == moments) | np.isnan(beside))).tolist():
        fault = "may be in one of two months" if known[place] else "is not a date"
        remedy = f"write the year first, e.g. {field.name} < '2020-01-31' or {field.name} < '2020-01-31 10:30'"
        raise QueryError(f"column '{field.name}' is date/time, and '{literals[place].text}' {fault}", remedy)
    return [float(moment) for moment in moments]


def _seconds(texts: list[str], other: str | None = None) -> np.ndarray:
    """The moment of each text, read as if it were in a column of its own, or in one with another date."""
    own = np.arange(len(texts))
    others = [] if other is None else [other] * len(texts)
    return parse_dates(pa.array([*texts, *others], pa.string()), np.tile(own, 2 if others else 1))[: len(texts)]


def like(field: Field, pattern: str, escape: str) -> Like:
    """A column whose text matches a pattern, which is normalised like the cells between its wildcards.

    >>> like(Field(0, "city", Type.TEXT), " St.  PÖLTEN%", "")
    Like(column=0, pattern='st. pölten%', escape='')
    >>> like(Field(0, "share", Type.TEXT), "100!% X%", "!")
    Like(column=0, pattern='100\\\\% x%', escape='\\\\')
    """
    pieces = _pieces(pattern, escape)
    if all(is_wildcard is False for _, is_wildcard in pieces):
        pieces = [(normalise_cell("".join(piece for piece, _ in pieces)), False)]
    joined = "".join(piece if is_wildcard else _escaped(_folded(piece)) for piece, is_wildcard in pieces).strip()
    return Like(field.place, joined, "\\" if "\\" in joined else "")


def _pieces(pattern: str, escape: str) -> list[tuple[str, bool]]:
    """The wildcards, and the text between them without escape characters."""
    pieces: list[tuple[str, bool]] = []
    letters = iter(pattern)
    for letter in letters:
        is_wildcard = letter in "%_" and letter != escape
        if escape and letter == escape:
            letter = next(letters, "")
            if not letter:
                raise QueryError(f"the pattern '{pattern}' ends with its escape character '{escape}'", "remove it")
        if pieces and not is_wildcard and not pieces[-1][1]:
            pieces[-1] = (pieces[-1][0] + letter, False)
        else:
            pieces.append((letter, is_wildcard))
    return pieces


def _folded(text: str) -> str:
    """Case, compatible characters and white space as `normalise_cell` has them, with a space at either end kept."""
    while (folded := unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())) != text:
        text = folded
    return re.sub(r"\s+", " ", text)


def _escaped(text: str) -> str:
    return re.sub(r"([%_\\])", r"\\\1", text)
