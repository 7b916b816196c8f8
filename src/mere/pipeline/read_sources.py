"""The first half of an index run, on the driver: cut large files, have tasks read them, merge what was cut."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Container, Iterator
from dataclasses import replace
from functools import reduce
from typing import Any

from mere.errors import WorkerLost
from mere.pipeline import packing
from mere.pipeline.engine import Engine
from mere.pipeline.payloads import CountQuotesTask, MergeTask, ReadTask, SniffTask
from mere.pipeline.progress import Stages
from mere.pipeline.receipts import read_receipts, unit_keys
from mere.pipeline.records import JSON, Outcome, Piece, StagedPart, StagedTable, Unit
from mere.pipeline.scan import RawFile
from mere.pipeline.settings import Settings
from mere.pipeline.stage_files import kept_in_words
from mere.readers import ChunkScan, plan_spans
from mere.segments import readings_of

Outcomes = dict[tuple[str, str], Outcome]  # by source and path


class SourceReader:
    """Runs the reading tasks of one index run."""

    def __init__(self, lake: str, settings: Settings, start: Callable[[], Engine], stages: Stages) -> None:
        self.settings, self.stages, self._start = settings, stages, start
        self.staging = os.path.join(lake, "staging")

    @property
    def engine(self) -> Engine:
        """Started when it is first needed."""
        return self._start()

    def read_files(self, raw_files: list[RawFile], alone: Container[tuple[str, str]] = ()) -> Outcomes:
        """What became of every file; candidates for a dataset are staged as parts, but for those in `alone`."""
        if not raw_files:
            return {}
        units = list(self._cut_large([_unit(file, file.key not in alone) for file in raw_files]))
        try:
            outcomes = self._run_reading(units)
        except WorkerLost:  # and Spark did not try it often enough: once more, so that no file can end a worker
            outcomes = self._run_reading(units, careful=True)
        spans: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
        for outcome in outcomes:
            spans[outcome.key].append(outcome)
        return {
            key: reduce(_join_spans, sorted(several, key=lambda outcome: outcome.offset))
            for key, several in sorted(spans.items())
        }

    def _run_reading(self, units: list[Unit], careful: bool = False) -> list[Outcome]:
        """Have tasks read the units; those that an earlier attempt has staged have receipts."""
        if receipts := read_receipts(self.staging):
            keys = unit_keys(units, self.settings)
            units = [replace(unit, receipt=receipts.get(key)) for unit, key in zip(units, keys, strict=True)]
        groups = packing.balanced(units, lambda unit: unit.weight + packing.FILE_COST, self.engine.cores)
        watch = self.engine.may_end
        tasks = [ReadTask(group, self.staging, self.settings, watch, careful) for group in groups]
        self.stages.begin("read", len(units), sum(unit.weight for unit in units))
        results = self.engine.run("read", [task.to_dict() for task in tasks], self.stages.advance)
        return [Outcome.from_dict(outcome) for result in results for outcome in result["outcomes"]]

    def _cut_large(self, units: list[Unit]) -> Iterator[Unit]:
        """Cut large plain CSV files into spans; leave everything else as it is."""
        chunk = self.settings.split_bytes
        large = [unit for unit in units if unit.size > 2 * chunk and not (unit.part and unit.part.first_row)]
        yield from (unit for unit in units if unit.size <= 2 * chunk or (unit.part and unit.part.first_row))
        if not large:
            return
        self.stages.begin("look at large files", len(large))
        sniffed = self._sniff(large)
        asked = [
            (number, CountQuotesTask(unit.full, offset, chunk, answer["dialect"]))
            for number, (unit, answer) in enumerate(zip(large, sniffed, strict=True)) if answer
            for offset in range(0, unit.size, chunk)
        ]  # fmt: skip
        scans: dict[int, list[ChunkScan]] = defaultdict(list)
        counted = self.engine.run("quotes", [task.to_dict() for _, task in asked])
        for (number, _), answer in zip(asked, counted, strict=True):
            scans[number].append(ChunkScan(**answer))
        for number, unit in enumerate(large):
            spans = plan_spans(scans[number], unit.size, chunk) if number in scans else None
            if not spans:
                yield unit
                continue
            dialect, columns = sniffed[number]["dialect"], tuple(sniffed[number]["columns"])
            for span in spans:
                yield replace(unit, span=span, weight=span.length, dialect=dialect, columns=columns)

    def _sniff(self, units: list[Unit]) -> list[dict[str, Any]]:
        """How each file is written; empty for one that cannot be cut, and for all if a worker ends."""
        watch = self.engine.may_end
        tasks = [SniffTask(unit.full, self.staging, self.settings, watch) for unit in units]
        try:
            return self.engine.run("sniff", [task.to_dict() for task in tasks])
        except WorkerLost:
            return [{} for _ in units]

    def merge(self, staged: list[StagedTable]) -> list[StagedTable]:
        """Unite the tables that were staged in blocks, a few columns a task."""
        tasks = [(number, task) for number, table in enumerate(staged) for task in self._merge_tasks(table)]
        if not tasks:
            return staged
        self.stages.begin("merge", len(tasks), sum(task.weight for _, task in tasks))
        merged = list(staged)
        for number in {number for number, _ in tasks}:
            merged[number] = replace(staged[number], weight=0)
        results = self.engine.run("merge", [task.to_dict() for _, task in tasks], self.stages.advance)
        for (number, _), result in zip(tasks, results, strict=True):
            table = merged[number]
            pieces = (*table.pieces, Piece(*result["piece"]))
            merged[number] = replace(table, pieces=pieces, weight=table.weight + result["weight"])
        return merged

    def _merge_tasks(self, table: StagedTable) -> Iterator[MergeTask]:
        if table.facts is None or table.evidence is None:
            return
        width = max(table.columns, 1)
        readings = readings_of(table.evidence, [len(table.evidence)], [table.facts], self.settings.number_share)
        step = max(1, (width * packing.LARGEST_MERGE) // max(table.weight, 1))
        for start in range(0, width, step):
            stop = min(start + step, width)
            weight = table.weight * (stop - start) // width
            yield MergeTask(table.blocks, table.facts, start, stop, readings.slice(start, stop), self.staging, weight)


def _unit(file: RawFile, may_be_part: bool) -> Unit:
    """A file that surely is a part is described together with the others, by the driver."""
    part = file.part if may_be_part else None
    described = part is None or part.kind == JSON
    sidecars = tuple(os.path.join(file.source, path) for path in file.sidecars if described)
    return Unit(
        file.source, file.path, file.full, file.name, file.size, file.stamp, sidecars, file.is_sidecar, file.size,
        decimal=file.decimal, part=part,
    )  # fmt: skip


def _join_spans(above: Outcome, below: Outcome) -> Outcome:
    """The outcomes of two spans of one file, in their order; a span that failed has no table."""
    tables, parts = above.tables or below.tables, above.parts or below.parts
    if above.tables and below.tables:
        tables = (_join_tables(above.tables[0], below.tables[0]),)
    if above.parts and below.parts:
        parts = (_join_parts(above.parts[0], below.parts[0]),)
    return replace(
        above,
        tables=tables,
        parts=parts,
        kept=kept_in_words((*tables, *parts)),
        reason="; ".join(reason for reason in (above.reason, below.reason) if reason),
        lost=above.lost or below.lost,
        again=above.again or below.again,
    )


def _join_parts(above: StagedPart, below: StagedPart) -> StagedPart:
    return replace(
        above,
        rows=above.rows + below.rows,
        columns=tuple(dict.fromkeys([*above.columns, *below.columns])),
        runs=above.runs + below.runs,
        issues=above.issues + below.issues,
        lost=above.lost or below.lost,
    )


def _join_tables(above: StagedTable, below: StagedTable) -> StagedTable:
    """One table whose rows are those of the one above, then those of the one below."""
    rows = above.rows + below.rows
    assert above.facts and below.facts and above.evidence and below.evidence  # a span is always staged in blocks
    return replace(
        above,
        rows=rows,
        columns=max(above.columns, below.columns),
        weight=above.weight + below.weight,
        blocks=above.blocks + below.blocks,
        facts=replace(
            above.facts,
            rows=rows,
            issues=[*above.facts.issues, *below.facts.issues],
            lost=above.facts.lost or below.facts.lost,
        ),
        evidence=above.evidence + below.evidence,
    )
