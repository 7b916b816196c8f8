"""Which raw files stand behind a snapshot, and what became of each?  One JSON record a file, in one container.

A record holds source, path, size, modified, stamp, refused, tables (their names), metadata (it is a sidecar),
reason and kept (for the quarantine report); of a profile also what it describes, and whether that lies beside it.
"""

from __future__ import annotations

import json
import os
import uuid
from typing import Any

from mere.segments import Snapshot
from mere.store import Container, Strings, container, files

VERSION = 1
Record = dict[str, Any]


def read_records(lake: str, snapshot: Snapshot) -> list[Record]:
    if not snapshot.files:
        return []
    arrays = Container(os.path.join(lake, snapshot.files["file"]), "files", VERSION, snapshot.files)
    return [json.loads(line) for line in Strings.mapped(arrays, "record").tolist()]


def write_records(lake: str, records: list[Record]) -> dict[str, Any]:
    """Write all records under a fresh name; return the entry for the snapshot."""
    folder = os.path.join(lake, "files")
    files.make_folder(folder)
    name = f"{uuid.uuid4().hex}.idx"
    ordered = sorted(records, key=lambda record: (record["source"], record["path"]))
    lines = Strings.of(json.dumps(record, ensure_ascii=False, sort_keys=True) for record in ordered)
    entry = container.write(os.path.join(folder, name), "files", VERSION, lines.arrays("record"))
    files.sync_folder(folder)
    return {"file": f"files/{name}", **entry}


def quarantine(records: list[Record]) -> list[dict[str, str]]:
    """The report: every file that could not be read, or only in part."""
    return [
        {"path": record["path"], "reason": record["reason"], "kept": record["kept"]}
        for record in records
        if record["reason"]
    ]
