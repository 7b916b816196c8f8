"""Which rows of two tables belong together, and by which programs?  No columns named, no examples given.

Auto-Join (Zhu, He, Chaudhuri; chapter 4 of Zhu's thesis), in its steps:

    1  examples: rows that share rare pieces             `pairs` (algorithm 3), in samples of large tables (`tables`)
    2  programs that explain the examples                `learn` (algorithms 4 and 5), in both directions
       parts of composite columns as keys                `candidates.targets` (section 4.4.3)
    3  rows that are left over, by similarity            `fuzzy` (algorithm 6)

Beyond the thesis: several programs per pair of tables (`choose`), and accidental joins are refused (`accidents`).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from mere.transform.agreement import Agreement
from mere.transform.resolve import resolve
from mere.transform.accidents import accident
from mere.transform.candidates import Candidate, Search
from mere.transform.choose import Pair, choose, pairs_of
from mere.transform.outcome import Columns, Options, Outcome, Rule
from mere.transform.tables import Side, expanded, sample

_ENOUGH = 0.85  # share of the smaller table's rows that have a partner: composite columns are not split then

Progress = Callable[[str], None]


def match(
    left: Columns, right: Columns, options: Options | None = None, progress: Progress | None = None
) -> Outcome:
    """The pairs of rows of two tables that belong together, with the programs, or the reason why there are none."""
    return _Matching(left, right, options or Options(), progress or (lambda _: None)).outcome()


class _Matching:
    def __init__(self, left: Columns, right: Columns, options: Options, progress: Progress) -> None:
        self.options, self.progress = options, progress
        self.left, self.right = Side(left), Side(right)
        self.agreement = Agreement(self.left, self.right)
        self.clock: Counter[str] = Counter()
        self.deadline = time.monotonic() + options.seconds

    def out_of_time(self) -> bool:
        return time.monotonic() > self.deadline

    def outcome(self) -> Outcome:
        candidates = self._candidates()
        kept = [c for c in candidates if self.options.accidents or self._accident(c) is None]
        chosen = choose(kept, self.options.most_programs, min(len(self.left.rows), len(self.right.rows)))
        if not chosen:
            reason = next((self._accident(c) for c in candidates), None) or "no program"
            return Outcome.refusal(reason)
        resolved = resolve(chosen, self.agreement)
        ordered = sorted(resolved.pairs)
        l, r, n = expanded(ordered, self.left, self.right)
        return Outcome(l, r, np.array([resolved.pairs[ordered[i]] for i in n]), np.ones(len(l)), tuple(c.rule for c in chosen), seconds=dict(self.clock))

    def _accident(self, candidate):
        return accident(candidate, self.agreement)

    def _candidates(self) -> list[Candidate]:
        found: list[Candidate] = []
        searches = [
            Search(self.left, self.right, "left to right", self.options, sample(self.left, self.right, self.options.seed), self.out_of_time),
            Search(self.right, self.left, "right to left", self.options, sample(self.right, self.left, self.options.seed), self.out_of_time),
        ]
        for parts in (False, True):
            for search in searches:
                found += search.candidates(parts)
            least = _ENOUGH * min(len(self.left.rows), len(self.right.rows))
            if any(len(candidate.partners) >= least for candidate in found):
                break
        return found
