"""Which tables does Spark know, and did one change since it was read?

What is compared, for lack of anything that all tables have:

    Delta Lake       the version, from its history
    Iceberg          the id of the current snapshot
    tables of files  the files with their sizes and times, and the schema
    frames on files  the same files, and Spark's hash of the plan, which holds within one Spark session
    anything else    nothing (views, JDBC, data in memory): such a table is read in every run
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import xxhash

from mere.errors import SparkError, UsageError
from mere.segments.named_sources import SPARK, name_in

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_REMEDY = "check the name; the catalogs are those of Spark's configuration, or of the session that was given"
_MOST_DATABASES = 50  # searched for similar names
File = tuple[str, int, int]  # its URI, bytes, and time in milliseconds; -1 if it is not there


@dataclass(frozen=True)
class SparkTable:
    """A table of a catalog, or a frame that was handed in, before it is read."""

    source: str
    frame: DataFrame
    version: str = ""  # empty if it cannot be told whether it changed
    size: int = 0  # bytes of its files, 0 if it has none

    @property
    def name(self) -> str:
        return name_in(self.source)


def is_spark_frame(frame: Any) -> bool:
    return hasattr(frame, "sparkSession") and hasattr(frame, "mapInArrow")


def table_of_frame(source: str, frame: DataFrame) -> SparkTable:
    """A frame of the caller's."""
    if not hasattr(frame, "_jdf"):
        raise SparkError(f"'{name_in(source)}' is a frame of Spark Connect", "give one of a classic SparkSession")
    if not frame.columns:
        raise UsageError(f"the frame '{name_in(source)}' has no columns", "give one with columns, or leave it out")
    files = files_of(frame)
    version = f"plan {_hash([frame.semanticHash(), files])}" if files else ""
    return SparkTable(source, frame, version, _size(files))


def table_of_catalog(session: SparkSession, name: str) -> SparkTable:
    """A table of the session's catalogs; an error with similar names if there is none."""
    from pyspark.errors import PySparkException

    with suppress(Exception):  # files may have come since the session last saw it; a path cannot be refreshed
        session.catalog.refreshTable(name)
    try:
        frame = session.table(name)
    except PySparkException as error:
        reason = str(error).strip().splitlines()[0]
        raise UsageError(f"Spark cannot open table '{name}': {reason}", _similar(session, name)) from error
    files = files_of(frame)
    return SparkTable(f"{SPARK}{name}", frame, _version(session, name, frame, files), _size(files))


def _version(session: SparkSession, name: str, frame: DataFrame, files: list[File]) -> str:
    details = _details(session, name)
    provider = details.get("Provider", "").lower()
    if provider == "delta":
        [newest] = session.sql(f"DESCRIBE HISTORY {name} LIMIT 1").collect()
        return f"delta version {newest['version']}"
    if provider == "iceberg":
        made = session.table(f"{name}.history").orderBy("made_current_at", ascending=False).limit(1).collect()
        return f"iceberg snapshot {made[0]['snapshot_id'] if made else 'none'}"
    of_files = details.get("Type") in ("MANAGED", "EXTERNAL") and files
    return f"files {_hash([frame.schema.json(), files])}" if of_files else ""


def _details(session: SparkSession, name: str) -> dict[str, str]:
    """What the catalog says of a table, below the list of its columns; nothing of a temporary view."""
    from pyspark.errors import PySparkException

    try:
        rows = [(row[0], row[1]) for row in session.sql(f"DESCRIBE TABLE EXTENDED {name}").collect()]
    except PySparkException:  # a path in the place of a name
        return {}
    start = next((place for place, (key, _) in enumerate(rows) if key.startswith("# Detailed")), len(rows))
    return dict(rows[start:])


def files_of(frame: DataFrame) -> list[File]:
    """The files that Spark would read, in the order of their names."""
    return [(uri, *_size_and_time(frame.sparkSession, uri)) for uri in sorted(frame.inputFiles())]


def _size_and_time(session: SparkSession, uri: str) -> tuple[int, int]:
    parts = urlsplit(uri)
    try:
        if parts.scheme == "file":
            facts = os.stat(unquote(parts.path))
            return facts.st_size, facts.st_mtime_ns // 1_000_000
        jvm: Any = session.sparkContext._jvm
        path = jvm.org.apache.hadoop.fs.Path(jvm.java.net.URI(uri))
        status = path.getFileSystem(session.sparkContext._jsc.hadoopConfiguration()).getFileStatus(path)
        return status.getLen(), status.getModificationTime()
    except Exception:  # whatever the file system raises: reading will tell
        return -1, -1


def _size(files: list[File]) -> int:
    return sum(max(size, 0) for _, size, _ in files)


def _hash(deciding: list[Any]) -> str:
    return xxhash.xxh3_64_hexdigest(json.dumps(deciding).encode())


def _similar(session: SparkSession, name: str) -> str:
    """The remedy for a table that does not exist: the most similar names."""
    from rapidfuzz import fuzz, process

    known = _tables_in(session, name.rpartition(".")[0]) or [
        table
        for row in session.sql("SHOW DATABASES").limit(_MOST_DATABASES).collect()
        for table in _tables_in(session, row[0])
    ]
    similar = [table for table, _, _ in process.extract(name, known, scorer=fuzz.ratio, limit=3, score_cutoff=60)]
    return f"did you mean {' or '.join(similar)}?" if similar else _REMEDY


def _tables_in(session: SparkSession, database: str) -> list[str]:
    from pyspark.errors import PySparkException

    try:
        rows = session.sql(f"SHOW TABLES IN {database}" if database else "SHOW TABLES").collect()
    except PySparkException:
        return []
    return [f"{database}.{row['tableName']}" if database else row["tableName"] for row in rows]
