"""What is a link: two tables that can be joined on a column of each?

Where the values of a column repeat, a join repeats rows of the other table.  Along a path these repetitions multiply,
for the rows of the first table and, seen from the other end, for those of the second.  The better of the two counts: if
all joins of a path lead to keys, or all come from keys, rows do not multiply.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mere.search.links.quality import UNITS

STEP_COST = round(0.321928 * UNITS)  # of every step after the first: log2(1 / 0.8), a fifth of the score


@dataclass(frozen=True)
class Link:
    """Two tables, a column of each, and the costs of joining them on these: the smaller, the better."""

    left: str
    left_column: str
    right: str
    right_column: str
    cost: int  # whichever way it is followed
    left_cost: int  # of values that repeat on the left: 0 if its column is a key
    right_cost: int
    shared: int

    @property
    def reversed(self) -> Link:
        return Link(
            self.right, self.right_column, self.left, self.left_column, self.cost, self.right_cost, self.left_cost,
            self.shared,
        )  # fmt: skip

    @property
    def columns(self) -> tuple[str, str]:
        return self.left_column, self.right_column

    @property
    def costs(self) -> Costs:
        return self.cost + self.right_cost, self.cost + self.left_cost


Costs = tuple[int, int]  # if rows of the right table repeat those of the left, and if it is the other way round
NO_COSTS: Costs = (0, 0)


def added(*several: Costs) -> Costs:
    return sum(each[0] for each in several), sum(each[1] for each in several)


class Links:
    """The links of every two tables that have one, seen from both sides."""

    def __init__(self, links: Iterable[Link] = ()) -> None:
        self.of: dict[str, dict[str, list[Link]]] = {}
        self.count = 0
        self.add(links)

    def add(self, links: Iterable[Link]) -> None:
        """Add links; one that is known already, from either side, is not added again."""
        for link in links:
            known = self.of.get(link.left, {}).get(link.right, ())
            if link.left == link.right or any(other.columns == link.columns for other in known):
                continue
            self.count += 1
            for way in (link, link.reversed):
                self.of.setdefault(way.left, {}).setdefault(way.right, []).append(way)

    def neighbours(self, table: str) -> dict[str, list[Link]]:
        return self.of.get(table, {})

    def cheapest(self, left: str, right: str) -> Costs:
        """The least of either cost among the links of two tables."""
        costs = [link.costs for link in self.of[left][right]]
        return min(each[0] for each in costs), min(each[1] for each in costs)


def path_costs(links: Sequence[Link]) -> Costs:
    """The sums of the links' costs, with `STEP_COST` for every link but the first; the smaller is the path's."""
    return added((STEP_COST * (len(links) - 1),) * 2, *(link.costs for link in links))
