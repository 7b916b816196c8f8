"""The compiled loops: weigh the query's groups, read posting lists, probe sets, keep what may be among the best.

Import only once `compiled.ready()`; `plain` has the NumPy twin.

Shared arguments:
    lists       Lists: the arrays of `build`
    owners      Owners: who answers for each set: its living tables, or its living columns
    groups      the query's groups, ascending; `weights[group]` is how many of its values each stands for
    k, bound    the best k owners are wanted (0: all), and overlaps below the bound are of no interest
    desk        Desk: counters, and the sets looked at
    reads       what was read: lists, their entries, sets, their entries
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from mere.store.jit import kernel
from mere.store.kernels import first_at_least

AGAIN = 0.7  # of what was left to read when probing was last considered: then it is considered again
ASKING = 20_000.0  # nanoseconds that it takes at least to consider that
DENSE = 4  # a query whose lists hold more than a quarter as many entries as there are sets is counted densely
BLOCK = 256  # sets looked at together


class Lists(NamedTuple):
    """The posting lists of a segment, and its sets as groups."""

    starts: np.ndarray
    sets: np.ndarray
    after: np.ndarray
    set_starts: np.ndarray
    set_groups: np.ndarray
    set_sizes: np.ndarray


class Owners(NamedTuple):
    """Who answers for each set; a set without owners does not count."""

    starts: np.ndarray
    numbers: np.ndarray


class Costs(NamedTuple):
    """Nanoseconds: to turn to a list or a set, and to read one entry of it (equation 3.15); and, per set looked at, to
    ask whether probing would be cheaper."""

    list_access: float  # l0
    list_entry: float  # l1
    set_access: float  # s0
    set_entry: float  # s1
    look: float


class Desk(NamedTuple):
    """Room to count in; a thread takes the same one from segment to segment, so that it stays in the cache."""

    weights: np.ndarray  # uint32 per group, all zero between questions
    counts: np.ndarray  # uint32 per set: the overlap found so far; all zero between questions
    seen: np.ndarray  # uint32: sets, in the order of their first sight; room for one more than there are
    every: np.ndarray  # uint32: all sets, in order
    hopeful: np.ndarray  # uint32: room for sets that may still matter
    top: np.ndarray  # uint32: room for sets that have reached a level, and one more
    held: np.ndarray  # uint32: room for counts
    marks: np.ndarray  # uint8 per owner, all zero between calls


_desks = threading.local()


@contextmanager
def desk_for(lists: Lists, owners: int) -> Iterator[Desk]:
    """This thread's desk, made larger if it must be, cut to the groups and sets of these lists.

    Whoever is interrupted at it leaves it untidy: then it is thrown away.
    """
    needed = (len(lists.starts) - 1, len(lists.set_sizes), owners)
    size: tuple[int, ...] = getattr(_desks, "size", (-1, -1, -1))
    if any(new > old for new, old in zip(needed, size, strict=True)):
        size = tuple(map(max, needed, size))
        _desks.desk, _desks.size = _new_desk(*size), size
    desk: Desk = _desks.desk
    groups, sets, _ = needed
    try:
        yield desk._replace(weights=desk.weights[:groups], counts=desk.counts[:sets], every=desk.every[:sets])
    except BaseException:
        del _desks.desk, _desks.size
        raise


def _new_desk(groups: int, sets: int, owners: int) -> Desk:
    seen, hopeful, top, held = (np.empty(sets + 1, np.uint32) for _ in range(4))
    every, counts = np.arange(sets, dtype=np.uint32), np.zeros(sets, np.uint32)
    marks = np.zeros(owners, np.uint8)
    return Desk(np.zeros(groups, np.uint32), counts, seen, every, hopeful, top, held, marks)


@kernel
def tidy(desk, groups, dense, size):
    """Leave the desk as it was found: groups weighed and sets seen, or counted densely, are zero again."""
    for group in groups:
        desk.weights[group] = 0
    if dense:
        desk.counts[:] = 0
    else:
        for which in desk.seen[:size]:
            desk.counts[which] = 0


@kernel
def weigh(ids, group_of_value, weights, groups):
    """The distinct groups of the values found, ascending, into `groups`; their number is returned."""
    size = 0
    for i in range(len(ids)):
        if ids[i] >= 0:
            group = group_of_value[ids[i]]
            if group != 0xFFFFFFFF:
                if weights[group] == 0:
                    groups[size] = group
                    size += 1
                weights[group] += 1
    groups[:size].sort()
    return size


@kernel
def entries_of(lists, groups):
    """How many entries the lists of these groups have."""
    total, starts = 0, lists.starts
    for group in groups:
        total += starts[group + 1] - starts[group]
    return total


@kernel
def read_lists(starts, sets, groups, weights, dense, counts, seen, size):
    """Add the weight of each group to all sets of its list; returns how many sets are seen now.

    Densely, counting is all there is to do.  Otherwise new sets are noted, without a branch, which would be
    mispredicted half of the time: every set is noted, and the note is kept if the set is new.
    """
    if dense:
        for group in groups:
            weight = weights[group]
            for place in range(starts[group], starts[group + 1]):
                counts[sets[place]] += weight
        return size
    for group in groups:
        weight = weights[group]
        for place in range(starts[group], starts[group + 1]):
            which = sets[place]
            count = counts[which]
            seen[size] = which
            size += count == 0
            counts[which] = count + weight
    return size


@kernel
def rest_of_overlap(set_starts, set_groups, which, groups, first, weights):
    """What a set shares with the query's groups from the first one on, and how many entries it took to see that."""
    stop = set_starts[which + 1]
    begin = set_starts[which]
    place = begin + first_at_least(set_groups[begin:stop], groups[first], 0)
    shared = 0
    if stop - place <= 8 * (len(groups) - first):
        for entry in range(place, stop):
            shared += weights[set_groups[entry]]
        return shared, stop - place
    read = 0
    for i in range(first, len(groups)):
        place += first_at_least(set_groups[place:stop], groups[i], 0)
        read += 1
        if place == stop:
            break
        if set_groups[place] == groups[i]:
            shared += weights[groups[i]]
    return shared, read


@kernel
def probe(lists, sets, groups, first, desk, reads):
    """Complete the counts of these sets by reading what they hold from the query's first unread group on."""
    starts, theirs, weights, counts = lists.set_starts, lists.set_groups, desk.weights, desk.counts
    for which in sets:
        shared, read = rest_of_overlap(starts, theirs, which, groups, first, weights)
        counts[which] += shared
        reads[3] += read
    reads[2] += len(sets)


@kernel
def counts_of(sets, whole, desk):
    """The counts of these sets, side by side; those of all sets, in order, are so already."""
    if whole:
        return desk.counts
    held, counts = desk.held[: len(sets)], desk.counts
    for i in range(len(sets)):
        held[i] = counts[sets[i]]
    return held


@kernel
def kth_best(sets, whole, k, owners, desk):
    """A count that at least k owners of these sets have reached, and how many of the sets have, which go into `top`.

    No set outside `top` can be among the k best.  (0, 0) if there are fewer than k owners.
    """
    held = counts_of(sets, whole, desk)
    maxima = _maxima(held)
    wanted = k
    while wanted <= len(maxima):
        level = _level_reached(maxima, wanted)  # so many blocks have a set that reached it
        if level == 0:
            break
        kept = collect(held, maxima, sets, level, owners.starts, desk.top)
        if distinct_owners(desk.top[:kept], owners, desk.marks) >= k:
            return level, kept
        wanted *= 2  # some sets have no owner, or share it with others
    kept = collect(held, maxima, sets, 1, owners.starts, desk.top)
    return (1, kept) if distinct_owners(desk.top[:kept], owners, desk.marks) >= k else (0, 0)


@kernel
def _maxima(held):
    """The largest count of each block; spelled so that the compiler makes vector instructions of it."""
    whole = len(held) // BLOCK
    maxima = np.zeros(whole + 1, np.uint32)
    for block in range(whole):
        most = held[block * BLOCK]
        for i in range(1, BLOCK):
            count = held[block * BLOCK + i]
            most = count if count > most else most
        maxima[block] = most
    for i in range(whole * BLOCK, len(held)):
        maxima[whole] = max(maxima[whole], held[i])
    return maxima


@kernel
def _level_reached(counts, wanted):
    """The largest count that so many have reached, 0 if fewer have any; galloping down, for the best are few."""
    most = 0
    for count in counts:
        most = max(most, count)
    high, step = most + 1, 1  # fewer have reached `high`
    low = max(1, high - step)
    while low > 1 and _at_least(counts, low) < wanted:
        high = low
        step *= 2
        low = max(1, high - step)
    if low == 1 and _at_least(counts, 1) < wanted:
        return 0
    while high - low > 1:
        middle = (low + high) >> 1
        if _at_least(counts, middle) < wanted:
            high = middle
        else:
            low = middle
    return low


@kernel
def _at_least(counts, level):
    found = 0
    for count in counts:
        found += count >= level
    return found


@kernel
def collect(held, maxima, sets, level, owned, top):
    """Those of the sets that have reached the level and belong to somebody, into `top`; returns how many.

    Blocks in which no set has are passed over.
    """
    kept = 0
    for block in range(len(maxima)):
        if maxima[block] >= level:
            for i in range(block * BLOCK, min((block + 1) * BLOCK, len(held))):
                if held[i] >= level and owned[sets[i]] < owned[sets[i] + 1]:
                    top[kept] = sets[i]
                    kept += 1
    return kept


@kernel
def reaching(sets, whole, level, owners, desk):
    """The same, for sets that have not been looked at yet."""
    held = counts_of(sets, whole, desk)
    return collect(held, _maxima(held), sets, level, owners.starts, desk.top)


@kernel
def distinct_owners(sets, owners, marks):
    """How many owners these sets have together."""
    found, starts, numbers = 0, owners.starts, owners.numbers
    for which in sets:
        for place in range(starts[which], starts[which + 1]):
            found += marks[numbers[place]] == 0
            marks[numbers[place]] = 1
    for which in sets:
        for place in range(starts[which], starts[which + 1]):
            marks[numbers[place]] = 0
    return found


@kernel
def take_best(sets, whole, k, bound, owners, desk):
    """Copies of the sets that reach the bound, and what the k-th best owner has; and of their counts."""
    kept, level = 0, 0
    if k > 0 and bound < 2:
        level, kept = kth_best(sets, whole, k, owners, desk)
    if level == 0:
        kept = reaching(sets, whole, max(bound, 1), owners, desk)
    if k > 0 and kept > k:  # again, among the few that are left, where no block hides its second best
        desk.hopeful[:kept] = desk.top[:kept]
        level, fewer = _few_best(desk.hopeful[:kept], k, owners, desk)
        kept = fewer if level > 0 else reaching(desk.hopeful[:kept], False, 1, owners, desk)
    found = desk.top[:kept].copy()
    return found, desk.counts[found]


@kernel
def _few_best(sets, k, owners, desk):
    """As `kth_best`, one by one instead of by blocks."""
    held = counts_of(sets, False, desk)
    wanted = k
    while wanted <= len(sets):
        level, kept = _level_reached(held, wanted), 0
        for i in range(len(sets)):
            if held[i] >= max(level, 1):
                desk.top[kept] = sets[i]
                kept += 1
        if level == 0 or distinct_owners(desk.top[:kept], owners, desk.marks) >= k:
            return level, kept
        wanted *= 2
    return 0, 0


@kernel
def merge_lists(lists, groups, dense, desk, reads):
    """MergeList: read every list; returns the sets to choose from, whether they are all, and how many were seen."""
    size = read_lists(lists.starts, lists.sets, groups, desk.weights, dense, desk.counts, desk.seen, 0)
    reads[0] += len(groups)
    reads[1] += entries_of(lists, groups)
    return desk.every if dense else desk.seen[:size], dense, size


@kernel
def adapt(lists, groups, k, bound, owners, costs, dense, desk, reads):
    """Read lists, rare values first; at a few points ask whether probing the candidates is cheaper than reading on.

    Once the weight of the unread lists is less than what the k-th best has reached, no set still unseen can matter
    (prefix filter), and one that is seen matters only if it could still reach that.  To ask costs a look at every set
    seen, so it is asked only where the lists left cost more than that, and again only when `AGAIN` of them is left.
    A bound that other segments have set is as good as a k-th best.
    Returns the sets to choose from, whether they are all, and how many were seen.
    """
    starts, weights, counts, seen = lists.starts, desk.weights, desk.counts, desk.seen
    left_weight, left_entries = 0, entries_of(lists, groups)
    for group in groups:
        left_weight += weights[group]
    entry = costs.list_entry / 2 if dense else costs.list_entry
    look = costs.look / (8 if dense else 1) / (4 if bound > 1 else 1)  # with a bound, there is no k-th best to be found
    all_entries, all_weight = left_entries, left_weight
    done, size, next_look = 0, 0, np.inf
    for i in range(len(groups)):
        left_cost = costs.list_access * (len(groups) - i) + entry * left_entries
        hopeful = left_weight < bound or (k > 0 and bound < 2 and 2 * left_weight < all_weight)
        in_view = len(counts) if dense else min(all_entries - left_entries, len(counts))
        if hopeful and left_cost <= next_look and left_cost > ASKING + look * in_view:
            size = read_lists(starts, lists.sets, groups[done:i], weights, dense, counts, seen, size)
            done, next_look = i, AGAIN * left_cost
            sets = desk.every if dense else seen[:size]
            left = (left_weight, left_cost, len(groups) - i)
            kept = _cheaper_to_probe(lists, sets, dense, k, bound, left, owners, costs, desk)
            if kept >= 0:
                reads[0] += i
                reads[1] += all_entries - left_entries
                probe(lists, desk.hopeful[:kept], groups, i, desk, reads)
                return desk.hopeful[:kept], False, size
        left_weight -= weights[groups[i]]
        left_entries -= starts[groups[i] + 1] - starts[groups[i]]
    size = read_lists(starts, lists.sets, groups[done:], weights, dense, counts, seen, size)
    reads[0] += len(groups)
    reads[1] += all_entries
    return desk.every if dense else seen[:size], dense, size


@kernel
def _cheaper_to_probe(lists, sets, whole, k, bound, left, owners, costs, desk):
    """How many sets, put into `hopeful`, must be probed to be done; -1 if that is not known, or not cheaper.

    `left` is the weight, the cost and the number of the lists not read.  What is hopeless is told from a sample.
    """
    left_weight, left_cost, groups_left = left
    held = counts_of(sets, whole, desk)
    maxima = _maxima(held)
    level = bound if bound > 1 else _level_reached(maxima, k)
    if left_weight >= level or _about(held, level - left_weight) * costs.set_access > left_cost:
        return -1
    if bound < 2:
        level = kth_best(sets, whole, k, owners, desk)[0]
        if left_weight >= level:
            return -1
    kept = collect(held, maxima, sets, level - left_weight, owners.starts, desk.top)
    few, cost = 0, 0.0
    for which in desk.top[:kept]:
        if lists.set_sizes[which] >= level:
            entries = lists.set_starts[which + 1] - lists.set_starts[which]
            cost += costs.set_access + costs.set_entry * min(entries, 8 * groups_left)
            if cost > left_cost:
                return -1
            desk.hopeful[few] = which
            few += 1
    return few


@kernel
def _about(held, level):
    """About how many have reached the level, judged by some of the blocks."""
    step = max(1, len(held) // (16 * BLOCK)) * BLOCK
    found, looked_at = 0, 0
    for begin in range(0, len(held), step):
        stop = min(begin + BLOCK, len(held))
        for i in range(begin, stop):
            found += held[i] >= level
        looked_at += stop - begin
    return found * len(held) / max(1, looked_at)
