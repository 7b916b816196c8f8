"""Which columns of the lake join with which?  The join graph, computed on Spark's executors.

One task per pair of segments joins the sets of one with those of the other and writes the pairs of
columns as one Parquet file (`pairs`); nothing is shuffled, and the driver sees counts only.  The folder appears,
complete, at the end.
"""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from typing import Any

from mere.errors import UsageError
from mere.indexes.sets.question import checked_threshold
from mere.pipeline.execution import Execution
from mere.pipeline.pairs import PairsTask
from mere.segments import OpenSnapshot
from mere.store import files


def write_graph(
    opened: OpenSnapshot, out: str, threshold: float = 0.8, *, numbers: bool = False, **execution: Any
) -> dict[str, Any]:
    """Write every pair of columns of which the right holds at least this share of the left's values.

    `execution` are the fields of `Execution`: `spark`, `master`, `progress`.
    """
    threshold = checked_threshold(threshold)
    if os.path.lexists(out):
        raise UsageError(f"'{out}' exists", "choose a new folder, or remove it first")
    where, started = Execution(**execution), time.perf_counter()
    with files.written_aside(out) as folder:
        files.make_folder(folder)
        results = _run(where, _tasks(opened, folder, threshold, numbers))
        files.remove_unfinished(folder)  # of a task that was killed, and done again by another
    segments = len(opened.snapshot.segments)
    return {
        "snapshot": opened.number,
        "output": out,
        "threshold": threshold,
        "numbers": numbers,
        "columns": sum(result["columns"] for result in results[:: segments + 1]),  # each segment with itself
        "pairs": sum(result["pairs"] for result in results),
        "seconds": round(time.perf_counter() - started, 3),
    }


def _tasks(opened: OpenSnapshot, folder: str, threshold: float, numbers: bool) -> list[PairsTask]:
    lake, entries = os.path.abspath(opened.lake), opened.snapshot.segments
    return [
        PairsTask(lake, left, right, threshold, numbers, os.path.join(folder, f"part-{i:05d}-{j:05d}.parquet"))
        for i, left in enumerate(entries)
        for j, right in enumerate(entries)
    ]


def _run(where: Execution, tasks: list[PairsTask]) -> list[dict[str, Any]]:
    stages = where.stages()
    with ExitStack() as stack:
        engine = where.start(stack, stages)
        stages.begin("join", len(tasks))
        return engine.run("pairs", [task.to_dict() for task in tasks], stages.advance)
