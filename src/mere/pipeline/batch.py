"""How are many questions answered at once, or a lake searched that is larger than one machine?

Executors call the same `search.ask.answer` as the embedded engine, over the same segments: one task per segment, all
questions in one pass.  The driver plans, and merges with `answers.Merged`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mere.answers import Hits, Merged, all_notes, found_from_dict
from mere.indexes import KINDS
from mere.indexes.kind import Probe, Query
from mere.indexes.probe import packed
from mere.pipeline.engine import Engine, Spark
from mere.pipeline.session import context_of
from mere.search import Asker
from mere.search.ask import check_limits, kind_named
from mere.segments import SegmentEntry

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession


def ask_all(
    asker: Asker, name: str, queries: Sequence[Query], k: int, per: str, engine: Engine | SparkSession | SparkContext
) -> list[Hits]:
    """The answers to checked queries of one kind, the same as `Asker.ask` gives one by one."""
    kind = kind_named(name)
    check_limits(k, per)
    started = time.perf_counter()
    runner: Engine = engine if hasattr(engine, "run") else Spark(context_of(engine))  # type: ignore[assignment]
    routes = [kind.route(query, len(asker.opened.segments)) for query in queries]
    answers: list[Hits | None] = [None] * len(queries)
    for answering in sorted({route.kind for route in routes}):
        numbers = [number for number, route in enumerate(routes) if route.kind == answering]
        parts = asker.parts(KINDS[answering])
        probes = [KINDS[answering].plan({**routes[number].query, "k": k, "per": per}, parts) for number in numbers]
        question = {"lake": asker.opened.lake, "kind": answering, "k": k, "per": per}
        merged = search_on(runner, question, probes, asker.opened.snapshot.segments)
        seconds = (time.perf_counter() - started) / max(1, len(queries))
        for number, probe, answer in zip(numbers, probes, merged, strict=True):
            hits = [routes[number].report(hit) for hit, _ in answer.pairs]
            answers[number] = asker.hits(kind, hits, all_notes(probe.get("notes", ()), answer.notes), seconds)
    return [hits for hits in answers if hits is not None]


def search_on(
    runner: Engine, question: Mapping[str, Any], probes: Sequence[Probe], segments: Sequence[SegmentEntry]
) -> list[Merged[None]]:
    """Each probe's merged answer, searched by one task per segment; `question` has lake, kind, k and per."""
    payload = {**question, "probes": [packed(probe) for probe in probes]}
    results = runner.run("search", [{**payload, "segment": entry.to_dict()} for entry in segments])
    answers: list[Merged[None]] = [Merged(question["k"], question["per"]) for _ in probes]
    for result in results:
        for merged, document in zip(answers, result["answers"], strict=True):
            merged.add(None, found_from_dict(document))
    return answers
