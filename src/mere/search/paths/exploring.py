"""Which tables have to be asked for their links, so that the best paths are known?

Both ends are asked first: paths of one and two steps are then complete.  A longer path has a link of which neither
table has been asked.  From the end with fewer neighbours, tables are asked in the order of how good a path through them
can still be: the way to them, one perfect link, and the best link of the other end.  It is finished when that is worse
than the k-th path.

The number of columns that are asked with, and the seconds, are limited; what was not asked is said.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import NamedTuple

from mere.search.paths.asking import LinkAsker, direct_links
from mere.search.paths.best_paths import Found, best_paths, cheapest_ways
from mere.search.paths.ends import End
from mere.search.paths.link import STEP_COST, Link, Links


@dataclass(frozen=True)
class Budget:
    """How many paths and steps, and how much may be asked for them."""

    k: int = 5
    longest: int = 3
    questions: int = 500
    seconds: float = 20.0


class Explored(NamedTuple):
    """The links that were found, the best paths over them, and notes on what was not asked."""

    links: Links
    paths: list[Found]
    asked: set[str]
    notes: list[str]


def explore(links_asker: LinkAsker, ends: tuple[End, End], budget: Budget) -> Explored:
    """The best paths between both ends, asking tables for their links while better paths may exist."""
    started, links = time.perf_counter(), Links()
    for end in ends:
        links.add(links_asker.links_of(end.name, end.table))
    if not ends[0].in_lake and not ends[1].in_lake:
        links.add(direct_links(*ends, links_asker.limits))
    asked = {end.name for end in ends}
    start, goal = (end.name for end in ends)
    near, far = sorted((start, goal), key=lambda name: len(links.neighbours(name)))
    while True:
        paths = best_paths(links, start, goal, budget.k, budget.longest)
        worst = paths[-1].cost if budget.k and len(paths) == budget.k else None
        bounds = _bounds(links, near, far, budget.longest)
        open_ = ((bound, table) for table, bound in bounds.items() if table not in asked)
        promising = [each for each in open_ if worst is None or each[0] <= worst]
        if not promising:
            return Explored(links, paths, asked, [])
        over = _over(links_asker, budget, time.perf_counter() - started)
        if over:
            return Explored(links, paths, asked, [_not_asked(over, len(promising), near)])
        _, table = min(promising)
        links.add(links_asker.links_of(table))
        asked.add(table)


def _bounds(links: Links, near: str, far: str, longest: int) -> dict[str, int]:
    """Of each table: the least cost of a path through it and a link from it that is not known yet."""
    lasts = [links.cheapest(table, far) for table in links.neighbours(far) if table != near]
    if not lasts or longest < 3:
        return {}
    last = min(costs[0] for costs in lasts), min(costs[1] for costs in lasts)
    without_far = Links()
    without_far.of = {table: _without(there, far) for table, there in links.of.items() if table != far}
    ways = cheapest_ways(without_far, near, longest - 2)
    # a way to the near end costs, seen from there, the other cost: both are compared, whichever way the path goes
    return {
        table: min(way[1] + last[0], way[0] + last[1]) + STEP_COST for table, way in ways[-1].items() if table != near
    }


def _without(there: dict[str, list[Link]], table: str) -> dict[str, list[Link]]:
    return {other: links for other, links in there.items() if other != table}


def _over(links_asker: LinkAsker, budget: Budget, seconds: float) -> str:
    if links_asker.questions >= budget.questions:
        return f"{links_asker.questions} questions"
    return f"{seconds:.0f} seconds" if seconds >= budget.seconds else ""


def _not_asked(over: str, tables: int, near: str) -> str:
    noun = "table that leads to '{}' was" if tables == 1 else "tables that lead to '{}' were"
    return (
        f"stopped after {over}: {tables:,} {noun.format(near)} not asked, so that paths of three or more steps may be "
        "missing; the limits are questions= and seconds=, and a graph (graph=) has all of its links"
    )
