"""How are the parts of a table staged?  This runs inside a task.

The rows of many small parts go into one block, those of a large part into several; each part remembers where its rows
lie.  Nothing is decided that needs the other parts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field

import pyarrow as pa

from mere import readers
from mere.errors import Unreadable
from mere.pipeline.own_writes import NOT_OF_THE_FILE, own_write
from mere.pipeline.records import JSON, PartOf, Run, StagedPart, Unit
from mere.readers import Limits, RawTable, columns_with_values, top_of, values_of_object, with_first_row, with_values
from mere.segments import digest

_Key = tuple[str, str, str]  # source, dataset, member
_LARGE_OBJECT = 1 << 16  # bytes
OpenFile = Callable[[Limits], Iterable[RawTable]]


@dataclass
class PartBeingStaged:
    """Becomes a `StagedPart` once its rows are written."""

    key: _Key
    format: str = ""
    columns: dict[str, None] = field(default_factory=dict)  # in order
    rows: int = 0
    runs: list[Run] = field(default_factory=list)
    issues: list[str] = field(default_factory=list)
    lost: bool = False
    top: tuple[str, ...] = ()
    named: bool = False
    typed: bool = False
    fault: str = ""  # why it could not be written

    def done(self) -> StagedPart:
        runs = tuple(joined_runs(self.runs))
        return StagedPart(
            self.key[2], self.format, tuple(self.columns), self.rows, runs, tuple(self.issues), self.lost,
            self.top, self.named, self.typed,
        )  # fmt: skip


def joined_runs(runs: list[Run]) -> list[Run]:
    """The same rows in as few runs as possible.

    >>> joined_runs([Run("a", 0, 2), Run("a", 2, 5), Run("b", 0, 1)])
    [Run(block='a', start=0, stop=5), Run(block='b', start=0, stop=1)]
    """
    joined: list[Run] = []
    for run in runs:
        if joined and joined[-1].block == run.block and joined[-1].stop == run.start:
            joined[-1] = joined[-1]._replace(stop=run.stop)
        else:
            joined.append(run)
    return joined


def as_parts(part: PartOf | None, limits: Limits, open_file: OpenFile, size: int) -> tuple[bool, Iterable[RawTable]]:
    """Whether the tables of a file are staged as parts, and the tables; of JSON files, only objects, with one row.

    A large JSON file is seldom one row: it is opened as a file of its own first.
    """
    if part is None:
        return False, open_file(limits)
    if part.kind != JSON:
        return True, open_file(limits.of_part())
    if size > _LARGE_OBJECT:
        with suppress(Unreadable):
            known = list(open_file(limits))
            if any(raw.member == "" and _records(raw) > 1 for raw in known):
                return False, known
    known = list(open_file(limits.of_part()))
    if any(raw.member == "" and _records(raw) <= 1 and _rows(raw) == 1 for raw in known):
        return True, known
    return False, open_file(limits)


def _records(raw: RawTable) -> int:
    """The rows of a table of a JSON document; 0 if it does not say."""
    return int(raw.dialect.get("records", 0))


def _rows(raw: RawTable) -> int:
    return sum(batch.num_rows for batch in raw.batches())


class PartBlocks:
    """Rows of parts that wait to be written together."""

    def __init__(self, new_path: Callable[[], str], block_bytes: int) -> None:
        self._new_path, self._block_bytes = new_path, block_bytes
        self._waiting: list[tuple[PartBeingStaged, pa.RecordBatch]] = []
        self._size = 0

    def add(self, unit: Unit, raw: RawTable, member: str) -> PartBeingStaged:
        """Take the rows of one table of a part."""
        assert unit.part
        values = unit.part.values
        if unit.part.kind == JSON:
            values = values_of_object(values, raw.columns)
        part = PartBeingStaged((unit.source, unit.part.dataset, member))
        if not member and not (unit.span and unit.span.offset):
            part.top, part.named = top_of(raw)
            raw = with_first_row(raw, unit.part.first_row)
        left_out = list(unit.part.left_out)
        for batch in raw.batches():
            rows = with_values(batch.drop_columns(left_out) if left_out else batch, values)
            part.columns |= dict.fromkeys(rows.schema.names)
            part.rows += rows.num_rows
            self._waiting.append((part, rows))
            self._size += rows.nbytes
            if self._size >= self._block_bytes:
                self.write_waiting()
        part.columns = part.columns or dict.fromkeys(
            columns_with_values((name for name in raw.columns if name not in left_out), values)
        )
        part.format, part.issues, part.lost, part.typed = raw.format, list(raw.issues), raw.lost, raw.typed
        if replaced := [name for name in values if name in raw.columns]:
            names = ", ".join(f"'{name}'" for name in replaced)
            part.issues.append(f"the values of {names} are those of the partition, not those of the file")
        return part

    def write_waiting(self) -> None:
        """Write one block per table; if that fails, one per batch, so that only bad parts fail."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        tables: dict[_Key, list[tuple[PartBeingStaged, pa.RecordBatch]]] = defaultdict(list)
        for part, batch in waiting:
            tables[part.key].append((part, batch))
        for together in tables.values():
            try:
                self._write(together)
            except NOT_OF_THE_FILE:
                raise
            except Exception:
                for part, batch in together:
                    try:
                        self._write([(part, batch)])
                    except NOT_OF_THE_FILE:
                        raise
                    except Exception as error:
                        part.fault = f"unexpected {type(error).__name__}: {error}"

    def _write(self, together: list[tuple[PartBeingStaged, pa.RecordBatch]]) -> None:
        path, start = self._new_path(), 0
        [block] = digest([readers.concatenated([batch for _, batch in together], [])])
        with own_write(path):
            block.write(path)
        for part, batch in together:
            part.runs.append(Run(path, start, start + batch.num_rows))
            start += batch.num_rows
