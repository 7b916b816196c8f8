"""Which are the best k paths between two tables, over known links?

A path visits no table twice, and leaves no table by the column that it came by: what is joined there could be joined
without this table.  Of the paths over the same tables only the one with the best columns counts.  Paths that differ in
their tables only, with equal columns, costs and numbers of shared values, lead over copies: they are one path, with the
others beside it.

A* (Hart, Nilsson, Raphael, 1968): a path that is begun is as good as it can still become, by the cheapest way from its
last table to the goal with the links that are left, whatever was visited.  Paths are taken up in the order of
(cost, names), so that the first k complete ones are the best k, ties included.  Of the paths that are begun with the
same tables two are enough, the cheapest and the cheapest that arrives by another column: a next link excludes one
column.

Cost: the cheapest ways take `longest` passes over the links; few begun paths are taken up that do not become answers.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

from mere.search.paths.link import STEP_COST, Link, Links

_ENOUGH = 2  # begun paths with the same tables


class Found(NamedTuple):
    """A path: its cost, its tables, and the links between them."""

    cost: int
    tables: tuple[str, ...]
    links: tuple[Link, ...]
    copies: tuple[tuple[str, ...], ...] = ()  # the tables of paths over copies

    @property
    def content(self) -> tuple[object, ...]:
        """What copies have in common."""
        return self.cost, tuple((link.columns, link.cost, link.shared) for link in self.links)


class _Begun(NamedTuple):
    """A path that is begun, in the order in which paths are taken up."""

    at_best: int
    tables: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    so_far: int  # `STEP_COST` of every link included
    links: tuple[Link, ...]


def best_paths(links: Links, start: str, goal: str, k: int, longest: int) -> list[Found]:
    """The best k paths (0: all) of at most `longest` links; of equal costs, the first by the names of their tables."""
    to_go = cheapest_ways(links, goal, longest)
    begun = [_Begun(to_go[longest][start], (start,), (), 0, ())] if start in to_go[longest] else []
    taken: dict[
        tuple[str, ...], set[str]
    ] = {}  # tables of begun paths that were taken up, and the columns they came by
    found: dict[object, Found] = {}
    last = 0  # cost of the last path
    while begun and not (k and len(found) >= k and begun[0].at_best - STEP_COST > last):
        path = heapq.heappop(begun)
        came_by = taken.setdefault(path.tables, set())
        column = path.links[-1].right_column if path.links else ""
        if path.tables[-1] == goal:
            if not came_by:
                _count(Found(path.so_far - STEP_COST, path.tables, path.links), found)
                last = path.so_far - STEP_COST
        elif column not in came_by and len(came_by) < _ENOUGH:
            for longer in _continued(path, links, to_go[longest - len(path.tables)]):
                heapq.heappush(begun, longer)
        came_by.add(column)
    return list(found.values())[: k or None]


def _count(path: Found, found: dict[object, Found]) -> None:
    """Add a path, or note it as one over copies."""
    first = found.setdefault(path.content, path)
    if first is not path:
        found[path.content] = first._replace(copies=(*first.copies, path.tables))


def _continued(path: _Begun, links: Links, to_go: dict[str, int]) -> list[_Begun]:
    """The path with one link more, to each table from which the goal can still be reached."""
    longer = []
    left_by = path.links[-1].right_column if path.links else None
    for table, there in links.neighbours(path.tables[-1]).items():
        if table in path.tables or table not in to_go:
            continue
        came_by: set[str] = set()
        for link in there:
            if link.left_column != left_by and link.right_column not in came_by and len(came_by) < _ENOUGH:
                came_by.add(link.right_column)
                cost = path.so_far + link.cost + STEP_COST
                columns = (*path.columns, link.columns)
                longer.append(
                    _Begun(cost + to_go[table], (*path.tables, table), columns, cost, (*path.links, link))
                )  # fmt: skip
    return longer


def cheapest_ways(links: Links, goal: str, longest: int) -> list[dict[str, int]]:
    """By number of links: the cheapest way to the goal of at most so many, `STEP_COST` included, of each table."""
    ways = [{goal: 0}]
    for _ in range(longest):
        before = ways[-1]
        now = dict(before)
        for table, cost in before.items():
            for other, there in links.neighbours(table).items():
                longer = cost + there[0].cost + STEP_COST
                if longer < now.get(other, longer + 1):
                    now[other] = longer
        ways.append(now)
    return ways
