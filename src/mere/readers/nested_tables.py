"""The tables of nested records, as raw tables: the records themselves, and the lists in them.

Records are read once for their shape, and once more for each table: from memory if the content is small, otherwise from
the file, so that memory is bounded by a batch of rows and the entries of `nested_shape`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from mere.errors import Unreadable
from mere.readers.json_records import cell
from mere.readers.limits import Limits
from mere.readers.names import unique_names
from mere.readers.nested_plan import Plan, Planner, cells_of, list_at
from mere.readers.nested_shape import Shape, TooWide
from mere.readers.rows import Row, to_batches
from mere.readers.source import Source
from mere.readers.table import Findings, RawTable

WIDE = 256  # a single record of more columns is shown as pairs of key and value

Records = Callable[[Findings], Iterable[Any]]
Notes = dict[str, int]  # sentences with their counts
_Told = tuple[str, bool, Notes]  # the member, whether it is the first table, what to note


class ListPlanner(Protocol):
    """Counts the lists that stay text: beyond a limit, or because the file is a part of a table."""

    left: int
    texts: int


class Origin(NamedTuple):
    """Where records come from, and what their tables are called."""

    source: Source
    member: str
    format: str
    facts: dict[str, Any]
    note: str = ""  # on what was left out of the first table

    def member_of(self, plan: Plan, below: str) -> str:
        """`list`, `list.inner`; after the path of an archive's member, a slash."""
        parts: list[str] = []
        level: Plan | None = plan
        while level is not None and level.parent is not None:
            parts[:0] = level.path
            level = level.parent
        name = ".".join(([below] if below else []) + parts)
        return f"{self.member}/{name}" if self.member and name else self.member or name


def nested_tables(records: Records, origin: Origin, limits: Limits, below: str = "") -> Iterator[RawTable]:
    """The table of the records, named `below`, and those of the lists in them; a single record comes last."""
    shape = _shape(records, origin, limits)
    typed = shape.has_fractions()
    planner = Planner(limits.child_tables, limits.lists_as_text)
    root = planner.plan(shape)
    plans = list(root.family())
    if root.rows == 1 and root.columns and len(plans) > 1:
        plans = [*plans[1:], root]
        if len(root.columns) == 1:  # a table of one cell beside others helps nobody
            origin.facts["beside"] = dict(zip(root.names, next(_rows(plans.pop(), records, Findings())), strict=True))
    if not plans:
        raise Unreadable(f"{origin.source.name}: the records have no values", "remove it")
    for number, plan in enumerate(plans):
        told = list_notes(planner, limits) if plan is root else {}
        raw = _table(plan, records, origin, limits, (origin.member_of(plan, below), number == 0, told))
        raw.typed = typed
        yield raw


def list_notes(planner: ListPlanner, limits: Limits) -> Notes:
    """What to say of lists that stay text."""
    beyond = f"{{n}} {{list|lists}} beyond {limits.child_tables:,} tables stay text in a cell"
    return {beyond: planner.left, "lists stay JSON text, because the table has several files": planner.texts}


def _shape(records: Records, origin: Origin, limits: Limits) -> Shape:
    shape = Shape(limits.flatten_depth, limits.columns)
    try:
        for record in records(Findings()):
            shape.add(_as_object(record))
    except TooWide as fault:
        raise Unreadable(f"{origin.source.name}: {fault}", "raise the limit 'columns'") from fault
    return shape


def _as_object(record: Any) -> dict[str, Any]:
    return record if isinstance(record, dict) else {"value": record}


def _table(plan: Plan, records: Records, origin: Origin, limits: Limits, told: _Told) -> RawTable:
    member, first, notes = told
    names = plan.names
    if len(names) > limits.columns:
        raise Unreadable(
            f"{origin.source.name}: {len(names):,} columns, more than {limits.columns:,}", "raise the limit 'columns'"
        )
    limits.check_extent(origin.source.name, plan.rows, len(names), origin.source.size)
    wide = plan.rows == 1 and len(names) > WIDE
    columns = ["key", "value"] if wide else unique_names(names)

    def read(findings: Findings) -> Iterator[pa.RecordBatch]:
        for sentence, count in notes.items():
            findings.note(sentence, count, lost=False)
        rows = _rows(plan, records, findings if first else Findings())
        if wide:
            rows = zip(names, next(iter(rows), ()), strict=False)
        yield from to_batches(rows, columns, limits, findings)

    return RawTable(member, columns, origin.format, dict(origin.facts), read)


def _rows(plan: Plan, records: Records, findings: Findings) -> Iterator[Row]:
    """The rows of a table: the parent's key, the columns, the number of the row where it is the key."""
    keyed = plan.parent is not None and bool(plan.parent.key_name)
    for number, (key, record) in enumerate(_elements(plan, records, findings), 1):
        row: list[str | None] = [*map(cells_of(record, plan).get, plan.columns)]
        if keyed:
            row.insert(0, key)
        if plan.numbered:
            row.append(str(number))
        yield row


def _elements(plan: Plan, records: Records, findings: Findings) -> Iterator[tuple[str | None, Any]]:
    """The records of a table, each with its parent's key."""
    if plan.parent is None:
        yield from ((None, _as_object(record)) for record in records(findings))
        return
    parent = plan.parent
    for number, (_, record) in enumerate(_elements(parent, records, findings), 1):
        items = list_at(record, plan.path, parent.single)
        if items:
            key = str(number) if parent.numbered else cell(record.get(parent.key))
            yield from ((key, item) for item in items)
