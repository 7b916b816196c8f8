"""How many distinct rows do some of the tables hold together?

Items stand for rows: a signature with its count where rows were counted, a sampled row where they are estimated.  An
item of a sample counts as many rows as the sample of its table says (`weights`), and if several tables hold it, the
smallest of their weights counts: the table with the largest threshold has it whenever one of the others has it.

    value(S) = sum over items held by a table of S of  count * min weight of the tables of S that hold it

Table 0 is the base; it belongs to every S.  With equal weights `value` is monotone and submodular.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mere.bundles.problem import Signatures
from mere.store import offsets_of


@dataclass(frozen=True, eq=False)
class Coverage:
    """Which items each table holds: those of table t are items[starts[t]:starts[t + 1]]."""

    starts: np.ndarray
    items: np.ndarray
    counts: np.ndarray  # of rows, per item
    weights: np.ndarray  # per table

    @property
    def tables(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def equal_weights(self) -> bool:
        return bool((self.weights == self.weights[0]).all())

    def of(self, table: int) -> np.ndarray:
        """The items of a table."""
        return self.items[self.starts[table] : self.starts[table + 1]]

    def nothing(self) -> np.ndarray:
        """The weight of every item if no table is taken, not even the base: infinite, for not held."""
        return np.full(len(self.counts), np.inf)

    def added(self, held: np.ndarray, table: int) -> float:
        """How many rows a table adds to those that are held."""
        mine = self.of(table)
        before = held[mine]
        after = np.minimum(before, self.weights[table])
        before = np.where(np.isinf(before), 0.0, before)
        return float((self.counts[mine] * (after - before)).sum())  # no dot product: BLAS starts threads for it

    def add(self, held: np.ndarray, table: int) -> None:
        """Take a table: changes `held`."""
        mine = self.of(table)
        held[mine] = np.minimum(held[mine], self.weights[table])

    def held_by(self, tables: Iterable[int]) -> np.ndarray:
        """The weight of every item if these tables are taken."""
        held = self.nothing()
        for table in tables:
            self.add(held, table)
        return held

    def only(self, tables: Sequence[int]) -> Coverage:
        """The same items with the base and only these of the offered tables, which are numbered anew from 1."""
        lists = [self.of(table) for table in (0, *tables)]
        starts = offsets_of(np.array([len(items) for items in lists], np.int64))
        return Coverage(starts, np.concatenate(lists), self.counts, self.weights[[0, *tables]])

    def value(self, held: np.ndarray) -> float:
        """How many rows are held."""
        taken = np.flatnonzero(np.isfinite(held))
        return float((self.counts[taken] * held[taken]).sum())


def coverage_of_signatures(signatures: Signatures) -> Coverage:
    """Each signature is an item: exact counts."""
    lists = []
    for table in range(signatures.tables):
        word, bit = divmod(table, 64)
        lists.append(np.flatnonzero(signatures.masks[:, word] >> np.uint64(bit) & np.uint64(1)))
    starts = offsets_of(np.array([len(items) for items in lists], np.int64))
    return Coverage(starts, np.concatenate(lists), signatures.counts.astype(np.float64), np.ones(signatures.tables))


def coverage_of_hashes(hashes: list[np.ndarray], weights: np.ndarray) -> Coverage:
    """Each distinct hash is an item: `hashes` has those of each table, without repetition."""
    starts = offsets_of(np.array([len(each) for each in hashes], np.int64))
    known, items = np.unique(np.concatenate(hashes), return_inverse=True)
    return Coverage(starts, items, np.ones(len(known)), weights)
