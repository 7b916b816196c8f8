"""Compiled: what `likeness` does in NumPy.  Importing this imports Numba."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.compiled.jit import fetch, helper, kernel
from mere.indexes.distribution.kernels import edges_below
from mere.indexes.distribution.likeness import SLACK
from mere.indexes.distribution.records import Bins, Line, Means

_AHEAD = 8  # histograms whose memory is fetched before they are looked at


class Best(NamedTuple):
    """The k nearest owners so far, and how near they are."""

    owners: np.ndarray
    areas: np.ndarray


@helper(inlined=True)
def area(shape, which, bins, most):
    """The area between the curves of a shape and of a histogram; once it is more than `most`, the part of it so far.

    `likeness.distance`, operation by operation: the same number, bit by bit.
    """
    line, up_to, edges, below = shape.edges, shape.up_to, bins.edges, bins.below
    first, size = bins.starts[which], bins.starts[which + 1] - bins.starts[which]
    left, rows = first + which, np.float64(below[first + size - 1])
    total, place = 0.0, min(line[0], edges[left])
    a, b = 0, 0  # edges that lie behind
    mine, mine_from, mine_by, its, its_from, its_by = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    while True:
        while a < len(line) and line[a] <= place:
            mine = mine_from = up_to[a]
            a += 1
            mine_by = up_to[a] - mine if a < len(line) else 0.0
        while b <= size and edges[left + b] <= place:
            its = its_from = 0.0 if b == 0 else below[first + b - 1] / rows
            b += 1
            its_by = below[first + b - 1] / rows - its if b <= size else 0.0
        if a == len(line) and b > size:
            return total
        mine_next = line[a] if a < len(line) else np.inf
        its_next = edges[left + b] if b <= size else np.inf
        end = min(mine_next, its_next)
        after = mine - its
        if 0 < a < len(line):
            part = 1.0 if mine_next == end else (end - line[a - 1]) / (mine_next - line[a - 1])
            mine = mine_from + part * mine_by
        if 0 < b <= size:
            part = 1.0 if its_next == end else (end - edges[left + b - 1]) / (its_next - edges[left + b - 1])
            its = its_from + part * its_by
        before = mine - its
        both = abs(after) + abs(before)
        height = (after * after + before * before) / (2 * both) if after * before < 0 else both / 2
        total += (end - place) * height
        if total > most:
            return total
        place = end


@helper(allocates=True)
def tails(line, up_to):
    """The areas below a curve, up to each of its edges, and above it, from each edge on."""
    low, high = np.zeros(len(line)), np.zeros(len(line))
    for i in range(1, len(line)):
        low[i] = low[i - 1] + (line[i] - line[i - 1]) * (up_to[i - 1] + up_to[i]) / 2
    for i in range(len(line) - 2, -1, -1):
        high[i] = high[i + 1] + (line[i + 1] - line[i]) * (2 - up_to[i] - up_to[i + 1]) / 2
    return low, high


@helper(inlined=True)
def outside(which, bins, line, low_tails, high_tails):
    """The area between a curve and that of a histogram where the histogram has nothing."""
    first, last = bins.edges[bins.starts[which] + which], bins.edges[bins.starts[which + 1] + which]
    begin = edges_below(line, 0, len(line), first, True)
    end = edges_below(line, 0, len(line), last, False)
    return (low_tails[begin - 1] if begin else 0.0) + (high_tails[end] if end < len(line) else 0.0)


@helper
def first_from(means, value):
    """The first place in the order whose mean is at least a number."""
    low, high = np.int64(0), np.int64(len(means.order))
    while low < high:
        middle = (low + high) >> 1
        if means.values[means.order[middle]] < value:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def nearest_areas(shape, center, wanted, means, bins):
    """`likeness.nearest`: those looked at and not known to be too far, and the k-th best area.

    `center` is the mean of the shape, and the distance from 0 of its farthest edge.
    """
    shape, means, bins, (mean, reach), (owners, k, farthest) = Line(*shape), Means(*means), Bins(*bins), center, wanted
    line, order, values = shape.edges, means.order, means.values
    right = first_from(means, mean)
    left, size, full, bound = right - 1, np.int64(0), np.int64(0), farthest
    numbers, areas = np.empty(64, np.int64), np.empty(64)
    best = Best(np.empty(k, np.int64), np.empty(k))
    low_tails, high_tails = tails(line, shape.up_to)
    while left >= 0 or right < len(order):
        down = mean - values[order[left]] if left >= 0 else np.inf
        up = values[order[right]] - mean if right < len(order) else np.inf
        gap = min(down, up)
        if gap > bound + SLACK * (reach + gap + bound):
            break
        if down <= up:
            which, ahead = np.int64(order[left]), left - _AHEAD
            left -= 1
        else:
            which, ahead = np.int64(order[right]), right + _AHEAD
            right += 1
        if 0 <= ahead < len(order):
            _fetch(np.int64(order[ahead]), means, bins)
        most = bound + SLACK * (reach + bound)
        if owners[which] < 0 or outside(which, bins, line, low_tails, high_tails) > most:
            continue
        away = area(shape, which, bins, most)
        if away > most:
            continue
        if size == len(numbers):
            numbers, areas = np.append(numbers, np.empty(size, np.int64)), np.append(areas, np.empty(size))
        numbers[size], areas[size] = which, away
        size += 1
        if k and away < bound:
            full = keep_owner(best, full, np.int64(owners[which]), away)
            if full == k:
                bound = min(farthest, _farthest(best))
    return numbers[:size], areas[:size], bound


@helper(inlined=True)
def _fetch(which, means, bins):
    """Have the memory of a histogram brought into the cache."""
    fetch(means.values, which)
    fetch(bins.edges, bins.starts[which] + which)
    fetch(bins.edges, bins.starts[which + 1] + which)
    fetch(bins.below, bins.starts[which])
    fetch(bins.below, bins.starts[which + 1] - 1)


@helper
def keep_owner(best, full, owner, away):
    """Keep an owner among the nearest, if it is one of them; how many these are then."""
    for i in range(full):
        if best.owners[i] == owner:
            best.areas[i] = min(best.areas[i], away)
            return full
    if full < len(best.areas):
        best.owners[full], best.areas[full] = owner, away
        return full + 1
    worst = 0
    for i in range(1, full):
        if best.areas[i] > best.areas[worst]:
            worst = i
    if away < best.areas[worst]:
        best.owners[worst], best.areas[worst] = owner, away
    return full


@helper
def _farthest(best):
    """The largest of the best areas."""
    farthest = best.areas[0]
    for away in best.areas:
        farthest = max(farthest, away)
    return farthest
