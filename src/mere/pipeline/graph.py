"""Which columns of the lake join with which?  The join graph, computed on Spark's executors.

One task per pair of segments joins the sets of one with those of the other (`overlap.pairs`) and writes the pairs of
columns as one Parquet file (`pairs`); nothing is shuffled, and the driver sees counts only.  The folder appears, whole,
at the end.
"""

from __future__ import annotations

import os
import shutil
import time
import uuid
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from mere.errors import UsageError
from mere.indexes.sets.question import checked_threshold
from mere.pipeline.engine import Engine, Spark
from mere.pipeline.progress import Progress, Silent, Stages
from mere.segments import OpenSnapshot

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession


def write_graph(
    opened: OpenSnapshot,
    out: str,
    threshold: float = 0.8,
    *,
    numbers: bool = False,
    spark: SparkSession | SparkContext | None = None,
    master: str | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Write every pair of columns of which the right holds at least this share of the left's values."""
    threshold = checked_threshold(threshold)
    if os.path.lexists(out):
        raise UsageError(f"'{out}' exists", "choose a new folder, or remove it first")
    started, stages = time.perf_counter(), Stages(progress or Silent())
    folder = f"{os.path.abspath(out)}.{uuid.uuid4().hex[:8]}.part"
    entries = opened.snapshot.segments
    common = {"lake": os.path.abspath(opened.lake), "folder": folder, "threshold": threshold, "numbers": numbers}
    payloads = [
        {**common, "left": left, "right": right, "name": f"part-{i:05d}-{j:05d}.parquet"}
        for i, left in enumerate(entries)
        for j, right in enumerate(entries)
    ]
    os.makedirs(folder)
    try:
        with ExitStack() as stack:
            runner = engine or _start(stack, stages, spark, master)
            stages.begin("join", len(payloads))
            results = runner.run("pairs", payloads, stages.advance)
        for name in os.listdir(folder):
            if name.startswith("."):  # of a task that was killed, and done again by another
                os.unlink(os.path.join(folder, name))
        os.rename(folder, out)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {
        "snapshot": opened.number,
        "output": out,
        "threshold": threshold,
        "numbers": numbers,
        "columns": sum(result["columns"] for result in results[:: len(entries) + 1]),  # each segment with itself
        "pairs": sum(result["pairs"] for result in results),
        "seconds": round(time.perf_counter() - started, 3),
    }


def _start(stack: ExitStack, stages: Stages, spark: SparkSession | SparkContext | None, master: str | None) -> Engine:
    from mere.pipeline.session import context

    stages.begin("start Spark")
    return Spark(*stack.enter_context(context(master, spark)))
