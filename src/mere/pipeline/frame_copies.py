"""How is a frame kept in the lake, so that its rows can be read again?

As a Parquet file, LAKE/frames/ID.parquet, complete and synced before the snapshot that names it, and deleted when no
kept snapshot names it any more.  Tasks read it like any raw file.  The hash of its content is part of it, so that the
same frame is recognised when it is given again.
"""

from __future__ import annotations

import os
import uuid

import pyarrow as pa
import pyarrow.parquet as pq

from mere.pipeline.frames import slices
from mere.segments import NamedFile
from mere.store import files, plain

VERSION = 1
_CONTENT = b"mere.content"


def write_copy(lake: str, table: pa.Table, content: str) -> NamedFile:
    """Write the copy under a new name; return the entry for the snapshot."""
    files.make_folder(os.path.join(lake, "frames"))
    path = f"frames/{uuid.uuid4().hex}.parquet"
    full = os.path.join(lake, path)
    facts = {b"mere.kind": b"frame", b"mere.version": str(VERSION).encode(), _CONTENT: content.encode()}
    schema = table.schema.with_metadata(facts)
    with files.written_aside(full) as aside, pq.ParquetWriter(aside, schema, compression="zstd") as writer:
        for batch in slices(table):
            writer.write_batch(batch.replace_schema_metadata(facts))
    return NamedFile(path, plain.entry_of(full, VERSION))


def content_of_copy(lake: str, copy: NamedFile) -> str:
    """The hash of the content of a copy, which is checked to the last byte."""
    full = os.path.join(lake, copy.path)
    plain.verify(full, copy.entry)
    return pq.read_metadata(full).metadata[_CONTENT].decode()
