"""Which tables are taken for a budget?

Exact-Greedy (Wang et al., WWW 2025, algorithm 1): take the table that adds the most rows per unit of money, as long as
it can be paid; then compare with the best single table.  The better of the two holds at least (1 - 1/e) / 2 of what the
best bundle holds.

    paper   here       meaning
    D       1, 2, ...  the tables that are offered; 0 is the base
    p       prices
    B       budget
    g       added / price

Departs: gains are evaluated lazily (Minoux 1978; Leskovec et al., "CELF", KDD 2007): a gain never grows, so a table is
only evaluated again when its last gain is the best one.  Gains from samples of different thresholds may grow a little,
so the tables that were not taken are looked at again at the end.  After the best single table the greedy goes on with
what is left, and the greedy that looks at rows alone, not at rows per unit of money, is tried as well: the best of the
three counts.  Tables that later ones made redundant are given back, and their money is spent again.

`all_subsets` gives the optimum for up to 20 tables: the values of all subsets at once, by a sum over subsets (Yates
1937) of the items' differences.  Cost: 2^n * n additions.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mere.bundles.coverage import Coverage

MOST_FOR_ALL_SUBSETS = 20
_TOLERANCE = 1e-9  # of the budget: sums of prices are rounded
_CURVE_BINS = 512


@dataclass(frozen=True)
class Money:
    """Prices of the tables (index 0, the base, is free), and the budget."""

    prices: np.ndarray
    budget: float

    @property
    def limit(self) -> float:
        """The budget with room for rounding."""
        return self.budget * (1 + _TOLERANCE)

    def only(self, tables: Sequence[int]) -> Money:
        """The prices of the base and these tables."""
        return Money(self.prices[[0, *tables]], self.budget)

    def cost(self, tables: list[int]) -> float:
        return float(self.prices[tables].sum()) if tables else 0.0


@dataclass(frozen=True)
class Subset:
    """Tables to take, in the order in which they are taken, and how many rows they hold with the base."""

    tables: list[int]
    value: float


def greedy(coverage: Coverage, money: Money, first: Sequence[int] = (), per_money: bool = True) -> Subset:
    """Take what adds the most per unit of money, after the tables `first`; or else what adds the most."""
    held = coverage.held_by([0, *first])
    steps = _Steps(coverage, money.prices, per_money)
    open_tables = [table for table in range(1, coverage.tables) if table not in first]
    taken = [*first, *steps.take(held, open_tables, money.limit - money.cost(list(first)))]
    return Subset(taken, coverage.value(held))


@dataclass(frozen=True, eq=False)
class _Steps:
    """The steps of a greedy: each takes the first table in the order of `rank`."""

    coverage: Coverage
    prices: np.ndarray
    per_money: bool = True

    def rank(self, held: np.ndarray, table: int) -> tuple[float, float, float, int]:
        """Smallest first: rows per unit of money (or rows), rows, price, place among the offers."""
        gain, price = self.coverage.added(held, table), float(self.prices[table])
        free = np.inf if gain > 0 else 0.0
        rate = gain if not self.per_money else gain / price if price > 0 else free
        return (-rate, -gain, price, table)

    def take(self, held: np.ndarray, open_tables: list[int], left: float) -> list[int]:
        """The tables that are taken, in their order; `held` is changed."""
        taken: list[int] = []
        while more := self._lazily(held, [table for table in open_tables if table not in taken], left):
            taken += more
            left -= float(self.prices[more].sum())
            if self.coverage.one_rank:
                break
        return taken

    def _lazily(self, held: np.ndarray, open_tables: list[int], left: float) -> list[int]:
        """The same, as if gains never grew."""
        taken: list[int] = []
        heap = [(self.rank(held, table), 0) for table in open_tables if self.prices[table] <= left]
        heapq.heapify(heap)
        while heap:
            (_, minus_gain, price, table), age = heapq.heappop(heap)
            if minus_gain >= 0:
                break
            if price > left:
                continue  # the money only becomes less
            if age < len(taken):
                heapq.heappush(heap, (self.rank(held, table), len(taken)))
                continue
            self.coverage.add(held, table)
            taken.append(table)
            left -= price
        return taken


def greedy_with_guard(coverage: Coverage, money: Money) -> Subset:
    """The best of three: the greedy per unit of money, the greedy by rows, and a greedy after the best single table."""
    bundles = [greedy(coverage, money), greedy(coverage, money, per_money=False)]
    held, steps = coverage.held_by([0]), _Steps(coverage, money.prices, per_money=False)
    affordable = [table for table in range(1, coverage.tables) if money.prices[table] <= money.limit]
    _, minus_gain, _, single = min((steps.rank(held, table) for table in affordable), default=(0.0, 0.0, 0.0, 0))
    if minus_gain < 0:
        bundles.append(greedy(coverage, money, [single]))
    best = max(bundles, key=lambda bundle: bundle.value)  # of equal ones, the first
    needed = without_redundant(coverage, money, best.tables)
    return best if len(needed) == len(best.tables) else greedy(coverage, money, needed)


def without_redundant(coverage: Coverage, money: Money, tables: list[int]) -> list[int]:
    """The tables without those that the others, taken later, made redundant; expensive ones are left out first."""
    holders = np.zeros(len(coverage.counts), np.int32)
    for table in (0, *tables):
        holders[coverage.of(table)] += 1
    redundant = set()
    for table in sorted(tables, key=lambda table: -money.prices[table]):
        if (holders[coverage.of(table)] > 1).all():
            redundant.add(table)
            holders[coverage.of(table)] -= 1
    return [table for table in tables if table not in redundant]


@dataclass(frozen=True, eq=False)
class AllSubsets:
    """The value and the cost of every subset of the offered tables; bit i of a subset's number is table i + 1."""

    values: np.ndarray
    costs: np.ndarray

    def best(self, limit: float) -> list[int]:
        """The subset with the most rows that can be paid; of equal ones the cheapest, then the smallest number."""
        payable = np.where(self.costs <= limit, self.values, -np.inf)
        most = payable.max()
        ties = np.flatnonzero(payable >= most - 1e-9 * max(1.0, abs(most)))
        return _tables_of(int(ties[np.argmin(self.costs[ties])]))

    def curve(self) -> list[Subset]:
        """The best subsets for ascending cost; at most one per bin of the cost."""
        top = float(self.costs[-1])
        scale = (_CURVE_BINS - 1) / top if top > 0 else 0.0
        bins = np.ceil(self.costs * scale).astype(np.int32)
        best = np.full(_CURVE_BINS + 1, -np.inf)
        np.maximum.at(best, bins, self.values)
        reached = np.maximum.accumulate(best)
        rising = np.flatnonzero(np.append(True, reached[1:] > reached[:-1]) & np.isfinite(reached))
        least = np.full(_CURVE_BINS + 1, np.inf)
        least[rising] = best[rising]
        places = np.flatnonzero(self.values >= least[bins])
        places = places[np.lexsort((self.costs[places], bins[places]))]
        first = np.unique(bins[places], return_index=True)[1]
        return [Subset(_tables_of(int(place)), float(self.values[place])) for place in places[first]]


def all_subsets(coverage: Coverage, money: Money) -> AllSubsets:
    """Value and cost of every subset of at most 20 offered tables.

    An item whose holders are t1, t2, ... in the order of their ranks counts w1 if t1 is taken, else w2 if t2 is taken,
    and so on.  So it counts w1, plus (w2 - w1) if t1 is left out, plus (w3 - w2) if t1 and t2 are,
    ..., and minus the last weight if all are left out.  Each difference is added at the set of tables that must be left
    out; summed over subsets, entry C has the value if C is left out.
    """
    offered = coverage.tables - 1
    constant, left_out = _differences(coverage)
    for bit in range(offered):
        pairs = left_out.reshape(-1, 2, 1 << bit)
        pairs[:, 1] += pairs[:, 0]
    costs = np.zeros(1)
    for price in money.prices[1:]:
        costs = np.concatenate([costs, costs + price])
    return AllSubsets(constant + left_out[::-1], costs)


def _differences(coverage: Coverage) -> tuple[float, np.ndarray]:
    """What the items count if no table is left out, and the differences, by the set of tables that is left out."""
    table = np.repeat(np.arange(coverage.tables), np.diff(coverage.starts))
    item, rank = coverage.items, coverage.ranks[table]
    counts = (table == 0) | (rank < coverage.held_by([0])[item])  # the base is never left out: it hides larger ranks
    order = np.lexsort((rank[counts], item[counts]))
    table, item = table[counts][order], item[counts][order]
    weight = coverage.weights[rank[counts][order]]
    last = np.append(item[1:] != item[:-1], True)[: len(item)]
    first = np.append(True, last[:-1])[: len(item)]
    change = np.append(np.diff(weight), 0.0)[: len(item)]
    change[last] = -weight[last]
    bits = np.left_shift(np.int64(1), np.maximum(table, 1) - 1)  # of the base's place nothing is used
    running = np.cumsum(bits)
    before = (running - bits)[first]
    sets = running - before[np.cumsum(first) - 1]
    offered = table > 0
    constant = float((weight[first] * coverage.counts[item[first]]).sum())
    weighted = (change * coverage.counts[item])[offered]
    return constant, np.bincount(sets[offered], weighted, minlength=1 << (coverage.tables - 1))


def _tables_of(subset: int) -> list[int]:
    return [bit + 1 for bit in range(subset.bit_length()) if subset >> bit & 1]


def in_order_of_gain(coverage: Coverage, money: Money, tables: list[int]) -> list[int]:
    """The same tables in the order of the greedy; those that add nothing after the others are left out."""
    return _Steps(coverage, money.prices).take(coverage.held_by([0]), tables, np.inf)
