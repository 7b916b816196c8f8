"""Which sets are indexed together if all of them do not fit in memory?  (Section IV)

Sets whose vectors are distributed alike share good pivots.  A set's histogram counts its vectors in the cells of the
pivot space; sets are clustered as in k-means, with the Jensen-Shannon divergence instead of the distance.

    paper    here        meaning
    k        count       partitions
    t        ROUNDS      how often sets are assigned and centers computed
    A, B     histogram   shares of a set's vectors in each cell

Departs: the paper's formula is the symmetrised Kullback-Leibler divergence, infinite where one of two histograms is
empty; this is the true divergence, the mean of the divergences of both from their mean.  Steps 3 and 4 are repeated;
repeating step 2 as well, as printed, would discard the centers.  The first centers are chosen with a fixed seed, from
different histograms where possible.  An empty partition gets the set that fits its own partition worst.

Cost: rounds times partitions times the filled cells of all sets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.errors import UsageError
from mere.indexes.similar.pexeso.grid import cut, grid_of, leaf_starts
from mere.indexes.similar.pexeso.pivots import map_to_pivots, not_zero, pivots_of
from mere.indexes.similar.records import Lists, Vectors
from mere.store import places_of

ROUNDS = 10
BINS = 1024  # the histograms' cells are those of the finest level that has at most so many
DEEPEST = 4  # level
PIVOTS = 5


class Histograms(NamedTuple):
    """For each set the cells it has vectors in, and the share of its vectors in each."""

    sets: np.ndarray  # int64, ascending
    bins: np.ndarray  # int64
    shares: np.ndarray  # float64
    number: int  # of sets
    width: int  # bins


def partitions(vectors: Vectors, lists: Lists, sets: int, count: int) -> np.ndarray:
    """The partition of each of the `sets` sets, 0 to `count` - 1; none is empty if there are as many sets."""
    if count < 1:
        raise UsageError(f"the number of partitions is {count}", "give a number from 1")
    if count >= sets:
        return np.arange(sets)
    return clustered(histograms_of(vectors, lists, sets), count)


def histograms_of(vectors: Vectors, lists: Lists, sets: int) -> Histograms:
    """Where the vectors of each set are; vectors of zeros are not counted."""
    places = not_zero(vectors)
    bins, width = _bins(vectors, places)
    lengths = np.diff(lists.starts)[places]
    owners = lists.sets[places_of(lists.starts[places], lengths)].astype(np.int64)
    keys, counts = np.unique(owners * max(1, width) + np.repeat(bins, lengths), return_counts=True)
    own = keys // max(1, width)
    totals = np.bincount(own, counts, minlength=sets)
    return Histograms(own, keys % max(1, width), counts / totals[own], sets, width)


def _bins(vectors: Vectors, places: np.ndarray) -> tuple[np.ndarray, int]:
    """The cell of each of the vectors, and how many cells there are."""
    if len(places) == 0:
        return np.zeros(0, np.int64), 0
    mapped = map_to_pivots(vectors, places, vectors, pivots_of(vectors, places, PIVOTS))
    grid, order = grid_of(mapped, DEEPEST)
    depth = max([1, *np.flatnonzero(np.diff(grid.levels) <= BINS).tolist()])
    lengths = np.diff(leaf_starts(cut(grid, depth)))
    bins = np.empty(len(places), np.int64)
    bins[order] = np.repeat(np.arange(len(lengths)), lengths)
    return bins, len(lengths)


def clustered(histograms: Histograms, count: int) -> np.ndarray:
    """The cluster of each set, of so many; there are at least as many sets."""
    centers = _rows(histograms, _first_centers(histograms, count))
    owners = np.zeros(histograms.number, np.int64)
    for _ in range(ROUNDS):
        away = np.stack([divergences(histograms, center) for center in centers])
        before, owners = owners, _filled(away.argmin(axis=0), away, count)
        if (owners == before).all():
            break
        centers = _means(histograms, owners, count)
    return owners


def divergences(histograms: Histograms, center: np.ndarray) -> np.ndarray:
    """The Jensen-Shannon divergence of each set's histogram from a center, in nats.

    Where a set has nothing, the center's share b contributes b/2 log 2; so only the filled cells of sets are visited.
    """
    a, b = histograms.shares, center[histograms.bins]
    both = a + b
    filled = a * np.log(2 * a / both) + b * np.log(np.where(b > 0, 2 * b / both, 1.0)) - b * np.log(2.0)
    return (np.bincount(histograms.sets, filled, minlength=histograms.number) + center.sum() * np.log(2.0)) / 2


def _first_centers(histograms: Histograms, count: int) -> np.ndarray:
    """Sets chosen at random, with different histograms while there are such."""
    shuffled = np.random.default_rng(0).permutation(histograms.number)
    signatures = _signatures(histograms)[shuffled]
    first = np.zeros(len(shuffled), bool)
    first[np.unique(signatures, return_index=True)[1]] = True
    return np.concatenate([shuffled[first], shuffled[~first]])[:count]


def _signatures(histograms: Histograms) -> np.ndarray:
    """A number per histogram, the same for equal ones."""
    weights = np.random.default_rng(1).random(histograms.width)
    return np.bincount(histograms.sets, histograms.shares * weights[histograms.bins], minlength=histograms.number)


def _rows(histograms: Histograms, chosen: np.ndarray) -> np.ndarray:
    """The histograms of some sets, cell by cell."""
    ends = np.searchsorted(histograms.sets, chosen, side="right")
    begins = np.searchsorted(histograms.sets, chosen)
    rows, entries = np.zeros((len(chosen), histograms.width)), places_of(begins, ends - begins)
    rows[np.repeat(np.arange(len(chosen)), ends - begins), histograms.bins[entries]] = histograms.shares[entries]
    return rows


def _means(histograms: Histograms, owners: np.ndarray, count: int) -> np.ndarray:
    """The mean histogram of each cluster; no cluster is empty."""
    keys = owners[histograms.sets] * histograms.width + histograms.bins
    sums = np.bincount(keys, histograms.shares, minlength=count * histograms.width)
    return sums.reshape(count, histograms.width) / np.bincount(owners, minlength=count)[:, None]


def _filled(owners: np.ndarray, away: np.ndarray, count: int) -> np.ndarray:
    """The same clusters, but the sets that are farthest from their centers move to the empty ones."""
    sizes = np.bincount(owners, minlength=count)
    by_fit = iter(np.argsort(-away[owners, np.arange(len(owners))], kind="stable").tolist())
    for empty in np.flatnonzero(sizes == 0).tolist():
        moved = next(own for own in by_fit if sizes[owners[own]] > 1)
        sizes[owners[moved]] -= 1
        owners[moved], sizes[empty] = empty, 1
    return owners
