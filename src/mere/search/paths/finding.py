"""From two tables to the best join paths between them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mere.errors import UsageError
from mere.search.catalog import find_rows
from mere.search.paths.answer import Paths
from mere.search.paths.asking import Limits, LinkAsker, accident_notes, direct_links
from mere.search.paths.best_paths import best_paths
from mere.search.paths.ends import End, ends_of
from mere.search.paths.evidence import Explainer
from mere.search.paths.exploring import Budget, Explored, explore
from mere.search.paths.link import Link, Links
from mere.search.paths.reading import links_between, read_graph

if TYPE_CHECKING:
    from mere.search.asking.ask import Asker

LONGEST = 5


@dataclass(frozen=True)
class Request:
    """A question: both tables, what a link is, how much may be asked, and a graph that answers instead."""

    first: Any
    second: Any
    limits: Limits = field(default_factory=Limits)
    budget: Budget = field(default_factory=Budget)
    graph: str | os.PathLike[str] | None = None
    keep_words: Sequence[str] | str | None = None


def find_paths(asker: Asker, request: Request) -> Paths:
    """The best k paths (0: all)."""
    _check(request)
    started = time.perf_counter()
    ends = ends_of(asker.inputs.keeping(request.keep_words), request.first, request.second)
    links_asker = LinkAsker(asker, request.limits)
    if request.graph is None:
        explored = explore(links_asker, ends, request.budget)
    else:
        explored = _from_graph(links_asker, ends, request)
    explainer = Explainer(asker, ends, request.keep_words)
    paths = [explainer.path(path) for path in explored.paths]
    notes = [*(note for end in ends for note in end.table.notes), *explored.notes]
    notes += accident_notes(links_asker.accidents) + explainer.notes + _nothing(explored, ends) + asker.stale
    searched = {
        **asker.searched(),
        "tables_asked": len(explored.asked),
        "questions": links_asker.questions,
        "links": explored.links.count,
    }
    took = (time.perf_counter() - started) * 1000
    first, second = (end.name for end in ends)
    return Paths(first, second, paths, asker.opened.number, took, searched, request.budget.longest, notes)


def _from_graph(links_asker: LinkAsker, ends: tuple[End, End], request: Request) -> Explored:
    """The best paths over the links of a graph; ends that are no tables of the lake are asked."""
    budget, links, asked = request.budget, Links(), set[str]()
    for end in ends:
        if not end.in_lake:
            links.add(links_asker.links_of(end.name, end.table))
            asked.add(end.name)
    if len(asked) == len(ends):
        links.add(direct_links(*ends, request.limits))
    starts = [{end.name} if end.in_lake else set(links.neighbours(end.name)) for end in ends]
    inside = budget.longest - sum(not end.in_lake for end in ends)
    graph = read_graph(os.fspath(request.graph or ""))
    found, notes = _still_there(links_asker, links_between(graph, starts[0], starts[1], max(inside, 0)))
    links.add(found)
    start, goal = (end.name for end in ends)
    return Explored(links, best_paths(links, start, goal, budget.k, budget.longest), set(links.of), notes)


def _still_there(links_asker: LinkAsker, links: Iterable[Link]) -> tuple[list[Link], list[str]]:
    """The links of a graph whose tables and columns this snapshot has, and a note on what it lacks."""
    known = {name for segment, live in _segments(links_asker) for name in _living(segment, live)}
    ends = {link: ((link.left, link.left_column), (link.right, link.right_column)) for link in links}
    places = {place for both in ends.values() for place in both}
    gone = {table for table, _ in places} - known
    lost = {place for place in places if place[0] in known and not _has_column(links_asker, *place)}
    counts = [
        f"{len(each)} {noun}{'s' * (len(each) > 1)}" for each, noun in ((gone, "table"), (lost, "column")) if each
    ]
    notes = [f"the graph has {' and '.join(counts)} that this snapshot does not have: write it again"] if counts else []
    return [link for link, both in ends.items() if not any(t in gone or (t, c) in lost for t, c in both)], notes


def _has_column(links_asker: LinkAsker, table: str, column: str) -> bool:
    segment, number = find_rows(links_asker.asker.opened, table)
    return column in segment.columns(number).names


def _segments(links_asker: LinkAsker) -> Any:
    opened = links_asker.asker.opened
    return zip(opened.segments, opened.live, strict=True)


def _living(segment: Any, live: Any) -> list[str]:
    return [name for name, alive in zip(segment.names, live.tolist(), strict=True) if alive]


def _nothing(explored: Explored, ends: tuple[End, End]) -> list[str]:
    """Where the ways end, if there is no path."""
    if explored.paths:
        return []
    lonely = [end.name for end in ends if not explored.links.neighbours(end.name)]
    if lonely:
        return [f"no column of '{name}' is linked with a table of the lake" for name in lonely]
    counts = [f"'{end.name}' with {len(explored.links.neighbours(end.name)):,}" for end in ends]
    return [f"no path was found, although tables are linked: {' and '.join(counts)}"]


def _check(request: Request) -> None:
    budget, limits = request.budget, request.limits
    _whole("k", budget.k, 0, None)
    _whole("longest", budget.longest, 1, LONGEST)
    _whole("least", limits.least, 1, None)
    _whole("questions", budget.questions, 1, None)
    if not isinstance(limits.threshold, int | float) or not 0 < limits.threshold <= 1:
        raise UsageError(f"'threshold' must be above 0 and at most 1, got {limits.threshold!r}", "0.5 is 50 %")
    if not isinstance(budget.seconds, int | float) or not budget.seconds > 0:
        raise UsageError(f"'seconds' must be above 0, got {budget.seconds!r}", "20 is the default")


def _whole(name: str, number: Any, least: int, most: int | None) -> None:
    whole = isinstance(number, int) and not isinstance(number, bool)
    if not whole or number < least or (most is not None and number > most):
        limits = f"from {least} on" if most is None else f"from {least} to {most}"
        raise UsageError(f"'{name}' must be a whole number {limits}, got {number!r}", "see the default")
