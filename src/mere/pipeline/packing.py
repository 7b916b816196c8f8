"""How is work grouped: files and columns into tasks, tables into segments?

Tasks are grouped for balance; segments by name and size alone, so that the same tables always make the same
segments, whatever the number of cores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from mere.pipeline.records import TableToBuild

T = TypeVar("T")

FILE_COST = 16 << 10  # bytes that are read in the time that opening one more file takes
_TASKS_PER_CORE = 10  # so that none ends long after the others; but each costs some milliseconds
_SMALLEST_TASK = 1 << 20
_LARGEST_TASK = 64 << 20
LARGEST_MERGE = 64 << 20  # bytes of blocks that a merge task takes, unless one column has more
_MOST_SEGMENTS = 64  # of a first build: beyond this number, segments become larger instead


def balanced(items: Sequence[T], weight: Callable[[T], int], cores: int) -> list[list[T]]:
    """Groups of neighbours, several per core, none tiny."""
    total = sum(map(weight, items))
    return in_order(items, weight, min(max(total // (cores * _TASKS_PER_CORE), _SMALLEST_TASK), _LARGEST_TASK))


def in_order(items: Iterable[T], weight: Callable[[T], int], most: int) -> list[list[T]]:
    """Fill one group after the other; an item that does not fit starts the next."""
    groups: list[list[T]] = []
    filled = 0
    for item in items:
        size = weight(item)
        if not groups or filled + size > most:
            groups.append([])
            filled = 0
        groups[-1].append(item)
        filled += size
    return groups


def into_segments(tables: Sequence[TableToBuild], segment_bytes: int) -> list[list[TableToBuild]]:
    """Tables in the order of their names, cut into segments of about one size."""
    ordered = sorted(tables, key=lambda table: table.name)
    total = sum(table.weight for table in ordered)
    segments = max(1, min(-(-total // segment_bytes), _MOST_SEGMENTS))
    most = total // segments * 17 // 16 + 1  # a little more, or the last tables would need a segment of their own
    return in_order(ordered, lambda table: table.weight, most)
