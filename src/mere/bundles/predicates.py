"""What is a filter, once it is parsed?  A tree of predicates on the columns of the schema.

Literals are stored as what they are compared with: the number, the moment (seconds since 1970), or the normalised text,
depending on the type of the column.
"""

from __future__ import annotations

from dataclasses import dataclass

OPERATORS = ("=", "<>", "<", "<=", ">", ">=")


@dataclass(frozen=True)
class Compare:
    """A column compared with a literal; `column` is its place in the schema."""

    column: int
    operator: str
    literal: float | str  # a number or moment for columns that have an order, else a normalised text


@dataclass(frozen=True)
class OneOf:
    """A column is equal to one of several literals; `holds_null` if NULL is among them."""

    column: int
    literals: tuple[float | str, ...]
    holds_null: bool = False


@dataclass(frozen=True)
class Like:
    """A text matches a pattern with % and _, compared without regard to case."""

    column: int
    pattern: str
    escape: str = ""


@dataclass(frozen=True)
class IsNull:
    column: int


@dataclass(frozen=True)
class Not:
    part: Predicate


@dataclass(frozen=True)
class And:
    parts: tuple[Predicate, ...]


@dataclass(frozen=True)
class Or:
    parts: tuple[Predicate, ...]


@dataclass(frozen=True)
class Constant:
    """True, false, or unknown (None), whatever the row."""

    value: bool | None


Predicate = Compare | OneOf | Like | IsNull | Not | And | Or | Constant
