"""A snapshot that was committed and is missing is reported, never silently replaced by an older one."""

import json
import os
import threading
from pathlib import Path

import pytest

import mere
from mere.cli import run
from mere.cli.doctor import examine
from mere.errors import Corrupt, LakeError, NoSuchSnapshot, NotALake
from mere.pipeline import Settings
from mere.segments import OpenSnapshot, Snapshot
from mere.segments.commit import collect_garbage, commit
from mere.segments.markers import committed_numbers, marker_path
from mere.segments.snapshot import kept_numbers, snapshot_path
from tests.conftest import write_files
from tests.pipeline.test_updates import names


@pytest.fixture
def two(raw, run_index):
    """A lake with two snapshots; the second has one table more."""
    run_index(raw)
    write_files(raw, {"new.csv": "k\n1\n"})
    run_index()
    return run_index.lake


def reported(lake):
    """The files that `mere doctor --lake` finds damaged or missing."""
    return [entry["path"] for entry in examine(lake)["lake"]["files"] if entry["fault"]]


def test_a_reader_reports_the_lost_newest_snapshot_and_what_to_do(two, capsys):
    os.unlink(snapshot_path(two, 2))
    with pytest.raises(Corrupt, match=r"00000002\.json: the file is missing.*mere index --rebuild.*as_of=1"):
        mere.open(two)
    with mere.open(two, as_of=1) as older:
        assert older.snapshot == 1 and len(older.tables) == 4
    with pytest.raises(Corrupt, match=r"00000002\.json"):
        mere.open(two, as_of=2)
    assert run(["search", "countries", "--lake", two]) == 4
    assert run(["search", "countries", "--lake", two, "--as-of", "1"]) == 0
    capsys.readouterr()
    assert run(["doctor", "--lake", two]) == 4
    assert "00000002.json" in capsys.readouterr().out


def test_a_writer_refuses_to_build_on_an_older_snapshot_and_a_rebuild_never_uses_the_number_again(two, run_index):
    os.unlink(snapshot_path(two, 2))
    for options in ({}, {"dry_run": True}, {"compact": True}):
        with pytest.raises(Corrupt, match=r"00000002\.json"):
            run_index(**options)
    report = run_index(rebuild=True)
    assert report.snapshot == 3 and "00000002.json" in report.notes[0]
    assert "new.csv" in names(two) and reported(two) == []
    assert run_index().snapshot == 3, "the loss is settled"


def test_a_lake_that_lost_its_only_snapshot_is_not_taken_for_a_new_one(raw, run_index):
    run_index(raw)
    os.unlink(snapshot_path(run_index.lake, 1))
    with pytest.raises(Corrupt, match=r"00000001\.json.*mere index SOURCE --rebuild"):
        mere.open(run_index.lake)
    with pytest.raises(Corrupt, match=r"00000001\.json"):
        run_index(raw)
    with pytest.raises(LakeError, match="sources"):
        run_index(rebuild=True)
    assert reported(run_index.lake) == [snapshot_path(run_index.lake, 1)]
    assert run_index(raw, rebuild=True).snapshot == 2 and len(names(run_index.lake)) == 4


def test_a_lost_older_snapshot_is_reported_and_nothing_is_deleted_until_it_is_forgotten(two, raw, run_index):
    os.unlink(snapshot_path(two, 1))
    assert len(names(two)) == 5, "the newest is not affected"
    assert reported(two) == [snapshot_path(two, 1)]
    write_files(raw, {"newer.csv": "k\n1\n"})
    assert "00000001.json" in run_index().notes[-1]
    for i in range(2):
        write_files(raw, {f"newest{i}.csv": "k\n1\n"})
        report = run_index()
    assert report.notes == [] and committed_numbers(two) == [3, 4, 5] and reported(two) == []


def test_a_run_that_was_killed_before_its_marker_is_complete_and_the_next_run_writes_the_marker(two, run_index):
    os.unlink(marker_path(two, 2))
    assert "new.csv" in names(two)
    assert reported(two) == [marker_path(two, 2)]
    assert run(["doctor", "--lake", two]) == 0, "nothing is lost"
    assert run_index().snapshot == 2
    assert reported(two) == []


def test_forgetting_snapshots_forgets_their_markers_but_keeps_what_is_being_read(two, raw, run_index):
    reader = mere.open(two, as_of=1)
    for i in range(3):
        write_files(raw, {f"more/t{i}.csv": "k\n1\n"})
        run_index(settings=Settings(keep_snapshots=1))
    assert kept_numbers(two) == committed_numbers(two) == [1, 5]
    reader.close()
    collect_garbage(two, 1)
    assert sorted(os.listdir(os.path.join(two, "snapshots"))) == ["00000005.committed", "00000005.json"]
    assert reported(two) == []
    with pytest.raises(NoSuchSnapshot, match="kept are 5"):
        mere.open(two, as_of=1)


def test_deleting_any_single_file_of_a_lake_is_reported(two):
    lake = Path(two)
    files = [path for path in lake.rglob("*") if path.is_file() and path.name != "writer.lock"]
    assert len(files) > 20 and reported(two) == []
    for path in files:
        content = path.read_bytes()
        path.unlink()
        assert reported(two) == [str(path)]
        path.write_bytes(content)


def test_readers_never_take_a_commit_or_a_deletion_in_progress_for_a_loss(two, raw, run_index):
    """Readers open the lake again and again while a writer commits and forgets snapshots."""
    done, faults, opened = threading.Event(), [], []

    def read():
        while not done.is_set():
            try:
                snapshot = OpenSnapshot(two)
                opened.append(snapshot.number)
                snapshot.close()
            except Exception as error:
                faults.append(error)

    threads = [threading.Thread(target=read) for _ in range(3)]
    [thread.start() for thread in threads]
    for i in range(8):
        write_files(raw, {f"more/t{i}.csv": "k\n1\n"})
        run_index(settings=Settings(keep_snapshots=1))
    done.set()
    [thread.join() for thread in threads]
    assert faults == [] and max(opened) > 2


def test_a_folder_without_snapshots_and_markers_is_still_not_a_lake(tmp_path):
    (tmp_path / "snapshots").mkdir()
    with pytest.raises(NotALake):
        mere.open(tmp_path)


def test_a_commit_writes_its_marker_itself(tmp_path):
    for number in (1, 2):
        assert commit(str(tmp_path), Snapshot()).number == number
        assert os.path.exists(marker_path(str(tmp_path), number))


def test_a_marker_has_the_documented_fields(two):
    document, _, checksum = Path(marker_path(two, 2)).read_text().partition("\n")
    assert json.loads(document) == {"format": 1, "kind": "committed", "number": 2}
    assert len(checksum.strip()) == 16
