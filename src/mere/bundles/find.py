"""Which bundle is found for the budget, and which for other budgets?

Estimates are confirmed: the bundle is chosen by one half of the samples, and a table that adds nothing by the other
half is not taken; the choice is then made again without it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mere.bundles.choose import MOST_FOR_ALL_SUBSETS, Money, all_subsets, greedy, greedy_with_guard, in_order_of_gain
from mere.bundles.coverage import Coverage
from mere.bundles.problem import Problem
from mere.errors import UsageError

_POINTS = 400  # of the curve, about


@dataclass(frozen=True)
class Finding:
    """The tables to take, in the order of their gains, and bundles for smaller and larger budgets."""

    tables: list[int]
    bundles: list[list[int]]


def find(problem: Problem, method: str, coverage: Coverage, judge: Coverage) -> Finding:
    """The best bundle by `coverage`; each of its tables adds rows by `judge`, too."""
    money = Money(np.array([0.0, *(offer.price for offer in problem.offers)]), problem.budget)
    held = coverage.held_by([0])
    useful = [table for table in range(1, coverage.tables) if coverage.added(held, table) > 0]
    while True:
        found = _find(coverage, money, method, useful)
        unconfirmed = _without_gain(judge, found.tables)
        if not unconfirmed:
            break
        useful = [table for table in useful if table not in unconfirmed]
    path = [found.tables[: place + 1] for place in range(len(found.tables))]
    return Finding(found.tables, [*found.bundles, *path])


def _without_gain(judge: Coverage, tables: list[int]) -> list[int]:
    """The tables that add nothing to those before them."""
    held, without = judge.held_by([0]), []
    for table in tables:
        if judge.added(held, table) <= 0:
            without.append(table)
        else:
            judge.add(held, table)
    return without


def _find(coverage: Coverage, money: Money, method: str, useful: list[int]) -> Finding:
    """The same by `coverage` alone, of the tables that are useful."""
    affordable = [table for table in useful if money.prices[table] <= money.limit]
    if method == "optimal" and len(affordable) > MOST_FOR_ALL_SUBSETS:
        raise UsageError(
            f"{len(affordable)} tables add rows and can be paid; 'optimal' compares all bundles of at most "
            f"{MOST_FOR_ALL_SUBSETS}",
            "use method='exact', which guarantees a share of the optimum, or give fewer candidates",
        )
    if method != "exact" and len(affordable) <= MOST_FOR_ALL_SUBSETS:
        return _best_of_all(coverage, money, useful if len(useful) <= MOST_FOR_ALL_SUBSETS else affordable)
    part, prices = coverage.only(useful), money.only(useful)
    chosen = greedy_with_guard(part, prices).tables
    path = greedy(part, replace(prices, budget=np.inf)).tables
    step = -(-len(path) // _POINTS) or 1
    bundles = [path[:place] for place in (*range(step, len(path), step), len(path))]
    return Finding(_named(chosen, useful), [_named(bundle, useful) for bundle in bundles])


def _best_of_all(coverage: Coverage, money: Money, tables: list[int]) -> Finding:
    part, prices = coverage.only(tables), money.only(tables)
    subsets = all_subsets(part, prices)
    best = in_order_of_gain(part, prices, subsets.best(prices.limit))
    return Finding(_named(best, tables), [_named(bundle.tables, tables) for bundle in subsets.curve()])


def _named(numbers: list[int], tables: list[int]) -> list[int]:
    """From the numbers of a part to those of all tables."""
    return [tables[number - 1] for number in numbers]
