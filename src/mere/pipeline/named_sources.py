"""What do the frames and Spark tables of a run hold now, and where are their rows read?

A frame that is handed in is compared by its content, a Spark table by its version.  Frames that are not handed in this
time stay as they are; tables of a catalog are looked up in every run.  If everything is read again, or a frame is
stale, it is read from its copy in the lake.

The copy is a Parquet file (FORMAT.md), synced before the snapshot that names it; tasks read it like any raw file.  The
hash of its content is part of it, so that the same frame is recognised when it is given again.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import xxhash

from mere.errors import LakeError, MereError
from mere.pipeline.frames import content_of, slices, table_of
from mere.pipeline.given import Given
from mere.pipeline.scan import RawFile
from mere.pipeline.spark_tables import SparkTable, is_spark_frame, table_of_catalog, table_of_frame
from mere.pipeline.sql import errors_not_printed
from mere.segments import NamedFile
from mere.segments.named_sources import SPARK, is_path, name_in
from mere.store import files, plain

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COPY_VERSION = 1
_CONTENT = b"mere.content"


def write_copy(lake: str, table: pa.Table, content: str) -> NamedFile:
    """Write the copy of a frame under a new name; return the entry for the snapshot."""
    files.make_folder(os.path.join(lake, "frames"))
    path = f"frames/{uuid.uuid4().hex}.parquet"
    full = os.path.join(lake, path)
    facts = {b"mere.kind": b"frame", b"mere.version": str(COPY_VERSION).encode(), _CONTENT: content.encode()}
    schema = table.schema.with_metadata(facts)
    with files.written_aside(full) as aside, pq.ParquetWriter(aside, schema, compression="zstd") as writer:
        for batch in slices(table):
            writer.write_batch(batch.replace_schema_metadata(facts))
    return NamedFile(path, plain.entry_of(full, COPY_VERSION))


def content_of_copy(lake: str, copy: NamedFile) -> str:
    """The hash of the content of a copy, which is checked to the last byte."""
    full = os.path.join(lake, copy.path)
    plain.verify(full, copy.entry)
    return pq.read_metadata(full).metadata[_CONTENT].decode()


@dataclass
class NamedSources:
    """The frames and Spark tables of one run."""

    lake: str
    given: Given
    copies: dict[str, NamedFile]  # of frames, as the last snapshot names them; later, as the new one does
    session: Callable[[], SparkSession]  # started when first needed
    spark: dict[str, SparkTable] = field(default_factory=dict)  # by source
    notes: list[str] = field(default_factory=list)
    _tables: dict[str, pa.Table] = field(default_factory=dict)
    _versions: dict[str, str] = field(default_factory=dict)  # what was compared, by source

    def look(self, sources: Iterable[str], everything: bool, stale: Container[str] = ()) -> list[RawFile]:
        """The frames and tables among the sources that are compared with the last run, or all are read again."""
        named = [source for source in sources if not is_path(source)]
        return [file for source in named if (file := self._file(source, source in stale, everything))]

    def _file(self, source: str, stale: bool, everything: bool) -> RawFile | None:
        if source in self.given.frames:
            return self._of_frame(source, self.given.frames[source])
        if source.startswith(SPARK):
            return self._of_catalog(source, everything)
        try:
            return self._of_copy(source) if everything or stale else None
        except MereError as error:
            if everything:
                raise
            self.notes.append(f"source '{source}' is kept as it was: {error}")
            return None

    def _of_frame(self, source: str, frame: Any) -> RawFile:
        if is_spark_frame(frame):
            return self._of_spark(table_of_frame(source, frame))
        table = self._tables[source] = table_of(name_in(source), frame)
        self._versions[source] = content_of(table)
        return RawFile(source, name_in(source), table.nbytes, 0)

    def _of_catalog(self, source: str, everything: bool) -> RawFile | None:
        """A table of a catalog; one that was not named in this run may be out of reach, and is then kept."""
        try:
            session = self.session()
            with errors_not_printed():
                return self._of_spark(table_of_catalog(session, name_in(source)))
        except MereError as error:
            if source in self.given.sources:
                raise
            if everything:
                raise LakeError(f"source '{source}' cannot be read again: {error.message}", error.remedy) from error
            self.notes.append(f"source '{source}' is kept as it was: {error.message}; forget=['{source}'] drops it")
            return None

    def _of_spark(self, table: SparkTable) -> RawFile:
        self.spark[table.source] = table
        self._versions[table.source] = table.version or uuid.uuid4().hex
        if not table.version:
            self.notes.append(f"'{table.source}' has no version that can be compared: every run reads it")
        return RawFile(table.source, table.name, table.size, 0)

    def _of_copy(self, source: str) -> RawFile:
        if source not in self.copies:
            raise LakeError(
                f"the Spark frame '{name_in(source)}' cannot be read again",
                f"hand it in, or drop it with forget=['{source}']",
            )
        copy = self.copies[source]
        self._versions[source] = content_of_copy(self.lake, copy)
        return RawFile(source, name_in(source), copy.entry.bytes, 0, at=os.path.join(self.lake, copy.path))

    def stamp(self, frames: Iterable[RawFile]) -> None:
        """Once tables have their names: what changes when the name or the content does."""
        for file in frames:
            deciding = json.dumps([file.name, self._versions[file.source]])
            file.stamp = xxhash.xxh3_64_hexdigest(deciding.encode())

    def keep_copies(self, changed: Iterable[RawFile], sources: Iterable[str]) -> None:
        """Write the copies of frames that are new or changed; those of sources that are gone are not named any more."""
        kept = set(sources) - set(self.spark)
        self.copies = {source: copy for source, copy in self.copies.items() if source in kept}
        for file in changed:
            if (table := self._tables.pop(file.source, None)) is not None:
                copy = self.copies[file.source] = write_copy(self.lake, table, self._versions[file.source])
                file.at, file.size = os.path.join(self.lake, copy.path), copy.entry.bytes
