"""Compiled: what `engine` and `counting` do in NumPy.  Importing this imports Numba."""

from __future__ import annotations

import numpy as np

from mere.compiled.jit import fetch, helper, kernel
from mere.indexes.distribution.records import Bins, Ratio, Side

_WAYS = 16  # reads of one round of a search: they do not wait for each other
_AHEAD = 8  # histograms whose memory is fetched before they are looked at


@helper
def place_below(order, bins, starts, edges, value):
    """How many histograms of an order have a left edge below a number."""
    low, high = 0, len(order)
    while low < high:
        step, passed = (high - low) // _WAYS + 1, 0
        for place in range(low + step - 1, high, step):
            which = np.int64(order[place])
            passed += edges[starts[which] + which + bins[which]] < value
        low += passed * step
        high = min(high, low + step - 1)
    return low


@helper
def place_above(order, bins, starts, edges, value):
    """Where in an order the right edges begin that lie above a number, or at it if they belong to a last bin."""
    low, high = 0, len(order)
    while low < high:
        step, passed = (high - low) // _WAYS + 1, 0
        for place in range(low + step - 1, high, step):
            which = np.int64(order[place])
            edge = edges[starts[which] + which + bins[which] + 1]
            last = starts[which] + bins[which] + 1 == starts[which + 1]
            passed += (edge < value) | ((edge == value) & ~last)
        low += passed * step
        high = min(high, low + step - 1)
    return low


@kernel
def slice_of(side, bins, level, value):
    """`span`, called from Python."""
    return span(Side(*side), Bins(*bins), level, value)


@helper
def span(side, bins, level, value):
    """Where the histograms that reach a level are in its order; level 0 is reached by all."""
    if level == 0:
        return 0, side.orders.shape[1]
    order, reached = side.orders[level - 1], side.levels[level - 1]
    if side.above:
        return place_above(order, reached, bins.starts, bins.edges, value), len(order)
    return 0, place_below(order, reached, bins.starts, bins.edges, value)


@helper
def mark(marks, bit, side, bins, level, value):
    """Flip a bit of the histograms that reach a level, by way of them or of the others, whichever are fewer.

    Returns where they begin and end in the order of the level.
    """
    begin, end = span(side, bins, level, value)
    order = side.orders[max(level - 1, 0)]
    if 2 * (end - begin) <= len(order):
        for which in order[begin:end]:
            marks[which] ^= bit
    else:
        for i in range(len(marks)):
            marks[i] ^= bit
        for i in range(begin):
            marks[order[i]] ^= bit
        for i in range(end, len(order)):
            marks[order[i]] ^= bit
    return begin, end


@helper(allocates=True)
def sorted_out(marks, verdicts):
    """The histograms whose marks make them certain (verdict 1), their number, and those to be looked at (verdict 2)."""
    certain, possible = np.empty(len(marks), np.uint32), np.empty(len(marks), np.int64)
    size, left = np.int64(0), 0
    for which in range(len(marks)):
        verdict = verdicts[marks[which]]
        certain[size] = which
        size += verdict == 1
        possible[left] = which
        left += verdict == 2
    return certain, size, possible[:left]


@helper(inlined=True)
def edges_below(edges, first, size, value, too):
    """How many of `size` edges, from the first on, lie below a number, or at it if that counts too.

    All are compared, several at once: on so few that is faster than a search.
    """
    count = 0
    if too:
        for place in range(first, first + size):
            count += edges[place] <= value
    else:
        for place in range(first, first + size):
            count += edges[place] < value
    return count


@helper(inlined=True)
def rows_between(below, first, begin, end):
    """The rows of the bins from `begin` to before `end`."""
    if begin >= end:
        return np.int64(0)
    before = np.int64(0) if begin == 0 else np.int64(below[first + begin - 1])
    return np.int64(below[first + end - 1]) - before


@helper(inlined=True)
def passed_by(edges, left, size, value):
    """How many bins hold nothing from a number on: R <= x, but the last bin holds its right edge."""
    passed = edges_below(edges, left + 1, size, value, True)
    return passed - 1 if passed == size and edges[left + size] == value else passed


@helper
def rows_over(which, low, high, bins):
    """Rows of one histogram that may lie in [low, high)."""
    first, size = bins.starts[which], bins.starts[which + 1] - bins.starts[which]
    begin = passed_by(bins.edges, first + which, size, low) if low > -np.inf else 0
    end = edges_below(bins.edges, first + which, size, high, False) if high < np.inf else size
    return rows_between(bins.below, first, begin, end)


@helper
def rows_under(which, low, high, bins):
    """Rows of one histogram that certainly lie in [low, high)."""
    first, size = bins.starts[which], bins.starts[which + 1] - bins.starts[which]
    begin = edges_below(bins.edges, first + which, size, low, False) if low > -np.inf else 0
    end = passed_by(bins.edges, first + which, size, high) if high < np.inf else size
    return rows_between(bins.below, first, begin, end)


@kernel
def count(which, intervals, bins):
    """Rows of many histograms that certainly compare so, that may, and all; `intervals` as in `counting`."""
    (low, high, certain_low, certain_high), bins = intervals, Bins(*bins)
    under, over = np.empty(len(which), np.int64), np.empty(len(which), np.int64)
    rows = np.empty(len(which), np.int64)
    for i in range(len(which)):
        number = np.int64(which[i])
        under[i] = rows_under(number, certain_low, certain_high, bins)
        over[i] = rows_over(number, low, high, bins)
        rows[i] = bins.below[bins.starts[number + 1] - 1]
    return under, over, rows


@kernel
def one_sided(side, bins, levels, fraction, value):
    """`engine`: those of which a fraction, between two levels, may lie above a number, or below it."""
    (before, after), side, bins, fraction = levels, Side(*side), Bins(*bins), Ratio(*fraction)
    words = np.zeros((side.orders.shape[1] + 7) >> 3, np.uint64)
    marks = words.view(np.uint8)[: side.orders.shape[1]]
    first, last = mark(marks, np.uint8(1), side, bins, before, value)  # of those that are possible
    out, size, order = np.empty(last - first, np.uint32), np.int64(0), side.orders[after - 1]
    first, last = mark(marks, np.uint8(1), side, bins, after, value)  # certain, too: their marks are cleared again
    for i in range(first, last):
        out[size] = order[i]
        size += 1
    left = _marked(words, marks, side, bins, levels)
    starts, beyond = bins.starts, side.levels[after - 1]
    for i in range(len(left)):
        if i + _AHEAD < len(left):
            then = left[i + _AHEAD]
            fetch(bins.below, starts[then] + beyond[then])
            fetch(bins.below, starts[then + 1] - 1)
        which = left[i]
        between = (np.int64(side.levels[before - 1, which]) if before else np.int64(-1), np.int64(beyond[which]))
        if side.above:
            fits = reaches_above(which, fraction, between, value, bins)
        else:
            fits = reaches_below(which, fraction, between, value, bins)
        if fits:
            out[size] = which
            size += 1
    return out[:size]


@helper(allocates=True)
def _marked(words, marks, side, bins, levels):
    """The histograms that are marked, less those with no bin between the levels; `words` are the marks, by eights."""
    before, beyond, size = levels[0], side.levels[levels[1] - 1], 0
    marked = np.empty(len(marks), np.int64)
    for word in range(len(words)):
        if words[word]:
            for which in range(word * 8, min(word * 8 + 8, len(marks))):
                outmost = bins.starts[which + 1] - bins.starts[which] - 1 if side.above else 0
                if marks[which] and (before or beyond[which] != outmost):
                    marked[size] = which
                    size += 1
    return marked[:size]


@helper
def reaches_below(which, fraction, between, value, bins):
    """Whether a fraction of a histogram's rows may lie below a number.

    It is reached between two levels: in the bin of the lower one, which lies below the number, if it is known (not -1);
    in that of the upper one, which does not; or in one between, and only then its edge is looked at.
    """
    begin, beyond = between
    first, chosen = bins.starts[which], max(begin, 0)
    least = np.int64(bins.below[bins.starts[which + 1] - 1]) * fraction.p
    while chosen < beyond and np.int64(bins.below[first + chosen]) * fraction.q < least:
        chosen += 1
    if chosen == begin:
        return True
    if chosen == beyond:
        return False
    return bins.edges[first + which + chosen] < value


@helper
def reaches_above(which, fraction, between, value, bins):
    """The same above a number; levels are reached from the last bin down."""
    begin, beyond = between
    first, last = bins.starts[which], bins.starts[which + 1] - bins.starts[which] - 1
    chosen = begin if begin >= 0 else last
    rows = np.int64(bins.below[first + last])
    while chosen > beyond and (rows - np.int64(bins.below[first + chosen - 1])) * fraction.q < rows * fraction.p:
        chosen -= 1
    if chosen == begin:
        return True
    if chosen == beyond:
        return False
    edge = bins.edges[first + which + chosen + 1]
    return edge > value or (chosen == last and edge == value)


@kernel
def two_sided(slices, verdicts, asked, sides, bins):
    """`engine`: those of which a fraction, at least or at most, may lie between two numbers.

    Each slice (above or not, level, number) gives its histograms one bit; `sides` are below and above, and `asked` is
    whether at least, the fraction p / q, and the two numbers.
    """
    (at_least, p, q, low, high), (starts, edges, below), bins = asked, bins, Bins(*bins)
    below_side, above_side = Side(*sides[0]), Side(*sides[1])
    marks = np.zeros(below_side.orders.shape[1], np.uint8)
    for i in range(len(slices)):
        side = above_side if slices[i, 0] > 0 else below_side
        mark(marks, np.uint8(1 << i), side, bins, np.int64(slices[i, 1]), slices[i, 2])
    out, size, left = sorted_out(marks, verdicts)
    for i in range(len(left)):
        if i + _AHEAD < len(left):
            then = left[i + _AHEAD]
            fetch(edges, starts[then] + then)
            fetch(edges, starts[then] + then + 8)
            fetch(below, starts[then])
            fetch(below, starts[then + 1] - 1)
        which = left[i]
        rows = np.int64(below[starts[which + 1] - 1])
        out[size] = which
        if at_least:
            size += rows_over(which, low, high, bins) * q >= rows * p
        else:
            size += rows_under(which, low, high, bins) * q <= rows * p
    return out[:size]


@kernel
def shares_below(which, value, bins):
    """The fraction of each histogram below a number, the bin that it cuts counted by the part of its width."""
    starts, edges, below = bins
    out = np.empty(len(which), np.float64)
    for i in range(len(which)):
        number = np.int64(which[i])
        first, size = starts[number], starts[number + 1] - starts[number]
        passed = edges_below(edges, first + number + 1, size, value, True)
        share = 0.0 if passed == 0 else np.float64(below[first + passed - 1])
        if passed < size:
            left, right = edges[first + number + passed], edges[first + number + passed + 1]
            part = (value - left) / (right - left) if right > left else 0.0
            if part > 0.0:  # not a number where both are beyond all numbers
                share += min(part, 1.0) * (np.float64(below[first + passed]) - share)
        out[i] = share / np.float64(below[first + size - 1])
    return out


@kernel
def largest(owners, scores, count):
    """The largest score of each owner; -1 for those that have none."""
    top = np.full(count, -1.0)
    for i in range(len(owners)):
        if scores[i] > top[owners[i]]:
            top[owners[i]] = scores[i]
    return top
