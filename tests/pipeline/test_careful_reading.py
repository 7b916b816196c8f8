"""A file that ends the process that reads it is found and quarantined with the reason; all others are indexed."""

from __future__ import annotations

import ctypes
import faulthandler
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mere
from mere.errors import WorkerLost
from mere.pipeline import Settings, careful, index, stage_files
from mere.pipeline.child import run_in_child
from mere.pipeline.engine import Inline
from mere.pipeline.journal import Journal, suspects
from mere.readers import Limits
from tests.conftest import write_files

SETTINGS = Settings(limits=Limits(seconds=4, memory_bytes=1 << 30))
TABLES = {f"t/{n:02d}.csv": f"k,v\n{n},a\n2,b\n" for n in range(50)}


def take_memory() -> None:
    kept = []
    while True:
        kept.append(bytearray(1 << 28))


def loop() -> None:
    while True:
        pass


BOMBS: dict[str, tuple[Callable[[], Any], str]] = {
    "abort.csv": (os.abort, "reading it ended the process with signal 6 (SIGABRT)"),
    "exit.csv": (lambda: os._exit(7), "reading it ended the process with exit status 7"),
    "memory.csv": (take_memory, "reading it took more than 1,024 MiB of memory; raise the limit 'memory_bytes'"),
    "loop.csv": (loop, "reading it took more than 4 seconds; raise the limit 'seconds'"),
    "library.csv": (
        lambda: ctypes.PyDLL(None).sleep(600),  # keeps the interpreter's lock
        "reading it took more than 4 seconds; raise the limit 'seconds'",
    ),
    "killed.csv": (
        lambda: os.kill(os.getpid(), signal.SIGKILL),
        "reading it ended the process with signal 9 (SIGKILL)",
    ),
}


class LosesWorker(Inline):
    """As Spark on one core without retries: the first attempt to read ends with a lost worker."""

    def __init__(self) -> None:
        self.attempts = 0

    def run(self, task: str, payloads: Any, advance: Any = None) -> Any:
        self.attempts += task == "read"
        if task == "read" and self.attempts == 1:
            raise WorkerLost("a process that ran a task ended")
        return super().run(task, payloads, advance)


@pytest.fixture
def bombs(monkeypatch: pytest.MonkeyPatch) -> None:
    real = stage_files.readers.open_tables

    def explode(path: str, *rest: Any, **options: Any) -> Any:
        bomb = BOMBS.get(os.path.basename(path))
        if bomb:
            bomb[0]()
        return real(path, *rest, **options)

    monkeypatch.setattr(stage_files.readers, "open_tables", explode)


def tables(lake: Path) -> list[str]:
    with mere.open(lake) as opened:
        return [table.name for table in opened.tables]


@pytest.mark.usefixtures("bombs")
def test_after_a_worker_was_lost_each_guilty_file_is_quarantined_and_all_others_are_indexed(tmp_path):
    raw = write_files(tmp_path / "raw", {**TABLES, **{f"t/{name}": "k\n1\n" for name in BOMBS}})
    engine = LosesWorker()
    report = index([raw], tmp_path / "lake", engine=engine, settings=SETTINGS)
    assert {row["path"]: row["reason"] for row in report.quarantined} == {
        f"t/{name}": reason for name, (_, reason) in BOMBS.items()
    }
    assert {row["kept"] for row in report.quarantined} == {"nothing"}
    assert tables(tmp_path / "lake") == sorted(TABLES)
    assert engine.attempts == 2 and os.listdir(tmp_path / "lake/staging") == []
    again = index([], tmp_path / "lake", engine=Inline(), dry_run=True)
    assert (again.changed, again.unchanged) == (1, len(TABLES) + len(BOMBS) - 1), "what others killed is tried again"


@pytest.mark.usefixtures("bombs")
@pytest.mark.parametrize("name", ["abort.csv", "killed.csv"])
def test_a_run_that_died_with_its_process_is_followed_by_one_that_reads_the_suspect_alone(tmp_path, name):
    raw, lake = write_files(tmp_path / "raw", {**TABLES, f"t/{name}": "k\n1\n"}), tmp_path / "lake"
    child = os.fork()
    if child == 0:
        faulthandler.disable()  # of pytest: it would print
        index([raw], lake, engine=Inline(), settings=SETTINGS)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status)
    report = index([raw], lake, engine=Inline(), settings=SETTINGS)
    assert [(row["path"], row["reason"]) for row in report.quarantined] == [(f"t/{name}", BOMBS[name][1])]
    assert tables(lake) == sorted(TABLES)


def test_a_suspect_that_can_be_read_is_indexed(tmp_path, monkeypatch):
    """The run was killed while it read the file, for whatever reason."""
    raw, lake = write_files(tmp_path / "raw", TABLES), tmp_path / "lake"
    real = stage_files.readers.open_tables

    def killed(path: str, *rest: Any, **options: Any) -> Any:
        if path.endswith("07.csv"):
            os.kill(os.getpid(), signal.SIGKILL)
        return real(path, *rest, **options)

    child = os.fork()
    if child == 0:
        monkeypatch.setattr(stage_files.readers, "open_tables", killed)
        index([raw], lake, engine=Inline())
        os._exit(0)
    os.waitpid(child, 0)
    assert len(suspects(str(lake / "staging"))) == 1
    children = []
    monkeypatch.setattr(careful, "run_in_child", lambda *given: children.append(1) or run_in_child(*given))
    assert index([raw], lake, engine=Inline()).quarantined == []
    assert tables(lake) == sorted(TABLES)
    assert len(children) == 1 + -(-(len(TABLES) - 1) // 16), "the suspect alone, the others sixteen at a time"


def test_too_little_memory_in_the_process_of_the_task_is_traced_to_its_file(tmp_path, monkeypatch):
    raw = write_files(tmp_path / "raw", TABLES)
    real = stage_files.readers.open_tables

    def greedy(path: str, *rest: Any, **options: Any) -> Any:
        if path.endswith("07.csv"):
            bytearray(1 << 50)
        return real(path, *rest, **options)

    monkeypatch.setattr(stage_files.readers, "open_tables", greedy)
    report = index([raw], tmp_path / "lake", engine=Inline(), settings=SETTINGS)
    assert [(row["path"], row["reason"]) for row in report.quarantined] == [("t/07.csv", BOMBS["memory.csv"][1])]
    assert len(tables(tmp_path / "lake")) == len(TABLES) - 1


def test_a_large_file_that_ended_a_process_while_it_was_looked_at_is_read_in_one_piece(tmp_path, monkeypatch):
    raw = write_files(tmp_path / "raw", {"a.csv": "k,v\n" + "1,2\n" * 5000})

    class LosesWorkerOfSniff(Inline):
        def run(self, task: str, payloads: Any, advance: Any = None) -> Any:
            if task == "sniff":
                raise WorkerLost("a process that ran a task ended")
            assert task != "quotes" or not payloads
            return super().run(task, payloads, advance)

    report = index([raw], tmp_path / "lake", engine=LosesWorkerOfSniff(), settings=Settings(split_bytes=1024))
    assert report.totals["rows"] == 5000 and not report.quarantined


@given(st.lists(st.tuples(st.lists(st.text("0123456789abcdef", min_size=1), max_size=4), st.booleans()), max_size=4))
def test_the_suspects_are_the_last_units_of_the_tasks_that_did_not_end(tmp_path_factory, tasks):
    staging = str(tmp_path_factory.mktemp("staging"))
    for keys, ended in tasks:
        journal = Journal(staging)
        for key in keys:
            journal.begin(key, 1)
        if ended:
            journal.__exit__(None, None, None)
    assert suspects(staging).keys() - {""} == {keys[-1] for keys, ended in tasks if keys and not ended}


def test_a_task_that_ends_with_an_error_leaves_no_suspect(tmp_path):
    with pytest.raises(ZeroDivisionError), Journal(str(tmp_path), watch=True) as journal:
        journal.begin("a", 1000)
        1 / 0  # noqa: B018
    assert suspects(str(tmp_path)) == {}


def test_a_child_gives_its_result_and_cannot_outlive_its_parent(tmp_path):
    folder = str(tmp_path)
    assert run_in_child(lambda: {"a": "x" * 10**6}, folder, 1 << 30, 60).result == {"a": "x" * 10**6}
    assert run_in_child(lambda: json.loads("{"), folder, 1 << 30, 60).reason.startswith("unexpected JSONDecodeError")
    assert "more than 0 seconds" in run_in_child(lambda: time.sleep(60), folder, 1 << 30, 0.05).reason
    parent = os.fork()
    if parent == 0:
        run_in_child(lambda: (tmp_path / "pid").write_text(str(os.getpid())) and time.sleep(600), folder, 1 << 30, 600)
        os._exit(0)
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        time.sleep(0.01)
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    child = int((tmp_path / "pid").read_text())
    while Path(f"/proc/{child}").exists() and " Z " not in Path(f"/proc/{child}/stat").read_text():
        time.sleep(0.01)
    (tmp_path / "pid").unlink()
    assert os.listdir(folder) == []
