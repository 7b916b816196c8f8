"""How is a snapshot read while later runs replace it?

A reader holds a shared lock on the snapshot it opened, so that garbage collection keeps that snapshot and everything
it names until the reader closes it.
"""

from __future__ import annotations

import fcntl
import os
import weakref
from collections.abc import Iterator

from mere.errors import Corrupt, NoSuchSnapshot, NotALake
from mere.segments.segment import Segment
from mere.segments.snapshot import Snapshot, kept_numbers, snapshot_path
from mere.store import container
from mere.store.container import FileEntry


class OpenSnapshot:
    """A snapshot with its segments and their live masks, protected from garbage collection until closed."""

    def __init__(self, lake: str, number: int | None = None) -> None:
        self.lake = lake
        handle, self.snapshot = _open_and_lock(lake, number)
        self._release = weakref.finalize(self, os.close, handle)
        self.segments = [Segment(entry.folder(lake), entry) for entry in self.snapshot.segments]
        self.live = [entry.live_mask() for entry in self.snapshot.segments]

    @property
    def number(self) -> int:
        return self.snapshot.number

    def close(self) -> None:
        """Release the lock; this also happens when the object, or the process, ends."""
        self._release()


def _open_and_lock(lake: str, number: int | None) -> tuple[int, Snapshot]:
    while True:
        path = snapshot_path(lake, _choose(lake, number))
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


def verify(lake: str, number: int | None = None) -> Iterator[tuple[str, Corrupt | None]]:
    """Read every byte a snapshot names; yield each file with its fault, or None where there is none."""
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


def _named_files(opened: OpenSnapshot) -> Iterator[tuple[str, FileEntry]]:
    for segment in opened.segments:
        for name, entry in sorted(segment.entry.files.items()):
            yield os.path.join(segment.folder, name), entry
    for file in opened.snapshot.named_files():
        yield os.path.join(opened.lake, file.path), file.entry
