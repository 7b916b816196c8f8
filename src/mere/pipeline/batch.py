"""How are many questions answered at once, or a lake searched that is larger than one machine?

Executors search and explain as the embedded engine does, over the same segments: one task per segment, all questions
in one pass.  The driver plans, merges with `answers.Merged`, and marks the hits that remain.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from mere.answers import Hit, Hits, Merged, all_notes, found_from_dict
from mere.indexes import KINDS
from mere.indexes.kind import Kind, Part, Probe, explained
from mere.indexes.probe import packed
from mere.pipeline.engine import Engine, Spark
from mere.pipeline.session import context_of
from mere.search import Asker
from mere.search.asking.ask import Limits, best_groups, check_limits, first_wanted, kind_named, with_words
from mere.search.finishing.copies import MORE, Group, representative, with_copies
from mere.search.finishing.marks import marks_of
from mere.segments import SegmentEntry

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession


def ask_all(
    asker: Asker,
    name: str,
    given: Sequence[Mapping[str, Any]],
    k: int,
    per: str,
    engine: Engine | SparkSession | SparkContext,
    copies: bool = True,
) -> list[Hits]:
    """The answers to questions of one kind, the same as `Asker.ask` gives one by one."""
    kind, queries = kind_named(name), [asker.query(name, each) for each in given]
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
        for number, probe, chosen in zip(numbers, probes, found, strict=True):
            marks, route = marks_of(KINDS[answering], chosen.pairs, probe), routes[number]
            hits = marks.on_all(hit for hit, _ in chosen.pairs)
            hits = hits if copies else [with_copies(*each) for each in zip(hits, chosen.groups, strict=True)]
            notes = all_notes(probe.get("notes", ()), [*chosen.notes, *marks.notes])
            hits = [with_words(route.report(hit), given[number]) for hit in hits]
            advice = kind.advice(route.query)
            answers[number] = asker.hits(kind, hits, notes, seconds, copies, advice)
    return [hits for hits in answers if hits is not None]


class _Chosen(NamedTuple):
    """The hits of one answer with their evidence, each with its part; the group of copies of each; the notes."""

    pairs: list[tuple[Hit, Part]]
    groups: Sequence[Group]
    notes: list[str]


def _every_hit(
    runner: Engine, question: Mapping[str, Any], probes: Sequence[Probe], parts: Sequence[Part]
) -> list[_Chosen]:
    answers = search_on(runner, question, probes, [part.segment.entry for part in parts])
    return [_Chosen([(hit, parts[place]) for hit, place in answer.pairs], (), answer.notes) for answer in answers]


def _groups(
    runner: Engine, question: Mapping[str, Any], probes: Sequence[Probe], parts: Sequence[Part]
) -> list[_Chosen]:
    """One hit per group of copies: tasks search for more hits until all questions have enough groups.

    The driver compares the hits with each other, and looks for further members among tables with the same header.
    """
    kind, k, per = KINDS[question["kind"]], question["k"], question["per"]
    answers: dict[int, _Chosen] = {}
    wanted, pending = first_wanted(kind, k), list(range(len(probes)))
    while pending:
        asked = [{**probes[number], "k": wanted} for number in pending]
        results = search_on(runner, {**question, "k": wanted}, asked, [part.segment.entry for part in parts])
        for number, merged in zip(pending, results, strict=True):
            pairs = [(hit, parts[place]) for hit, place in merged.pairs]
            groups = best_groups(kind, parts, probes[number], Limits(k, wanted, per), pairs)
            if groups is not None:
                answers[number] = _Chosen(_shown(kind, probes[number], groups, pairs), groups, merged.notes)
        pending = [number for number in pending if number not in answers]
        wanted *= MORE
    return [answers[number] for number in range(len(probes))]


def _shown(
    kind: Kind, probe: Probe, groups: Sequence[Group], found: Sequence[tuple[Hit, Part]]
) -> list[tuple[Hit, Part]]:
    """The hit of each group; one that the tasks did not report gets its evidence here."""
    reported, shown = {id(hit) for hit, _ in found}, []
    for group in groups:
        hit, part = representative(group)
        if id(hit) not in reported:
            [hit] = explained(kind, probe, [(hit, part)])
        shown.append((hit, part))
    return shown


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
