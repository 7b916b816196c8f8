"""What does a lake hold, how large is it, and which snapshots are kept?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mere.errors import Corrupt
from mere.search.rules import notes_on
from mere.segments import OpenSnapshot
from mere.segments.snapshot import kept_numbers, read_snapshot


def describe_lake(opened: OpenSnapshot) -> dict[str, Any]:
    """The document of `mere info`."""
    snapshot = opened.snapshot
    sizes: dict[str, int] = {}
    for segment in snapshot.segments:
        for name, entry in segment.files.items():
            sizes[name] = sizes.get(name, 0) + entry.bytes
    return {
        "lake": opened.lake,
        "snapshot": snapshot.number,
        **snapshot.totals,
        "segments": len(snapshot.segments),
        "index_bytes": sum(sizes.values()),
        "files": sizes,
        "sources": snapshot.sources,
        "options": {source: options.to_dict() for source, options in snapshot.options.items()},
        "settings": snapshot.settings,
        "stale": notes_on(snapshot),
        "snapshots": list(_kept_snapshots(opened.lake)),
    }


def _kept_snapshots(lake: str) -> Iterator[dict[str, Any]]:
    """A document for each kept snapshot; one that is removed meanwhile is left out."""
    for number in kept_numbers(lake):
        try:
            snapshot = read_snapshot(lake, number)
        except Corrupt as error:
            if isinstance(error.__cause__, FileNotFoundError):
                continue
            yield {"snapshot": number, "damaged": error.message}
            continue
        counts = {**snapshot.totals, "segments": len(snapshot.segments)}
        yield {"snapshot": number, "created": snapshot.created, **counts}
