"""How is a snapshot read while later runs replace it?

A reader holds a shared lock on the snapshot it opened, so that garbage collection keeps that snapshot and everything
it names until the reader closes it.  A newest snapshot that was lost is an error: see `markers`.
"""

from __future__ import annotations

import fcntl
import os
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mere.errors import Corrupt, NoSuchSnapshot, NotALake
from mere.segments.markers import check_marker, committed_numbers, is_lost, lost, marker_path
from mere.segments.segment import Segment, closed_error
from mere.segments.snapshot import FORMAT, Snapshot, kept_numbers, snapshot_path
from mere.store import container, plain
from mere.store.container import FileEntry


class OpenSnapshot:
    """A snapshot with its segments and their live masks, protected from garbage collection until closed."""

    def __init__(self, lake: str, number: int | None = None) -> None:
        self.lake = lake
        handle, self._snapshot = _open_and_lock(lake, number)
        self._release = weakref.finalize(self, os.close, handle)
        self._segments = [Segment(entry.folder(lake), entry) for entry in self._snapshot.segments]
        self._live = [entry.live_mask() for entry in self._snapshot.segments]

    @property
    def number(self) -> int:
        return self._snapshot.number

    @property
    def snapshot(self) -> Snapshot:
        self._check_open()
        return self._snapshot

    @property
    def segments(self) -> list[Segment]:
        self._check_open()
        return self._segments

    @property
    def live(self) -> list[np.ndarray]:
        """Which tables of each segment are not dead."""
        self._check_open()
        return self._live

    @property
    def closed(self) -> bool:
        return not self._release.alive

    def close(self) -> None:
        """Release the lock; this also happens when the object, or the process, ends."""
        self._release()
        for segment in self._segments:
            segment.close()

    def _check_open(self) -> None:
        if self.closed:
            raise closed_error(self.lake)


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
                return handle, Snapshot.from_bytes(file.read(), path).located(lake)
        except BaseException:
            os.close(handle)
            raise


def _choose(lake: str, number: int | None) -> int:
    """The number to open; it may be deleted before it is opened."""
    committed = committed_numbers(lake)
    if not committed:
        raise NotALake(f"no lake at '{lake}'", f"make one with 'mere index SOURCE --lake {lake}'")
    wanted = committed[-1] if number is None else number
    if is_lost(lake, wanted):
        raise lost(lake, wanted)
    if wanted not in committed:
        listed = ", ".join(map(str, kept_numbers(lake)))
        raise NoSuchSnapshot(f"snapshot {wanted} is not kept in '{lake}'", f"kept are {listed}")
    return wanted


def verify(lake: str, number: int | None = None) -> Iterator[tuple[str, Corrupt | None]]:
    """Read every byte a snapshot names, and its marker; yield each file with its fault, or None where there is none."""
    try:
        opened = OpenSnapshot(lake, number)
    except Corrupt as error:
        yield snapshot_path(lake, committed_numbers(lake)[-1] if number is None else number), error
        return
    yield snapshot_path(lake, opened.number), None
    if opened.snapshot.format >= FORMAT:
        yield marker_path(lake, opened.number), _fault_of(check_marker, lake, opened.number)
    for path, entry in _named_files(opened):
        yield path, _fault_of(container.verify, path, entry)
    for copy in opened.snapshot.frames.values():
        path = os.path.join(lake, copy.path)
        yield path, _fault_of(plain.verify, path, copy.entry)
    opened.close()


def _fault_of(check: Callable[..., None], *arguments: Any) -> Corrupt | None:
    try:
        check(*arguments)
    except Corrupt as error:
        return error
    return None


def _named_files(opened: OpenSnapshot) -> Iterator[tuple[str, FileEntry]]:
    for segment in opened.segments:
        for name, entry in sorted(segment.entry.files.items()):
            yield os.path.join(segment.folder, name), entry
    for file in opened.snapshot.named_files():
        yield os.path.join(opened.lake, file.path), file.entry
