"""Which raw files is a snapshot made of, and what became of each?  One JSON record per file, in one container."""

from __future__ import annotations

import json
import os
import uuid

from mere.pipeline.records import FileRecord
from mere.segments import NamedFile, Snapshot
from mere.store import Container, Strings, container, files

VERSION = 1


def read_records(lake: str, snapshot: Snapshot) -> list[FileRecord]:
    if not snapshot.files:
        return []
    path = os.path.join(lake, snapshot.files.path)
    lines = Strings.mapped(Container(path, "files", VERSION, snapshot.files.entry), "record").tolist()
    return [FileRecord.from_dict(json.loads(line)) for line in lines]


def write_records(lake: str, records: list[FileRecord]) -> NamedFile:
    """Write all records under a new name; return the entry for the snapshot."""
    folder = os.path.join(lake, "files")
    files.make_folder(folder)
    name = f"{uuid.uuid4().hex}.idx"
    ordered = sorted(records, key=lambda record: record.key)
    lines = Strings.of(json.dumps(record.to_dict(), ensure_ascii=False, sort_keys=True) for record in ordered)
    entry = container.write(os.path.join(folder, name), "files", VERSION, lines.arrays("record"))
    files.sync_folder(folder)
    return NamedFile(f"files/{name}", entry)


def quarantine(records: list[FileRecord]) -> list[dict[str, str]]:
    """The report: every file that could not be read, or only in part."""
    return [{"path": record.path, "reason": record.reason, "kept": record.kept} for record in records if record.reason]
