"""From raw files to a new snapshot: scan, read, merge, train, build, commit.

The driver sees file names, sizes and entries, never a cell.  Nothing before the commit is visible to readers;
whatever a run leaves behind when it dies is either reused (staged tables with a receipt) or collected (segments
that no snapshot names).
"""

from __future__ import annotations

import os
import time
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import xxhash

from mere.errors import Corrupt, LakeError, NotALake, UsageError
from mere.indexes import KINDS
from mere.pipeline import compaction, packing, reading, registry, tasks
from mere.pipeline.engine import Engine, Spark
from mere.pipeline.progress import Progress, Silent
from mere.pipeline.report import Report
from mere.pipeline.scan import Changes, RawFile, all_files_of, compare, scan
from mere.pipeline.settings import Settings
from mere.readers import ChunkScan, plan_spans
from mere.segments import Snapshot
from mere.segments.snapshot import OpenSnapshot, collect_garbage, commit, kept_numbers, read_snapshot, writer
from mere.store import container, files

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

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
        self.lake, self.progress, self.compact = lake, progress, compact
        self.started = self._lap = time.perf_counter()
        self.stages: dict[str, float] = {}
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
        self.trained: dict[str, Any] = {} if rebuild else dict(self.old.trained)
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
        self.progress.stage("scan", 0, 0)
        gone = set(self.sources) - set(present)
        found = scan(present, self.lake, all_files_of(r for r in self.records if r["source"] in gone))
        forgotten = {record["source"] for record in self.records} - set(self.sources)
        changes = compare(found.files, self.records, set(present) | forgotten)
        self._finish_stage("scan")
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
            engine = engine or self._start_spark(stack, spark, master)
            outcomes, staged = self._read(engine, changes.to_read)
            staged = self._merge(engine, staged)
            broken = {path: why for outcome in outcomes.values() for path, why in outcome["broken"].items()}
            fresh = [_record(file, outcomes.get(file.key), broken.get(file.full, "")) for file in changes.to_read]
            records = changes.unchanged + fresh
            segments = self._build(engine, staged, records)
        new = self._commit(segments, records)
        return self._report(new, changes, records, hidden)

    def _start_spark(self, stack: ExitStack, spark: SparkSession | SparkContext | None, master: str | None) -> Engine:
        from mere.pipeline.session import context

        self.progress.stage("start Spark", 0, 0)
        running, own = stack.enter_context(context(master, spark))
        engine = Spark(running, own)
        self._finish_stage("start Spark")
        return engine

    # read

    def _read(self, engine: Engine, found: list[RawFile]) -> tuple[dict[tuple[str, str], Any], list[dict[str, Any]]]:
        """Stage every file; outcomes by file, and the staged tables."""
        units = [self._unit(file) for file in found if not file.refused and not file.is_sidecar]
        units = list(self._cut_large(engine, units))
        known = reading.receipts(self._staging)
        for unit in units:
            if receipt := known.get(reading.unit_key(unit, self.settings)):
                unit["receipt"] = receipt
        bins = packing.balanced(units, lambda unit: unit["weight"], engine.cores)
        payloads = [
            self._payload(units=group, weight=sum(unit["weight"] for unit in group), staging=self._staging)
            for group in bins
        ]
        self.progress.stage("read", len(units), sum(unit["weight"] for unit in units))
        results = engine.run("read", payloads, self.progress.advance)
        spans = defaultdict(list)
        for outcome in (outcome for result in results for outcome in result["outcomes"]):
            spans[outcome["source"], outcome["path"]].append(outcome)
        outcomes = {
            key: reduce(_join_spans, sorted(found, key=lambda outcome: outcome["offset"]))
            for key, found in sorted(spans.items())
        }
        self._finish_stage("read")
        return outcomes, [table for outcome in outcomes.values() for table in outcome["tables"]]

    @property
    def _staging(self) -> str:
        return os.path.join(self.lake, "staging")

    def _payload(self, **content: Any) -> dict[str, Any]:
        return {"lake": self.lake, "settings": self.settings.to_dict(), **content}

    def _unit(self, file: RawFile) -> dict[str, Any]:
        described = [os.path.join(file.source, path) for path in file.sidecars]
        return {
            "source": file.source, "path": file.path, "full": file.full, "name": file.name, "size": file.size,
            "stamp": file.stamp, "sidecars": described, "weight": file.size,
        }  # fmt: skip

    def _cut_large(self, engine: Engine, units: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Cut large plain CSV files into spans; leave everything else whole."""
        chunk = self.settings.split_bytes
        large = [unit for unit in units if unit["size"] > 2 * chunk]
        yield from (unit for unit in units if unit["size"] <= 2 * chunk)
        if not large:
            return
        self.progress.stage("look at large files", len(large), 0)
        sniffed = engine.run("sniff", [self._payload(full=unit["full"]) for unit in large])
        asked = [
            {"full": unit["full"], "offset": offset, "length": chunk, "dialect": seen["dialect"], "of": number}
            for number, (unit, seen) in enumerate(zip(large, sniffed, strict=True)) if seen
            for offset in range(0, unit["size"], chunk)
        ]  # fmt: skip
        scans = defaultdict(list)
        for question, answer in zip(asked, engine.run("quotes", asked), strict=True):
            scans[question["of"]].append(ChunkScan(**answer))
        for number, unit in enumerate(large):
            spans = plan_spans(scans[number], unit["size"], chunk) if number in scans else None
            yield from [
                {**unit, **sniffed[number], "span": span.__dict__, "weight": span.length} for span in spans or []
            ]
            if not spans:
                yield unit
        self._finish_stage("look at large files")

    # merge

    def _merge(self, engine: Engine, staged: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Unite the tables that were staged in parts, a few columns a task."""
        cut = [table for table in staged if table["parts"]]
        payloads, owners = [], []
        for table in cut:
            width = max(table["columns"], 1)
            step = max(1, (width * packing.LARGEST_MERGE) // max(table["weight"], 1))
            for start in range(0, width, step):
                columns = [start, min(start + step, width)]
                payloads.append(
                    self._payload(
                        parts=table["parts"], facts=table["facts"], columns=columns, staging=self._staging,
                        weight=table["weight"] * (columns[1] - start) // width,
                    )
                )  # fmt: skip
                owners.append(table)
        if payloads:
            self.progress.stage("merge", len(payloads), sum(payload["weight"] for payload in payloads))
            for table in cut:
                table["weight"] = 0
            for table, result in zip(owners, engine.run("merge", payloads, self.progress.advance), strict=True):
                table["pieces"].append(result["piece"])
                table["weight"] += result["weight"]
            self._finish_stage("merge")
        return staged

    # build

    def _build(
        self, engine: Engine, staged: list[dict[str, Any]], records: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
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
        files.make_folder(os.path.join(self.lake, "segments"))
        self.progress.stage("build", len(tables), sum(payload["weight"] for payload in payloads))
        built = [result["entry"] for result in engine.run("build", payloads, self.progress.advance)]
        self._finish_stage("build")
        staying = [entry for entry in kept if entry["id"] not in moving]
        return sorted(staying + built, key=lambda entry: entry["first"])

    def _build_payload(self, tables: list[dict[str, Any]], moving: dict[str, Any]) -> dict[str, Any]:
        segments = {table["segment"]: moving[table["segment"]] for table in tables if "segment" in table}
        weight = sum(table["weight"] for table in tables)
        return self._payload(tables=tables, segments=segments, trained=self.trained, weight=weight)

    def _train(self, tables: list[dict[str, Any]], segments: dict[str, Any]) -> None:
        """Let each kind that has not learnt yet learn from a sample that depends on names alone."""
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
        self._finish_stage("train")

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
        totals = compaction.totals(segments, self.lake)
        totals["bytes"] = sum(record["size"] for record in records if record["tables"])
        new = replace(
            self.old, segments=segments, sources=self.sources, settings=self.settings.to_dict(),
            trained=self.trained, files=registry.write_records(self.lake, records), totals=totals,
        )  # fmt: skip
        new = commit(self.lake, new)
        self._tidy()
        self._finish_stage("commit")
        return new

    def _tidy(self) -> None:
        """Clear away what is staged or unnamed; after a run that died, the next one does it."""
        if self.opened:
            self.opened.close()
        reading.clear(self._staging)
        self.notes += collect_garbage(self.lake, self.settings.keep_snapshots, drop_damaged=self.replaces_all)

    def _finish_stage(self, name: str) -> None:
        now = time.perf_counter()
        self.stages[name] = self.stages.get(name, 0.0) + now - self._lap
        self._lap = now

    def _report(self, snapshot: Snapshot, changes: Changes, records: list[dict[str, Any]], hidden: int) -> Report:
        return Report(
            snapshot.number, snapshot.totals, len(changes.added), len(changes.changed), len(changes.removed),
            len(changes.unchanged), sum(record["metadata"] for record in records), hidden,
            registry.quarantine(records), self.notes, time.perf_counter() - self.started, self.stages,
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
    return {
        "source": file.source, "path": file.path, "size": file.size, "modified": file.modified,
        "stamp": file.stamp, "refused": file.refused, "metadata": file.is_sidecar and not file.refused,
        "tables": [table["name"] for table in outcome.get("tables", [])],
        "reason": reason, "kept": outcome.get("kept", "nothing") if reason else "",
        "again": outcome.get("again", False),
    }  # fmt: skip


def _join_spans(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """The outcomes of two spans of one file, in their order; a span that failed has no table."""
    reason = "; ".join(reason for reason in (one["reason"], other["reason"]) if reason)
    joined = {**one, "reason": reason, "lost": one["lost"] or other["lost"], "again": one["again"] or other["again"]}
    if not (one["tables"] and other["tables"]):
        return {
            **joined,
            "tables": one["tables"] or other["tables"],
            "kept": one["kept"] if one["tables"] else other["kept"],
        }
    [above], [below] = one["tables"], other["tables"]
    above["parts"] += below["parts"]
    above["weight"] += below["weight"]
    above["columns"] = max(above["columns"], below["columns"])
    above["rows"] = above["facts"]["rows"] = above["rows"] + below["rows"]
    above["facts"]["issues"] += below["facts"]["issues"]
    return {**joined, "tables": [above], "kept": f"{above['rows']:,} rows in 1 table"}
