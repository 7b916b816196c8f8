"""What travels as JSON: the documented fields, and nothing is lost on the way."""

import json
from dataclasses import replace

import numpy as np

from mere.pipeline.payloads import BuildTask, CountQuotesTask, MergeTask, ReadTask, SniffTask, UniteTask
from mere.pipeline.records import (
    FileRecord,
    Outcome,
    PartOf,
    Piece,
    Receipt,
    Run,
    StagedPart,
    StagedTable,
    StoredTable,
    Unit,
)
from mere.pipeline.settings import Settings
from mere.readers import Span
from mere.segments import Facts, NamedFile, SegmentEntry, Snapshot, TrainedEntry
from mere.segments.datasets import Dataset, Part, Shape
from mere.segments.sources import SourceOptions
from mere.store.container import FileEntry
from mere.values import Evidence, Readings

FILE = FileEntry(1225, "8801cd7ccb15a504", 1)
SEGMENT = SegmentEntry("312b", {"rows.idx": FILE}, tables=3, columns=5, rows=6, cells=15, first="a.csv", dead=(1,))
FILE_JSON = {"bytes": 1225, "checksum": "8801cd7ccb15a504", "version": 1}
SEGMENT_JSON = {
    "id": "312b", "files": {"rows.idx": FILE_JSON}, "tables": 3, "columns": 5, "rows": 6, "cells": 15,
    "first": "a.csv", "dead": [1],
}  # fmt: skip
EVIDENCE = Evidence(
    np.arange(30).reshape(2, 15), [{"EUR": 3}, {}], np.arange(200).reshape(2, 100) % 7 == 0, np.arange(8).reshape(2, 4),
    np.array([False, True]),
)  # fmt: skip
STAGED = StagedTable(
    "a.csv", 3, 2, 99, (Piece("x.idx", 0),), ("y.idx",), Facts("a.csv", "/raw", "a.csv", rows=3), EVIDENCE
)
STORED = StoredTable("b.csv", 7, "312b", 2)
PART = StagedPart("m", "csv", ("k", "v"), 3, (Run("x.idx", 2, 5),), ("cut short",), lost=True)
OUTCOME = Outcome(
    "/raw", "a.csv", (STAGED,), "cut short", "3 rows in 1 table", lost=True, describes={"t.csv": False}, parts=(PART,)
)  # fmt: skip
RECEIPT = Receipt("key", OUTCOME, {"x.idx": FILE})
UNIT = Unit(
    "/raw", "a.csv", "/raw/a.csv", "a.csv", 10, "stamp", ("/raw/README.md",), False, 5,
    Span(5, 5, True), {"delimiter": ","}, ("k", "v"), RECEIPT, "comma", PartOf("s", "hive", {"k": None, "n": "2020"}),
)  # fmt: skip
RECORD = FileRecord("/raw", "a.csv", 10, 1, "stamp", "", False, ("a.csv",), "", "", describes={"t.csv": True})
SETTINGS = Settings(split_bytes=4096)
SHAPE = Shape("csv", {"": ("k", "v"), "m": ("x",)})
DATASET = Dataset(
    "/raw", "s", "hive", "s",
    (Part("s/k=1/a.csv", 9, SHAPE, True, {"": 1, "m": 2}, {"k": "1"}, ("cut",), True), Part("s/b", 0)),
    {"m": {"x": ["na"]}},
)  # fmt: skip


UNITE = (Facts("s", "/raw", "s"), ("k", "v"), ((0, 2, 5), (1, 0, 7)), ("x.idx",), "/lake/staging", 99)
YES_NO = np.array([True, False])
READINGS = Readings(
    YES_NO, ~YES_NO, ~YES_NO, YES_NO, ~YES_NO, YES_NO, ["", "decimal"], ["EUR", ""], ["comma"], ~YES_NO, YES_NO,
    ["day first"], 0.7,
)  # fmt: skip


def through_json(record):
    return type(record).from_dict(json.loads(json.dumps(record.to_dict())))


def test_every_record_comes_back_from_json_as_it_was():
    records = [FILE, SEGMENT, NamedFile("files/a.idx", FILE), TrainedEntry(2), STAGED, STORED, OUTCOME, RECEIPT, UNIT]
    records += [
        RECORD,
        TrainedEntry(1, NamedFile("trained/a.idx", FILE)),
        SniffTask("/raw/a.csv", "/lake/staging", SETTINGS, watch=True),
    ]
    records += [
        CountQuotesTask("/raw/a.csv", 5, 10, {"delimiter": ","}),
        ReadTask([UNIT], "/lake/staging", SETTINGS, watch=True),
    ]
    records += [MergeTask(("y.idx",), Facts("a.csv", "/raw", "a.csv"), 0, 2, READINGS, "/lake/staging", 99)]
    records += [BuildTask("/lake", SETTINGS.to_dict(), [STAGED, STORED], {"312b": SEGMENT}, {"wide": TrainedEntry(2)})]
    records += [DATASET, SourceOptions(("*.csv",), ("old",), "comma"), replace(SEGMENT, moved={"/raw": "../raw"})]
    records += [
        replace(RECORD, name="a.csv", dataset="s"),
        UniteTask(*UNITE),
        UniteTask(*UNITE, STORED, SEGMENT, "/lake"),
    ]
    for record in records:
        assert through_json(record) == record


def test_a_snapshot_has_the_documented_fields():
    snapshot = Snapshot(
        7, 1.5, [SEGMENT], ["/raw"], {"keep_snapshots": 3}, {"wide": TrainedEntry(2), "deep": TrainedEntry(1, None)},
        NamedFile("files/a.idx", FILE), {"tables": 2},
    )  # fmt: skip
    document = snapshot.to_dict()
    assert document.pop("kind") == "snapshot" and document.pop("format") >= 1
    assert document == {
        "number": 7, "created": 1.5, "segments": [SEGMENT_JSON], "sources": ["/raw"],
        "settings": {"keep_snapshots": 3}, "trained": {"wide": {"version": 2}, "deep": {"version": 1}},
        "files": {"file": "files/a.idx", **FILE_JSON}, "totals": {"tables": 2},
    }  # fmt: skip
    assert Snapshot.from_bytes(snapshot.to_bytes(), "7.json") == snapshot
    chosen = replace(snapshot, options={"/raw": SourceOptions(("a",))})
    assert chosen.to_dict()["options"] == {"/raw": {"include": ["a"], "exclude": [], "decimal": ""}}
    assert Snapshot.from_bytes(chosen.to_bytes(), "7.json") == chosen
    assert Snapshot().to_dict()["files"] == {}, "a lake without raw files has no file of records"
    with_frame = Snapshot(frames={"frame:a": NamedFile("frames/a.parquet", FILE)})
    assert with_frame.to_dict()["frames"] == {"frame:a": {"file": "frames/a.parquet", **FILE_JSON}}
    assert Snapshot.from_bytes(with_frame.to_bytes(), "7.json") == with_frame
    assert with_frame.paths() == {"frames/a.parquet"}


def test_what_a_kind_learnt_has_the_documented_fields():
    learnt = TrainedEntry(1, NamedFile("trained/a.idx", FILE))
    assert learnt.to_dict() == {"file": "trained/a.idx", **FILE_JSON}


def test_the_record_of_a_raw_file_has_the_documented_fields():
    document = {
        "source": "/raw", "path": "a.csv", "size": 10, "modified": 1, "stamp": "stamp", "refused": "",
        "metadata": False, "tables": ["a.csv"], "reason": "", "kept": "", "again": False, "rules": [1, 1],
    }  # fmt: skip
    assert RECORD.to_dict() == {**document, "describes": {"t.csv": True}}
    assert FileRecord.from_dict(document).to_dict() == document, "only a profile describes other files"
