"""What one task does.  Every function takes and returns plain JSON, so that any engine can carry it.

    sniff      how is this large file written, and can it be cut?
    quotes     how many quotes has this chunk of it?
    read       stage some files, or some spans of a file
    merge      unite some columns of a table that was staged in parts
    build      make a segment of some tables
    search     put questions to a segment

A task may run twice (Spark retries and speculates): whatever it writes has a fresh name, and only what it returns
is ever looked at.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from mere import readers
from mere.answers import found_to_dict
from mere.errors import Unreadable
from mere.indexes import KINDS
from mere.indexes.kind import Arrays, part_at
from mere.indexes.probe import unpacked
from mere.pipeline import reading
from mere.pipeline.pairs import pairs
from mere.pipeline.settings import Settings
from mere.search.ask import answer
from mere.segments import (
    Facts,
    Part,
    Segment,
    StagedFile,
    Table,
    merge,
    summarise,
    write_segment,
    write_staged,
)
from mere.store import Container, container, files

Payload = dict[str, Any]


def sniff(payload: Payload) -> Payload:
    settings = Settings.from_dict(payload["settings"])
    try:
        table = readers.sniff_splittable(payload["full"], settings.limits)
    except Unreadable:
        table = None  # the reading task will say why
    return {"dialect": table.dialect, "columns": table.columns} if table else {}


def quotes(payload: Payload) -> Payload:
    scan = readers.scan_chunk(payload["full"], payload["offset"], payload["length"], payload["dialect"])
    return asdict(scan)


def read(payload: Payload) -> Payload:
    settings = Settings.from_dict(payload["settings"])
    return {"outcomes": list(reading.read_units(payload["units"], payload["staging"], settings))}


def merge_columns(payload: Payload) -> Payload:
    columns = range(*payload["columns"])
    part = merge([Part.read(path) for path in payload["parts"]], columns)
    [table] = summarise([Facts(**payload["facts"])], [part])
    path = os.path.join(payload["staging"], f"{uuid.uuid4().hex}.idx")
    write_staged(path, [table])
    return {"piece": (path, 0), "weight": table.weight}


def build(payload: Payload) -> Payload:
    """One segment: the core files, then one file per kind.  All synced before the entry is returned."""
    folder = os.path.join(payload["lake"], "segments", uuid.uuid4().hex)
    entry = write_segment(folder, load_tables(payload["lake"], payload["tables"], payload["segments"]))
    segment = Segment(folder, entry)
    for name, kind in sorted(KINDS.items()):
        arrays = kind.build(segment, load_trained(payload["lake"], payload["trained"], name), payload["settings"])
        path = os.path.join(folder, f"{name}.idx")
        entry["files"][f"{name}.idx"] = container.write(path, name, kind.version, arrays)
    files.sync_folder(folder)
    files.sync_folder(os.path.dirname(folder))
    return {"entry": entry}


def load_tables(lake: str, tables: list[Payload], segments: dict[str, Payload]) -> list[Table]:
    """Tables that were just staged, and tables that already lie in segments; each file is mapped once."""
    opened = {id: Segment(os.path.join(lake, "segments", id), entry) for id, entry in segments.items()}
    mapped: dict[str, StagedFile] = {}
    return [
        opened[table["segment"]].table(table["number"]) if "segment" in table else reading.load(table, mapped)
        for table in tables
    ]


def load_trained(lake: str, trained: Payload, name: str) -> Arrays:
    """What a kind learnt when the lake was made; nothing, if it had nothing to learn."""
    entry = trained[name]
    if "file" not in entry:
        return {}
    return Container(os.path.join(lake, entry["file"]), f"trained-{name}", KINDS[name].version, entry)


def search(payload: Payload) -> Payload:
    """The answer of one segment to each of several probes."""
    kind = KINDS[payload["kind"]]
    part = part_at(kind, payload["lake"], payload["segment"])
    probes = map(unpacked, payload["probes"])
    return {"answers": [found_to_dict(answer(kind, [part], probe, payload["k"], payload["per"])) for probe in probes]}


TASKS: dict[str, Callable[[Payload], Payload]] = {
    "sniff": sniff,
    "quotes": quotes,
    "read": read,
    "merge": merge_columns,
    "build": build,
    "search": search,
    "pairs": pairs,
}
