"""From a problem to its answer: count or estimate, choose, and say why the others were rejected.

exact     signatures of all rows, then the greedy: at least (1 - 1/e) / 2 of the best bundle
optimal   signatures of all rows, then the best of all subsets, for up to 20 tables that add rows
sketch    samples of the rows, then the best of all subsets up to 20 tables, the greedy beyond; if the tables are
          small, so that counting takes no longer than a moment, all rows are counted
ml        the paper's learned estimator, and its greedy (`learned`)
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from mere.bundles import count, estimate
from mere.bundles.choose import MOST_FOR_ALL_SUBSETS, Money, Subset, all_subsets, greedy, greedy_with_guard
from mere.bundles.choose import in_order_of_gain as ordered
from mere.bundles.coverage import Coverage, coverage_of_signatures
from mere.bundles.exact_rows import distinct_rows
from mere.bundles.outcome import METHODS, Assembly, Chosen, Point
from mere.bundles.problem import Problem, Signatures
from mere.bundles.reasons import reasons
from mere.errors import UsageError

Progress = Callable[[str], None]
COUNTED_ROWS = 200_000  # of all tables together: up to so many are counted by `sketch`, too
CountSignatures = Callable[[Problem, Progress | None], Signatures]


def assemble(
    problem: Problem,
    method: str = "sketch",
    progress: Progress | None = None,
    signatures: CountSignatures = count.signatures,
) -> Assembly:
    """Which tables to take.  `signatures` counts for the methods that count: in memory by default."""
    if method not in METHODS:
        raise UsageError(
            f"'method' must be one of {', '.join(METHODS)}, got {method!r}", "method='sketch' is the default"
        )
    if method == "ml":
        from mere.bundles.learned_answer import learned_answer

        return learned_answer(problem, progress)
    small = problem.base.rows + sum(offer.rows for offer in problem.offers) <= COUNTED_ROWS
    if method == "sketch" and not small:
        return answer_from_pool(problem, estimate.pool_of(problem, progress), progress)
    started = time.perf_counter()
    coverage = coverage_of_signatures(signatures(problem, progress))
    counting = time.perf_counter() - started
    every_subset = method == "optimal" or (method == "sketch" and len(problem.offers) <= MOST_FOR_ALL_SUBSETS)
    answer = _answer(problem, coverage, method, every_subset)
    return replace(answer, seconds={"counting": counting, **answer.seconds})


def answer_from_pool(problem: Problem, pool: estimate.Pool, progress: Progress | None = None) -> Assembly:
    """The answer of `sketch`, given the samples."""
    started = time.perf_counter()
    seen = estimate.look(pool, problem.filters)
    few = estimate.too_few(seen)
    names = tuple(problem.offers[table - 1].name for table in few if table > 0)
    if set(few) >= set(np.flatnonzero(seen.thresholds < 1).tolist()):  # nothing is left to estimate
        coverage, interval = coverage_of_signatures(count.signatures(problem, progress)), None
    else:
        if few:
            seen = estimate.with_counted(seen, _counted(problem, few, progress))
        coverage, interval = seen.coverage, seen
    looking = time.perf_counter() - started
    answer = _answer(
        problem, coverage, "sketch", every_subset=len(problem.offers) <= MOST_FOR_ALL_SUBSETS, seen=interval
    )
    return replace(answer, counted=names, seconds={"looking": looking, **answer.seconds})


def _counted(problem: Problem, tables: list[int], progress: Progress | None) -> dict[int, np.ndarray]:
    """The hashes of all rows of some tables that meet the filters."""
    hashes = {}
    for number, table in enumerate(tables, 1):
        if progress is not None:
            progress(f"counting table {number:,} of {len(tables):,}: its sample says too little")
        relation = problem.base if table == 0 else problem.offers[table - 1].relation()
        hashes[table] = np.unique(distinct_rows(relation, problem.filters)[0])
    return hashes


def _answer(
    problem: Problem, coverage: Coverage, method: str, every_subset: bool, seen: estimate.Seen | None = None
) -> Assembly:
    started = time.perf_counter()
    money = Money(np.array([0.0, *(offer.price for offer in problem.offers)]), problem.budget)
    tables, bundles = _choose(coverage, money, every_subset)
    chosen = _steps(problem, coverage, tables)
    base = coverage.value(coverage.held_by([0]))
    distinct = chosen[-1].distinct if chosen else base
    bundles += [Subset([], base), *_path(coverage, tables)]
    return Assembly(
        method=method,
        budget=problem.budget,
        chosen=chosen,
        rejected=reasons(problem, coverage, tables, seen),
        base=base,
        distinct=distinct,
        interval=(distinct, distinct) if seen is None else estimate.interval(seen, [0, *tables]),
        exact=seen is None,
        curve=_curve(problem, bundles),
        seconds={"choosing": time.perf_counter() - started},
    )


def _choose(coverage: Coverage, money: Money, every_subset: bool) -> tuple[list[int], list[Subset]]:
    """The tables to take, in the order of their gains, and bundles for the curve."""
    held = coverage.held_by([0])
    useful = [table for table in range(1, coverage.tables) if coverage.added(held, table) > 0]
    endless = replace(money, budget=np.inf)
    if not every_subset:
        return greedy_with_guard(coverage, money).tables, _path(coverage, greedy(coverage, endless).tables)
    affordable = [table for table in useful if money.prices[table] <= money.limit]
    if len(affordable) > MOST_FOR_ALL_SUBSETS:
        raise UsageError(
            f"{len(affordable)} tables add rows and can be paid; 'optimal' compares all bundles of at most "
            f"{MOST_FOR_ALL_SUBSETS}",
            "use method='exact', which guarantees a share of the optimum, or give fewer candidates",
        )
    compared = useful if len(useful) <= MOST_FOR_ALL_SUBSETS else affordable
    subsets = all_subsets(coverage.only(compared), money.only(compared))
    best = [compared[table - 1] for table in subsets.best(money.limit)]
    curve = [Subset([compared[table - 1] for table in each.tables], each.value) for each in subsets.curve()]
    return ordered(coverage, money, best), curve


def _path(coverage: Coverage, tables: list[int]) -> list[Subset]:
    """The bundles of the first table, the first two, and so on."""
    held, path = coverage.held_by([0]), []
    for place, table in enumerate(tables, 1):
        coverage.add(held, table)
        path.append(Subset(tables[:place], coverage.value(held)))
    return path


def _steps(problem: Problem, coverage: Coverage, tables: list[int]) -> tuple[Chosen, ...]:
    """The chosen tables, with what each adds to those before it."""
    held, steps = coverage.held_by([0]), []
    for table in tables:
        gain = coverage.added(held, table)
        coverage.add(held, table)
        offer = problem.offers[table - 1]
        steps.append(Chosen(offer.name, offer.price, gain, coverage.value(held)))
    return tuple(steps)


def _curve(problem: Problem, bundles: list[Subset]) -> tuple[Point, ...]:
    """The bundles that hold more rows than every cheaper one."""
    points = []
    for bundle in bundles:
        offers = [problem.offers[table - 1] for table in bundle.tables]
        cost = sum(offer.price for offer in offers)
        points.append(Point(cost, bundle.value, tuple(offer.name for offer in offers)))
    best: list[Point] = []
    for point in sorted(points, key=lambda point: (point.cost, -point.distinct)):
        if not best or point.distinct > best[-1].distinct + 1e-9 * best[-1].distinct:
            best.append(point)
    return tuple(best)
