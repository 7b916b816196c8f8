"""How many distinct rows are held by exactly which tables?  Counted on Spark, for tables that do not fit in memory.

The same count as `bundles.count`, with the same Python code for rows, filters and hashes:

    tasks     each maps a table of the lake or a span of its rows, and gives two hashes of each distinct row that counts
    shuffle   equal rows are grouped; the tables that hold one are the bits of its mask, 63 to a word (a signed long)
    count     rows with the same mask are counted together; the driver receives a few thousand signatures

Cells do not pass through the JVM, only 20 bytes per distinct row of a table.  Frames and files, which are in the
driver's memory, are hashed by the driver.

Cost: one shuffle of the distinct rows of every table, and one of the signatures.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from mere.bundles.exact_rows import distinct_rows
from mere.bundles.filters import Filters, parse_filters
from mere.bundles.problem import Signatures
from mere.bundles.relation import Relation, relation_of_stored
from mere.bundles.schema import Reading, Schema
from mere.bundles.stored import rows_of_stored
from mere.pipeline.engine import cancellable
from mere.pipeline.sql import require_pandas, sql_session
from mere.segments import Segment, SegmentEntry
from mere.values import Form, Type

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import DataFrame, SparkSession

_ROWS_OF_TASK = 4_000_000
_ROWS_OF_CHUNK = 1 << 18  # hashes that are sent together: 4 MiB
_PARTITIONS_PER_CORE = 4  # so that no core waits long for the last one
_BITS = 63  # tables to a word


@dataclass(frozen=True)
class LakeTable:
    """A table of a lake."""

    lake: str
    segment: SegmentEntry
    number: int  # in the segment
    rows: int


Table = LakeTable | Relation  # a relation is in the driver's memory


def spark_signatures(
    tables: Sequence[Table],
    filter_texts: Sequence[str],
    schema: Schema,
    spark: SparkSession | SparkContext | None = None,
    progress: Callable[[str], None] | None = None,
) -> Signatures:
    """The signatures of these tables, the base first.

    Without `spark`, the Spark that the process runs is used, or one is started for this call.
    """
    from mere.pipeline.session import context

    require_pandas()
    question = {
        "names": schema.names,
        "types": [int(type_) for type_ in schema.types],
        "readings": [[reading.day_first, *astuple(reading.form)] for reading in schema.readings],
        "filters": list(filter_texts),
    }
    with context(None, spark) as (running, _):
        return _Count(sql_session(running, spark), json.dumps(question), progress).of(tables)


@dataclass(frozen=True)
class _Count:
    """Counts on one session; `question` is the schema and the filters, as the tasks get them."""

    session: SparkSession
    question: str
    progress: Callable[[str], None] | None

    def of(self, tables: Sequence[Table]) -> Signatures:
        tasks, words = list(self._tasks(tables)), _words(len(tables))
        if not tasks:
            return _signatures(np.zeros((0, words), np.int64), np.zeros(0, np.int64), len(tables))
        spark = self.session.sparkContext
        done = spark.accumulator(0)
        rows = _counted(self._frame(tasks), partial(_hash_rows, self.question, done), words)
        title = f"mere: count the rows of {len(tables)} tables"
        result = cancellable(spark, title, rows.toArrow, lambda: self._report(done.value, len(tasks)))
        self._report(done.value, len(tasks))
        masks = np.stack([result.column(f"word{word}").to_numpy() for word in range(words)], axis=1)
        return _signatures(masks, result.column("count").to_numpy(), len(tables))

    def _frame(self, tasks: Sequence[_Task]) -> DataFrame:
        """The tasks as rows, in partitions of about the same weight: the heaviest are dealt out first."""
        spark, rows = self.session.sparkContext, sum(task.rows for task in tasks)
        count = min(len(tasks), max(_PARTITIONS_PER_CORE * spark.defaultParallelism, -(-rows // _ROWS_OF_TASK)))
        heaviest_first = sorted(tasks, key=lambda task: -task.rows)
        packed = [[(task.reads, task.hashes) for task in heaviest_first[start::count]] for start in range(count)]
        lines = spark.parallelize(packed, count).flatMap(list)
        return self.session.createDataFrame(lines, "task string, hashes binary")

    def _tasks(self, tables: Sequence[Table]) -> Iterator[_Task]:
        _, filters = _question(self.question)
        for number, table in enumerate(tables):
            if isinstance(table, Relation):
                yield from _sent(number, table, filters)
            else:
                yield from _spans(number, table)

    def _report(self, done: int, tasks: int) -> None:
        if self.progress is not None:
            self.progress(f"counting on Spark: {done:,} of {tasks:,} parts of tables read")


class _Task(NamedTuple):
    """What is read, as JSON; or the hashes of rows that the driver hashed."""

    reads: str
    rows: int
    hashes: bytes = b""


def _sent(number: int, relation: Relation, filters: Filters) -> Iterator[_Task]:
    hashes = np.stack(distinct_rows(relation, filters), axis=1)
    for start in range(0, len(hashes), _ROWS_OF_CHUNK):
        chunk = hashes[start : start + _ROWS_OF_CHUNK]
        yield _Task(json.dumps({"table": number}), len(chunk), chunk.tobytes())


def _spans(number: int, table: LakeTable) -> Iterator[_Task]:
    stored = {"lake": table.lake, "segment": table.segment.to_dict(), "number": table.number}
    for start in range(0, table.rows, _ROWS_OF_TASK):
        span = [start, min(start + _ROWS_OF_TASK, table.rows)]
        yield _Task(json.dumps({"table": number, "stored": stored, "span": span}), span[1] - span[0])


def _counted(frame: DataFrame, hash_rows: Any, words: int) -> DataFrame:
    """One row per signature: its words, and how many rows have it."""
    from pyspark.sql import functions as sql

    rows = frame.mapInArrow(hash_rows, "first long, second long, table int")
    masks = [
        sql.expr(f"bit_or(if(table div {_BITS} = {word}, shiftleft(1L, table % {_BITS}), 0L))").alias(f"word{word}")
        for word in range(words)
    ]
    by_row = rows.groupBy("first", "second").agg(*masks)
    return by_row.groupBy(*(f"word{word}" for word in range(words))).count()


def _hash_rows(question: str, done: Any, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What a task does: the hashes of the distinct rows of each part of a table that it was given."""
    schema, filters = _question(question)
    reader = _Reader(schema)
    for batch in batches:
        for text, sent in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
            task = json.loads(text)
            if sent:
                first, second = np.frombuffer(sent, np.uint64).reshape(-1, 2).T
            else:
                first, second = distinct_rows(reader.read(task["stored"], task["span"]), filters)
            yield from _batches(first, second, task["table"])
            done.add(1)


def _batches(first: np.ndarray, second: np.ndarray, table: int) -> Iterator[pa.RecordBatch]:
    for start in range(0, len(first), _ROWS_OF_CHUNK):
        sides = [np.ascontiguousarray(side[start : start + _ROWS_OF_CHUNK]).view(np.int64) for side in (first, second)]
        numbers = np.full(len(sides[0]), table, np.int32)
        yield pa.record_batch([*map(pa.array, sides), pa.array(numbers)], names=["first", "second", "table"])


def _question(text: str) -> tuple[Schema, Filters]:
    question = json.loads(text)
    readings = tuple(Reading(day_first, form=Form(*form)) for day_first, *form in question["readings"])
    schema = Schema(tuple(question["names"]), tuple(map(Type, question["types"])), readings)
    return schema, parse_filters(question["filters"], schema)


class _Reader:
    """Reads tables in one task; a segment is opened, and its bytes are checked, once."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._opened: dict[str, Segment] = {}

    def read(self, stored: Mapping[str, Any], span: Sequence[int]) -> Relation:
        """The rows of a span of a table of a lake."""
        entry, number = SegmentEntry.from_dict(stored["segment"]), stored["number"]
        segment = self._opened.setdefault(entry.id, Segment(entry.folder(stored["lake"]), entry))
        if span[1] - span[0] == int(segment.catalog["table.rows"][number]):
            return relation_of_stored(segment, number, self._schema)
        return rows_of_stored(segment, number, self._schema, slice(*span))


def _words(tables: int) -> int:
    return -(-tables // _BITS)


def _signatures(words: np.ndarray, counts: np.ndarray, tables: int) -> Signatures:
    """From 63 tables to a word to 64, in the order that `bundles.count` has."""
    masks = np.zeros((len(words), -(-tables // 64)), np.uint64)
    for table in range(tables):
        held = (words[:, table // _BITS] >> (table % _BITS)) & 1
        masks[:, table // 64] |= held.astype(np.uint64) << np.uint64(table % 64)
    order = np.lexsort(masks.T)
    return Signatures(masks[order], counts[order].astype(np.int64), tables)
