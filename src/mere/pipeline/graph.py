"""Which columns of the lake join with which?  The join graph, computed on Spark's executors.

One task per pair of segments joins the sets of one with those of the other and writes the pairs of
columns as one Parquet file (`pairs`); nothing is shuffled, and the driver sees counts only.  The folder appears,
complete, at the end.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from mere.errors import UsageError
from mere.indexes.sets.question import checked_threshold
from mere.pipeline.clusters import Clusters
from mere.pipeline.execution import Execution
from mere.pipeline.pairs import PairsTask, Wanted
from mere.segments import OpenSnapshot
from mere.store import files


def write_graph(opened: OpenSnapshot, out: str, wanted: Wanted, **execution: Any) -> dict[str, Any]:
    """Write every pair of columns of which the right holds at least this share of the left's values.

    `execution` are the fields of `Execution`: `spark`, `master`, `progress`.
    """
    wanted = _checked(wanted)
    if os.path.lexists(out):
        raise UsageError(f"'{out}' exists", "choose a new folder, or remove it first")
    where, started = Execution(**execution), time.perf_counter()
    with files.written_aside(out) as folder:
        files.make_folder(folder)
        results = _run(where, _tasks(opened, folder, wanted))
        files.remove_unfinished(folder)  # of a task that was killed, and done again by another
    segments = len(opened.snapshot.segments)
    return {
        "snapshot": opened.number,
        "output": out,
        **wanted.__dict__,
        "columns": sum(result["columns"] for result in results[:: segments + 1]),  # each segment with itself
        "pairs": sum(result["pairs"] for result in results),
        "left_out": _left_out(results),
        **_clusters(results, segments),
        "seconds": round(time.perf_counter() - started, 3),
    }


def _checked(wanted: Wanted) -> Wanted:
    least = wanted.least
    if isinstance(least, bool) or not isinstance(least, int) or least < 1:
        raise UsageError(f"'least' must be a whole number from 1 on, got {least!r}", "least=1 keeps all pairs")
    return replace(wanted, threshold=checked_threshold(wanted.threshold))


def _left_out(results: list[dict[str, Any]]) -> dict[str, int]:
    """How many pairs were left out for each reason, the most frequent first."""
    counts: Counter[str] = Counter()
    for result in results:
        counts.update(result["left_out"])
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _clusters(results: list[dict[str, Any]], segments: int) -> dict[str, int]:
    """How many tables are connected with another, in how many clusters, and the size of the largest."""
    clusters = Clusters()
    for place, result in enumerate(results):
        numbers = divmod(place, segments)  # of the left and the right segment
        for left_side, left, right_side, right in result["connected"]:
            clusters.connect((numbers[left_side], left), (numbers[right_side], right))
    sizes = clusters.sizes()
    return {"tables": sum(sizes), "clusters": len(sizes), "largest_cluster": max(sizes, default=0)}


def _tasks(opened: OpenSnapshot, folder: str, wanted: Wanted) -> list[PairsTask]:
    lake, entries = os.path.abspath(opened.lake), opened.snapshot.segments
    return [
        PairsTask(lake, left, right, wanted, os.path.join(folder, f"part-{i:05d}-{j:05d}.parquet"))
        for i, left in enumerate(entries)
        for j, right in enumerate(entries)
    ]


def _run(where: Execution, tasks: list[PairsTask]) -> list[dict[str, Any]]:
    stages = where.stages()
    with ExitStack() as stack:
        engine = where.start(stack, stages)
        stages.begin("join", len(tasks))
        return engine.run("pairs", [task.to_dict() for task in tasks], stages.advance)
