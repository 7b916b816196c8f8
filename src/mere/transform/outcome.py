"""What came out of matching two tables: the rules, the pairs of rows, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from mere.transform.program import Cell, Program

Columns = Mapping[str, Sequence[Cell]]  # a table: the texts of every column, by its name; all of one length
Direction = Literal["left to right", "right to left"]


@dataclass(frozen=True)
class Rule:
    """A program over one table (the source) whose outputs are looked up among the keys of the other (the target)."""

    direction: Direction  # left to right: the program reads the left table
    program: Program
    key: Program  # of the target: a whole column, or the part of a composite column that is its key
    pairs: int = 0  # pairs of rows that this rule made


class Conflict(NamedTuple):
    """A row for which the rules found several partners of the other table that are not equal."""

    side: Literal["left", "right"]
    row: int
    partners: tuple[int, ...]
    taken: tuple[int, ...]  # the partners that were taken


@dataclass(frozen=True)
class Options:
    """What one may set; the same for every pair of tables."""

    seconds: float = 120.0  # time limit: what has been found until then is the answer, with a note
    most_programs: int = 10  # in all
    fuzzy: bool = True  # match rows that are left over by similarity
    accidents: bool = False  # also accept a join that looks like an accident
    many_to_many: bool = False  # also accept a join of which neither side is a key, with a note
    seed: int = 0  # of the samples


@dataclass(frozen=True)
class Outcome:
    """Pairs of rows: `left_rows[i]` and `right_rows[i]`, made by `rules[rule[i]]`, or fuzzy where that is -1."""

    left_rows: np.ndarray
    right_rows: np.ndarray
    rule: np.ndarray  # -1: by similarity
    score: np.ndarray  # 1 for a program, the similarity for a fuzzy match
    rules: tuple[Rule, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    refused: str | None = None  # why there is no join
    notes: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)  # per stage

    @classmethod
    def refusal(cls, reason: str, notes: Sequence[str] = (), seconds: Mapping[str, float] | None = None) -> Outcome:
        """No join, with the reason."""
        none = np.empty(0, np.int64)
        return cls(none, none, none, np.empty(0), refused=reason, notes=tuple(notes), seconds=seconds or {})
