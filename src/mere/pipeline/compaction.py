"""Which tables of old segments move into new ones, and what lives in a list of segments?

A segment is rewritten when a kind is newer than it, when many of its tables are dead, or when it is small and there
are many such; its living tables then join the new ones, and are built like them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from mere.indexes import KINDS
from mere.pipeline.settings import Settings
from mere.segments import Segment

Entry = dict[str, Any]  # of a segment, in a snapshot

_DEAD_SHARE = 0.3  # a segment with more dead tables than this is rewritten


def to_rewrite(kept: list[Entry], settings: Settings, adding: bool, everything: bool) -> list[Entry]:
    """The segments whose living tables should move; with `everything`, all that is small or holds dead tables."""
    due = [entry for entry in kept if len(entry["dead"]) > _DEAD_SHARE * entry["tables"] or lacks_a_kind(entry)]
    small = [entry for entry in kept if entry not in due and live_weight(entry) < settings.segment_bytes // 2]
    if everything:
        return due + small + [entry for entry in kept if entry["dead"] and entry not in due + small]
    return due + small if len(small) + adding > settings.small_segments else due


def lacks_a_kind(entry: Entry) -> bool:
    """Whether a kind, or a version of it, is newer than the segment."""
    return any(entry["files"].get(f"{name}.idx", {}).get("version") != kind.version for name, kind in KINDS.items())


def with_dead(segment: Segment, alive: set[str]) -> Entry:
    """The segment's entry, all tables dead that are not among these."""
    dead = {number for number, name in enumerate(segment.names) if name not in alive}
    return {**segment.entry, "dead": sorted(dead | set(segment.entry["dead"]))}


def stored_tables(segment: Segment, entry: Entry) -> Iterator[dict[str, Any]]:
    """The living tables, as the build task takes them."""
    dead = set(entry["dead"])
    share = live_weight(entry) // max(1, entry["tables"] - len(dead))
    for number, name in enumerate(segment.names):
        if number not in dead:
            yield {"segment": entry["id"], "number": number, "name": name, "weight": share}


def live_weight(entry: Entry) -> int:
    """About how many bytes the living tables take."""
    whole = sum(entry["files"][name]["bytes"] for name in ("values.idx", "rows.idx", "catalog.idx"))
    return whole * (entry["tables"] - len(entry["dead"])) // max(1, entry["tables"])


def totals(segments: list[Entry], lake: str) -> dict[str, int]:
    """Tables, columns and rows that live."""
    counted = {"tables": 0, "columns": 0, "rows": 0}
    for entry in segments:
        for name in counted:
            counted[name] += entry[name]
        if entry["dead"]:
            segment = Segment(os.path.join(lake, "segments", entry["id"]), entry)
            counted["tables"] -= len(entry["dead"])
            counted["columns"] -= sum(len(segment.columns_of(number)) for number in entry["dead"])
            counted["rows"] -= int(segment.catalog["table.rows"][entry["dead"]].sum())
    return counted
