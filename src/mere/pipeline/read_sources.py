"""The first half of an index run, on the driver: cut large files, have tasks read them, merge what was cut."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

from mere.pipeline import packing
from mere.pipeline.engine import Engine
from mere.pipeline.payloads import CountQuotesTask, MergeTask, ReadTask, SniffTask
from mere.pipeline.progress import Stages
from mere.pipeline.receipts import read_receipts, unit_keys
from mere.pipeline.records import Outcome, Piece, StagedTable, Unit
from mere.pipeline.scan import RawFile
from mere.pipeline.settings import Settings
from mere.pipeline.stage_files import kept_in_words
from mere.readers import ChunkScan, plan_spans

Outcomes = dict[tuple[str, str], Outcome]  # by source and path


class SourceReader:
    """Runs the reading tasks of one index run."""

    def __init__(self, lake: str, settings: Settings, engine: Engine, stages: Stages) -> None:
        self.settings, self.engine, self.stages = settings, engine, stages
        self.staging = os.path.join(lake, "staging")

    def read(self, raw_files: list[RawFile]) -> tuple[Outcomes, list[StagedTable]]:
        """What became of every file, and the tables, each complete."""
        outcomes = self._read(raw_files)
        return outcomes, self._merge([table for outcome in outcomes.values() for table in outcome.tables])

    def _read(self, raw_files: list[RawFile]) -> Outcomes:
        units = list(self._cut_large([_unit(file) for file in raw_files]))
        if receipts := read_receipts(self.staging):
            keys = unit_keys(units, self.settings)
            units = [replace(unit, receipt=receipts.get(key)) for unit, key in zip(units, keys, strict=True)]
        groups = packing.balanced(units, lambda unit: unit.weight, self.engine.cores)
        payloads = [ReadTask(group, self.staging, self.settings).to_dict() for group in groups]
        self.stages.begin("read", len(units), sum(unit.weight for unit in units))
        spans: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
        for result in self.engine.run("read", payloads, self.stages.advance):
            for outcome in map(Outcome.from_dict, result["outcomes"]):
                spans[outcome.key].append(outcome)
        return {
            key: reduce(_join_spans, sorted(several, key=lambda outcome: outcome.offset))
            for key, several in sorted(spans.items())
        }

    def _cut_large(self, units: list[Unit]) -> Iterator[Unit]:
        """Cut large plain CSV files into spans; leave everything else as it is."""
        chunk = self.settings.split_bytes
        large = [unit for unit in units if unit.size > 2 * chunk]
        yield from (unit for unit in units if unit.size <= 2 * chunk)
        if not large:
            return
        self.stages.begin("look at large files", len(large))
        sniffed = self.engine.run("sniff", [SniffTask(unit.full, self.settings).to_dict() for unit in large])
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

    def _merge(self, staged: list[StagedTable]) -> list[StagedTable]:
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
        if table.facts is None:
            return
        width = max(table.columns, 1)
        step = max(1, (width * packing.LARGEST_MERGE) // max(table.weight, 1))
        for start in range(0, width, step):
            stop = min(start + step, width)
            yield MergeTask(
                table.blocks, table.facts, start, stop, self.staging, table.weight * (stop - start) // width
            )


def _unit(file: RawFile) -> Unit:
    sidecars = tuple(os.path.join(file.source, path) for path in file.sidecars)
    return Unit(
        file.source, file.path, file.full, file.name, file.size, file.stamp, sidecars, file.is_sidecar, file.size
    )


def _join_spans(above: Outcome, below: Outcome) -> Outcome:
    """The outcomes of two spans of one file, in their order; a span that failed has no table."""
    tables = above.tables or below.tables
    if above.tables and below.tables:
        tables = (_join_tables(above.tables[0], below.tables[0]),)
    return replace(
        above,
        tables=tables,
        kept=kept_in_words(tables),
        reason="; ".join(reason for reason in (above.reason, below.reason) if reason),
        lost=above.lost or below.lost,
        again=above.again or below.again,
    )


def _join_tables(above: StagedTable, below: StagedTable) -> StagedTable:
    """One table whose rows are those of the one above, then those of the one below."""
    rows = above.rows + below.rows
    assert above.facts and below.facts  # a span is always staged in blocks, with facts
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
    )
