"""The descent in NumPy, where compiling would take longer than the question; also used for evidence."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mere import compiled
from mere.indexes.composite.matches import TableMatch, Wanted, ranked, turns_of
from mere.indexes.composite.name_ranks import name_ranks
from mere.indexes.composite.plan import PATIENCE, STEP, WORK, Question
from mere.indexes.kind import Part
from mere.indexes.sets.comparing import common_places
from mere.store import offsets_of, places_of

COMPOSITE = compiled.Group(
    "composite", ("mere.indexes.composite.kernels", "mere.indexes.composite.descent"), compiling=12.0
)


class TookTooLong(Exception):
    """The search in NumPy has taken longer than loading the compiled kernels would have."""


class Candidate(NamedTuple):
    """A column that may stand for a level, with the codes and values that both have."""

    column: int
    codes: np.ndarray
    values: np.ndarray
    counts: np.ndarray  # rows of each code
    reach: int
    rank: int  # of its name (`name_ranks`)


class Agreeing(NamedTuple):
    """Rows that agree with some keys so far, and the node of the tree that each has reached."""

    rows: np.ndarray
    nodes: np.ndarray


class Descent:
    """One question in one segment."""

    def __init__(self, part: Part, question: Question, ids: np.ndarray, limit: int = WORK) -> None:
        self.part, self.segment, self.question = part, part.segment, question
        self.levels = len(question.levels)
        tree = question.tree
        self.known = []
        for level in range(self.levels):
            own = ids[tree.starts[level] : tree.starts[level + 1]]
            values = np.flatnonzero(own >= 0)
            self.known.append((own[values].astype(np.uint32), values))
        parents = np.repeat(np.arange(len(tree.values)), np.diff(tree.children)).astype(np.uint64)
        self.steps = parents << np.uint64(32) | tree.values[1:]
        self.work, self.limit, self.steps_done = 0, limit, 0
        self.limit_per_table, self.spent = limit, 0
        self.started = time.perf_counter()
        self.turns = turns_of(question)
        self.name_ranks = name_ranks(part, question)

    def weights(self, level: int) -> np.ndarray:
        starts = self.question.tree.starts
        return self.question.weights[starts[level] : starts[level + 1]]

    def column_bounds(self, may: np.ndarray) -> np.ndarray:
        starts, columns = self.part.arrays["list.starts"], self.part.arrays["list.columns"]
        bounds = np.zeros((self.levels, len(may)), np.int64)
        for level, (ids, values) in enumerate(self.known):
            begins = starts[ids].astype(np.int64)
            lengths = starts[ids + 1].astype(np.int64) - begins
            keys = np.repeat(self.weights(level)[values], lengths)
            bounds[level] = np.bincount(columns[places_of(begins, lengths)], keys, len(may)) * may
        return bounds

    def best_tables(self, wanted: Wanted) -> Iterator[TableMatch]:
        """The tables wanted."""
        k, floor = wanted.k, wanted.floor
        bounds = self.column_bounds(wanted.may)
        most = table_bounds(bounds, self.segment.first_column)
        top: list[int] = []
        for table in ranked(most, floor).tolist():
            need = max(floor, top[0]) if k and len(top) == k else floor
            if most[table] < need:
                return
            self.limit = self.limit_per_table
            if self.spent >= PATIENCE * self.limit_per_table:
                self.limit //= 4 * PATIENCE
            match = self.best_mapping(table, need, bounds)
            self.spent += self.work
            if match.score >= need:
                top = sorted([*top, match.score])[-k:] if k else []
            if match.score >= need or not match.sure:
                yield match

    def best_mapping(self, table: int, need: int, bounds: np.ndarray) -> TableMatch:
        span = self.segment.columns_of(table)
        candidates = [
            sorted(self._candidates(level, span, need, bounds), key=lambda c: (-c.reach, c.rank))
            for level in range(self.levels)
        ]
        self.best, self.work = 0, 0
        self.columns: tuple[int, ...] = ()
        self.ranks: tuple[int, ...] = ()
        if not all(candidates):
            return TableMatch(table, 0, True, ())
        self.least = [min(c.rank for c in of_level) for of_level in candidates]
        self._descend([], None, candidates, need)
        return TableMatch(table, self.best, self.work <= self.limit, self.columns)

    def _candidates(self, level: int, span: range, need: int, bounds: np.ndarray) -> Iterator[Candidate]:
        for column in span:
            if bounds[level, column] >= need:
                candidate = self.candidate(level, column)
                if candidate.reach >= need:
                    yield candidate

    def candidate(self, level: int, column: int) -> Candidate:
        ids, values = self.known[level]
        mine, theirs = common_places(ids, self.segment.set_of(column))
        counts = self.segment.counts_of(column)[theirs]
        reach = int(np.minimum(counts, self.weights(level)[values[mine]]).sum())
        return Candidate(column, theirs + 1, values[mine], counts, reach, int(self.name_ranks[level, column]))

    def _descend(
        self, chosen: list[Candidate], agreeing: Agreeing | None, candidates: list[list[Candidate]], need: int
    ) -> None:
        level = len(chosen)
        for candidate in candidates[level]:
            wanted = max(need, self.best)
            if candidate.reach < wanted or self.work > self.limit:
                return
            if any(candidate.column == above.column for above in chosen):
                continue
            mapped = [*chosen, candidate]
            after = self.enter(candidate) if agreeing is None else self.extend(candidate, agreeing)
            self.work += len(after.rows if agreeing is None else agreeing.rows)
            self._step()
            reach = self._reach(after)
            if reach < wanted or (reach == self.best and not self._comes_first(mapped)):
                continue
            if len(mapped) < self.levels:
                self._descend(mapped, after, candidates, need)
            else:
                self.best, self.columns = reach, tuple(mapped[level].column for level in self.turns)
                self.ranks = tuple(mapped[level].rank for level in self.turns)

    def _step(self) -> None:
        """Count one more step; give up where the kernels would have been loaded by now."""
        self.steps_done += 1
        self.work += STEP
        if self.steps_done % 64 == 0 and compiled.is_worth_loading(COMPOSITE, time.perf_counter() - self.started):
            raise TookTooLong

    def enter(self, candidate: Candidate) -> Agreeing:
        """The rows of a candidate for the first level."""
        firsts = offsets_of(self.segment.counts_of(candidate.column))[candidate.codes - 1]
        rows = order_of(self.part, candidate.column)[places_of(firsts, candidate.counts.astype(np.int64))]
        return Agreeing(rows, np.repeat(1 + candidate.values, candidate.counts))

    def extend(self, candidate: Candidate, agreeing: Agreeing) -> Agreeing:
        """The rows that still agree when the next level is mapped to a candidate."""
        lookup = np.full(len(self.segment.set_of(candidate.column)) + 1, -1)
        lookup[candidate.codes] = candidate.values
        value = lookup[self.segment.codes_of(candidate.column)[agreeing.rows]]
        known = np.flatnonzero(value >= 0)
        wanted = agreeing.nodes[known].astype(np.uint64) << np.uint64(32) | value[known].astype(np.uint64)
        place = np.searchsorted(self.steps, wanted)
        place[place == len(self.steps)] = 0
        agree = self.steps[place] == wanted
        return Agreeing(agreeing.rows[known[agree]], place[agree] + 1)

    def _reach(self, agreeing: Agreeing) -> int:
        nodes, rows = np.unique(agreeing.nodes, return_counts=True)
        return int(np.minimum(rows, self.question.tree.keys[nodes]).sum())

    def _comes_first(self, mapped: list[Candidate]) -> bool:
        """Whether the names of a mapping, as far as it is decided, can come before those of the best one."""
        least = [*(candidate.rank for candidate in mapped), *self.least[len(mapped) :]]
        return tuple(least[level] for level in self.turns) < self.ranks


def table_bounds(bounds: np.ndarray, first_columns: np.ndarray) -> np.ndarray:
    """The most keys that each table can hold: that of its best column for the level where this is least."""
    most = np.zeros(len(first_columns) - 1, np.int64)
    wide = np.flatnonzero(np.diff(first_columns))
    if wide.size:
        most[wide] = np.maximum.reduceat(bounds, first_columns[wide], axis=1).min(axis=0)
    return most


def order_of(part: Part, column: int) -> np.ndarray:
    """The rows of a column, nulls left out, in the order of their values."""
    starts, width = part.arrays["rows.starts"], int(part.arrays["rows.widths"][column])
    return part.arrays["rows.order"][starts[column] : starts[column + 1]].view(f"<u{width}")
