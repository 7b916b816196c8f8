"""The descent in NumPy: the twin of the compiled one, where compiling does not pay; and for evidence."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mere.indexes.composite.question import PATIENCE, STEP, WORK, Question
from mere.indexes.kind import Part
from mere.indexes.sets.evidence import common_places
from mere.store import compiled, offsets_of, places_of


class Overtime(Exception):
    """The twin has taken longer than loading the kernels would have."""


class Candidate(NamedTuple):
    """A column that may stand for a level, with the codes and values that both have."""

    column: int
    codes: np.ndarray
    values: np.ndarray
    counts: np.ndarray  # rows of each code
    reach: int


class Agreeing(NamedTuple):
    """Rows that agree with some keys so far, and the nodes of the tree that they have come to."""

    rows: np.ndarray
    nodes: np.ndarray


class Found(NamedTuple):
    """A table's best mapping: how many keys, whether surely, and the column for each of the question's."""

    table: int
    score: int
    sure: bool
    columns: tuple[int, ...]


class Descent:
    """One question in one segment."""

    def __init__(self, part: Part, question: Question, ids: np.ndarray, limit: int = WORK) -> None:
        self.part, self.segment, self.question = part, part.segment, question
        self.levels = len(question.levels)
        tree = question.tree
        self.known = []
        for level in range(self.levels):
            own = ids[tree.starts[level] : tree.starts[level + 1]]
            held = np.flatnonzero(own >= 0)
            self.known.append((own[held].astype(np.uint32), held))
        parents = np.repeat(np.arange(len(tree.values)), np.diff(tree.children)).astype(np.uint64)
        self.steps = parents << np.uint64(32) | tree.values[1:]
        self.work, self.limit, self.taken = 0, limit, 0
        self.whole, self.spent = limit, 0
        self.late = time.perf_counter() + compiled.price()
        self.turns = turns_of(question)

    def weights(self, level: int) -> np.ndarray:
        starts = self.question.tree.starts
        return self.question.weights[starts[level] : starts[level + 1]]

    def column_bounds(self, may: np.ndarray) -> np.ndarray:
        starts, columns = self.part.arrays["list.starts"], self.part.arrays["list.columns"]
        bounds = np.zeros((self.levels, len(may)), np.int64)
        for level, (ids, held) in enumerate(self.known):
            begins = starts[ids].astype(np.int64)
            lengths = starts[ids + 1].astype(np.int64) - begins
            keys = np.repeat(self.weights(level)[held], lengths)
            bounds[level] = np.bincount(columns[places_of(begins, lengths)], keys, len(may)) * may
        return bounds

    def best_tables(self, may: np.ndarray, k: int, floor: int) -> Iterator[Found]:
        """The tables that may be among the best k (0: all) that reach the floor."""
        bounds = self.column_bounds(may)
        most = table_bounds(bounds, self.segment.first_column)
        top: list[int] = []
        for table in ranked(most, floor).tolist():
            need = max(floor, top[0]) if k and len(top) == k else floor
            if most[table] < need:
                return
            self.limit = self.whole if self.spent < PATIENCE * self.whole else self.whole // (4 * PATIENCE)
            found = self.best_mapping(table, need, bounds)
            self.spent += self.work
            if found.score >= need:
                top = sorted([*top, found.score])[-k:] if k else []
            if found.score >= need or not found.sure:
                yield found

    def best_mapping(self, table: int, need: int, bounds: np.ndarray) -> Found:
        span = self.segment.columns_of(table)
        candidates = [
            sorted(self._candidates(level, span, need, bounds), key=lambda one: (-one.reach, self._rank(one.column)))
            for level in range(self.levels)
        ]
        self.best, self.work = 0, 0
        self.columns: tuple[int, ...] = ()
        self.ranks: tuple[int, ...] = ()
        if not all(candidates):
            return Found(table, 0, True, ())
        self.least = [min(self._rank(one.column) for one in several) for several in candidates]
        self._descend([], None, candidates, need)
        return Found(table, self.best, self.work <= self.limit, self.columns)

    def _candidates(self, level: int, span: range, need: int, bounds: np.ndarray) -> Iterator[Candidate]:
        for column in span:
            if bounds[level, column] >= need:
                candidate = self.candidate(level, column)
                if candidate.reach >= need:
                    yield candidate

    def candidate(self, level: int, column: int) -> Candidate:
        ids, held = self.known[level]
        mine, theirs = common_places(ids, self.segment.set_of(column))
        counts = self.segment.counts_of(column)[theirs]
        reach = int(np.minimum(counts, self.weights(level)[held[mine]]).sum())
        return Candidate(column, theirs + 1, held[mine], counts, reach)

    def _descend(
        self, chosen: list[int], agreeing: Agreeing | None, candidates: list[list[Candidate]], need: int
    ) -> None:
        level = len(chosen)
        for candidate in candidates[level]:
            wanted = max(need, self.best)
            if candidate.reach < wanted or self.work > self.limit:
                return
            if candidate.column in chosen:
                continue
            mapped = [*chosen, candidate.column]
            after = self.enter(candidate) if agreeing is None else self.extend(candidate, agreeing)
            self.work += len(after.rows if agreeing is None else agreeing.rows)
            self._step()
            reach = self._reach(after)
            if reach < wanted or (reach == self.best and not self._comes_first(mapped)):
                continue
            if len(mapped) < self.levels:
                self._descend(mapped, after, candidates, need)
            else:
                self.best, self.columns = reach, tuple(mapped[level] for level in self.turns)
                self.ranks = tuple(self._rank(column) for column in self.columns)

    def _step(self) -> None:
        """One more step; where the kernels would have been loaded and done by now, this is the wrong way."""
        self.taken += 1
        self.work += STEP
        if self.taken % 64 == 0 and time.perf_counter() > self.late:
            raise Overtime

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
        held = np.flatnonzero(value >= 0)
        wanted = agreeing.nodes[held].astype(np.uint64) << np.uint64(32) | value[held].astype(np.uint64)
        place = np.searchsorted(self.steps, wanted)
        place[place == len(self.steps)] = 0
        agree = self.steps[place] == wanted
        return Agreeing(agreeing.rows[held[agree]], place[agree] + 1)

    def _reach(self, agreeing: Agreeing) -> int:
        nodes, rows = np.unique(agreeing.nodes, return_counts=True)
        return int(np.minimum(rows, self.question.tree.keys[nodes]).sum())

    def _rank(self, column: int) -> int:
        return int(self.part.arrays["column.ranks"][column])

    def _comes_first(self, mapped: list[int]) -> bool:
        """Whether the names of a mapping, as far as it is decided, can come before those of the best."""
        least = [*(self._rank(column) for column in mapped), *self.least[len(mapped) :]]
        return tuple(least[level] for level in self.turns) < self.ranks


def table_bounds(bounds: np.ndarray, first_columns: np.ndarray) -> np.ndarray:
    """How many keys a table can hold at most: each level has its column, and the poorest level decides."""
    most = np.zeros(len(first_columns) - 1, np.int64)
    wide = np.flatnonzero(np.diff(first_columns))
    if wide.size:
        most[wide] = np.maximum.reduceat(bounds, first_columns[wide], axis=1).min(axis=0)
    return most


def ranked(most: np.ndarray, floor: int) -> np.ndarray:
    """The tables that can reach the floor, the most promising first."""
    hopeful = np.flatnonzero(most >= floor)
    return hopeful[np.argsort(-most[hopeful].astype(np.int64), kind="stable")]


def turns_of(question: Question) -> list[int]:
    """The level of each of the question's columns."""
    return [question.levels.index(place) for place in range(len(question.levels))]


def order_of(part: Part, column: int) -> np.ndarray:
    """The rows of a column, nulls left out, in the order of their values."""
    starts, width = part.arrays["rows.starts"], int(part.arrays["rows.widths"][column])
    return part.arrays["rows.order"][starts[column] : starts[column + 1]].view(f"<u{width}")
