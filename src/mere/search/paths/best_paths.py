"""Which are the best k paths between two tables, over known links?

A path visits no table twice, and leaves no table by the column that it came by: what is joined there could be joined
without this table.  Of the paths over the same tables only the one with the best columns counts.  Paths that differ in
their tables only, with equal columns, costs and numbers of shared values, lead over copies: they are one path, with the
others beside it.

A* (Hart, Nilsson, Raphael, 1968): a path that is begun is as good as it can still become, by the cheapest way from its
last table to the goal with the links that are left, whatever was visited, for each of the two costs (`link`).  Paths
are taken up in the order of (cost, names), so that the first k complete ones are the best k, ties included.  A path is
not taken up if others over the same tables are as good in both costs and can go on wherever it can: one that arrives
by the same column, or two that arrive by different ones.

Cost: the cheapest ways take `longest` passes over the links; few begun paths are taken up that do not become answers.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import NamedTuple

from mere.search.paths.link import NO_COSTS, STEP_COST, Costs, Link, Links, added


class Found(NamedTuple):
    """A path: its cost, its tables, and the links between them."""

    cost: int
    tables: tuple[str, ...]
    links: tuple[Link, ...]
    copies: tuple[tuple[str, ...], ...] = ()  # the tables of paths over copies

    @property
    def content(self) -> tuple[object, ...]:
        """What copies have in common."""
        return tuple((link.columns, link.cost, link.left_cost, link.right_cost, link.shared) for link in self.links)


class _Begun(NamedTuple):
    """A path that is begun, in the order in which paths are taken up."""

    at_best: int
    tables: tuple[str, ...]
    together: int  # both costs
    columns: tuple[tuple[str, str], ...]
    so_far: Costs  # `STEP_COST` of every link included
    links: tuple[Link, ...]

    @property
    def came_by(self) -> str | None:
        return self.links[-1].right_column if self.links else None


def best_paths(links: Links, start: str, goal: str, k: int, longest: int) -> list[Found]:
    """The best k paths (0: all) of at most `longest` links; of equal costs, the first by the names of their tables."""
    to_go = cheapest_ways(links, goal, longest)
    begun = [_Begun(min(to_go[longest][start]), (start,), 0, (), NO_COSTS, ())] if start in to_go[longest] else []
    taken: dict[tuple[str, ...], list[_Begun]] = {}
    found: dict[object, Found] = {}
    last = 0  # cost of the last path
    while begun and not (k and len(found) >= k and begun[0].at_best - STEP_COST > last):
        path = heapq.heappop(begun)
        others = taken.setdefault(path.tables, [])
        if path.tables[-1] == goal:
            if not others:
                last = min(path.so_far) - STEP_COST
                _count(Found(last, path.tables, path.links), found)
        elif not _is_needless(path, others):
            for longer in _continued(path, links, to_go[longest - len(path.tables)]):
                heapq.heappush(begun, longer)
        others.append(path)
    return list(found.values())[: k or None]


def _count(path: Found, found: dict[object, Found]) -> None:
    """Add a path, or note it as one over copies."""
    first = found.setdefault(path.content, path)
    if first is not path:
        found[path.content] = first._replace(copies=(*first.copies, path.tables))


def _is_needless(path: _Begun, others: list[_Begun]) -> bool:
    """Whether others over the same tables are as good and can go on wherever this one can."""
    as_good = [other for other in others if other.so_far[0] <= path.so_far[0] and other.so_far[1] <= path.so_far[1]]
    columns = {other.came_by for other in as_good}
    return path.came_by in columns or len(columns) > 1


def _continued(path: _Begun, links: Links, to_go: dict[str, Costs]) -> Iterator[_Begun]:
    """The path with one link more, to each table from which the goal can still be reached."""
    for table, there in links.neighbours(path.tables[-1]).items():
        if table in path.tables or table not in to_go:
            continue
        for link in there:
            if link.left_column != path.came_by:
                costs = added(path.so_far, link.costs, (STEP_COST, STEP_COST))
                yield _Begun(
                    min(added(costs, to_go[table])), (*path.tables, table), sum(costs), (*path.columns, link.columns),
                    costs, (*path.links, link),
                )  # fmt: skip


def cheapest_ways(links: Links, goal: str, longest: int) -> list[dict[str, Costs]]:
    """By number of links: the cheapest ways to the goal of at most so many, `STEP_COST` included, of each table."""
    ways: list[dict[str, Costs]] = [{goal: NO_COSTS}]
    for _ in range(longest):
        before = ways[-1]
        now = dict(before)
        for table, costs in before.items():
            for other in links.neighbours(table):
                longer = added(costs, links.cheapest(other, table), (STEP_COST, STEP_COST))
                known = now.get(other, longer)
                now[other] = (min(known[0], longer[0]), min(known[1], longer[1]))
        ways.append(now)
    return ways
