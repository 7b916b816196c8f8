"""What is a link: two tables that can be joined on a column of each?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mere.search.links.quality import UNITS

STEP_COST = round(0.321928 * UNITS)  # of every step after the first: log2(1 / 0.8), a fifth of the score


@dataclass(frozen=True)
class Link:
    """Two tables, a column of each, and the cost of joining them on these: the smaller, the better."""

    left: str
    left_column: str
    right: str
    right_column: str
    cost: int
    shared: int

    @property
    def reversed(self) -> Link:
        return Link(self.right, self.right_column, self.left, self.left_column, self.cost, self.shared)

    @property
    def columns(self) -> tuple[str, str]:
        return self.left_column, self.right_column

    @property
    def order(self) -> tuple[int, tuple[str, str]]:
        """The sort key of links of the same two tables; smaller is better."""
        return self.cost, self.columns


class Links:
    """The links of every two tables that have one, seen from both sides, the best first."""

    def __init__(self, links: Iterable[Link] = ()) -> None:
        self.of: dict[str, dict[str, list[Link]]] = {}
        self.count = 0
        self.add(links)

    def add(self, links: Iterable[Link]) -> None:
        """Add links; one that is known already, from either side, is not added again."""
        changed = set()
        for link in links:
            known = self.of.get(link.left, {}).get(link.right, ())
            if link.left == link.right or any(other.columns == link.columns for other in known):
                continue
            self.count += 1
            for way in (link, link.reversed):
                self.of.setdefault(way.left, {}).setdefault(way.right, []).append(way)
                changed.add((way.left, way.right))
        for left, right in changed:
            self.of[left][right].sort(key=lambda link: link.order)

    def neighbours(self, table: str) -> dict[str, list[Link]]:
        return self.of.get(table, {})


def path_cost(links: Iterable[Link]) -> int:
    """The sum of the links' costs, and of `STEP_COST` for every link but the first."""
    costs = [link.cost for link in links]
    return sum(costs) + STEP_COST * (len(costs) - 1)
