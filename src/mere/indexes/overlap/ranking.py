"""Which of the counted sets may be among the best k?  Compiled; `records` names the arguments.

`sets` are the sets to choose from, and `all_sets` says that they are all sets of the segment, in order.
"""

from __future__ import annotations

import numpy as np

from mere.compiled.jit import helper
from mere.indexes.overlap.records import BLOCK


@helper
def gather(sets, all_sets, scratch):
    """Put the counts of these sets side by side; those of all sets, in order, already are."""
    if not all_sets:
        gathered, counts = scratch.gathered, scratch.counts
        for i in range(len(sets)):
            gathered[i] = counts[sets[i]]


@helper
def find_maxima(counts, maxima):
    """Fill in the largest count of each block; written so that the compiler makes vector instructions of it."""
    full = len(counts) // BLOCK
    for block in range(full):
        most = counts[block * BLOCK]
        for i in range(1, BLOCK):
            count = counts[block * BLOCK + i]
            most = count if count > most else most
        maxima[block] = most
    most = np.uint32(0)
    for i in range(full * BLOCK, len(counts)):
        most = counts[i] if counts[i] > most else most
    maxima[full] = most


@helper
def level_reached(counts, wanted):
    """The largest count that so many have reached, 0 if fewer have any; searched from the top in doubling steps,
    because the best are few."""
    most = 0
    for count in counts:
        most = count if count > most else most
    high, step = most + 1, 1  # fewer have reached `high`
    low = high - step if high > step + 1 else 1
    while low > 1 and at_least(counts, low) < wanted:
        high = low
        step *= 2
        low = high - step if high > step + 1 else 1
    if low == 1 and at_least(counts, 1) < wanted:
        return 0
    while high - low > 1:
        middle = (low + high) >> 1
        if at_least(counts, middle) < wanted:
            high = middle
        else:
            low = middle
    return low


@helper
def at_least(counts, level):
    """How many have reached a level."""
    reached = 0
    for count in counts:
        reached += count >= level
    return reached


@helper
def collect(counts, maxima, sets, level, owner_starts, top):
    """Write those of the sets into `top` that have reached the level and have an owner; returns how many.

    Blocks in which no set has reached it are passed over.
    """
    kept = 0
    for block in range(len(maxima)):
        if maxima[block] >= level:
            begin = block * BLOCK
            for i in range(begin, begin + BLOCK if begin + BLOCK < len(counts) else len(counts)):
                if counts[i] >= level and owner_starts[sets[i]] < owner_starts[sets[i] + 1]:
                    top[kept] = sets[i]
                    kept += 1
    return kept


@helper
def distinct_owners(sets, owners, marks):
    """How many owners these sets have together."""
    number, starts, numbers = 0, owners.starts, owners.numbers
    for which in sets:
        for place in range(starts[which], starts[which + 1]):
            number += marks[numbers[place]] == 0
            marks[numbers[place]] = 1
    for which in sets:
        for place in range(starts[which], starts[which + 1]):
            marks[numbers[place]] = 0
    return number


@helper
def kth_best(sets, all_sets, k, owners, scratch):
    """A count that at least k owners of these sets have reached, and how many of the sets have, which are in `top`.

    No set outside `top` can be among the k best.  (0, 0) if there are fewer than k owners.
    """
    gather(sets, all_sets, scratch)
    counts = scratch.counts if all_sets else scratch.gathered[: len(sets)]
    maxima = scratch.maxima[: len(counts) // BLOCK + 1]
    find_maxima(counts, maxima)
    wanted = k
    while True:
        level = level_reached(maxima, wanted) if wanted <= len(maxima) else 0  # so many blocks have a set that did
        last = level == 0
        kept = collect(counts, maxima, sets, 1 if last else level, owners.starts, scratch.top)
        if distinct_owners(scratch.top[:kept], owners, scratch.marks) >= k:
            return 1 if last else level, kept
        if last:
            return 0, 0
        wanted *= 2  # some sets have no owner, or share it with others


@helper
def reaching(sets, all_sets, level, owners, scratch):
    """Write the sets into `top` that have reached a level and have an owner; returns how many."""
    gather(sets, all_sets, scratch)
    counts = scratch.counts if all_sets else scratch.gathered[: len(sets)]
    maxima = scratch.maxima[: len(counts) // BLOCK + 1]
    find_maxima(counts, maxima)
    return collect(counts, maxima, sets, level, owners.starts, scratch.top)


@helper
def few_best(sets, k, owners, scratch):
    """As `kth_best`, for few sets: one by one instead of by blocks."""
    gather(sets, False, scratch)
    counts = scratch.gathered[: len(sets)]
    wanted = k
    while wanted <= len(sets):
        level, kept = level_reached(counts, wanted), 0
        for i in range(len(sets)):
            if counts[i] >= level and counts[i] > 0:
                scratch.top[kept] = sets[i]
                kept += 1
        if level == 0 or distinct_owners(scratch.top[:kept], owners, scratch.marks) >= k:
            return level, kept
        wanted *= 2
    return 0, 0


@helper
def keep_best(sets, all_sets, wanted, owners, scratch):
    """Write the sets into `top` that reach the bound, and what the k-th best owner has; returns how many."""
    kept, level, top = 0, 0, scratch.top
    if wanted.k > 0 and wanted.bound < 2:
        level, kept = kth_best(sets, all_sets, wanted.k, owners, scratch)
    if level == 0:
        kept = reaching(sets, all_sets, max(wanted.bound, 1), owners, scratch)
    if wanted.k > 0 and kept > wanted.k:  # again, among the few that are left: a block hides its second best
        few = scratch.hopeful[:kept]
        for i in range(kept):
            few[i] = top[i]
        level, fewer = few_best(few, wanted.k, owners, scratch)
        kept = fewer if level > 0 else reaching(few, False, 1, owners, scratch)
    return kept


@helper(allocates=True)
def copied(kept, scratch):
    """Copies of so many sets in `top`, and of their counts."""
    best, overlaps = np.empty(kept, np.uint32), np.empty(kept, np.uint32)
    for i in range(kept):
        best[i] = scratch.top[i]
        overlaps[i] = scratch.counts[scratch.top[i]]
    return best, overlaps
