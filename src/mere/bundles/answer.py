"""From a problem to its answer: count or estimate, choose, and say why the others were rejected.

exact     all rows are counted, then the greedy: at least (1 - 1/e) / 2 of the best bundle
optimal   all rows are counted, then the best of all subsets, for up to 20 tables that add rows
sketch    samples of the rows, then the best of all subsets up to 20 tables, the greedy beyond; if the tables are
          small, so that counting takes no longer than a moment, all rows are counted
ml        the paper's learned estimator, and its greedy (`learned`)
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from mere.bundles import estimate
from mere.bundles.choose import MOST_FOR_ALL_SUBSETS
from mere.bundles.count import count
from mere.bundles.coverage import Coverage, coverage_of_signatures
from mere.bundles.exact_rows import distinct_rows
from mere.bundles.find import Finding, find
from mere.bundles.outcome import METHODS, Assembly, Chosen, Point, Rejected, rising
from mere.bundles.problem import Problem, Signatures
from mere.bundles.reasons import reasons
from mere.errors import UsageError

Progress = Callable[[str], None]
COUNTED_ROWS = 200_000  # of all tables together: up to so many are counted by `sketch`, too
MOST_COUNTED = 0.5  # of all rows: if more have to be counted, all are
CountSignatures = Callable[[Problem, Progress | None], Signatures]


def assemble(
    problem: Problem,
    method: str = "sketch",
    progress: Progress | None = None,
    signatures: CountSignatures | None = None,
) -> Assembly:
    """Which tables to take.  `signatures` counts all rows, instead of this process."""
    if method not in METHODS:
        raise UsageError(
            f"'method' must be one of {', '.join(METHODS)}, got {method!r}", "method='sketch' is the default"
        )
    if method == "ml":
        from mere.bundles.learned_answer import learned_answer

        return learned_answer(problem, progress)
    if method == "sketch" and _rows(problem, range(len(problem.offers) + 1)) > COUNTED_ROWS:
        return answer_from_pool(problem, estimate.pool_of(problem, progress), progress, signatures)
    return _counted_answer(problem, method, progress, signatures)


def _rows(problem: Problem, tables: range | list[int]) -> int:
    """The rows of some tables together; 0 is the base."""
    return sum(problem.offers[table - 1].rows if table else problem.base.rows for table in tables)


def _counted_answer(
    problem: Problem, method: str, progress: Progress | None, signatures: CountSignatures | None
) -> Assembly:
    started = time.perf_counter()
    coverage = count(problem, progress) if signatures is None else coverage_of_signatures(signatures(problem, progress))
    counting = time.perf_counter() - started
    answer = _answer(problem, method, coverage, None, progress)
    return replace(answer, seconds={"counting": counting, **answer.seconds})


def answer_from_pool(
    problem: Problem,
    pool: estimate.Pool,
    progress: Progress | None = None,
    signatures: CountSignatures | None = None,
) -> Assembly:
    """The answer of `sketch`, given the samples."""
    started = time.perf_counter()
    looked = estimate.look(pool, problem.filters)
    few = estimate.too_few(looked)
    everything = _rows(problem, range(len(looked)))
    partial = {table for table, each in enumerate(looked) if not each.complete}
    if partial <= set(few) or _rows(problem, few) > MOST_COUNTED * everything:
        answer = _counted_answer(problem, "sketch", progress, signatures)
        return replace(answer, counted=tuple(offer.name for offer in problem.offers))
    for number, table in enumerate(few, 1):
        if progress is not None:
            progress(f"counting table {number:,} of {len(few):,}, of which the sample says too little")
        relation = problem.base if table == 0 else problem.offers[table - 1].relation()
        hashes = np.unique(distinct_rows(relation, problem.filters)[0])
        looked[table] = estimate.counted(hashes, looked[table].distinct)
    choosing, judging = estimate.halves(looked)
    looking = time.perf_counter() - started
    answer = _answer(problem, "sketch", choosing.coverage, judging, progress)
    names = tuple(problem.offers[table - 1].name for table in few if table > 0)
    return replace(answer, counted=names, seconds={"looking": looking, **answer.seconds})


def _answer(
    problem: Problem,
    method: str,
    coverage: Coverage,
    judging: estimate.Estimate | None,
    progress: Progress | None,
) -> Assembly:
    """The bundle that is best by `coverage`, with the numbers of the other half, if there is one."""
    started = time.perf_counter()
    if progress is not None:
        progress(f"choosing among {len(problem.offers):,} tables")
    judge = coverage if judging is None else judging.coverage
    finding = find(problem, method, coverage, judge)
    chosen = _steps(problem, judge, finding.tables)
    base = judge.value(judge.held_by([0]))
    distinct = chosen[-1].distinct if chosen else base
    rejected = reasons(problem, coverage, judging, finding.tables)
    return Assembly(
        method=method,
        budget=problem.budget,
        chosen=chosen,
        rejected=rejected,
        base=base,
        base_exact=bool(judge.ranks[0] == 0),
        distinct=distinct,
        interval=(distinct, distinct) if judging is None else judging.interval([0, *finding.tables]),
        exact=judging is None,
        curve=_curve(problem, judge, finding),
        notes=_notes(method, rejected),
        seconds={"choosing": time.perf_counter() - started},
    )


def _notes(method: str, rejected: tuple[Rejected, ...]) -> tuple[str, ...]:
    """A hint at the better method, if the greedy left out tables that add rows, and there are few of them."""
    unpaid = [each for each in rejected if each.code == "budget spent"]
    if method != "exact" or not unpaid or len(rejected) > MOST_FOR_ALL_SUBSETS:
        return ()
    return (
        "'exact' counts exactly and chooses greedily: method='optimal' compares all bundles, and may find more rows",
    )


def _steps(problem: Problem, judge: Coverage, tables: list[int]) -> tuple[Chosen, ...]:
    """The chosen tables, with what each adds to those before it."""
    held, steps = judge.held_by([0]), []
    distinct = judge.value(held)
    for table in tables:
        gain = judge.added(held, table)
        judge.add(held, table)
        distinct += gain
        offer = problem.offers[table - 1]
        steps.append(Chosen(offer.name, offer.price, gain, distinct))
    return tuple(steps)


def _curve(problem: Problem, judge: Coverage, finding: Finding) -> tuple[Point, ...]:
    """The bundles that hold more rows than every cheaper one, from the base alone.

    None that can be paid holds more than the chosen one: if one seems to, by the half of the samples that judges, the
    half that chooses says otherwise.
    """
    points = []
    for tables in [[], *finding.bundles]:
        offers = [problem.offers[table - 1] for table in tables]
        distinct = judge.value(judge.held_by([0, *tables]))
        points.append(Point(sum(offer.price for offer in offers), distinct, tuple(offer.name for offer in offers)))
    chosen = tuple(problem.offers[table - 1].name for table in finding.tables)
    most = next((point.distinct for point in points if point.tables == chosen), np.inf)
    return rising(point for point in points if point.cost > problem.budget or point.distinct <= most)
