"""Faults that existed once and must not return."""

import os
import zipfile

import pyarrow as pa
import pyarrow.parquet
import pytest

import mere
from mere.errors import Corrupt
from mere.pipeline import Settings, stage_files, tasks
from mere.pipeline.names import name_all
from mere.pipeline.scan import RawFile
from mere.readers import Limits
from mere.segments import OpenSnapshot
from mere.segments.snapshot import kept_numbers
from tests.conftest import write_files
from tests.pipeline.test_updates import checksums, names, tasks_inline


def test_a_prefixed_name_never_equals_another_path(tmp_path, run_index):
    first = write_files(tmp_path / "A", {"x.csv": "k\n1\n", "B/x.csv": "k\n2\n", "n#s.csv": "k\n0\n"})
    second = write_files(tmp_path / "B", {"x.csv": "k\n3\n"})
    run_index(first, second)
    before = names(run_index.lake)
    assert len(set(before)) == 4 and "n%23s.csv" in before
    (first / "B/x.csv").write_text("k\n2\n4\n")
    run_index()
    assert names(run_index.lake) == before


def test_any_set_of_files_gets_names_of_its_own():
    files = [RawFile(s, p, 0, 0) for s in ("/a/b/c", "/b/c", "/x/b/c") for p in ("t", "c/t", "b/c/t", "a/b/c/t", "u")]
    name_all(files, {})
    assert len({file.name for file in files}) == len(files)


def test_a_source_inside_another_is_read_once(tmp_path, run_index):
    outer = write_files(tmp_path / "raw", {"a.csv": "k\n1\n", "sub/b.csv": "k\n1\n"})
    run_index(outer / "sub")
    report = run_index(outer)
    assert names(run_index.lake) == ["a.csv", "sub/b.csv"]
    assert "lies inside" in report.notes[0]


def test_spans_that_are_read_again_keep_their_order(tmp_path, run_index, monkeypatch):
    raw = write_files(tmp_path / "raw", {"big.csv": "id\n" + "".join(f"{i}\n" for i in range(9000))})
    settings = Settings(split_bytes=4096)
    with monkeypatch.context() as patched:
        patched.setitem(tasks.TASKS, "merge", lambda payload: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run_index(raw, settings=settings)
    staging = os.path.join(run_index.lake, "staging")
    parts = sorted(n for n in os.listdir(staging) if n.endswith(".idx"))
    for name in parts[::2]:
        with open(os.path.join(staging, name), "r+b") as file:
            file.truncate(80)
    run_index(raw, settings=settings)
    mere.index(raw, tmp_path / "fresh", engine=tasks_inline(), settings=settings)
    assert checksums(run_index.lake) == checksums(tmp_path / "fresh")


def test_a_file_the_machine_failed_to_read_is_tried_again(raw, run_index, monkeypatch):
    real = stage_files.readers.open_tables

    def failing(path, *rest, **options):
        if path.endswith("cities.tsv"):
            raise OSError(5, "Input/output error")
        return real(path, *rest, **options)

    with monkeypatch.context() as patched:
        patched.setattr(stage_files.readers, "open_tables", failing)
        assert "geo/cities.tsv" in {row["path"] for row in run_index(raw).quarantined}
    report = run_index()
    assert "geo/cities.tsv" in names(run_index.lake)
    assert "geo/cities.tsv" not in {row["path"] for row in report.quarantined}
    assert run_index().snapshot == report.snapshot


def test_a_table_that_cannot_be_summarised_fails_alone(raw, run_index, monkeypatch):
    real = stage_files.digest

    def picky(tables):
        if any("city" in table.column_names for table in tables):
            raise ValueError("no cities")
        return real(tables)

    monkeypatch.setattr(stage_files, "digest", picky)
    reasons = {row["path"]: row["reason"] for row in run_index(raw).quarantined}
    assert "no cities" in reasons["geo/cities.tsv"]
    assert names(run_index.lake) == ["geo/countries.csv", "sales/notes.csv", "sales/orders.json"]


def test_text_that_only_claims_to_be_utf_8_is_repaired(tmp_path, run_index):
    (tmp_path / "raw").mkdir()
    invalid = pa.StringArray.from_buffers(1, pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"a\xff"))
    pa.parquet.write_table(pa.table({"t": invalid}), tmp_path / "raw/x.parquet")
    run_index(tmp_path / "raw")
    assert mere.open(run_index.lake).profile("x.parquet").columns[0].examples == ["a\ufffd"]


@pytest.mark.parametrize("which", ["current", "older", "all"])
def test_a_damaged_snapshot_is_reported_and_a_rebuild_replaces_it(raw, run_index, which):
    run_index(raw)
    write_files(raw, {"new.csv": "k\n1\n"})
    run_index()
    chosen = {"current": [2], "older": [1], "all": [1, 2]}[which]
    for number in chosen:
        with open(os.path.join(run_index.lake, "snapshots", f"{number:08d}.json"), "r+b") as file:
            file.write(b"x")
    if which == "older":
        write_files(raw, {"newer.csv": "k\n1\n"})
        assert "nothing was cleared away" in run_index().notes[-1]
        assert mere.open(run_index.lake).info()["snapshots"][0]["damaged"]
    else:
        with pytest.raises(Corrupt, match=r"00000002\.json"):
            run_index()
    report = run_index(raw, rebuild=True)
    assert report.totals["tables"] >= 5
    assert not set(chosen) & set(kept_numbers(run_index.lake))
    assert run_index().snapshot == report.snapshot


def test_members_with_the_same_name_get_names_of_their_own(tmp_path, run_index):
    (tmp_path / "raw").mkdir()
    with zipfile.ZipFile(tmp_path / "raw/two.zip", "w") as archive, pytest.warns(UserWarning):
        archive.writestr("a.csv", "k\nfirst\n")
        archive.writestr("a.csv", "k\nsecond\n")
    run_index(tmp_path / "raw")
    with mere.open(run_index.lake) as lake:
        for table, value in [("two.zip#a.csv", "first"), ("two.zip#a.csv#2", "second")]:
            assert lake.rows(table, raw=True).to_pydict() == {"k": [value]}
            assert lake.profile(table).columns[0].examples == [value]


def test_a_changed_setting_is_kept_even_if_nothing_else_changed(raw, run_index):
    run_index(raw)
    run_index(settings=Settings(keep_snapshots=7))
    assert mere.open(run_index.lake).info()["settings"]["keep_snapshots"] == 7


def test_a_link_the_user_points_at_is_followed(tmp_path, run_index):
    real = write_files(tmp_path / "elsewhere", {"t.csv": "k\n1\n"})
    (tmp_path / "link.csv").symlink_to(real / "t.csv")
    run_index(tmp_path / "link.csv")
    assert names(run_index.lake) == ["link.csv"]
    assert mere.open(run_index.lake).rows("link.csv").num_rows == 1


@pytest.mark.parametrize("split", [4096, 1 << 20])
def test_a_table_that_was_read_in_part_says_so_however_it_was_cut(tmp_path, run_index, split):
    lines = [f"{n},short" for n in range(2_000)] + ["2000," + "long" * 100]
    write_files(tmp_path / "raw", {"a.csv": "\n".join(["n,text", *lines]) + "\n", "b.csv": "n,text\n1,short\n"})
    run_index(tmp_path / "raw", settings=Settings(Limits(cell_bytes=100), split_bytes=split))
    [segment] = OpenSnapshot(run_index.lake).segments
    assert {segment.facts(number).name: segment.facts(number).lost for number in (0, 1)} == {
        "a.csv": True,
        "b.csv": False,
    }
