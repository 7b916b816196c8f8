"""What a value is and how files are read have versions: a lake of other rules says so, and is read again."""

from __future__ import annotations

import builtins
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import mere
from mere import readers, values
from mere.cli import run
from mere.indexes import KINDS
from mere.pipeline import index
from mere.pipeline.engine import Inline
from mere.pipeline.given import Given
from mere.pipeline.named_sources import NamedSources
from mere.pipeline.receipts import unit_keys
from mere.pipeline.records import Unit
from mere.pipeline.settings import Settings
from mere.search.rules import Rules, counted, rules_now, stale_tables
from mere.segments import Snapshot
from mere.segments.snapshot import read_snapshot
from mere.store.container import FileEntry
from tests.conftest import write_files
from tests.pipeline.test_updates import files_read

FILES = {
    "lands.csv": "land,n\nAustria,1\nChile,2\nPeru,3\n",
    "people.json": '[{"name": "Ada", "land": "Austria"}, {"name": "Bob", "land": "Chile"}]',
    "parts/part-00000.csv": "k,v\na,1\nb,2\n",
    "parts/part-00001.csv": "k,v\nc,3\nd,4\n",
    "picture.csv": "\x89PNG\r\n\x1a\n\x00\x00\x00",
}
FRAME = pa.table({"land": ["Peru", "Chad"]})
ASKED = ["Austria", "Chile", "Peru"]


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    return write_files(tmp_path / "raw", FILES)


@pytest.fixture
def old(raw: Path, run_index: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """A lake of the rules before: values were written in capitals; and now they are not."""
    module = sys.modules[values.normalise.__module__]  # the package has a function of this name
    real = module._folded
    with monkeypatch.context() as before:
        before.setattr(module, "_folded", lambda cells: pc.utf8_upper(real(cells)))
        before.setattr(values, "VERSION", values.VERSION - 1)
        run_index(raw, {"frame": FRAME})
    return run_index.lake


def learnt(lake: str | Path, number: int) -> dict[str, FileEntry | None]:
    """What the kinds learnt, by its checksum."""
    trained = read_snapshot(str(lake), number).trained
    return {name: entry.file.entry if entry.file else None for name, entry in trained.items()}


def told(number: int, every: int) -> str:
    return f"{number} of {every} tables: rules of values {values.VERSION - 1}, now {values.VERSION}"


def test_a_lake_of_another_folding_rule_says_so_and_is_read_again(old: str, run_index: Any) -> None:
    with mere.open(old) as lake:
        found = lake.overlap(ASKED, k=0)
        assert not found and f"{told(4, 4)}; run 'mere index'" in found.notes
    report = run_index()
    assert (report.stale, report.unchanged, report.changed) == (6, 0, 0)
    assert report.notes == [f"{told(4, 4)}; read again"]
    with mere.open(old) as lake:
        found = lake.overlap(ASKED, k=0)
        assert {(hit.table, hit.score) for hit in found} == {("lands.csv", 3), ("people.json", 2), ("frame", 1)}
        assert found.notes == [] and lake.info()["stale"] == []
    fresh = Path(old).with_name("fresh")
    index([Path(old).with_name("raw"), {"frame": FRAME}], fresh, engine=Inline())
    assert learnt(old, 1) != learnt(old, 2) == learnt(fresh, 1), "nothing stays that it was learnt for"
    report = run_index()
    assert (report.stale, report.unchanged, report.notes, report.snapshot) == (0, 6, [], 2)


@pytest.mark.parametrize("module", [values, readers])
def test_whatever_version_changes_every_file_is_read_again(
    module: Any, raw: Path, run_index: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_index(raw)
    monkeypatch.setattr(module, "VERSION", module.VERSION + 1)
    read = files_read(monkeypatch)
    assert run_index().stale == len(FILES) and sorted(read) == sorted(FILES), "also what could not be read before"
    name = module.__name__.removeprefix("mere.").replace("readers", "reading")
    monkeypatch.setattr(module, "VERSION", module.VERSION - 1)
    assert index([], run_index.lake, engine=Inline(), dry_run=True).notes == [
        f"3 of 3 tables: rules of {name} {module.VERSION + 1}, now {module.VERSION}"
    ], "rules of a later version are other rules, too"


def test_the_number_of_stale_tables_is_said_before_they_are_read(old: str, capsys: pytest.CaptureFixture[str]) -> None:
    report = index([], old, engine=Inline(), dry_run=True)
    assert (report.stale, report.notes, report.snapshot) == (6, [told(4, 4)], 1)
    for command in ["index --dry-run", "info", "doctor"]:
        arguments = [*command.split(), "--lake", old]
        assert run([*arguments, "--json"]) in (0, 3)
        document = json.loads(capsys.readouterr().out)
        assert told(4, 4) in str(document.get("stale") if command == "info" else document), command
        assert run(arguments) in (0, 3)
        assert f"note: {told(4, 4)}" in capsys.readouterr().out, command


def test_every_answer_of_a_stale_lake_has_the_note(old: str, run_index: Any) -> None:
    note, frame = f"{told(4, 4)}; run 'mere index'", pa.table({"land": ASKED, "n": [1, 2, 3]})
    questions = {
        "overlap": ASKED, "containment": ASKED, "composite": frame, "similar": ASKED, "transform": ASKED,
        "distribution": "at least 50% of n > 1", "keywords": "lands",
    }  # fmt: skip
    assert set(questions) == set(KINDS)
    with mere.open(old) as lake:
        answers = {kind: lake.ask(kind, given) for kind, given in questions.items()}
        answers["where"] = lake.where("at least 50% of n > 1 and 'lands'")
        answers["joinable"] = lake.joinable(frame)
        answers["paths"] = lake.paths("lands.csv", "people.json")
        answers["assemble"] = lake.assemble(frame)
        answers["explain"] = lake.explain("overlap", ASKED, ("lands.csv", "land"))
        [answers["batch"]] = lake.batch("overlap", [ASKED], Inline())
        assert {name for name, answer in answers.items() if list(answer.notes).count(note) != 1} == set()


def test_what_cannot_be_read_again_stays_and_is_told(
    old: str, raw: Path, run_index: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not one part of a table alone: a table of old and new rules would answer as neither."""
    locked = {str(raw / name) for name in ("lands.csv", "parts/part-00001.csv")}
    really_open = builtins.open

    def refuse(path: Any, *arguments: Any, **options: Any) -> Any:
        if os.fspath(path) in locked if isinstance(path, str | os.PathLike) else False:
            raise PermissionError(13, "Permission denied", path)
        return really_open(path, *arguments, **options)

    read = files_read(monkeypatch)
    with monkeypatch.context() as patched:
        patched.setattr(builtins, "open", refuse)
        report = run_index()
    assert sorted(path for path in read if path != "frame") == ["people.json", "picture.csv"]
    assert (report.stale, report.unchanged) == (3, 3)
    assert f"{told(2, 4)}; what they were read from cannot be read again" in report.notes
    with mere.open(old) as lake:
        assert {hit.table for hit in lake.overlap(ASKED, k=0)} == {"people.json", "frame"}
        assert lake.tables[0].name == "frame" and len(lake.tables) == 4
    assert (run_index().stale, run_index().notes) == (3, [])


def test_a_source_that_is_gone_stays_stale_until_it_is_back(old: str, raw: Path, run_index: Any) -> None:
    raw.rename(raw.with_name("away"))
    report = run_index()
    assert report.stale == 1, "the frame, from its copy"
    assert f"{told(3, 4)}; what they were read from cannot be read again" in report.notes
    with mere.open(old) as lake:
        assert {hit.table for hit in lake.overlap(ASKED, k=0)} == {"frame"}
    again = run_index()
    assert f"{told(3, 4)}; what they were read from cannot be read again" in again.notes and again.stale == 0
    raw.with_name("away").rename(raw)
    assert run_index().stale == 5
    with mere.open(old) as lake:
        assert lake.info()["stale"] == []


def test_a_frame_whose_copy_is_damaged_stays_and_is_told(old: str, run_index: Any) -> None:
    [copy] = (Path(old) / "frames").iterdir()
    copy.write_bytes(b"other")
    report = run_index()
    assert any("'frame:frame' is kept as it was" in note and "checksum" in note for note in report.notes)
    assert f"{told(1, 4)}; what they were read from cannot be read again" in report.notes
    run_index({"frame": FRAME})
    with mere.open(old) as lake:
        assert lake.info()["stale"] == []


def test_a_frame_of_spark_is_kept_unless_it_is_given_again(run_index: Any) -> None:
    named = NamedSources(run_index.lake, Given(), {}, lambda: None)  # type: ignore[arg-type, return-value]
    assert named.look(["frame:orders"], everything=False, stale={"frame:orders"}) == []
    assert named.notes == [
        "source 'frame:orders' is kept as it was: the Spark frame 'orders' cannot be read again; hand it in, or drop it"
        " with forget=['frame:orders']"
    ]
    assert named.look(["frame:orders"], everything=False) == [] and len(named.notes) == 1


def test_a_profile_is_read_again_from_its_file(raw: Path, run_index: Any, tmp_path: Path, monkeypatch: Any) -> None:
    run_index(raw)
    published = tmp_path / "published"
    published.mkdir()
    with mere.open(run_index.lake) as lake:
        lake.export_profiles(["lands.csv"], published / "croissant.json")
    index(published, tmp_path / "finder", engine=Inline())
    monkeypatch.setattr(readers, "VERSION", readers.VERSION + 1)
    with mere.open(tmp_path / "finder") as lake:
        assert len(lake.tables) == 1 and "1 of 1 table:" in lake.where("at least 50% of n > 1").notes[-1]
    assert index([], tmp_path / "finder", engine=Inline()).stale == 1
    with mere.open(tmp_path / "finder") as lake:
        assert lake.info()["stale"] == [] and len(lake.where("at least 50% of n > 1")) == 1


def test_an_update_of_some_files_gives_what_a_new_lake_gives(old: str, raw: Path, run_index: Any) -> None:
    write_files(raw, {"parts/part-00002.csv": "k,v\ne,5\n", "lands.csv": "land,n\nAustria,1\nPERU,3\n"})
    report = run_index()
    assert (report.added, report.changed, report.stale) == (1, 1, 5)
    fresh = shutil.copytree(raw, raw.with_name("again"))
    index([fresh, {"frame": FRAME}], raw.with_name("fresh"), engine=Inline())
    for question in (ASKED, ["a", "c", "e"], [1, 2, 5]):
        with mere.open(old) as updated, mere.open(raw.with_name("fresh")) as new:
            answers = [
                [(hit.table, hit.columns, hit.score) for hit in lake.overlap(question)] for lake in (updated, new)
            ]
            assert answers[0] == answers[1] and answers[0]


def test_what_an_interrupted_run_staged_under_other_rules_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    unit = Unit("/raw", "a.csv", "/raw/a.csv", "a.csv", 10, "stamp", (), False, 10)
    before = unit_keys([unit], Settings())
    for module in (values, readers):
        with monkeypatch.context() as patched:
            patched.setattr(module, "VERSION", module.VERSION + 1)
            assert unit_keys([unit], Settings()) != before
    assert unit_keys([unit], Settings()) == before


def test_a_table_of_several_files_counts_once_as_the_oldest_of_them() -> None:
    now = rules_now()
    read = [("a", now), ("parts", now), ("parts", Rules(1, now.reading)), ("parts", now), ("b", Rules(1, 1))]
    snapshot = Snapshot(rules=counted(read))
    assert stale_tables(snapshot) == [
        f"1 of 3 tables: rules of values 1, now {now.values}, and of reading 1, now {now.reading}",
        f"1 of 3 tables: rules of values 1, now {now.values}",
    ]
    assert Snapshot.from_bytes(snapshot.to_bytes(), "7.json").rules == snapshot.rules
    assert stale_tables(Snapshot(rules=counted([("a", now)]))) == stale_tables(Snapshot()) == []
