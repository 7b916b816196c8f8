"""Compiled twins of `engine` and `counting`.  Import only once `compiled.ready()`."""

from __future__ import annotations

import numpy as np

from mere.store.jit import fetch, kernel

_WAYS = 16  # reads of one round of a search: they do not wait for each other
_AHEAD = 8  # histograms on their way into the cache


@kernel
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


@kernel
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
def span(side, level, value, above):
    """Where in the order of a level those stand that reach it; level 0 is reached by all.

    `side` is (orders, levels, starts, edges) of below or of above.
    """
    orders, levels, starts, edges = side
    if level == 0:
        return 0, orders.shape[1]
    order, bins = orders[level - 1], levels[level - 1]
    if above:
        return place_above(order, bins, starts, edges, value), len(order)
    return 0, place_below(order, bins, starts, edges, value)


@kernel
def mark(marks, bit, side, level, value, above):
    """Flip a bit of those that reach a level; the smaller of their slice and the rest is walked.  Which slice it is."""
    begin, end = span(side, level, value, above)
    order = side[0][max(level - 1, 0)]
    if 2 * (end - begin) <= len(order):
        for which in order[begin:end]:
            marks[which] ^= bit
    else:
        for i in range(len(marks)):
            marks[i] ^= bit
        for which in order[:begin]:
            marks[which] ^= bit
        for which in order[end:]:
            marks[which] ^= bit
    return order[begin:end]


@kernel
def sorted_out(marks, verdicts):
    """Whom verdicts on their marks let in (1), and who has to be looked at (2)."""
    sure, unsure = np.empty(len(marks), np.uint32), np.empty(len(marks), np.int64)
    settled, left = 0, 0
    for which in range(len(marks)):
        verdict = verdicts[marks[which]]
        sure[settled] = which
        settled += verdict == 1
        unsure[left] = which
        left += verdict == 2
    return sure, settled, unsure[:left]


@kernel(inline="always")
def edges_below(edges, first, size, value, too):
    """How many of `size` edges, from the first on, lie below a number, or at it if that counts too.

    All are compared, several at once: on so few that is faster than to search among them.
    """
    found = 0
    if too:
        for place in range(first, first + size):
            found += edges[place] <= value
    else:
        for place in range(first, first + size):
            found += edges[place] < value
    return found


@kernel(inline="always")
def rows_between(below, first, begin, end):
    """The rows of the bins from `begin` to before `end`."""
    if begin >= end:
        return np.int64(0)
    before = np.int64(0) if begin == 0 else np.int64(below[first + begin - 1])
    return np.int64(below[first + end - 1]) - before


@kernel(inline="always")
def passed_by(edges, left, size, value):
    """How many bins hold nothing from a number on: R <= x, but the last bin holds its right edge."""
    passed = edges_below(edges, left + 1, size, value, True)
    return passed - 1 if passed == size and edges[left + size] == value else passed


@kernel
def rows_over(which, low, high, starts, edges, below):
    """Rows of one histogram that may lie in [low, high)."""
    first, size = starts[which], starts[which + 1] - starts[which]
    begin = passed_by(edges, first + which, size, low) if low > -np.inf else 0
    end = edges_below(edges, first + which, size, high, False) if high < np.inf else size
    return rows_between(below, first, begin, end)


@kernel
def rows_under(which, low, high, starts, edges, below):
    """Rows of one histogram that surely lie in [low, high)."""
    first, size = starts[which], starts[which + 1] - starts[which]
    begin = edges_below(edges, first + which, size, low, False) if low > -np.inf else 0
    end = passed_by(edges, first + which, size, high) if high < np.inf else size
    return rows_between(below, first, begin, end)


@kernel
def count(which, low, high, sure_low, sure_high, starts, edges, below):
    """Rows of many histograms that surely compare so, that may, and all."""
    under, over = np.empty(len(which), np.int64), np.empty(len(which), np.int64)
    rows = np.empty(len(which), np.int64)
    for i in range(len(which)):
        one = np.int64(which[i])
        under[i] = rows_under(one, sure_low, sure_high, starts, edges, below)
        over[i] = rows_over(one, low, high, starts, edges, below)
        rows[i] = below[starts[one + 1] - 1]
    return under, over, rows


@kernel
def one_sided(side, below, before, after, p, q, value, above):
    """`engine`: those of which p / q, between two levels, may lie above a number, or below it."""
    words = np.zeros((side[0].shape[1] + 7) >> 3, np.uint64)
    marks = words.view(np.uint8)[: side[0].shape[1]]
    hopeful = mark(marks, np.uint8(1), side, before, value, above)
    sure = mark(marks, np.uint8(1), side, after, value, above)  # and hopeful: their marks are gone again
    out, unsure, left, size = np.empty(len(hopeful), np.uint32), np.empty(len(hopeful), np.int64), 0, len(sure)
    out[:size] = sure
    _, levels, starts, edges = side
    bins, beyond = levels[max(before, 1) - 1], levels[after - 1]
    for word in range(len(words)):
        if words[word]:
            for which in range(word * 8, min(word * 8 + 8, len(marks))):
                outmost = starts[which + 1] - starts[which] - 1 if above else 0
                if marks[which] and (before or beyond[which] != outmost):  # no bin before it, none that could do
                    unsure[left] = which
                    left += 1
    for i in range(left):
        if i + _AHEAD < left:
            then = unsure[i + _AHEAD]
            fetch(below, starts[then] + beyond[then])
            fetch(below, starts[then + 1] - 1)
        one = unsure[i]
        begin, end = np.int64(bins[one]) if before else -1, np.int64(beyond[one])
        if above:
            fits = reaches_above(one, p, q, begin, end, value, starts, edges, below)
        else:
            fits = reaches_below(one, p, q, begin, end, value, starts, edges, below)
        if fits:
            out[size] = one
            size += 1
    return out[:size]


@kernel(inline="always")
def reaches_below(one, p, q, begin, beyond, value, starts, edges, below):
    """Whether p / q of a histogram's rows may lie below a number.

    They are reached between two levels: in the bin of the lower one, which lies below the number, if it is known (not
    -1); in that of the upper one, which does not; or in one between, and only then its edge is looked at.
    """
    first, chosen = starts[one], max(begin, 0)
    least = np.int64(below[starts[one + 1] - 1]) * p
    while chosen < beyond and np.int64(below[first + chosen]) * q < least:
        chosen += 1
    if chosen == begin:
        return True
    if chosen == beyond:
        return False
    return edges[first + one + chosen] < value


@kernel(inline="always")
def reaches_above(one, p, q, begin, beyond, value, starts, edges, below):
    """The same above a number; levels are reached from the last bin down."""
    first, last = starts[one], starts[one + 1] - starts[one] - 1
    chosen = begin if begin >= 0 else last
    rows = np.int64(below[first + last])
    while chosen > beyond and (rows - np.int64(below[first + chosen - 1])) * q < rows * p:
        chosen -= 1
    if chosen == begin:
        return True
    if chosen == beyond:
        return False
    edge = edges[first + one + chosen + 1]
    return edge > value or (chosen == last and edge == value)


@kernel
def two_sided(slices, verdicts, least, p, q, low, high, below_side, above_side, below):
    """`engine`: those of which p / q, at least or at most, may lie between two numbers.

    Each slice (above or not, level, number) gives its histograms one bit.
    """
    marks = np.zeros(below_side[0].shape[1], np.uint8)
    for i in range(len(slices)):
        above, level, value = slices[i, 0] > 0, int(slices[i, 1]), slices[i, 2]
        mark(marks, np.uint8(1 << i), above_side if above else below_side, level, value, above)
    out, size, unsure = sorted_out(marks, verdicts)
    _, _, starts, edges = below_side
    for i in range(len(unsure)):
        if i + _AHEAD < len(unsure):
            then = unsure[i + _AHEAD]
            fetch(edges, starts[then] + then)
            fetch(edges, starts[then] + then + 8)
            fetch(below, starts[then])
            fetch(below, starts[then + 1] - 1)
        one = unsure[i]
        rows = np.int64(below[starts[one + 1] - 1])
        out[size] = one
        if least:
            size += rows_over(one, low, high, starts, edges, below) * q >= rows * p
        else:
            size += rows_under(one, low, high, starts, edges, below) * q <= rows * p
    return out[:size]


@kernel
def shares_below(which, value, starts, edges, below):
    """The fraction of each histogram below a number, the bin that it cuts counted by the part of its width."""
    out = np.empty(len(which), np.float64)
    for i in range(len(which)):
        one = np.int64(which[i])
        first, size = starts[one], starts[one + 1] - starts[one]
        passed = edges_below(edges, first + one + 1, size, value, True)
        share = 0.0 if passed == 0 else np.float64(below[first + passed - 1])
        if passed < size:
            left, right = edges[first + one + passed], edges[first + one + passed + 1]
            part = (value - left) / (right - left) if right > left else 0.0
            if part > 0.0:  # it is none where both are beyond all numbers
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
