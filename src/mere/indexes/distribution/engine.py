"""Which histograms of a segment satisfy "at least p of the values compare so"?  Possible, exactly; no scan.

On the grid the answer is a slice of one order, found by search.  Elsewhere a few slices say which histograms are sure
to belong to the answer and which may hope to; what is neither sure nor hopeless is looked at, bin by bin.

    at least p on a side  sure       the level after p is reached
                          hopeful    the level before p is
    at least p between    sure       one side has all rows, and the other reaches the level after p
                          hopeful    both sides reach the level before p
    at most p between     sure       one side alone, outside, reaches the level after 1 - p
                          hopeful    one side reaches the level before (1 - p) / 2: together they have 1 - p

Every bin may lie above the low end or below the high one, so over(between) = over(< high) + over(>= low) - rows: where
one side has all rows, the other decides.

Compiled, with a NumPy twin for processes in which compiling does not pay.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from mere.indexes.distribution.build import LEVELS
from mere.indexes.distribution.counting import bounds_of, satisfied
from mere.indexes.kind import Arrays
from mere.language import Predicate
from mere.store import compiled

Answer = np.ndarray  # numbers of histograms, in any order
Slice = tuple[bool, int, float]  # above or below, level, number
Verdict = Callable[..., tuple[Any, Any]]  # who is sure, and who is hopeful, from masks of slices


def possible(arrays: Arrays, predicate: Predicate) -> Answer:
    """The histograms that may satisfy a predicate."""
    p, q = predicate.fraction.numerator, predicate.fraction.denominator
    low, high = _interval(predicate)
    if -np.inf < high <= low < np.inf:  # nothing surely lies in it, and "at most" is possible for all
        return np.arange(len(arrays["hist.columns"]), dtype=np.uint32)
    if -np.inf < low and high < np.inf:
        slices, verdict = (_between if predicate.side == "at least" else _outside)(p, q, low, high)
        return (_two_sided if _fast(arrays, q) else _settled)(arrays, predicate, slices, verdict)
    above = low > -np.inf
    value = low if above else high
    if predicate.side == "at most":
        above, p = not above, q - p
    before, after = _levels(p, q)
    if before == after:
        return _slice(arrays, above, after, value)
    if not _fast(arrays, q):
        slices = [(above, level, value) for level in (after, before)]
        return _settled(arrays, predicate, slices, lambda after, before: (after, before))
    from mere.indexes.distribution.kernels import one_sided

    return one_sided(_side(arrays, above), arrays["hist.below"], before, after, p, q, value, above)


def _interval(predicate: Predicate) -> tuple[float, float]:
    """The interval that counts: at least, of what may be in it; at most, of what surely is."""
    may, sure = predicate.intervals[:2], predicate.intervals[2:]
    return may if predicate.side == "at least" else sure


def _levels(p: int, q: int) -> tuple[int, int]:
    """The levels before and after p / q; the same if it is on the grid."""
    return p * LEVELS // q, -(-p * LEVELS // q)


def _between(p: int, q: int, low: float, high: float) -> tuple[list[Slice], Verdict]:
    before, after = _levels(p, q)
    levels = [LEVELS, after] if before == after else [LEVELS, after, before]
    return [side for level in levels for side in ((True, level, low), (False, level, high))], _inside


def _inside(all_above: Any, all_below: Any, above: Any, below: Any, *before: Any) -> tuple[Any, Any]:
    hopes = before or (above, below)
    return all_above & below | all_below & above, hopes[0] & hopes[1]


def _outside(p: int, q: int, low: float, high: float) -> tuple[list[Slice], Verdict]:
    levels = (_levels(q - p, q)[1], _levels(q - p, 2 * q)[0])
    return [side for level in levels for side in ((False, level, low), (True, level, high))], _either


def _either(below: Any, above: Any, half_below: Any, half_above: Any) -> tuple[Any, Any]:
    return below | above, half_below | half_above


def _settled(arrays: Arrays, predicate: Predicate, slices: list[Slice], verdict: Verdict) -> Answer:
    """The sure ones, and those of the others that satisfy the predicate when they are looked at."""
    sure, hopeful = verdict(*(_reached(arrays, *one) for one in slices))
    which = _numbers(hopeful & ~sure)
    fits, _ = satisfied(predicate, bounds_of(arrays, which, predicate.intervals))
    return np.concatenate([_numbers(sure), which[fits]])


def _numbers(mask: np.ndarray) -> Answer:
    return np.flatnonzero(mask).astype(np.uint32)


def _two_sided(arrays: Arrays, predicate: Predicate, slices: list[Slice], verdict: Verdict) -> Answer:
    """`_settled`, compiled."""
    from mere.indexes.distribution.kernels import two_sided

    p, q = predicate.fraction.numerator, predicate.fraction.denominator
    asked = (np.array(slices, float), _verdicts(verdict, len(slices)), predicate.side == "at least", p, q)
    return two_sided(*asked, *_interval(predicate), _side(arrays, False), _side(arrays, True), arrays["hist.below"])


@cache
def _verdicts(verdict: Verdict, count: int) -> np.ndarray:
    """A verdict on each mask of `count` bits: 0 out, 1 in, 2 to be looked at."""
    sure, hopeful = verdict(*(np.arange(1 << count) >> bit & 1 > 0 for bit in range(count)))
    return np.where(sure, 1, np.where(hopeful, 2, 0)).astype(np.uint8)


def _fast(arrays: Arrays, denominator: int) -> bool:
    """Whether kernels are there, and can compare rows with the fraction in whole numbers of 64 bits."""
    below = arrays["hist.below"]
    return compiled.ready() and denominator * (1 << 32 if below.itemsize == 4 else int(below.max(initial=1))) < 1 << 62


def _side(arrays: Arrays, above: bool) -> tuple[np.ndarray, ...]:
    name = "above" if above else "below"
    return arrays[f"order.{name}"], arrays[f"level.{name}"], arrays["hist.starts"], arrays["hist.edges"]


def _slice(arrays: Arrays, above: bool, level: int, value: float) -> Answer:
    """Those that reach a level."""
    if level == 0 or not compiled.ready():
        return _numbers(_reached(arrays, above, level, value))
    from mere.indexes.distribution.kernels import span

    side = _side(arrays, above)
    begin, end = span(side, level, value, above)
    return side[0][level - 1, begin:end]


def _reached(arrays: Arrays, above: bool, level: int, value: float) -> np.ndarray:
    """For each histogram, whether it reaches a level; level 0 is reached by all."""
    _, levels, starts, edges = _side(arrays, above)
    each = np.arange(len(starts) - 1)
    if level == 0:
        return np.ones(len(each), bool)
    bins = levels[level - 1]
    if not above:
        return edges[starts[:-1] + each + bins] < value
    right, last = edges[starts[:-1] + each + bins + 1], bins == np.diff(starts) - 1
    return (right > value) | ((right == value) & last)
