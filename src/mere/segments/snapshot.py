"""Which segments make up the lake right now, and how does that change in one instant?

    LAKE/snapshots/00000007.json   one snapshot each; the highest number is current
    LAKE/segments/ID/*.idx         immutable, named by snapshots
    LAKE/files/ID.idx              the raw files behind a snapshot, with the quarantine
    LAKE/trained/ID-KIND.idx       what kinds learnt once, frozen
    LAKE/staging/                  work in progress; of no value to readers
    LAKE/writer.lock               held (flock) by the one writer

A snapshot is a JSON line and a checksum line.  A reader holds a shared lock on the snapshot it opened, so garbage
collection leaves that snapshot and all it names alone until the reader closes.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import time
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xxhash

from mere.errors import Corrupt, Locked, NoSuchSnapshot, NotALake
from mere.segments.segment import Segment
from mere.store import container, files
from mere.store.container import corrupt

FORMAT = 1
_SUFFIX = ".json"


@dataclass
class Snapshot:
    """An immutable list of segments, each with its dead tables, and what was settled for the lake."""

    number: int = 0
    created: float = 0.0
    segments: list[dict[str, Any]] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    trained: dict[str, Any] = field(default_factory=dict)
    files: dict[str, Any] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        body = json.dumps({"format": FORMAT, "kind": "snapshot", **self.__dict__}, ensure_ascii=False, sort_keys=True)
        return f"{body}\n{xxhash.xxh3_64_hexdigest(body.encode())}\n".encode()

    @staticmethod
    def from_bytes(data: bytes, path: str) -> Snapshot:
        body, _, rest = data.partition(b"\n")
        if rest != f"{xxhash.xxh3_64_hexdigest(body)}\n".encode():
            raise corrupt(path, f"checksum {xxhash.xxh3_64_hexdigest(body)}, expected {rest[:16].decode('latin-1')}")
        document = json.loads(body)
        if (document.pop("kind"), found := document.pop("format")) != ("snapshot", FORMAT):
            raise corrupt(path, f"format {found}, expected {FORMAT}")
        return Snapshot(**document)

    def paths(self) -> set[str]:
        """Everything this snapshot names, relative to the lake."""
        named = {f"segments/{segment['id']}" for segment in self.segments}
        named |= {entry["file"] for entry in self.trained.values() if "file" in entry}
        return named | ({self.files["file"]} if self.files else set())


def snapshot_path(lake: str, number: int) -> str:
    return os.path.join(lake, "snapshots", f"{number:08d}{_SUFFIX}")


def kept_numbers(lake: str) -> list[int]:
    """The numbers of the snapshots a lake keeps, oldest first."""
    try:
        names = os.listdir(os.path.join(lake, "snapshots"))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(int(n[: -len(_SUFFIX)]) for n in names if n.endswith(_SUFFIX) and n[: -len(_SUFFIX)].isdigit())


class OpenSnapshot:
    """A snapshot somebody reads: its segments with live masks, protected from garbage collection until closed."""

    def __init__(self, lake: str, number: int | None = None) -> None:
        self.lake = lake
        handle, self.snapshot = _open_and_hold(lake, number)
        self._release = None if handle is None else weakref.finalize(self, os.close, handle)
        self.segments = [
            Segment(os.path.join(lake, "segments", entry["id"]), entry) for entry in self.snapshot.segments
        ]
        self.live = [live_mask(entry) for entry in self.snapshot.segments]

    @property
    def number(self) -> int:
        return self.snapshot.number

    def close(self) -> None:
        """Let go of it; the end of the object, or of the process, does so too."""
        if self._release is not None:
            self._release()


def _open_and_hold(lake: str, number: int | None) -> tuple[int | None, Snapshot]:
    while True:
        wanted = _choose(lake, number)
        path = snapshot_path(lake, wanted)
        try:
            handle = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            continue  # collected between listing and opening: there is a newer one
        fcntl.flock(handle, fcntl.LOCK_SH)
        if os.fstat(handle).st_nlink == 0:
            os.close(handle)
            continue
        try:
            with open(path, "rb") as file:
                return handle, Snapshot.from_bytes(file.read(), path)
        except BaseException:
            os.close(handle)
            raise


def _choose(lake: str, number: int | None) -> int:
    kept = kept_numbers(lake)
    if not kept:
        raise NotALake(f"no lake at '{lake}'", f"make one with 'mere index SOURCE --lake {lake}'")
    if number is not None and number not in kept:
        listed = ", ".join(map(str, kept))
        raise NoSuchSnapshot(f"snapshot {number} is not kept in '{lake}'", f"kept are {listed}")
    return kept[-1] if number is None else number


def live_mask(entry: Mapping[str, Any]) -> np.ndarray:
    """Which tables of a segment live, as a snapshot's entry says."""
    live = np.ones(entry["tables"], bool)
    live[entry["dead"]] = False
    return live


def read_snapshot(lake: str, number: int) -> Snapshot:
    path = snapshot_path(lake, number)
    with open(path, "rb") as file:
        return Snapshot.from_bytes(file.read(), path)


def commit(lake: str, snapshot: Snapshot) -> Snapshot:
    """Make a snapshot the current one.  Everything it names must already be synced."""
    kept = kept_numbers(lake)
    snapshot.number = (kept[-1] if kept else 0) + 1
    snapshot.created = time.time()
    files.make_folder(os.path.join(lake, "snapshots"))
    files.sync_folder(lake)  # the rooms too, should a run that died have made them
    files.publish(snapshot_path(lake, snapshot.number), snapshot.to_bytes())
    return snapshot


@contextmanager
def writer(lake: str) -> Iterator[None]:
    """Be the one writer of a lake, or raise `Locked`; a writer that dies lets go."""
    files.make_folder(lake)
    path = os.path.join(lake, "writer.lock")
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(handle, 200, 0).decode("utf-8", "replace").strip() or "another process"
            raise Locked(f"'{lake}' is being written by {holder}", "wait for it to finish, then run again") from error
        since = time.strftime("%Y-%m-%d %H:%M:%S")
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"process {os.getpid()} on {socket.gethostname()} since {since}".encode(), 0)
        yield
    finally:
        os.close(handle)


def collect_garbage(lake: str, keep: int, drop_damaged: bool = False) -> list[str]:
    """Forget all but the newest `keep` snapshots and those being read; delete what no kept one names.

    Returns notes: a damaged snapshot does not tell what it names, so nothing is deleted until it is dropped.
    """
    for number in kept_numbers(lake)[:-keep]:
        _forget(snapshot_path(lake, number))
    named: set[str] = set()
    notes = []
    for number in kept_numbers(lake):
        try:
            named |= read_snapshot(lake, number).paths()
        except Corrupt as error:
            if not (drop_damaged and _forget(snapshot_path(lake, number))):
                notes.append(f"nothing was cleared away: {error.message}")
    if notes:
        return notes
    if os.path.isdir(os.path.join(lake, "snapshots")):
        files.sync_folder(os.path.join(lake, "snapshots"))  # forgotten for good, before what it named goes
    for room in ("segments", "files", "trained"):
        for name in _names(os.path.join(lake, room)):
            if f"{room}/{name}" not in named:
                files.remove(os.path.join(lake, room, name))
    return []


def _forget(path: str) -> bool:
    """Delete a snapshot, unless somebody reads it."""
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        files.remove(path)
        return True
    except BlockingIOError:
        return False
    finally:
        os.close(handle)


def _names(folder: str) -> list[str]:
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def verify(lake: str, number: int | None = None) -> Iterator[tuple[str, Corrupt | None]]:
    """Read every byte a snapshot names; yield each file with its fault, or None where all is well."""
    try:
        opened = OpenSnapshot(lake, number)
    except Corrupt as error:
        yield snapshot_path(lake, kept_numbers(lake)[-1] if number is None else number), error
        return
    yield snapshot_path(lake, opened.number), None
    for path, entry in _named_files(opened):
        try:
            container.verify(path, entry)
        except Corrupt as error:
            yield path, error
        else:
            yield path, None
    opened.close()


def _named_files(opened: OpenSnapshot) -> Iterator[tuple[str, dict[str, Any]]]:
    for segment in opened.segments:
        for name, entry in sorted(segment.entry["files"].items()):
            yield os.path.join(segment.folder, name), entry
    for entry in (e for e in [*opened.snapshot.trained.values(), opened.snapshot.files] if "file" in e):
        yield os.path.join(opened.lake, entry["file"]), entry
