"""What does reading cost on this machine?  (Equation 3.15, fitted as in section 3.4.3, for memory instead of a disk.)

Measured once per process, on the first part with enough to read: the shortest and the longest lists, the smallest and
the largest sets.  Two points each make a line: its value at length 0 is the cost of one access, its slope that of one
entry.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from mere.indexes.overlap.records import Costs, Lists, scratch_for

USUAL = Costs(list_access=6.0, list_entry=1.0, set_access=60.0, set_entry=1.0, look=10.0)

Read = Callable[[np.ndarray], object]  # reads some lists, or sets

clock: Callable[[], int] = time.perf_counter_ns
_SAMPLE = 256  # lists, or sets, timed together
_ENOUGH = 20_000  # entries
_TIMES = 5
_CREDIBLE = 8.0  # a cost beyond so many times the usual, or below that part of it, was a disturbance
_measured: list[Costs] = []


def costs_for(lists: Lists) -> Costs:
    """The costs of this process; the usual ones while no part was large enough to measure them."""
    enough = min(len(lists.starts), len(lists.set_starts)) > 2 * _SAMPLE and len(lists.sets) >= _ENOUGH
    if not _measured and enough:
        _measured.append(measure(lists))
    return _measured[0] if _measured else USUAL


def measure(lists: Lists) -> Costs:
    """Time short and long lists, small and large sets, by the kernels that read them."""
    from mere.indexes.overlap.reading import merge_lists, probe

    every = np.arange(len(lists.starts) - 1, dtype=np.uint32)
    with scratch_for(lists, 0) as scratch:
        scratch.weights[:], scratch.counts[:] = 1, 1
        costs = fitted(
            lists,
            lambda groups: merge_lists(lists, groups, False, scratch),
            lambda sets: probe(lists, sets, every, 0, scratch),
        )
        scratch.weights[:], scratch.counts[:] = 0, 0
    return costs


def fitted(lists: Lists, read_lists: Read, read_sets: Read) -> Costs:
    """The costs of reading lists and sets, from samples of the shortest and the longest of each."""
    groups = np.arange(len(lists.starts) - 1, dtype=np.uint32)  # in the order of the lengths of their lists
    sets = np.argsort(np.diff(lists.set_starts), kind="stable").astype(np.uint32)
    list_access, list_entry = _line(read_lists, groups, np.diff(lists.starts))
    set_access, set_entry = _line(read_sets, sets, np.diff(lists.set_starts))
    measured = Costs(list_access, list_entry, set_access, set_entry, USUAL.look)
    return Costs(*(_credible(cost, usual) for cost, usual in zip(measured, USUAL, strict=True)))


def _line(read: Read, ascending: np.ndarray, lengths: np.ndarray) -> tuple[float, float]:
    """Nanoseconds per item and per entry, from the shortest and the longest items."""
    short, long = ascending[:_SAMPLE], ascending[-_SAMPLE:]
    (x0, y0), (x1, y1) = [
        (float(lengths[sample].mean()), _time(read, sample) / len(sample)) for sample in (short, long)
    ]
    slope = (y1 - y0) / max(x1 - x0, 1e-9)
    return y0 - slope * x0, slope


def _time(read: Read, sample: np.ndarray) -> float:
    """Nanoseconds to read a sample: the least of several times."""
    least = float("inf")
    for _ in range(_TIMES):
        started = clock()
        read(sample)
        least = min(least, clock() - started)
    return least


def _credible(cost: float, usual: float) -> float:
    return min(max(cost, usual / _CREDIBLE), usual * _CREDIBLE)
