"""What kernels of this kind take: the arrays of a part, the wish, and memory to work in.

Index       the posting lists of a part, who owns its sets, and what reading costs
Wanted      how many owners, and what they must reach at least
Scratch     counters, and lists of sets; kept per thread from segment to segment
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

BLOCK = 256  # sets looked at together


class Lists(NamedTuple):
    """The posting lists of a segment, and its sets as groups; `build` describes the arrays."""

    starts: np.ndarray
    sets: np.ndarray
    after: np.ndarray
    set_starts: np.ndarray
    set_groups: np.ndarray
    set_sizes: np.ndarray


class Owners(NamedTuple):
    """The living tables, or columns, that have each set; a set without owners does not count."""

    starts: np.ndarray
    numbers: np.ndarray


class Costs(NamedTuple):
    """Nanoseconds: to start reading a list or a set, and to read one entry of it (equation 3.15); and, per set looked
    at, to decide whether probing would be cheaper."""

    list_access: float  # l0
    list_entry: float  # l1
    set_access: float  # s0
    set_entry: float  # s1
    look: float


class Index(NamedTuple):
    """A part as a question sees it."""

    lists: Lists
    owners: Owners
    costs: Costs


class Wanted(NamedTuple):
    """The best k owners are wanted (0: all), and overlaps below the bound do not count."""

    k: int
    bound: int


class Scratch(NamedTuple):
    """Memory to count in; a thread uses the same from segment to segment, so that it stays in the cache."""

    weights: np.ndarray  # uint32 per group: how many of the query's values it stands for; zero between questions
    counts: np.ndarray  # uint32 per set: the overlap counted so far; zero between questions
    seen: np.ndarray  # uint32: sets in the order in which they were first seen; one place more than there are sets
    every: np.ndarray  # uint32: all sets, in order
    hopeful: np.ndarray  # uint32: sets that may still be among the best
    top: np.ndarray  # uint32: sets that have reached a level; one place more than there are sets
    gathered: np.ndarray  # uint32: counts of some sets, side by side
    maxima: np.ndarray  # uint32: the largest count of each block of sets
    marks: np.ndarray  # uint8 per owner, zero between calls
    reads: np.ndarray  # int64: what the last question has read: lists, their entries, sets, their entries


_local = threading.local()


@contextmanager
def scratch_for(lists: Lists, owners: int) -> Iterator[Scratch]:
    """This thread's memory, made larger if necessary, cut to the groups and sets of these lists.

    After an interruption its counters are not zero, so it is thrown away.
    """
    groups, sets = len(lists.starts) - 1, len(lists.set_sizes)
    scratch: Scratch | None = getattr(_local, "scratch", None)
    if scratch is None or groups > len(scratch.weights) or sets > len(scratch.counts) or owners > len(scratch.marks):
        scratch = _local.scratch = _new_scratch(scratch, groups, sets, owners)
    weights, counts, seen, every, *others = scratch
    try:
        yield Scratch(weights[:groups], counts[:sets], seen, every[:sets], *others)
    except BaseException:
        del _local.scratch
        raise


def _new_scratch(old: Scratch | None, groups: int, sets: int, owners: int) -> Scratch:
    """Memory for so many groups, sets and owners, and no less of any than the old one has."""
    if old is not None:
        groups, sets, owners = max(groups, len(old.weights)), max(sets, len(old.counts)), max(owners, len(old.marks))
    seen, hopeful, top, gathered = (np.empty(sets + 1, np.uint32) for _ in range(4))
    return Scratch(
        weights=np.zeros(groups, np.uint32),
        counts=np.zeros(sets, np.uint32),
        seen=seen,
        every=np.arange(sets, dtype=np.uint32),
        hopeful=hopeful,
        top=top,
        gathered=gathered,
        maxima=np.empty(sets // BLOCK + 1, np.uint32),
        marks=np.zeros(owners, np.uint8),
        reads=np.zeros(4, np.int64),
    )
