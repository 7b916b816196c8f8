"""Which fraction of a column's values satisfies a comparison, and which comparisons does one column satisfy together?

    mere.at_least(0.3, "age") < 40                     also <=, >, >=, ==, != and .between(low, high)
    mere.same_column(mere.at_least(0.3) < 40, mere.at_most(0.1) > 90)

There is no operator != inside: at least p of != r is at most 1 - p of = r, the same condition.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from mere.errors import QueryError
from mere.language.columns import fitting, quote_column
from mere.language.expressions import Leaf
from mere.language.numbers import Moment, format_number, format_percent, fraction_of, number_of

SIDES = ("at least", "at most")
COMPARISONS = ("<", "<=", ">", ">=", "=")
OPERATORS = (*COMPARISONS, "between")
_INTEGERS_END = 2.0**53  # from here on one float stands for several integers


@dataclass(frozen=True)
class Predicate(Leaf):
    """At least, or at most, this fraction of a column's values satisfies a comparison."""

    column: str | None  # a name, a glob, /a regular expression/, or None for any column
    side: str
    fraction: Fraction
    operator: str
    value: float | tuple[float, float]  # numbers, or moments as seconds since 1970

    kind = "distribution"
    has_modes = True

    def __post_init__(self) -> None:
        if self.side not in SIDES:
            raise QueryError(f"expected 'at least' or 'at most', got '{self.side}'", "use one of the two")
        if self.operator not in OPERATORS:
            raise QueryError(f"unknown comparison '{self.operator}'", f"use one of {', '.join(OPERATORS)}")
        if isinstance(self.value, tuple) != (self.operator == "between"):
            raise QueryError(f"cannot use '{self.operator}' with {self.value!r}", "only 'between' takes two numbers")
        if isinstance(self.value, tuple) and isinstance(self.value[0], Moment) != isinstance(self.value[1], Moment):
            raise QueryError(f"one end of {self} is a date, the other is a number", "give two dates, or two numbers")
        if isinstance(self.value, tuple) and not self.value[0] <= self.value[1]:
            low, high = map(format_number, self.value)
            raise QueryError(f"no number is between {low} and {high}", "write the smaller number first")
        fitting(self.column, [""])

    @property
    def dated(self) -> bool:
        """Whether it compares with dates, and so is about columns of dates."""
        return any(isinstance(end, Moment) for end in (self.value if isinstance(self.value, tuple) else (self.value,)))

    @property
    def intervals(self) -> tuple[float, float, float, float]:
        """Two intervals [low, high): the numbers that may satisfy the comparison, and those that surely do.

        There is no number between two adjacent floats, so <= r is the same as < the next float.  The two intervals
        differ only where one float stands for several integers, and so may r.
        """
        low, high = self.ends
        after_low, after_high = math.nextafter(low, math.inf), math.nextafter(high, math.inf)
        start, end = after_low if self.operator == ">" else low, high if self.operator == "<" else after_high
        may_low, sure_low = (low, after_low) if _INTEGERS_END <= abs(low) < math.inf else (start, start)
        may_high, sure_high = (after_high, high) if _INTEGERS_END <= abs(high) < math.inf else (end, end)
        return may_low, may_high, sure_low, sure_high

    @property
    def ends(self) -> tuple[float, float]:
        """Both ends as written, whether they are included or not: for estimates and pictures."""
        if isinstance(self.value, tuple):
            return float(self.value[0]), float(self.value[1])
        if self.operator == "=":
            return float(self.value), float(self.value)
        return (-math.inf, float(self.value)) if "<" in self.operator else (float(self.value), math.inf)

    def query(self) -> dict[str, Any]:
        return {"predicate": self}

    def __str__(self) -> str:
        return self.written(quote_column(self.column))

    def written(self, column: str) -> str:
        """As a text, with the column written like this."""
        value = self.value
        comparison = (
            f"between {format_number(value[0])} and {format_number(value[1])}"
            if isinstance(value, tuple)
            else f"{self.operator} {format_number(value)}"
        )
        return f"{self.side} {format_percent(self.fraction)} of {column} {comparison}"


@dataclass(frozen=True)
class SameColumn(Leaf):
    """One column satisfies all of these predicates, which name it in the same way."""

    predicates: tuple[Predicate, ...]

    kind = "distribution"
    has_modes = True
    joined_by_and = True

    def __post_init__(self) -> None:
        if len(self.predicates) < 2:
            raise QueryError("'the same column' needs two predicates or more", "give at least two")
        if len({predicate.column for predicate in self.predicates}) > 1:
            named = ", ".join(quote_column(predicate.column) for predicate in self.predicates)
            raise QueryError(f"predicates on one and the same column name {named}", "name the column once")
        if len({predicate.dated for predicate in self.predicates}) > 1:
            fault = f"one predicate of {self} compares with a date, another with a number"
            raise QueryError(fault, "a column has dates or numbers: use one of the two")

    def query(self) -> dict[str, Any]:
        return {"predicate": self}

    def written(self) -> Iterator[str]:
        """Each predicate as a text; all but the first name no column."""
        for place, predicate in enumerate(self.predicates):
            yield predicate.written("the same column") if place else str(predicate)

    def __str__(self) -> str:
        return " and ".join(self.written())


@dataclass(frozen=True, eq=False)
class Share:
    """At least, or at most, this fraction of a column; compared with a number it becomes a predicate."""

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

    def __eq__(self, value: Any) -> Predicate:  # type: ignore[override]
        return self._compared("=", value)

    def __ne__(self, value: Any) -> Predicate:  # type: ignore[override]
        """At least p of what is not r is at most 1 - p of what is: the same condition."""
        opposite = SIDES[1 - SIDES.index(self.side)]
        return Predicate(self.column, opposite, 1 - self.fraction, "=", number_of(value))

    __hash__ = None  # type: ignore[assignment]

    def between(self, low: Any, high: Any) -> Predicate:
        """Both ends included."""
        return Predicate(self.column, self.side, self.fraction, "between", (number_of(low), number_of(high)))

    def _compared(self, operator: str, value: Any) -> Predicate:
        return Predicate(self.column, self.side, self.fraction, operator, number_of(value))


def at_least(fraction: Any, column: str | None = None) -> Share:
    """At least this fraction (0.3, '30%') of a column: a name, a glob, '/a regular expression/', or None for any.

    >>> str(at_least("30%", "age") < 40), str(at_least(0.3, "year") != 1990)
    ('at least 30% of age < 40', 'at most 70% of year = 1990')
    """
    return Share("at least", fraction_of(fraction), column)


def at_most(fraction: Any, column: str | None = None) -> Share:
    """At most this fraction of a column."""
    return Share("at most", fraction_of(fraction), column)


def same_column(*predicates: Predicate | SameColumn) -> SameColumn:
    """Tables with one column that satisfies all of these predicates; one of them names it, or none for any column.

    >>> str(same_column(at_least(0.3, "age") < 40, at_least(0.3) > 60))
    'at least 30% of age < 40 and at least 30% of the same column > 60'
    """
    several: list[Predicate] = []
    for given in predicates:
        if not isinstance(given, Predicate | SameColumn):
            raise QueryError(f"expected a predicate, got {given}", "write one, e.g. at_least(0.3, 'age') < 40")
        several += given.predicates if isinstance(given, SameColumn) else [given]
    column = next((predicate.column for predicate in several if predicate.column is not None), None)
    return SameColumn(tuple(replace(each, column=column) if each.column is None else each for each in several))
