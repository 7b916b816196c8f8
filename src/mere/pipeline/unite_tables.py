"""The files of a dataset become one table, on the driver: which are parts, where do their rows lie, have tasks unite them.

Rows of unchanged parts are taken from the table that the last run stored; only changed parts are read.  If a decision
that needs all rows of a column would come out differently (a spelling of null that turns out to be data), all parts of
that table are read again.  So an update gives the table that a new build would give.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mere import readers
from mere.pipeline import packing
from mere.pipeline.datasets import Group, parts_inside
from mere.pipeline.payloads import UniteTask
from mere.pipeline.read_sources import Outcomes, SourceReader
from mere.pipeline.records import Outcome, Piece, Run, StagedPart, StagedTable, StoredTable
from mere.pipeline.scan import RawFile
from mere.pipeline.stage_parts import joined_runs
from mere.segments import Facts, SegmentEntry
from mere.segments.datasets import Dataset, Part, Shape

FindStored = Callable[[str], tuple[StoredTable, SegmentEntry] | None]
_STORED = ""  # stands for the stored table among the paths of blocks
_MOST_NOTES = 20


@dataclass
class ReadAll:
    """What became of everything that was read, and the tables, each complete."""

    outcomes: Outcomes
    tables: list[StagedTable] = field(default_factory=list)
    datasets: list[Dataset] = field(default_factory=list)
    again: list[RawFile] = field(default_factory=list)  # unchanged files that were read nevertheless
    broken: dict[str, str] = field(default_factory=dict)  # sidecar -> why it could not be read
    united: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)  # by file: tables that it is a part of

    def tables_of(self, file: RawFile) -> tuple[str, ...]:
        """The names of the tables that a file was read into."""
        outcome = self.outcomes.get(file.key)
        return self.united.get(file.key) or (tuple(table.name for table in outcome.tables) if outcome else ())


@dataclass
class _Union:
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


class DatasetReader:
    """Reads the changed files of one index run and unites those that are parts of tables."""

    def __init__(self, reader: SourceReader, lake: str, known: Sequence[Dataset], find_stored: FindStored) -> None:
        self.reader, self.lake, self.find_stored = reader, lake, find_stored
        self.known = {dataset.key: dataset for dataset in known}

    def read(self, changed: list[RawFile], groups: list[Group]) -> ReadAll:
        """Read what changed, and whatever else is needed."""
        result = ReadAll(self.reader.read_files(changed))
        unions = [self._union(group, result.outcomes) for group in groups if self._is_touched(group, result.outcomes)]
        self._settle(unions, result)
        single = [table for outcome in result.outcomes.values() for table in outcome.tables]
        result.tables = self.reader.merge(single)
        self._unite(unions, result)
        untouched = {group.key for group in groups} - {union.group.key for union in unions}
        result.datasets += [self.known[key] for key in sorted(untouched)]
        return result

    def _is_touched(self, group: Group, outcomes: Outcomes) -> bool:
        known = self.known.get(group.key)
        same = known is not None and [part.path for part in known.parts] == [file.path for file in group.files]
        return not same or any(file.key in outcomes for file in group.files)

    def _union(self, group: Group, outcomes: Outcomes) -> _Union:
        known = self.known.get(group.key)
        before = {part.path: part for part in known.parts} if known else {}
        parts, staged = [], {}
        for file in group.files:
            outcome = outcomes.get(file.key)
            if outcome:
                parts.append(_part(file, outcome))
                if outcome.parts:
                    staged[file.path] = {part.member: part for part in outcome.parts}
            else:
                parts.append(before.get(file.path) or Part(file.path, file.size))
        return _Union(group, known, parts, staged)

    def _settle(self, unions: list[_Union], result: ReadAll) -> None:
        """Decide which candidates are parts, and read again those that were read as the other thing."""
        as_parts: list[RawFile] = []
        alone: list[RawFile] = []
        for union in unions:
            inside = parts_inside(union.group.kind, union.parts)
            missing = [p.path for p in union.parts if p.path in inside and not p.inside and p.path not in union.staged]
            left = [p.path for p in union.parts if p.path not in inside and (p.inside or p.path in union.staged)]
            as_parts += union.files(missing)
            alone += union.files(left)
            union.parts = [replace(part, inside=part.path in inside) for part in union.parts]
            union.staged = {path: staged for path, staged in union.staged.items() if path in inside}
        self._read_again(as_parts, alone, result)
        for union in unions:
            self._take(union, as_parts, result.outcomes)

    def _read_again(self, as_parts: list[RawFile], alone: list[RawFile], result: ReadAll) -> None:
        if as_parts or alone:
            single = {file.key for file in alone}
            read = {file.key for file in [*as_parts, *alone]}
            result.again += [file for file in [*as_parts, *alone] if file.key not in result.outcomes]
            result.outcomes = {key: outcome for key, outcome in result.outcomes.items() if key not in read}
            result.outcomes |= self.reader.read_files(sorted([*as_parts, *alone], key=lambda file: file.key), single)

    def _take(self, union: _Union, files: list[RawFile], outcomes: Outcomes) -> None:
        """What was staged for files of the dataset that were read again; without a file that could not be read."""
        own = [file for file in files if (file.source, file.dataset) == union.group.key]
        read = {file.path: outcomes[file.key] for file in own}
        for path, outcome in read.items():
            if outcome.parts:
                union.staged[path] = {part.member: part for part in outcome.parts}
        fresh = {file.path: replace(_part(file, read[file.path]), inside=file.path in union.staged) for file in own}
        union.parts = [fresh.get(part.path, part) for part in union.parts]

    def _unite(self, unions: list[_Union], result: ReadAll) -> None:
        tables = self._run(unions)
        lacking = [union for union in unions if union.group.key not in tables]
        if lacking:
            files = [file for union in lacking for file in union.files(union.kept())]
            self._read_again(files, [], result)
            for union in lacking:
                union.known = None
                self._take(union, files, result.outcomes)
            tables |= self._run(lacking)
        for union in unions:
            dataset, united = tables[union.group.key]
            result.datasets.append(dataset)
            result.tables += united
            self._name_tables(union, dataset, result)

    def _name_tables(self, union: _Union, dataset: Dataset, result: ReadAll) -> None:
        """Record which tables the files that were read are parts of."""
        for file in union.group.files:
            if file.path in union.staged:
                result.united[file.key] = tuple(map(dataset.table_name, union.staged[file.path]))
        if inside := dataset.inside:
            [first] = union.files([inside[0].path])
            result.broken |= _described(first, self.reader).broken

    def _run(self, unions: list[_Union]) -> dict[tuple[str, str], tuple[Dataset, list[StagedTable]]]:
        """The dataset and the tables of each union; without those whose stored rows cannot be used."""
        planned = {union.group.key: self._plan(union) for union in unions}
        tasks = [
            (key, member, task)
            for key, plan in planned.items()
            for member, several in (plan or {}).items()
            for task in several
        ]
        if tasks:
            self.reader.stages.begin("unite", len(tasks), sum(task.weight for _, _, task in tasks))
        payloads = [task.to_dict() for _, _, task in tasks]
        results = self.reader.engine.run("unite", payloads, self.reader.stages.advance) if tasks else []
        failed = {key for (key, _, _), each in zip(tasks, results, strict=True) if not each["holds"]}
        failed |= {key for key, plan in planned.items() if plan is None}
        tables: dict[tuple[str, str], tuple[Dataset, list[StagedTable]]] = {}
        for union in unions:
            key = union.group.key
            if key not in failed:
                own = [(m, task, each) for (k, m, task), each in zip(tasks, results, strict=True) if k == key]
                tables[key] = _assembled(union.dataset(), own)
        return tables

    def _plan(self, union: _Union) -> dict[str, list[UniteTask]] | None:
        """The tasks of each member; None if stored rows are needed and are not there."""
        dataset = union.dataset()
        planned = {}
        for member in dataset.members:
            runs = joined_runs(list(_runs(union, member)))
            stored = self.find_stored(dataset.table_name(member)) if any(run.block == _STORED for run in runs) else None
            if stored is None and any(run.block == _STORED for run in runs):
                return None
            facts = self._facts(union, dataset, member)
            planned[member] = list(self._tasks(facts, dataset, runs, stored))
        return planned

    def _facts(self, union: _Union, dataset: Dataset, member: str) -> Facts:
        inside = [part for part in dataset.inside if part.shape and member in part.shape.columns]
        [first] = union.files([inside[0].path])
        about = {k: v for k, v in _described(first, self.reader).__dict__.items() if v and k != "broken"}
        keys = list(dict.fromkeys(key for part in inside for key in part.values))
        formats = sorted({part.shape.format for part in inside if part.shape})
        return Facts(
            dataset.table_name(member), dataset.source, dataset.path, member, format=", ".join(formats),
            bytes=sum(part.size for part in inside), about=about, issues=_notes(dataset, inside, member),
            dialect={"dataset": dataset.kind, "parts": len(inside), **({"keys": keys} if keys else {})},
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
            yield UniteTask(
                facts, some, rows, tuple(paths), self.reader.staging, weight * len(some) // len(columns),
                *(stored or (None, None)), lake=self.lake, dropped={c: dropped[c] for c in some if c in dropped},
            )  # fmt: skip


def _part(file: RawFile, outcome: Outcome) -> Part:
    values = file.part.values if file.part else {}
    if not outcome.parts:
        return Part(file.path, file.size, values=values)
    shape = Shape(outcome.parts[0].format, {part.member: part.columns for part in outcome.parts})
    issues = [f"{part.member}: {i}" if part.member else i for part in outcome.parts for i in part.issues]
    rows = {part.member: part.rows for part in outcome.parts}
    return Part(file.path, file.size, shape, False, rows, values, tuple(issues))


def _runs(union: _Union, member: str) -> Iterator[Run]:
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


def _assembled(dataset: Dataset, done: list[tuple[str, UniteTask, Mapping]]) -> tuple[Dataset, list[StagedTable]]:
    """The dataset with what was taken for null in its tables, and the tables."""
    tables: dict[str, StagedTable] = {}
    dropped: dict[str, dict[str, list[str]]] = {}
    for member, task, result in done:
        rows = sum(stop - start for _, start, stop in task.rows)
        table = tables.get(member) or StagedTable(dataset.table_name(member), rows, 0, 0)
        pieces = (*table.pieces, Piece(*result["piece"]))
        width, weight = table.columns + len(task.columns), table.weight + result["weight"]
        tables[member] = replace(table, columns=width, weight=weight, pieces=pieces)
        for column in {*task.dropped, *result["dropped"]}:
            spellings = {*task.dropped.get(column, []), *result["dropped"].get(column, [])}
            dropped.setdefault(member, {})[column] = sorted(spellings)
    return replace(dataset, dropped=dropped), list(tables.values())


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
    differ = f"{narrow:,} of {len(inside):,} parts lack some of the columns; their cells are null there"
    return [*([differ] if narrow else []), *notes]


def _described(file: RawFile, reader: SourceReader) -> readers.Description:
    sidecars = [os.path.join(file.source, path) for path in file.sidecars]
    return readers.describe(file.full, sidecars, reader.settings.limits)
