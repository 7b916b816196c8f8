"""The second half of an index run, on the driver: train what is new, have tasks build segments.

New tables get new segments; old segments stay with fresh dead tables, or their living tables move into new ones.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import xxhash

from mere.indexes import KINDS
from mere.indexes.kind import Arrays, Kind
from mere.pipeline import compaction, packing, tasks
from mere.pipeline.engine import Engine
from mere.pipeline.payloads import BuildTask
from mere.pipeline.progress import Stages
from mere.pipeline.records import StagedTable, TableToBuild
from mere.pipeline.settings import Settings
from mere.segments import NamedFile, Segment, SegmentEntry, TrainedEntry
from mere.store import container, files

_TRAINING_TABLES = 256
_TRAINING_BYTES = 64 << 20


@dataclass
class SegmentBuilder:
    """Builds the segments of one index run; `trained` grows when a kind learns."""

    lake: str
    settings: Settings
    start: Callable[[], Engine]  # gives the engine, started when first needed
    stages: Stages
    trained: dict[str, TrainedEntry]

    def build(
        self, staged: list[StagedTable], old: list[Segment], alive: set[str], compact: bool
    ) -> list[SegmentEntry]:
        """The segments of the new snapshot: `old` ones with only the tables `alive`, and new ones for `staged`."""
        kept = {segment.entry.id: (segment, compaction.with_dead(segment, alive)) for segment in old}
        kept = {id: (segment, entry) for id, (segment, entry) in kept.items() if len(entry.dead) < entry.tables}
        entries = [entry for _, entry in kept.values()]
        if not entries:
            self.trained.clear()  # what was learnt is kept for tables that stay
        moving = {entry.id: entry for entry in compaction.to_rewrite(entries, self.settings, bool(staged), compact)}
        moved = [table for id, entry in moving.items() for table in compaction.stored_tables(kept[id][0], entry)]
        tables: list[TableToBuild] = [*staged, *moved]
        self._train(tables, moving)
        staying = [entry for entry in entries if entry.id not in moving]
        return sorted(staying + self._run_tasks(tables, moving), key=lambda entry: entry.first)

    def _run_tasks(self, tables: list[TableToBuild], moving: Mapping[str, SegmentEntry]) -> list[SegmentEntry]:
        if not tables:
            return []
        files.make_folder(os.path.join(self.lake, "segments"))
        groups = packing.into_segments(tables, self.settings.segment_bytes)
        builds = [self._task(group, moving) for group in groups]
        engine = self.start()
        self.stages.begin("build", len(tables), sum(task.weight for task in builds))
        results = engine.run("build", [task.to_dict() for task in builds], self.stages.advance)
        return [SegmentEntry.from_dict(result["entry"]) for result in results]

    def _task(self, tables: list[TableToBuild], moving: Mapping[str, SegmentEntry]) -> BuildTask:
        stored = [table for table in tables if isinstance(table, tasks.StoredTable)]
        segments = {table.segment: moving[table.segment] for table in stored}
        return BuildTask(self.lake, self.settings.to_dict(), tables, segments, self.trained)

    def _train(self, tables: list[TableToBuild], moving: Mapping[str, SegmentEntry]) -> None:
        """Train each kind that has not learnt yet, on a sample that depends on names alone."""
        self.stages.begin("train")
        untrained = [kind for kind in KINDS.values() if not self._has_learnt(kind)]
        if not untrained or not tables:
            return
        sample = tasks.load_tables(self.lake, _sample(tables), moving)
        for kind in untrained:
            arrays = kind.train(sample, self.settings.to_dict())
            self.trained[kind.name] = self._write_trained(kind.name, kind.version, arrays)

    def _has_learnt(self, kind: Kind) -> bool:
        return kind.name in self.trained and self.trained[kind.name].version == kind.version

    def _write_trained(self, name: str, version: int, arrays: Arrays) -> TrainedEntry:
        if not arrays:
            return TrainedEntry(version)
        folder = os.path.join(self.lake, "trained")
        files.make_folder(folder)
        path = f"trained/{uuid.uuid4().hex}-{name}.idx"
        entry = container.write(os.path.join(self.lake, path), f"trained-{name}", version, arrays)
        files.sync_folder(folder)
        return TrainedEntry(version, NamedFile(path, entry))


def _sample(tables: Iterable[TableToBuild]) -> list[TableToBuild]:
    """Tables to learn from, chosen by the hash of their names until they are many or large."""
    sample: list[TableToBuild] = []
    size = 0
    for table in sorted(tables, key=lambda table: xxhash.xxh3_64_intdigest(table.name.encode())):
        if len(sample) < _TRAINING_TABLES and size + table.weight <= _TRAINING_BYTES:
            sample.append(table)
            size += table.weight
    return sample
