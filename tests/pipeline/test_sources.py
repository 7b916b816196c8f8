"""What a lake keeps of its sources: which files, how they are read, where they lie, what tables are called."""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mere
from mere.errors import UsageError
from mere.pipeline import index
from mere.pipeline.engine import Inline
from mere.pipeline.names import name_all
from mere.pipeline.patterns import matches
from mere.pipeline.scan import RawFile
from mere.segments.snapshot import read_snapshot
from mere.segments.sources import source_from_stored, stored_source
from tests.conftest import write_files
from tests.pipeline.test_updates import files_read, names

PARTS = st.sampled_from(["a", "b", "ab", "a.csv", "b.csv", "x"])


def slow_match(names: list[str], tokens: list[str]) -> bool:
    """Whether folders match the parts of a pattern, by trying everything."""
    if not tokens:
        return not names
    if tokens[0] == "**":
        return bool(names) if len(tokens) == 1 else any(slow_match(names[i:], tokens[1:]) for i in range(len(names)))
    return bool(names) and slow_name(names[0], tokens[0]) and slow_match(names[1:], tokens[1:])


def slow_name(name: str, token: str) -> bool:
    if not token:
        return not name
    if token[0] == "*":
        return any(slow_name(name[i:], token[1:]) for i in range(len(name) + 1))
    return bool(name) and token[0] in ("?", name[0]) and slow_name(name[1:], token[1:])


@settings(max_examples=400)
@given(
    st.lists(PARTS, min_size=1, max_size=4),
    st.lists(st.sampled_from(["a", "*", "*.csv", "a*", "?", "**", "b.csv", "?b"]), min_size=1, max_size=4),
)
def test_patterns_match_what_trying_everything_matches(folders, tokens):
    pattern = "/".join(tokens)
    if len(tokens) == 1 and tokens != ["**"]:
        expected = any(slow_name(name, pattern) for name in folders)
    else:
        expected = any(slow_match(folders[:length], tokens) for length in range(1, len(folders) + 1))
    assert matches("/".join(folders), [pattern]) == expected


def test_the_documented_patterns():
    assert matches("sales/2020/q1/a.csv", ["sales/**/*.csv"]) and matches("sales/a.csv", ["sales/**/*.csv"])
    assert not matches("old/sales/a.csv", ["sales/**/*.csv"]) and matches("old/sales/a.csv", ["**/sales/*.csv"])
    assert matches("x/y.bak", ["*.bak"]) and not matches("x/y.bak.csv", ["*.bak"])
    assert matches("x/tmp/y.csv", ["tmp"]) and matches("x/tmp/y.csv", ["tmp/"]) is False
    assert matches("a1.csv", ["a[0-9].csv"]) and not matches("ab.csv", ["a[!b].csv"]) and matches("a[.csv", ["a[.csv"])


@pytest.fixture
def mixed(tmp_path):
    files = dict.fromkeys(("sales/a.csv", "sales/old/b.csv", "c.csv", "sales/d.csv.bak"), "k,v\n1,x\n")
    return write_files(tmp_path / "raw", {**files, "README.md": "# Zanzibar\n"})


def test_patterns_are_kept_and_a_change_adds_and_drops_tables(mixed, run_index):
    report = run_index(mixed, include=["sales/**/*.csv"], exclude="old")
    assert names(run_index.lake) == ["sales/a.csv"] and (report.added, report.metadata) == (2, 1)
    write_files(mixed, {"sales/e.csv": "k,v\n1,x\n", "f.csv": "k,v\n1,x\n"})
    assert run_index().added == 1 and names(run_index.lake) == ["sales/a.csv", "sales/e.csv"]
    assert run_index(exclude=[]).added == 1, "a run without a named source means the only one"
    assert names(run_index.lake) == ["sales/a.csv", "sales/e.csv", "sales/old/b.csv"]
    report = run_index(mixed, include=[], exclude=["*.bak", "sales"])
    assert (report.added, report.removed) == (2, 3) and names(run_index.lake) == ["c.csv", "f.csv"]
    with mere.open(run_index.lake) as lake:
        assert lake.info()["options"] == {str(mixed): {"include": [], "exclude": ["*.bak", "sales"], "decimal": ""}}
        assert [hit.table for hit in lake.keywords("zanzibar", k=9)] == ["c.csv", "f.csv"], "descriptions are read"


def test_patterns_belong_to_the_sources_they_are_given_with(mixed, tmp_path, run_index):
    other = write_files(tmp_path / "other", {"a.csv": "k,v\n1,x\n", "b.txt": "k,v\n1,x\n"})
    run_index(other)
    run_index(mixed, include=["c.csv"])
    assert names(run_index.lake) == ["a.csv", "b.txt", "c.csv"]
    with pytest.raises(UsageError, match="none is named"):
        run_index(include=["*.csv"])
    with pytest.raises(UsageError, match="around it"):
        run_index(mixed / "sales", exclude=["*.csv"])
    with pytest.raises(UsageError, match="'point', 'comma' or 'infer'"):
        run_index(mixed, decimal="semicolon")
    run_index(forget=[mixed])
    with mere.open(run_index.lake) as lake:
        assert lake.info()["options"] == {}


def test_a_source_without_files_left_says_so(mixed, run_index):
    report = run_index(mixed, include=["nothing"], exclude=["README.md"])
    unmatched = f"source '{mixed}': no file matches include 'nothing'"
    assert report.notes == [unmatched, f"source '{mixed}' has no files"]


def test_a_pattern_that_chooses_nothing_is_noted_and_one_that_is_no_text_refused(mixed, run_index):
    report = run_index(mixed, include=["c.csv", "./sales", "sale"])
    assert report.notes == [f"source '{mixed}': no file matches include '{each}'" for each in ("./sales", "sale")]
    for wrong in ({"include": [5]}, {"exclude": ["a", None]}):
        with pytest.raises(UsageError, match="is not a text"):
            run_index(mixed, **wrong)


def test_a_change_of_the_decimal_mark_reads_the_source_again(mixed, tmp_path, run_index, monkeypatch):
    other = write_files(tmp_path / "other", {"z.csv": "k,v\n1,x\n"})
    run_index(mixed, other)
    seen = files_read(monkeypatch)
    run_index(other, decimal="comma")
    assert seen == ["z.csv"]
    assert run_index(other, decimal="comma").changed == 0 and run_index().changed == 0
    assert run_index(other, decimal="infer").changed == 1


def test_lake_and_sources_can_be_moved_together(tmp_path, monkeypatch):
    home = tmp_path / "home"
    inner = {"s/k=1/a.csv": "a,b\n1,x\n", "s/k=2/a.csv": "a,b\n2,y\n", "t.csv": "a,c\n1,z\n"}
    write_files(home / "data/raw", inner)
    outside = write_files(tmp_path / "outside", {"u.csv": "a,d\n1,w\n"})
    index([home / "data/raw", outside], home / "lake", engine=Inline())
    moved = tmp_path / "other/place"
    moved.parent.mkdir()
    os.rename(home, moved)
    seen = files_read(monkeypatch)
    report = index([], moved / "lake", engine=Inline())
    assert (report.snapshot, report.unchanged, seen, report.notes) == (1, 4, [], [])
    with mere.open(moved / "lake") as lake:
        assert lake.info()["sources"] == [str(moved / "data/raw"), str(outside)]
        assert lake.rows("t.csv").num_rows == 1 and lake.rows("u.csv").num_rows == 1 and lake.rows("s").num_rows == 2
        assert lake.join("t.csv", ("s", "a"), on="a").num_rows == 1
        assert {table.source for table in lake.tables} == {str(moved / "data/raw"), str(outside)}
    (moved / "data/raw/s/k=1/a.csv").write_text("a,b\n3,x\n")
    index([], moved / "lake", engine=Inline())
    assert seen == ["s/k=1/a.csv"]


def test_a_lake_inside_its_source_moves_with_it(tmp_path):
    source = write_files(tmp_path / "before", {"t.csv": "a,c\n1,z\n"})
    index([source], source / "lake", engine=Inline())
    os.rename(source, tmp_path / "after")
    assert index([], tmp_path / "after/lake", engine=Inline()).unchanged == 1
    with mere.open(tmp_path / "after/lake") as lake:
        assert lake.rows("t.csv").num_rows == 1


def test_sources_of_a_lake_that_was_written_with_absolute_paths_are_converted(tmp_path):
    home = tmp_path / "home"
    raw = write_files(home / "raw", {"t.csv": "a,c\n1,z\n"})
    index([raw], tmp_path / "far/lake", engine=Inline())
    assert read_snapshot(str(tmp_path / "far/lake"), 1).absolute == {str(raw)}
    os.rename(tmp_path / "far/lake", home / "lake")
    write_files(raw, {"u.csv": "a,c\n1,z\n"})
    index([], home / "lake", engine=Inline())
    assert read_snapshot(str(home / "lake"), 2).absolute == frozenset()
    os.rename(home, tmp_path / "moved")
    report = index([], tmp_path / "moved/lake", engine=Inline())
    assert (report.unchanged, report.changed, report.notes) == (2, 0, [])
    for compact in (False, True):
        index([], tmp_path / "moved/lake", engine=Inline(), compact=compact)
        with mere.open(tmp_path / "moved/lake") as lake:
            assert [lake.rows(name).num_rows for name in ("t.csv", "u.csv")] == [1, 1]


def test_a_lake_that_is_opened_through_a_link_finds_its_sources(tmp_path):
    raw = write_files(tmp_path / "home/raw", {"t.csv": "a,c\n1,z\n"})
    index([raw], tmp_path / "home/lake", engine=Inline())
    (tmp_path / "link").symlink_to(tmp_path / "home/lake")
    with mere.open(tmp_path / "link") as lake:
        assert lake.rows("t.csv").num_rows == 1


@given(st.lists(st.sampled_from("ab"), max_size=4), st.lists(st.sampled_from("ab"), max_size=4))
def test_a_stored_source_is_found_again(lake, source):
    one, other = "/" + "/".join([*lake, "lake"]), "/" + "/".join(source)
    assert source_from_stored(one, stored_source(one, other)) == os.path.normpath(other)


@settings(max_examples=200)
@given(st.lists(st.lists(st.tuples(st.sampled_from(["/a/b/c", "/b/c", "/x/b/c", "/c"]), st.sampled_from(
    ["t", "c/t", "b/c/t", "u"])), unique=True), min_size=1, max_size=5))  # fmt: skip
def test_names_never_change_whatever_comes_and_goes(histories):
    known: dict[tuple[str, str], str] = {}
    for keys in histories:
        files = [RawFile(source, path, 0, 0) for source, path in sorted(keys)]
        name_all(files, known)
        given_names = {file.key: file.name for file in files}
        assert len(set(given_names.values())) == len(files)
        assert all(given_names[key] == known[key] for key in given_names if key in known)
        known = given_names


@settings(max_examples=8)
@given(data=st.data())
def test_tables_keep_their_names_through_any_history(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    lake = folder / "lake"
    sources = [folder / name for name in ("a/raw", "b/raw", "raw")]
    paths = ["t.csv", "raw/t.csv", "s/k=1/p.csv", "s/k=2/p.csv"]
    before: dict[Path, str] = {}
    for _ in range(data.draw(st.integers(2, 4))):
        for place in data.draw(st.lists(st.sampled_from([s / p for s in sources for p in paths]), unique=True)):
            place.unlink() if place.exists() else write_files(place.parent, {place.name: "k,v\n1,x\n"})
        known = (
            read_snapshot(str(lake), max(1, len(os.listdir(lake / "snapshots")) // 2)).sources if lake.exists() else []
        )
        present = [source for source in sources if source.exists() and str(source) not in known]
        if not present and not known:
            continue
        index(present, lake, engine=Inline())
        now = {Path(record_path): name for record_path, name in called(lake)}
        assert all(now[path] == name for path, name in before.items() if path in now)
        before = now


def called(lake):
    """The file or folder of each table, and its name."""
    with mere.open(lake) as opened:
        tables = [opened.profile(table.name) for table in opened.tables]
        assert len({table.name for table in tables}) == len(tables)
        return [(os.path.join(table.source, table.path), table.name) for table in tables]


def test_only_the_newcomer_gets_the_longer_name_and_a_rebuild_keeps_the_names(tmp_path, run_index):
    first = write_files(tmp_path / "z/one", {"a.csv": "k\n1\n", "b.csv": "k\n1\n"})
    second = write_files(tmp_path / "x/two", {"a.csv": "k\n2\n"})
    run_index(first)
    run_index(second)
    assert names(run_index.lake) == ["a.csv", "b.csv", "two/a.csv"]
    run_index(rebuild=True)
    assert names(run_index.lake) == ["a.csv", "b.csv", "two/a.csv"]
    with mere.open(run_index.lake) as lake:
        assert lake.rows("a.csv", raw=True).to_pydict() == {"k": ["1"]} and lake.rows(
            "two/a.csv", raw=True
        ).to_pydict() == {"k": ["2"]}
    run_index(forget=[first])
    assert names(run_index.lake) == ["two/a.csv"]
    third = write_files(tmp_path / "y/three", {"a.csv": "k\n3\n"})
    run_index(third)
    assert names(run_index.lake) == ["a.csv", "two/a.csv"]


def test_sources_that_come_in_one_run_are_named_in_the_order_of_their_paths(tmp_path, run_index):
    both = [write_files(tmp_path / name, {"a.csv": "k\n1\n"}) for name in ("two", "one")]
    run_index(*both)
    assert names(run_index.lake) == ["a.csv", "two/a.csv"]
    with mere.open(run_index.lake) as lake:
        assert lake.profile("a.csv").source == str(tmp_path / "one")


def test_a_name_given_by_an_earlier_version_is_kept(tmp_path, run_index, monkeypatch):
    """Records of earlier versions have no name of their own, only the names of tables."""
    from mere.pipeline import records

    to_dict = records.FileRecord.to_dict

    def without_name(record):
        return {name: value for name, value in to_dict(record).items() if name != "name"}

    first = write_files(tmp_path / "one", {"a.csv": "k\n1\n"})
    second = write_files(tmp_path / "two", {"a.csv": "k\n2\n"})
    with monkeypatch.context() as patched:
        patched.setattr(records.FileRecord, "to_dict", without_name)
        run_index(first, second)
    shutil.rmtree(first)
    write_files(first, {})
    first.mkdir()
    assert run_index().changed == 0 and names(run_index.lake) == ["two/a.csv"]


def test_the_names_of_a_source_that_is_gone_are_not_given_away(tmp_path, run_index):
    first = write_files(tmp_path / "one", {"a.csv": "k\n1\n"})
    run_index(first)
    os.rename(first, tmp_path / "away")
    run_index(write_files(tmp_path / "two", {"a.csv": "k\n2\n"}))
    assert names(run_index.lake) == ["a.csv", "two/a.csv"]
