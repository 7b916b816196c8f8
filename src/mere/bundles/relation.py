"""What are the rows of a table, as far as they are compared?

A relation has the columns of the base table's schema, each as its distinct values and one code per row: the same shape
that segments store, so that a table of the lake is mapped and not copied.  Whatever depends on a value (its hash, its
number, whether it meets a predicate) is computed once per distinct value and looked up by code.  Rows are equal if
their values are, in the form that their column has in all tables (`values.compared`): `1,234` is `1234` in a column of
numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.bundles.schema import AS_STORED, Reading, Schema
from mere.segments import Coded, Segment, code_column
from mere.store import Strings
from mere.values import (
    cell_terms,
    check_hashes,
    compared_forms,
    hash_values,
    mix,
    parse_dates,
    parse_numbers,
    row_hashes,
)

Code = Callable[[str, pa.Array, Reading], Coded]  # from a column's name and cells to codes


@dataclass(frozen=True, eq=False)
class Column:
    """One column: `codes[row]` is 0 for null, k for the k-th value."""

    values: Strings
    hashes: np.ndarray  # uint64, one per value
    codes: np.ndarray  # unsigned, one per row
    parts: tuple[Column, ...] = ()  # of stacked tables: their columns, whose values follow each other
    whole_moments: Callable[[], np.ndarray] | None = None  # of some rows: the moments, as all rows decide them
    reading: Reading = AS_STORED
    unit: str = ""  # of its numbers; those of a segment have their units in its facts
    unsure: str = ""  # what is not known of its numbers: `decimal`, `percent` or `brackets`

    @cached_property
    def texts(self) -> pa.Array:
        """The values as Arrow."""
        return self.values.to_arrow()

    @cached_property
    def compared(self) -> pa.Array:
        """The values in the form in which they are compared, which several may share."""
        if self.parts:
            return pa.concat_arrays([part.compared for part in self.parts])
        commas = self.reading.mark == "comma"
        return compared_forms(self.texts, self.reading.form, lambda places: self.moments[places], commas)

    @cached_property
    def numbers(self) -> np.ndarray:
        """The number that each value stands for, NaN if it is not a number."""
        return parse_numbers(self.compared)

    @cached_property
    def moments(self) -> np.ndarray:
        """The seconds since 1970 of each value, NaN if it is not a date.

        Whether 5/1/2020 is in May or January is decided by all values of the table's column, also for some of its rows.
        """
        if self.parts:
            return np.concatenate([part.moments for part in self.parts])
        if self.whole_moments is not None and has_days_and_months(self.texts):
            return self.whole_moments()
        return parse_dates(self.texts, np.zeros(len(self.values), np.int64), self.reading.day_first)

    def read(self, reading: Reading) -> Column:
        """The same column, compared in another form; numbers that were left as they are written are so."""
        return replace(self, reading=replace(reading, mark=self.reading.mark))

    def take(self, rows: np.ndarray) -> Column:
        """Some rows, with only the values that occur in them."""
        places, codes = used_values(self.codes[rows])
        moments = lambda: self.moments[places]  # noqa: E731
        values, hashes = self.values.take(places), self.hashes[places]
        return Column(values, hashes, codes, whole_moments=moments, reading=self.reading)

    @cached_property
    def compared_hashes(self) -> np.ndarray:
        """The hashes of the values in the form in which they are compared."""
        changed = np.flatnonzero(np.asarray(pc.not_equal(self.compared, self.texts)))
        hashes = np.array(self.hashes)
        hashes[changed] = hash_values(self.compared.take(pa.array(changed)))
        return hashes

    def second_hashes(self) -> np.ndarray:
        """Hashes that tell apart what `compared_hashes` may not."""
        return mix(self.compared_hashes) ^ check_hashes(self.compared)


def used_values(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which values of a column occur among these codes, by their places; and the codes as numbers of these values."""
    used, new_codes = np.unique(codes, return_inverse=True)
    shift = 0 if used.size and used[0] == 0 else 1
    return used[used > 0].astype(np.int64) - 1, (new_codes + shift).astype(np.uint32)


def has_days_and_months(texts: pa.Array) -> bool:
    """Whether a text may be a date that is read by the order of day and month in its column."""
    return bool(pc.any(pc.match_substring_regex(texts, r"^[0-9]{1,2}[-/.] ?[0-9]{1,2}[-/.]")).as_py())


@dataclass(frozen=True, eq=False)
class Relation:
    """The rows of a table in the columns of the schema; a column that the table lacks is None."""

    name: str
    rows: int
    schema: Schema
    columns: tuple[Column | None, ...]

    def take(self, rows: np.ndarray) -> Relation:
        """Some rows."""
        taken = tuple(None if column is None else column.take(rows) for column in self.columns)
        return Relation(self.name, len(rows), self.schema, taken)

    def hashes(self, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """The hash of each row: equal rows have equal hashes, whichever table they are of."""
        return row_hashes(self._sums(rows, second=False))

    def second_hashes(self, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Hashes that are independent of `hashes`: both together tell any two rows apart."""
        return row_hashes(self._sums(rows, second=True))

    def _sums(self, rows: np.ndarray | slice, second: bool) -> np.ndarray:
        count = len(range(*rows.indices(self.rows))) if isinstance(rows, slice) else len(rows)
        sums = np.zeros(count, np.uint64)
        for key, column in zip(self.schema.keys, self.columns, strict=True):
            if column is not None:
                terms = cell_terms(column.second_hashes() if second else column.compared_hashes, key)
                sums += terms[column.codes[rows]]
        return sums


def stack(relations: Sequence[Relation]) -> Relation:
    """The rows of several tables, one after the other."""
    schema = relations[0].schema
    columns = [_stack_column([relation.columns[place] for relation in relations], [r.rows for r in relations])
               for place in range(len(schema.names))]  # fmt: skip
    return Relation("", sum(relation.rows for relation in relations), schema, tuple(columns))


def _stack_column(columns: Sequence[Column | None], rows: Sequence[int]) -> Column | None:
    present = [column for column in columns if column is not None]
    if not present:
        return None
    codes, used = [], 0
    for column, count in zip(columns, rows, strict=True):
        if column is None:
            codes.append(np.zeros(count, np.uint32))
            continue
        codes.append(np.where(column.codes > 0, column.codes + np.uint32(used), 0).astype(np.uint32))
        used += len(column.values)
    return Column(
        Strings.concat([column.values for column in present]),
        np.concatenate([column.hashes for column in present]),
        np.concatenate(codes),
        parts=tuple(present),
    )


def relation_of_cells(
    name: str,
    names: Sequence[str],
    cells: Sequence[pa.Array],
    schema: Schema,
    code: Code = lambda name, cells, reading: code_column(cells, reading.data, name=name),
) -> Relation:
    """The relation of a table that is at hand: its columns' names, and the cells of each, which `code` reads."""
    columns: list[Column | None] = []
    for place, reading in zip(schema.places(names), schema.readings, strict=True):
        coded = None if place is None else code(names[place], cells[place], reading)
        columns.append(None if coded is None else _column_of(coded, reading))
    return Relation(name, len(cells[0]) if cells else 0, schema, tuple(columns))


def _column_of(coded: Coded, reading: Reading) -> Column:
    hashed = coded.values, coded.hashes, coded.codes
    unsure = coded.readings.unsure[0] if coded.readings else ""
    return Column(*hashed, reading=reading, unit=coded.unit, unsure=unsure)


def relation_of_stored(segment: Segment, number: int, schema: Schema) -> Relation:
    """The relation of a table of the lake, mapped from its segment."""
    pairs = stored_places(segment, number, schema)
    columns = tuple(None if column is None else stored_column(segment, column, reading) for column, reading in pairs)
    return Relation(segment.names[number], int(segment.catalog["table.rows"][number]), schema, columns)


def stored_places(segment: Segment, number: int, schema: Schema) -> Iterator[tuple[int | None, Reading]]:
    """For each column of the schema, its number in the segment (None if the table lacks it), and how it is read."""
    columns = segment.columns_of(number)
    places = schema.places(segment.column_names[columns.start : columns.stop])
    numbers = (None if place is None else columns.start + place for place in places)
    return zip(numbers, schema.readings, strict=True)


def stored_column(segment: Segment, column: int, reading: Reading = AS_STORED) -> Column:
    """A column of the lake, by its number in the segment."""
    ids = segment.set_of(column)
    values, hashes = segment.dictionary.values.take(ids), segment.dictionary.hashes[ids]
    return Column(values, hashes, segment.codes_of(column), reading=reading)
