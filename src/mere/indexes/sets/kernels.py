"""Comparing the query's values with those of columns, compiled; `comparing` has the NumPy version."""

from __future__ import annotations

import numpy as np

from mere.compiled.jit import helper, kernel
from mere.store.kernels import first_at_least

NEAR = 8  # sets whose sizes differ by less are read value by value, others by doubling steps


@kernel
def compare(query, stored, columns, out):
    """Fill `out` with what each of the columns shares with the query; `comparing` names the arguments."""
    for number in range(len(columns)):
        begin, stop = stored.starts[columns[number]], stored.starts[columns[number] + 1]
        if stop - begin > NEAR * len(query.ids):
            _seek_mine(query, stored, begin, stop, number, out)
        else:
            _seek_theirs(query, stored, begin, stop, number, out)
        _list_unmatched(query.size, number, out)


@helper
def _seek_mine(query, stored, begin, stop, number, out):
    """Look for each of the query's values among the column's."""
    place = begin
    for i in range(len(query.ids)):
        place += first_at_least(stored.ids[place:stop], query.ids[i], 0)
        if place == stop:
            break
        if stored.ids[place] == query.ids[i]:
            _count(query, stored, i, place, number, out)


@helper
def _seek_theirs(query, stored, begin, stop, number, out):
    """Look for each of the column's values among the query's."""
    far = len(query.ids) > NEAR * (stop - begin)
    i, size = 0, len(query.ids)
    for place in range(begin, stop):
        wanted = stored.ids[place]
        if far:
            i += first_at_least(query.ids[i:], wanted, 0)
        else:
            while i < size and query.ids[i] < wanted:
                i += 1
        if i == size:
            break
        if query.ids[i] == wanted:
            _count(query, stored, i, place, number, out)


@helper(inlined=True)
def _count(query, stored, i, place, number, out):
    """Add a value that both have; they are found in the query's order."""
    counted, left, right = out.counted, query.rows[i], np.int64(stored.counts[place])
    matched = counted[number, 0]
    if matched < out.matched.shape[1]:
        out.matched[number, matched] = query.places[i]
    _list_unmatched(query.places[i], number, out)
    out.state[number, 1] = query.places[i] + 1
    counted[number, 0] = matched + 1
    counted[number, 1] += left * right
    counted[number, 2] += left
    counted[number, 3] += right
    counted[number, 4] = max(counted[number, 4], left)
    counted[number, 5] = max(counted[number, 5], right)


@helper(inlined=True)
def _list_unmatched(stop, number, out):
    """List the query's values from the last matched one up to a place, until there are enough examples."""
    listed, place = out.state[number, 0], out.state[number, 1]
    while place < stop and listed < out.unmatched.shape[1]:
        out.unmatched[number, listed] = place
        listed += 1
        place += 1
    out.state[number, 0] = listed
