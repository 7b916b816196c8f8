"""What does reading cost on this machine?  (Equation 3.15, fitted as section 3.4.3 does, in memory and not on a disk.)

Measured once per process, on the first part with enough to read: the shortest and the longest lists, the smallest and
the largest sets; two points each make a line.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from mere.indexes.overlap.kernels import Costs, Lists, desk_for, merge_lists, probe

USUAL = Costs(list_access=6.0, list_entry=1.0, set_access=60.0, set_entry=1.0, look=10.0)

_SAMPLE = 256  # lists, or sets, timed together
_ENOUGH = 20_000  # entries
_TIMES = 5
_CREDIBLE = 8.0  # times the usual, or a part of it: what lies outside was a disturbance
_measured: list[Costs] = []


def costs_for(lists: Lists) -> Costs:
    """The costs of this process; the usual ones while nothing large enough was seen."""
    enough = min(len(lists.starts), len(lists.set_starts)) > 2 * _SAMPLE and len(lists.sets) >= _ENOUGH
    if not _measured and enough:
        _measured.append(measure(lists))
    return _measured[0] if _measured else USUAL


def measure(lists: Lists) -> Costs:
    """Time short and long lists, small and large sets."""
    every = np.arange(len(lists.starts) - 1, dtype=np.uint32)
    by_size = np.argsort(np.diff(lists.set_starts), kind="stable").astype(np.uint32)
    reads = np.zeros(4, np.int64)
    with desk_for(lists, 0) as desk:
        desk.weights[:], desk.counts[:] = 1, 1
        access, entry = _line(
            lambda chosen: merge_lists(lists, chosen, False, desk, reads),
            (every[:_SAMPLE], every[-_SAMPLE:]), np.diff(lists.starts),
        )  # fmt: skip
        set_access, set_entry = _line(
            lambda chosen: probe(lists, chosen, every, 0, desk, reads),
            (by_size[:_SAMPLE], by_size[-_SAMPLE:]), np.diff(lists.set_starts),
        )  # fmt: skip
        desk.weights[:], desk.counts[:] = 0, 0
    found = (access, entry, set_access, set_entry, USUAL.look)
    return Costs(*(_credible(ns, usual) for ns, usual in zip(found, USUAL, strict=True)))


def _line(
    read: Callable[[np.ndarray], object], samples: tuple[np.ndarray, np.ndarray], lengths: np.ndarray
) -> tuple[float, float]:
    """Nanoseconds per item and per entry, from two samples of different lengths."""
    (x0, y0), (x1, y1) = [(float(lengths[sample].mean()), _time(read, sample) / len(sample)) for sample in samples]
    slope = (y1 - y0) / max(x1 - x0, 1e-9)
    return y0 - slope * x0, slope


def _time(read: Callable[[np.ndarray], object], sample: np.ndarray) -> float:
    best = float("inf")
    for _ in range(_TIMES):
        started = time.perf_counter_ns()
        read(sample)
        best = min(best, time.perf_counter_ns() - started)
    return best


def _credible(found: float, usual: float) -> float:
    return min(max(found, usual / _CREDIBLE), usual * _CREDIBLE)
