"""Which conditions must a table meet, and how are they combined?

    mere.at_least(0.3, "age") < 40                                     a predicate on a column
    (mere.at_least(0.3, "age") < 40) & mere.words("cancer")            both
    ~mere.words("draft") | mere.at_most("5%", "age").between(0, 18)    either, and not
    mere.ask("overlap", values=["Rome", "Oslo"]) & mere.words("city")  a question of any kind

An expression is a tree.  Its leaves are single questions: each names the kind that answers it and the query that this
kind takes; those about distributions are in `predicates`.  `search/asking/conditions.py` evaluates the tree.
"""

from __future__ import annotations

import reprlib
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from mere.errors import QueryError
from mere.language.columns import quote


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
    joined_by_and = False  # whether it is written as several predicates
    has_modes = False  # whether the mode of a condition is its mode

    def query(self) -> dict[str, Any]:
        """What the kind takes as its query."""
        raise NotImplementedError

    def leaves(self) -> Iterator[Leaf]:
        yield self


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

    >>> _abbreviated(["Rome", "Oslo"]), _abbreviated(object())
    ("['Rome', 'Oslo']", '<object>')
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
        several = isinstance(self.part, And | Or) or (isinstance(self.part, Leaf) and self.part.joined_by_and)
        return f"not ({self.part})" if several else f"not {self.part}"


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
