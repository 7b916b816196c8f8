"""What travels between the driver, its tasks and the disk, as typed records.

    Unit          one raw file to read, or one span of it            driver -> task
    Outcome       what became of a unit, with its staged tables      task -> driver, receipts
    StagedTable   a table that was read and waits for its segment    task -> driver -> task
    StoredTable   a table of an old segment that moves to a new one  driver -> task
    FileRecord    what the lake keeps of one raw file                driver -> disk

Every record is immutable; `to_dict` gives plain JSON, `from_dict` reads it back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from mere.readers import Span
from mere.segments import Facts
from mere.store.container import FileEntry
from mere.values import Evidence

Json = dict[str, Any]


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

    @property
    def key(self) -> tuple[str, str]:
        return self.source, self.path

    def to_dict(self) -> Json:
        return {**self.__dict__, "tables": [table.to_dict() for table in self.tables]}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> Outcome:
        return Outcome(**{**document, "tables": tuple(map(StagedTable.from_dict, document["tables"]))})


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
    decimal: str = ""  # the decimal mark of its numbers, "point" or "comma"; empty: inferred

    def to_dict(self) -> Json:
        return {
            **self.__dict__,
            "sidecars": list(self.sidecars),
            "columns": list(self.columns),
            "span": asdict(self.span) if self.span else None,
            "receipt": self.receipt.to_dict() if self.receipt else None,
        }

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> Unit:
        typed = {
            "sidecars": tuple(document["sidecars"]),
            "columns": tuple(document["columns"]),
            "span": Span(**document["span"]) if document["span"] else None,
            "receipt": Receipt.from_dict(document["receipt"]) if document["receipt"] else None,
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

    @property
    def key(self) -> tuple[str, str]:
        return self.source, self.path

    def to_dict(self) -> Json:
        document = {**self.__dict__, "tables": list(self.tables)}
        return document if self.describes else {name: document[name] for name in document if name != "describes"}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> FileRecord:
        return FileRecord(**{**document, "tables": tuple(document["tables"])})
