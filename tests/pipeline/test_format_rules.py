"""The six rules of FORMAT.md, each with a test of its number."""

import os
import threading
from pathlib import Path

import pyarrow as pa
import pytest

import mere
from mere.errors import Corrupt, Locked, NoSuchSnapshot
from mere.pipeline import Settings, index
from mere.pipeline.engine import Inline
from mere.search.exporting import export
from mere.segments.commit import writer
from mere.segments.markers import marker_path
from mere.segments.open_snapshot import verify
from mere.segments.snapshot import kept_numbers, read_snapshot, snapshot_path
from mere.store import files
from tests.conftest import write_files
from tests.durability import Disk, before_each


def named_files(lake):
    """Every file that a kept snapshot names, with what it looks like."""
    paths = set()
    for number in kept_numbers(lake):
        for path in read_snapshot(lake, number).paths():
            full = os.path.join(lake, path)
            paths |= {os.path.join(full, n) for n in os.listdir(full)} if os.path.isdir(full) else {full}
    return {path: (os.stat(path).st_ino, os.stat(path).st_mtime_ns, Path(path).read_bytes()) for path in paths}


def frame_of(number):
    """A frame to index, whose copy is a file of the lake."""
    return {"frame": pa.table({"k": [number]})}


@pytest.fixture
def steps(monkeypatch):
    """Every file operation, in order."""
    seen = []
    monkeypatch.setattr(files, "on_step", lambda operation, path: seen.append((operation, path)))
    return seen


def test_rule_1_a_file_named_by_a_snapshot_is_never_written_again(raw, run_index):
    run_index(raw, frame_of(0), settings=Settings(keep_snapshots=100))
    before = named_files(run_index.lake)
    for i in range(9):
        write_files(raw, {f"more/t{i}.csv": f"k\n{i}\n"})
        run_index(frame_of(i % 3))
        after = named_files(run_index.lake)
        assert {path: after[path] for path in before} == before
        before = after


def is_work_in_progress(path):
    """Staged files are never named by a snapshot, and the lock holds no data."""
    return "staging" in path.parts or path.name in ("staging", "writer.lock")


def test_rule_2_every_file_and_its_name_are_synced_before_the_snapshot_that_names_it(raw, tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    lake, disk, lost = home / "lake", Disk(home, monkeypatch), []

    def before_the_commit(aside, new):
        if new.startswith(str(lake / "snapshots")):
            its_name = f"name of {os.path.relpath(aside, home)}"  # replaced by the rename
            lost.append(set(disk.not_durable(is_work_in_progress)) - {its_name})

    before_each(monkeypatch, "rename", before_the_commit)
    before_each(monkeypatch, "unlink", lambda path, **_: lost.append(set(disk.not_durable(is_work_in_progress))))
    for change in range(3):
        write_files(raw, {f"more/t{change}.csv": "k\n1\n"})
        index([raw, frame_of(change)], lake, engine=Inline(), settings=Settings(keep_snapshots=2))
        assert kept_numbers(str(lake))[-1] == change + 1
        assert disk.not_durable(is_work_in_progress) == []
    assert len(lost) > 6 and not any(lost), "before each commit, and before anything is deleted after it"
    for folder in ("trained", "files", "frames", "segments", "snapshots"):
        assert list((lake / folder).iterdir()), f"{folder} was written, so it was judged"


def test_rule_2_what_is_exported_survives_a_power_cut_too(raw, run_index, tmp_path, monkeypatch):
    run_index(raw)
    out = tmp_path / "out"
    for folder in ("profiles", "graph", "csv", "tsv", "parquet"):  # a folder each, so that none is synced for another
        (out / folder).mkdir(parents=True)
    disk = Disk(out, monkeypatch)
    with mere.open(run_index.lake) as lake:
        lake.export_profiles(path=out / "profiles/profiles.json")
        assert lake.graph(out / "graph/new/graph", 0.1, least=1, accidents=True, engine=Inline())["pairs"] > 0
        joined = lake.join(lake.rows("geo/cities.tsv"), ("geo/countries.csv", "code"), on="country")
    for extension in ("csv", "tsv", "parquet"):
        export(joined, str(out / extension / f"joined.{extension}"))
    assert all(any(path.is_file() for path in folder.rglob("*")) for folder in out.iterdir())
    assert disk.not_durable() == []


def test_rule_3_a_commit_is_one_rename_and_a_reader_keeps_what_it_opened(raw, run_index, steps):
    run_index(raw)
    with mere.open(run_index.lake) as old:
        steps.clear()
        write_files(raw, {"new.csv": "k\n1\n"})
        run_index()
        renames = [path for operation, path in steps if operation == "rename" and "/staging/" not in path]
        assert [os.path.basename(path) for path in renames] == ["00000002.json", "00000002.committed"]
        assert "new.csv" not in old.tables
        with mere.open(run_index.lake) as new:
            assert "new.csv" in new.tables
        with mere.open(run_index.lake, as_of=1) as older:
            assert "new.csv" not in older.tables


def test_rule_4_a_file_is_deleted_only_when_no_kept_snapshot_names_it(raw, run_index):
    keep_one = Settings(keep_snapshots=1)
    run_index(raw, frame_of(1), settings=keep_one)
    reader = mere.open(run_index.lake)
    write_files(raw, {"geo/countries.csv": "code\nXX\n"})
    run_index(frame_of(2), rebuild=True)
    run_index(rebuild=True)
    assert kept_numbers(run_index.lake) == [1, 3], "a snapshot that is being read is kept"
    assert reader.profile("geo/countries.csv").rows == 4, "a file first touched now is still there"
    assert reader.rows("frame", raw=True).to_pylist() == [{"k": "1"}]
    reader.close()
    run_index(rebuild=True)
    assert kept_numbers(run_index.lake) == [4]
    with pytest.raises(NoSuchSnapshot, match="kept are 4"):
        mere.open(run_index.lake, as_of=1)
    [segment] = read_snapshot(run_index.lake, 4).segments
    assert os.listdir(os.path.join(run_index.lake, "segments")) == [segment.id]
    [copy] = read_snapshot(run_index.lake, 4).frames.values()
    assert os.listdir(os.path.join(run_index.lake, "frames")) == [os.path.basename(copy.path)]
    run_index(forget=["frame:frame"])
    assert os.listdir(os.path.join(run_index.lake, "frames")) == []


def test_rule_5_a_flipped_or_missing_byte_in_any_file_is_reported_with_its_name(raw, run_index):
    run_index(raw, frame_of(1))
    [number] = kept_numbers(run_index.lake)
    for path in [
        *named_files(run_index.lake),
        snapshot_path(run_index.lake, number),
        marker_path(run_index.lake, number),
    ]:
        content = Path(path).read_bytes()
        places = sorted({0, len(content) // 3, len(content) // 2, len(content) - 20, len(content) - 1})
        damages = [content[:p] + bytes([content[p] ^ 1]) + content[p + 1 :] for p in places]
        for damaged in [*damages, content[:-1], content[: len(content) // 2], b""]:
            with open(path, "wb") as file:
                file.write(damaged)
            faults = {damaged_path: str(fault) for damaged_path, fault in verify(run_index.lake) if fault}
            assert list(faults) == [path] and os.path.basename(path) in faults[path]
        os.unlink(path)
        assert [missing for missing, fault in verify(run_index.lake) if fault] == [path]
        with open(path, "wb") as file:
            file.write(content)
    assert not [path for path, fault in verify(run_index.lake) if fault]


def test_rule_5_a_question_reports_the_damage_too(raw, run_index):
    run_index(raw)
    segment = read_snapshot(run_index.lake, 1).segments[0].id
    path = os.path.join(run_index.lake, "segments", segment, "keywords.idx")
    with open(path, "r+b") as file:
        file.seek(200)
        byte = file.read(1)[0]
        file.seek(200)
        file.write(bytes([byte ^ 255]))
    with mere.open(run_index.lake) as lake, pytest.raises(Corrupt, match=r"keywords\.idx: checksum"):
        lake.keywords("countries")


def test_rule_6_one_writer_at_a_time_and_any_number_of_readers(raw, run_index):
    run_index(raw)
    with writer(run_index.lake):
        readers = [mere.open(run_index.lake) for _ in range(20)]
        assert all(len(reader.tables) == 4 for reader in readers)
        refused = []

        def second():
            with pytest.raises(Locked, match="is being written by process"):
                run_index(raw)
            refused.append(True)

        threads = [threading.Thread(target=second) for _ in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert refused == [True] * 4
    write_files(raw, {"new.csv": "k\n1\n"})
    assert run_index().added == 1
