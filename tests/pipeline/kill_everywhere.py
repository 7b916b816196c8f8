"""Kill an index run at every write, sync and rename, and look at what is left.  Run by test_kills.py.

One process does everything: it indexes once, which loads all modules, then forks before each kill.  The child indexes
in process and kills itself (SIGKILL) at the k-th file operation; the parent opens what is left, and runs the index
again.  Nothing here depends on the clock.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

import mere
from mere.pipeline import Settings, index
from mere.pipeline.engine import Inline
from mere.segments.markers import committed_numbers
from mere.segments.open_snapshot import verify
from mere.segments.snapshot import kept_numbers
from mere.store import files
from mere.values.pandas_import import block_pandas_import

_FOLDERS = ("segments", "files", "frames", "staging", "snapshots")
SMALL = Settings(segment_bytes=1, keep_snapshots=1)  # several segments, and garbage to delete at once


def run(raw: Path, lake: Path) -> None:
    frame = pa.table({"file": sorted(os.listdir(raw))})  # changes with the raw files
    index([raw, {"files": frame}], lake, engine=Inline(), settings=SMALL)


def count_steps(raw: Path, lake: Path) -> int:
    """Index, and count the file operations."""
    steps: list[str] = []
    files.on_step = lambda operation, path: steps.append(operation)
    run(raw, lake)
    files.on_step = None
    return len(steps)


def run_killed(raw: Path, lake: Path, kill_at: int) -> bool:
    """Index in a forked child that kills itself at this file operation; whether it was killed."""
    child = os.fork()
    if child == 0:
        try:
            _kill_at(kill_at)
            run(raw, lake)
        finally:
            os._exit(1)  # it should have been killed
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def _kill_at(kill_at: int) -> None:
    left = kill_at

    def step(operation: str, path: str) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    files.on_step = step


def what_a_reader_sees(lake: Path) -> dict[str, Any]:
    """No lake, or a complete snapshot, with its tables; and which files `mere doctor` finds damaged."""
    if not kept_numbers(str(lake)):
        return {"tables": None, "damaged": []}
    with mere.open(lake) as opened:
        tables = {table.name: opened.profile(table.name).rows for table in opened.tables}
        hits = [hit.table for hit in opened.overlap(["1", "9"], k=0)]
    checked = [result for number in committed_numbers(str(lake)) for result in verify(str(lake), number)]
    damaged = sorted(os.path.relpath(path, lake) for path, fault in checked if fault)
    return {"tables": tables, "hits": hits, "damaged": damaged}


def files_in(lake: Path) -> dict[str, int]:
    return {name: len(list((lake / name).iterdir())) for name in _FOLDERS}


@dataclass
class Scenario:
    """Kills at every step of a first run, or of an update; what was seen, and what was wrong."""

    folder: Path
    update: bool
    seen: dict[str, int] = field(default_factory=lambda: {"old": 0, "new": 0, "unmarked": 0})
    faults: list[Any] = field(default_factory=list)

    def play(self) -> dict[str, Any]:
        raw, base, complete = self.folder / "raw", self.folder / "base", self.folder / "complete"
        raw.mkdir(parents=True)
        for name in "abc" if self.update else "a":
            (raw / f"{name}.csv").write_text(f"k,v\n1,{name}\n2,{name}\n")
        run(raw, base)
        if self.update:
            change(raw)
            shutil.copytree(base, complete)
        else:
            shutil.rmtree(base)
        self.old = what_a_reader_sees(base)
        steps = count_steps(raw, complete)
        self.new, self.left_over = what_a_reader_sees(complete), files_in(complete)
        newest = kept_numbers(str(complete))[-1]  # a marker is written after its snapshot, and removed before it
        self.unmarked = [[f"snapshots/{number:08d}.committed"] for number in (newest, newest - 1)]
        for step in range(1, steps + 1):
            lake = self.folder / "killed"
            if self.update:
                shutil.copytree(base, lake)
            self._kill(raw, lake, step)
            shutil.rmtree(lake)
        return {"steps": steps, "old": self.old, "new": self.new, "faults": self.faults, "seen": self.seen}

    def _kill(self, raw: Path, lake: Path, step: int) -> None:
        if not run_killed(raw, lake, step):
            self.faults.append([step, "was not killed"])
        left = what_a_reader_sees(lake)
        if left == self.old:
            self.seen["old"] += 1
        elif left == self.new:
            self.seen["new"] += 1
        elif left == {**self.new, "damaged": left["damaged"]} and left["damaged"] in self.unmarked:
            self.seen["unmarked"] += 1
        else:
            self.faults.append([step, "left", left])
        run(raw, lake)
        repaired = what_a_reader_sees(lake)
        if repaired != self.new or files_in(lake) != self.left_over:
            self.faults.append([step, "not repaired", repaired, files_in(lake)])


def change(raw: Path) -> None:
    (raw / "a.csv").write_text("k,v\n1,x\n2,y\n3,z\n")
    (raw / "b.csv").unlink()
    (raw / "d.csv").write_text("k\n9\n")


if __name__ == "__main__":
    block_pandas_import()  # or it would be imported for every run
    os.fsync = lambda handle: None  # a killed process loses nothing that was written; `tests/durability` judges syncs
    print(json.dumps(Scenario(Path(sys.argv[1]), sys.argv[2] == "update").play()))
