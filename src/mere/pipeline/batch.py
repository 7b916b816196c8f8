"""How are many questions answered at once, or a lake searched that is larger than one machine?

Executors call the same `search.asking.ask.answer` as the embedded engine, over the same segments: one task per
segment, all questions in one pass.  The driver plans, and merges with `answers.Merged`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mere.answers import Found, Hit, Hits, Merged, all_notes, found_from_dict
from mere.indexes import KINDS
from mere.indexes.kind import Kind, Part, Probe, Query, explained
from mere.indexes.probe import packed
from mere.pipeline.engine import Engine, Spark
from mere.pipeline.session import context_of
from mere.search import Asker
from mere.search.asking.ask import Limits, best_groups, check_limits, first_wanted, kind_named
from mere.search.finishing.copies import MORE, Group, representative, with_copies
from mere.search.finishing.doubts import doubts_of
from mere.segments import SegmentEntry

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession


def ask_all(
    asker: Asker,
    name: str,
    queries: Sequence[Query],
    k: int,
    per: str,
    engine: Engine | SparkSession | SparkContext,
    copies: bool = True,
) -> list[Hits]:
    """The answers to checked queries of one kind, the same as `Asker.ask` gives one by one."""
    kind = kind_named(name)
    check_limits(k, per, copies)
    started = time.perf_counter()
    runner: Engine = engine if hasattr(engine, "run") else Spark(context_of(engine))  # type: ignore[assignment]
    routes = [kind.route(query, len(asker.opened.segments)) for query in queries]
    answers: list[Hits | None] = [None] * len(queries)
    for answering in sorted({route.kind for route in routes}):
        numbers = [number for number, route in enumerate(routes) if route.kind == answering]
        parts = asker.parts(KINDS[answering])
        probes = [KINDS[answering].plan({**routes[number].query, "k": k, "per": per}, parts) for number in numbers]
        question = {"lake": asker.opened.lake, "kind": answering, "k": k, "per": per}
        found = (_every_hit if copies else _groups)(runner, question, probes, parts)
        seconds = (time.perf_counter() - started) / max(1, len(queries))
        for number, probe, answer in zip(numbers, probes, found, strict=True):
            hits = [routes[number].report(hit) for hit in answer.hits]
            notes = all_notes(probe.get("notes", ()), answer.notes)
            if not hits and (advice := kind.advice(routes[number].query)):
                notes.append(advice)
            answers[number] = asker.hits(kind, hits, notes, seconds, copies)
    return [hits for hits in answers if hits is not None]


def _every_hit(
    runner: Engine, question: Mapping[str, Any], probes: Sequence[Probe], parts: Sequence[Part]
) -> list[Found]:
    answers = search_on(runner, question, probes, [part.segment.entry for part in parts])
    return [Found([hit for hit, _ in answer.pairs], answer.notes) for answer in answers]


def _groups(runner: Engine, question: Mapping[str, Any], probes: Sequence[Probe], parts: Sequence[Part]) -> list[Found]:
    """One hit per group of copies: tasks search for more hits until all questions have enough groups.

    The driver compares the hits with each other, and looks for further members among tables with the same header.
    """
    kind, k, per = KINDS[question["kind"]], question["k"], question["per"]
    answers: dict[int, Found] = {}
    wanted, pending = first_wanted(kind, k), list(range(len(probes)))
    while pending:
        asked = [{**probes[number], "k": wanted} for number in pending]
        results = search_on(runner, {**question, "k": wanted}, asked, [part.segment.entry for part in parts])
        for number, merged in zip(pending, results, strict=True):
            pairs = [(hit, parts[place]) for hit, place in merged.pairs]
            groups = best_groups(kind, parts, probes[number], Limits(k, wanted, per), pairs)
            if groups is not None:
                answers[number] = Found(_shown(kind, probes[number], groups, pairs), merged.notes)
        pending = [number for number in pending if number not in answers]
        wanted *= MORE
    return [answers[number] for number in range(len(probes))]


def _shown(kind: Kind, probe: Probe, groups: Sequence[Group], found: Sequence[tuple[Hit, Part]]) -> list[Hit]:
    """The hit of each group; one that the tasks did not report gets its evidence here."""
    reported, hits = {id(hit) for hit, _ in found}, []
    for group in groups:
        hit, part = representative(group)
        if id(hit) not in reported:
            doubts = doubts_of(kind, [(hit, part)])
            hit = doubts.marked(0, explained(kind, probe, [(hit, part)])[0])
        hits.append(with_copies(hit, group))
    return hits


def search_on(
    runner: Engine, question: Mapping[str, Any], probes: Sequence[Probe], segments: Sequence[SegmentEntry]
) -> list[Merged[int]]:
    """Each probe's merged answer, searched by one task per segment; `question` has lake, kind, k and per.

    Each hit comes with the place of its segment.
    """
    payload = {**question, "probes": [packed(probe) for probe in probes]}
    results = runner.run("search", [{**payload, "segment": entry.to_dict()} for entry in segments])
    answers: list[Merged[int]] = [Merged(question["k"], question["per"]) for _ in probes]
    for place, result in enumerate(results):
        for merged, document in zip(answers, result["answers"], strict=True):
            merged.add(place, found_from_dict(document))
    return answers
