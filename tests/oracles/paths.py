"""The same, from its definition: every path; the best of those over the same tables; sorted; copies put together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mere.search.paths.link import Link, path_costs

Columns = tuple[tuple[str, str], ...]  # of each step
Content = tuple[int, int, Columns, tuple[tuple[int, ...], ...]]  # cost, both costs, columns, numbers of each step


class Answered(NamedTuple):
    cost: int
    tables: tuple[str, ...]
    columns: Columns
    copies: tuple[tuple[str, ...], ...]


def brute(links: Iterable[Link], start: str, goal: str, k: int, longest: int) -> list[Answered]:
    """The best k paths (0: all) of at most `longest` links."""
    ways = [way for link in links for way in (link, link.reversed) if link.left != link.right]
    paths, best = [[way] for way in ways if way.left == start], dict[tuple[str, ...], Content]()
    while paths:
        path = paths.pop()
        tables = (start, *(way.right for way in path))
        if tables[-1] == goal:
            costs, columns = path_costs(path), tuple(way.columns for way in path)
            numbers = tuple((way.cost, way.left_cost, way.right_cost, way.shared) for way in path)
            answer = (min(costs), sum(costs), columns, numbers)
            best[tables] = min(answer, best.get(tables, answer))
        elif len(path) < longest:
            last = path[-1]
            paths += [
                [*path, way]
                for way in ways
                if way.left == last.right and way.left_column != last.right_column and way.right not in tables
            ]
    groups: dict[Content, Answered] = {}
    for tables, content in sorted(best.items(), key=lambda item: (item[1][0], item[0])):
        cost, _, columns, _ = content
        first = groups.get(content)
        groups[content] = Answered(*first[:3], (*first[3], tables)) if first else Answered(cost, tables, columns, ())
    return list(groups.values())[: k or None]
