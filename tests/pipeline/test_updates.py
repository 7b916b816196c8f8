"""Index again: only what changed is read, and the lake equals one that was built at once."""

import os
import shutil

import pytest

import mere
from mere.errors import LakeError, Locked, NotALake, UsageError
from mere.indexes import KINDS
from mere.pipeline import Settings, stage_files, tasks
from mere.segments.commit import writer
from mere.segments.snapshot import kept_numbers
from tests.conftest import touch, write_files


def names(lake):
    with mere.open(lake) as opened:
        return [table.name for table in opened.tables]


def checksums(lake, but=()):
    """The files of the current snapshot by content, names of segments aside."""
    with mere.open(lake) as opened:
        several = [segment.entry.files for segment in opened._opened.segments]
    return [{name: entry for name, entry in files.items() if name not in but} for files in several]


def row_lists(lake):
    """The composite parts, but for what was learnt from the lake's first tables."""
    with mere.open(lake) as opened:
        parts = opened._asker.parts(KINDS["composite"])
        return [{name: part.arrays[name].tolist() for name in part.arrays if name != "recipe.ranks"} for part in parts]


def files_read(monkeypatch):
    """A list that grows with every file a task reads."""
    read, seen = stage_files._read_unit, []

    def spy(unit, batch, settings):
        seen.append(unit.path)
        return read(unit, batch, settings)

    monkeypatch.setattr(stage_files, "_read_unit", spy)
    return seen


def test_every_file_is_a_table_or_metadata_or_in_quarantine(raw, run_index):
    report = run_index(raw)
    assert names(run_index.lake) == [
        "geo/cities.tsv",
        "geo/countries.csv",
        "sales/notes.csv",
        "sales/orders.json",
    ]
    assert (report.added, report.metadata) == (5, 1)
    assert [row["path"] for row in report.quarantined] == ["broken/empty.csv", "broken/picture.csv"]
    assert all(row["reason"] and row["kept"] == "nothing" for row in report.quarantined)


def test_nothing_changed_means_nothing_read_and_no_new_snapshot(raw, run_index, monkeypatch):
    run_index(raw)
    seen = files_read(monkeypatch)
    report = run_index(raw)
    assert seen == [] and report.snapshot == 1
    assert (report.added, report.changed, report.removed, report.unchanged) == (0, 0, 0, 7)
    assert len(report.quarantined) == 2, "the report still lists what was not read"


def test_changed_added_and_removed_files_are_handled_and_no_other_is_read(raw, run_index, monkeypatch):
    run_index(raw)
    seen = files_read(monkeypatch)
    (raw / "sales/orders.json").write_text('[{"order": 3, "country": "NA"}]')
    (raw / "sales/notes.csv").unlink()
    write_files(raw, {"sales/new.csv": "a,b\n1,2\n"})
    report = run_index()
    assert sorted(seen) == ["sales/new.csv", "sales/orders.json"]
    assert (report.added, report.changed, report.removed, report.unchanged) == (1, 1, 1, 5)
    assert names(run_index.lake) == [
        "geo/cities.tsv",
        "geo/countries.csv",
        "sales/new.csv",
        "sales/orders.json",
    ]
    with mere.open(run_index.lake) as lake:
        assert lake.profile("sales/orders.json").rows == 1
        assert lake.info()["tables"] == 4 and lake.info()["rows"] == 3 + 4 + 1 + 1


def test_a_changed_sidecar_is_a_change_of_the_tables_it_describes(raw, run_index, monkeypatch):
    run_index(raw)
    seen = files_read(monkeypatch)
    (raw / "geo/README.md").write_text("# Maps\n\nAll about zanzibar.\n")
    run_index()
    assert sorted(seen) == ["geo/cities.tsv", "geo/countries.csv"]
    with mere.open(run_index.lake) as lake:
        assert {hit.table for hit in lake.keywords("zanzibar")} == {"geo/cities.tsv", "geo/countries.csv"}


def test_updates_and_compaction_give_the_bytes_of_a_new_build(raw, run_index, tmp_path):
    run_index(raw)
    for i in range(5):
        write_files(raw, {f"more/t{i}.csv": f"k,v\n{i},x\n"})
        run_index()
    (raw / "more/t0.csv").unlink()
    run_index(compact=True)
    fresh = mere.index(raw, tmp_path / "fresh", engine=tasks_inline())
    frozen = ("containment.idx", "composite.idx", "similar.idx")  # hold what each lake learnt from its first tables
    assert checksums(run_index.lake, but=frozen) == checksums(tmp_path / "fresh", but=frozen)
    assert row_lists(run_index.lake) == row_lists(tmp_path / "fresh")
    assert fresh.totals == mere.open(run_index.lake)._opened.snapshot.totals


def tasks_inline():
    from mere.pipeline.engine import Inline

    return Inline()


def test_small_segments_are_compacted_by_themselves(raw, run_index):
    run_index(raw, settings=Settings(small_segments=3))
    for i in range(8):
        write_files(raw, {f"more/t{i}.csv": f"k,v\n{i},x\n"})
        run_index()
    with mere.open(run_index.lake) as lake:
        assert len(lake._opened.segments) <= 4
        assert len(lake.tables) == 12


def test_one_table_per_segment_holds_the_same_lake(raw, run_index, tmp_path):
    run_index(raw, settings=Settings(segment_bytes=1))
    with mere.open(run_index.lake) as lake:
        assert len(lake._opened.segments) == 4
    mere.index(raw, tmp_path / "one", engine=tasks_inline())
    with mere.open(run_index.lake) as many, mere.open(tmp_path / "one") as one:
        for table in one.tables:
            assert many.profile(table.name).to_dict() == one.profile(table.name).to_dict()


def test_a_file_cut_into_parts_makes_the_same_bytes_as_one_read_in_one_piece(tmp_path):
    rows = "".join(f'{i},"line {i}\nnext, ""quoted""",{i % 7}\n' for i in range(3000))
    raw = write_files(tmp_path / "raw", {"big.csv": "id,text,group\n" + rows})
    for name, split in [("parts", 4096), ("whole", 1 << 25)]:
        mere.index(raw, tmp_path / name, engine=tasks_inline(), settings=Settings(split_bytes=split))
    assert checksums(tmp_path / "parts") == checksums(tmp_path / "whole")


def test_a_stream_too_large_for_one_part_makes_the_same_bytes(tmp_path):
    import gzip

    (tmp_path / "raw").mkdir()
    rows = "".join(f"{i},name {i}\n" for i in range(200_000))
    (tmp_path / "raw/big.csv.gz").write_bytes(gzip.compress(f"id,name\n{rows}".encode()))
    for name, split in [("parts", 1 << 18), ("whole", 1 << 25)]:
        mere.index(tmp_path / "raw", tmp_path / name, engine=tasks_inline(), settings=Settings(split_bytes=split))
    assert checksums(tmp_path / "parts") == checksums(tmp_path / "whole")


def test_an_interrupted_run_does_not_read_again_what_it_had_staged(raw, run_index, monkeypatch):
    def fail(payload):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setitem(tasks.TASKS, "build", fail)
        with pytest.raises(KeyboardInterrupt):
            run_index(raw)
    assert kept_numbers(run_index.lake) == []
    seen = files_read(monkeypatch)
    run_index(raw)
    assert seen == []
    assert len(names(run_index.lake)) == 4


def test_a_staged_file_that_was_damaged_is_read_again(raw, run_index, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setitem(tasks.TASKS, "build", lambda payload: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run_index(raw)
    staging = os.path.join(run_index.lake, "staging")
    for name in os.listdir(staging):
        if name.endswith(".idx"):
            with open(os.path.join(staging, name), "r+b") as file:
                file.truncate(100)
    seen = files_read(monkeypatch)
    run_index(raw)
    assert len(seen) == 4 and len(names(run_index.lake)) == 4


def test_a_source_that_is_gone_keeps_its_tables_until_forgotten(raw, run_index):
    run_index(raw)
    shutil.rmtree(raw)
    report = run_index()
    assert "is gone" in report.notes[0]
    assert len(names(run_index.lake)) == 4
    with pytest.raises(LakeError, match="cannot be read again"):
        run_index(rebuild=True)
    run_index(forget=[raw])
    assert names(run_index.lake) == []


def test_a_lake_inside_its_source_does_not_index_itself(raw):
    lake = raw / "lake"
    mere.index(raw, lake, engine=tasks_inline())
    report = mere.index(raw, lake, engine=tasks_inline())
    assert report.snapshot == 1 and report.added == 0


def test_links_that_leave_the_source_are_refused(raw, run_index, tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text("user,password\nroot,toor\n")
    (raw / "leak.csv").symlink_to(secret)
    (raw / "inside.csv").symlink_to(raw / "geo/countries.csv")
    (raw / "loop").symlink_to(raw)
    report = run_index(raw)
    reasons = {row["path"]: row["reason"] for row in report.quarantined}
    assert "leaves the source" in reasons["leak.csv"] and "folder" in reasons["loop"]
    assert "inside.csv" in names(run_index.lake) and "leak.csv" not in names(run_index.lake)


def test_a_second_writer_gets_a_clear_error_and_loses_nothing(raw, run_index):
    run_index(raw)
    with writer(run_index.lake), pytest.raises(Locked, match=f"process {os.getpid()}"):
        run_index(raw)
    assert run_index(raw).snapshot == 1


def test_wrong_arguments_are_reported_before_anything_is_made(tmp_path, run_index):
    with pytest.raises(UsageError, match="does not exist"):
        run_index(tmp_path / "nowhere")
    with pytest.raises(NotALake):
        run_index()
    assert not os.path.exists(run_index.lake)
    full = write_files(tmp_path / "lake", {"thesis.doc": "precious"})
    with pytest.raises(UsageError, match="is not a lake"):
        run_index(full)


def test_an_option_that_does_not_exist_is_refused_with_those_that_do(raw, run_index):
    with pytest.raises(UsageError, match=r"no option 'rebuilt'; choose from .*rebuild"):
        run_index(raw, rebuilt=True)
    assert not os.path.exists(run_index.lake)


def test_a_dry_run_reports_and_changes_nothing(raw, run_index):
    report = run_index(raw, dry_run=True)
    assert report.added == 7 and report.dry_run
    assert not os.path.exists(run_index.lake)


def test_a_changed_setting_reads_everything_again(raw, run_index):
    run_index(raw)
    report = run_index(settings=Settings(join_numbers=False))
    assert "settings changed" in report.notes[0]
    with mere.open(run_index.lake) as lake:
        assert [hit.table for hit in lake.keywords("windhoek")] == ["geo/cities.tsv"]


def test_touching_a_file_without_changing_it_changes_no_byte_of_the_lake(raw, run_index):
    run_index(raw)
    before = checksums(run_index.lake)
    touch(raw / "geo/cities.tsv")
    run_index()
    run_index(compact=True)
    assert checksums(run_index.lake) == before


def test_a_broken_sidecar_is_in_quarantine_until_it_is_repaired(raw, run_index):
    write_files(raw, {"sales/datapackage.json": '{"resources": ['})
    broken = {row["path"]: row["reason"] for row in run_index(raw).quarantined}
    assert "could not be read" in broken["sales/datapackage.json"]
    assert "sales/datapackage.json" in {row["path"] for row in run_index().quarantined}
    (raw / "sales/datapackage.json").write_text('{"title": "Sales", "resources": []}')
    assert "sales/datapackage.json" not in {row["path"] for row in run_index().quarantined}


def test_spark_is_started_only_when_there_is_work_for_it(raw, run_index, monkeypatch):
    run_index(raw)
    (raw / "sales/notes.csv").unlink()
    write_files(raw, {"LICENSE": "free"})
    monkeypatch.setattr("mere.pipeline.session.context", lambda *given: 1 / 0)
    report = mere.index([], run_index.lake, settings=Settings(small_segments=9))
    assert (report.removed, report.snapshot) == (1, 2) and len(names(run_index.lake)) == 3
    write_files(raw, {"new.csv": "k\n1\n"})
    with pytest.raises(ZeroDivisionError):
        mere.index([], run_index.lake)
