"""Compiled twins of `engine` and `counting`.  Import only once `compiled.ready()`."""

from __future__ import annotations

import numpy as np

from mere.store.jit import kernel


@kernel
def place_below(order, bins, starts, edges, value, too):
    """How many histograms of an order have a left edge below a number, or at it if that counts too."""
    low, high = 0, len(order)
    while low < high:
        middle = (low + high) >> 1
        which = order[middle]
        edge = edges[starts[which] + which + bins[which]]
        if edge < value or (too and edge == value):
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def place_above(order, bins, starts, edges, value, too):
    """Where in an order the right edges begin that lie above a number, or at it if they belong to a last bin."""
    low, high = 0, len(order)
    while low < high:
        middle = (low + high) >> 1
        which = order[middle]
        edge = edges[starts[which] + which + bins[which] + 1]
        last = starts[which] + bins[which] + 1 == starts[which + 1]
        if edge > value or (too and last and edge == value):
            high = middle
        else:
            low = middle + 1
    return low


@kernel(inline="always")
def edges_below(edges, first, size, value, too):
    """How many of `size` ascending edges, from the first on, lie below a number, or at it if that counts too."""
    low, high = first, first + size
    while low < high:
        middle = (low + high) >> 1
        if edges[middle] < value or (too and edges[middle] == value):
            low = middle + 1
        else:
            high = middle
    return low - first


@kernel(inline="always")
def rows_between(below, first, begin, end):
    """The rows of the bins from `begin` to before `end`."""
    if begin >= end:
        return np.int64(0)
    before = np.int64(0) if begin == 0 else np.int64(below[first + begin - 1])
    return np.int64(below[first + end - 1]) - before


@kernel
def count_one(which, operator, low, high, starts, edges, below):
    """Rows of one histogram that surely compare so, that may, and all."""
    first, size = starts[which], starts[which + 1] - starts[which]
    left = first + which
    passed = up_to = edges_below(edges, left + 1, size, low, True)
    if edges[left + size] == low and passed == size:
        passed -= 1
    whole = rows_between(below, first, 0, size)
    if operator == 0:
        over_end = edges_below(edges, left, size, low, False)
        return rows_between(below, first, 0, passed), rows_between(below, first, 0, over_end), whole
    if operator == 1:
        over_end = edges_below(edges, left, size, low, True)
        return rows_between(below, first, 0, up_to), rows_between(below, first, 0, over_end), whole
    if operator == 2:
        begin = edges_below(edges, left, size, low, True)
        return rows_between(below, first, begin, size), rows_between(below, first, up_to, size), whole
    if operator == 3:
        begin = edges_below(edges, left, size, low, False)
        return rows_between(below, first, begin, size), rows_between(below, first, passed, size), whole
    under = rows_between(
        below, first, edges_below(edges, left, size, low, False), edges_below(edges, left + 1, size, high, True)
    )
    return under, rows_between(below, first, passed, edges_below(edges, left, size, high, True)), whole


@kernel
def count(which, operator, low, high, starts, edges, below):
    """`count_one`, for many."""
    under, over = np.empty(len(which), np.int64), np.empty(len(which), np.int64)
    rows = np.empty(len(which), np.int64)
    for i in range(len(which)):
        under[i], over[i], rows[i] = count_one(np.int64(which[i]), operator, low, high, starts, edges, below)
    return under, over, rows


@kernel
def reaching(sure, hopeful, p, q, operator, value, starts, edges, below):
    """The sure ones, and those of the hopeful that may reach p / q of their rows."""
    marks = np.zeros(len(starts), np.uint8)
    out = np.empty(len(hopeful), np.uint32)
    out[: len(sure)] = sure
    size = len(sure)
    for which in sure:
        marks[which] = 1
    for which in hopeful:
        if marks[which] == 0:
            _, over, rows = count_one(np.int64(which), operator, value, value, starts, edges, below)
            if over * q >= rows * p:
                out[size] = which
                size += 1
    return out[:size]


@kernel
def reaching_both(one, other, p, q, low, high, starts, edges, below):
    """Those that stand in both lists and may have p / q of their rows between two numbers."""
    marks = np.zeros(len(starts), np.uint8)
    out = np.empty(min(len(one), len(other)), np.uint32)
    size = 0
    for which in one:
        marks[which] = 1
    for which in other:
        if marks[which] == 1:
            _, over, rows = count_one(np.int64(which), 4, low, high, starts, edges, below)
            if over * q >= rows * p:
                out[size] = which
                size += 1
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
