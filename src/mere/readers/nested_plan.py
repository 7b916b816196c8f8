"""Which tables do nested records become?

    object            flattened: {"a": {"b": 1}} gives the column `a.b`
    list of records   a table of its own, named by its path, whose first column is the key of the parent
    list of scalars   JSON text in its cell; from `LEAST_VALUES` values on a table of its own, too; in a single record,
                      only that table
    one element       lists that never have more than one element are treated as that element
    other lists       JSON text: mixed lists, lists of lists, lists with fractions (nobody joins on those)
    part of a table   all lists are JSON text: what they are in one of several files need not be so in the others

The key of a table is a column with the name of a key (`id`, `code`, `user_id`...) whose values are all there, no
lists, and all different; otherwise the number of the row, which becomes a column of the parent, too. A parent of one
row without such a column needs no key.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from mere.readers.json_records import cell
from mere.readers.nested_shape import SEPARATOR, Lists, Path, Shape, shown

LEAST_VALUES = 10
ROW = "row"
PARENT = "parent."
Cells = dict[str, str | None]


@dataclass
class Plan:
    """One table: its columns, and the tables below it."""

    path: Path = ()  # from the parent's record to the list
    rows: int = 0
    scalars: bool = False  # its rows are scalars, not records
    columns: list[str] = field(default_factory=list)
    single: set[str] = field(default_factory=set)  # lists that are treated as their only element
    hidden: set[str] = field(default_factory=set)  # lists that are tables, and not in a cell of this one
    empty: set[str] = field(default_factory=set)  # columns without a value
    children: list[Plan] = field(default_factory=list)
    levels: int = 1
    key: str = ""
    numbered: bool = False  # the number of the row is the key
    parent: Plan | None = None

    @property
    def key_name(self) -> str:
        return ROW if self.numbered else shown(self.key)

    @property
    def names(self) -> list[str]:
        """The raw names of all columns; they may still clash."""
        above = [PARENT + self.parent.key_name] if self.parent and self.parent.key_name else []
        return above + [shown(name) for name in self.columns] + ([ROW] if self.numbered else [])

    def family(self) -> Iterator[Plan]:
        """This table and those below it, if they have columns of their own."""
        if self.columns:
            yield self
        for child in self.children:
            yield from child.family()


class Planner:
    """Makes a plan of a shape, with at most `most` tables below the first one; `left` lists stay text beyond that.

    With `as_text` all lists stay text; `texts` are counted.
    """

    def __init__(self, most: int, as_text: bool = False) -> None:
        self._most, self._as_text = most, as_text
        self.left = self.texts = 0

    def plan(self, shape: Shape) -> Plan:
        single = set() if self._as_text else shape.inline()
        plan = Plan(rows=shape.rows, levels=shape.levels, single=single)
        for name, filled in shape.filled.items():
            lists = shape.lists.get(name)
            if lists is not None:
                self._add_list(plan, lists, name)
            if lists is None or filled:  # `filled`: a scalar in place of the list in another record
                plan.columns.append(name)
            if not filled and (lists is None or not lists.total):
                plan.empty.add(name)
        _drop_empty(plan)
        if plan.children:
            plan.key = shape.keys.best(shape.rows)
            plan.numbered = not plan.key and plan.rows > 1
        return plan

    def _add_list(self, plan: Plan, lists: Lists, name: str) -> None:
        if self._as_text:
            self.texts += 1
            plan.columns.append(name)
        elif lists.pure and lists.longest <= 1:
            plan.single.add(name)
            plan.columns.append(name)
        elif lists.pure and lists.records:
            if self._add_table(plan, self.plan(lists.elements) if self._most else Plan(), lists.path):
                plan.hidden.add(name)
            else:
                plan.columns.append(name)
        else:
            table = Plan(rows=lists.total, scalars=True, columns=[lists.path[-1]])
            many = lists.pure and not lists.fractions and lists.total >= LEAST_VALUES
            if many and self._add_table(plan, table, lists.path) and plan.rows == 1:
                plan.hidden.add(name)
            else:
                plan.columns.append(name)

    def _add_table(self, plan: Plan, child: Plan, path: Path) -> bool:
        if not self._most:
            self.left += 1
            return False
        self._most -= 1
        child.path, child.parent = path, plan
        plan.children.append(child)
        return True


def _drop_empty(plan: Plan) -> None:
    """A path without values is not a column where other records have an object there."""
    above = {name.rsplit(SEPARATOR, depth)[0] for name in plan.columns for depth in range(1, name.count(SEPARATOR) + 1)}
    plan.columns = list(dict.fromkeys(name for name in plan.columns if name not in above or name not in plan.empty))


def cells_of(record: Any, plan: Plan) -> Cells:
    """The cells of a record by the raw names of its columns."""
    cells: Cells = {}
    if plan.scalars:
        cells[plan.columns[0]] = cell(record)
    elif record is not None:
        _fill(cells, record, "", plan, plan.levels)
    return cells


def _fill(cells: Cells, record: dict[str, Any], prefix: str, plan: Plan, levels: int) -> None:
    for key, value in record.items():
        name, kind = prefix + key, type(value)
        if kind is list and name in plan.single:
            value = value[0] if value else None
            kind = type(value)
        if kind is str:
            cells[name] = value
        elif kind is dict:
            if value and levels > 1:
                _fill(cells, value, name + SEPARATOR, plan, levels - 1)
            elif value:
                cells[name] = cell(value)
        elif kind is not list or name not in plan.hidden:
            cells[name] = cell(value)


def list_at(record: Any, path: Path, single: set[str]) -> list[Any]:
    """The list at a path of a record, through objects and through lists that are treated as their only element."""
    value, name = record, ""
    for key in path:
        if type(value) is list:
            value = value[0] if value and name in single else None
        value = value.get(key) if type(value) is dict else None
        name = f"{name}{SEPARATOR}{key}" if name else key
    return value if type(value) is list else []
