"""How is a snapshot read while later runs replace it?

A reader holds a shared lock on the snapshot it opened, so that garbage collection keeps that snapshot and everything
it names until the reader closes it.  A newest snapshot that was lost is an error: see `markers`.  Files are checked
when they are mapped; if an error comes of bytes that were overwritten later, `telling_damage` says which file it was.
"""

from __future__ import annotations

import fcntl
import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np

from mere.errors import Corrupt, MereError, MissingMarker, NoSuchSnapshot, NotALake
from mere.segments.markers import check_marker, committed_numbers, is_lost, lost, marker_path
from mere.segments.segment import Segment, closed_error
from mere.segments.snapshot import FORMAT, Snapshot, kept_numbers, read_snapshot, snapshot_path
from mere.store import container, plain
from mere.store.opening import not_opened

Faults = Iterator[tuple[str, Corrupt | None]]


class OpenSnapshot:
    """A snapshot with its segments and their live masks, protected from garbage collection until closed."""

    def __init__(self, lake: str, number: int | None = None) -> None:
        self.lake = lake
        handle, self._snapshot = _open_and_lock(lake, number)
        self._release = weakref.finalize(self, os.close, handle)
        self._committed = os.fstat(handle).st_mtime_ns
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

    def telling_damage(self) -> AbstractContextManager[None]:
        """What the block raises, or `Corrupt`, if bytes were overwritten after they were checked."""
        return telling_damage(lambda: verify(self.lake, self.number, self._committed))

    def _check_open(self) -> None:
        if self.closed:
            raise closed_error(self.lake)


def _open_and_lock(lake: str, number: int | None) -> tuple[int, Snapshot]:
    while True:
        chosen = _choose(lake, number)
        path = snapshot_path(lake, chosen)
        try:
            handle = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            continue  # collected between listing and opening: there is a newer one
        except OSError as error:
            raise not_opened(path, error) from error
        fcntl.flock(handle, fcntl.LOCK_SH)
        if os.fstat(handle).st_nlink == 0:
            os.close(handle)
            continue
        try:
            return handle, read_snapshot(lake, chosen)
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


_INTACT = "files_are_intact"  # of an error: all files were read, and need not be again where it passes next


@contextmanager
def telling_damage(check: Callable[[], Faults]) -> Iterator[None]:
    """After an error that nobody expected, check the files it may come from; it stays as it is if all are intact."""
    try:
        yield
    except MereError:
        raise
    except Exception as error:  # wrong bytes lead to many: no such type, place, or memory
        if not getattr(error, _INTACT, False):
            for _, fault in check():
                if fault is not None and not isinstance(fault, MissingMarker):
                    raise fault from error
            setattr(error, _INTACT, True)
        raise


def verify(lake: str, number: int | None = None, since: int = 0) -> Faults:
    """Read every byte a snapshot names, and its marker; yield each file with its fault, or None where there is none.

    With `since`, in nanoseconds, only files that were written then or later: all are older than their snapshot.
    """
    try:
        opened = OpenSnapshot(lake, number)
    except Corrupt as error:
        yield snapshot_path(lake, committed_numbers(lake)[-1] if number is None else number), error
        return
    yield snapshot_path(lake, opened.number), None
    if opened.snapshot.format >= FORMAT:
        yield marker_path(lake, opened.number), _fault_of(check_marker, lake, opened.number)
    for segment in opened.segments:
        yield from verify_segment(segment, since)
    for file in opened.snapshot.named_files():
        path = os.path.join(lake, file.path)
        if _is_written_since(path, since):
            yield path, _fault_of(container.verify, path, file.entry)
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


def verify_segment(segment: Segment, since: int = 0) -> Faults:
    """The same of the files of one segment."""
    for name, entry in sorted(segment.entry.files.items()):
        path = os.path.join(segment.folder, name)
        if _is_written_since(path, since):
            yield path, _fault_of(container.verify, path, entry)


def _is_written_since(path: str, since: int) -> bool:
    try:
        return os.stat(path).st_mtime_ns >= since
    except OSError:  # it is gone, or nobody may look at it
        return True
