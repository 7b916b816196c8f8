"""The tables of Arrow batches as raw tables: the columns, structs flattened, and the lists of records in them.

If a column contains lists or maps, these columns are read once to count them, and once more for each table of theirs.
Nested values are taken apart by Arrow kernels; no cell becomes a Python object unless it stays JSON text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as types

from mere.errors import Unreadable
from mere.readers.arrow_plan import ArrowPlan, ArrowPlanner, Steps
from mere.readers.arrow_shape import ArrowShape, as_list, has_lists, lengths_of, plain
from mere.readers.as_text import as_text, has_fractions, of_own_type
from mere.readers.limits import Limits
from mere.readers.names import unique_names
from mere.readers.nested_shape import key_candidates
from mere.readers.nested_tables import Notes, Origin, list_notes
from mere.readers.rows import cut_cells
from mere.readers.table import BATCH_ROWS, Findings, RawTable

UNFOLDED_BYTES = 128 << 20  # of one column of a batch

Batches = Iterator[pa.RecordBatch]
Convert = Callable[[pa.Array], pa.Array]


class Columnar(NamedTuple):
    """A table of typed columns, and how to read those at some positions."""

    schema: pa.Schema
    rows: int
    scan: Callable[[Sequence[int]], Batches]


def arrow_tables(table: Columnar, origin: Origin, limits: Limits, below: str = "") -> Iterator[RawTable]:
    """The table, and those of the lists in it."""
    if not 0 < len(table.schema) <= limits.columns:
        message = f"{origin.source.name}: {len(table.schema):,} columns, 1 to {limits.columns:,} allowed"
        raise Unreadable(message, "remove it, or raise the limit 'columns'")
    limits.check_extent(origin.source.name, table.rows, len(table.schema), origin.source.size)
    planner = ArrowPlanner(_shape(table, limits), limits.child_tables, limits.lists_as_text)
    root = planner.plan(pa.struct(list(table.schema)), rows=table.rows)
    for plan in root.family():
        assert isinstance(plan, ArrowPlan)
        member = origin.member_of(plan, below)
        notes = list_notes(planner, limits) if plan is root else {}
        yield _table(plan, table, origin._replace(member=member), limits, notes)


def _shape(table: Columnar, limits: Limits) -> ArrowShape:
    shape = ArrowShape(limits.flatten_depth)
    schema = table.schema
    nested = [position for position, field in enumerate(schema) if has_lists(field.type)]
    if not nested:
        return shape
    keys = [schema.names.index(name) for name in key_candidates(schema.names) if schema.names.count(name) == 1]
    positions = sorted({*nested, *keys})
    for rows in _root_rows(table, positions):
        columns = [rows.fields.get(position, pa.nulls(rows.length)) for position in range(len(schema))]
        shape.add(pa.StructArray.from_arrays(columns, names=schema.names))
    return shape


def _table(plan: ArrowPlan, table: Columnar, origin: Origin, limits: Limits, notes: Notes) -> RawTable:
    names = plan.names
    if len(names) > limits.columns:
        raise Unreadable(f"{origin.source.name}: {len(names):,} columns", "raise the limit 'columns'")
    limits.check_extent(origin.source.name, plan.rows, len(names), origin.source.size)
    columns = unique_names(names)

    def read(findings: Findings, convert: Convert = as_text) -> Batches:
        origin.source.report(findings)
        findings.note(origin.note, bool(origin.note) and plan.parent is None, lost=False)
        for sentence, count in notes.items():
            findings.note(sentence, count, lost=False)
        positions = range(len(table.schema)) if plan.parent is None else _positions(plan)
        number = 1
        for rows, keys in _levels(plan, table, positions):
            for start in range(0, rows.length, BATCH_ROWS):
                piece = _piece(plan, rows, keys, (start, number + start), convert)
                yield cut_cells(pa.RecordBatch.from_arrays(piece, names=columns), limits, findings)
            number += rows.length

    raw = RawTable(origin.member, columns, origin.format, dict(origin.facts), read)
    raw.typed = has_fractions(pa.struct(list(table.schema)))
    raw.read_own_types = partial(read, convert=of_own_type)
    return raw


class _Rows:
    """Some rows of a table: its fields by number, or the array itself if its rows are scalars."""

    def __init__(self, fields: dict[int, pa.Array], length: int, array: pa.Array | None = None) -> None:
        self.fields, self.length = fields, length
        self._reached: dict[Steps, pa.Array] = {} if array is None else {(): array}

    @classmethod
    def of(cls, array: pa.Array) -> _Rows:
        array = plain(array)
        fields = dict(enumerate(array.flatten())) if types.is_struct(array.type) else {}
        return cls(fields, len(array), array)

    def reach(self, steps: Steps) -> pa.Array:
        if steps not in self._reached:
            inner = self.fields[steps[0]] if len(steps) == 1 else _step(self.reach(steps[:-1]), steps[-1])
            self._reached[steps] = plain(inner)
        return self._reached[steps]


def _step(array: pa.Array, step: object) -> pa.Array:
    if isinstance(step, pa.Scalar):
        return pc.map_lookup(array, step, "first")
    if isinstance(step, int):
        return pc.struct_field(array, [step])
    lists = as_list(array)
    lengths = lengths_of(lists)  # 0 or 1
    places = pa.array(np.cumsum(lengths, dtype=np.int64) - 1, mask=lengths == 0)
    return pc.list_flatten(lists).take(places)


def _root_rows(table: Columnar, positions: Sequence[int]) -> Iterator[_Rows]:
    for batch in table.scan(positions):
        step = _rows_at_once(batch)
        for start in range(0, batch.num_rows, step):
            columns = batch.slice(start, step).columns
            yield _Rows(dict(zip(positions, columns, strict=True)), len(columns[0]))


def _rows_at_once(batch: pa.RecordBatch) -> int:
    """Fewer rows where a dictionary has long values: each row may unfold to the longest of them."""
    dictionaries = [column.dictionary for column in batch.columns if types.is_dictionary(column.type)]
    texts = [values for values in dictionaries if types.is_string(values.type) or types.is_binary(values.type)]
    longest = max((pc.max(pc.binary_length(values)).as_py() or 0 for values in texts), default=0)
    return min(BATCH_ROWS, max(1, UNFOLDED_BYTES // max(longest, 1)))


def _positions(plan: ArrowPlan) -> list[int]:
    """The columns of the file that a table of a list needs."""
    level = plan
    while level.parent is not None and level.parent.parent is not None:
        level = _parent(level)
    root = _parent(level)
    return sorted({level.list_steps[0], *([root.key_step] if root.key else [])})


def _parent(plan: ArrowPlan) -> ArrowPlan:
    assert isinstance(plan.parent, ArrowPlan)
    return plan.parent


def _levels(plan: ArrowPlan, table: Columnar, positions: Sequence[int]) -> Iterator[tuple[_Rows, pa.Array | None]]:
    """The rows of a table, and the key of each row's parent, if it has one."""
    if plan.parent is None:
        yield from ((rows, None) for rows in _root_rows(table, positions))
        return
    parent, number = _parent(plan), 1
    for rows, _ in _levels(parent, table, positions):
        lists = as_list(rows.reach(plan.list_steps))
        above = np.repeat(np.arange(rows.length), lengths_of(lists))
        keys = _numbers(number, rows.length) if parent.numbered else None
        keys = rows.reach((parent.key_step,)) if parent.key else keys
        number += rows.length
        yield _Rows.of(pc.list_flatten(lists)), None if keys is None else keys.take(pa.array(above))


def _numbers(first: int, count: int) -> pa.Array:
    return pa.array(np.arange(first, first + count)).cast(pa.string())


def _piece(
    plan: ArrowPlan, rows: _Rows, keys: pa.Array | None, starts: tuple[int, int], convert: Convert
) -> list[pa.Array]:
    """A piece of the rows: the parent's key, the columns, the number of the row where it is the key."""
    start, number = starts
    piece = [] if keys is None else [convert(keys.slice(start, BATCH_ROWS))]
    piece += [convert(rows.reach(steps).slice(start, BATCH_ROWS)) for steps in plan.steps]
    if plan.numbered:
        piece.append(_numbers(number, min(BATCH_ROWS, rows.length - start)))
    return piece
