"""How many distinct rows do some of the tables hold together?

Items stand for rows: a signature with its count where rows were counted, a sampled row where they are estimated.  An
item counts as many rows as a sampled row of one table stands for: of the table with the smallest rank among those that
are taken and hold it.  Tables of which all rows are known have rank 0 and count rows as they are.

    value(S) = sum over items that a table of S holds of  count * weight of the smallest rank in S that holds it

Table 0 is the base; it belongs to every S.  If all tables have the same rank, `value` is monotone and submodular.
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
    """Which items each table holds: those of table t are items[starts[t]:starts[t + 1]], each once."""

    starts: np.ndarray
    items: np.ndarray
    counts: np.ndarray  # of rows, per item
    ranks: np.ndarray  # per table
    weights: np.ndarray  # per rank

    @property
    def tables(self) -> int:
        return len(self.starts) - 1

    @property
    def one_rank(self) -> bool:
        return bool((self.ranks == self.ranks[0]).all())

    @cached_property
    def _weights(self) -> np.ndarray:
        """The weights, and 0 for an item that is not held."""
        return np.append(self.weights, 0.0)

    def of(self, table: int) -> np.ndarray:
        """The items of a table."""
        return self.items[self.starts[table] : self.starts[table + 1]]

    def added(self, held: np.ndarray, table: int) -> float:
        """How many rows a table adds to those that are held."""
        mine = self.of(table)
        before = held[mine]
        after = np.minimum(before, self.ranks[table])
        return float((self.counts[mine] * (self._weights[after] - self._weights[before])).sum())

    def add(self, held: np.ndarray, table: int) -> None:
        """Take a table: changes `held`."""
        mine = self.of(table)
        held[mine] = np.minimum(held[mine], self.ranks[table])

    def held_by(self, tables: Iterable[int]) -> np.ndarray:
        """The smallest rank of these tables that holds each item; the number of ranks if none does."""
        held = np.full(len(self.counts), len(self.weights), np.int32)
        for table in tables:
            self.add(held, table)
        return held

    def only(self, tables: Sequence[int]) -> Coverage:
        """The same items with the base and only these of the offered tables, which are numbered anew from 1."""
        lists = [self.of(table) for table in (0, *tables)]
        starts = offsets_of(np.array([len(items) for items in lists], np.int64))
        return Coverage(starts, np.concatenate(lists), self.counts, self.ranks[[0, *tables]], self.weights)

    def value(self, held: np.ndarray) -> float:
        """How many rows are held."""
        return float((self.counts * self._weights[held]).sum())


def coverage_of_signatures(signatures: Signatures) -> Coverage:
    """Each signature is an item: exact counts."""
    lists = []
    for table in range(signatures.tables):
        word, bit = divmod(table, 64)
        lists.append(np.flatnonzero(signatures.masks[:, word] >> np.uint64(bit) & np.uint64(1)))
    return exact_coverage(lists, signatures.counts.astype(np.float64))


def exact_coverage(lists: Sequence[np.ndarray], counts: np.ndarray) -> Coverage:
    """The coverage of tables whose items are all known."""
    starts = offsets_of(np.array([len(items) for items in lists], np.int64))
    return Coverage(starts, np.concatenate(lists), counts, np.zeros(len(lists), np.int32), np.ones(1))
