"""How are many questions answered at once, or a lake searched that is larger than one machine?

Executors run the very `search` that the embedded engine runs, over the same segments: one task per segment, all
questions in one pass; the driver plans and merges.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from mere.answers import Hit, Hits, best
from mere.indexes import KINDS
from mere.indexes.kind import packed
from mere.pipeline.engine import Engine, Spark
from mere.pipeline.session import context_of
from mere.search import Asker
from mere.search.ask import check_question, notes_of
from mere.segments import OpenSnapshot

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession


def ask_all(
    opened: OpenSnapshot,
    kind: str,
    queries: list[dict[str, Any]],
    k: int,
    per: str,
    engine: Engine | SparkSession | SparkContext,
) -> list[Hits]:
    """The answers to all queries, as `Asker.ask` would give them one by one."""
    check_question(kind, k, per)
    started = time.perf_counter()
    runner = engine if hasattr(engine, "run") else Spark(context_of(engine))
    asker = Asker(opened)
    parts = asker.parts(KINDS[kind])
    probes = [KINDS[kind].plan({**query, "k": k, "per": per}, parts) for query in queries]
    packs = [packed(probe) for probe in probes]
    payloads = [
        {"lake": opened.lake, "segment": entry, "kind": kind, "probes": packs, "k": k, "per": per}
        for entry in opened.snapshot.segments
    ]
    results = runner.run("search", payloads)
    took = (time.perf_counter() - started) * 1000 / max(1, len(queries))
    return [
        Hits(
            kind,
            best(_hits(results, number), k),
            opened.number,
            took,
            asker.searched(),
            notes_of(probe),
        )
        for number, probe in enumerate(probes)
    ]


def _hits(results: list[dict[str, Any]], number: int) -> list[Hit]:
    return [
        Hit(hit["table"], tuple(hit["columns"]), hit["score"], hit["exact"], hit["evidence"])
        for result in results
        for hit in result["answers"][number]
    ]
