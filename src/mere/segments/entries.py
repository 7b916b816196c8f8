"""What does a snapshot say of each thing it names?

    SegmentEntry    a segment: its id, its files, how much it holds, which of its tables are dead
    NamedFile       a file of the lake outside segments: its path in the lake, and its entry
    TrainedEntry    what a kind learnt: a version, and a file unless there was nothing to learn

`to_dict` gives the JSON of the format (see FORMAT.md), `from_dict` reads it; tasks take and return the same documents.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from mere.store.container import FileEntry


@dataclass(frozen=True)
class SegmentEntry:
    """One segment, as a snapshot names it."""

    id: str  # the name of its folder
    files: Mapping[str, FileEntry]  # by the names of the files
    tables: int
    columns: int
    rows: int
    cells: int
    first: str  # the name of its first table
    dead: tuple[int, ...] = ()  # numbers of tables that no longer belong to the lake, ascending
    moved: Mapping[str, str] = field(default_factory=dict)  # sources in its facts that are written differently now

    def to_dict(self) -> dict[str, Any]:
        document = {**asdict(self), "dead": list(self.dead)}
        return document if self.moved else {name: document[name] for name in document if name != "moved"}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> SegmentEntry:
        files = {name: FileEntry.from_dict(file) for name, file in document["files"].items()}
        return SegmentEntry(**{**document, "files": files, "dead": tuple(document["dead"])})

    def folder(self, lake: str) -> str:
        return os.path.join(lake, "segments", self.id)

    def version_of(self, name: str) -> int | None:
        """The version of a file's arrays; None if the segment has no such file."""
        return self.files[name].version if name in self.files else None

    def with_file(self, name: str, file: FileEntry) -> SegmentEntry:
        return replace(self, files={**self.files, name: file})

    def live_mask(self) -> np.ndarray:
        """Which tables are not dead: one bool each."""
        live = np.ones(self.tables, bool)
        live[list(self.dead)] = False
        return live


@dataclass(frozen=True)
class NamedFile:
    """A file of the lake that lies outside segments."""

    path: str  # relative to the lake
    entry: FileEntry

    def to_dict(self) -> dict[str, Any]:
        return {"file": self.path, **self.entry.to_dict()}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> NamedFile:
        return NamedFile(document["file"], FileEntry.from_dict(document))


@dataclass(frozen=True)
class TrainedEntry:
    """What a kind learnt once for the lake."""

    version: int  # of the kind that learnt
    file: NamedFile | None = None  # none if there was nothing to learn

    def to_dict(self) -> dict[str, Any]:
        return self.file.to_dict() if self.file else {"version": self.version}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> TrainedEntry:
        file = NamedFile.from_dict(document) if "file" in document else None
        return TrainedEntry(document["version"], file)
