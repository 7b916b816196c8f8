"""A lake written by an earlier version still opens, answers, and is updated without reading its raw files again.

`golden/format-1.zip` was written before commits left a marker: two snapshots of the tables below `/golden/raw`, which
exists nowhere, so that an update can only use what the lake itself keeps.  The second snapshot has a dead table.
"""

import zipfile
from pathlib import Path

import pytest

import mere
from mere.errors import LakeError
from mere.pipeline import index
from mere.pipeline.engine import Inline
from mere.segments.open_snapshot import verify
from mere.segments.snapshot import read_snapshot
from tests.conftest import write_files
from tests.pipeline.test_updates import files_read

GOLDEN = Path(__file__).with_name("golden") / "format-1.zip"
TABLES = ["geo/cities.csv", "orders.json", "people.csv", "sizes.csv"]


@pytest.fixture
def golden(tmp_path):
    lake = tmp_path / "golden"
    with zipfile.ZipFile(GOLDEN) as archive:
        archive.extractall(lake)
    return lake


def check_answers(opened):
    """The questions that every lake answers, on the tables of the golden lake."""
    countries = opened.overlap(["AT", "CH", "DE"], k=9)
    assert {(hit.table, hit.score) for hit in countries if hit.table in TABLES} == {
        ("geo/cities.csv", 2), ("people.csv", 2), ("orders.json", 2),
    }  # fmt: skip
    contained = opened.containment(["Vienna", "Bern", "windhoek"], 1.0)
    assert [hit.table for hit in contained if hit.table in TABLES] == ["geo/cities.csv"]
    pairs = opened.composite({"name": ["Ada", "Bob"], "country": ["AT", "CH"]}, k=1)
    assert [(hit.table, hit.score) for hit in pairs] == [("people.csv", 2)]
    assert [hit.table for hit in opened.distribution("at least 50% of age > 30")] == ["people.csv"]


def test_a_lake_written_before_opens_and_answers(golden):
    assert not [fault for _, fault in verify(str(golden)) if fault]
    with mere.open(golden) as opened:
        assert opened.snapshot == 2 and [table.name for table in opened.tables] == TABLES
        check_answers(opened)
        with pytest.raises(LakeError, match="bring it up to date with 'mere index'"):  # its words are without cells
            opened.keywords("atlas")
        assert [row["path"] for row in opened.quarantine()] == ["empty.csv"]
    with mere.open(golden, as_of=1) as older:
        assert "old.csv" in older.tables and "people.csv" not in older.tables


def test_a_lake_written_before_is_updated_without_reading_a_raw_file_again(golden, tmp_path, monkeypatch):
    read = files_read(monkeypatch)
    more = write_files(tmp_path / "more", {"new.csv": "country,code\nAustria,AT\n"})
    report = index([more], golden, engine=Inline(), compact=True)
    assert read == ["new.csv"] and report.snapshot == 3
    with mere.open(golden) as opened:
        assert [table.name for table in opened.tables] == sorted([*TABLES, "new.csv"])
        assert len(read_snapshot(str(golden), 3).segments) == 1, "old tables moved into the new segment"
        check_answers(opened)
        assert [hit.table for hit in opened.keywords("atlas")] == ["geo/cities.csv"]
    assert not [fault for _, fault in verify(str(golden)) if fault]
