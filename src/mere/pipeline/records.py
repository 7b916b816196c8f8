"""What travels between the driver, its tasks and the disk, as typed records.

    Unit          one raw file to read, or one span of it            driver -> task
    Outcome       what became of a unit, with its staged tables      task -> driver, receipts
    StagedTable   a table that was read and waits for its segment    task -> driver -> task
    PartOf        of which dataset a unit is a part                  driver -> task
    StagedPart    the rows of one part, in staged blocks             task -> driver -> task
    StoredTable   a table of an old segment that moves to a new one  driver -> task
    FileRecord    what the lake keeps of one raw file                driver -> disk

Every record is immutable; `to_dict` gives plain JSON, `from_dict` reads it back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from mere.readers import Span
from mere.search.rules import UNRECORDED, Rules
from mere.segments import Facts
from mere.segments.datasets import OBJECTS
from mere.store.container import FileEntry
from mere.values import Evidence

Json = dict[str, Any]
HIVE, SPARK, NUMBERED, JSON = "hive", "spark", "numbered", OBJECTS  # kinds of datasets: see `datasets`
DELTA, ICEBERG = "delta", "iceberg"


class Piece(NamedTuple):
    """A table, or some of its columns, inside a staged file."""

    path: str
    number: int  # which of the tables in the file


@dataclass(frozen=True)
class StagedTable:
    """A table on its way into a segment: complete in staged files, or in blocks of rows still to be merged."""

    name: str
    rows: int
    columns: int
    weight: int  # bytes staged
    pieces: tuple[Piece, ...] = ()  # some columns each, side by side
    blocks: tuple[str, ...] = ()  # paths of staged blocks of rows, in their order...
    facts: Facts | None = None  # ...and the facts that belong to them...
    evidence: Evidence | None = None  # ...and what their cells are, as far as numbers are concerned

    def to_dict(self) -> Json:
        facts = self.facts.to_dict() if self.facts else None
        evidence = self.evidence.to_list() if self.evidence else None
        changed = {"pieces": list(self.pieces), "blocks": list(self.blocks), "facts": facts, "evidence": evidence}
        return {**self.__dict__, **changed}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> StagedTable:
        pieces = tuple(Piece(*piece) for piece in document["pieces"])
        facts = Facts(**document["facts"]) if document["facts"] else None
        evidence = Evidence.from_list(document["evidence"]) if document["evidence"] else None
        changed = {"pieces": pieces, "blocks": tuple(document["blocks"]), "facts": facts, "evidence": evidence}
        return StagedTable(**{**document, **changed})

    def paths(self) -> set[str]:
        """The staged files it lies in."""
        return {piece.path for piece in self.pieces} | set(self.blocks)


class Run(NamedTuple):
    """Some consecutive rows of a staged block."""

    block: str  # path
    start: int
    stop: int


@dataclass(frozen=True)
class StagedPart:
    """The rows of one table of a part, before anything is decided that needs the other parts."""

    member: str
    format: str
    columns: tuple[str, ...]
    rows: int
    runs: tuple[Run, ...] = ()
    issues: tuple[str, ...] = ()
    lost: bool = False  # some of its rows or cells are missing
    top: tuple[str, ...] = ()  # the first row of a text file...
    named: bool = False  # ...and whether its reader took it for the header
    typed: bool = False  # its file has fractions that are numbers, not text

    def to_dict(self) -> Json:
        lists = {name: list(getattr(self, name)) for name in ("columns", "runs", "issues", "top")}
        return {**self.__dict__, **lists}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> StagedPart:
        runs = tuple(Run(*run) for run in document["runs"])
        tuples = {name: tuple(document[name]) for name in ("columns", "issues", "top")}
        return StagedPart(**{**document, **tuples, "runs": runs})

    def paths(self) -> set[str]:
        """The staged files it lies in."""
        return {run.block for run in self.runs}


@dataclass(frozen=True)
class PartOf:
    """The dataset that a file is a part of, and the columns that it gives the file."""

    dataset: str  # the path of the dataset
    kind: str
    values: Mapping[str, str | None] = field(default_factory=dict)  # partition columns, the same in all its rows
    first_row: str = ""  # how its first row is read: see `readers/first_rows.py`
    left_out: tuple[str, ...] = ()  # columns of the file that its table no longer has

    @property
    def surely(self) -> bool:
        """Whether the path says it, so that the columns do not decide."""
        return self.kind not in (NUMBERED, JSON)

    def to_dict(self) -> Json:
        return {**self.__dict__, "values": dict(self.values), "left_out": list(self.left_out)}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> PartOf:
        return PartOf(**{**document, "left_out": tuple(document["left_out"])})


@dataclass(frozen=True)
class StoredTable:
    """A table of a segment that is about to be rewritten."""

    name: str
    weight: int  # about its bytes
    segment: str  # the id of the segment...
    number: int  # ...and the table's number in it

    def to_dict(self) -> Json:
        return asdict(self)

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> StoredTable:
        return StoredTable(**document)


TableToBuild = StagedTable | StoredTable


def table_from_dict(document: Mapping[str, Any]) -> TableToBuild:
    return StoredTable.from_dict(document) if "segment" in document else StagedTable.from_dict(document)


@dataclass(frozen=True)
class Outcome:
    """What became of one raw file, or of one span of it."""

    source: str
    path: str
    tables: tuple[StagedTable, ...] = ()
    reason: str = ""  # why it is in the quarantine report; empty if it is not
    kept: str = "nothing"  # what was kept of it, in words
    lost: bool = False  # rows were dropped
    broken: Mapping[str, str] = field(default_factory=dict)  # sidecar -> why it could not be read
    offset: int = 0  # of the span, if it is one
    again: bool = False  # the machine failed, not the file: the next run reads it again
    describes: Mapping[str, bool] = field(default_factory=dict)  # of a profile: its files, and whether they are there
    parts: tuple[StagedPart, ...] = ()  # instead of tables, if the file is a part of one

    @property
    def key(self) -> tuple[str, str]:
        return self.source, self.path

    def to_dict(self) -> Json:
        tables, parts = [table.to_dict() for table in self.tables], [part.to_dict() for part in self.parts]
        return {**self.__dict__, "tables": tables, "parts": parts}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> Outcome:
        tables = tuple(map(StagedTable.from_dict, document["tables"]))
        return Outcome(**{**document, "tables": tables, "parts": tuple(map(StagedPart.from_dict, document["parts"]))})

    def paths(self) -> set[str]:
        """The staged files that it needs."""
        return set().union(*(table.paths() for table in self.tables), *(part.paths() for part in self.parts))


@dataclass(frozen=True)
class Receipt:
    """Proof that a unit was staged: its outcome, and the entries of the staged files."""

    key: str  # of the unit
    outcome: Outcome
    files: Mapping[str, FileEntry]  # by path

    def to_dict(self) -> Json:
        files = {path: entry.to_dict() for path, entry in self.files.items()}
        return {"key": self.key, "outcome": self.outcome.to_dict(), "files": files}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> Receipt:
        files = {path: FileEntry.from_dict(entry) for path, entry in document["files"].items()}
        return Receipt(document["key"], Outcome.from_dict(document["outcome"]), files)


@dataclass(frozen=True)
class Unit:
    """One raw file to read, or one span of it."""

    source: str
    path: str
    full: str  # where the file lies
    name: str  # what its table is called; members are appended
    size: int
    stamp: str
    sidecars: tuple[str, ...]  # full paths
    is_sidecar: bool
    weight: int  # bytes to read
    span: Span | None = None
    dialect: Mapping[str, Any] = field(default_factory=dict)  # of a span: how its file is written...
    columns: tuple[str, ...] = ()  # ...and its header
    receipt: Receipt | None = None  # of an interrupted run
    decimal: str = ""  # how decimal numbers are written: "point", "comma", or empty: inferred
    part: PartOf | None = None  # of a dataset

    def to_dict(self) -> Json:
        return {
            **self.__dict__,
            "sidecars": list(self.sidecars),
            "columns": list(self.columns),
            "span": asdict(self.span) if self.span else None,
            "receipt": self.receipt.to_dict() if self.receipt else None,
            "part": self.part.to_dict() if self.part else None,
        }

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> Unit:
        typed = {
            "sidecars": tuple(document["sidecars"]),
            "columns": tuple(document["columns"]),
            "span": Span(**document["span"]) if document["span"] else None,
            "receipt": Receipt.from_dict(document["receipt"]) if document["receipt"] else None,
            "part": PartOf.from_dict(document["part"]) if document["part"] else None,
        }
        return Unit(**{**document, **typed})


@dataclass(frozen=True)
class FileRecord:
    """What the lake keeps of one raw file: how to recognise it, and what became of it."""

    source: str
    path: str
    size: int
    modified: int  # nanoseconds
    stamp: str
    refused: str  # why it must not be read
    metadata: bool  # it describes other files and holds no table
    tables: tuple[str, ...]  # names
    reason: str  # why it is in the quarantine report
    kept: str
    again: bool = False  # the machine failed to read it
    describes: Mapping[str, bool] = field(default_factory=dict)  # of a profile: its files, and whether they were there
    name: str = ""  # what its table is, or would be, called
    dataset: str = ""  # the path of the dataset that it is a part of, or a candidate for
    rules: Rules = UNRECORDED  # that it was read under

    @property
    def key(self) -> tuple[str, str]:
        return self.source, self.path

    @property
    def is_unread(self) -> bool:
        """Whether nothing of it could be read."""
        return bool(self.reason) and not self.tables and self.kept in ("", "nothing")

    def to_dict(self) -> Json:
        document = {**self.__dict__, "tables": list(self.tables), "rules": list(self.rules)}
        absent = [name for name in ("describes", "name", "dataset") if not document[name]]
        return {name: document[name] for name in document if name not in absent}

    @property
    def known_name(self) -> str:
        """What its table is called; records of earlier versions have only the names of tables."""
        return self.name or (self.tables[0].partition("#")[0] if self.tables else "")

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> FileRecord:
        rules = Rules(*document.get("rules", UNRECORDED))
        return FileRecord(**{**document, "tables": tuple(document["tables"]), "rules": rules})
