"""How is a Spark table staged?  On the executors.

Each task turns the Arrow batches of its partition into blocks of rows, which are merged like those of a large file.
The driver receives the names and sizes of the blocks, never a cell.  Blocks are in the order of the partitions, so that
the same partitions give the same table.  A task that runs twice leaves blocks that nobody names.
"""

from __future__ import annotations

import errno
import json
import operator
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from mere.errors import LakeError, SparkError
from mere.pipeline.engine import cancellable
from mere.pipeline.own_writes import own_write
from mere.pipeline.progress import Stages
from mere.pipeline.read_sources import Outcomes
from mere.pipeline.records import Outcome, StagedTable
from mere.pipeline.scan import RawFile
from mere.pipeline.settings import Settings
from mere.pipeline.spark_tables import SparkTable
from mere.pipeline.sql import errors_not_printed, require_pandas
from mere.pipeline.stage_files import kept_in_words
from mere.readers import Limits, concatenated
from mere.readers.as_text import text_batch
from mere.readers.names import unique_names
from mere.readers.rows import cut_cells
from mere.readers.table import Findings
from mere.search.raw import STORED
from mere.segments import Facts, RowBlock, block_evidence, digest
from mere.values import Evidence

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_BLOCK = "partition int, number int, path string, rows long, bytes long, numbers string, notes string, lost boolean"


@dataclass(frozen=True)
class SparkReader:
    """Stages Spark tables in a folder that driver and executors share."""

    staging: str
    settings: Settings
    stages: Stages

    def read(self, files: Iterable[RawFile], tables: Mapping[str, SparkTable]) -> Outcomes:
        """What became of each of these; `tables` are by source."""
        outcomes: Outcomes = {}
        for file in files:
            self.stages.begin(f"read {file.source}", size=file.size)
            outcomes[file.key] = self.stage(tables[file.source], file.name)
        return outcomes

    def stage(self, table: SparkTable, name: str) -> Outcome:
        """The table, staged in blocks under this name; a table that cannot be read is reported, and tried again."""
        try:
            staged, findings = self._staged(table, name)
        except LakeError as error:
            if isinstance(error, SparkError) or os.strerror(errno.ENOSPC) in error.message:
                raise  # the machine's fault, not the table's
            return Outcome(table.source, table.name, reason=error.message, again=True)
        reason = "; ".join(findings.sentences()) if findings.lost else ""
        kept = kept_in_words((staged,))
        return Outcome(table.source, table.name, (staged,), reason, kept, findings.lost)

    def _staged(self, table: SparkTable, name: str) -> tuple[StagedTable, Findings]:
        require_pandas()
        columns = unique_names(table.frame.columns)
        task = {"staging": self.staging, "columns": columns, "limits": self.settings.limits.to_dict()}
        task["split_bytes"] = self.settings.split_bytes
        stage_partition = partial(_stage_partition, json.dumps(task))

        def collect() -> pa.Table:
            return _convertible(table.frame).mapInArrow(stage_partition, _BLOCK).toArrow()

        context = table.frame.sparkSession.sparkContext
        with errors_not_printed():
            collected = cancellable(context, f"mere: read {table.name}", collect, lambda: None)
        return _assembled(_in_order(collected, columns, self.staging), table, name, columns)


def _convertible(frame: DataFrame) -> DataFrame:
    """The frame with numbers as names, which need no quotes; as text what Arrow has no type for, or only as bytes."""
    numbered = frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))
    fields = numbered.schema.fields
    texts = [field.name for field in fields if field.dataType.simpleString().startswith(("variant", "interval"))]
    return numbered.withColumns({name: numbered[name].cast("string") for name in texts}) if texts else numbered


def _has_fractions(frame: DataFrame) -> bool:
    return any(field.dataType.typeName() in ("float", "double", "decimal") for field in frame.schema.fields)


def _stage_partition(task_text: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What a task does: write blocks, return their names, and count what was cut."""
    from pyspark import TaskContext

    task, findings = json.loads(task_text), Findings()
    running = TaskContext.get()
    partition = running.partitionId() if running else 0
    number, waiting, size = 0, [], 0
    limits = Limits.from_dict(task["limits"])
    for batch in batches:
        waiting.append(cut_cells(text_batch(batch, task["columns"]), limits, findings))
        size += waiting[-1].nbytes
        if size >= task["split_bytes"]:
            yield _record(partition, number, _write(task, waiting), findings)
            number, waiting, size, findings = number + 1, [], 0, Findings()
    if waiting:
        yield _record(partition, number, _write(task, waiting), findings)


def _write(task: dict[str, Any], waiting: list[pa.RecordBatch]) -> Written:
    """Write a block."""
    [block] = digest([concatenated(waiting, task["columns"])])
    return write_block(task["staging"], block)


class Written(NamedTuple):
    """A block that was staged."""

    path: str
    rows: int
    bytes: int
    numbers: str  # how its numbers are written: `Evidence` as JSON


def write_block(staging: str, block: RowBlock) -> Written:
    path = os.path.join(staging, f"{uuid.uuid4().hex}.idx")
    with own_write(path):
        block.write(path)
    return Written(path, block.rows, os.path.getsize(path), json.dumps(block_evidence(block).to_list()))


def _record(partition: int, number: int, block: Written, findings: Findings) -> pa.RecordBatch:
    cells = [partition, number, *block, json.dumps(findings.counts()), findings.lost]
    types = [pa.int32(), pa.int32(), pa.string(), pa.int64(), pa.int64(), pa.string(), pa.string(), pa.bool_()]
    names = [part.split()[0] for part in _BLOCK.split(", ")]
    arrays = [pa.array([cell], type) for cell, type in zip(cells, types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, names=names)


def _in_order(collected: pa.Table, columns: list[str], staging: str) -> list[dict[str, Any]]:
    """The blocks in the order of the rows; a table without rows has one without rows."""
    blocks = sorted(collected.to_pylist(), key=lambda block: (block["partition"], block["number"]))
    if blocks:
        return blocks
    [empty] = digest([concatenated([], columns)])
    return _record(0, 0, write_block(staging, empty), Findings()).to_pylist()


def _assembled(
    blocks: list[dict[str, Any]], table: SparkTable, name: str, columns: list[str]
) -> tuple[StagedTable, Findings]:
    """The table of these blocks, and what was cut in all of them."""
    findings = Findings()
    for block in blocks:
        for sentence, count in json.loads(block["notes"]).items():
            findings.note(sentence, count, lost=block["lost"])
    rows, weight = (sum(block[key] for block in blocks) for key in ("rows", "bytes"))
    facts = Facts(
        name, table.source, table.name, format="spark", rows=rows, bytes=table.size,
        dialect={"version": table.version, "blocks": len(blocks)}, issues=[*findings.sentences(), STORED],
        lost=findings.lost, numbers={"typed": True} if _has_fractions(table.frame) else {},
    )  # fmt: skip
    paths = tuple(block["path"] for block in blocks)
    evidence = reduce(operator.add, (Evidence.from_list(json.loads(block["numbers"])) for block in blocks))
    return StagedTable(name, rows, len(columns), weight, blocks=paths, facts=facts, evidence=evidence), findings
