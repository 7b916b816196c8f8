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

from mere.errors import CannotWrite, Corrupt, LakeError, NotALake, UsageError
from mere.pipeline import compaction, file_records, receipts
from mere.pipeline.build_segments import SegmentBuilder
from mere.pipeline.execution import Execution
from mere.pipeline.given import Given, Source, canonical, sort_out
from mere.pipeline.named_sources import NamedSources
from mere.pipeline.read_sources import SourceReader
from mere.pipeline.records import FileRecord, Outcome, StagedTable, StoredTable
from mere.pipeline.report import Report
from mere.pipeline.scan import Changes, RawFile
from mere.pipeline.settings import Settings
from mere.pipeline.spark_reading import SparkReader
from mere.pipeline.survey import Known, OptionChanges, Survey, choose_options, choose_sources, survey
from mere.pipeline.unite_tables import DatasetReader, ReadAll
from mere.pipeline.workplace import remove_abandoned
from mere.search.rules import counted, rules_now, stale_tables
from mere.segments import OpenSnapshot, SegmentEntry, Snapshot
from mere.segments.commit import collect_garbage, commit, writer
from mere.segments.datasets import Dataset, read_datasets
from mere.segments.markers import committed_numbers
from mere.segments.named_sources import is_path
from mere.segments.snapshot import kept_numbers, read_snapshot
from mere.segments.sources import stored_source
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
    include: Iterable[str] | str | None = None  # patterns of files to read; kept for the source
    exclude: Iterable[str] | str | None = None  # patterns of files to leave out; kept for the source
    decimal: str | None = None  # 'point', 'comma' or 'infer': how the source writes decimal numbers; kept, too

    def source_changes(self) -> OptionChanges:
        return OptionChanges.checked(self.include, self.exclude, self.decimal)


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
    with suppress(OSError):  # also in a run that starts no Spark
        remove_abandoned()
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
        self.sources = choose_sources(self.old.sources, given.sources, set(map(canonical, options.forget)), self.notes)
        self.source_options = choose_options(
            self.old.options, options.source_changes(), list(filter(is_path, self.sources)), given.paths
        )
        if not self.opened and not self.sources:
            raise LakeError(
                f"no readable snapshot of '{lake}' names its sources", "name them: 'mere index SOURCE --rebuild'"
            )
        self.replaces_all = options.rebuild or reshaped
        self.known = self._known()
        self.trained = dict(self.old.trained)
        self.stack = ExitStack()
        self.start = cache(lambda: options.start(self.stack, self.stages))  # to forget a file takes no Spark
        session = cache(lambda: options.session(self.stack, self.start))
        self.named = NamedSources(lake, given, dict(self.old.frames), session, notes=self.notes)

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

    def _known(self) -> Known:
        """What the last snapshot says of the raw files; of a damaged one nothing."""
        if not self.opened:
            return Known(read_all=self.replaces_all)
        try:
            known = Known.of(file_records.read_records(self.lake, self.old), read_datasets(self.lake, self.old))
        except Corrupt as error:
            if not self.options.rebuild:
                raise
            self.notes.append(f"replaced damaged records of files: {error.message}")
            known = Known()
        return known.only_names() if self.replaces_all else known

    def _survey(self) -> Survey:
        self.stages.begin("scan")
        unite = self.settings.unite_parts
        return survey(self.sources, self.source_options, self.named, self.known, unite, self.notes)

    def preview(self) -> Report:
        with self.stack:
            found = self._survey()
        self.notes += stale_tables(self.old)
        report = self._report(self.old, found, found.changes.unchanged)
        report.dry_run = True
        return report

    def execute(self) -> Report:
        with self.stack:
            found = self._survey()
            if not (found.changes or self._is_due()):
                self._tidy()
                self._note_stale(self.old)
                return self._report(self.old, found, self.known.records)
            if found.changes.stale:
                self.notes += [f"{stale}; read again" for stale in stale_tables(self.old)]
            files.make_folder(self._staging)
            try:
                self.named.keep_copies(found.changes.to_read, self.sources)
                read = self._read(found)
                records = _records(found.changes, read)
                segments = self._build(read.tables, records)
                committed = self._commit(segments, records, found.untouched + read.datasets)
            except CannotWrite:
                self._free_space()
                raise
        self._note_stale(committed)
        return self._report(committed, found, records)

    def _note_stale(self, snapshot: Snapshot) -> None:
        """Say what is stale after the run."""
        self.notes += [f"{stale}; what they were read from cannot be read again" for stale in stale_tables(snapshot)]

    def _free_space(self) -> None:
        """Delete what the next run cannot use."""
        with suppress(CannotWrite):
            receipts.drop_unreceipted(self._staging)
            collect_garbage(self.lake, self.settings.keep_snapshots)

    def _is_due(self) -> bool:
        """Whether there is something to do even if no file changed."""
        stale = any(map(compaction.lacks_a_kind, self.old.segments)) or self.settings.to_dict() != self.old.settings
        stale = stale or self.source_options != self.old.options
        return not self.opened or stale or self.options.compact or self.replaces_all

    def _read(self, found: Survey) -> ReadAll:
        data = [file for file in found.changes.to_read if file.may_hold_tables]
        reader = SourceReader(self.lake, self.settings, self.start, self.stages)
        spark_reader = SparkReader(self._staging, self.settings, self.stages)
        on_spark = spark_reader.read([file for file in data if file.source in self.named.spark], self.named.spark)
        datasets = DatasetReader(reader, self.lake, self.known.datasets, self._stored)
        read = datasets.read([file for file in data if file.key not in on_spark], found.groups)
        read.tables += reader.merge([table for outcome in on_spark.values() for table in outcome.tables])
        return replace(read, outcomes=read.outcomes | on_spark)

    def _stored(self, name: str) -> tuple[StoredTable, SegmentEntry] | None:
        """A living table of the last snapshot."""
        return compaction.find_stored(self.opened.segments if self.opened else [], name)

    def _build(self, staged: list[StagedTable], records: list[FileRecord]) -> list[SegmentEntry]:
        alive = {name for record in records for name in record.tables} - {table.name for table in staged}
        old = [] if self.replaces_all or not self.opened else self.opened.segments
        builder = SegmentBuilder(self.lake, self.settings, self.start, self.stages, self.trained)
        return builder.build(staged, old, alive, self.options.compact)

    @property
    def _staging(self) -> str:
        return os.path.join(self.lake, "staging")

    def _commit(self, segments: list[SegmentEntry], records: list[FileRecord], datasets: list[Dataset]) -> Snapshot:
        self.stages.begin("commit")
        totals = compaction.totals(segments, self.lake)
        totals["bytes"] = sum(record.size for record in records if record.tables)
        rules = counted((name, record.rules) for record in records for name in record.tables)
        new = replace(
            self.old, rules=rules, segments=self._moved(segments), sources=self.sources, options=self.source_options,
            settings=self.settings.to_dict(), trained=self.trained, totals=totals, frames=self.named.copies,
            files=file_records.write_records(self.lake, records, datasets),
        )  # fmt: skip
        new = commit(self.lake, new)
        self._tidy()
        return new

    def _moved(self, segments: list[SegmentEntry]) -> list[SegmentEntry]:
        """Old segments name sources by absolute paths that are now written relative to the lake: let them say so."""
        stored = {source: stored_source(self.lake, source) for source in self.old.absolute}
        moved = {source: relative for source, relative in stored.items() if relative != source}
        old = {entry.id for entry in self.old.segments} if moved else set()
        return [replace(entry, moved={**moved, **entry.moved}) if entry.id in old else entry for entry in segments]

    def _tidy(self) -> None:
        """Delete what is staged or unnamed; after a run that was killed, the next one does it."""
        if self.opened:
            self.opened.close()
        receipts.clear(self._staging)
        self.notes += collect_garbage(self.lake, self.settings.keep_snapshots, drop_damaged=self.replaces_all)

    def _report(self, snapshot: Snapshot, found: Survey, records: list[FileRecord]) -> Report:
        changes, unread = found.changes, {record.key for record in records if record.is_unread}
        added = sum(file.key not in unread for file in changes.added)
        return Report(
            snapshot.number, snapshot.totals, added, len(changes.changed), len(changes.removed),
            len(changes.unchanged), len(changes.stale), sum(record.metadata for record in records), found.hidden,
            file_records.quarantine(records), self.notes, time.perf_counter() - self.started, self.stages.seconds(),
        )  # fmt: skip


def _newest_readable(lake: str) -> Snapshot:
    """The sources and settings, without the segments, of a lake whose current snapshot is damaged."""
    for number in reversed(kept_numbers(lake)):
        with suppress(Corrupt):
            known = read_snapshot(lake, number)
            return Snapshot(
                number=number, sources=known.sources, options=known.options, settings=known.settings,
                frames=known.frames,
            )  # fmt: skip
    return Snapshot()


def _records(changes: Changes, read: ReadAll) -> list[FileRecord]:
    """The records of all files; a sidecar that could not be read is reported by what it describes."""
    broken = {path: why for outcome in read.outcomes.values() for path, why in outcome.broken.items()} | read.broken
    again = {file.key for file in read.again}
    unchanged = [record for record in changes.unchanged if record.key not in again]
    return unchanged + [_record(file, read, broken.get(file.full, "")) for file in [*changes.to_read, *read.again]]


def _record(file: RawFile, read: ReadAll, broken: str) -> FileRecord:
    outcome = read.outcomes.get(file.key) or Outcome(file.source, file.path)
    reason = file.refused or outcome.reason or broken
    tables = read.tables_of(file)
    return FileRecord(
        file.source, file.path, file.size, file.modified, file.stamp, file.refused,
        metadata=not file.refused and not tables and (file.is_sidecar or bool(outcome.describes)),
        tables=tables, reason=reason, kept=outcome.kept if reason else "", again=outcome.again,
        describes=outcome.describes, name=file.name, dataset=file.dataset, rules=rules_now(),
    )  # fmt: skip
