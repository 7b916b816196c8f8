"""The compiled twin of `likeness`.  Import only once `compiled.ready()`."""

from __future__ import annotations

import numpy as np

from mere.indexes.distribution.kernels import edges_below
from mere.store.jit import fetch, kernel

_AHEAD = 8  # histograms on their way into the cache


@kernel
def area(line, up_to, which, starts, edges, below, most):
    """The area between a curve and that of a histogram; once it is more than `most`, the part of it so far.

    `likeness.distance`, operation by operation: the same number, bit by bit.
    """
    first, size = starts[which], starts[which + 1] - starts[which]
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


@kernel
def tails(line, up_to):
    """The areas below a curve, up to each of its edges, and above it, from each edge on."""
    low, high = np.zeros(len(line)), np.zeros(len(line))
    for i in range(1, len(line)):
        low[i] = low[i - 1] + (line[i] - line[i - 1]) * (up_to[i - 1] + up_to[i]) / 2
    for i in range(len(line) - 2, -1, -1):
        high[i] = high[i + 1] + (line[i + 1] - line[i]) * (2 - up_to[i] - up_to[i + 1]) / 2
    return low, high


@kernel
def nearest_areas(line, up_to, center, reach, owners, k, farthest, slack, order, means, starts, edges, below):
    """`likeness.nearest`: numbers and areas of those looked at and not known to be too far, and the k-th best area."""
    right, high = 0, len(order)
    while right < high:
        middle = (right + high) >> 1
        if means[order[middle]] < center:
            right = middle + 1
        else:
            high = middle
    left = right - 1
    numbers, found, size = np.empty(64, np.int64), np.empty(64), 0
    best_owners, best, full = np.empty(k, np.int64), np.empty(k), 0
    bound, (low_tails, high_tails) = farthest, tails(line, up_to)
    while left >= 0 or right < len(order):
        down = center - means[order[left]] if left >= 0 else np.inf
        up = means[order[right]] - center if right < len(order) else np.inf
        gap = min(down, up)
        if gap > bound + slack * (reach + gap + bound):
            break
        if down <= up:
            which, ahead = np.int64(order[left]), left - _AHEAD
            left -= 1
        else:
            which, ahead = np.int64(order[right]), right + _AHEAD
            right += 1
        if 0 <= ahead < len(order):
            after = np.int64(order[ahead])
            fetch(means, after)
            fetch(edges, starts[after] + after)
            fetch(edges, starts[after + 1] + after)
            fetch(below, starts[after])
            fetch(below, starts[after + 1] - 1)
        if owners[which] < 0:
            continue
        most = bound + slack * (reach + bound)
        begin = edges_below(line, 0, len(line), edges[starts[which] + which], True)
        end = edges_below(line, 0, len(line), edges[starts[which + 1] + which], False)
        outside = (low_tails[begin - 1] if begin else 0.0) + (high_tails[end] if end < len(line) else 0.0)
        if outside > most:  # what the curve has where the histogram has nothing
            continue
        away = area(line, up_to, which, starts, edges, below, most)
        if away > most:
            continue
        if size == len(found):
            numbers, found = np.append(numbers, np.empty(size, np.int64)), np.append(found, np.empty(size))
        numbers[size], found[size] = which, away
        size += 1
        if k and away < bound:
            full = kept(best_owners, best, full, np.int64(owners[which]), away)
            if full == k:
                bound = min(farthest, best.max())
    return numbers[:size], found[:size], bound


@kernel
def kept(best_owners, best, full, owner, away):
    """Keep an owner among the best, if it is there; how many these are then."""
    for i in range(full):
        if best_owners[i] == owner:
            best[i] = min(best[i], away)
            return full
    if full < len(best):
        best_owners[full], best[full] = owner, away
        return full + 1
    worst = best.argmax()
    if away < best[worst]:
        best_owners[worst], best[worst] = owner, away
    return full
