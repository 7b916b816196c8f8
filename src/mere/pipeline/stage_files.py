"""How do raw files become staged tables?  This runs inside a task.

Small tables are summarised together, many at a time; a large one is staged in blocks of rows, which another task
merges.  A file that was staged completely leaves a receipt (`receipts`), so that a run that comes after an
interruption does not read it again.  A file that cannot be read fails alone, never its task; a disk that cannot be
written, or too little memory, is not the file's fault, and fails the task.
"""

from __future__ import annotations

import os
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pyarrow as pa

from mere import readers
from mere.errors import Unreadable
from mere.pipeline.journal import Journal
from mere.pipeline.own_writes import NOT_OF_THE_FILE, own_write
from mere.pipeline.receipts import is_complete, unit_keys, write_receipts
from mere.pipeline.records import Outcome, Piece, StagedPart, StagedTable, Unit
from mere.pipeline.settings import Settings
from mere.pipeline.stage_parts import PartBeingStaged, PartBlocks, as_parts
from mere.segments import (
    Facts,
    RowBlock,
    StagedFile,
    Table,
    block_evidence,
    digest,
    side_by_side,
    summarise,
    write_staged,
)
from mere.values import Evidence

BATCH_BYTES = 4 << 20  # of small tables summarised together


def read_units(units: list[Unit], staging: str, settings: Settings, journal: Journal) -> Iterator[Outcome]:
    """Stage every unit, small tables in batches; yield what became of each."""
    batch = _Batch(staging, settings)
    for unit, key in zip(units, unit_keys(units, settings), strict=True):
        if unit.receipt and is_complete(unit.receipt):
            yield unit.receipt.outcome
        else:
            journal.begin(key, settings.limits.seconds_for(unit.weight))
            batch.add_unit(key, _read_unit(unit, batch, settings))
    yield from batch.finish()


@dataclass
class _TableBeingStaged:
    """Becomes a `StagedTable` once all of it is written."""

    name: str
    rows: int = 0
    columns: int = 0
    weight: int = 0
    pieces: list[Piece] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    facts: Facts | None = None
    evidence: Evidence | None = None  # of the blocks
    fault: str = ""  # why it could not be summarised

    def done(self) -> StagedTable:
        pieces, blocks = tuple(self.pieces), tuple(self.blocks)
        return StagedTable(self.name, self.rows, self.columns, self.weight, pieces, blocks, self.facts, self.evidence)


@dataclass
class _UnitBeingRead:
    """Becomes an `Outcome` once its tables are staged."""

    unit: Unit
    tables: list[_TableBeingStaged] = field(default_factory=list)
    parts: list[PartBeingStaged] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    lost: bool = False
    broken: dict[str, str] = field(default_factory=dict)
    again: bool = False
    describes: dict[str, bool] = field(default_factory=dict)

    def done(self) -> Outcome:
        """A table that could not be summarised is left out, and its fault is a reason for the report."""
        tables = tuple(table.done() for table in self.tables if not table.fault)
        parts = tuple(part.done() for part in self.parts if not part.fault)
        faults = [*self.faults, *(f"{table.name}: {table.fault}" for table in self.tables if table.fault)]
        faults += [part.fault for part in self.parts if part.fault]
        return Outcome(
            self.unit.source, self.unit.path, tables, "; ".join(faults), kept_in_words((*tables, *parts)), self.lost,
            self.broken, self.unit.span.offset if self.unit.span else 0, self.again, self.describes, parts,
        )  # fmt: skip


class _Batch:
    """Small tables waiting to be summarised together, and the units to report once they are."""

    def __init__(self, staging: str, settings: Settings) -> None:
        self.staging, self.settings = staging, settings
        self.size = 0
        self._waiting: list[tuple[Facts, pa.Table, _TableBeingStaged]] = []
        self._units: list[tuple[str, _UnitBeingRead]] = []  # each with its key
        self.parts = PartBlocks(self.new_path, settings.split_bytes)

    def new_path(self) -> str:
        return os.path.join(self.staging, f"{uuid.uuid4().hex}.idx")

    def add_table(self, facts: Facts, rows: pa.Table, size: int) -> _TableBeingStaged:
        table = _TableBeingStaged(facts.name, rows.num_rows, rows.num_columns)
        self._waiting.append((facts, rows, table))
        self.size += size
        if self.size >= BATCH_BYTES:
            self._write_waiting()
        return table

    def add_block(self, table: _TableBeingStaged, block: RowBlock) -> None:
        path = self.new_path()
        with own_write(path):
            block.write(path)
        table.blocks.append(path)
        evidence = block_evidence(block)
        table.evidence = table.evidence + evidence if table.evidence else evidence
        table.weight += os.path.getsize(path)

    def add_unit(self, key: str, unit: _UnitBeingRead) -> None:
        self._units.append((key, unit))

    def finish(self) -> list[Outcome]:
        """Write the waiting tables, leave receipts, and report."""
        self._write_waiting()
        self.parts.write_waiting()
        outcomes = {key: being.done() for key, being in self._units}
        if settled := {key: outcome for key, outcome in outcomes.items() if not outcome.again}:
            write_receipts(self.staging, settled)
        return list(outcomes.values())

    def _write_waiting(self) -> None:
        """Summarise and write the waiting tables together; if that fails, one by one, so that only bad tables fail."""
        waiting, self._waiting, self.size = self._waiting, [], 0
        try:
            self._write(waiting)
        except NOT_OF_THE_FILE:
            raise
        except Exception:
            for entry in waiting:
                try:
                    self._write([entry])
                except NOT_OF_THE_FILE:
                    raise
                except Exception as error:
                    entry[2].fault = f"unexpected {type(error).__name__}: {error}"

    def _write(self, waiting: list[tuple[Facts, pa.Table, _TableBeingStaged]]) -> None:
        if not waiting:
            return
        blocks = digest([rows for _, rows, _ in waiting])
        tables = summarise([facts for facts, _, _ in waiting], blocks, self.settings.number_share)
        path = self.new_path()
        with own_write(path):
            write_staged(path, tables)
        for number, ((_, _, being), table) in enumerate(zip(waiting, tables, strict=True)):
            being.pieces, being.weight = [Piece(path, number)], table.weight


def _read_unit(unit: Unit, batch: _Batch, settings: Settings) -> _UnitBeingRead:
    reading = _UnitBeingRead(unit)
    failures: list[tuple[str, str]] = []
    issues: list[str] = []
    members: Counter[str] = Counter()
    try:
        about = readers.describe(unit.full, list(unit.sidecars), settings.limits)
        reading.broken = about.broken
        is_part, tables = as_parts(unit.part, settings.limits, partial(_open, unit, failures), unit.size)
        for raw in tables:
            reading.describes |= raw.describes
            if any(raw.describes.values()):
                continue  # its rows lie beside it, and are read there
            facts = _facts(unit, raw, {**_known(about), **_known(raw.about)}, members[raw.member])
            if decimal := unit.decimal or about.decimal:
                facts.numbers = {"given": decimal}
            members[raw.member] += 1
            if is_part:
                reading.parts.append(batch.parts.add(unit, raw, facts.name.removeprefix(unit.name).removeprefix("#")))
            else:
                reading.tables.append(_stage_table(raw, facts, batch, settings, in_blocks=unit.span is not None))
            issues += [f"{raw.member}: {issue}" if raw.member else issue for issue in raw.issues]
            reading.lost = reading.lost or raw.lost
    except NOT_OF_THE_FILE:
        raise
    except Unreadable as error:
        failures.append(("", _without_name(str(error), unit.full)))
        reading.again = _is_fault_of_the_machine(error.__cause__)
    except Exception as error:  # whatever is wrong with a file, only that file fails
        failures.append(("", f"unexpected {type(error).__name__}: {error}"))
        reading.again = _is_fault_of_the_machine(error)
    faults = [f"{member}: {_without_name(reason, member)}" if member else reason for member, reason in failures]
    reading.faults = faults + (issues if reading.lost or faults else [])
    return reading


def _without_name(reason: str, name: str) -> str:
    """A reason without the name of the file or member, which the report has already."""
    inside = os.path.splitext(name)[0]  # what a compressed file contains
    for known in (name, inside, os.path.basename(name), os.path.basename(inside)):
        reason = reason.removeprefix(f"{known}: ")
    return reason


def _is_fault_of_the_machine(error: BaseException | None) -> bool:
    """An error the operating system numbered (no permission, input/output, stale handle)."""
    return isinstance(error, OSError) and error.errno is not None


def kept_in_words(tables: tuple[StagedTable | StagedPart, ...]) -> str:
    rows = sum(table.rows for table in tables)
    return f"{rows:,} rows in {len(tables)} table{'' if len(tables) == 1 else 's'}" if tables else "nothing"


def _open(unit: Unit, failures: list[tuple[str, str]], limits: readers.Limits) -> Iterator[readers.RawTable]:
    failures.clear()  # of an earlier look at the file
    if unit.span:
        yield readers.read_span(unit.full, unit.span, dict(unit.dialect), list(unit.columns), limits)
    elif unit.is_sidecar:
        yield from readers.open_profiles(unit.full, limits, failures)
    else:
        yield from readers.open_tables(unit.full, limits, failures=failures)


def _known(about: readers.Description | None) -> dict[str, Any]:
    known = about.__dict__.items() if about else ()
    return {key: value for key, value in known if value and key not in ("broken", "decimal")}


def _facts(unit: Unit, raw: readers.RawTable, about: dict[str, Any], repeat: int) -> Facts:
    name = f"{unit.name}#{raw.member}" if raw.member else unit.name
    return Facts(
        f"{name}#{repeat + 1}" if repeat else name, unit.source, unit.path, raw.member, repeat, raw.format,
        bytes=unit.size, dialect=raw.dialect, about=about, published=raw.published,
    )  # fmt: skip


def _stage_table(
    raw: readers.RawTable, facts: Facts, batch: _Batch, settings: Settings, in_blocks: bool
) -> _TableBeingStaged:
    """Stage one table: in one piece if it is small, otherwise in blocks of rows, each written when it is large."""
    table = _TableBeingStaged(facts.name)
    waiting: list[pa.RecordBatch] = []
    size = 0
    for records in raw.batches():
        waiting.append(records)
        size, table.rows = size + records.nbytes, table.rows + records.num_rows
        settings.limits.check_extent(facts.name, table.rows, len(raw.columns))
        if size >= settings.split_bytes:
            batch.add_block(table, digest([readers.concatenated(waiting, raw.columns)])[0])
            waiting, size = [], 0
    facts.issues, facts.lost, facts.dialect, facts.rows = raw.issues, raw.lost, raw.dialect, table.rows
    facts.numbers |= {"typed": True} if raw.typed else {}
    if not table.blocks and not in_blocks:
        return batch.add_table(facts, readers.concatenated(waiting, raw.columns), size)
    if waiting or not table.blocks:
        batch.add_block(table, digest([readers.concatenated(waiting, raw.columns)])[0])
    table.facts, table.columns = facts, len(raw.columns)
    return table


def load_staged(table: StagedTable, mapped: dict[str, StagedFile]) -> Table:
    """A staged table; the files it lies in are mapped once and kept in `mapped`."""
    for piece in table.pieces:
        if piece.path not in mapped:
            mapped[piece.path] = StagedFile(piece.path)
    return side_by_side([mapped[path].table(number) for path, number in table.pieces])
