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
from mere.search.routing import routed
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
    routes = [routed(kind, query, len(opened.segments)) for query in queries]
    answers: list[Hits | None] = [None] * len(queries)
    for name in sorted({route.kind for route in routes}):
        numbers = [number for number, route in enumerate(routes) if route.kind == name]
        parts = asker.parts(KINDS[name])
        probes = [KINDS[name].plan({**routes[number].query, "k": k, "per": per}, parts) for number in numbers]
        common = {"lake": opened.lake, "kind": name, "probes": [packed(probe) for probe in probes], "k": k, "per": per}
        results = runner.run("search", [{**common, "segment": entry.to_dict()} for entry in opened.snapshot.segments])
        took = (time.perf_counter() - started) * 1000 / max(1, len(queries))
        for place, number in enumerate(numbers):
            hits = routes[number].relabelled(best(_hits(results, place), k))
            notes = [*notes_of(probes[place]), *(note for result in results for note in result["notes"][place])]
            answers[number] = Hits(kind, hits, opened.number, took, asker.searched(), notes)
    return [hits for hits in answers if hits is not None]


def _hits(results: list[dict[str, Any]], number: int) -> list[Hit]:
    return [
        Hit(hit["table"], tuple(hit["columns"]), hit["score"], hit["exact"], hit["evidence"], tuple(hit["tie"]))
        for result in results
        for hit in result["answers"][number]
    ]
