"""What does a question mean: which conditions must a table meet, and how do they compose?

    mere.at_least(0.3, "age") < 40                                     a predicate on a column
    (mere.at_least(0.3, "age") < 40) & mere.words("cancer")            both
    ~mere.words("draft") | mere.at_most("5%", "age").between(0, 18)    either, and not

Fractions are exact numbers: 0.3 means three tenths, not the nearest binary number.
"""

from __future__ import annotations

import fnmatch
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Real
from typing import Any

from mere.errors import QueryError

SIDES = ("at least", "at most")
COMPARISONS = ("<", "<=", ">", ">=")
OPERATORS = (*COMPARISONS, "between")
_DIGITS = 100  # of a fraction, behind the point
_WHOLE = 2.0**53  # from here on a float stands for several whole numbers


class Expression:
    """A condition on tables; composes with &, | and ~."""

    def __and__(self, other: Expression) -> And:
        return And((*(self.parts if isinstance(self, And) else (self,)), _checked(other)))

    def __or__(self, other: Expression) -> Or:
        return Or((*(self.parts if isinstance(self, Or) else (self,)), _checked(other)))

    def __invert__(self) -> Expression:
        return self.part if isinstance(self, Not) else Not(self)

    def __bool__(self) -> bool:
        raise QueryError("an expression is neither true nor false", "compose with &, | and ~, not with and, or and not")

    def leaves(self) -> Iterator[Predicate | Words]:
        """The predicates and words that it is made of."""
        raise NotImplementedError


def _checked(other: Any) -> Expression:
    if not isinstance(other, Expression):
        raise QueryError(f"{other!r} is no condition", "compose conditions, such as at_least(0.3, 'age') < 40")
    return other


@dataclass(frozen=True)
class Predicate(Expression):
    """At least, or at most, some fraction of a column's values compares so."""

    column: str | None  # a name, a glob, /a regular expression/, or None for any column
    side: str
    fraction: Fraction
    operator: str
    value: float | tuple[float, float]  # numbers, or moments as seconds since 1970

    def __post_init__(self) -> None:
        if self.side not in SIDES:
            raise QueryError(f"'{self.side}' is neither 'at least' nor 'at most'", "choose one of them")
        if self.operator not in OPERATORS:
            raise QueryError(f"no comparison '{self.operator}'", f"known are {', '.join(OPERATORS)}")
        if isinstance(self.value, tuple) != (self.operator == "between"):
            raise QueryError(f"'{self.operator}' does not go with {self.value!r}", "only 'between' takes two numbers")
        if isinstance(self.value, tuple) and isinstance(self.value[0], Moment) != isinstance(self.value[1], Moment):
            raise QueryError(f"one end of {self} is a date, the other is not", "give two dates, or two numbers")
        if isinstance(self.value, tuple) and not self.value[0] <= self.value[1]:
            low, high = map(_shown, self.value)
            raise QueryError(f"nothing lies between {low} and {high}", "write the smaller number first")
        fitting(self.column, [""])

    @property
    def dated(self) -> bool:
        """Whether it speaks of moments, and so of columns of dates."""
        return any(isinstance(end, Moment) for end in (self.value if isinstance(self.value, tuple) else (self.value,)))

    @property
    def intervals(self) -> tuple[float, float, float, float]:
        """The numbers that may compare so, and those that surely do: from the first on and before the second, each.

        Between two floats there is no number, so that <= r is the same as < the next one; the two differ only where a
        float stands for several whole numbers, and so may r.
        """
        low, high = self.ends
        after_low, after_high = math.nextafter(low, math.inf), math.nextafter(high, math.inf)
        start, end = after_low if self.operator == ">" else low, high if self.operator == "<" else after_high
        may_low, sure_low = (low, after_low) if _WHOLE <= abs(low) < math.inf else (start, start)
        may_high, sure_high = (after_high, high) if _WHOLE <= abs(high) < math.inf else (end, end)
        return may_low, may_high, sure_low, sure_high

    @property
    def ends(self) -> tuple[float, float]:
        """The same as it is written, whether an end counts or not: for estimates and pictures."""
        if isinstance(self.value, tuple):
            return float(self.value[0]), float(self.value[1])
        return (-math.inf, float(self.value)) if "<" in self.operator else (float(self.value), math.inf)

    def leaves(self) -> Iterator[Predicate | Words]:
        yield self

    def __str__(self) -> str:
        value = self.value
        compared = (
            f"between {_shown(value[0])} and {_shown(value[1])}"
            if isinstance(value, tuple)
            else f"{self.operator} {_shown(value)}"
        )
        return f"{self.side} {_percent(self.fraction)} of {_quoted_name(self.column)} {compared}"


@dataclass(frozen=True)
class Words(Expression):
    """The table speaks of these words: in its name, folders, headers or descriptions."""

    text: str

    def leaves(self) -> Iterator[Predicate | Words]:
        yield self

    def __str__(self) -> str:
        return _quoted(self.text)


@dataclass(frozen=True)
class And(Expression):
    parts: tuple[Expression, ...]

    def leaves(self) -> Iterator[Predicate | Words]:
        for part in self.parts:
            yield from part.leaves()

    def __str__(self) -> str:
        return " and ".join(f"({part})" if isinstance(part, Or) else str(part) for part in self.parts)


@dataclass(frozen=True)
class Or(Expression):
    parts: tuple[Expression, ...]

    def leaves(self) -> Iterator[Predicate | Words]:
        for part in self.parts:
            yield from part.leaves()

    def __str__(self) -> str:
        return " or ".join(str(part) for part in self.parts)


@dataclass(frozen=True)
class Not(Expression):
    part: Expression

    def leaves(self) -> Iterator[Predicate | Words]:
        yield from self.part.leaves()

    def __str__(self) -> str:
        return f"not ({self.part})" if isinstance(self.part, And | Or) else f"not {self.part}"


@dataclass(frozen=True)
class Share:
    """At least, or at most, so much of a column; compared with a number it is a predicate."""

    side: str
    fraction: Fraction
    column: str | None

    def __lt__(self, value: Any) -> Predicate:
        return self._compared("<", value)

    def __le__(self, value: Any) -> Predicate:
        return self._compared("<=", value)

    def __gt__(self, value: Any) -> Predicate:
        return self._compared(">", value)

    def __ge__(self, value: Any) -> Predicate:
        return self._compared(">=", value)

    def between(self, low: Any, high: Any) -> Predicate:
        """Both ends included."""
        return Predicate(self.column, self.side, self.fraction, "between", (number_of(low), number_of(high)))

    def _compared(self, operator: str, value: Any) -> Predicate:
        return Predicate(self.column, self.side, self.fraction, operator, number_of(value))


class Moment(float):
    """Seconds since 1970, written as a date."""


def _shown(number: float) -> str:
    if isinstance(number, Moment):
        import datetime

        told = (datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=number)).isoformat()
        return told.removesuffix("T00:00:00")
    return f"{number:.0f}" if abs(number) < 1e15 and number == round(number) else repr(number)


def _percent(fraction: Fraction) -> str:
    """In percent, exactly if that has an end.

    >>> _percent(Fraction(3, 10)), _percent(Fraction(1, 3))
    ('30%', '33.333333333333336%')
    """
    return f"{_shown(float(100 * fraction))}%"


def _quoted_name(column: str | None) -> str:
    """A column as it is written in a question; quoted unless it is a plain word."""
    if column is None:
        return "any column"
    plain = re.fullmatch(r"/(?:[^/\\]|\\.)+/|[\w.*?-]+", column) and column.casefold() != "any"
    return column if plain else _quoted(column)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def at_least(fraction: Any, column: str | None = None) -> Share:
    """At least this fraction (0.3, '30%') of a column: a name, a glob, '/a regular expression/', or None for any.

    >>> str((at_least("30%", "age") < 40) & ~words("draft"))
    "at least 30% of age < 40 and not 'draft'"
    """
    return Share("at least", fraction_of(fraction), column)


def at_most(fraction: Any, column: str | None = None) -> Share:
    """At most this fraction of a column."""
    return Share("at most", fraction_of(fraction), column)


def words(text: str) -> Words:
    """Tables that speak of these words."""
    if not isinstance(text, str) or not text.strip():
        raise QueryError(f"{text!r} holds no words", "give at least one")
    return Words(text)


def fraction_of(given: Any) -> Fraction:
    """An exact fraction from 0 to 1.

    >>> fraction_of(0.3), fraction_of("30 %"), fraction_of(1)
    (Fraction(3, 10), Fraction(3, 10), Fraction(1, 1))
    """
    text = str(given).strip()
    try:
        exact = given if isinstance(given, Fraction) else _exactly(Decimal(text.removesuffix("%").strip()))
        exact = exact / 100 if text.endswith("%") else exact
    except (InvalidOperation, ValueError, OverflowError):
        exact = Fraction(-1)
    if not 0 <= exact <= 1:
        raise QueryError(f"{given!r} is no fraction", "give one from 0 to 1, or from 0% to 100%")
    return exact


def _exactly(number: Decimal) -> Fraction:
    """A number without an end of digits would be computed for as long."""
    if number.is_finite() and int(number.as_tuple().exponent) < -_DIGITS:
        raise QueryError(f"a fraction of more than {_DIGITS} digits", "give fewer")
    return Fraction(number) if number <= 100 else Fraction(-1)


def number_of(given: Any) -> float:
    """A number to compare with; a date or a moment is seconds since 1970, as it is in columns of dates."""
    if hasattr(given, "isoformat"):  # datetime's classes, pandas' and others
        with suppress(ValueError):  # pandas' NaT is none
            return Moment(_seconds(given))
    try:
        if not isinstance(given, bool) and isinstance(given, Real) and not math.isnan(given):
            return float(given)
    except OverflowError:
        raise QueryError(f"a number of {len(str(given))} digits is too large", "give one below 1e308") from None
    raise QueryError(f"{given!r} is no number to compare with", "give a number, a date or a moment")


def _seconds(moment: Any) -> float:
    import datetime

    whole = datetime.datetime.fromisoformat(moment.isoformat())
    zone = whole.tzinfo or datetime.UTC
    return whole.replace(tzinfo=zone).timestamp()


def fitting(column: str | None, names: Sequence[str]) -> list[bool]:
    """Which of these columns are meant, whatever their case: by a name, a glob, /a regular expression/, None for any.

    A column that is called so is meant, even if the name looks like a pattern.  Regular expressions are RE2's: no
    question can make them run without an end.

    >>> [fitting(which, ["birth_age"])[0] for which in ("age", "*age", "/age/", "/^age/", None)]
    [False, True, True, False, True]
    """
    if column is None or column == "*":
        return [True] * len(names)
    if not isinstance(column, str) or not column:
        raise QueryError(f"{column!r} names no column", "give a name, a glob, /a regular expression/ or None for any")
    called = column.casefold()
    if len(column) > 1 and column.startswith("/") and column.endswith("/"):
        found = _searched(column[1:-1], names)
    elif any(mark in column for mark in "*?["):
        match = re.compile(fnmatch.translate(column), re.IGNORECASE).match
        found = [match(name) is not None for name in names]
    else:
        found = [False] * len(names)
    return [fits or name.casefold() == called for fits, name in zip(found, names, strict=True)]


def _searched(pattern: str, names: Sequence[str]) -> list[bool]:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return pc.match_substring_regex(pa.array(names, pa.string()), pattern, ignore_case=True).to_pylist()
    except pa.ArrowInvalid as error:
        fault = str(error).removeprefix("Invalid regular expression: ")
        raise QueryError(f"/{pattern}/ is no regular expression: {fault}", "mend it, or give a plain name") from error
