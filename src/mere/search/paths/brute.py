"""The same, from its definition: every path, then the best of those over the same tables, then sorted."""

from __future__ import annotations

from collections.abc import Iterable

from mere.search.paths.link import Link, path_cost

Answer = list[tuple[int, tuple[str, ...], tuple[tuple[str, str], ...]]]  # cost, tables, and the columns of each step


def brute(links: Iterable[Link], start: str, goal: str, k: int, longest: int) -> Answer:
    """The best k paths (0: all) of at most `longest` links."""
    ways = [way for link in links for way in (link, link.reversed) if link.left != link.right]
    paths, best = [[way] for way in ways if way.left == start], dict[tuple[str, ...], tuple[int, tuple]]()  # type: ignore[type-arg]
    while paths:
        path = paths.pop()
        tables = (start, *(way.right for way in path))
        if tables[-1] == goal:
            answer = (path_cost(path), tuple(way.columns for way in path))
            best[tables] = min(answer, best.get(tables, answer))
        elif len(path) < longest:
            last = path[-1]
            paths += [
                [*path, way]
                for way in ways
                if way.left == last.right and way.left_column != last.right_column and way.right not in tables
            ]
    complete = sorted((cost, tables, columns) for tables, (cost, columns) in best.items())
    return complete[:k] if k else complete
