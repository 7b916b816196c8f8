"""From raw files, frames and Spark tables to a new snapshot: scan, read, merge, train, build, commit.

The driver sees file names, sizes and entries, never a cell.  Nothing before the commit is visible to readers;
whatever a killed run leaves behind is either reused (staged tables with a receipt) or deleted (segments that no
snapshot names).
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

from mere.errors import Corrupt, LakeError, NotALake, UsageError
from mere.pipeline import compaction, file_records, receipts
from mere.pipeline.build_segments import SegmentBuilder
from mere.pipeline.execution import Execution
from mere.pipeline.given import Given, Source, canonical, sort_out
from mere.pipeline.named_sources import NamedSources
from mere.pipeline.read_sources import Outcomes, SourceReader
from mere.pipeline.records import FileRecord, Outcome, StagedTable
from mere.pipeline.report import Report
from mere.pipeline.scan import Changes, RawFile, all_files_of, compare, scan
from mere.pipeline.settings import Settings
from mere.pipeline.spark_reading import SparkReader
from mere.segments import OpenSnapshot, SegmentEntry, Snapshot, TrainedEntry
from mere.segments.commit import collect_garbage, commit, writer
from mere.segments.markers import committed_numbers
from mere.segments.named_sources import is_path
from mere.segments.snapshot import kept_numbers, read_snapshot
from mere.store import files

_FOLDERS = {"segments", "files", "trained", "frames", "staging", "snapshots", "writer.lock"}  # what a lake consists of
_PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class IndexOptions(Execution):
    """What can be asked of an index run, besides where it executes."""

    settings: Settings | None = None  # default: those of the lake
    forget: Iterable[_PathLike] = ()  # sources to drop
    rebuild: bool = False  # read everything again
    compact: bool = False  # rewrite small segments and those with dead tables now
    dry_run: bool = False  # only report what would be done


def index(sources: Source | Iterable[Source], lake: _PathLike, **options: Any) -> Report:
    """Bring a lake up to date with its sources, those it knows and those given; make it if there is none.

    A source is a path, 'spark:TABLE', or a mapping from names to frames.  `options` are the fields of `IndexOptions`.
    """
    chosen = _checked_options(options)
    lake = os.path.abspath(os.fspath(lake))
    given = sort_out(sources)
    if chosen.dry_run:
        return _Run(lake, given, chosen).preview()
    if not committed_numbers(lake):  # fail before a folder is made
        _check_new_lake(lake, given.sources)
        chosen.check_spark()
    with writer(lake):
        return _Run(lake, given, chosen).execute()


def _checked_options(options: dict[str, Any]) -> IndexOptions:
    known = [field.name for field in fields(IndexOptions)]
    if unknown := sorted(set(options) - set(known)):
        raise UsageError(f"'index' has no option '{unknown[0]}'", f"choose from {', '.join(known)}")
    if not isinstance(settings := options.get("settings"), Settings | None):
        raise UsageError(f"expected Settings, got settings={settings!r}", "give mere.Settings(keep_snapshots=2), say")
    return IndexOptions(**options)


def _check_new_lake(lake: str, given: list[str]) -> None:
    if not given:
        raise NotALake(f"no lake at '{lake}', and no source to make one from", "name a folder of tables")
    if os.path.isdir(lake) and set(os.listdir(lake)) - _FOLDERS:
        raise UsageError(f"'{lake}' exists and is not a lake", "choose an empty or new folder with lake=")
    if os.path.exists(lake) and not os.path.isdir(lake):
        raise UsageError(f"'{lake}' is a file", "choose a folder with lake=")


class _Run:
    """One index run: what the lake holds, what the sources hold, what is to be done."""

    def __init__(self, lake: str, given: Given, options: IndexOptions) -> None:
        self.lake, self.given, self.options = lake, given, options
        self.started = time.perf_counter()
        self.stages = options.stages()
        self.notes: list[str] = []
        self.opened = self._open()
        self.old = self.opened.snapshot if self.opened else _newest_readable(lake)
        stored = Settings.from_dict(self.old.settings) if self.old.settings else Settings()
        self.settings = options.settings or stored
        reshaped = self.old.number > 0 and self.settings.shaping() != stored.shaping()
        if reshaped:
            self.notes.append("settings changed: everything is read again")
        self.sources = self._sources(given.sources)
        if not self.opened and not self.sources:
            raise LakeError(
                f"no readable snapshot of '{lake}' names its sources", "name them: 'mere index SOURCE --rebuild'"
            )
        self.replaces_all = options.rebuild or reshaped
        self.records = [] if self.replaces_all else file_records.read_records(lake, self.old)
        self.trained: dict[str, TrainedEntry] = {} if self.replaces_all else dict(self.old.trained)
        self.stack = ExitStack()
        self.start = cache(lambda: options.start(self.stack, self.stages))  # to forget a file takes no Spark
        session = cache(lambda: options.session(self.stack, self.start))
        self.named = NamedSources(lake, given.frames, dict(self.old.frames), session, notes=self.notes)

    def _open(self) -> OpenSnapshot | None:
        """The current snapshot; a damaged one is an error, unless it is about to be replaced."""
        if not committed_numbers(self.lake):
            return None
        try:
            return OpenSnapshot(self.lake)
        except Corrupt as error:
            if not self.options.rebuild:
                raise
            self.notes.append(f"replaced a damaged snapshot: {error.message}")
            return None

    def _sources(self, given: list[str]) -> list[str]:
        forgotten = set(map(canonical, self.options.forget))
        unknown = forgotten - set(self.old.sources)
        if unknown:
            known = ", ".join(self.old.sources) or "none"
            raise UsageError(f"source '{min(unknown)}' is not in the lake", f"known sources: {known}")
        kept: list[str] = []
        for source in sorted({*self.old.sources, *given} - forgotten):  # an outer folder comes before what is in it
            outer = next((other for other in kept if _lies_in(source, other)), None)
            if outer is None:
                kept.append(source)
            else:
                self.notes.append(f"source '{source}' lies inside '{outer}' and is read with it")
        return kept

    def _scan(self) -> tuple[Changes, int]:
        """What changed since the last run, and how many files are hidden."""
        paths = list(filter(is_path, self.sources))
        present = [source for source in paths if os.path.exists(source)]
        gone = set(paths) - set(present)
        for source in sorted(gone):
            if self.replaces_all:
                raise LakeError(
                    f"source '{source}' is gone and cannot be read again",
                    f"restore it, or drop it with forget=['{source}']",
                )
            self.notes.append(f"source '{source}' is gone: its tables are kept; forget=['{source}'] drops them")
        self.stages.begin("scan")
        named = self.named.look(
            (source for source in self.sources if not is_path(source)), set(self.given.sources), self.replaces_all
        )
        scanned_sources = {*present, *(file.source for file in named)}
        others = [record for record in self.records if record.source in set(self.sources) - scanned_sources]
        scanned = scan(present, self.lake, [*named, *all_files_of(others)])
        self.named.stamp(named)
        for source in present:
            if not any(file.source == source for file in scanned.files):
                self.notes.append(f"source '{source}' has no files")
        forgotten = {record.source for record in self.records} - set(self.sources)
        return compare([*scanned.files, *named], self.records, scanned_sources | forgotten), scanned.hidden

    def preview(self) -> Report:
        with self.stack:
            changes, hidden = self._scan()
        report = self._report(self.old, changes, changes.unchanged, hidden)
        report.dry_run = True
        return report

    def execute(self) -> Report:
        with self.stack:
            changes, hidden = self._scan()
            if not (changes or self._is_due()):
                self._tidy()
                return self._report(self.old, changes, self.records, hidden)
            files.make_folder(self._staging)
            self.named.keep_copies(changes.to_read, self.sources)
            outcomes, staged = self._read(changes.to_read)
            records = changes.unchanged + _new_records(changes.to_read, outcomes)
            segments = self._build(staged, records)
        return self._report(self._commit(segments, records), changes, records, hidden)

    def _is_due(self) -> bool:
        """Whether there is something to do even if no file changed."""
        stale = any(map(compaction.lacks_a_kind, self.old.segments)) or self.settings.to_dict() != self.old.settings
        return not self.opened or stale or self.options.compact or self.replaces_all

    def _read(self, changed: list[RawFile]) -> tuple[Outcomes, list[StagedTable]]:
        data = [file for file in changed if file.may_hold_tables]
        if not data:
            return {}, []
        reader = SourceReader(self.lake, self.settings, self.start(), self.stages)
        spark_reader = SparkReader(self._staging, self.settings, self.stages)
        on_spark = spark_reader.read([file for file in data if file.source in self.named.spark], self.named.spark)
        outcomes, staged = reader.read([file for file in data if file.key not in on_spark])
        merged = reader.merge([table for outcome in on_spark.values() for table in outcome.tables])
        return outcomes | on_spark, staged + merged

    def _build(self, staged: list[StagedTable], records: list[FileRecord]) -> list[SegmentEntry]:
        alive = {name for record in records for name in record.tables} - {table.name for table in staged}
        old = [] if self.replaces_all or not self.opened else self.opened.segments
        builder = SegmentBuilder(self.lake, self.settings, self.start, self.stages, self.trained)
        return builder.build(staged, old, alive, self.options.compact)

    @property
    def _staging(self) -> str:
        return os.path.join(self.lake, "staging")

    def _commit(self, segments: list[SegmentEntry], records: list[FileRecord]) -> Snapshot:
        self.stages.begin("commit")
        totals = compaction.totals(segments, self.lake)
        totals["bytes"] = sum(record.size for record in records if record.tables)
        new = replace(
            self.old, segments=segments, sources=self.sources, settings=self.settings.to_dict(),
            trained=self.trained, files=file_records.write_records(self.lake, records), frames=self.named.copies,
            totals=totals,
        )  # fmt: skip
        new = commit(self.lake, new)
        self._tidy()
        return new

    def _tidy(self) -> None:
        """Delete what is staged or unnamed; after a run that was killed, the next one does it."""
        if self.opened:
            self.opened.close()
        receipts.clear(self._staging)
        self.notes += collect_garbage(self.lake, self.settings.keep_snapshots, drop_damaged=self.replaces_all)

    def _report(self, snapshot: Snapshot, changes: Changes, records: list[FileRecord], hidden: int) -> Report:
        return Report(
            snapshot.number, snapshot.totals, len(changes.added), len(changes.changed), len(changes.removed),
            len(changes.unchanged), sum(record.metadata for record in records), hidden,
            file_records.quarantine(records), self.notes, time.perf_counter() - self.started, self.stages.seconds(),
        )  # fmt: skip


def _lies_in(source: str, outer: str) -> bool:
    return is_path(source) and is_path(outer) and source.startswith(f"{outer.rstrip('/')}/")


def _newest_readable(lake: str) -> Snapshot:
    """The sources and settings, without the segments, of a lake whose current snapshot is damaged."""
    for number in reversed(kept_numbers(lake)):
        with suppress(Corrupt):
            known = read_snapshot(lake, number)
            return Snapshot(number=number, sources=known.sources, settings=known.settings, frames=known.frames)
    return Snapshot()


def _new_records(changed: list[RawFile], outcomes: Outcomes) -> list[FileRecord]:
    """The records of the files of this run; a sidecar that could not be read is reported by what it describes."""
    broken = {path: why for outcome in outcomes.values() for path, why in outcome.broken.items()}
    return [_record(file, outcomes.get(file.key), broken.get(file.full, "")) for file in changed]


def _record(file: RawFile, outcome: Outcome | None, broken: str) -> FileRecord:
    outcome = outcome or Outcome(file.source, file.path)
    reason = file.refused or outcome.reason or broken
    tables = tuple(table.name for table in outcome.tables)
    return FileRecord(
        file.source, file.path, file.size, file.modified, file.stamp, file.refused,
        metadata=not file.refused and not tables and (file.is_sidecar or bool(outcome.describes)),
        tables=tables, reason=reason, kept=outcome.kept if reason else "", again=outcome.again,
        describes=outcome.describes,
    )  # fmt: skip
