"""What is wanted of a segment, and what comes back: tables, each with its best mapping of columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mere.indexes.composite.plan import Question


class Wanted(NamedTuple):
    """Which tables are wanted."""

    may: np.ndarray  # bool per column: whether it may answer
    k: int  # only those that may be among the best k; 0 for all
    floor: int  # only those with as many keys


class TableMatch(NamedTuple):
    """A table's best mapping."""

    table: int
    score: int  # keys
    sure: bool  # whether the score is exact, or a lower bound
    columns: tuple[int, ...]  # the table's column for each of the question's


def matches_in(answers: Any) -> Iterator[TableMatch]:
    """The tables that a kernel wrote down, as arrays of tables, scores, whether they are certain, and columns."""
    for table, score, sure, columns in zip(*(array.tolist() for array in answers), strict=True):
        yield TableMatch(table, score, sure, tuple(columns))


def ranked(most: np.ndarray, floor: int) -> np.ndarray:
    """The tables that can hold as many keys as the floor; those that can hold the most first."""
    possible = np.flatnonzero(most >= floor)
    return possible[np.argsort(-most[possible].astype(np.int64), kind="stable")]


def turns_of(question: Question) -> list[int]:
    """The level of each of the question's columns."""
    return [question.levels.index(place) for place in range(len(question.levels))]
