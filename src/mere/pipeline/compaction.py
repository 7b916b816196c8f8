"""Which tables of old segments move into new ones, and how much lives in a list of segments?

A segment is rewritten when a kind is newer than it, when many of its tables are dead, or when it is small and there
are many such; its living tables are then built together with the new ones.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import replace

from mere.indexes import KINDS
from mere.pipeline.records import StoredTable
from mere.pipeline.settings import Settings
from mere.segments import SKETCHES, SKETCHES_VERSION, Segment, SegmentEntry

_DEAD_SHARE = 0.3  # a segment with more dead tables than this is rewritten


def to_rewrite(kept: list[SegmentEntry], settings: Settings, adding: bool, everything: bool) -> list[SegmentEntry]:
    """The segments whose living tables should move; with `everything`, all that are small or hold dead tables."""
    due = [entry for entry in kept if len(entry.dead) > _DEAD_SHARE * entry.tables or lacks_a_kind(entry)]
    small = [entry for entry in kept if entry not in due and live_weight(entry) < settings.segment_bytes // 2]
    if everything:
        return due + small + [entry for entry in kept if entry.dead and entry not in due + small]
    return due + small if len(small) + adding > settings.small_segments else due


def lacks_a_kind(entry: SegmentEntry) -> bool:
    """Whether a kind, or the sketches of rows, or a version of one, is newer than the segment."""
    if entry.version_of(SKETCHES) != SKETCHES_VERSION:
        return True
    return any(entry.version_of(f"{name}.idx") != kind.version for name, kind in KINDS.items())


def with_dead(segment: Segment, alive: set[str]) -> SegmentEntry:
    """The segment's entry, with all tables dead that are not among these."""
    dead = {number for number, name in enumerate(segment.names) if name not in alive}
    return replace(segment.entry, dead=tuple(sorted(dead | set(segment.entry.dead))))


def stored_tables(segment: Segment, entry: SegmentEntry) -> Iterator[StoredTable]:
    """The living tables, as the build task takes them."""
    dead = set(entry.dead)
    share = live_weight(entry) // max(1, entry.tables - len(dead))
    for number, name in enumerate(segment.names):
        if number not in dead:
            yield StoredTable(name, share, entry.id, number)


def find_stored(segments: Iterable[Segment], name: str) -> tuple[StoredTable, SegmentEntry] | None:
    """A living table by its name, and the entry of its segment."""
    for segment in segments:
        number = bisect_left(segment.names, name)
        if number < len(segment.names) and segment.names[number] == name and number not in segment.entry.dead:
            rows, all_rows = int(segment.catalog["table.rows"][number]), max(1, segment.entry.rows)
            weight = live_weight(segment.entry) * rows // all_rows
            return StoredTable(name, weight, segment.entry.id, number), segment.entry
    return None


def live_weight(entry: SegmentEntry) -> int:
    """About how many bytes the living tables take."""
    size = sum(entry.files[name].bytes for name in ("values.idx", "rows.idx", "catalog.idx"))
    return size * (entry.tables - len(entry.dead)) // max(1, entry.tables)


def totals(segments: list[SegmentEntry], lake: str) -> dict[str, int]:
    """Tables, columns and rows that live."""
    counted = {"tables": 0, "columns": 0, "rows": 0}
    for entry in segments:
        for name in counted:
            counted[name] += getattr(entry, name)
        if entry.dead:
            segment = Segment(entry.folder(lake), entry)
            counted["tables"] -= len(entry.dead)
            counted["columns"] -= sum(len(segment.columns_of(number)) for number in entry.dead)
            counted["rows"] -= int(segment.catalog["table.rows"][list(entry.dead)].sum())
    return counted
