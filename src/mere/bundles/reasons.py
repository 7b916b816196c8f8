"""Why was a table not taken?"""

from __future__ import annotations

import numpy as np

from mere.bundles.coverage import Coverage
from mere.bundles.estimate import Seen
from mere.bundles.outcome import Rejected
from mere.bundles.problem import Problem

_NAMED = 2  # tables that are named as those that hold the rows


def reasons(problem: Problem, coverage: Coverage, taken: list[int], seen: Seen | None) -> tuple[Rejected, ...]:
    """The tables that were not taken, in the order in which they were offered."""
    held = coverage.held_by([0, *taken])
    left = problem.budget - sum(problem.offers[table - 1].price for table in taken)
    return tuple(
        _reason(problem, _Case(coverage, taken, table, coverage.added(held, table), seen), left)
        for table in range(1, coverage.tables)
        if table not in taken
    )


class _Case:
    """One table that was not taken."""

    def __init__(self, coverage: Coverage, taken: list[int], table: int, gain: float, seen: Seen | None) -> None:
        self.coverage, self.taken, self.table = coverage, taken, table
        self.gain = max(0.0, gain)
        self.items = coverage.of(table)
        self.estimated = seen is not None and seen.thresholds[table] < 1

    def holders(self, problem: Problem) -> str:
        """The base and the chosen tables that hold its rows: those with the most first."""
        mine = np.zeros(len(self.coverage.counts))
        mine[self.items] = self.coverage.counts[self.items]
        names: list[str] = []
        for _ in range(len(self.taken) + 1):
            sums = {table: float(mine[self.coverage.of(table)].sum()) for table in (0, *self.taken)}
            best = max(sums, key=lambda table: (sums[table], -table))
            if sums[best] <= 0:
                break
            names.append("the base" if best == 0 else f"'{problem.offers[best - 1].name}'")
            mine[self.coverage.of(best)] = 0
        more = len(names) - _NAMED
        if more > 0:
            names = [*names[:_NAMED], f"{more} other{'s' if more > 1 else ''}"]
        return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _reason(problem: Problem, case: _Case, left: float) -> Rejected:
    offer = problem.offers[case.table - 1]
    about = "about " if case.estimated else ""
    code, words = (
        "budget spent",
        f"it would add {about}{_rows(case.gain)}, and costs more than the {left:,.10g} that is left",
    )
    if not len(case.items):
        code, words = "no rows", "none of its rows meets the queries" if problem.filters.texts else "it has no rows"
    elif case.gain < (0.5 if case.estimated else 1e-9):
        code, words = "nothing new", _held(case, problem)
    elif offer.price > problem.budget:
        code = "too expensive"
        words = f"it would add {about}{_rows(case.gain)}, and costs more than the budget of {problem.budget:,.10g}"
    return Rejected(offer.name, offer.price, case.gain, words, code)


def _held(case: _Case, problem: Problem) -> str:
    """By which tables its rows that meet the queries are held; of a sample, the sampled ones."""
    own = float(case.coverage.counts[case.items].sum())
    verb = "is" if own == 1 else "are"
    return f"its {_rows(own, case.estimated)} {verb} held by {case.holders(problem)}"


def _rows(number: float, sampled: bool = False) -> str:
    rounded = round(number)
    return f"{rounded:,} {'sampled ' if sampled else ''}row{'' if rounded == 1 else 's'}"
