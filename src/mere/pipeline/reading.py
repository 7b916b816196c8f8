"""How do raw files become staged tables?  This runs inside a task.

Small tables are digested together, many at a time; a large one is staged in parts, which another task merges.
A file that was staged completely leaves a receipt, named by everything that decided its content; a run that was
interrupted finds it and does not read the file again.  A bad file fails its own row, never the task.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

import pyarrow as pa
import xxhash

from mere import readers
from mere.errors import Corrupt, Unreadable
from mere.pipeline.settings import Settings
from mere.segments import Facts, Part, Table, digest, side_by_side, summarise
from mere.store import container, files

STAGE_VERSION = 1
BATCH_BYTES = 4 << 20  # of small tables digested together


@dataclass
class Staged:
    """A table on its way into a segment: complete in one file, or in parts still to be merged."""

    facts: dict[str, Any]
    columns: int
    pieces: list[str] = field(default_factory=list)  # staged tables, side by side
    parts: list[str] = field(default_factory=list)  # staged parts, one below the other
    weight: int = 0  # bytes staged

    @property
    def name(self) -> str:
        return self.facts["name"]


@dataclass
class Outcome:
    """What became of one raw file."""

    source: str
    path: str
    tables: list[dict[str, Any]] = field(default_factory=list)  # Staged
    reason: str = ""  # for the quarantine report
    kept: str = ""
    lost: bool = False
    metadata: bool = False
    size: int = 0

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def receipt_name(unit: dict[str, Any], settings: Settings) -> str:
    """A name for everything that decides what is staged for a file."""
    deciding = [STAGE_VERSION, unit["source"], unit["path"], unit["stamp"], unit.get("span"), settings.shaping()]
    return xxhash.xxh3_128_hexdigest(json.dumps(deciding, sort_keys=True).encode())


def read_units(units: list[dict[str, Any]], staging: str, settings: Settings) -> Iterator[Outcome]:
    """Stage every unit (a file, or a span of one), small tables in batches."""
    batch = _Batch(staging)
    for unit in units:
        receipt = os.path.join(staging, receipt_name(unit, settings) + ".json")
        if (known := _read_receipt(receipt)) is not None:
            yield known
            continue
        outcome = _read_unit(unit, batch, settings)
        batch.promise(outcome, receipt)
        if batch.size >= BATCH_BYTES:
            yield from batch.flush()
    yield from batch.flush()


def _read_receipt(path: str) -> Outcome | None:
    """What an earlier run staged for this file, if all of it is still there and whole."""
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        outcome, entries = Outcome(**document["outcome"]), document["entries"]
        for piece, entry in entries.items():
            container.verify(piece, entry)
        return outcome
    except (FileNotFoundError, ValueError, KeyError, TypeError, Corrupt):
        return None


class _Batch:
    """Small tables waiting to be digested together, and the receipts to write once they are."""

    def __init__(self, staging: str) -> None:
        self.staging = staging
        self.size = 0
        self._waiting: list[tuple[Facts, pa.Table, Staged]] = []
        self._promised: list[tuple[Outcome, str, list[Staged]]] = []
        self._fresh: list[Staged] = []

    def fresh_path(self) -> str:
        return os.path.join(self.staging, f"{uuid.uuid4().hex}.idx")

    def add(self, facts: Facts, rows: pa.Table) -> Staged:
        staged = Staged({}, rows.num_columns)
        self._waiting.append((facts, rows, staged))
        self._fresh.append(staged)
        self.size += rows.nbytes
        return staged

    def add_part(self, staged: Staged, part: Part) -> None:
        path = self.fresh_path()
        part.write(path)
        staged.parts.append(path)
        staged.weight += os.path.getsize(path)

    def promise(self, outcome: Outcome, receipt: str) -> None:
        self._promised.append((outcome, receipt, self._fresh))
        self._fresh = []

    def keep(self, staged: Staged) -> None:
        self._fresh.append(staged)

    def flush(self) -> Iterator[Outcome]:
        parts = digest([rows for _, rows, _ in self._waiting])
        for table, (_, _, staged) in zip(
            summarise([facts for facts, _, _ in self._waiting], parts), self._waiting, strict=True
        ):
            path = self.fresh_path()
            staged.facts, staged.pieces = table.facts.to_dict(), [path]
            staged.weight = table.write(path)["bytes"]
        for outcome, receipt, staged in self._promised:
            outcome.tables = [asdict(one) for one in staged]
            _write_receipt(receipt, outcome)
            yield outcome
        self._waiting, self._promised, self.size = [], [], 0


def _write_receipt(path: str, outcome: Outcome) -> None:
    paths = [p for table in outcome.tables for p in (*table["pieces"], *table["parts"])]
    document = {"outcome": outcome.to_dict(), "entries": {p: container.entry_of(p) for p in paths}}
    aside = f"{path}.{uuid.uuid4().hex}"
    files.write_new(aside, [json.dumps(document).encode()], durable=False)
    files.rename(aside, path)


def _read_unit(unit: dict[str, Any], batch: _Batch, settings: Settings) -> Outcome:
    outcome = Outcome(unit["source"], unit["path"], size=unit["size"])
    failures: list[tuple[str, str]] = []
    issues: list[str] = []
    rows = tables = 0
    try:
        about = _describe(unit, settings)
        names: set[str] = set()
        for raw in _open(unit, settings, failures):
            facts = _facts(unit, raw, about, names)
            rows += _stage_table(raw, facts, batch, settings, in_parts=bool(unit.get("span")))
            tables += 1
            issues += [f"{raw.member}: {issue}" if raw.member else issue for issue in raw.issues]
            outcome.lost = outcome.lost or raw.lost
    except Unreadable as error:
        failures.append(("", str(error).removeprefix(f"{unit['full']}: ")))
    except Exception as error:  # a bad file fails its own row, whatever is wrong with it
        failures.append(("", f"unexpected {type(error).__name__}: {error}"))
    faults = [f"{member}: {reason}" if member else reason for member, reason in failures]
    outcome.reason = "; ".join(faults + (issues if outcome.lost or faults else []))
    outcome.kept = f"{rows:,} rows in {tables} table{'' if tables == 1 else 's'}" if tables else "nothing"
    return outcome


def _open(
    unit: dict[str, Any], settings: Settings, failures: list[tuple[str, str]]
) -> Iterator[readers.RawTable]:
    if unit.get("span"):
        span = readers.Span(**unit["span"])
        yield readers.read_span(unit["full"], span, unit["dialect"], unit["columns"], settings.limits)
    else:
        yield from readers.open_tables(unit["full"], settings.limits, failures=failures)


def _describe(unit: dict[str, Any], settings: Settings) -> dict[str, Any]:
    about = readers.describe(unit["full"], unit["sidecars"], settings.limits)
    return {key: value for key, value in asdict(about).items() if value}


def _facts(unit: dict[str, Any], raw: readers.RawTable, about: dict[str, Any], names: set[str]) -> Facts:
    name = base = f"{unit['name']}#{raw.member}" if raw.member else unit["name"]
    number = 2
    while name in names:
        name, number = f"{base} ({number})", number + 1
    names.add(name)
    return Facts(
        name, unit["source"], unit["path"], raw.member, raw.format, bytes=unit["size"], dialect=raw.dialect, about=about
    )


def _stage_table(
    raw: readers.RawTable, facts: Facts, batch: _Batch, settings: Settings, in_parts: bool
) -> int:
    """Stage one table; parts of it are written as soon as they are large. Returns its rows."""
    staged: Staged | None = None
    waiting: list[pa.RecordBatch] = []
    size = rows = 0
    for piece in raw.batches():
        waiting.append(piece)
        size, rows = size + piece.nbytes, rows + piece.num_rows
        if size >= settings.split_bytes:
            staged = staged or Staged(facts.to_dict(), len(raw.columns))
            batch.add_part(staged, digest([_table(raw, waiting)])[0])
            waiting, size = [], 0
    facts.issues, facts.dialect, facts.rows = raw.issues, raw.dialect, rows
    if staged is None and not in_parts:
        batch.add(facts, _table(raw, waiting))
        return rows
    staged = staged or Staged({}, len(raw.columns))
    if waiting or not staged.parts:
        batch.add_part(staged, digest([_table(raw, waiting)])[0])
    staged.facts, staged.columns = facts.to_dict(), len(raw.columns)
    batch.keep(staged)
    return rows


def _table(raw: readers.RawTable, batches: list[pa.RecordBatch]) -> pa.Table:
    """The batches as one table; a later batch may have found more columns."""
    if not batches:
        return pa.table({name: pa.array([], pa.string()) for name in raw.columns})
    if all(batch.schema == batches[0].schema for batch in batches):
        return pa.Table.from_batches(batches)
    return pa.concat_tables([pa.Table.from_batches([b]) for b in batches], promote_options="default")


def clear(staging: str) -> None:
    """Forget what earlier runs staged."""
    with suppress(FileNotFoundError):
        for name in os.listdir(staging):
            files.remove(os.path.join(staging, name))


def load(staged: dict[str, Any]) -> Table:
    """A staged table, mapped."""
    return side_by_side([Table.read(piece) for piece in staged["pieces"]])
