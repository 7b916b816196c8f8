"""Whatever is wrong with a file of a lake, questions are refused with its name, and `mere doctor` lists all files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import mere
from mere import compiled
from mere.bundles import answer
from mere.cli.doctor import examine
from mere.errors import Corrupt, MereError
from mere.indexes import KINDS
from mere.pipeline import index
from mere.pipeline.engine import Inline
from mere.segments.snapshot import snapshot_path
from mere.store import opening
from tests.conftest import write_files

FILES = {
    "lands.csv": "land,code,n\nAustria,AT,1\nChile,CL,2\nPeru,PE,3\n",
    "more.csv": "land,code,n\nAustria,AT,1\nChad,TD,4\nPeru,PE,5\n",
    "people.json": '[{"name": "Ada", "land": "Austria"}, {"name": "Bob", "land": "Chile"}]',
}
ASKED = ["Austria", "Chile", "Peru"]
FRAME = pa.table({"land": ASKED, "code": ["AT", "CL", "PE"], "n": [1, 2, 3]})
QUESTIONS: dict[str, Any] = {
    "overlap": ASKED, "composite": FRAME, "similar": ["Austrias"], "transform": ["austria (at)"],
    "distribution": "at least 50% of n > 1", "keywords": "lands",
}  # fmt: skip
USES: dict[str, Callable[[mere.Lake], object]] = {
    **{kind: lambda lake, kind=kind: lake.ask(kind, QUESTIONS[kind]) for kind in QUESTIONS},  # type: ignore[misc]
    "containment": lambda lake: lake.containment(ASKED, exact=False),  # otherwise routed to another kind
    "joinable": lambda lake: lake.joinable(FRAME),
    "where": lambda lake: lake.where("at least 50% of n > 1 and not 'people'"),
    "explain": lambda lake: lake.explain("overlap", ASKED, ("lands.csv", "land")),
    "batch": lambda lake: lake.batch("overlap", [ASKED], Inline()),
    "assemble": lambda lake: lake.assemble("lands.csv", ["more.csv"]),
    "paths": lambda lake: lake.paths("lands.csv", "people.json"),
    "tables": lambda lake: lake.tables,
    "profile": lambda lake: lake.profile("lands.csv"),
    "rows": lambda lake: lake.rows("frame"),
    "join": lambda lake: lake.join(FRAME, ("lands.csv", "land"), on="land"),
    "profiles": lambda lake: lake.export_profiles(),
    "quarantine": lambda lake: lake.quarantine(),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("whole")
    index([write_files(home / "raw", FILES), {"frame": FRAME}], home / "lake", engine=Inline())
    return home


@pytest.fixture
def lake(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(answer, "COUNTED_ROWS", 0)  # or a small lake has its rows counted, and needs no sketches
    return shutil.copytree(whole, tmp_path / "home") / "lake"


def files_of(lake: Path) -> list[Path]:
    return sorted(path for path in lake.rglob("*") if path.is_file() and path.name != "writer.lock")


def with_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def with_flipped_byte(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def with_another_valid_file(path: Path) -> None:
    document = path.read_bytes()
    others = [other.read_bytes() for other in sorted(path.parent.parent.rglob(f"*{path.suffix}"))]
    if others := [other for other in others if other != document]:
        path.write_bytes(others[0])
    elif path.suffix == ".parquet":
        pa.parquet.write_table(pa.table({"x": [1]}), path)
    else:  # the snapshot of another lake, or its marker
        shutil.copyfile(_of_another_lake(path), path)
    assert path.read_bytes() != document


def _of_another_lake(path: Path) -> str:
    """The same file of a lake with another second snapshot, under the number of the first."""
    home = path.parents[2] / "other"
    write_files(home / "raw", FILES)
    index(home / "raw", home / "lake", engine=Inline())
    write_files(home / "raw", {"new.csv": "a\n1\n"})
    index([], home / "lake", engine=Inline())
    return str(home / "lake" / "snapshots" / path.name.replace("1.", "2."))


FAULTS: dict[str, Callable[[Path], object]] = {
    "a folder": with_folder,
    "missing": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "a flipped byte": with_flipped_byte,
    "other bytes": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "another valid file": with_another_valid_file,
    "no permission": lambda path: None,  # the next fixture refuses it: root may read everything
}


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Paths that this process has no permission to open."""
    paths: set[str] = set()

    def guarded(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any, *arguments: Any, **options: Any) -> Any:
            if isinstance(path, str) and path in paths:
                raise PermissionError(13, "Permission denied", path)
            return real(path, *arguments, **options)

        return call

    monkeypatch.setattr("builtins.open", guarded(open))
    monkeypatch.setattr(os, "open", guarded(os.open))
    return paths


def told(lake: Path) -> Iterator[tuple[str, str]]:
    """What each use of a lake, opened anew, says of damage; any other error fails."""
    for name, use in USES.items():
        try:
            with mere.open(lake) as opened:
                use(opened)
        except Corrupt as error:
            assert error.exit_code == 4 and error.remedy
            yield name, error.message


@pytest.mark.parametrize("fault", FAULTS)
def test_a_damaged_file_is_corrupt_to_questions_and_one_line_of_the_doctor(
    fault: str, lake: Path, whole: Path, refused: set[str]
) -> None:
    intact = {entry["path"] for entry in examine(str(lake))["lake"]["files"]}
    assert set(USES) > set(KINDS) and intact == set(map(str, files_of(lake))) and dict(told(lake)) == {}
    for path in files_of(lake):
        FAULTS[fault](path)
        refused |= {str(path)} if fault == "no permission" else set()
        document = examine(str(lake))["lake"]
        listed = {entry["path"]: entry for entry in document["files"]}
        is_snapshot = path.name.endswith(".json")
        assert set(listed) == ({str(path)} if is_snapshot else intact), "all files, whichever is damaged"
        assert [entry["path"] for entry in listed.values() if entry["fault"]] == [str(path)]
        assert path.name in listed[str(path)]["fault"] and listed[str(path)]["remedy"]
        messages = dict(told(lake))
        assert all(str(path) in message for message in messages.values())
        assert bool(messages) == (path.suffix != ".committed" and "trained" not in path.parts), path
        assert not is_snapshot or set(messages) == set(USES)
        refused.clear()
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        shutil.copyfile(whole / path.relative_to(lake.parent), path)


@pytest.mark.parametrize("fault", [name for name in FAULTS if name != "no permission"])
def test_what_only_an_index_run_reads_is_told_by_it_and_a_rebuild_mends_all(fault: str, lake: Path) -> None:
    for path in sorted((lake / "trained").iterdir()):
        FAULTS[fault](path)
    write_files(lake.parent / "raw", {"new.csv": "land\nPeru\n"})
    with pytest.raises(Corrupt, match=r"trained/.*\.idx"):
        index([], lake, engine=Inline())
    index([], lake, engine=Inline(), rebuild=True)
    assert dict(told(lake)) == {}


@pytest.mark.parametrize("fault", ["a folder", "a flipped byte"])
def test_a_rebuild_replaces_whatever_is_damaged_but_the_copies_of_frames(fault: str, lake: Path) -> None:
    for path in files_of(lake):
        if path.suffix not in (".parquet", ".json"):
            FAULTS[fault](path)
    index([], lake, engine=Inline(), rebuild=True)
    assert dict(told(lake)) == {}


OVER = {"ones": b"\xff", "letters": b"a", "small numbers": b"\x02\0\0\0\0\0\0\0"}


@pytest.mark.parametrize("over", OVER)
def test_a_file_that_is_overwritten_under_an_open_reader_is_corrupt(
    over: str, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After everything was mapped and checked: an answer of other bytes cannot be told, an error can."""
    monkeypatch.setattr(compiled, "ready", lambda *_: False)  # kernels do not check places, and may end the process
    raised: set[str] = set()
    for path in (lake / "segments").rglob("*.idx"):
        content = path.read_bytes()
        with mere.open(lake) as opened:
            for use in USES.values():
                use(opened)
            _overwrite(path, (OVER[over] * len(content))[: len(content)])
            opened.__dict__.pop("tables")  # what was computed once is not computed again
            for segment in opened._opened.segments:
                for name in ("names", "column_names", "dictionary", "many_counts"):
                    segment.__dict__.pop(name, None)
            for use in USES.values():
                try:
                    use(opened)
                except Corrupt as error:
                    assert str(path) in error.message
                    raised.add(path.name)
                except MereError:
                    pass  # of a name that the lake no longer has, say
            _overwrite(path, content)
    assert {"catalog.idx", "values.idx", "rows.idx", "keywords.idx"} & raised, raised


def _overwrite(path: Path, content: bytes) -> None:
    """The same file, as another process would write over it, so that mapped bytes change."""
    with open(path, "r+b") as file:
        file.write(content)


def test_an_error_that_comes_of_no_file_is_left_as_it_is(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any, **options: Any) -> Any:
        raise IndexError("a fault of the program")

    with mere.open(lake) as opened:
        monkeypatch.setattr(KINDS["keywords"], "search", fail)
        with pytest.raises(IndexError, match="a fault of the program"):
            opened.keywords("lands")
        path = next(path for path in files_of(lake) if path.name == "keywords.idx")
        with_flipped_byte(path)
        with pytest.raises(Corrupt, match=r"keywords\.idx: checksum") as told:
            opened.keywords("lands")
        assert isinstance(told.value.__cause__, IndexError)


def test_evidence_that_is_computed_later_tells_damage_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path / "raw", {f"t{i}.csv": "k\nAda\nBob\n" for i in range(80)})
    index(tmp_path / "raw", tmp_path / "lake", engine=Inline())
    with mere.open(tmp_path / "lake") as opened:
        hits = opened.overlap(["Ada", "Bob"], k=0)
        assert hits.hits.unread == 80  # type: ignore[attr-defined]
        monkeypatch.setattr(KINDS["overlap"], "explain", lambda *_: [][0])
        with pytest.raises(IndexError):
            hits[0]
        with_flipped_byte(next((tmp_path / "lake").rglob("values.idx")))
        with pytest.raises(Corrupt, match=r"values\.idx"):
            hits[0]
        assert isinstance(opened.tables[0].name, str)
        hits.hits._explain = None  # type: ignore[attr-defined]  # nothing is to be computed on closing


def test_a_snapshot_under_another_number_is_not_that_snapshot(lake: Path) -> None:
    write_files(lake.parent / "raw", {"new.csv": "a\n1\n"})
    index([], lake, engine=Inline())
    shutil.copyfile(snapshot_path(str(lake), 1), snapshot_path(str(lake), 2))
    with pytest.raises(Corrupt, match=r"00000002\.json: holds snapshot 1, expected 2"):
        mere.open(lake)


def test_the_doctor_looks_at_every_kept_snapshot_whatever_it_finds_in_the_newest(lake: Path) -> None:
    first = set(map(str, files_of(lake)))
    write_files(lake.parent / "raw", {"new.csv": "a\n1\n"})
    index([], lake, engine=Inline())
    newest = snapshot_path(str(lake), 2)
    with_folder(Path(newest))
    listed = {entry["path"]: entry["ok"] for entry in examine(str(lake))["lake"]["files"]}
    assert first <= set(listed) and [path for path, ok in listed.items() if not ok] == [newest]


def test_a_task_of_spark_tells_damage_by_its_name(lake: Path, spark: Any) -> None:
    with mere.open(lake) as opened:
        opened.overlap(ASKED)
        path = next(path for path in files_of(lake) if path.name == "overlap.idx")
        with_flipped_byte(path)
        with pytest.raises(Corrupt, match=r"overlap\.idx: checksum"):
            opened.batch("overlap", [ASKED], spark)


def test_every_fault_of_opening_has_words() -> None:
    for error, words in [
        (FileNotFoundError(2, "No such file"), "the file is missing"),
        (IsADirectoryError(21, "Is a directory"), "is a folder, expected a file"),
        (PermissionError(13, "Permission denied"), "no permission to read it"),
        (OSError(5, "Input/output error"), "cannot be read: Input/output error"),
    ]:
        told = opening.not_opened("/lake/a.idx", error)
        assert isinstance(told, MereError) and told.message == f"/lake/a.idx: {words}" and told.remedy


def test_a_mistake_of_the_caller_reads_no_file_of_the_lake(tmp_path: Path, monkeypatch: Any) -> None:
    raw = write_files(tmp_path / "raw", {"a.csv": "x,y\n1,a\n2,b\n"})
    index([raw], tmp_path / "lake", engine=Inline())
    with mere.open(tmp_path / "lake") as lake:
        for path in (tmp_path / "lake").rglob("*"):
            if path.is_file() and path.parent.name != "snapshots":
                os.utime(path, ns=(1, 1))  # long before the snapshot, as in a lake that was not made just now
        monkeypatch.setattr("mere.store.container.verify", lambda *_: pytest.fail("a file was read"))
        with pytest.raises(TypeError):
            lake.info(1)
