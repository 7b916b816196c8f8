"""What the driver hands to the tasks of an index run; `tasks` says what each of them does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from mere.pipeline.records import Json, StoredTable, TableToBuild, Unit, table_from_dict
from mere.pipeline.settings import Settings
from mere.segments import Facts, SegmentEntry, TrainedEntry
from mere.values import Readings


@dataclass(frozen=True)
class SniffTask:
    """Look at one large file."""

    full: str
    staging: str
    settings: Settings
    watch: bool = False  # end the process if it takes too long

    def to_dict(self) -> Json:
        return {**self.__dict__, "settings": self.settings.to_dict()}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> SniffTask:
        return SniffTask(**{**document, "settings": Settings.from_dict(document["settings"])})


@dataclass(frozen=True)
class CountQuotesTask:
    """Count the quotes in one chunk of a large file."""

    full: str
    offset: int
    length: int
    dialect: Mapping[str, Any]

    def to_dict(self) -> Json:
        return asdict(self)

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> CountQuotesTask:
        return CountQuotesTask(**document)


@dataclass(frozen=True)
class ReadTask:
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
        return {
            "units": [unit.to_dict() for unit in self.units],
            "staging": self.staging,
            "settings": self.settings.to_dict(),
            "watch": self.watch,
            "careful": self.careful,
            "weight": self.weight,
        }

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> ReadTask:
        units, settings = list(map(Unit.from_dict, document["units"])), Settings.from_dict(document["settings"])
        return ReadTask(units, document["staging"], settings, document["watch"], document["careful"])


@dataclass(frozen=True)
class MergeTask:
    """Merge some columns of a table that was staged in blocks of rows."""

    blocks: tuple[str, ...]
    facts: Facts
    first_column: int
    last_column: int  # exclusive
    readings: Readings  # of these columns: how their numbers are written, as all columns of the table decide it
    staging: str
    weight: int

    def to_dict(self) -> Json:
        changed = {"blocks": list(self.blocks), "facts": self.facts.to_dict(), "readings": self.readings.to_dict()}
        return {**self.__dict__, **changed}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> MergeTask:
        facts, readings = Facts(**document["facts"]), Readings.from_dict(document["readings"])
        return MergeTask(**{**document, "blocks": tuple(document["blocks"]), "facts": facts, "readings": readings})


@dataclass(frozen=True)
class UniteTask:
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

    def to_dict(self) -> Json:
        return {
            **self.__dict__,
            "facts": self.facts.to_dict(),
            "columns": list(self.columns),
            "comma": list(self.comma),
            "rows": list(self.rows),
            "blocks": list(self.blocks),
            "stored": self.stored.to_dict() if self.stored else None,
            "segment": self.segment.to_dict() if self.segment else None,
        }

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> UniteTask:
        typed = {
            "facts": Facts(**document["facts"]),
            "columns": tuple(document["columns"]),
            "comma": tuple(document["comma"]),
            "rows": tuple((block, start, stop) for block, start, stop in document["rows"]),
            "blocks": tuple(document["blocks"]),
            "stored": StoredTable.from_dict(document["stored"]) if document["stored"] else None,
            "segment": SegmentEntry.from_dict(document["segment"]) if document["segment"] else None,
        }
        return UniteTask(**{**document, **typed})


@dataclass(frozen=True)
class BuildTask:
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
        return {
            "lake": self.lake,
            "settings": dict(self.settings),
            "tables": [table.to_dict() for table in self.tables],
            "segments": {id: entry.to_dict() for id, entry in self.segments.items()},
            "trained": {kind: entry.to_dict() for kind, entry in self.trained.items()},
            "weight": self.weight,
        }

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> BuildTask:
        return BuildTask(
            document["lake"],
            document["settings"],
            list(map(table_from_dict, document["tables"])),
            {id: SegmentEntry.from_dict(entry) for id, entry in document["segments"].items()},
            {kind: TrainedEntry.from_dict(entry) for kind, entry in document["trained"].items()},
        )
