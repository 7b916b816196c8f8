"""What are the rows of a table, as far as they are compared?

A relation has the columns of the base table's schema, each as its distinct values and one code per row: the same shape
that segments store, so that a table of the lake is mapped and not copied.  Whatever depends on a value (its hash, its
number, whether it meets a predicate) is computed once per distinct value and looked up by code.  Rows are equal if
their values are, as values of the base's types: `1,234` is `1234` in a column of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.bundles.schema import Reading, Schema
from mere.segments import Coded, Segment, code_column
from mere.store import Strings
from mere.values import (
    Type,
    cell_terms,
    check_hashes,
    hash_values,
    mix,
    parse_dates,
    parse_numbers,
    row_hashes,
    usual_forms,
)

Code = Callable[[pa.Array, frozenset[str]], Coded]  # from cells, and spellings of null that are data, to codes


@dataclass(frozen=True, eq=False)
class Column:
    """One column: `codes[row]` is 0 for null, k for the k-th value."""

    values: Strings
    hashes: np.ndarray  # uint64, one per value
    codes: np.ndarray  # unsigned, one per row
    parts: tuple[Column, ...] = ()  # of stacked tables: their columns, whose values follow each other
    whole_moments: Callable[[], np.ndarray] | None = None  # of some rows: the moments, as all rows decide them
    day_first: bool = False  # the order of dates, if the column does not tell it

    @cached_property
    def texts(self) -> pa.Array:
        """The values as Arrow."""
        return self.values.to_arrow()

    @cached_property
    def numbers(self) -> np.ndarray:
        """The number that each value stands for, NaN if it is not a number."""
        return parse_numbers(self.texts)

    @cached_property
    def moments(self) -> np.ndarray:
        """The seconds since 1970 of each value, NaN if it is not a date.

        Whether 5/1/2020 is in May or January is decided by all values of the table's column, also for some of its rows.
        """
        if self.parts:
            return np.concatenate([part.moments for part in self.parts])
        if self.whole_moments is not None and has_days_and_months(self.texts):
            return self.whole_moments()
        return parse_dates(self.texts, np.zeros(len(self.values), np.int64), self.day_first)

    def read(self, day_first: bool) -> Column:
        """The same column, with an order of its dates if it does not tell one."""
        return self if day_first == self.day_first else replace(self, day_first=day_first)

    def take(self, rows: np.ndarray) -> Column:
        """Some rows, with only the values that occur in them."""
        places, codes = used_values(self.codes[rows])
        moments = lambda: self.moments[places]  # noqa: E731
        return Column(self.values.take(places), self.hashes[places], codes, whole_moments=moments)

    def hashes_as(self, type_: Type) -> np.ndarray:
        """The hashes of the values, as values of a type: however they are written."""
        places, forms = self._forms(type_)
        if not places.size:
            return self.hashes
        hashes = np.array(self.hashes)
        hashes[places] = hash_values(forms)
        return hashes

    def second_hashes_as(self, type_: Type) -> np.ndarray:
        """Hashes that tell apart what `hashes_as` may not."""
        second = check_hashes(self.texts)
        places, forms = self._forms(type_)
        if places.size:
            second[places] = check_hashes(forms)
        return mix(self.hashes_as(type_)) ^ second

    def _forms(self, type_: Type) -> tuple[np.ndarray, pa.Array]:
        if type_ not in self._known_forms:
            self._known_forms[type_] = usual_forms(self.texts, type_, lambda places: self.moments[places])
        return self._known_forms[type_]

    @cached_property
    def _known_forms(self) -> dict[Type, tuple[np.ndarray, pa.Array]]:
        return {}


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
        for key, type_, column in zip(self.schema.keys, self.schema.types, self.columns, strict=True):
            if column is not None:
                terms = cell_terms(column.second_hashes_as(type_) if second else column.hashes_as(type_), key)
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
    name: str, names: Sequence[str], cells: Sequence[pa.Array], schema: Schema, code: Code = code_column
) -> Relation:
    """The relation of a table that is at hand: its columns' names, and the cells of each, which `code` reads."""
    columns: list[Column | None] = []
    for place, reading in zip(schema.places(names), schema.readings, strict=True):
        coded = None if place is None else code(cells[place], reading.data)
        columns.append(None if coded is None else _column_of(coded, reading))
    return Relation(name, len(cells[0]) if cells else 0, schema, tuple(columns))


def _column_of(coded: Coded, reading: Reading) -> Column:
    return Column(coded.values, coded.hashes, coded.codes, day_first=reading.day_first)


def relation_of_stored(segment: Segment, number: int, schema: Schema) -> Relation:
    """The relation of a table of the lake, mapped from its segment."""
    first = segment.columns_of(number).start
    names = segment.column_names[first : segment.columns_of(number).stop]
    places = zip(schema.places(names), schema.readings, strict=True)
    columns = [None if place is None else stored_column(segment, first + place, reading.day_first)
               for place, reading in places]  # fmt: skip
    rows = int(segment.catalog["table.rows"][number])
    return Relation(segment.names[number], rows, schema, tuple(columns))


def stored_column(segment: Segment, column: int, day_first: bool = False) -> Column:
    """A column of the lake, by its number in the segment."""
    ids = segment.set_of(column)
    values, hashes = segment.dictionary.values.take(ids), segment.dictionary.hashes[ids]
    return Column(values, hashes, segment.codes_of(column), day_first=day_first)
