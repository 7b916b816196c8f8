"""What the driver hands to the tasks of an index run; `tasks` says what each of them does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mere.pipeline.records import Json, Record, StoredTable, TableToBuild, Unit
from mere.pipeline.settings import Settings
from mere.segments import Facts, SegmentEntry, TrainedEntry
from mere.values import Readings


@dataclass(frozen=True)
class SniffTask(Record):
    """Look at one large file."""

    full: str
    staging: str
    settings: Settings
    watch: bool = False  # end the process if it takes too long


@dataclass(frozen=True)
class CountQuotesTask(Record):
    """Count the quotes in one chunk of a large file."""

    full: str
    offset: int
    length: int
    dialect: Mapping[str, Any]


@dataclass(frozen=True)
class ReadTask(Record):
    """Read some units and stage their tables."""

    units: list[Unit]
    staging: str
    settings: Settings
    watch: bool = False  # end the process if a unit takes too long
    careful: bool = False  # read in child processes: a process has ended while it read one of these or others

    @property
    def weight(self) -> int:
        return sum(unit.weight for unit in self.units)

    def to_dict(self) -> Json:
        return {**super().to_dict(), "weight": self.weight}


@dataclass(frozen=True)
class MergeTask(Record):
    """Merge some columns of a table that was staged in blocks of rows."""

    blocks: tuple[str, ...]
    facts: Facts
    first_column: int
    last_column: int  # exclusive
    readings: Readings  # of these columns: how their numbers are written, as all columns of the table decide it
    staging: str
    weight: int


@dataclass(frozen=True)
class UniteTask(Record):
    """Unite some columns of a table whose rows lie in staged blocks and in a table of an old segment."""

    facts: Facts
    columns: tuple[str, ...]
    rows: tuple[tuple[int, int, int], ...]  # number of the block, first row, last row (exclusive), in their order
    blocks: tuple[str, ...]  # paths...
    staging: str
    weight: int
    stored: StoredTable | None = None  # ...and the last block, if there are rows to keep...
    segment: SegmentEntry | None = None  # ...its segment...
    lake: str = ""
    dropped: Mapping[str, list[str]] = field(default_factory=dict)  # ...by column what was taken for null in it...
    comma: tuple[str, ...] = ()  # ...and the columns whose decimal mark was the comma


@dataclass(frozen=True)
class BuildTask(Record):
    """Make one segment of some tables."""

    lake: str
    settings: Mapping[str, Any]
    tables: list[TableToBuild]
    segments: Mapping[str, SegmentEntry]  # those that stored tables are taken from, by id
    trained: Mapping[str, TrainedEntry]  # by kind

    @property
    def weight(self) -> int:
        return sum(table.weight for table in self.tables)

    def to_dict(self) -> Json:
        return {**super().to_dict(), "weight": self.weight}
