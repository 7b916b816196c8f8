"""A full or failing disk is the machine's fault: the run fails, no file is quarantined, the next run recovers."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

import mere
from mere.errors import CannotWrite
from mere.pipeline import Settings, index
from mere.pipeline.engine import Inline
from mere.segments.snapshot import kept_numbers
from mere.store import files
from tests.conftest import write_files

SMALL = Settings(split_bytes=64)  # a table is staged in blocks
FAILING = ("create", "rename", "mkdir")  # what a full disk refuses first
RAW = {
    "a.csv": "k,v\n1,x\n2,y\n",
    "b.csv": "k,v\n3,z\n",
    "parts/year=2020/a.csv": "k,v\n1,x\n",
    "parts/year=2021/a.csv": "k,v\n2,y\n",
    "long.json": "[" + ",".join(f'{{"k": {n}, "text": "{n} and some more"}}' for n in range(30)) + "]",
}


def run(raw: Path, lake: Path) -> mere.pipeline.Report:
    return index([raw], lake, engine=Inline(), settings=SMALL)


def contents(lake: Path) -> dict[str, int]:
    if not kept_numbers(str(lake)):
        return {}
    with mere.open(lake) as opened:
        assert opened.quarantine() == []
        return {table.name: opened.profile(table.name).rows for table in opened.tables}


class Disk:
    """Lets the `fails_at`-th new file, folder or rename fail, and all after it; counts them."""

    def __init__(self, number: int, fails_at: int = 0) -> None:
        self.number, self.fails_at, self.steps = number, fails_at, 0

    def __call__(self, operation: str, path: str) -> None:
        self.steps += operation in FAILING
        if self.fails_at and self.steps >= self.fails_at and operation in FAILING:
            raise OSError(self.number, os.strerror(self.number), path)


def failing_at(monkeypatch: pytest.MonkeyPatch, raw: Path, lake: Path, disk: Disk) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(files, "on_step", disk)
        with pytest.raises(CannotWrite, match=r"cannot write to '.*': .* MiB are free\); free some space"):
            run(raw, lake)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_a_disk_that_is_full_from_any_write_on_fails_the_run_and_the_next_one_recovers(tmp_path, monkeypatch, number):
    raw = write_files(tmp_path / "raw", RAW)
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # speed: `tests/durability` judges syncs
    count = Disk(number)
    with monkeypatch.context() as patched:
        patched.setattr(files, "on_step", count)
        run(raw, tmp_path / "complete lake")
    complete = contents(tmp_path / "complete lake")
    assert complete == {"a.csv": 2, "b.csv": 1, "long.json": 30, "parts": 2} and count.steps > 20
    for step in range(1, count.steps, 1 if number == errno.ENOSPC else 11):
        lake = tmp_path / f"lake {step}"
        failing_at(monkeypatch, raw, lake, Disk(number, step))
        assert contents(lake) in ({}, complete)
        assert run(raw, lake).quarantined == []
        assert contents(lake) == complete
        assert os.listdir(lake / "staging") == []


def test_an_update_on_a_full_disk_leaves_the_lake_as_it_was(tmp_path, monkeypatch):
    raw, lake = write_files(tmp_path / "raw", RAW), tmp_path / "lake"
    run(raw, lake)
    before = contents(lake)
    write_files(raw, {"c.csv": "k\n9\n", "a.csv": "k,v\n1,x\n"})
    failing_at(monkeypatch, raw, lake, Disk(errno.EDQUOT, 2))
    assert contents(lake) == before
    run(raw, lake)
    assert contents(lake) == {**before, "c.csv": 1, "a.csv": 1}


def test_what_a_failed_run_cannot_reuse_is_deleted_at_once(tmp_path, monkeypatch):
    raw, lake = write_files(tmp_path / "raw", RAW), tmp_path / "lake"
    started = []

    def full_when_segments_are_built(operation: str, path: str) -> None:
        started.append("segments/" in path and path.endswith("overlap.idx"))
        if started[-1]:
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(files, "on_step", full_when_segments_are_built)
        with pytest.raises(CannotWrite):
            run(raw, lake)
    assert any(started) and os.listdir(lake / "segments") == []
    assert os.listdir(lake / "staging"), "what was read is kept"


def test_staged_files_without_a_receipt_are_deleted_at_once(tmp_path, monkeypatch):
    raw, lake = write_files(tmp_path / "raw", RAW), tmp_path / "lake"
    staged = []

    def full_after_two_staged_files(operation: str, path: str) -> None:
        staged.extend([path] if operation == "create" and "staging/" in path else [])
        if len(staged) > 2 and operation == "create":
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(files, "on_step", full_after_two_staged_files)
        with pytest.raises(CannotWrite):
            run(raw, lake)
    assert len(staged) == 3 and os.listdir(lake / "staging") == []


def test_a_folder_that_cannot_be_written_for_another_reason_is_no_fault_of_a_file_either(tmp_path, monkeypatch):
    from mere.pipeline import stage_files

    def refuse(path, tables):
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(stage_files, "write_staged", refuse)
    with pytest.raises(CannotWrite, match="Permission denied"):
        run(write_files(tmp_path / "raw", RAW), tmp_path / "lake")
    assert contents(tmp_path / "lake") == {}
