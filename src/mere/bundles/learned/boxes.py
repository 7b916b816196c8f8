"""Which ranges of codes does a query ask for?

The network knows a query as a box: per column the lowest and the highest code.  A set of queries asks for the union of
its boxes, so a query with OR, IN or <> becomes several boxes and loses nothing; NOT is moved down to the comparisons
first, which keeps the rows for which the query is true (three-valued logic).  NULL has a code of its own, so IS NULL is
a range, too.  What no range can express (LIKE, or a query that would become too many boxes) is left over as a predicate
of the box.

A box that lies in another one is left out: it asks for no further rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mere.bundles.learned.quantiser import EVERYTHING, NOT_NULL, NULLS, Quantiser, Range, intersection
from mere.bundles.predicates import And, Compare, Constant, IsNull, Like, Not, OneOf, Or, Predicate

_OPPOSITE = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


@dataclass(frozen=True, eq=False)
class Box:
    """A range of codes per column that has a condition, and the conditions that no range expresses."""

    ranges: Mapping[int, Range]
    left_over: tuple[Predicate, ...] = ()

    def lies_in(self, other: Box) -> bool:
        """Whether every row that is in this box is known to be in the other."""
        return set(other.left_over) <= set(self.left_over) and all(
            intersection(self.ranges.get(column, EVERYTHING), limits) == self.ranges.get(column, EVERYTHING)
            for column, limits in other.ranges.items()
        )

    def joined(self, other: Box) -> Box | None:
        """The rows that are in both; None if there are none."""
        ranges = dict(self.ranges)
        for column, limits in other.ranges.items():
            both = intersection(ranges.get(column, EVERYTHING), limits)
            if both is None:
                return None
            ranges[column] = both
        return Box(ranges, (*self.left_over, *(part for part in other.left_over if part not in self.left_over)))


def positive_form(predicate: Predicate, negated: bool = False) -> Predicate:
    """The same predicate with NOT only before LIKE and IS NULL, and without IN and <>; true for the same rows."""
    match predicate:
        case Not(part):
            return positive_form(part, not negated)
        case And(parts) | Or(parts):
            every = isinstance(predicate, And) != negated
            changed = tuple(positive_form(part, negated) for part in parts)
            return And(changed) if every else Or(changed)
        case Constant(value):
            return Constant(None if value is None else value != negated)
        case OneOf(column, literals, holds_null):
            if negated and holds_null:
                return Constant(None)
            return positive_form(Or(tuple(Compare(column, "=", literal) for literal in literals)), negated)
        case Compare(column, operator, literal):
            operator = _OPPOSITE[operator] if negated else operator
            if operator == "<>":
                return Or((Compare(column, "<", literal), Compare(column, ">", literal)))
            return Compare(column, operator, literal)
    return Not(predicate) if negated else predicate


@dataclass(frozen=True)
class BoxMaker:
    """Turns queries into boxes, at most `most` of each."""

    quantisers: Mapping[int, Quantiser]
    most: int

    def boxes(self, query: Predicate) -> list[Box]:
        """The boxes whose union is the query; none if the sample has no row that could meet it."""
        return self._of(positive_form(query))

    def _of(self, predicate: Predicate) -> list[Box]:
        match predicate:
            case Constant(value):
                return [Box({})] if value else []
            case And(parts):
                return self._every(parts)
            case Or(parts):
                boxes = without_contained([box for part in parts for box in self._of(part)])
                return boxes if len(boxes) <= self.most else [Box({}, (predicate,))]
            case IsNull(column):
                return [Box({column: NULLS})]
            case Not(IsNull(column)):
                return [Box({column: NOT_NULL})]
            case Compare(column, operator, literal):
                return self._compared(predicate, self.quantisers[column], operator, literal)
        return [Box({}, (predicate,))]

    def _every(self, parts: Sequence[Predicate]) -> list[Box]:
        result = [Box({})]
        for part, boxes in sorted(((part, self._of(part)) for part in parts), key=lambda pair: len(pair[1])):
            joined = [both for box in result for other in boxes if (both := box.joined(other)) is not None]
            if len(joined) > self.most:
                joined = [Box(box.ranges, (*box.left_over, part)) for box in result]
            result = joined
        return result

    def _compared(self, predicate: Compare, quantiser: Quantiser, operator: str, literal: float | str) -> list[Box]:
        if quantiser.orders_texts != isinstance(literal, str):
            return [Box({}, (predicate,))]
        low: Range | None = NOT_NULL
        high: Range | None = NOT_NULL
        if operator in ("=", ">", ">="):
            low = quantiser.at_least(literal, strictly=operator == ">")
        if operator in ("=", "<", "<="):
            high = quantiser.at_most(literal, strictly=operator == "<")
        both = intersection(low, high)
        return [] if both is None else [Box({predicate.column: both})]


def without_contained(boxes: Sequence[Box]) -> list[Box]:
    """The boxes that do not lie in another; ranges of one column that touch become one.

    In an order that does not depend on that of the queries; of equal ones the first in it.
    """
    kept: list[Box] = []
    for box in sorted(_touching_joined(boxes), key=lambda box: (sorted(box.ranges.items()), repr(box.left_over))):
        if not any(box.lies_in(other) for other in kept):
            kept = [other for other in kept if not other.lies_in(box)]
            kept.append(box)
    return kept


def _touching_joined(boxes: Sequence[Box]) -> list[Box]:
    simple: dict[int, list[Range]] = {}
    others = []
    for box in boxes:
        if len(box.ranges) == 1 and not box.left_over:
            (column, limits), = box.ranges.items()  # fmt: skip
            simple.setdefault(column, []).append(limits)
        else:
            others.append(box)
    for column, ranges in simple.items():
        last = None
        for low, high in sorted(ranges):
            if last is not None and low <= last[1] + 1:
                last = (last[0], max(last[1], high))
            else:
                others += [] if last is None else [Box({column: last})]
                last = (low, high)
        others += [] if last is None else [Box({column: last})]
    return others


def columns_in(query: Predicate) -> set[int]:
    """The columns that a query has conditions on."""
    match query:
        case And(parts) | Or(parts):
            return set().union(*map(columns_in, parts))
        case Not(part):
            return columns_in(part)
        case Compare(column) | OneOf(column) | Like(column) | IsNull(column):
            return {column}
    return set()
