"""Which rows of two tables belong together, and by which programs?  No columns named, no examples given.

Auto-Join (Zhu, He, Chaudhuri; chapter 4 of Zhu's thesis), in its steps:

    1  examples: rows that share rare pieces             `pairs` (algorithm 3), in samples of large tables (`tables`)
    2  programs that explain the examples                `learn` (algorithms 4 and 5), in both directions
       parts of composite columns as keys                `candidates.targets` (section 4.4.3)
    3  rows that are left over, by similarity            `fuzzy` (algorithm 6)

Beyond the thesis: several programs per pair of tables (`choose`), rows of equal keys are told apart (`resolve`), and
accidental joins are refused (`accidents`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from mere.transform.accidents import accident, too_few
from mere.transform.agreement import WIDEST, Agreement
from mere.transform.candidates import Candidate, Search, sides_of
from mere.transform.canonical import LONGEST
from mere.transform.cardinality import contradicted, many_to_many
from mere.transform.choose import Pair, choose
from mere.transform.clock import Clock
from mere.transform.fuzzy import fuzzy_pairs, oriented
from mere.transform.outcome import Columns, Conflict, Direction, Options, Outcome
from mere.transform.resolve import Resolved, resolve
from mere.transform.tables import SHARES_OF_PARTNERS, Side, expanded, expanded_count, sample

_PLENTY = 0.98  # share of the rows of both tables that are paired: the other direction is not tried then
_ENOUGH = 0.85  # share of the smaller table's rows that have a partner: composite columns are not split then
MOST_PAIRS = 20_000_000  # of rows
_SEEN = 200  # rows that are looked at for long cells
_MOST_FUZZY = 20_000  # rows of a table up to which rows are matched by similarity

Progress = Callable[[str], None]
Pairs = dict[Pair, tuple[int, float]]  # of distinct rows: the number of the rule, or -1, and the score


def match(left: Columns, right: Columns, options: Options | None = None, progress: Progress | None = None) -> Outcome:
    """The pairs of rows of two tables that belong together, with the programs, or the reason why there are none."""
    return _Matching(left, right, options or Options(), progress or (lambda _: None)).outcome()


class _Matching:
    def __init__(self, left: Columns, right: Columns, options: Options, progress: Progress) -> None:
        self.options, self.progress = options, progress
        self.clock = Clock(options.seconds)
        self.notes: list[str] = []
        self._judged: dict[tuple[int, bool], tuple[Candidate, str | None]] = {}  # by id: each is judged once
        with self.clock.timed("reading"):
            self.left, self.right = Side(left), Side(right)
        self.agreement = Agreement(self.left, self.right)

    def outcome(self) -> Outcome:
        """The answer, or why there is none."""
        if reason := self._unfit():
            return self._refusal(reason)
        candidates = self._candidates()
        joined = self._joined(candidates)
        if isinstance(joined, str):
            return self._refusal(joined)
        chosen, resolved = joined
        pairs: Pairs = {pair: (number, 1.0) for pair, number in resolved.pairs.items()}
        if (count := expanded_count(list(pairs), self.left, self.right)) > MOST_PAIRS:
            return self._refusal(f"equal rows would make {count:,} pairs, more than {MOST_PAIRS:,}")
        if self.options.many_to_many:
            reasons = (many_to_many(candidate, self.agreement) for candidate in chosen)
            self.notes += [f"many to many: {reason}" for reason in reasons if reason]
        if crowded := chosen[0].keys.crowded:
            self.notes.append(f"left out {len(crowded):,} values, such as '{crowded[0]}', that many rows have")
        with self.clock.timed("fuzzy"):
            self._add_fuzzy(pairs, chosen[0])
        return self._answer(chosen, pairs, resolved.conflicts)

    @property
    def _fewer(self) -> int:
        return min(len(self.left.rows), len(self.right.rows))

    def _unfit(self) -> str | None:
        for side, name in ((self.left, "left"), (self.right, "right")):
            if not side.names:
                return f"the {name} table has no values"
            if len(side.rows) < 2:
                return f"the {name} table has one distinct row: a program cannot be learnt from one example"
        return None

    def _candidates(self) -> list[Candidate]:
        """The rules that the examples of both directions teach: from a small sample, if that is enough."""
        found: list[Candidate] = []
        for share in SHARES_OF_PARTNERS:
            searches = self._searches(share)
            found = self._searched(searches)
            if self._best_share([found]) >= _ENOUGH or not any(search.sampled for search in searches):
                break
        return found

    def _searches(self, share: float) -> list[Search]:
        directions: tuple[tuple[Side, Side, Direction], ...] = (
            (self.left, self.right, "left to right"),
            (self.right, self.left, "right to left"),
        )
        with self.clock.timed("reading"):
            return [
                Search(
                    source,
                    target,
                    direction,
                    self.options,
                    sample(source, target, share, self.options.seed),
                    self.clock,
                )
                for source, target, direction in directions
            ]

    def _searched(self, searches: Sequence[Search]) -> list[Candidate]:
        """The candidates of both directions; of the better one, if the tables were sampled."""
        found: list[list[Candidate]] = [[], []]
        for parts, (place, search) in product((False, True), enumerate(searches)):
            if (parts and self._best_share(found) >= _ENOUGH) or self._is_complete(found):
                break
            self.progress(f"comparing {'parts of columns' if parts else 'columns'}, {search.direction}")
            found[place] += search.candidates(parts)
        if any(search.sampled for search in searches):  # counts of different samples cannot be compared row by row
            return max(found, key=lambda ones: self._best_share([ones], on_all_rows=True))
        return [candidate for ones in found for candidate in ones]

    def _best_share(self, found: Sequence[Sequence[Candidate]], on_all_rows: bool = False) -> float:
        """The largest share of a candidate that is a join."""
        ranked = sorted((candidate for ones in found for candidate in ones), key=self._share, reverse=True)
        best = next((candidate for candidate in ranked if not self._fault(candidate)), None)
        return 0.0 if best is None else self._share(self._on_all_rows(best) if on_all_rows else best)

    def _is_complete(self, found: Sequence[Sequence[Candidate]]) -> bool:
        """Whether a candidate that is no accident pairs nearly all rows of both tables one to one."""
        least = _PLENTY * max(len(self.left.rows), len(self.right.rows)) / self._fewer
        return any(
            self._share(one) >= least and len(_keys_found(one)) >= _PLENTY * len(one.partners) and not self._fault(one)
            for ones in found
            for one in ones
        )

    def _fault(self, candidate: Candidate, settled: bool = False) -> str | None:
        """Why a candidate is no join, if it is none: contradicted, an accident, or many to many."""
        if (id(candidate), settled) not in self._judged:
            reason = contradicted(candidate, self.agreement)
            if not reason and not self.options.accidents:
                reason = accident(candidate, self.agreement)
            if not reason and not self.options.many_to_many:
                reason = many_to_many(candidate, self.agreement, settled)
            self._judged[id(candidate), settled] = candidate, reason
        return self._judged[id(candidate), settled][1]

    def _share(self, candidate: Candidate) -> float:
        """The share of the smaller table's rows that a candidate finds one partner for."""
        source, _ = sides_of(candidate, self.left, self.right)
        single = sum(len(partners) == 1 for partners in candidate.partners.values())
        return single / candidate.tried * len(source.rows) / self._fewer

    def _joined(self, candidates: Sequence[Candidate]) -> tuple[list[Candidate], Resolved] | str:
        """The rules to take and their pairs, or why there are none; keys come before what other columns tell apart."""
        reason = None
        for settled in (False, True):
            with self.clock.timed("choosing"):
                self.progress("joining all rows")
                chosen = self._chosen(candidates, settled)
            if chosen:
                with self.clock.timed("joining"):
                    resolved = resolve(chosen, self.agreement)
                reason = too_few(chosen, list(resolved.pairs), self.left, self.right)
                if self.options.accidents or reason is None:
                    return chosen, resolved
        return (reason and self._wider_fault(candidates)) or reason or self._why_none(candidates)

    def _wider_fault(self, candidates: Sequence[Candidate]) -> str | None:
        """Why the candidate of the most rows is many to many, if it is: that says more than that others have few."""
        widest = max(candidates, key=lambda candidate: len(candidate.partners))
        return None if accident(widest, self.agreement) else self._fault(widest, settled=True)

    def _chosen(self, candidates: Sequence[Candidate], settled: bool) -> list[Candidate]:
        """The rules that are taken together, run on all rows: no accident, and one side is a key."""
        open_ones = [candidate for candidate in candidates if not self._fault(candidate, settled)]
        while chosen := choose(open_ones, self.options.most_programs, self._fewer):
            on_all = [self._on_all_rows(candidate) for candidate in chosen]
            faulty = [id(one) for one, run in zip(chosen, on_all, strict=True) if self._fault(run, settled)]
            if not faulty:
                return on_all
            open_ones = [candidate for candidate in open_ones if id(candidate) not in faulty]
        return []

    def _on_all_rows(self, candidate: Candidate) -> Candidate:
        source, _ = sides_of(candidate, self.left, self.right)
        if candidate.tried == len(source.rows):
            return candidate
        partners, made = candidate.keys.partners(source, candidate.rule.program, source.rows)
        return replace(candidate, partners=partners, made=made, tried=len(source.rows))

    def _add_fuzzy(self, pairs: Pairs, first: Candidate) -> None:
        left, right = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
        complete = len(left) == len(self.left.rows) or len(right) == len(self.right.rows)
        if not self.options.fuzzy or complete or self.clock.out_of_time():
            return
        if max(len(self.left.rows), len(self.right.rows)) > _MOST_FUZZY:
            self.notes.append(f"no row was matched by similarity: a table has more than {_MOST_FUZZY:,} distinct rows")
            return
        self.progress("matching the rows that are left over by similarity")
        matched: dict[int, set[int]] = {}
        for one, other in oriented(list(pairs), first):
            matched.setdefault(one, set()).add(other)
        sides = sides_of(first, self.left, self.right)
        found = fuzzy_pairs(first, sides, matched, self.clock.out_of_time)
        places = oriented([(fuzzy.source, fuzzy.target) for fuzzy in found], first)
        pairs.update({place: (-1, fuzzy.score) for place, fuzzy in zip(places, found, strict=True)})

    def _answer(self, chosen: Sequence[Candidate], pairs: Pairs, conflicts: Sequence[Conflict]) -> Outcome:
        ordered = sorted(pairs)
        left_rows, right_rows, number = expanded(ordered, self.left, self.right)
        rule = np.array([pairs[pair][0] for pair in ordered], np.int64)[number]
        score = np.array([pairs[pair][1] for pair in ordered])[number]
        counts = Counter(rule.tolist())
        return Outcome(
            left_rows,
            right_rows,
            rule,
            score,
            tuple(replace(candidate.rule, pairs=counts[place]) for place, candidate in enumerate(chosen)),
            tuple(conflicts),
            notes=self._all_notes(),
            seconds=dict(self.clock.seconds),
        )

    def _why_none(self, candidates: Sequence[Candidate]) -> str:
        by_rows = sorted(candidates, key=lambda candidate: -len(candidate.partners))
        reasons = map(self._fault, by_rows)
        if by_rows and all(self._fault(candidate) is None for candidate in by_rows):
            first = by_rows[0]
            return (
                f"'{first.rule.program}' finds rows for {len(first.partners):,} of {first.tried:,} rows, "
                f"but too many of them share their keys, or the program is too complicated for what it explains"
            )
        return next((reason for reason in reasons if reason), "no program makes keys of one table from the other")

    def _refusal(self, reason: str) -> Outcome:
        return Outcome.refusal(reason, self._all_notes(), dict(self.clock.seconds))

    def _all_notes(self) -> tuple[str, ...]:
        """What was left out."""
        notes = list(self.notes)
        for side, name in ((self.left, "left"), (self.right, "right")):
            if len(side.names) > WIDEST:
                notes.append(f"only the first {WIDEST} of {len(side.names)} columns of the {name} table were looked at")
        if any(self._is_long(side) for side in (self.left, self.right)):
            notes.append(f"of cells of more than {LONGEST} characters, only the beginnings were compared")
        if self.clock.out_of_time():
            notes.append(f"the time limit of {self.options.seconds:g} s was reached: there may be more")
        return tuple(notes)

    @staticmethod
    def _is_long(side: Side) -> bool:
        cells = (side.cells(name, row) for name in side.names[:WIDEST] for row in side.rows[:_SEEN])
        return any(cell is not None and len(cell) > LONGEST for cell in cells)


def _keys_found(candidate: Candidate) -> set[int]:
    """The target rows that a candidate finds."""
    return {row for rows in candidate.partners.values() for row in rows}
