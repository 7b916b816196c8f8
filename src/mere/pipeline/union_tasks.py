"""How do the parts of datasets become tables, on the driver: where do their rows lie, have tasks unite them.

A table is united a few columns a task, from staged blocks and from the table that the last run stored.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from mere import readers
from mere.pipeline import packing
from mere.pipeline.datasets import Group
from mere.pipeline.payloads import UniteTask
from mere.pipeline.read_sources import SourceReader
from mere.pipeline.records import JSON, NUMBERED, Piece, Run, StagedPart, StagedTable, StoredTable
from mere.pipeline.scan import RawFile
from mere.pipeline.stage_parts import joined_runs
from mere.readers.first_rows import DATA
from mere.segments import Facts, SegmentEntry
from mere.segments.datasets import Dataset, Part

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


class Uniter:
    """Runs the tasks that unite tables."""

    def __init__(self, reader: SourceReader, lake: str, find_stored: FindStored) -> None:
        self.reader, self.lake, self.find_stored = reader, lake, find_stored

    def run(self, unions: list[Union]) -> dict[tuple[str, str], tuple[Dataset, list[StagedTable]]]:
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
            planned[member] = list(self._tasks(facts, dataset, runs, stored))
        return planned

    def _facts(self, union: Union, dataset: Dataset, member: str) -> Facts:
        inside = [part for part in dataset.inside if part.shape and member in part.shape.columns]
        [first] = union.files([inside[0].path])
        about = {k: v for k, v in described(first, self.reader).__dict__.items() if v and k != "broken"}
        keys = list(dict.fromkeys(key for part in inside for key in part.values))
        formats = sorted({part.shape.format for part in inside if part.shape})
        return Facts(
            dataset.table_name(member), dataset.source, dataset.path, member, format=", ".join(formats),
            bytes=sum(part.size for part in inside), about=about, issues=_notes(dataset, inside, member),
            lost=any(part.lost for part in inside) or bool(_unread(dataset)),
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


def _assembled(
    dataset: Dataset, done: list[tuple[str, UniteTask, dict[str, Any]]]
) -> tuple[Dataset, list[StagedTable]]:
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
