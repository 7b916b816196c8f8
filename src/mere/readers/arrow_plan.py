"""Which tables do nested Arrow columns become? By the rules of `nested_plan`, from the types and the counts.

Maps of at most `MAP_KEYS` different keys and flat values are columns, one per key; others are lists of pairs. Lists of
fractions, of fixed size, of lists and of maps stay JSON text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.types as types

from mere.readers.arrow_shape import ELEMENT, ArrowShape, Place, has_lists, is_list, pairs_type, plain_type
from mere.readers.as_text import as_text
from mere.readers.nested_plan import LEAST_VALUES, Plan
from mere.readers.nested_shape import SEPARATOR

Steps = tuple[Any, ...]  # from an array to one inside: the number of a field, ELEMENT, or the scalar of a map's key


@dataclass
class ArrowPlan(Plan):
    """One table: for each column, the steps to its array; and the steps from the parent's array to the list."""

    steps: list[Steps] = field(default_factory=list)
    list_steps: Steps = ()
    key_step: int = -1

    def add_column(self, name: str, steps: Steps) -> None:
        self.columns.append(name)
        self.steps.append(steps)


@dataclass
class Spot:
    """Where the planner is: the name of the column, the place in the shape, the steps from the table's array."""

    name: str
    place: Place
    steps: Steps
    depth: int

    def field(self, number: int, name: str) -> Spot:
        joined = f"{self.name}{SEPARATOR}{name}" if self.name else name
        return Spot(joined, (*self.place, number), (*self.steps, number), self.depth + 1)

    def element(self) -> Spot:
        return Spot(self.name, (*self.place, ELEMENT), (*self.steps, ELEMENT), self.depth)


class ArrowPlanner:
    """At most `most` tables below the first one; `left` lists stay text beyond that, all `texts` with `as_text`."""

    def __init__(self, shape: ArrowShape, most: int, as_text: bool = False) -> None:
        self._shape = shape
        self._most, self._as_text = most, as_text
        self.left = self.texts = 0

    def plan(self, data_type: pa.DataType, place: Place = (), depth: int = 0, rows: int = 0) -> ArrowPlan:
        """The table of records, or of scalars, of this type."""
        plan = ArrowPlan(rows=rows)
        for number, inner in enumerate(data_type):
            self._walk(plan, inner.type, Spot("", place, (), depth).field(number, inner.name))
        if plan.children:
            keys = self._shape.keys.get(place)
            plan.key = keys.best if keys else ""
            plan.key_step = [inner.name for inner in data_type].index(plan.key) if plan.key else -1
            plan.numbered = not plan.key and rows > 1
        return plan

    def _walk(self, plan: ArrowPlan, data_type: pa.DataType, spot: Spot) -> None:
        data_type = plain_type(data_type)
        if types.is_struct(data_type) and data_type.num_fields and spot.depth < self._shape.levels:
            for number, inner in enumerate(data_type):
                self._walk(plan, inner.type, spot.field(number, inner.name))
        elif spot.place in self._shape.counts and types.is_map(data_type):
            self._add_map(plan, data_type, spot)
        elif spot.place in self._shape.counts and is_list(data_type):
            self._add_list(plan, plain_type(data_type.value_type), spot)
        else:
            plan.add_column(spot.name, spot.steps)

    def _add_map(self, plan: ArrowPlan, data_type: pa.MapType, spot: Spot) -> None:
        counts = self._shape.counts[spot.place]
        if counts.many_keys or has_lists(data_type.item_type):
            self._add_list(plan, pairs_type(data_type).value_type, spot)
            return
        keys: Any = [] if counts.keys is None else counts.keys
        for key, text in zip(keys, as_text(keys).to_pylist() if len(keys) else [], strict=True):
            inner = Spot(f"{spot.name}{SEPARATOR}{text}", (*spot.place, "key"), (*spot.steps, key), spot.depth + 1)
            self._walk(plan, data_type.item_type, inner)

    def _add_list(self, plan: ArrowPlan, data_type: pa.DataType, spot: Spot) -> None:
        counts = self._shape.counts[spot.place]
        records = types.is_struct(data_type) and data_type.num_fields > 0
        if self._as_text:
            self.texts += 1
            plan.add_column(spot.name, spot.steps)
        elif counts.longest <= 1 and (records or not types.is_nested(data_type)):
            self._walk(plan, data_type, spot.element())
        elif records and self._most:
            self._most -= 1
            self._attach(plan, self.plan(data_type, (*spot.place, ELEMENT), spot.depth, counts.total), spot)
        else:
            values = not types.is_nested(data_type) and not _is_fraction(data_type) and counts.total >= LEAST_VALUES
            self.left += (records or values) and not self._most
            if values and self._most:
                self._most -= 1
                name = spot.name.rsplit(SEPARATOR, 1)[-1]
                child = ArrowPlan(rows=counts.total, scalars=True, columns=[name], steps=[()])
                self._attach(plan, child, spot)
            if not (values and plan.children and plan.children[-1].scalars and plan.rows == 1):
                plan.add_column(spot.name, spot.steps)

    def _attach(self, plan: ArrowPlan, child: ArrowPlan, spot: Spot) -> None:
        child.path, child.list_steps, child.parent = tuple(spot.name.split(SEPARATOR)), spot.steps, plan
        plan.children.append(child)


def _is_fraction(data_type: pa.DataType) -> bool:
    return types.is_floating(data_type) or types.is_decimal(data_type)
