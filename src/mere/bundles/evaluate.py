"""Which rows meet a filter?  Those for which its condition is true, in the three-valued logic of SQL.

A condition is true, false or unknown for a row.  It is never necessary to compute all three: the rows for which `NOT p`
is true are those for which p is false, and those for which `p AND q` is false are those for which p or q is.  So `NOT`
is moved down to the comparisons, and each of these is asked for the rows where it is true, or where it is false.

Every part of a condition that depends on one column is computed once per distinct value (and for null) and looked up
by code.  A value of a number or date column that is not a number or date is unknown in comparisons, like null; but it
is not null.  A column that the table lacks is null in all rows.

Cost: a step per comparison and distinct value, and one lookup per row for each column of a query; comparisons and
lookups that several queries have in common are made once.  Rows are taken in blocks, which bounds the memory for
lookups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.bundles.predicates import And, Compare, Constant, IsNull, Like, Not, OneOf, Or, Predicate
from mere.bundles.relation import Column, Relation
from mere.store import Strings
from mere.values import Type

_BLOCK = 1 << 16  # rows
_COMPARE: dict[str, Callable[..., np.ndarray]] = {
    "=": np.equal,
    "<>": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
_COMPARE_TEXTS = {
    "=": pc.equal,
    "<>": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}
_NEGATED = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def columns_of(predicate: Predicate) -> frozenset[int]:
    """The places of the columns that a predicate depends on."""
    match predicate:
        case Not(part):
            return columns_of(part)
        case And(parts) | Or(parts):
            return frozenset().union(*map(columns_of, parts))
        case Constant():
            return frozenset()
        case _:
            return frozenset([predicate.column])


@dataclass(frozen=True)
class _Lookup:
    """The rows whose value in one column makes the predicate `wanted`: true or false."""

    column: int
    predicate: Predicate
    wanted: bool


@dataclass(frozen=True)
class _Combine:
    """The rows that every part has (`every`), or that at least one has.  Without parts: all rows, or none."""

    every: bool
    parts: tuple[int | _Combine, ...]  # a number is a place in `Plan.lookups`


class Plan:
    """How several queries are evaluated together."""

    def __init__(self, queries: Sequence[Predicate]) -> None:
        self._places: dict[_Lookup, int] = {}
        self.queries = [self._steps(query, True) for query in queries]
        self.lookups = list(self._places)

    def _steps(self, predicate: Predicate, wanted: bool) -> int | _Combine:
        columns = columns_of(predicate)
        if len(columns) == 1:
            return self._places.setdefault(_Lookup(next(iter(columns)), predicate, wanted), len(self._places))
        match predicate:
            case Not(part):
                return self._steps(part, not wanted)
            case And() | Or():
                parts = tuple(self._steps(part, wanted) for part in _merged_by_column(predicate))
                return _Combine(isinstance(predicate, And) is wanted, parts)
            case Constant(value):
                return _Combine(value is wanted, ())
        raise AssertionError(predicate)

    def rows_of_each(self, relation: Relation) -> list[np.ndarray]:
        """For each query, whether it is true for each row."""
        columns = {step.column: _column_of(relation, step.column) for step in self.lookups}
        tables = list(_Tables(relation, columns).of(self.lookups))
        rows = [np.empty(relation.rows, bool) for _ in self.queries]
        for start in range(0, relation.rows, _BLOCK):
            block = slice(start, min(start + _BLOCK, relation.rows))
            codes = {place: column.codes[block].astype(np.intp) for place, column in columns.items()}
            found = [table.take(codes[step.column]) for step, table in zip(self.lookups, tables, strict=True)]
            for target, query in zip(rows, self.queries, strict=True):
                target[block] = _combined(query, found)
        return rows


def _merged_by_column(predicate: And | Or) -> Iterator[Predicate]:
    """The parts, those that depend on the same single column as one part: they need one lookup."""
    groups: dict[object, list[Predicate]] = {}
    for place, part in enumerate(predicate.parts):
        columns = columns_of(part)
        groups.setdefault(columns if len(columns) == 1 else place, []).append(part)
    for parts in groups.values():
        yield parts[0] if len(parts) == 1 else type(predicate)(tuple(parts))


def _column_of(relation: Relation, place: int) -> Column:
    column = relation.columns[place]
    return column or Column(Strings.of(()), np.empty(0, np.uint64), np.zeros(relation.rows, np.uint8))


def _combined(step: int | _Combine, found: Sequence[np.ndarray]) -> np.ndarray:
    if isinstance(step, int):
        return found[step]
    parts = [_combined(part, found) for part in step.parts]
    return reduce(np.logical_and if step.every else np.logical_or, parts, np.array(step.every))


class _Tables:
    """For each code of a column, null first, whether a predicate is true, or false."""

    def __init__(self, relation: Relation, columns: dict[int, Column]) -> None:
        self._types, self._columns = relation.schema.types, columns
        self._known: dict[tuple[Predicate, bool], np.ndarray] = {}

    def of(self, steps: Sequence[_Lookup]) -> Iterator[np.ndarray]:
        for step in steps:
            yield self._table(step.column, step.predicate, step.wanted)

    def _table(self, place: int, predicate: Predicate, wanted: bool) -> np.ndarray:
        match predicate:
            case Not(part):
                return self._table(place, part, not wanted)
            case And(parts) | Or(parts):
                combine = np.logical_and if isinstance(predicate, And) is wanted else np.logical_or
                return reduce(combine, [self._table(place, part, wanted) for part in parts])
            case Constant(value):
                return np.full(len(self._columns[place].values) + 1, value is wanted)
        key = predicate, wanted
        if key not in self._known:
            self._known[key] = self._leaf(predicate, wanted)
        return self._known[key]

    def _leaf(self, predicate: Compare | OneOf | Like | IsNull, wanted: bool) -> np.ndarray:
        column, kind = self._columns[predicate.column], self._types[predicate.column]
        table = np.zeros(len(column.values) + 1, bool)  # null is unknown: neither true nor false
        match predicate:
            case IsNull():
                table[:] = not wanted
                table[0] = wanted
            case Compare(_, operator, literal):
                table[1:] = _compared(column, kind, operator if wanted else _NEGATED[operator], literal)
            case OneOf(_, literals, holds_null):
                table[1:] = _among(column, kind, literals) if wanted else _not_among(column, kind, literals, holds_null)
            case Like(_, pattern, escape):
                table[1:] = np.asarray(pc.match_like(column.compared, _arrow_pattern(pattern, escape))) == wanted
        return table


def _compared(column: Column, kind: Type, operator: str, literal: float | str) -> np.ndarray:
    """Which values are known to compare so with the literal."""
    if isinstance(literal, str):
        return np.asarray(_COMPARE_TEXTS[operator](column.compared, pa.scalar(literal, pa.large_string())))
    values = _ordered(column, kind)
    result = _COMPARE[operator](values, float(literal))
    if operator == "<>":
        result &= ~np.isnan(values)
    if isinstance(literal, int):
        _correct_rounding(result, column, operator, literal)
    return result


def _ordered(column: Column, kind: Type) -> np.ndarray:
    return column.moments if kind is Type.DATETIME else column.numbers


def _correct_rounding(result: np.ndarray, column: Column, operator: str, literal: int) -> None:
    """Compare exactly where the value and a large integer are the same number in floating point."""
    for place in np.flatnonzero(column.numbers == float(literal)).tolist():
        difference = Decimal(column.compared[place].as_py()) - literal
        result[place] = _COMPARE[operator](float(difference), 0.0)


def _among(column: Column, kind: Type, literals: Sequence[float | str]) -> np.ndarray:
    texts = [literal for literal in literals if isinstance(literal, str)]
    member = np.asarray(pc.is_in(column.compared, value_set=pa.array(texts, pa.large_string())))
    numbers = [literal for literal in literals if isinstance(literal, float)]
    if numbers:
        member = member | np.isin(_ordered(column, kind), numbers)
    for literal in literals:
        if isinstance(literal, int):
            member = member | _compared(column, kind, "=", literal)
    return member


def _not_among(column: Column, kind: Type, literals: Sequence[float | str], holds_null: bool) -> np.ndarray:
    if holds_null:
        return np.zeros(len(column.values), bool)
    others = ~_among(column, kind, literals)
    if any(not isinstance(literal, str) for literal in literals):
        others &= ~np.isnan(_ordered(column, kind))
    return others


def _arrow_pattern(pattern: str, escape: str) -> str:
    """The pattern with a backslash as its escape character, as Arrow expects it."""
    letters, result = iter(pattern), []
    for letter in letters:
        escaped = bool(escape) and letter == escape
        letter = next(letters, escape) if escaped else letter
        is_plain = letter not in "%_\\" or (letter in "%_" and not escaped)
        result.append(letter if is_plain else "\\" + letter)
    return "".join(result)
