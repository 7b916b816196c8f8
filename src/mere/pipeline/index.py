"""From raw files to a new snapshot: scan, read, merge, train, build, commit.

The driver sees file names, sizes and entries, never a cell.  Nothing before the commit is visible to readers;
whatever a run leaves behind when it dies is either reused (staged tables with a receipt) or collected (segments
that no snapshot names).
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import xxhash

from mere.errors import Corrupt, LakeError, NotALake, UsageError
from mere.indexes import KINDS
from mere.pipeline import compaction, packing, reading, registry, tasks
from mere.pipeline.engine import Engine, Spark
from mere.pipeline.progress import Progress, Silent, Stages
from mere.pipeline.report import Report
from mere.pipeline.scan import Changes, RawFile, all_files_of, compare, scan
from mere.pipeline.settings import Settings
from mere.pipeline.staging import Outcomes, Staging
from mere.segments import Snapshot
from mere.segments.snapshot import OpenSnapshot, collect_garbage, commit, kept_numbers, read_snapshot, writer
from mere.store import container, files

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

Start = Callable[[], Engine]  # gives the engine, started when first asked for

_TRAINING_TABLES = 256
_TRAINING_BYTES = 64 << 20


def index(
    sources: Iterable[str | os.PathLike[str]],
    lake: str | os.PathLike[str],
    *,
    spark: SparkSession | SparkContext | None = None,
    master: str | None = None,
    engine: Engine | None = None,
    settings: Settings | None = None,
    forget: Iterable[str | os.PathLike[str]] = (),
    rebuild: bool = False,
    compact: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Bring a lake up to date with its sources, those it knows and those given; make it if there is none."""
    lake = os.path.abspath(os.fspath(lake))
    given = [os.path.abspath(os.fspath(source)) for source in sources]
    forgotten = {os.path.abspath(os.fspath(source)) for source in forget}
    _check_sources(given)
    if dry_run:
        return _Run(lake, given, forgotten, settings, rebuild, compact, progress or Silent()).preview()
    if not kept_numbers(lake):  # fail before a folder is made
        _check_fresh(lake, given)
    with writer(lake):
        run = _Run(lake, given, forgotten, settings, rebuild, compact, progress or Silent())
        return run.execute(engine, spark, master)


def _check_sources(given: list[str]) -> None:
    for source in given:
        if not os.path.exists(source):
            raise UsageError(f"source '{source}' does not exist", "check the path")


def _check_fresh(lake: str, given: list[str]) -> None:
    if not given:
        raise NotALake(f"no lake at '{lake}', and no source to make one from", "name a folder of tables")
    if os.path.isdir(lake) and set(os.listdir(lake)) - _ROOMS:
        raise UsageError(f"'{lake}' exists and is not a lake", "choose an empty or new folder with --lake")
    if os.path.exists(lake) and not os.path.isdir(lake):
        raise UsageError(f"'{lake}' is a file", "choose a folder with --lake")


_ROOMS = {"segments", "files", "trained", "staging", "snapshots", "writer.lock"}


class _Run:
    """One index run: what is known, what is found, what is to be done."""

    def __init__(
        self,
        lake: str,
        given: list[str],
        forgotten: set[str],
        settings: Settings | None,
        rebuild: bool,
        compact: bool,
        progress: Progress,
    ) -> None:
        self.lake, self.compact = lake, compact
        self.started = time.perf_counter()
        self.stages = Stages(progress)
        self.notes: list[str] = []
        self.opened = self._open(rebuild)
        self.old = self.opened.snapshot if self.opened else _newest_readable(lake)
        stored = Settings.from_dict(self.old.settings) if self.old.settings else Settings()
        self.settings = settings or stored
        reshaped = self.old.number > 0 and self.settings.shaping() != stored.shaping()
        if reshaped:
            self.notes.append("settings changed: everything is read again")
        self.sources = self._sources(given, forgotten)
        self.records = registry.read_records(lake, self.old) if not (rebuild or reshaped) else []
        self.trained: dict[str, Any] = {} if rebuild or reshaped else dict(self.old.trained)
        self.replaces_all = rebuild or reshaped

    def _open(self, rebuild: bool) -> OpenSnapshot | None:
        """The current snapshot; a damaged one is an error, unless it is about to be replaced."""
        if not kept_numbers(self.lake):
            return None
        try:
            return OpenSnapshot(self.lake)
        except Corrupt as error:
            if not rebuild:
                raise
            self.notes.append(f"replaced a damaged snapshot: {error.message}")
            return None

    def _sources(self, given: list[str], forgotten: set[str]) -> list[str]:
        unknown = forgotten - set(self.old.sources)
        if unknown:
            known = ", ".join(self.old.sources) or "none"
            raise UsageError(f"source '{min(unknown)}' is not in the lake", f"known sources: {known}")
        kept: list[str] = []
        for source in sorted({*self.old.sources, *given} - forgotten):  # an outer folder comes before what is in it
            outer = next((other for other in kept if source.startswith(f"{other.rstrip('/')}/")), None)
            if outer is None:
                kept.append(source)
            else:
                self.notes.append(f"source '{source}' lies inside '{outer}' and is read with it")
        return kept

    def _scan(self) -> tuple[Changes, int]:
        present = [source for source in self.sources if os.path.exists(source)]
        for source in sorted(set(self.sources) - set(present)):
            if self.replaces_all:
                raise LakeError(f"source '{source}' is gone and cannot be read again", "restore it, or '--forget' it")
            self.notes.append(f"source '{source}' is gone: its tables are kept as they are; drop them with --forget")
        self.stages.begin("scan")
        gone = set(self.sources) - set(present)
        found = scan(present, self.lake, all_files_of(r for r in self.records if r["source"] in gone))
        forgotten = {record["source"] for record in self.records} - set(self.sources)
        changes = compare(found.files, self.records, set(present) | forgotten)
        return changes, found.hidden

    def preview(self) -> Report:
        changes, hidden = self._scan()
        report = self._report(self.old, changes, changes.unchanged, hidden)
        report.dry_run = True
        return report

    def execute(self, engine: Engine | None, spark: SparkSession | SparkContext | None, master: str | None) -> Report:
        changes, hidden = self._scan()
        stale = any(map(compaction.lacks_a_kind, self.old.segments)) or self.settings.to_dict() != self.old.settings
        if self.opened and not (changes or stale or self.compact or self.replaces_all):
            self._tidy()
            return self._report(self.old, changes, self.records, hidden)
        files.make_folder(os.path.join(self.lake, "staging"))
        with ExitStack() as stack:
            start = cache(lambda: engine or self._start_spark(stack, spark, master))
            outcomes, staged = self._stage(start, changes.to_read)
            broken = {path: why for outcome in outcomes.values() for path, why in outcome["broken"].items()}
            fresh = [_record(file, outcomes.get(file.key), broken.get(file.full, "")) for file in changes.to_read]
            records = changes.unchanged + fresh
            segments = self._build(start, staged, records)
        new = self._commit(segments, records)
        return self._report(new, changes, records, hidden)

    def _start_spark(self, stack: ExitStack, spark: SparkSession | SparkContext | None, master: str | None) -> Engine:
        """Only when there is work for it: to forget a file takes none."""
        from mere.pipeline.session import context

        self.stages.begin("start Spark")
        running, own = stack.enter_context(context(master, spark))
        return Spark(running, own)

    def _stage(self, start: Start, found: list[RawFile]) -> tuple[Outcomes, list[dict[str, Any]]]:
        data = [file for file in found if file.may_hold_tables]
        return Staging(self.lake, self.settings, start(), self.stages).run(data) if data else ({}, [])

    @property
    def _staging(self) -> str:
        return os.path.join(self.lake, "staging")

    # build

    def _build(self, start: Start, staged: list[dict[str, Any]], records: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """New segments for new tables; old ones with fresh dead masks, or rewritten if that is due."""
        alive = {name for record in records for name in record["tables"]} - {table["name"] for table in staged}
        old = {} if self.replaces_all or not self.opened else {s.entry["id"]: s for s in self.opened.segments}
        kept = [compaction.with_dead(segment, alive) for segment in old.values()]
        kept = [entry for entry in kept if len(entry["dead"]) < entry["tables"]]
        moving = {e["id"]: e for e in compaction.to_rewrite(kept, self.settings, bool(staged), self.compact)}
        tables = staged + [table for id in moving for table in compaction.stored_tables(old[id], moving[id])]
        self._train(tables, moving)
        groups = packing.into_segments(tables, self.settings.segment_bytes)
        payloads = [self._build_payload(group, moving) for group in groups]
        staying = [entry for entry in kept if entry["id"] not in moving]
        return sorted(staying + self._run_builds(start, payloads), key=lambda entry: entry["first"])

    def _run_builds(self, start: Start, payloads: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if not payloads:
            return []
        files.make_folder(os.path.join(self.lake, "segments"))
        engine, weight = start(), sum(payload["weight"] for payload in payloads)
        self.stages.begin("build", sum(len(payload["tables"]) for payload in payloads), weight)
        return [result["entry"] for result in engine.run("build", payloads, self.stages.advance)]

    def _build_payload(self, tables: list[dict[str, Any]], moving: dict[str, Any]) -> dict[str, Any]:
        segments = {table["segment"]: moving[table["segment"]] for table in tables if "segment" in table}
        weight = sum(table["weight"] for table in tables)
        return {
            "lake": self.lake, "settings": self.settings.to_dict(), "tables": tables, "segments": segments,
            "trained": self.trained, "weight": weight,
        }  # fmt: skip

    def _train(self, tables: list[dict[str, Any]], segments: dict[str, Any]) -> None:
        """Let each kind that has not learnt yet learn from a sample that depends on names alone."""
        self.stages.begin("train")
        fresh = [kind for name, kind in KINDS.items() if self.trained.get(name, {}).get("version") != kind.version]
        if not fresh or not tables:
            return
        sample: list[dict[str, Any]] = []
        size = 0
        for table in sorted(tables, key=lambda table: xxhash.xxh3_64_intdigest(table["name"].encode())):
            if len(sample) < _TRAINING_TABLES and size + table["weight"] <= _TRAINING_BYTES:
                sample.append(table)
                size += table["weight"]
        loaded = tasks.load_tables(self.lake, sample, segments)
        for kind in fresh:
            arrays = kind.train(loaded, self.settings.to_dict())
            self.trained[kind.name] = self._write_trained(kind.name, kind.version, arrays)

    def _write_trained(self, name: str, version: int, arrays: Any) -> dict[str, Any]:
        if not arrays:
            return {"version": version}
        folder = os.path.join(self.lake, "trained")
        files.make_folder(folder)
        path = f"trained/{uuid.uuid4().hex}-{name}.idx"
        entry = container.write(os.path.join(self.lake, path), f"trained-{name}", version, arrays)
        files.sync_folder(folder)
        return {"file": path, **entry}

    # commit

    def _commit(self, segments: list[dict[str, Any]], records: list[dict[str, Any]]) -> Snapshot:
        self.stages.begin("commit")
        totals = compaction.totals(segments, self.lake)
        totals["bytes"] = sum(record["size"] for record in records if record["tables"])
        new = replace(
            self.old, segments=segments, sources=self.sources, settings=self.settings.to_dict(),
            trained=self.trained, files=registry.write_records(self.lake, records), totals=totals,
        )  # fmt: skip
        new = commit(self.lake, new)
        self._tidy()
        return new

    def _tidy(self) -> None:
        """Clear away what is staged or unnamed; after a run that died, the next one does it."""
        if self.opened:
            self.opened.close()
        reading.clear(self._staging)
        self.notes += collect_garbage(self.lake, self.settings.keep_snapshots, drop_damaged=self.replaces_all)

    def _report(self, snapshot: Snapshot, changes: Changes, records: list[dict[str, Any]], hidden: int) -> Report:
        return Report(
            snapshot.number, snapshot.totals, len(changes.added), len(changes.changed), len(changes.removed),
            len(changes.unchanged), sum(record["metadata"] for record in records), hidden,
            registry.quarantine(records), self.notes, time.perf_counter() - self.started, self.stages.seconds(),
        )  # fmt: skip


def _newest_readable(lake: str) -> Snapshot:
    """What a lake whose current snapshot is damaged was about: its sources and settings, not its segments."""
    for number in reversed(kept_numbers(lake)):
        with suppress(Corrupt):
            known = read_snapshot(lake, number)
            return Snapshot(number=number, sources=known.sources, settings=known.settings)
    return Snapshot()


def _record(file: RawFile, outcome: dict[str, Any] | None, broken: str) -> dict[str, Any]:
    outcome = outcome or {}
    reason = file.refused or outcome.get("reason", "") or broken
    tables, describes = [table["name"] for table in outcome.get("tables", [])], outcome.get("describes", {})
    metadata = not file.refused and not tables and (file.is_sidecar or bool(describes))
    return {
        "source": file.source, "path": file.path, "size": file.size, "modified": file.modified,
        "stamp": file.stamp, "refused": file.refused, "metadata": metadata, "tables": tables,
        "reason": reason, "kept": outcome.get("kept", "nothing") if reason else "",
        "again": outcome.get("again", False), **({"describes": describes} if describes else {}),
    }  # fmt: skip
