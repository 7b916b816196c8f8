"""What is a hit, and which of two hits is better?

The order is total: higher scores first, then the tie-break that the question chose, then the table's name, then its
columns.  So the best k of a union are the best k of the pieces' best k, ties included, and an answer does not depend
on how a lake is divided into segments.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


@dataclass(frozen=True)
class Hit:
    """One answer: table, column(s), score, exact or estimated, and the evidence."""

    table: str
    columns: tuple[str, ...]
    score: float
    exact: bool = True
    evidence: dict[str, Any] = field(default_factory=dict, compare=False)
    tie: tuple[float, ...] = ()  # among equal scores, the smaller one comes first

    @property
    def order(self) -> tuple[float, tuple[float, ...], str, tuple[str, ...]]:
        """The sort key; smaller is better."""
        return (-self.score, self.tie, self.table, self.columns)

    def to_dict(self) -> dict[str, Any]:
        return {
            "table": self.table,
            "columns": list(self.columns),
            "score": self.score,
            "exact": self.exact,
            "evidence": deepcopy(self.evidence),
        }

    def to_record(self) -> dict[str, Any]:
        """Everything, tie-break included, as JSON carries it between processes."""
        return {**self.to_dict(), "tie": list(self.tie)}

    @staticmethod
    def from_record(record: Mapping[str, Any]) -> Hit:
        return Hit(**{**record, "columns": tuple(record["columns"]), "tie": tuple(record["tie"])})

    def per_column(self) -> Iterator[Hit]:
        """The hit once for each of its columns; itself if it has at most one."""
        if len(self.columns) <= 1:
            yield self
        else:
            yield from (replace(self, columns=(column,)) for column in self.columns)


def best(hits: Iterable[Hit], k: int) -> list[Hit]:
    """The k best hits in order; all of them if k is 0."""
    return best_by(hits, k, lambda hit: hit)


def best_by(items: Iterable[T], k: int, hit_of: Callable[[T], Hit]) -> list[T]:
    """The k items with the best hits, in order; all of them if k is 0."""
    if k <= 0:
        return sorted(items, key=lambda item: hit_of(item).order)
    return heapq.nsmallest(k, items, key=lambda item: hit_of(item).order)


def first_best(scores: np.ndarray, sure: np.ndarray, k: int) -> np.ndarray:
    """The positions of the k best scores; among equal scores sure ones first, then lower positions; all if k is 0."""
    if not 0 < k < len(scores):
        return np.arange(len(scores))
    level = np.partition(scores, len(scores) - k)[len(scores) - k]
    better, equal = np.flatnonzero(scores > level), np.flatnonzero(scores == level)
    return np.concatenate([better, equal[sure[equal]], equal[~sure[equal]]])[:k]
