"""How does a new snapshot replace the current one in one instant, and what is deleted afterwards?

One writer at a time holds `writer.lock`.  A commit is one rename; the marker that is written after it only proves that
it happened.  Garbage collection forgets old snapshots, except those that a reader holds open, and then deletes every
file that no kept snapshot names.
"""

from __future__ import annotations

import fcntl
import os
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from mere.errors import Corrupt, Locked
from mere.segments.markers import check_marker, committed_numbers, is_lost, lost, marker_path, write_marker
from mere.segments.snapshot import FORMAT, Snapshot, read_snapshot, snapshot_path
from mere.store import files


@contextmanager
def writer(lake: str) -> Iterator[None]:
    """Be the one writer of a lake, or raise `Locked`; the lock ends with the process."""
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
        with files.writing(path):
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"process {os.getpid()} on {socket.gethostname()} since {since}".encode(), 0)
        yield
    finally:
        os.close(handle)


def commit(lake: str, snapshot: Snapshot) -> Snapshot:
    """Make a snapshot the current one; return it with its number.  Everything it names must already be synced."""
    number = max(committed_numbers(lake), default=0) + 1
    numbered = replace(snapshot, number=number, created=time.time(), format=FORMAT)
    files.make_folder(os.path.join(lake, "snapshots"))
    files.sync_folder(lake)  # its folders too: a run that was killed may have made them
    files.publish(snapshot_path(lake, number), numbered.as_stored(lake).to_bytes())
    write_marker(lake, number)
    return numbered


def collect_garbage(lake: str, keep: int, drop_damaged: bool = False) -> list[str]:
    """Forget all but the newest `keep` snapshots and those being read; delete what no kept one names.

    Returns notes: what a damaged or lost snapshot names is unknown, so nothing is deleted until it is dropped.
    """
    _forget(lake, committed_numbers(lake)[:-keep])
    named: set[str] = set()
    notes = []
    for number in committed_numbers(lake):
        try:
            named |= _restore_marker(lake, number).paths()
        except Corrupt as error:
            if not (drop_damaged and _forget(lake, [number])):
                notes.append(f"nothing was cleared away: {error.message}")
    if notes:
        return notes
    snapshots = os.path.join(lake, "snapshots")
    if os.path.isdir(snapshots):
        files.remove_unfinished(snapshots)
        files.sync_folder(snapshots)  # forgotten for good, before what they named is deleted
    for folder in ("segments", "files", "trained", "frames"):
        for name in _names(os.path.join(lake, folder)):
            if f"{folder}/{name}" not in named:
                files.remove(os.path.join(lake, folder, name))
    return []


def _restore_marker(lake: str, number: int) -> Snapshot:
    """A kept snapshot, after its marker was written again if an interrupted run left none."""
    if is_lost(lake, number):
        raise lost(lake, number)
    snapshot = read_snapshot(lake, number)
    if snapshot.format >= FORMAT:
        try:
            check_marker(lake, number)
        except Corrupt:
            files.remove(marker_path(lake, number))  # it may be a folder, which no file replaces
            write_marker(lake, number)
    return snapshot


def _forget(lake: str, numbers: list[int]) -> bool:
    """Delete snapshots, but none that a reader holds open; whether all were deleted.

    Markers are removed and synced first: a marker that outlives its snapshot would mean that the snapshot was lost.
    """
    with ExitStack() as locks:
        free = [number for number in numbers if _lock(locks, snapshot_path(lake, number))]
        for number in free:
            files.remove(marker_path(lake, number))
        if free:
            files.sync_folder(os.path.join(lake, "snapshots"))
        for number in free:
            files.remove(snapshot_path(lake, number))
    return free == numbers


def _lock(locks: ExitStack, path: str) -> bool:
    """Whether no reader holds the snapshot open; none does until the stack ends."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return True
    except PermissionError:
        return False
    locks.callback(os.close, handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _names(folder: str) -> list[str]:
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []
