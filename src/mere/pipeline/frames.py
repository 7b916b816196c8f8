"""What is the table of a frame that was handed in: pandas, polars, Arrow, or what gives Arrow batches?

Cells become what the same frame gives as a question (`search.given`), so that a frame that is indexed finds itself.
A named index of pandas becomes columns, before the others; an index without a name is left out.  Columns without a
name, or with a name that occurs twice, are named as those of files.  A type that Parquet does not have becomes text.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Iterator
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import xxhash

from mere.errors import UsageError
from mere.pipeline.spark_tables import is_spark_frame
from mere.readers.as_text import as_text
from mere.readers.names import unique_names
from mere.readers.table import BATCH_BYTES, BATCH_ROWS
from mere.search.given.frames import array_of, dates_of, is_frame, is_lazy, to_arrow

_REMEDY = "give a pandas, polars, Arrow or Spark frame, or a reader of Arrow batches"


def check_frame(name: str, frame: Any) -> None:
    """Refuse what is not a frame; cheap, so that it can be done before anything else."""
    if isinstance(frame, str | os.PathLike):
        remedy = f"give paths beside the frames: mere.index(['{os.fspath(frame)}', {{...}}], lake)"
        raise UsageError(f"'{name}' must be a frame, got the path '{os.fspath(frame)}'", remedy)
    if not is_any_frame(frame):
        raise UsageError(f"'{name}' must be a frame, got {type(frame).__name__}", _REMEDY)


def is_any_frame(given: Any) -> bool:
    """Whether it is a frame of any library, or a reader of Arrow batches."""
    return is_lazy(given) or is_frame(given) or is_spark_frame(given) or hasattr(given, "__arrow_c_stream__")


def table_of(name: str, frame: Any) -> pa.Table:
    """The frame as Arrow, as it is kept and indexed."""
    table = _arrow(frame.collect() if is_lazy(frame) else frame)
    if not table.num_columns:
        raise UsageError(f"the frame '{name}' has no columns", "give one with columns, or leave it out")
    columns = [_storable(dates_of(_decoded(column))) for column in table.columns]
    return pa.table(columns, names=unique_names(table.column_names))


def _arrow(frame: Any) -> pa.Table:
    if hasattr(frame, "iloc"):
        return _pandas(frame)
    return to_arrow(frame) if is_frame(frame) else _spooled(pa.RecordBatchReader.from_stream(frame))


def _pandas(frame: Any) -> pa.Table:
    """With the levels of the index that have names, and the levels of several headers joined."""
    levels = [(name, place) for place, name in enumerate(frame.index.names) if name is not None]
    index = [array_of(frame.index.get_level_values(place).to_series()) for _, place in levels]
    headers = [_header(name) for name in [*(name for name, _ in levels), *frame.columns]]
    return pa.table([*index, *to_arrow(frame).columns], names=headers)


def _header(name: Any) -> str:
    """The name of a column; of several headers, those that are not empty."""
    return " ".join(str(part) for part in name if str(part)) if isinstance(name, tuple) else str(name)


def _spooled(reader: pa.RecordBatchReader) -> pa.Table:
    """The batches of a reader, which can be read only once, mapped from a temporary file without a name."""
    with tempfile.TemporaryFile() as file:
        with pa.ipc.new_stream(file, reader.schema) as writer:
            for batch in reader:
                writer.write_batch(batch)
        file.flush()
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return pa.ipc.open_stream(pa.py_buffer(mapped)).read_all()


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Categories as their values."""
    if not pa.types.is_dictionary(column.type):
        return column
    return pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks], column.type.value_type)


def _storable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if _is_in_parquet(column.type):
        return column
    return pa.chunked_array([as_text(chunk) for chunk in column.chunks], pa.string())


@cache
def _is_in_parquet(data_type: pa.DataType) -> bool:
    """Whether a column of this type can be written, and read as it was."""
    sink = pa.BufferOutputStream()
    try:
        pq.write_table(pa.table({"column": pa.array([], data_type)}), sink)
        return bool(pq.read_schema(pa.BufferReader(sink.getvalue())).field(0).type == data_type)
    except (pa.ArrowException, NotImplementedError, TypeError):
        return False


def slices(table: pa.Table) -> Iterator[pa.RecordBatch]:
    """The rows in batches of limited rows and bytes, however the table's own chunks are."""
    step = min(BATCH_ROWS, max(64, BATCH_BYTES * max(table.num_rows, 1) // max(table.nbytes, 1)))
    for start in range(0, table.num_rows, step):
        [batch] = table.slice(start, step).combine_chunks().to_batches()
        yield batch


def content_of(table: pa.Table) -> str:
    """A hash of all cells, types and names: equal only if these are, whatever the chunks."""
    schema = table.schema.remove_metadata()
    digest = xxhash.xxh3_128(schema.serialize())
    for batch in slices(table):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, schema) as stream:  # with the dictionaries of nested categories
            stream.write_batch(batch)
        digest.update(sink.getvalue())
    return digest.hexdigest()
