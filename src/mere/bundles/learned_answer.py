"""Which tables are taken, if the paper's learned estimator judges them?

ML-Greedy (Wang et al., WWW 2025, algorithm 4): the greedy of `choose`, with gains from summaries that a network
merges, so that no row is looked at.  It is kept for comparison: samples are closer and faster (docs/assemble.md).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mere.bundles.choose import Money
from mere.bundles.estimate import pool_of
from mere.bundles.learned import LearnedEstimator, Summary
from mere.bundles.outcome import Assembly, Chosen, Point, Rejected, rising
from mere.bundles.problem import Offer, Problem


def learned_answer(problem: Problem, progress: Callable[[str], None] | None = None) -> Assembly:
    """The answer of `ml`."""
    started = time.perf_counter()
    pool = pool_of(problem, progress)
    estimator = LearnedEstimator(problem.schema, problem.filters.queries, pool.samples)
    base, *summaries = [estimator.summary(sample) for sample in pool.samples]
    prepared = time.perf_counter()
    search = _Search(problem, estimator, base, summaries)
    start = estimator.distinct(base)
    steps = search.greedy([], search.limit)
    if (single := search.best_single()) is not None and single.distinct > (steps[-1].distinct if steps else start):
        steps = search.greedy([single], search.limit)
    return Assembly(
        method="ml",
        budget=problem.budget,
        chosen=tuple(step.chosen() for step in steps),
        rejected=search.rejected(steps),
        base=start,
        base_exact=False,
        distinct=steps[-1].distinct if steps else start,
        interval=None,
        exact=False,
        curve=_curve(start, search.greedy([], np.inf), steps),
        notes=estimator.notes,
        seconds={"summarising": prepared - started, "choosing": time.perf_counter() - prepared},
    )


@dataclass(frozen=True, eq=False)
class _Step:
    """A table that was taken, and what the base and all tables up to it hold."""

    table: int
    offer: Offer
    gain: float
    distinct: float
    summary: Summary

    def chosen(self) -> Chosen:
        return Chosen(self.offer.name, self.offer.price, self.gain, self.distinct)


@dataclass(frozen=True, eq=False)
class _Search:
    problem: Problem
    estimator: LearnedEstimator
    base: Summary
    summaries: list[Summary]

    @property
    def limit(self) -> float:
        return Money(np.array([offer.price for offer in self.problem.offers]), self.problem.budget).limit

    def greedy(self, first: list[_Step], budget: float) -> list[_Step]:
        """Take what adds the most per unit of money, after the tables `first`."""
        steps = list(first)
        left = budget - sum(step.offer.price for step in steps)
        while True:
            taken = {step.table for step in steps}
            tables = [t for t in range(len(self.summaries)) if t not in taken and self._price(t) <= left]
            following = self._following(steps, tables)
            if not following or following[0].gain <= 0:
                return steps
            steps.append(following[0])
            left -= following[0].offer.price

    def best_single(self) -> _Step | None:
        """The table that alone adds the most, of those that can be paid."""
        tables = [t for t in range(len(self.summaries)) if self._price(t) <= self.limit]
        return max(self._following([], tables), key=lambda step: step.distinct, default=None)

    def rejected(self, steps: list[_Step]) -> tuple[Rejected, ...]:
        taken = {step.table for step in steps}
        left = self.problem.budget - sum(step.offer.price for step in steps)
        rest = self._following(steps, [t for t in range(len(self.summaries)) if t not in taken])
        return tuple(_reason(step, left, self.problem.budget) for step in sorted(rest, key=lambda step: step.table))

    def _price(self, table: int) -> float:
        return self.problem.offers[table].price

    def _following(self, steps: list[_Step], tables: list[int]) -> list[_Step]:
        """What each of some tables would add after these steps, the best for the money first.

        Less than half a row, or than the rounding of 32-bit floats, is nothing.
        """
        now = steps[-1].summary if steps else self.base
        before = steps[-1].distinct if steps else self.estimator.distinct(self.base)
        merged = [self.estimator.merge(now, self.summaries[table]) for table in tables]
        values = self.estimator.distinct_many(merged) if merged else np.empty(0)
        gains = np.where(values - before >= max(0.5, 1e-6 * before), values - before, 0.0).tolist()
        found = [
            _Step(table, self.problem.offers[table], gain, before + gain, summary)
            for table, gain, summary in zip(tables, gains, merged, strict=True)
        ]
        return sorted(found, key=_rank)


def _rank(step: _Step) -> tuple[float, float, int]:
    price = step.offer.price
    return (-step.gain / price if price > 0 else -np.inf if step.gain > 0 else 0.0, -step.gain, step.table)


def _reason(step: _Step, left: float, budget: float) -> Rejected:
    adds = f"it seems to add about {round(max(0.0, step.gain)):,} rows"
    code, words = "budget spent", f"{adds}, and costs more than the {left:,.10g} that is left"
    if step.gain <= 0:
        code, words = "nothing new", "the learned estimator expects no new rows of it"
    elif step.offer.price > budget:
        code, words = "too expensive", f"{adds}, and costs more than the budget of {budget:,.10g}"
    return Rejected(step.offer.name, step.offer.price, max(0.0, step.gain), words, code)


def _curve(start: float, path: list[_Step], steps: list[_Step]) -> tuple[Point, ...]:
    """The bundles that seem to hold more rows than every cheaper one."""
    points = [Point(0.0, start, ())]
    for several in (path, steps):
        for place, step in enumerate(several, 1):
            offers = [each.offer for each in several[:place]]
            points.append(Point(sum(o.price for o in offers), step.distinct, tuple(o.name for o in offers)))
    return rising(points)
