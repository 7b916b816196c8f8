"""Which segments make up the lake at one moment?

    LAKE/snapshots/00000007.json        one snapshot each; the highest number is current
    LAKE/snapshots/00000007.committed   the marker that its commit left: see `markers`
    LAKE/segments/ID/*.idx              immutable, named by snapshots
    LAKE/files/ID.idx                   the raw files behind a snapshot, with the quarantine
    LAKE/trained/ID-KIND.idx            what kinds learnt once, frozen
    LAKE/frames/ID.parquet              copies of frames that were handed in
    LAKE/staging/                       work in progress; readers never look there
    LAKE/writer.lock                    locked (flock) by the one writer

A snapshot is a JSON line and a checksum line.  `open_snapshot` says how it is read, `commit` how it is replaced.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mere.segments.entries import NamedFile, SegmentEntry, TrainedEntry
from mere.segments.sources import SourceOptions, source_from_stored, stored_source
from mere.store import documents
from mere.store.opening import corrupt, not_opened, opened

FORMAT = 2  # since 2, every commit leaves a marker: see `markers`
_READABLE = (1, 2)
_SUFFIX = ".json"


@dataclass(frozen=True)
class Snapshot:
    """An immutable list of segments, each with its dead tables, and the lake's sources and settings."""

    number: int = 0
    created: float = 0.0
    segments: list[SegmentEntry] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    trained: dict[str, TrainedEntry] = field(default_factory=dict)
    files: NamedFile | None = None  # the records of the raw files
    totals: dict[str, int] = field(default_factory=dict)
    format: int = FORMAT
    frames: dict[str, NamedFile] = field(default_factory=dict)  # the copies of frames, by their sources
    options: dict[str, SourceOptions] = field(default_factory=dict)  # of the sources that have some
    rules: list[dict[str, int]] = field(default_factory=list)  # `values`, `reading`: how many `tables` were read so
    absolute: frozenset[str] = frozenset()  # sources that the file of this snapshot names by their absolute paths

    def to_dict(self) -> dict[str, Any]:
        return {
            "format": self.format,
            "kind": "snapshot",
            "number": self.number,
            "created": self.created,
            "segments": [entry.to_dict() for entry in self.segments],
            "sources": list(self.sources),
            **({"options": {s: chosen.to_dict() for s, chosen in self.options.items()}} if self.options else {}),
            "settings": self.settings,
            "trained": {kind: entry.to_dict() for kind, entry in self.trained.items()},
            "files": self.files.to_dict() if self.files else {},
            **({"frames": {source: copy.to_dict() for source, copy in self.frames.items()}} if self.frames else {}),
            "totals": self.totals,
            **({"rules": self.rules} if self.rules else {}),
        }

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> Snapshot:
        return Snapshot(
            number=document["number"],
            created=document["created"],
            segments=list(map(SegmentEntry.from_dict, document["segments"])),
            sources=document["sources"],
            options={source: SourceOptions.from_dict(o) for source, o in document.get("options", {}).items()},
            settings=document["settings"],
            trained={kind: TrainedEntry.from_dict(entry) for kind, entry in document["trained"].items()},
            files=NamedFile.from_dict(document["files"]) if document["files"] else None,
            frames={source: NamedFile.from_dict(copy) for source, copy in document.get("frames", {}).items()},
            totals=document["totals"],
            rules=document.get("rules", []),
            format=document["format"],
        )

    def to_bytes(self) -> bytes:
        return documents.to_bytes(self.to_dict())

    @staticmethod
    def from_bytes(data: bytes, path: str) -> Snapshot:
        return Snapshot.from_dict(documents.from_bytes(data, path, "snapshot", _READABLE))

    def as_stored(self, lake: str) -> Snapshot:
        """The snapshot as it is written: sources beside the lake are relative to it."""
        options = {stored_source(lake, source): chosen for source, chosen in self.options.items()}
        return replace(self, sources=[stored_source(lake, source) for source in self.sources], options=options)

    def located(self, lake: str) -> Snapshot:
        """The snapshot of a file of this lake: all sources with their absolute paths."""
        sources = {source: source_from_stored(lake, source) for source in self.sources}
        return replace(
            self,
            sources=list(sources.values()),
            options={sources[source]: chosen for source, chosen in self.options.items()},
            absolute=frozenset(source for source in self.sources if sources[source] == source),
        )

    def paths(self) -> set[str]:
        """Everything this snapshot names, relative to the lake."""
        named = {file.path for file in [*self.named_files(), *self.frames.values()]}
        return {f"segments/{entry.id}" for entry in self.segments} | named

    def named_files(self) -> Iterator[NamedFile]:
        """The containers outside segments."""
        yield from (entry.file for entry in self.trained.values() if entry.file)
        if self.files:
            yield self.files


def snapshot_path(lake: str, number: int) -> str:
    return os.path.join(lake, "snapshots", f"{number:08d}{_SUFFIX}")


def kept_numbers(lake: str) -> list[int]:
    """The numbers of the snapshots a lake keeps, oldest first."""
    return numbers_of(lake, _SUFFIX)


def numbers_of(lake: str, suffix: str) -> list[int]:
    """The numbers of the files with this suffix in the folder of snapshots, ascending."""
    try:
        names = os.listdir(os.path.join(lake, "snapshots"))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise not_opened(os.path.join(lake, "snapshots"), error) from error
    stems = [name.removesuffix(suffix) for name in names if name.endswith(suffix)]
    return sorted(int(stem) for stem in stems if stem.isdigit())


def read_snapshot(lake: str, number: int) -> Snapshot:
    path = snapshot_path(lake, number)
    with opened(path) as file:
        snapshot = Snapshot.from_bytes(file.read(), path).located(lake)
    if snapshot.number != number:
        raise corrupt(path, f"holds snapshot {snapshot.number}, expected {number}")
    return snapshot
