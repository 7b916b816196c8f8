"""How does a new snapshot replace the current one in one instant, and what is deleted afterwards?

One writer at a time holds `writer.lock`.  A commit is one rename.  Garbage collection forgets old snapshots, except
those that a reader holds open, and then deletes every file that no kept snapshot names.
"""

from __future__ import annotations

import fcntl
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from mere.errors import Corrupt, Locked
from mere.segments.snapshot import Snapshot, kept_numbers, read_snapshot, snapshot_path
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
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"process {os.getpid()} on {socket.gethostname()} since {since}".encode(), 0)
        yield
    finally:
        os.close(handle)


def commit(lake: str, snapshot: Snapshot) -> Snapshot:
    """Make a snapshot the current one; return it with its number.  Everything it names must already be synced."""
    kept = kept_numbers(lake)
    numbered = replace(snapshot, number=(kept[-1] if kept else 0) + 1, created=time.time())
    files.make_folder(os.path.join(lake, "snapshots"))
    files.sync_folder(lake)  # its folders too: a run that was killed may have made them
    files.publish(snapshot_path(lake, numbered.number), numbered.to_bytes())
    return numbered


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
    snapshots = os.path.join(lake, "snapshots")
    if os.path.isdir(snapshots):
        files.remove_unfinished(snapshots)
        files.sync_folder(snapshots)  # forgotten for good, before what they named is deleted
    for folder in ("segments", "files", "trained"):
        for name in _names(os.path.join(lake, folder)):
            if f"{folder}/{name}" not in named:
                files.remove(os.path.join(lake, folder, name))
    return []


def _forget(path: str) -> bool:
    """Delete a snapshot, unless a reader holds it open."""
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
