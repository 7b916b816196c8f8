"""Kill an index run at every write, sync and rename, and look at what is left.  Run by test_kills.py.

Every run and every look is a forked child, so a kill is a real SIGKILL and nothing survives in memory.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import mere
from mere.pipeline import Settings, index
from mere.pipeline.engine import Inline
from mere.segments.open_snapshot import verify
from mere.segments.snapshot import kept_numbers
from mere.store import files
from mere.values.lean import spare_pandas

SMALL = Settings(segment_bytes=1, keep_snapshots=1)  # several segments, and garbage to collect at once


def in_child(work: Callable[[], object]) -> tuple[int, object]:
    """Run in a forked child; its exit status and what it returned."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        status = 1
        try:
            with os.fdopen(writing, "w") as out:
                out.write(json.dumps(work()))
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as answer:
        said = answer.read()
    _, status = os.waitpid(child, 0)
    return status, json.loads(said) if said else None


def run(raw: Path, lake: Path, kill_at: int | None = None) -> int:
    """Index; die at the given step, or count the steps."""
    steps = 0

    def step(operation: str, path: str) -> None:
        nonlocal steps
        steps += 1
        if steps == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    files.on_step = step
    index([raw], lake, engine=Inline(), settings=SMALL)
    return steps


def look(lake: Path) -> dict:
    """What a reader sees: nothing, or a whole snapshot."""
    if not kept_numbers(str(lake)):
        return {"tables": None, "faults": []}
    with mere.open(lake) as opened:
        tables = {table.name: opened.profile(table.name).rows for table in opened.tables}
    return {"tables": tables, "faults": [str(fault) for _, fault in verify(str(lake)) if fault]}


def settled(lake: Path) -> dict:
    """After a run that ended well: what a reader sees, and what lies about."""
    rooms = {room: len(list((lake / room).iterdir())) for room in ("segments", "files", "staging", "snapshots")}
    return {**look(lake), "rooms": rooms}


def change(raw: Path) -> None:
    (raw / "a.csv").write_text("k,v\n1,x\n2,y\n3,z\n")
    (raw / "b.csv").unlink()
    (raw / "d.csv").write_text("k\n9\n")


def scenario(folder: Path, update: bool) -> dict:
    """Kill at every step of a first commit, or of an update; compare with the old and the new state."""
    raw, base = folder / "raw", folder / "base"
    raw.mkdir(parents=True)
    for name in "abc":
        (raw / f"{name}.csv").write_text(f"k,v\n1,{name}\n2,{name}\n")
    old = {"tables": None, "faults": []}
    if update:
        in_child(lambda: run(raw, base))
        _, old = in_child(lambda: look(base))
        change(raw)
    whole = folder / "whole"
    if update:
        shutil.copytree(base, whole)
    _, steps = in_child(lambda: run(raw, whole))
    _, new = in_child(lambda: settled(whole))
    outcome = {"steps": steps, "old": old, "new": new, "faults": []}
    seen = {"old": 0, "new": 0}
    for step in range(1, steps + 1):
        lake = folder / f"killed-{step}"
        if update:
            shutil.copytree(base, lake)
        status, _ = in_child(lambda lake=lake, step=step: run(raw, lake, step))
        _, left = in_child(lambda lake=lake: look(lake))
        again, _ = in_child(lambda lake=lake: run(raw, lake))
        _, mended = in_child(lambda lake=lake: settled(lake))
        if left == old:
            seen["old"] += 1
        elif left == {"tables": new["tables"], "faults": []}:
            seen["new"] += 1
        else:
            outcome["faults"].append([step, "left", left])
        if not os.WIFSIGNALED(status):
            outcome["faults"].append([step, "was not killed", status])
        if again or mended["tables"] != new["tables"] or mended["faults"] or mended["rooms"] != new["rooms"]:
            outcome["faults"].append([step, "not mended", mended])
        shutil.rmtree(lake, ignore_errors=True)
    return {**outcome, "seen": seen}


if __name__ == "__main__":
    spare_pandas()  # or every child would import it anew
    print(json.dumps(scenario(Path(sys.argv[1]), sys.argv[2] == "update")))
