"""Which conditions must a table meet, and how are they combined?

    mere.at_least(0.3, "age") < 40                                     a predicate on a column
    (mere.at_least(0.3, "age") < 40) & mere.words("cancer")            both
    ~mere.words("draft") | mere.at_most("5%", "age").between(0, 18)    either, and not
    mere.ask("overlap", values=["Rome", "Oslo"]) & mere.words("city")  a question of any kind

An expression is a tree.  Its leaves are single questions: each names the kind that answers it and the query that this
kind takes.  `search/conditions.py` evaluates the tree.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import PurePath
from typing import Any

from mere.errors import QueryError
from mere.language.columns import fitting, quote, quote_column
from mere.language.numbers import Moment, format_number, format_percent, fraction_of, number_of

SIDES = ("at least", "at most")
COMPARISONS = ("<", "<=", ">", ">=")
OPERATORS = (*COMPARISONS, "between")
_INTEGERS_END = 2.0**53  # from here on one float stands for several integers


class Expression:
    """A condition on tables; combined with &, | and ~."""

    def __and__(self, other: Expression) -> And:
        return And((*(self.parts if isinstance(self, And) else (self,)), _checked(other)))

    def __or__(self, other: Expression) -> Or:
        return Or((*(self.parts if isinstance(self, Or) else (self,)), _checked(other)))

    def __invert__(self) -> Expression:
        return self.part if isinstance(self, Not) else Not(self)

    def __bool__(self) -> bool:
        raise QueryError("a condition is neither true nor false", "combine with &, | and ~ instead of and, or, not")

    def leaves(self) -> Iterator[Leaf]:
        """The single questions that it is made of, from left to right."""
        raise NotImplementedError


def _checked(other: Any) -> Expression:
    if not isinstance(other, Expression):
        raise QueryError(f"expected a condition, got {other!r}", "write one, e.g. at_least(0.3, 'age') < 40")
    return other


class Leaf(Expression):
    """One question: the kind that answers it, and the query that this kind takes."""

    kind: str
    names_columns = True  # whether the columns that meet it are columns of the answer

    def query(self) -> dict[str, Any]:
        """What the kind takes as its query."""
        raise NotImplementedError

    def leaves(self) -> Iterator[Leaf]:
        yield self


@dataclass(frozen=True)
class Predicate(Leaf):
    """At least, or at most, this fraction of a column's values satisfies a comparison."""

    column: str | None  # a name, a glob, /a regular expression/, or None for any column
    side: str
    fraction: Fraction
    operator: str
    value: float | tuple[float, float]  # numbers, or moments as seconds since 1970

    kind = "distribution"

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
        return (-math.inf, float(self.value)) if "<" in self.operator else (float(self.value), math.inf)

    def query(self) -> dict[str, Any]:
        return {"predicate": self}

    def __str__(self) -> str:
        value = self.value
        comparison = (
            f"between {format_number(value[0])} and {format_number(value[1])}"
            if isinstance(value, tuple)
            else f"{self.operator} {format_number(value)}"
        )
        return f"{self.side} {format_percent(self.fraction)} of {quote_column(self.column)} {comparison}"


@dataclass(frozen=True)
class Words(Leaf):
    """The table contains these words: in its name, folders, headers or descriptions."""

    text: str

    kind = "keywords"
    names_columns = False

    def query(self) -> dict[str, Any]:
        """A single word as it would be typed in a keyword search, several as a phrase.

        >>> Words("lung").query(), Words("lung cancer").query()
        ({'text': 'lung'}, {'text': '"lung cancer"'})
        """
        single = len(self.text.split()) == 1 and '"' not in self.text and not self.text.startswith("-")
        phrase = self.text.replace('"', " ")
        return {"text": self.text if single else f'"{phrase}"'}

    def __str__(self) -> str:
        return quote(self.text)


@dataclass(frozen=True, eq=False)
class Ask(Leaf):
    """A question of any kind, with the arguments that this kind takes.

    Two are equal if their kinds and arguments are; if an argument is not hashable (a list, a data frame), only if they
    share the same mapping of arguments.
    """

    kind: str
    arguments: Mapping[str, Any]

    def query(self) -> dict[str, Any]:
        return dict(self.arguments)

    def __eq__(self, other: object) -> bool:
        return self._identity() == other._identity() if isinstance(other, Ask) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> Hashable:
        try:
            return self.kind, frozenset(self.arguments.items())
        except TypeError:
            return self.kind, id(self.arguments)

    def __str__(self) -> str:
        arguments = ", ".join(f"{name}={_abbreviated(value)}" for name, value in self.arguments.items())
        return f"ask {self.kind}({arguments})"


_BRIEF = reprlib.Repr()
_BRIEF.maxstring = _BRIEF.maxother = 60


def _abbreviated(value: Any) -> str:
    """Plain values and short lists as Python writes them, long ones cut short, any other object as its type.

    >>> _abbreviated(["Rome", "Oslo"]), _abbreviated(Fraction(1, 3))
    ("['Rome', 'Oslo']", '<Fraction>')
    """
    plain = value is None or isinstance(value, str | bytes | int | float | list | tuple | set | dict | PurePath)
    return _BRIEF.repr(value) if plain else f"<{type(value).__name__}>"


@dataclass(frozen=True)
class And(Expression):
    parts: tuple[Expression, ...]

    def leaves(self) -> Iterator[Leaf]:
        for part in self.parts:
            yield from part.leaves()

    def __str__(self) -> str:
        return " and ".join(f"({part})" if isinstance(part, Or) else str(part) for part in self.parts)


@dataclass(frozen=True)
class Or(Expression):
    parts: tuple[Expression, ...]

    def leaves(self) -> Iterator[Leaf]:
        for part in self.parts:
            yield from part.leaves()

    def __str__(self) -> str:
        return " or ".join(str(part) for part in self.parts)


@dataclass(frozen=True)
class Not(Expression):
    part: Expression

    def leaves(self) -> Iterator[Leaf]:
        yield from self.part.leaves()

    def __str__(self) -> str:
        return f"not ({self.part})" if isinstance(self.part, And | Or) else f"not {self.part}"


@dataclass(frozen=True)
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

    def between(self, low: Any, high: Any) -> Predicate:
        """Both ends included."""
        return Predicate(self.column, self.side, self.fraction, "between", (number_of(low), number_of(high)))

    def _compared(self, operator: str, value: Any) -> Predicate:
        return Predicate(self.column, self.side, self.fraction, operator, number_of(value))


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
    """Tables that contain these words: in their names, folders, headers or descriptions."""
    if not isinstance(text, str) or not text.strip():
        raise QueryError(f"expected a word or a phrase, got {text!r}", "give at least one word")
    return Words(text)


def ask(kind: str, given: Any = None, /, **query: Any) -> Ask:
    """Tables that answer a question of any kind, with the arguments that `Lake.ask` takes for it.

    >>> str(ask("overlap", values=["Rome", "Oslo"]) & ~words("draft"))
    "ask overlap(values=['Rome', 'Oslo']) and not 'draft'"
    """
    if not isinstance(kind, str) or not kind:
        raise QueryError(f"expected the name of a kind, got {kind!r}", "name one, e.g. ask('overlap', values=[...])")
    return Ask(kind, query if given is None else {"given": given, **query})
