"""How is it noticed that the newest snapshot was lost?

Without its file, a lake would silently answer from the snapshot before.  So every commit leaves a second file, its
marker, written and synced after the rename that makes the snapshot current:

    LAKE/snapshots/00000007.committed     a line of JSON with the number, and a line with its checksum

- A marker without its snapshot means that the snapshot was lost: a marker is written after its snapshot, and removed
  before it.
- A snapshot without its marker is complete and current: the run was interrupted between the two.  The next run
  writes the marker.  Snapshots of format 1 are older than markers and never had one.
"""

from __future__ import annotations

import os

from mere.errors import Corrupt, MissingMarker
from mere.segments.snapshot import kept_numbers, numbers_of, snapshot_path
from mere.store import documents, files
from mere.store.opening import opened

_FORMAT = 1
_KIND = "committed"
_SUFFIX = ".committed"


def marker_path(lake: str, number: int) -> str:
    return os.path.join(lake, "snapshots", f"{number:08d}{_SUFFIX}")


def committed_numbers(lake: str) -> list[int]:
    """The numbers of all snapshots that are kept or left a marker, oldest first."""
    return sorted({*kept_numbers(lake), *numbers_of(lake, _SUFFIX)})


def write_marker(lake: str, number: int) -> None:
    """Mark a snapshot that was committed and synced."""
    marker = {"format": _FORMAT, "kind": _KIND, "number": number}
    files.publish(marker_path(lake, number), documents.to_bytes(marker))


def check_marker(lake: str, number: int) -> None:
    """Raise `Corrupt` unless a snapshot has its marker."""
    path, remedy = marker_path(lake, number), "run 'mere index', which writes it again"
    try:
        with opened(path) as file:
            marker = documents.from_bytes(file.read(), path, _KIND, (_FORMAT,))
    except Corrupt as error:
        if isinstance(error.__cause__, FileNotFoundError):
            raise MissingMarker(
                f"{path}: the marker of the commit is missing; the snapshot is complete", remedy
            ) from error
        raise Corrupt(error.message, remedy) from error
    if marker["number"] != number:
        raise Corrupt(f"{path}: is the marker of snapshot {marker['number']}", remedy)


def is_lost(lake: str, number: int) -> bool:
    """Whether a snapshot was committed and is missing.

    The order matters: a marker is removed before its snapshot, so a marker that is there after the snapshot was found
    missing proves that no garbage collection removed the snapshot.
    """
    return not os.path.exists(snapshot_path(lake, number)) and os.path.exists(marker_path(lake, number))


def lost(lake: str, number: int) -> Corrupt:
    """The error of a snapshot that was committed and is missing."""
    older = [kept for kept in kept_numbers(lake) if kept < number]
    choices = ["restore the file", f"run 'mere index {'' if older else 'SOURCE '}--rebuild'"]
    if older:
        choices.append(f"read the older snapshot with as_of={older[-1]}")
    fault = f"the file is missing, but {os.path.basename(marker_path(lake, number))} shows that it was committed"
    return Corrupt(f"{snapshot_path(lake, number)}: {fault}", ", or ".join(choices))
