"""How do raw files become staged tables?  This runs inside a task.

Small tables are digested together, many at a time; a large one is staged in parts, which another task merges.
A file that was staged completely leaves a receipt, keyed by everything that decided its content; a run that comes
after an interruption finds it and does not read the file again.  A bad file fails its own row, never the task.
"""

from __future__ import annotations

import json
import os
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import xxhash

from mere import readers
from mere.errors import Corrupt, Unreadable
from mere.pipeline.settings import Settings
from mere.segments import Facts, Part, StagedFile, Table, digest, side_by_side, summarise, write_staged
from mere.store import container, files

STAGE_VERSION = 2
_RECEIPTS = ".receipts.json"
BATCH_BYTES = 4 << 20  # of small tables digested together


@dataclass
class Staged:
    """A table on its way into a segment: whole in a staged file, or in parts still to be merged."""

    name: str
    rows: int = 0
    columns: int = 0
    weight: int = 0  # bytes staged
    pieces: list[tuple[str, int]] = field(default_factory=list)  # staged file and number; side by side if several
    parts: list[str] = field(default_factory=list)  # staged parts, one below the other...
    facts: dict[str, Any] = field(default_factory=dict)  # ...and the facts that go with them
    ruined: str = ""  # why it could not be digested


@dataclass
class Outcome:
    """What became of one raw file, or of one span of it."""

    source: str
    path: str
    tables: list[Staged] = field(default_factory=list)
    reason: str = ""  # for the quarantine report
    kept: str = ""
    lost: bool = False
    broken: dict[str, str] = field(default_factory=dict)  # sidecar -> why it could not be read
    offset: int = 0  # of the span, if it is one
    again: bool = False  # the machine failed, not the file: worth another try
    describes: dict[str, bool] = field(default_factory=dict)  # of a profile: its files, and whether they lie beside it

    def to_dict(self) -> dict[str, Any]:
        return {**self.__dict__, "tables": [dict(table.__dict__) for table in self.tables]}


def unit_key(unit: dict[str, Any], settings: Settings) -> str:
    """A name for everything that decides what is staged for a unit."""
    deciding = [
        STAGE_VERSION,
        unit["source"],
        unit["path"],
        unit["stamp"],
        unit.get("span"),
        settings.shaping(),
    ]
    return xxhash.xxh3_128_hexdigest(json.dumps(deciding, sort_keys=True).encode())


def read_units(units: list[dict[str, Any]], staging: str, settings: Settings) -> Iterator[dict[str, Any]]:
    """Stage every unit (a file, or a span of one), small tables in batches; yield what became of each."""
    batch = _Batch(staging, settings)
    for unit in units:
        if (known := unit.get("receipt")) and _is_whole(known):
            yield known["outcome"]
            continue
        batch.promise(unit, _read_unit(unit, batch, settings))
    yield from batch.flush()


class _Batch:
    """Small tables waiting to be digested together, and the outcomes to report once they are."""

    def __init__(self, staging: str, settings: Settings) -> None:
        self.staging, self.settings = staging, settings
        self.size = 0
        self._waiting: list[tuple[Facts, pa.Table, Staged]] = []
        self._promised: list[tuple[dict[str, Any], Outcome]] = []

    def fresh_path(self) -> str:
        return os.path.join(self.staging, f"{uuid.uuid4().hex}.idx")

    def add(self, facts: Facts, rows: pa.Table) -> Staged:
        staged = Staged(facts.name, rows.num_rows, rows.num_columns)
        self._waiting.append((facts, rows, staged))
        self.size += rows.nbytes
        if self.size >= BATCH_BYTES:
            self._settle()
        return staged

    def add_part(self, staged: Staged, part: Part) -> None:
        path = self.fresh_path()
        part.write(path)
        staged.parts.append(path)
        staged.weight += os.path.getsize(path)

    def promise(self, unit: dict[str, Any], outcome: Outcome) -> None:
        self._promised.append((unit, outcome))

    def flush(self) -> Iterator[dict[str, Any]]:
        """Settle what waits, leave receipts, and report."""
        self._settle()
        for _, outcome in self._promised:
            _drop_ruined(outcome)
        outcomes = [(unit, outcome.to_dict()) for unit, outcome in self._promised]
        sure = [(unit_key(unit, self.settings), outcome) for unit, outcome in outcomes if not outcome["again"]]
        if sure:
            _write_receipts(self.staging, sure)
        self._promised = []
        yield from (outcome for _, outcome in outcomes)

    def _settle(self) -> None:
        """Digest and write the waiting tables, together; if that fails, one by one, to spare the innocent."""
        waiting, self._waiting, self.size = self._waiting, [], 0
        try:
            self._write(waiting)
        except Exception:
            for one in waiting:
                try:
                    self._write([one])
                except Exception as error:
                    one[2].ruined = f"unexpected {type(error).__name__}: {error}"

    def _write(self, waiting: list[tuple[Facts, pa.Table, Staged]]) -> None:
        if not waiting:
            return
        tables = summarise([facts for facts, _, _ in waiting], digest([rows for _, rows, _ in waiting]))
        path = self.fresh_path()
        write_staged(path, tables)
        for number, ((_, _, staged), table) in enumerate(zip(waiting, tables, strict=True)):
            staged.pieces, staged.weight = [(path, number)], table.weight


def _drop_ruined(outcome: Outcome) -> None:
    """A table that could not be digested is no table, and a row of the report."""
    ruined = [table for table in outcome.tables if table.ruined]
    if ruined:
        outcome.tables = [table for table in outcome.tables if not table.ruined]
        outcome.reason = "; ".join(filter(None, [outcome.reason, *(f"{t.name}: {t.ruined}" for t in ruined)]))
        outcome.kept = kept(outcome.tables)


def _paths(outcome: dict[str, Any]) -> set[str]:
    return {p for table in outcome["tables"] for p in (*(path for path, _ in table["pieces"]), *table["parts"])}


def _write_receipts(staging: str, outcomes: list[tuple[str, dict[str, Any]]]) -> None:
    """Leave word of what was staged, for a run that comes after an interruption."""
    entries = {path: container.entry_of(path) for _, outcome in outcomes for path in _paths(outcome)}
    receipts = [
        {"key": key, "outcome": outcome, "entries": {path: entries[path] for path in _paths(outcome)}}
        for key, outcome in outcomes
    ]
    path = os.path.join(staging, f"{uuid.uuid4().hex}{_RECEIPTS}")
    files.write_new(f"{path}.new", [json.dumps(receipts).encode()], durable=False)
    files.rename(f"{path}.new", path)


def receipts(staging: str) -> dict[str, dict[str, Any]]:
    """What an interrupted run left word of, by unit."""
    found = {}
    for name in os.listdir(staging) if os.path.isdir(staging) else []:
        if name.endswith(_RECEIPTS):
            with (
                suppress(ValueError, KeyError, OSError),
                open(os.path.join(staging, name), encoding="utf-8") as file,
            ):
                found.update({receipt["key"]: receipt for receipt in json.load(file)})
    return found


def _is_whole(receipt: dict[str, Any]) -> bool:
    """Whether all that a receipt names is still there, to the last byte."""
    try:
        for path, entry in receipt["entries"].items():
            container.verify(path, entry)
        return True
    except Corrupt:
        return False


def _read_unit(unit: dict[str, Any], batch: _Batch, settings: Settings) -> Outcome:
    outcome = Outcome(unit["source"], unit["path"], offset=(unit.get("span") or {}).get("offset", 0))
    failures: list[tuple[str, str]] = []
    issues: list[str] = []
    members: Counter[str] = Counter()
    try:
        about = readers.describe(unit["full"], unit["sidecars"], settings.limits)
        outcome.broken = about.broken
        for raw in _open(unit, settings, failures):
            outcome.describes |= raw.describes
            if any(raw.describes.values()):
                continue  # its rows lie beside it, and are read there
            facts = _facts(unit, raw, {**_known(about), **_known(raw.about)}, members[raw.member])
            members[raw.member] += 1
            outcome.tables.append(_stage_table(raw, facts, batch, settings, in_parts=bool(unit.get("span"))))
            issues += [f"{raw.member}: {issue}" if raw.member else issue for issue in raw.issues]
            outcome.lost = outcome.lost or raw.lost
    except Unreadable as error:
        failures.append(("", str(error).removeprefix(f"{unit['full']}: ")))
        outcome.again = _is_the_machine_s_fault(error.__cause__)
    except Exception as error:  # a bad file fails its own row, whatever is wrong with it
        failures.append(("", f"unexpected {type(error).__name__}: {error}"))
        outcome.again = _is_the_machine_s_fault(error)
    faults = [f"{member}: {reason}" if member else reason for member, reason in failures]
    outcome.reason = "; ".join(faults + (issues if outcome.lost or faults else []))
    outcome.kept = kept(outcome.tables)
    return outcome


def _is_the_machine_s_fault(error: BaseException | None) -> bool:
    """An error the operating system numbered (no permission, input/output, stale handle), or no memory."""
    return isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno is not None)


def kept(tables: list[Staged]) -> str:
    rows = sum(table.rows for table in tables)
    return f"{rows:,} rows in {len(tables)} table{'' if len(tables) == 1 else 's'}" if tables else "nothing"


def _open(unit: dict[str, Any], settings: Settings, failures: list[tuple[str, str]]) -> Iterator[readers.RawTable]:
    if unit.get("span"):
        span = readers.Span(**unit["span"])
        yield readers.read_span(unit["full"], span, unit["dialect"], unit["columns"], settings.limits)
    elif unit["is_sidecar"]:
        yield from readers.open_profiles(unit["full"], settings.limits, failures)
    else:
        yield from readers.open_tables(unit["full"], settings.limits, failures=failures)


def _known(about: readers.Description | None) -> dict[str, Any]:
    return {key: value for key, value in about.__dict__.items() if value and key != "broken"} if about else {}


def _facts(unit: dict[str, Any], raw: readers.RawTable, about: dict[str, Any], repeat: int) -> Facts:
    name = f"{unit['name']}#{raw.member}" if raw.member else unit["name"]
    return Facts(
        f"{name}#{repeat + 1}" if repeat else name, unit["source"], unit["path"], raw.member, repeat, raw.format,
        bytes=unit["size"], dialect=raw.dialect, about=about, published=raw.published,
    )  # fmt: skip


def _stage_table(raw: readers.RawTable, facts: Facts, batch: _Batch, settings: Settings, in_parts: bool) -> Staged:
    """Stage one table: whole if it is small, otherwise in parts, each written as soon as it is large."""
    staged = Staged(facts.name)
    waiting: list[pa.RecordBatch] = []
    size = 0
    for piece in raw.batches():
        waiting.append(piece)
        size, staged.rows = size + piece.nbytes, staged.rows + piece.num_rows
        if size >= settings.split_bytes:
            batch.add_part(staged, digest([_table(raw, waiting)])[0])
            waiting, size = [], 0
    facts.issues, facts.dialect, facts.rows = raw.issues, raw.dialect, staged.rows
    if not staged.parts and not in_parts:
        return batch.add(facts, _table(raw, waiting))
    if waiting or not staged.parts:
        batch.add_part(staged, digest([_table(raw, waiting)])[0])
    staged.facts, staged.columns = facts.to_dict(), len(raw.columns)
    return staged


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


def load(staged: dict[str, Any], mapped: dict[str, StagedFile]) -> Table:
    """A staged table; the files it lies in are mapped once and kept in `mapped`."""
    for path, _ in staged["pieces"]:
        if path not in mapped:
            mapped[path] = StagedFile(path)
    return side_by_side([mapped[path].table(number) for path, number in staged["pieces"]])
