"""How do histograms lie in a segment's file, so that a fraction and a number lead straight to the columns?

The probability axis is indexed, not the axis of values: fractions mean the same in every column, so nothing has to be
clustered or aligned.  For each **level** l of a grid, l / LEVELS of a column's rows are reached from below in some bin,
and from above in some bin; columns are ordered by the left edge of the one and by the right edge of the other.  Then
"at least l / LEVELS below r" is a search for r in one of these orders, and the answer is everything before it.

    hist.columns      u32: the column of each histogram, ascending
    hist.starts       where each one's bins start, and where the last one's end
    hist.edges        f64: one more than bins for each; those of histogram i start at hist.starts[i] + i
    hist.below        rows up to and with each bin
    level.below       u8 (LEVELS, histograms): the first bin, from below, with which the level is reached
    level.above       u8 (LEVELS, histograms): the same from above, counted from the histogram's first bin
    order.below       u32 (LEVELS, histograms): histograms in the order of the left edges of level.below
    mean.values       f64: the mean of each, its values taken as spread evenly in their bins
    mean.order        u32: histograms in the order of their means
    unknown.columns   u32: the columns, ascending, of which no histogram says how they are distributed (`unknown`)
    unknown.reasons   u8: and why
    order.above       u32 (LEVELS, histograms): in the order of the right edges of level.above, a last bin behind others
                      with the same edge: only it holds that edge
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mere.indexes.distribution.fainder import aligned
from mere.indexes.distribution.histograms import Histograms, histograms_of, strategy_of
from mere.indexes.distribution.unknown import unknown_arrays
from mere.indexes.kind import Arrays
from mere.segments import Segment
from mere.store import offsets_of, sums_of

BINS = "histogram_bins"  # the setting
USUAL = "equal-depth-16"
LEVELS = 20


def arrays_of(segment: Segment, trained: Arrays, settings: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Everything the kind keeps of a segment; the paper's index too, if the lake was trained for it."""
    arrays = indexed(histograms_of(segment, strategy_of(str(settings.get(BINS, USUAL)))))
    return {**arrays, **unknown_arrays(segment), **(aligned(arrays, trained) if trained else {})}


def indexed(found: Histograms) -> dict[str, np.ndarray]:
    """The arrays of some histograms."""
    rows, sizes = found.rows(), np.diff(found.starts)
    below = offsets_of(found.counts)[1:] - np.repeat(offsets_of(found.counts)[found.starts[:-1]], sizes)
    narrow = np.uint32 if rows.max(initial=0) < 1 << 32 else np.int64
    means = _means(found, rows)
    levels = [_level(found, rows, below, level) for level in range(1, LEVELS + 1)]
    shape = (LEVELS, len(found))
    return {
        "hist.columns": found.columns,
        "hist.starts": found.starts,
        "hist.edges": found.edges,
        "hist.below": below.astype(narrow),
        "mean.values": means,
        "mean.order": np.argsort(means, kind="stable").astype(np.uint32),
        "level.below": np.array([low for low, _, _, _ in levels], np.uint8).reshape(shape),
        "level.above": np.array([high for _, high, _, _ in levels], np.uint8).reshape(shape),
        "order.below": np.array([order for _, _, order, _ in levels], np.uint32).reshape(shape),
        "order.above": np.array([order for _, _, _, order in levels], np.uint32).reshape(shape),
    }


def _means(found: Histograms, rows: np.ndarray) -> np.ndarray:
    """Summed up one by one: no histogram's rounding may depend on its neighbours."""
    if len(found) == 0:
        return np.zeros(0)
    left = np.arange(len(found.counts)) + np.repeat(np.arange(len(found)), np.diff(found.starts))
    middles = found.edges[left] / 2 + found.edges[left + 1] / 2
    shares = found.counts / np.repeat(rows, np.diff(found.starts))
    return np.add.reduceat(shares * middles, found.starts[:-1])


def _level(found: Histograms, rows: np.ndarray, below: np.ndarray, level: int) -> tuple[np.ndarray, ...]:
    """The bins with which a level is reached from below and from above, and the orders of their edges."""
    starts, sizes, each = found.starts, np.diff(found.starts), np.arange(len(found))
    need = -(-level * rows // LEVELS)
    wanted = np.repeat(need, sizes)
    low = sums_of((below < wanted).astype(np.int64), starts)
    above = np.repeat(rows, sizes) - below + found.counts  # rows in this bin and behind it
    high = sums_of((above >= wanted).astype(np.int64), starts) - 1
    left, right = found.edges[starts[:-1] + each + low], found.edges[starts[:-1] + each + high + 1]
    last = high == sizes - 1
    return low, high, np.argsort(left, kind="stable"), np.lexsort((each, last, right))
