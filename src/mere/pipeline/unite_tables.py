"""Which files of a dataset are parts of its table, and which must be read for it?  This runs on the driver.

Rows of unchanged parts are taken from the table that the last run stored; only changed parts are read.  If a decision
that needs all rows of a column would come out differently (a spelling of null that turns out to be data), all parts of
that table are read again.  So an update gives the table that a new build would give.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from mere.pipeline.datasets import Group, first_rows_of, parts_inside
from mere.pipeline.read_sources import Outcomes, SourceReader
from mere.pipeline.records import Outcome, StagedTable
from mere.pipeline.scan import RawFile
from mere.pipeline.union_tasks import FindStored, Union, Uniter, described
from mere.segments.datasets import Dataset, Part, Shape


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


class DatasetReader:
    """Reads the changed files of one index run and unites those that are parts of tables."""

    def __init__(self, reader: SourceReader, lake: str, known: Sequence[Dataset], find_stored: FindStored) -> None:
        self.reader, self.uniter = reader, Uniter(reader, lake, find_stored)
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

    def _union(self, group: Group, outcomes: Outcomes) -> Union:
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
                _read_first_row(file, parts[-1].first_row)
        return Union(group, known, parts, staged)

    def _settle(self, unions: list[Union], result: ReadAll) -> None:
        """Decide which candidates are parts, and read again those that were read as the other thing."""
        as_parts: list[RawFile] = []
        alone: list[RawFile] = []
        for union in unions:
            inside = parts_inside(union.group.kind, union.parts)
            first_rows = first_rows_of(union.group.kind, union.parts)
            given = {file.path: dict(file.part.values) for file in union.group.files if file.part}
            lacking = [p.path for p in union.parts if _is_lacking(union, p, first_rows) or p.values != given[p.path]]
            missing = [path for path in lacking if path in inside]
            left = [p.path for p in union.parts if p.path not in inside and (p.inside or p.path in union.staged)]
            as_parts += union.files(missing)
            for file in union.files(missing):
                _read_first_row(file, first_rows.get(file.path, ""))
            alone += union.files(left)
            union.parts = [replace(part, inside=part.path in inside) for part in union.parts]
            union.staged = {p: staged for p, staged in union.staged.items() if p in inside and p not in missing}
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

    def _take(self, union: Union, files: list[RawFile], outcomes: Outcomes) -> None:
        """What was staged for files of the dataset that were read again; without a file that could not be read."""
        own = [file for file in files if (file.source, file.dataset) == union.group.key]
        read = {file.path: outcomes[file.key] for file in own}
        for path, outcome in read.items():
            if outcome.parts:
                union.staged[path] = {part.member: part for part in outcome.parts}
        fresh = {file.path: replace(_part(file, read[file.path]), inside=file.path in union.staged) for file in own}
        union.parts = [fresh.get(part.path, part) for part in union.parts]

    def _unite(self, unions: list[Union], result: ReadAll) -> None:
        tables = self.uniter.run(unions)
        lacking = [union for union in unions if union.group.key not in tables]
        if lacking:
            files = [file for union in lacking for file in union.files(union.kept())]
            self._read_again(files, [], result)
            for union in lacking:
                union.known = None
                self._take(union, files, result.outcomes)
            tables |= self.uniter.run(lacking)
        for union in unions:
            dataset, united = tables[union.group.key]
            result.datasets.append(dataset)
            result.tables += united
            self._name_tables(union, dataset, result)

    def _name_tables(self, union: Union, dataset: Dataset, result: ReadAll) -> None:
        """Record which tables the files that were read are parts of."""
        for file in union.group.files:
            if file.path in union.staged:
                result.united[file.key] = tuple(map(dataset.table_name, union.staged[file.path]))
        if inside := dataset.inside:
            [first] = union.files([inside[0].path])
            result.broken |= described(first, self.reader).broken


def _is_lacking(union: Union, part: Part, first_rows: Mapping[str, str]) -> bool:
    """Whether a part must be read again to be in the table."""
    return not (part.inside or part.path in union.staged) or part.first_row != first_rows.get(part.path, "")


def _read_first_row(file: RawFile, first_row: str) -> None:
    """Have a part read in this way from now on."""
    if file.part:
        file.part = replace(file.part, first_row=first_row)


def _part(file: RawFile, outcome: Outcome) -> Part:
    values = file.part.values if file.part else {}
    if not outcome.parts:
        return Part(file.path, file.size, values=values)
    first, given = outcome.parts[0], file.part.first_row if file.part else ""
    shape = Shape(first.format, {part.member: part.columns for part in outcome.parts}, first.top, first.named)
    issues = [f"{part.member}: {i}" if part.member else i for part in outcome.parts for i in part.issues]
    rows = {part.member: part.rows for part in outcome.parts}
    lost = any(part.lost for part in outcome.parts)
    typed = any(part.typed for part in outcome.parts)
    return Part(file.path, file.size, shape, False, rows, values, tuple(issues), lost, given, typed)
