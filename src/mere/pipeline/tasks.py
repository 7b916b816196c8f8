"""What one task does.  Every function takes and returns plain JSON (see `payloads`), so that any engine can run it.

    sniff      how is this large file written, and can it be cut?
    quotes     how many quotes has this chunk of it?
    read       stage some files, or some spans of a file
    merge      unite some columns of a table that was staged in blocks of rows
    unite      unite some columns of a table whose rows are those of several files
    settle     decide what needs all rows of these columns
    build      make a segment of some tables
    search     put questions to a segment
    pairs      join the columns of two segments

A task may run twice (Spark retries and speculates): whatever it writes has a new name, and only what it returns is
used.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any

from mere import readers
from mere.answers import found_to_dict
from mere.errors import Unreadable
from mere.indexes import KINDS
from mere.indexes.kind import Arrays, part_at
from mere.indexes.probe import unpacked
from mere.pipeline import careful, stage_files
from mere.pipeline.pairs import pairs
from mere.pipeline.payloads import BuildTask, CountQuotesTask, MergeTask, ReadTask, SniffTask, UniteTask
from mere.pipeline.records import Piece, StoredTable, TableToBuild
from mere.search.asking.ask import unmarked_answer
from mere.segments import (
    SKETCHES,
    RowBlock,
    Segment,
    SegmentEntry,
    StagedFile,
    Table,
    TrainedEntry,
    block_evidence,
    merge,
    summarise,
    write_segment,
    write_sketches,
    write_staged,
)
from mere.segments.open_snapshot import telling_damage, verify_segment
from mere.segments.unite import dropped_spellings, nulls_hold, stored_block, unite_columns, with_commas, with_examples
from mere.store import Container, container, files

Payload = dict[str, Any]


def sniff(payload: Payload) -> Payload:
    task = SniffTask.from_dict(payload)
    try:
        table = careful.sniff(task)
    except Unreadable:
        table = None  # the reading task will report why
    return {"dialect": table.dialect, "columns": table.columns} if table else {}


def quotes(payload: Payload) -> Payload:
    task = CountQuotesTask.from_dict(payload)
    return asdict(readers.scan_chunk(task.full, task.offset, task.length, dict(task.dialect)))


def read(payload: Payload) -> Payload:
    task = ReadTask.from_dict(payload)
    return {"outcomes": [outcome.to_dict() for outcome in careful.read(task)]}


def merge_columns(payload: Payload) -> Payload:
    task = MergeTask.from_dict(payload)
    block = merge([RowBlock.read(path) for path in task.blocks], range(task.first_column, task.last_column))
    [table] = summarise([task.facts], [block], readings=task.readings)
    path = os.path.join(task.staging, f"{uuid.uuid4().hex}.idx")
    write_staged(path, [table])
    return {"piece": Piece(path, 0), "weight": table.weight}


def unite(payload: Payload) -> Payload:
    """A block of these columns, and what its cells are; not if a spelling of null in stored rows may be data."""
    task = UniteTask.from_dict(payload)
    blocks = [RowBlock.read(path) for path in task.blocks]
    if task.stored and task.segment:
        segment = Segment(task.segment.folder(task.lake), task.segment)
        blocks.append(with_commas(stored_block(segment, task.stored.number, task.columns), task.comma))
    block = unite_columns(blocks, task.rows, task.columns)
    sets = [block.values.slice(*block.starts[c : c + 2].tolist()) for c in range(len(task.columns))]
    unseen = [task.dropped.get(name, []) for name in task.columns]
    if not all(map(nulls_hold, sets, unseen)):
        return {"holds": False}
    path = os.path.join(task.staging, f"{uuid.uuid4().hex}.idx")
    block.write(path)
    fresh = unite_columns(blocks, [rows for rows in task.rows if rows[0] < len(task.blocks)], task.columns)
    evidence = {"fresh": block_evidence(fresh).to_list(), "united": block_evidence(block).to_list()}
    return {"holds": True, "block": path, "weight": os.path.getsize(path), **evidence}


def settle(payload: Payload) -> Payload:
    """The piece of a table that was united, once it is known how its numbers are read."""
    task = MergeTask.from_dict(payload)
    block = RowBlock.read(task.blocks[0])
    [table] = summarise([task.facts], [block], readings=task.readings)
    path = os.path.join(task.staging, f"{uuid.uuid4().hex}.idx")
    write_staged(path, [with_examples(table)])
    return {"piece": Piece(path, 0), "weight": table.weight, "dropped": dropped_spellings(block, table)}


def build(payload: Payload) -> Payload:
    """One segment: core files, sketches of rows, one file per kind.  All synced before the entry is returned."""
    task = BuildTask.from_dict(payload)
    folder = os.path.join(task.lake, "segments", uuid.uuid4().hex)
    entry = write_segment(folder, load_tables(task.lake, task.tables, task.segments))
    segment = Segment(folder, entry)
    entry = entry.with_file(SKETCHES, write_sketches(segment, task.settings["sketch_size"]))
    for name, kind in sorted(KINDS.items()):
        arrays = kind.build(segment, load_trained(task.lake, task.trained, name), task.settings)
        path = os.path.join(folder, f"{name}.idx")
        entry = entry.with_file(f"{name}.idx", container.write(path, name, kind.version, arrays))
    files.sync_folder(folder)
    return {"entry": entry.to_dict()}


def load_tables(lake: str, tables: Iterable[TableToBuild], segments: Mapping[str, SegmentEntry]) -> list[Table]:
    """Tables as they were staged, or as an old segment stores them."""
    mapped: dict[str, StagedFile] = {}
    opened = {id: Segment(entry.folder(lake), entry) for id, entry in segments.items()}
    return [
        opened[table.segment].table(table.number)
        if isinstance(table, StoredTable)
        else stage_files.load_staged(table, mapped)
        for table in tables
    ]


def load_trained(lake: str, trained: Mapping[str, TrainedEntry], name: str) -> Arrays:
    """What a kind learnt when the lake was made; empty if it had nothing to learn."""
    file = trained[name].file
    if file is None:
        return {}
    return Container(os.path.join(lake, file.path), f"trained-{name}", KINDS[name].version, file.entry)


def search(payload: Payload) -> Payload:
    """The answer of one segment to each of several probes."""
    kind = KINDS[payload["kind"]]
    part = part_at(kind, payload["lake"], SegmentEntry.from_dict(payload["segment"]))
    probes, k, per = map(unpacked, payload["probes"]), payload["k"], payload["per"]
    with telling_damage(lambda: verify_segment(part.segment)):
        return {"answers": [found_to_dict(unmarked_answer(kind, [part], probe, k, per)) for probe in probes]}


TASKS: dict[str, Callable[[Payload], Payload]] = {
    "sniff": sniff,
    "quotes": quotes,
    "read": read,
    "merge": merge_columns,
    "unite": unite,
    "settle": settle,
    "build": build,
    "search": search,
    "pairs": pairs,
}
