"""Reading posting lists and sets, compiled; `records` names the arguments.

`groups` are the query's groups, ascending; `scratch.weights[group]` is how many of its values each stands for.
"""

from __future__ import annotations

from mere.compiled.jit import helper, kernel
from mere.store.kernels import first_at_least

NO_GROUP = 0xFFFFFFFF  # `build.NO_GROUP`


@kernel
def weigh(ids, group_of_value, weights, groups):
    """Write the distinct groups of the values found into `groups`, and count their values; returns how many groups."""
    size = 0
    for i in range(len(ids)):
        if ids[i] >= 0:
            group = group_of_value[ids[i]]
            if group != NO_GROUP:
                if weights[group] == 0:
                    groups[size] = group
                    size += 1
                weights[group] += 1
    return size


@helper
def clear(scratch, groups, dense, size):
    """Set the counters to zero that a question has used: groups weighed, and sets seen or, if counted densely, all."""
    for group in groups:
        scratch.weights[group] = 0
    counts = scratch.counts
    if dense:
        for which in range(len(counts)):
            counts[which] = 0
    else:
        for which in scratch.seen[:size]:
            counts[which] = 0


@helper
def entries_of(starts, groups):
    """How many entries the lists of these groups have."""
    total = 0
    for group in groups:
        total += starts[group + 1] - starts[group]
    return total


@helper
def read_lists(lists, groups, dense, size, scratch):
    """Add the weight of each group to all sets of its list; `size` sets were seen before, returns how many are now.

    Dense counting does nothing else.  Otherwise every set is written behind those seen, and the place is kept if the
    set is new: a branch would be mispredicted half of the time.
    """
    starts, sets, weights = lists.starts, lists.sets, scratch.weights
    counts, seen = scratch.counts, scratch.seen
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
def merge_lists(lists, groups, dense, scratch):
    """MergeList: read every list; returns how many sets were seen."""
    size = read_lists(lists, groups, dense, 0, scratch)
    scratch.reads[0] += len(groups)
    scratch.reads[1] += entries_of(lists.starts, groups)
    return size


@helper
def rest_of_overlap(lists, which, groups, first, weights):
    """What a set shares with the query's groups from the first one on, and how many entries were read for that."""
    set_groups, stop = lists.set_groups, lists.set_starts[which + 1]
    begin = lists.set_starts[which]
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
def probe(lists, sets, groups, first, scratch):
    """Complete the counts of these sets by reading what they hold from the query's first unread group on."""
    reads, counts = scratch.reads, scratch.counts
    for which in sets:
        shared, read = rest_of_overlap(lists, which, groups, first, scratch.weights)
        counts[which] += shared
        reads[3] += read
    reads[2] += len(sets)
