"""What does a segment hold, and how is it read without loading it?

Files are mapped when first asked for.  Tables and columns are numbered densely inside the segment; these numbers
never leave it: answers carry names.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from functools import cached_property

import numpy as np

from mere.errors import LakeError
from mere.segments.build import CATALOG_VERSION, MANY, ROWS_VERSION, VALUES_VERSION
from mere.segments.entries import SegmentEntry
from mere.segments.published import unknown_in
from mere.segments.sources import source_from_stored
from mere.segments.table import Cells, Columns, Facts, Sets, Table
from mere.store import Container, Dictionary, Strings
from mere.values import DAY_FIRST, ROW_HASHES_VERSION

SKETCHES = "sketches.idx"
SKETCHES_VERSION = ROW_HASHES_VERSION  # other hashes of rows are other sketches; other arrays count it up, too


def closed_error(lake: str) -> LakeError:
    """The error of everything that is asked of a lake after it was closed."""
    return LakeError(f"the lake '{lake}' is closed", "open it again")


class Segment:
    """Some tables, their columns, one dictionary of values, their rows, and one part per kind."""

    def __init__(self, folder: str, entry: SegmentEntry) -> None:
        self.folder = folder
        self.entry = entry
        self._closed = False
        self._sources: dict[str, str] = {}  # absolute paths of those that were asked for
        self._tables_with: dict[int, np.ndarray] = {}  # of values that were asked for
        self.table_count: int = entry.tables
        self.column_count: int = entry.columns

    def close(self) -> None:
        """Map no more files: the snapshot was closed, and its files may be deleted."""
        self._closed = True

    def file(self, name: str, kind: str, version: int) -> Container:
        """A mapped and verified file of the segment."""
        if self._closed:
            raise closed_error(os.path.dirname(os.path.dirname(self.folder)))
        return Container(os.path.join(self.folder, name), kind, version, self.entry.files.get(name))

    @cached_property
    def catalog(self) -> Container:
        return self.file("catalog.idx", "catalog", CATALOG_VERSION)

    @cached_property
    def values(self) -> Container:
        version = self.entry.version_of("values.idx")
        return self.file("values.idx", "values", 1 if version == 1 else VALUES_VERSION)

    @cached_property
    def rows(self) -> Container:
        return self.file("rows.idx", "rows", ROWS_VERSION)

    @cached_property
    def sketches(self) -> Container | None:
        """Which rows stand for each table; None if the segment was written without, or by another version."""
        if self.entry.version_of(SKETCHES) != SKETCHES_VERSION:
            return None
        return self.file(SKETCHES, "sketches", SKETCHES_VERSION)

    @cached_property
    def names(self) -> list[str]:
        """The tables' names, sorted."""
        return Strings.mapped(self.catalog, "table.name").tolist()

    @cached_property
    def column_names(self) -> list[str]:
        """The names of all columns, table after table."""
        return Strings.mapped(self.catalog, "column.names").tolist()

    def column_name(self, column: int) -> str:
        return self._column_strings[column]

    @cached_property
    def _column_strings(self) -> Strings:
        return Strings.mapped(self.catalog, "column.names")

    @cached_property
    def first_column(self) -> np.ndarray:
        """Where each table's columns start, and where the last one's end."""
        return self.catalog["table.first_column"]

    @cached_property
    def table_of_column(self) -> np.ndarray:
        return np.repeat(np.arange(self.table_count), np.diff(self.first_column))

    def columns_of(self, table: int) -> range:
        return range(int(self.first_column[table]), int(self.first_column[table + 1]))

    @cached_property
    def _facts(self) -> Strings:
        return Strings.mapped(self.catalog, "table.facts")

    def unsure_columns(self, table: int) -> dict[int, str]:
        """By column number, what is not known of a column: of its numbers (`plain_numbers`), or of what was published.

        The facts are parsed only where they may say so."""
        if not (b'"unsure"' in self._facts.bytes_at(table) or self.profile_only[table]):
            return {}
        facts, first = self.facts(table), int(self.first_column[table])
        by_name = facts.numbers.get("unsure", {})
        names = {column: self.column_name(column) for column in self.columns_of(table)}
        read = {column: by_name[name] for column, name in names.items() if name in by_name}
        return read | {first + place: what for place, what in unknown_in(facts.published)}

    def day_first(self, columns: np.ndarray) -> np.ndarray:
        """Whether dates in these columns have the day first, where the column does not show it: as its table does."""
        tables, place = np.unique(self.table_of_column[columns], return_inverse=True)
        return np.array([self._has_day_first(table) for table in tables.tolist()], bool)[place]

    def _has_day_first(self, table: int) -> bool:
        said = DAY_FIRST.encode() in self._facts.bytes_at(table)
        return said and self.facts(table).numbers.get("dates") == DAY_FIRST

    def column_number(self, table: str, column: str) -> int:
        """The number of a column by the names of its table and itself; of several with one name, the first."""
        number = bisect_left(self.names, table)
        first, stop = int(self.first_column[number]), int(self.first_column[number + 1])
        return self._column_strings.index(column, first, stop)

    def columns_named(self, name: str) -> np.ndarray:
        """The numbers of all columns of this name."""
        return self._column_strings.places(name)

    def facts(self, table: int) -> Facts:
        facts = Facts(**json.loads(self._facts[table]))
        facts.source = self._source(facts.source)
        return facts

    def is_hidden(self, table: int) -> bool:
        """Whether a table is a sheet that its workbook hides; the facts are parsed only where they may say so."""
        return b'"hidden"' in self._facts.bytes_at(table) and self.facts(table).hidden

    def _source(self, stored: str) -> str:
        """The absolute path of a source, which the facts name as `sources.stored_source` writes it."""
        if stored not in self._sources:
            lake = os.path.dirname(os.path.dirname(self.folder))
            self._sources[stored] = source_from_stored(lake, self.entry.moved.get(stored, stored))
        return self._sources[stored]

    @cached_property
    def profile_only(self) -> np.ndarray:
        """Which tables' rows stay with their owner: such a table has no rows, and columns with types nonetheless."""
        empty = self.catalog["table.rows"] == 0
        typed = np.bincount(self.table_of_column, self.catalog["column.types"], self.table_count) > 0
        plain = np.flatnonzero(empty & ~typed)
        empty[plain] = [bool(self.facts(table).published) for table in plain.tolist()]
        return empty

    def columns(self, table: int) -> Columns:
        span = self.columns_of(table)
        return Columns.read(self.catalog, span.start, span.stop)

    @cached_property
    def dictionary(self) -> Dictionary:
        """All distinct values of the segment; a value's place is its id."""
        return Dictionary(self.values["hashes"], Strings.mapped(self.values, "value"))

    def set_of(self, column: int) -> np.ndarray:
        """The ids of a column's distinct values, ascending."""
        starts = self.values["set.starts"]
        return self.values["set.ids"][starts[column] : starts[column + 1]]

    def tables_with(self, value: int) -> np.ndarray:
        """The tables that have a value, by its id; found once, because all sets are looked through."""
        if value not in self._tables_with:
            places = np.flatnonzero(self.values["set.ids"] == value)
            columns = np.searchsorted(self.values["set.starts"], places, side="right") - 1
            self._tables_with[value] = np.unique(self.table_of_column[columns])
        return self._tables_with[value]

    def counts_of(self, column: int) -> np.ndarray:
        """How many rows hold each value of `set_of(column)`."""
        starts = self.values["set.starts"]
        return self.counts_between(int(starts[column]), int(starts[column + 1]))

    def counts_between(self, start: int, stop: int) -> np.ndarray:
        """How many rows hold each value at places `start` to `stop` of all sets."""
        counts = self.values["set.counts"][start:stop].astype(np.uint32)
        places, rows = self.many_counts
        inside = slice(*np.searchsorted(places, (start, stop)).tolist())
        counts[places[inside] - start] = rows[inside]
        return counts

    def counts_at(self, places: np.ndarray) -> np.ndarray:
        """The same at any places of all sets."""
        counts = self.values["set.counts"][places].astype(np.int64)
        known, rows = self.many_counts
        if known.size:
            many = np.flatnonzero(counts == MANY)
            counts[many] = rows[np.searchsorted(known, places[many])]
        return counts

    @cached_property
    def many_counts(self) -> tuple[np.ndarray, np.ndarray]:
        """The places of counts that do not fit in a byte, ascending, and these counts; none where all have four."""
        if "set.many" not in self.values:
            return np.empty(0, np.int64), np.empty(0, np.uint32)
        return self.values["set.many"], self.values["set.many_counts"]

    def distinct_counts(self, table: int) -> np.ndarray:
        """The number of distinct values of each of a table's columns."""
        span = self.columns_of(table)
        return np.diff(self.values["set.starts"][span.start : span.stop + 1])

    def codes_of(self, column: int) -> np.ndarray:
        """The rows of a column: 0 is null, k the k-th value of `set_of(column)`."""
        starts, width = self.rows["starts"], int(self.rows["widths"][column])
        return self.rows["cells"][starts[column] : starts[column + 1]].view(f"<u{width}")

    def table(self, number: int) -> Table:
        """Everything kept of one table, as it was before the segment was built."""
        span = self.columns_of(number)
        starts = self.values["set.starts"][span.start : span.stop + 1]
        a, b = int(starts[0]), int(starts[-1])
        ids = self.values["set.ids"][a:b]
        sets = Sets(
            self.dictionary.values.take(ids),
            self.dictionary.hashes[ids],
            self.counts_between(a, b),
            starts - a,
        )
        edges = self.rows["starts"][span.start : span.stop + 1]
        data = self.rows["cells"][int(edges[0]) : int(edges[-1])]
        cells = Cells([data], edges - edges[0], self.rows["widths"][span.start : span.stop])
        return Table(self.facts(number), self.columns(number), sets, cells)
