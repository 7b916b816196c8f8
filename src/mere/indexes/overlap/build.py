"""How are the posting lists of a segment stored in its file?

Values that occur in exactly the same sets have the same posting list, so they form a **group** and share one
(section 3.4.1); columns with equal sets share one **set** (`sets.duplicate_sets`).  What is left is a small graph
between groups and sets, stored from both sides:

    group.of_value        u32 per value of the dictionary: its group, or NO_GROUP
    list.starts           where each group's posting list starts, and where the last one's ends
    list.sets             u32: the sets of each group, ascending
    list.after            u32: how many values each of these sets holds in later groups
    set.starts            where each set's groups start, and where the last one's end
    set.groups            u32: the groups of each set, ascending
    set.sizes             u32: how many values each set holds
    set.of_column         u32 per column of the segment: its set, or NO_SET
    column.starts         where each set's columns start, and where the last one's end
    columns               u32: the columns of each set, ascending

Groups are numbered in the thesis's global order: rare values first (length of the list, then its content).
A set holds all values of a group or none, so a set written as groups contains the same as one written as values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mere.indexes.sets.duplicate_sets import WITH_NUMBERS, DistinctSets, distinct_sets
from mere.segments import Segment
from mere.store import equal_ranges, offsets_of, places_of, stable_order, sums_of
from mere.values import mix

NO_GROUP = np.uint32(0xFFFFFFFF)


def arrays_of(segment: Segment, settings: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """All arrays of the kind for a segment."""
    sets = distinct_sets(segment, bool(settings.get(WITH_NUMBERS, True)))
    group_of_value, starts, members, sizes = _grouped_lists(sets, len(segment.dictionary))
    column_starts, columns = sets.columns()
    return {
        "group.of_value": group_of_value,
        "list.starts": starts,
        "list.sets": members,
        **_set_side(len(sets.sizes), starts, members, sizes),
        "set.sizes": sets.sizes.astype(np.uint32),
        "set.of_column": sets.of_column,
        "column.starts": column_starts,
        "columns": columns,
    }


def _grouped_lists(sets: DistinctSets, values: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The group of every value; the groups' posting lists as starts and sets; and how many values each group has."""
    by_value = stable_order(sets.ids)
    lists = np.repeat(np.arange(len(sets.sizes), dtype=np.uint32), sets.sizes)[by_value]
    lengths = np.bincount(sets.ids, minlength=values)
    edges = offsets_of(lengths)
    sums = sums_of(mix(lists.astype(np.uint64)), edges)
    order = np.argsort(sums)  # equal sums in any order, which NumPy sorts much faster
    order = order[stable_order(lengths[order])]
    order = order[np.count_nonzero(lengths == 0) :]
    likely = np.flatnonzero((np.diff(lengths[order]) == 0) & (np.diff(sums[order].view(np.int64)) == 0))
    left, right = order[likely], order[likely + 1]
    same = np.zeros(len(order), bool)  # as the list before, in this order; equal sums alone are no proof
    same[likely + 1] = equal_ranges(lists, edges[left], edges[right], lengths[left])
    group_of_value = np.full(values, NO_GROUP, np.uint32)
    group_of_value[order] = np.cumsum(~same) - 1
    firsts = order[~same]
    members = lists[places_of(edges[firsts], lengths[firsts])]
    return group_of_value, offsets_of(lengths[firsts]), members, np.bincount(group_of_value[order])


def _set_side(sets: int, starts: np.ndarray, members: np.ndarray, sizes: np.ndarray) -> dict[str, np.ndarray]:
    """The same graph seen from the sets, and how many values of a set come after each entry of a list."""
    groups = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    keys = _joined(members, groups)
    order = np.argsort(keys)
    owners, set_groups = _split(keys[order])
    edges = offsets_of(np.bincount(owners, minlength=sets))
    running = np.cumsum(sizes[set_groups])
    total = np.concatenate([[0], running])[edges[1:]]
    after = np.empty(len(keys), np.uint32)
    after[order] = total[owners] - running
    return {"list.after": after, "set.starts": edges, "set.groups": set_groups}


def _joined(upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    """Pairs as 64-bit numbers, so that they sort as pairs."""
    return (upper.astype(np.uint64) << np.uint64(32)) | lower.astype(np.uint64)


def _split(pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return (pairs >> np.uint64(32)).astype(np.uint32), pairs.astype(np.uint32)
