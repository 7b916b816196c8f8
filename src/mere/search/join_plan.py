"""What will a join of my table with one of the lake be: how many rows, which columns, and how is it made?

Planning reads both tables and finds which rows match, without listing the pairs; so the number of rows is known before
any of them is made.  Then the rows are made as one table, or batch by batch while they are written to a file, which
needs no more memory however many rows there are.

Cells have their types, or are text as written; CSV and TSV files have the text.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import pyarrow as pa

from mere.errors import UsageError
from mere.indexes.sets.codes import Recoding
from mere.search.catalog import find_rows, find_table
from mere.search.exporting import Written, check_format, is_text_format
from mere.search.given import (
    LakeInputs,
    decimal_of,
    is_file,
    is_table_of_the_lake,
    only_column,
    same_type,
    several_columns,
)
from mere.search.given.files import has_own_types, is_typed
from mere.search.given.whole import StoredTable
from mere.search.joining import Pairs, joined_names, side_by_side
from mere.search.raw import raw_rows
from mere.search.typed_rows import check_rows, facts_of, metadata, notes_on, typed_rows, typed_text
from mere.search.writing import MEMORY, JoinRows, write_rows
from mere.segments import Coded

MOST_ROWS = 50_000_000  # of a join that is made in memory


class Target(NamedTuple):
    """A table of the lake to join with."""

    table: str
    columns: str | Sequence[str]
    pairs: Sequence[Sequence[Any]] | None = None  # of one column: my value, its value, ...; equal values if None
    codes: Recoding | None = None  # of one column: how my codes are spelled there


@dataclass(frozen=True, eq=False)
class Side:
    """One table of a join: its keys, and its rows with their types or as text, read when they are needed."""

    names: list[str]
    keys: list[Coded]
    read: Callable[[bool], pa.Table]  # of whether it is wanted as text


class JoinPlan:
    """A join that was not made yet: `rows` says how many rows it has, `table` makes them, `write` writes them."""

    def __init__(self, left: Side, right: Side, pairs: Pairs, given: Any = None) -> None:
        self._left, self._right, self._pairs, self._given = left, right, pairs, given

    @property
    def rows(self) -> int:
        """How many rows the join has."""
        return len(self._pairs)

    @cached_property
    def columns(self) -> list[str]:
        """The names of its columns; one that both tables have gets `_right`."""
        return joined_names(self._left.names, self._right.names)

    @property
    def own_columns(self) -> int:
        """How many of its columns, the first ones, are those of the left table."""
        return len(self._left.names)

    def __repr__(self) -> str:
        return f"<JoinPlan: {self.rows:,} rows, {len(self.columns):,} columns>"

    def table(self, raw: bool = False, limit: int | None = None, most_rows: int = MOST_ROWS) -> pa.Table:
        """The rows (the first `limit`) as one Arrow table; refused if they are more than `most_rows`."""
        stop = self.rows if limit is None else min(limit, self.rows)
        if stop > most_rows:
            raise UsageError(
                f"the join would have {stop:,} rows, more than {most_rows:,}",
                "write it to a file with Lake.join_to, raise most_rows=, or join on a column whose values repeat less",
            )
        left, right = self._left.read(raw), self._right.read(raw)
        left_rows, right_rows = self._pairs.slice(0, stop)
        table = side_by_side(left, left_rows, right, right_rows)
        return table.replace_schema_metadata(self._facts(left, right))

    def as_given(self, rows: pa.Table) -> Any:
        """The rows as the type of frame that was given as the left table; Arrow if it was none."""
        return same_type(rows, self._given)

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        raw: bool = False,
        memory: int = MEMORY,
        formulas: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> Written:
        """Write the rows as .csv, .tsv, .parquet, .arrow or .feather, batch by batch; returns what was written.

        The file is complete or does not exist.  Text formats get the text as it was written, others typed columns
        (`raw`: text).  `memory`: MiB for the rows that are being written, beside the two tables.  Cells that a
        spreadsheet would run get an apostrophe in text formats, unless `formulas`.  `progress` is called with the
        rows that are written, and all rows.
        """
        if isinstance(memory, bool) or not isinstance(memory, int) or memory < 1:
            raise UsageError(f"'memory' must be an int >= 1 (MiB), got {memory!r}", f"memory={MEMORY} is the default")
        check_format(os.fspath(path))
        raw = raw or is_text_format(os.fspath(path))
        left, right = self._left.read(raw), self._right.read(raw)
        rows = JoinRows((left, right), self._pairs, self.columns)
        rows.metadata = self._facts(left, right)
        written = write_rows(rows, os.fspath(path), memory, not formulas, progress)
        return written._replace(notes=notes_on(rows.metadata))

    def _facts(self, left: pa.Table, right: pa.Table) -> dict[bytes, bytes] | None:
        """What a reader should know of the columns, under the names that they have in the join."""
        known = [
            facts.get(name, {}) for side in (left, right) for facts in [facts_of(side)] for name in side.column_names
        ]
        return metadata({name: facts for name, facts in zip(self.columns, known, strict=True) if facts})


def planned(inputs: LakeInputs, left: Any, right: Target, how: str, on: str | Sequence[str] | None) -> JoinPlan:
    """The join of a frame, file or table with a table of the lake; `inputs` read mine."""
    wanted = [on] if isinstance(on, str) else list(on or [])
    columns = [right.columns] if isinstance(right.columns, str) else list(right.columns)
    theirs = _side_of_the_lake(LakeInputs(inputs.opened), right.table, columns, f"table '{right.table}'")
    if is_table_of_the_lake(left):
        mine = _side_of_the_lake(inputs, left, wanted, "the left table", of_one=len(theirs.keys) == 1)
    else:
        mine = _my_side(inputs, left, wanted, of_one=len(theirs.keys) == 1)
    if len(mine.keys) != len(theirs.keys):
        raise UsageError(
            f"different numbers of columns: {len(mine.keys)} of mine and {len(theirs.keys)} of '{right.table}'",
            "name as many of mine with on=, in the same order",
        )
    matching = None if right.pairs is None else [(pair[0], pair[1]) for pair in right.pairs]
    if right.codes is not None:
        matching = [(value, right.codes.theirs(value)) for value in mine.keys[0].values.tolist()]
    return JoinPlan(mine, theirs, Pairs.of(mine.keys, theirs.keys, how, matching), left)


def _named(known: list[str], wanted: list[str], what: str, of_one: bool) -> list[str]:
    """The columns to join on; the only one of a table, if none is named and one is needed."""
    return several_columns(known, wanted or ([only_column(known, None, what)] if of_one else []), what)


def _side_of_the_lake(inputs: LakeInputs, table: str, wanted: list[str], what: str, of_one: bool = False) -> Side:
    """A table of the lake: its keys are those of its segment, unless words are kept."""
    opened = inputs.opened
    find_table(opened, table)
    segment, number = find_rows(opened, table)
    names = segment.columns(number).names
    chosen = _named(names, wanted, what, of_one)
    mine = StoredTable(inputs, table)
    keys = [mine.coded(names.index(name)) for name in chosen]

    def read(raw: bool) -> pa.Table:
        rows = raw_rows(opened, table) if raw else typed_rows(opened, table, keep_words=inputs.keep_words)
        check_rows(segment, number, rows.num_rows)
        return rows

    return Side(names, keys, read)


def _my_side(inputs: LakeInputs, given: Any, wanted: list[str], of_one: bool) -> Side:
    """A frame as it is, or a file, which is read once."""
    share, cells = inputs.share, inputs.frame(given, wanted, own_types=True)
    names = cells.column_names
    chosen = _named(names, wanted, "the left table", of_one)
    keys = [inputs.coded(cells.column(name), lambda: decimal_of(cells, share), name) for name in chosen]
    if not is_file(given):
        return Side(names, keys, lambda raw: cells)

    def read(raw: bool) -> pa.Table:
        if has_own_types(cells):
            return inputs.frame(given, wanted) if raw else cells
        return cells if raw else typed_text(cells, share, is_typed(cells), keep_words=inputs.keep_words)

    return Side(names, keys, read)
