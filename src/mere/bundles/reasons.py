"""Why was a table not taken?"""

from __future__ import annotations

import numpy as np

from mere.bundles.coverage import Coverage
from mere.bundles.estimate import Estimate
from mere.bundles.outcome import Rejected
from mere.bundles.problem import Offer, Problem

_NAMED = 2  # tables that are named as those that hold the rows


def reasons(problem: Problem, coverage: Coverage, judging: Estimate | None, taken: list[int]) -> tuple[Rejected, ...]:
    """The tables that were not taken, in the order in which they were offered.

    A table that adds nothing by the half of the samples that bundles are chosen by, or by the other, adds nothing.
    """
    views = [_View(problem, coverage, taken)]
    if judging is not None:
        views.insert(0, _View(problem, judging.coverage, taken))
    left = max(0.0, problem.budget - sum(problem.offers[table - 1].price for table in taken))
    return tuple(_reason(problem, table, views, left) for table in range(1, coverage.tables) if table not in set(taken))


class _View:
    """What is held by the base and the tables that were taken."""

    def __init__(self, problem: Problem, coverage: Coverage, taken: list[int]) -> None:
        self.coverage = coverage
        self.held = coverage.held_by([0, *taken])
        self._names = ["the base", *(f"'{problem.offers[table - 1].name}'" for table in taken)]
        self._holder = np.full(len(coverage.counts), -1)
        for place, table in reversed(list(enumerate([0, *taken]))):
            self._holder[coverage.of(table)] = place  # the first that holds it stays

    def gain(self, table: int) -> float:
        return max(0.0, self.coverage.added(self.held, table))

    def sampled(self, table: int) -> bool:
        return bool(self.coverage.ranks[table] > 0)

    def held_rows(self, table: int) -> str:
        """By which tables the rows of a table are held."""
        items = self.coverage.of(table)
        holders = self._holder[items]
        rows = np.bincount(holders[holders >= 0], self.coverage.counts[items[holders >= 0]], len(self._names))
        order = [place for place in np.argsort(-rows, kind="stable") if rows[place] > 0]
        names = [self._names[place] for place in order[:_NAMED]]
        if (more := len(order) - _NAMED) > 0:
            names.append(f"{more} other{'s' if more > 1 else ''}")
        own = float(self.coverage.counts[items].sum())
        listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
        return f"its {_rows(own, self.sampled(table))} {'is' if own == 1 else 'are'} held by {listed}"


def _reason(problem: Problem, table: int, views: list[_View], left: float) -> Rejected:
    offer, gain = problem.offers[table - 1], views[0].gain(table)
    if not any(len(view.coverage.of(table)) for view in views):
        words = "none of its rows meets the queries" if problem.filters.texts else "it has no rows"
        return Rejected(offer.name, offer.price, 0.0, words, "no rows")
    for view in views:
        if view.gain(table) <= 0 and len(view.coverage.of(table)):
            return Rejected(offer.name, offer.price, 0.0, view.held_rows(table), "nothing new")
    return _too_expensive(offer, gain, problem.budget, left, "about " if views[0].sampled(table) else "")


def _too_expensive(offer: Offer, gain: float, budget: float, left: float, about: str) -> Rejected:
    adds = f"it would add {about}{_rows(gain)}"
    if offer.price > budget:
        words = f"{adds}, and costs more than the budget of {budget:,.10g}"
        return Rejected(offer.name, offer.price, gain, words, "too expensive")
    rest = f"costs more than the {left:,.10g} that is left" if left > 1e-9 * budget else "the budget is spent"
    return Rejected(offer.name, offer.price, gain, f"{adds}, and {rest}", "budget spent")


def _rows(number: float, sampled: bool = False) -> str:
    rounded = round(number)
    return f"{rounded:,} {'sampled ' if sampled else ''}row{'' if rounded == 1 else 's'}"
