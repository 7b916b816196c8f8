"""How do the parts of datasets become tables, on the driver: where do their rows lie, have tasks unite them.

A table is united a few columns a task, from staged blocks and from the table that the last run stored.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mere import readers
from mere.pipeline import packing
from mere.pipeline.datasets import Group
from mere.pipeline.payloads import MergeTask, UniteTask
from mere.pipeline.read_sources import SourceReader
from mere.pipeline.records import JSON, NUMBERED, Piece, Run, StagedPart, StagedTable, StoredTable
from mere.pipeline.scan import RawFile
from mere.pipeline.stage_parts import joined_runs
from mere.readers.first_rows import DATA
from mere.segments import Facts, SegmentEntry, readings_of
from mere.segments.datasets import Dataset, Part
from mere.segments.united_numbers import KeptEvidence, numbers_hold
from mere.values import Evidence, Readings

FindStored = Callable[[str], tuple[StoredTable, SegmentEntry] | None]
_STORED = ""  # stands for the stored table among the paths of blocks
_MOST_NOTES = 20


@dataclass
class Union:
    """A dataset while its tables are being united."""

    group: Group
    known: Dataset | None
    parts: list[Part]
    staged: dict[str, dict[str, StagedPart]]  # of the parts that were read: by path and member

    def dataset(self) -> Dataset:
        dropped = self.known.dropped if self.known else {}
        return Dataset(*self.group.key, self.group.kind, self.group.name, tuple(self.parts), dropped)

    def files(self, paths: Iterable[str]) -> list[RawFile]:
        chosen = set(paths)
        return [file for file in self.group.files if file.path in chosen]

    def kept(self) -> list[str]:
        """The parts whose rows are to be taken from the stored table."""
        return [part.path for part in self.parts if part.inside and part.path not in self.staged]


@dataclass
class _Table:
    """A table of a dataset while it is being united."""

    key: tuple[str, str]  # of the dataset
    member: str
    tasks: list[UniteTask]  # of a few columns each
    results: list[dict[str, Any]] = field(default_factory=list)  # of the last tasks
    blocks: list[dict[str, Any]] = field(default_factory=list)  # where the columns lie, united
    holds: bool = True  # it is what reading everything again would give
    evidence: KeptEvidence = field(default_factory=KeptEvidence)
    readings: Readings | None = None


class Uniter:
    """Runs the tasks that unite tables."""

    def __init__(self, reader: SourceReader, lake: str, find_stored: FindStored) -> None:
        self.reader, self.lake, self.find_stored = reader, lake, find_stored

    def run(self, unions: list[Union]) -> dict[tuple[str, str], tuple[Dataset, list[StagedTable]]]:
        """The dataset and the tables of each union; without those whose stored rows cannot be used."""
        plans = {union.group.key: self._plan(union) for union in unions}
        tables = [_Table(key, member, tasks) for key, plan in plans.items() for member, tasks in (plan or {}).items()]
        self._run("unite", [(table, task) for table in tables for task in table.tasks])
        known = {union.group.key: union for union in unions}
        for table in tables:
            self._decide(table, known[table.key])
        failed = {key for key, plan in plans.items() if plan is None} | {t.key for t in tables if not t.holds}
        settled = [table for table in tables if table.key not in failed]
        for table in settled:
            table.blocks, table.results = table.results, []
        self._run("settle", [(table, task) for table in settled for task in self._settle_tasks(table)])
        return {
            key: _assembled(union.dataset(), [table for table in settled if table.key == key])
            for key, union in known.items()
            if key not in failed
        }

    def _run(self, name: str, tasks: list[tuple[_Table, UniteTask | MergeTask]]) -> None:
        if tasks:
            self.reader.stages.begin(name, len(tasks), sum(task.weight for _, task in tasks))
            results = self.reader.engine.run(name, [task.to_dict() for _, task in tasks], self.reader.stages.advance)
            for (table, _), result in zip(tasks, results, strict=True):
                table.results.append(result)

    def _decide(self, table: _Table, union: Union) -> None:
        """How the numbers of a table are read, and whether its stored rows can be kept."""
        table.holds = all(result["holds"] for result in table.results)
        if not table.holds:
            return
        facts, names = table.tasks[0].facts, [name for task in table.tasks for name in task.columns]
        fresh, united = (
            Evidence.from_list([row for result in table.results for row in result[part]])
            for part in ("fresh", "united")
        )
        table.evidence = KeptEvidence(dict(zip(names, united.to_list(), strict=True)))
        if union.known and table.tasks[0].stored:
            known = union.known.evidence.get(table.member, KeptEvidence())
            kept = known.added(names, fresh, united, _is_appended(union))
            before = self._before(union.known, facts, names)
            now = self._readings(kept.of(names), facts) if kept else None
            table.holds = now is not None and numbers_hold(before, now, known.of(names))
            table.evidence = kept or table.evidence
        table.readings = self._readings(table.evidence.of(names), facts)

    def _before(self, known: Dataset, facts: Facts, names: Sequence[str]) -> Readings:
        """How the numbers of the stored table were read."""
        evidence = known.evidence.get(facts.member, KeptEvidence()).of(names)
        numbers = known.numbers(facts.numbers.get("given", ""))
        return self._readings(evidence, replace(facts, numbers=numbers))

    def _readings(self, evidence: Evidence, facts: Facts) -> Readings:
        return readings_of(evidence, [len(evidence)], [facts], self.reader.settings.number_share)

    def _settle_tasks(self, table: _Table) -> Iterator[MergeTask]:
        start = 0
        for task, result in zip(table.tasks, table.blocks, strict=True):
            stop = start + len(task.columns)
            assert table.readings
            readings = table.readings.slice(start, stop)
            yield MergeTask(
                (result["block"],), task.facts, 0, stop - start, readings, self.reader.staging, result["weight"]
            )
            start = stop

    def _plan(self, union: Union) -> dict[str, list[UniteTask]] | None:
        """The tasks of each member; None if stored rows are needed and are not there."""
        dataset = union.dataset()
        planned = {}
        for member in dataset.members:
            runs = joined_runs(list(_runs(union, member)))
            stored = self.find_stored(dataset.table_name(member)) if any(run.block == _STORED for run in runs) else None
            if stored is None and any(run.block == _STORED for run in runs):
                return None
            facts = self._facts(union, dataset, member)
            tasks = self._tasks(facts, dataset, runs, stored)
            planned[member] = [self._with_commas(task, union.known) for task in tasks]
        return planned

    def _with_commas(self, task: UniteTask, known: Dataset | None) -> UniteTask:
        """The task, told in which columns of stored rows the comma was the decimal mark."""
        if known is None or task.stored is None:
            return task
        names = known.columns(task.facts.member)
        before = self._before(known, task.facts, names)
        comma = {name for name, is_comma in zip(names, before.comma & before.numbers, strict=True) if is_comma}
        return replace(task, comma=tuple(name for name in task.columns if name in comma))

    def _facts(self, union: Union, dataset: Dataset, member: str) -> Facts:
        inside = [part for part in dataset.inside if part.shape and member in part.shape.columns]
        files = union.files(part.path for part in inside)
        first = files[0]
        about = {k: v for k, v in described(first, self.reader).__dict__.items() if v and k != "broken"}
        keys = list(dict.fromkeys(key for file in files if file.part for key in file.part.values))  # as in the paths
        return Facts(
            dataset.table_name(member), dataset.source, dataset.path, member, format=dataset.format(member),
            bytes=sum(part.size for part in inside), about=about, issues=_notes(dataset, inside, member),
            lost=any(part.lost for part in inside) or bool(_unread(dataset)),
            dialect={"dataset": dataset.kind, "parts": len(inside), **({"keys": keys} if keys else {})},
            numbers=dataset.numbers(first.decimal),
        )  # fmt: skip

    def _tasks(
        self, facts: Facts, dataset: Dataset, runs: list[Run], stored: tuple[StoredTable, SegmentEntry] | None
    ) -> Iterator[UniteTask]:
        columns, paths = dataset.columns(facts.member), list(dict.fromkeys(run.block for run in runs if run.block))
        numbers = {**{path: number for number, path in enumerate(paths)}, _STORED: len(paths)}
        rows = tuple((numbers[run.block], run.start, run.stop) for run in runs)
        weight = sum(map(os.path.getsize, paths)) + (stored[0].weight if stored else 0)
        step = max(1, len(columns) * packing.LARGEST_MERGE // max(weight, 1))
        dropped = dataset.dropped.get(facts.member, {}) if stored else {}
        for start in range(0, len(columns), step):
            some = tuple(columns[start : start + step])
            table, segment = stored or (None, None)
            yield UniteTask(
                facts, some, rows, tuple(paths), self.reader.staging, weight * len(some) // len(columns),
                table, segment, self.lake, {column: dropped[column] for column in some if column in dropped},
            )  # fmt: skip


def _runs(union: Union, member: str) -> Iterator[Run]:
    """Where the rows of the table lie, in their order."""
    first_rows: dict[str, int] = {}
    done = 0
    for part in union.known.inside if union.known else ():
        first_rows[part.path] = done
        done += part.rows.get(member, 0)
    for part in union.parts:
        if not part.inside or not part.rows.get(member):
            continue
        if part.path in union.staged:
            yield from union.staged[part.path][member].runs
        else:
            yield Run(_STORED, first_rows[part.path], first_rows[part.path] + part.rows[member])


def _is_appended(union: Union) -> bool:
    """Whether all rows of the stored table are kept."""
    kept = set(union.kept())
    return all(part.path in kept for part in (union.known.inside if union.known else ()))


def _assembled(dataset: Dataset, united: list[_Table]) -> tuple[Dataset, list[StagedTable]]:
    """The dataset with what its tables no longer show, and the tables."""
    staged: list[StagedTable] = []
    dropped: dict[str, dict[str, list[str]]] = {}
    for table in united:
        pieces = tuple(Piece(*result["piece"]) for result in table.results)
        weight, width = sum(result["weight"] for result in table.results), sum(len(t.columns) for t in table.tasks)
        rows = sum(stop - start for _, start, stop in table.tasks[0].rows)
        staged.append(StagedTable(dataset.table_name(table.member), rows, width, weight, pieces))
        for task, result in zip(table.tasks, table.results, strict=True):
            for column in {*task.dropped, *result["dropped"]}:
                spellings = {*task.dropped.get(column, []), *result["dropped"].get(column, [])}
                dropped.setdefault(table.member, {})[column] = sorted(spellings)
    return replace(dataset, dropped=dropped, evidence={table.member: table.evidence for table in united}), staged


def _notes(dataset: Dataset, inside: list[Part], member: str) -> list[str]:
    """What was noticed while the parts were read, each sentence once; and whether their columns differ."""
    sentences = Counter(issue for part in inside for issue in part.issues)
    first = {issue: part.path for part in reversed(inside) for issue in part.issues}
    notes = [
        f"{first[issue]}: {issue}" if count == 1 else f"{issue} (in {count:,} of {len(inside):,} parts)"
        for issue, count in sentences.items()
    ]
    notes = notes[:_MOST_NOTES] + ([f"and {len(notes) - _MOST_NOTES:,} more notes"] if len(notes) > _MOST_NOTES else [])
    width = len(dataset.columns(member))
    narrow = sum(len(part.shape.columns[member]) < width for part in inside if part.shape)
    if narrow:
        notes.insert(0, f"{narrow:,} of {len(inside):,} parts lack some of the columns; their cells are null there")
    if data := sum(part.first_row == DATA for part in inside):
        notes.insert(0, f"the first row of {data:,} parts is data: no header is common to the parts")
    if unread := _unread(dataset):
        notes.insert(0, f"{unread:,} of {len(dataset.parts):,} files could not be read; the quarantine report says why")
    return notes


def _unread(dataset: Dataset) -> int:
    """How many files of the dataset are not in its tables although they should be."""
    if dataset.kind in (JSON, NUMBERED):
        return 0
    return sum(part.shape is None and part.size > 0 for part in dataset.parts)


def described(file: RawFile, reader: SourceReader) -> readers.Description:
    """What the sidecars say of a dataset: those of its first part."""
    sidecars = [os.path.join(file.source, path) for path in file.sidecars]
    return readers.describe(file.full, sidecars, reader.settings.limits)
