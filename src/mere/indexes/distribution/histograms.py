"""How is a column of numbers or moments summarised in a few bins?

A histogram is a list of edges, ascending, and a whole number of rows between each two.  A bin holds its left edge and
not its right one; the last bin holds both.  A column with one value has one bin of no width.

    equal-depth-N     about as many rows in every bin; edges are values of the column, so the rows below any number are
                      known to within about 1/N.  A value with enough rows for a bin has its own, which ends right
                      after it: a column of few values is known exactly
    equal-width-N     bins of one width, from the smallest value to the largest, as most publishers have them

Counts are those of distinct values, which the pipeline has added up over all parts of a table before: however many
tasks read a column, its histogram is the same.  Nulls, and cells that are not numbers in a column of numbers, are left
out: fractions are of the others.  Infinities count as the largest numbers there are.

Where the rows of a table stay with their owner, its histograms are the published ones, bin by bin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from mere.errors import UsageError
from mere.segments import Segment, Table, axis_values, histograms_in
from mere.segments.axis import numbers_of
from mere.store import offsets_of, places_of, sums_of
from mere.values import DAY_FIRST, Type, parse_dates

WAYS = ("equal-depth", "equal-width")
MOST_BINS = 80  # each may bring one for a frequent value, and one behind it: a bin's number fits in a byte


class Strategy(NamedTuple):
    """How bins are cut, and how many at most."""

    way: str
    bins: int


@dataclass(frozen=True, eq=False)
class Histograms:
    """Many of them, flat: histogram i has bins starts[i] to starts[i + 1], and one edge more than bins."""

    columns: np.ndarray  # uint32: the column of each
    starts: np.ndarray  # int64, histograms + 1: of the bins
    counts: np.ndarray  # int64 per bin
    edges: np.ndarray  # float64: those of histogram i begin at starts[i] + i

    def __len__(self) -> int:
        return len(self.columns)

    def rows(self) -> np.ndarray:
        """How many values each sums up."""
        return sums_of(self.counts, self.starts)


def strategy_of(setting: str) -> Strategy:
    """What a setting says.

    >>> strategy_of("equal-depth-16")
    Strategy(way='equal-depth', bins=16)
    """
    way, _, bins = setting.rpartition("-")
    if way not in WAYS or not (bins.isascii() and bins.isdigit()) or not 1 <= int(bins) <= MOST_BINS:
        remedy = f"write {' or '.join(f'{way}-N' for way in WAYS)}, N from 1 to {MOST_BINS}"
        raise UsageError(f"unknown way to cut bins: '{setting}'", remedy)
    return Strategy(way, int(bins))


def histograms_of(segment: Segment, strategy: Strategy) -> Histograms:
    """The histogram of every column that has an axis and a value on it."""
    columns, numbers, counts = axis_values(segment)
    return _merged(summed_up(columns, numbers, counts, strategy), _published(segment))


def _published(segment: Segment) -> Histograms:
    """The histograms that came without values, columns ascending."""
    return _flat(
        [
            (segment.columns_of(table).start + place, edges, counts)
            for table in np.flatnonzero(segment.profile_only).tolist()
            for place, edges, counts in histograms_in(segment.facts(table).published)
        ]
    )


def _flat(histograms: Sequence[tuple[int, list[float], list[int]]]) -> Histograms:
    """Histograms given as (column, edges, rows)."""
    columns, edges, counts = zip(*histograms, strict=True) if histograms else ((), (), ())
    return Histograms(
        np.array(columns, np.uint32),
        offsets_of(np.array([len(of_bins) for of_bins in counts], np.int64)),
        np.array([count for of_bins in counts for count in of_bins], np.int64),
        np.array([edge for of_bins in edges for edge in of_bins], np.float64),
    )


def histograms_of_table(table: Table, strategy: Strategy) -> Histograms:
    """The same of a table that is not in a segment."""
    if table.facts.published:
        return _flat(list(histograms_in(table.facts.published)))
    types, starts = np.array(table.columns.types), table.sets.starts
    owners, values = np.repeat(np.arange(len(types)), np.diff(starts)), table.sets.values
    numbers = np.full(len(owners), np.nan)
    numeric = np.flatnonzero(np.isin(types, (Type.INTEGER, Type.DECIMAL))[owners])
    dated = np.flatnonzero((types == Type.DATETIME)[owners])
    numbers[numeric] = numbers_of(values.take(numeric).to_arrow())
    day_first = table.facts.numbers.get("dates") == DAY_FIRST
    numbers[dated] = parse_dates(values.take(dated).to_arrow(), owners[dated], day_first)
    valid = np.flatnonzero(np.isfinite(numbers))
    return summed_up(owners[valid], numbers[valid], table.sets.counts.astype(np.int64)[valid], strategy)


def _merged(one: Histograms, other: Histograms) -> Histograms:
    """The histograms of both, columns ascending; no column has one in each."""
    if len(other) == 0:
        return one
    columns = np.concatenate([one.columns, other.columns])
    order = np.argsort(columns, kind="stable")
    sizes = np.concatenate([np.diff(one.starts), np.diff(other.starts)])
    first_bins = np.concatenate([one.starts[:-1], len(one.counts) + other.starts[:-1]])
    first_edges = first_bins + np.arange(len(columns))
    bins, edges = places_of(first_bins[order], sizes[order]), places_of(first_edges[order], sizes[order] + 1)
    counts, every_edge = (np.concatenate(pair) for pair in ((one.counts, other.counts), (one.edges, other.edges)))
    return Histograms(columns[order], offsets_of(sizes[order]), counts[bins], every_edge[edges])


def summed_up(columns: np.ndarray, numbers: np.ndarray, counts: np.ndarray, strategy: Strategy) -> Histograms:
    """The histograms of columns given as (column, finite number, rows), columns ascending."""
    order = _by_number(columns, numbers)
    columns, numbers, counts = columns[order], numbers[order] + 0.0, counts[order]  # -0.0 becomes 0.0
    fresh = np.append(True, (columns[1:] != columns[:-1]) | (numbers[1:] != numbers[:-1]))[: len(columns)]
    places = np.flatnonzero(fresh)  # values that differ in their spelling may be one number
    columns, numbers = columns[places], numbers[places]
    counts = np.add.reduceat(counts, places) if len(places) else counts
    owners, firsts = np.unique(columns, return_index=True)
    edges = np.append(firsts, len(columns)).astype(np.int64)
    cut = _by_depth if strategy.way == "equal-depth" else _by_width
    return cut(owners.astype(np.uint32), edges, numbers, counts, strategy.bins)


def _by_number(columns: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The order of columns, which ascend, and numbers, equal ones in any: many small sorts are faster than one."""
    order = np.arange(len(columns))
    edges = np.flatnonzero(columns[1:] != columns[:-1]) + 1
    for start, end in pairwise([0, *edges.tolist(), len(columns)]):
        order[start:end] = start + numbers[start:end].argsort()
    return order


def _by_depth(owners: np.ndarray, spans: np.ndarray, numbers: np.ndarray, counts: np.ndarray, bins: int) -> Histograms:
    sizes = np.diff(spans)
    total = np.repeat(sums_of(counts, spans), sizes)
    before = offsets_of(counts)[:-1]
    before = before - np.repeat(before[spans[:-1]], sizes)
    depth = before * bins // np.maximum(total, 1)
    first = np.zeros(len(numbers), bool)
    first[spans[:-1]] = True
    deeper = np.append(True, depth[1:] != depth[:-1])
    frequent = counts * bins >= total
    starts = first | deeper | frequent
    places = np.flatnonzero(starts)
    owner = np.repeat(np.arange(len(sizes)), sums_of(starts.astype(np.int64), spans))
    alone = frequent[places] & (places < spans[owner + 1] - 1)  # the bin after them, up to the next value, is empty
    summed = np.add.reduceat(counts, places) if len(places) else np.zeros(0, np.int64)
    copies = 1 + alone
    second = np.zeros(int(copies.sum()), bool)
    second[np.cumsum(copies)[alone] - 1] = True
    lefts = np.repeat(numbers[places], copies)
    lefts[second] = np.nextafter(lefts[second], np.inf)
    bin_starts = offsets_of(np.bincount(owner, copies, len(sizes)).astype(np.int64))
    edges = np.empty(len(lefts) + len(sizes))
    edges[np.arange(len(lefts)) + np.repeat(owner, copies)] = lefts
    edges[bin_starts[1:] + np.arange(len(sizes))] = numbers[spans[1:] - 1]
    return Histograms(owners, bin_starts, np.where(second, 0, np.repeat(summed, copies)), edges)


def _by_width(owners: np.ndarray, spans: np.ndarray, numbers: np.ndarray, counts: np.ndarray, bins: int) -> Histograms:
    sizes, low, high = np.diff(spans), numbers[spans[:-1]], numbers[spans[1:] - 1]
    shares = np.arange(bins + 1) / bins
    edges = low[:, None] * (1 - shares) + high[:, None] * shares  # no overflow, whatever the range
    edges = np.maximum.accumulate(np.clip(edges, low[:, None], high[:, None]), axis=1)
    edges[:, -1] = high
    wide = np.where(low < high, bins, 1)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    place = np.zeros(len(numbers), np.int64)
    for edge in range(1, bins):
        place += numbers >= edges[owner, edge]
    place = np.where(wide[owner] == 1, 0, place)
    starts = offsets_of(wide)
    summed = np.bincount(starts[owner] + place, counts, int(starts[-1])).astype(np.int64)
    kept = np.zeros(edges.shape, bool)
    kept[:, 0] = kept[:, -1] = True
    kept[wide > 1] = True
    return Histograms(owners, starts, summed, edges[kept])
