"""What travels between the driver, its tasks and the disk, as typed records.

    Unit          one raw file to read, or one span of it            driver -> task
    Outcome       what became of a unit, with its staged tables      task -> driver, receipts
    StagedTable   a table that was read and waits for its segment    task -> driver -> task
    PartOf        of which dataset a unit is a part                  driver -> task
    StagedPart    the rows of one part, in staged blocks             task -> driver -> task
    StoredTable   a table of an old segment that moves to a new one  driver -> task
    FileRecord    what the lake keeps of one raw file                driver -> disk

Every record is immutable; `to_dict` gives plain JSON, `from_dict` reads it back, each field as its annotation says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, NamedTuple, Self, get_args, get_origin, get_type_hints

from mere.readers import Span
from mere.search.rules import UNRECORDED, Rules
from mere.segments import Facts
from mere.segments.datasets import OBJECTS
from mere.store.container import FileEntry
from mere.values import Evidence

Json = dict[str, Any]
HIVE, SPARK, NUMBERED, JSON = "hive", "spark", "numbered", OBJECTS  # kinds of datasets: see `datasets`
DELTA, ICEBERG = "delta", "iceberg"


class Record:
    """A dataclass that travels as JSON; fields that a document lacks have their defaults."""

    def to_dict(self) -> Json:
        return {name: _encoded(value) for name, value in self.__dict__.items()}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        record: Any = cls
        return cls(**{name: decode(document[name]) for name, decode in _decoders(record).items() if name in document})


def _encoded(value: Any) -> Any:
    if isinstance(value, Evidence):
        return value.to_list()
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Mapping):
        return {name: _encoded(each) for name, each in value.items()}
    return list(map(_encoded, value)) if isinstance(value, list | tuple) else value


Decode = Callable[[Any], Any]


@cache
def _decoders(record: Any) -> dict[str, Decode]:
    """How each field of a record is read."""
    return {name: _decoder(hint) for name, hint in get_type_hints(record).items()}


def _decoder(hint: Any) -> Decode:
    kind, inner = get_origin(hint), get_args(hint)
    if kind is UnionType:
        return _one_of([each for each in inner if each is not NoneType])
    if kind in (tuple, list):
        each = _decoder(inner[0]) if kind is list or inner[1:] == (...,) else _same
        return lambda values: kind(map(each, values))
    if kind is Mapping and (of_value := _decoder(inner[1])) is not _same:
        return lambda document: {name: of_value(value) for name, value in document.items()}
    if hint is Evidence:
        return Evidence.from_list
    if hasattr(hint, "_fields"):
        return lambda values: hint(*values)
    of_fields: Decode = lambda document: hint(**document)  # noqa: E731
    return getattr(hint, "from_dict", of_fields if is_dataclass(hint) else _same)


def _one_of(kinds: Sequence[Any]) -> Decode:
    """The decoder of a value that may be absent, and of several records that of the one that has all its fields."""
    fits = [(_decoder(kind), set(_decoders(kind)) if len(kinds) > 1 else None) for kind in kinds]

    def decode(value: Any) -> Any:
        return next(each for each, names in fits if names is None or set(value) <= names)(value) if value else None

    return decode


def _same(value: Any) -> Any:
    return value


class Piece(NamedTuple):
    """A table, or some of its columns, inside a staged file."""

    path: str
    number: int  # which of the tables in the file


@dataclass(frozen=True)
class StagedTable(Record):
    """A table on its way into a segment: complete in staged files, or in blocks of rows still to be merged."""

    name: str
    rows: int
    columns: int
    weight: int  # bytes staged
    pieces: tuple[Piece, ...] = ()  # some columns each, side by side
    blocks: tuple[str, ...] = ()  # paths of staged blocks of rows, in their order...
    facts: Facts | None = None  # ...and the facts that belong to them...
    evidence: Evidence | None = None  # ...and what their cells are, as far as numbers are concerned

    def paths(self) -> set[str]:
        """The staged files it lies in."""
        return {piece.path for piece in self.pieces} | set(self.blocks)


class Run(NamedTuple):
    """Some consecutive rows of a staged block."""

    block: str  # path
    start: int
    stop: int


@dataclass(frozen=True)
class StagedPart(Record):
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

    def paths(self) -> set[str]:
        """The staged files it lies in."""
        return {run.block for run in self.runs}


@dataclass(frozen=True)
class PartOf(Record):
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


@dataclass(frozen=True)
class StoredTable(Record):
    """A table of a segment that is about to be rewritten."""

    name: str
    weight: int  # about its bytes
    segment: str  # the id of the segment...
    number: int  # ...and the table's number in it


TableToBuild = StagedTable | StoredTable


@dataclass(frozen=True)
class Outcome(Record):
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

    def paths(self) -> set[str]:
        """The staged files that it needs."""
        return set().union(*(table.paths() for table in self.tables), *(part.paths() for part in self.parts))


@dataclass(frozen=True)
class Receipt(Record):
    """Proof that a unit was staged: its outcome, and the entries of the staged files."""

    key: str  # of the unit
    outcome: Outcome
    files: Mapping[str, FileEntry]  # by path


@dataclass(frozen=True)
class Unit(Record):
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


@dataclass(frozen=True)
class FileRecord(Record):
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
        document = super().to_dict()
        absent = [name for name in ("describes", "name", "dataset") if not document[name]]
        return {name: document[name] for name in document if name not in absent}

    @property
    def known_name(self) -> str:
        """What its table is called; records of earlier versions have only the names of tables."""
        return self.name or (self.tables[0].partition("#")[0] if self.tables else "")
