"""What is the answer: which tables to take, what each adds, and what a larger or smaller budget would bring."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

METHODS = ("sketch", "exact", "optimal", "ml")


@dataclass(frozen=True)
class Chosen:
    """A table to take: `gain` is how many distinct rows it adds to the base and the tables before it."""

    table: str
    price: float
    gain: float
    distinct: float  # of the base and all tables up to this one


@dataclass(frozen=True)
class Rejected:
    """A table that is not taken, and why: one of `REASONS` in short, and in words."""

    table: str
    price: float | None
    gain: float | None  # how many rows it would add to the answer; None if that is not known
    reason: str
    code: str


REASONS = (
    "nothing new",  # the base and the chosen tables already hold all of its rows that meet the queries
    "no rows",  # none of its rows meets the queries
    "too expensive",  # it costs more than the budget
    "budget spent",  # it would add rows, and costs more than what is left
    "no price",
    "no columns",  # it has no column in common with the base
    "other type",  # it was found by its names, and a column of the base holds other things in it
    "profile only",  # only a profile of it was published
    "unreadable",
    "licence",
)


@dataclass(frozen=True)
class Point:
    """A point of the curve: how many distinct rows can be had for this cost, with which tables."""

    cost: float
    distinct: float
    tables: tuple[str, ...]


def rising(points: Iterable[Point]) -> tuple[Point, ...]:
    """The bundles that hold more rows than every cheaper one."""
    best: list[Point] = []
    for point in sorted(points, key=lambda point: (point.cost, -point.distinct)):
        if not best or point.distinct > best[-1].distinct * (1 + 1e-9):
            best.append(point)
    return tuple(best)


@dataclass(frozen=True)
class Assembly:
    """The answer.  `distinct` counts the base's rows, too; `interval` is its 95 % interval."""

    method: str
    budget: float
    chosen: tuple[Chosen, ...]
    rejected: tuple[Rejected, ...]
    base: float  # distinct rows of the base that meet the queries
    base_exact: bool  # whether that is counted
    distinct: float
    interval: tuple[float, float] | None  # None if the method has none
    exact: bool
    curve: tuple[Point, ...]  # ascending cost, from the base alone; it goes on beyond the budget
    counted: tuple[str, ...] = ()  # tables that were counted in full although the method estimates
    notes: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)  # by stage

    @property
    def cost(self) -> float:
        return math.fsum(chosen.price for chosen in self.chosen)
