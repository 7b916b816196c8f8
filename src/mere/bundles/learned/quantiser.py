"""Which of 128 codes has a cell?

The learned estimator sees a cell as a code: 0 is null, 1 to 127 are buckets in the order of the values.  The buckets
are made of a sample of all tables of a question, so that a code means the same in each of them.

The paper leaves the quantiser open (IRIS, section 4.1.2: at most xi = 128 codes per column).  Here a code is a rank: a
value that is greater than a share p of the sample's cells has a code near 127 p.  A frequent value has an interval of
codes as long as its share; its cells have the code in the middle of it.  A range of values is the interval from the
first code of its lowest bucket to the last code of its highest.  Two columns of different tables then look alike to the
network if their cells are distributed alike over their ranks, whatever the unit, and the length of a range says which
share of the sample it has.

    values      a (60 %)   b (30 %)    c (10 %)
    interval    1 .. 76    77 .. 114   115 .. 127
    code        39         96          121

Up to 127 distinct values have a bucket each; more share buckets with their neighbours, and a range that ends inside a
bucket includes all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mere.bundles.relation import Column
from mere.values import Type

HIGHEST = 127
Range = tuple[int, int]  # the lowest and the highest code
EVERYTHING: Range = (0, HIGHEST)
NULLS: Range = (0, 0)
NOT_NULL: Range = (1, HIGHEST)


def sort_keys(column: Column, kind: Type) -> np.ndarray:
    """What the values of a column are ordered by: numbers, moments, or texts."""
    if kind is Type.DATETIME:
        return column.moments
    if kind.is_number:
        return column.numbers
    return np.array(column.compared.to_pylist(), object)


@dataclass(frozen=True, eq=False)
class Quantiser:
    """The buckets of a column: the lowest and highest value of each, its code, and its interval of codes."""

    lowest: np.ndarray
    highest: np.ndarray
    codes: np.ndarray  # uint8
    first: np.ndarray
    last: np.ndarray

    @property
    def orders_texts(self) -> bool:
        """Whether the values are ordered as texts; else as numbers or moments."""
        return self.lowest.dtype == object

    def code(self, keys: np.ndarray) -> np.ndarray:
        """The code of each key; 0 for keys without an order (NaN), and for all if the sample had no values."""
        codes = np.zeros(len(keys), np.uint8)
        if len(self.codes):
            known = _has_order(keys)
            bucket = np.searchsorted(self.highest, keys[known]).clip(max=len(self.codes) - 1)
            codes[known] = self.codes[bucket]
        return codes

    def code_rows(self, column: Column | None, kind: Type, rows: int) -> np.ndarray:
        """The code of each row of a column; a column that the table lacks is null."""
        if column is None:
            return np.zeros(rows, np.uint8)
        of_value = np.zeros(len(column.values) + 1, np.uint8)
        of_value[1:] = self.code(sort_keys(column, kind))
        return of_value[column.codes]

    def at_least(self, key: float | str, strictly: bool = False) -> Range | None:
        """The codes of values from `key` on; None if the sample has none."""
        bucket = int(np.searchsorted(self.highest, key, "right" if strictly else "left"))
        return None if bucket == len(self.codes) else (int(self.first[bucket]), HIGHEST)

    def at_most(self, key: float | str, strictly: bool = False) -> Range | None:
        """The codes of values up to `key`; None if the sample has none."""
        bucket = int(np.searchsorted(self.lowest, key, "left" if strictly else "right")) - 1
        return None if bucket < 0 else (1, int(self.last[bucket]))

    def intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """For every code the first and the last code of the interval it is in; 0 for null."""
        first, last = np.zeros(HIGHEST + 1, np.uint8), np.full(HIGHEST + 1, HIGHEST, np.uint8)
        last[0], first[1:] = 0, 1
        for low, high in zip(self.first, self.last, strict=True):
            first[low : high + 1], last[low : high + 1] = low, high
        return first, last


def intersection(these: Range | None, others: Range | None) -> Range | None:
    """The codes in both ranges; None if there are none."""
    if these is None or others is None:
        return None
    low, high = max(these[0], others[0]), min(these[1], others[1])
    return (low, high) if low <= high else None


def _has_order(keys: np.ndarray) -> np.ndarray:
    return np.ones(len(keys), bool) if keys.dtype == object else ~np.isnan(keys)


def fit_quantiser(keys: Sequence[np.ndarray], counts: Sequence[np.ndarray], kind: Type) -> Quantiser:
    """The buckets of a sample: the keys of the distinct values of each table, and how many rows have each."""
    values, weights = _pooled([np.empty(0, float if kind.has_order else object), *keys], [np.empty(0), *counts])
    if not len(values):
        empty = np.empty(0, np.uint8)
        return Quantiser(values, values, empty, empty, empty)
    above = np.cumsum(weights) / weights.sum()
    place = np.minimum(((above - weights / weights.sum() / 2) * HIGHEST).astype(np.int64), HIGHEST - 1)
    if len(values) <= HIGHEST:
        place = _apart(place)
    start = np.flatnonzero(np.diff(place, prepend=-1))  # of each bucket
    stop = np.append(start[1:], len(values)) - 1
    codes = place[start] + 1
    last = np.round(above[stop] * HIGHEST).astype(np.int64).clip(codes, np.append(codes[1:] - 1, HIGHEST))
    last[-1] = HIGHEST
    first = np.append(1, last[:-1] + 1)
    return Quantiser(values[start], values[stop], *(part.astype(np.uint8) for part in (codes, first, last)))


def _pooled(keys: Sequence[np.ndarray], counts: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The distinct keys of all tables, ascending, and how many rows have each; those of no row are left out."""
    joined, weights = np.concatenate(keys), np.concatenate(counts)
    used = _has_order(joined) & (weights > 0)
    values, place = np.unique(joined[used], return_inverse=True)
    return values, np.bincount(place, weights[used], minlength=len(values))


def _apart(place: np.ndarray) -> np.ndarray:
    """Ascending places, moved as little as needed for each to be different and none above the highest."""
    offset = np.arange(len(place))
    up = np.maximum.accumulate(place - offset) + offset
    return np.minimum(up, HIGHEST - len(place) + offset)
