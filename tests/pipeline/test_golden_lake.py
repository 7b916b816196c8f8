"""A lake written by an earlier version still opens, answers, says that it is stale, and is brought up to date.

`golden/format-1.zip` was written before commits left a marker: two snapshots of the tables below `/golden/raw`, which
exists nowhere, so that an update can only use what the lake itself keeps.  The second snapshot has a dead table.
The others have their raw files beside them (`golden_lakes.py`): `rules-1.zip` was written before lakes recorded the
rules of values and of reading, `rules-V-R.zip` under versions V and R of them.
"""

import zipfile
from pathlib import Path

import pytest

import mere
from mere.errors import LakeError
from mere.pipeline import index
from mere.pipeline.engine import Inline
from mere.search.rules import UNRECORDED, Rules, rules_now
from mere.segments.open_snapshot import verify
from mere.segments.snapshot import kept_numbers, read_snapshot
from tests.conftest import write_files
from tests.pipeline import golden_lakes
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


def test_a_lake_written_before_opens_and_answers(golden):
    assert not [fault for _, fault in verify(str(golden)) if fault]
    with mere.open(golden) as opened:
        assert opened.snapshot == 2 and [table.name for table in opened.tables] == TABLES
        check_answers(opened)
        with pytest.raises(LakeError, match="bring it up to date with 'mere index'"):  # its words are without cells
            opened.keywords("atlas")
        with pytest.raises(LakeError, match="bring it up to date with 'mere index'"):  # nothing says what is not known
            opened.distribution("at least 50% of age > 30")
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
        assert [hit.table for hit in opened.distribution("at least 50% of age > 30")] == ["people.csv"]
        stale = f"4 of 5 tables: {rules_then(UNRECORDED)}"
        assert opened.info()["stale"] == [f"{stale}; run 'mere index'"], "what cannot be read again stays, and is told"
        assert f"{stale}; what they were read from cannot be read again" in report.notes
    assert not [fault for _, fault in verify(str(golden)) if fault]


def rules_then(rules):
    """How rules that are not those of today are told; empty if they are."""
    then = zip(("values", "reading"), rules, rules_now(), strict=True)
    changed = ", and ".join(f"of {name} {version}, now {now}" for name, version, now in then if version != now)
    return changed and f"rules {changed}"


@pytest.mark.parametrize("archive", sorted(GOLDEN.parent.glob("rules-*.zip")), ids=lambda path: path.stem)
def test_a_lake_of_other_rules_answers_with_a_note_and_is_brought_up_to_date(archive, tmp_path):
    lake, told = golden_lakes.unpack(archive, tmp_path), rules_then(rules_of(archive))
    notes = [f"6 of 6 tables: {told}; run 'mere index'"] if told else []
    assert archive.stat().st_size < 100_000 and not [fault for _, fault in verify(str(lake)) if fault]
    with mere.open(lake) as opened:
        assert [table.name for table in opened.tables] == golden_lakes.TABLES
        found = opened.overlap(["AT", "CH"], k=0)
        assert {hit.table for hit in found} == {"codes.csv", "orders.json"} and found.notes == notes
        assert opened.info()["stale"] == notes
    report = index([], lake, engine=Inline())
    assert (report.stale, report.unchanged) == ((9, 0) if told else (0, 9))
    assert (report.added, report.changed, report.removed) == (0, 0, 0)
    assert report.notes == ([f"6 of 6 tables: {told}; read again"] if told else [])
    with mere.open(lake) as opened:
        assert opened.info()["stale"] == [] and opened.overlap(["AT", "CH"], k=0).notes == []
    index([tmp_path / "raw", golden_lakes.FRAME], tmp_path / "fresh", engine=Inline())
    assert content(lake) == content(tmp_path / "fresh"), "to the last byte what a new lake holds"


def test_there_is_a_golden_lake_of_the_rules_of_today():
    known = [rules_of(archive) for archive in GOLDEN.parent.glob("rules-*.zip")]
    assert rules_now() in known, "write it with tests/pipeline/golden_lakes.py, and keep those of earlier versions"


def rules_of(archive):
    numbers = [int(number) for number in archive.stem.split("-")[1:]]
    return Rules(*numbers) if len(numbers) == 2 else UNRECORDED


def content(lake):
    """Checksums of all that a lake's segments and kinds hold."""
    snapshot = read_snapshot(str(lake), kept_numbers(str(lake))[-1])
    learnt = {name: entry.file and entry.file.entry for name, entry in snapshot.trained.items()}
    return [segment.files for segment in snapshot.segments], learnt, snapshot.totals, snapshot.rules
