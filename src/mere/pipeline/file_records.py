"""Which raw files is a snapshot made of, and what became of each?  One JSON record per file, in one container."""

from __future__ import annotations

import json
import os
import uuid
from dataclasses import replace

from mere.pipeline.records import FileRecord
from mere.segments import NamedFile, Snapshot
from mere.segments.datasets import FILES_VERSION as VERSION
from mere.segments.datasets import Dataset, dataset_arrays
from mere.segments.sources import source_from_stored, stored_source
from mere.store import Container, Strings, container, files


def read_records(lake: str, snapshot: Snapshot) -> list[FileRecord]:
    if not snapshot.files:
        return []
    path = os.path.join(lake, snapshot.files.path)
    lines = Strings.mapped(Container(path, "files", VERSION, snapshot.files.entry), "record").tolist()
    records = [FileRecord.from_dict(json.loads(line)) for line in lines]
    located = {source: source_from_stored(lake, source) for source in {record.source for record in records}}
    return [replace(record, source=located[record.source]) for record in records]


def write_records(lake: str, records: list[FileRecord], datasets: list[Dataset]) -> NamedFile:
    """Write all records under a new name; return the entry for the snapshot."""
    folder = os.path.join(lake, "files")
    files.make_folder(folder)
    name = f"{uuid.uuid4().hex}.idx"
    stored = {source: stored_source(lake, source) for source in {record.source for record in records}}
    ordered = sorted(records, key=lambda record: record.key)
    documents = ({**record.to_dict(), "source": stored[record.source]} for record in ordered)
    lines = Strings.of(json.dumps(document, ensure_ascii=False, sort_keys=True) for document in documents)
    arrays = {**lines.arrays("record"), **dataset_arrays(lake, datasets)}
    entry = container.write(os.path.join(folder, name), "files", VERSION, arrays)
    files.sync_folder(folder)
    return NamedFile(f"files/{name}", entry)


def quarantine(records: list[FileRecord]) -> list[dict[str, str]]:
    """The report: every file that could not be read, or only in part."""
    return [{"path": record.path, "reason": record.reason, "kept": record.kept} for record in records if record.reason]
