"""Which histograms of a segment satisfy "at least p of the values compare so"?  Possible, exactly; no scan.

On the grid the answer is a slice of one order, found by search.  Elsewhere a few slices say which histograms certainly
belong to the answer and which possibly do; those that are possible and not certain are looked at, bin by bin.

    at least p on a side  certain    the level after p is reached
                          possible   the level before p is
    at least p between    certain    one side has all rows, and the other reaches the level after p
                          possible   both sides reach the level before p
    at most p between     certain    one side alone, outside, reaches the level after 1 - p
                          possible   one side reaches the level before (1 - p) / 2: together they have 1 - p

Every bin may lie above the low end or below the high one, so over(between) = over(< high) + over(>= low) - rows: where
one side has all rows, the other decides.

Compiled, and in NumPy for processes in which compiling would take longer than the questions.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from mere import compiled
from mere.indexes.distribution.build import LEVELS
from mere.indexes.distribution.counting import DISTRIBUTION, bins_in, bounds_of, satisfied
from mere.indexes.distribution.records import SideArrays
from mere.indexes.kind import Arrays
from mere.language import Predicate

Answer = np.ndarray  # numbers of histograms, in any order
Slice = tuple[bool, int, float]  # above or below, level, number


Verdict = Callable[..., tuple[Any, Any]]  # which are certain, and which possible, from masks of slices


def possible(arrays: Arrays, predicate: Predicate) -> Answer:
    """The histograms that may satisfy a predicate."""
    p, q = predicate.fraction.numerator, predicate.fraction.denominator
    low, high = _interval(predicate)
    if -np.inf < high <= low < np.inf:  # nothing certainly lies in it, and "at most" is possible for all
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
    return _one_sided(arrays, above, (p, q), value)


def _interval(predicate: Predicate) -> tuple[float, float]:
    """The interval that counts: for "at least", of what may be in it; for "at most", of what certainly is."""
    may, certain = predicate.intervals[:2], predicate.intervals[2:]
    return may if predicate.side == "at least" else certain


def _levels(p: int, q: int) -> tuple[int, int]:
    """The levels before and after p / q; the same if it is on the grid."""
    return p * LEVELS // q, -(-p * LEVELS // q)


def _between(p: int, q: int, low: float, high: float) -> tuple[list[Slice], Verdict]:
    before, after = _levels(p, q)
    levels = [LEVELS, after] if before == after else [LEVELS, after, before]
    return [side for level in levels for side in ((True, level, low), (False, level, high))], _inside


def _inside(all_above: Any, all_below: Any, above: Any, below: Any, *before: Any) -> tuple[Any, Any]:
    lower = before or (above, below)
    return all_above & below | all_below & above, lower[0] & lower[1]


def _outside(p: int, q: int, low: float, high: float) -> tuple[list[Slice], Verdict]:
    levels = (_levels(q - p, q)[1], _levels(q - p, 2 * q)[0])
    return [side for level in levels for side in ((False, level, low), (True, level, high))], _either


def _either(below: Any, above: Any, half_below: Any, half_above: Any) -> tuple[Any, Any]:
    return below | above, half_below | half_above


def _settled(arrays: Arrays, predicate: Predicate, slices: list[Slice], verdict: Verdict) -> Answer:
    """Those that are certain, and those of the possible ones that satisfy the predicate when they are looked at."""
    certain, possible = verdict(*(_reached(arrays, *each) for each in slices))
    which = _numbers(possible & ~certain)
    fits, _ = satisfied(predicate, bounds_of(arrays, which, predicate.intervals))
    return np.concatenate([_numbers(certain), which[fits]])


def _numbers(mask: np.ndarray) -> Answer:
    return np.flatnonzero(mask).astype(np.uint32)


def _one_sided(arrays: Arrays, above: bool, ratio: tuple[int, int], value: float) -> Answer:
    """Those of which a fraction off the grid, p / q, may lie above a number, or below it; compiled."""
    return _kernels().one_sided(_side(arrays, above), bins_in(arrays), _levels(*ratio), ratio, value)


def _two_sided(arrays: Arrays, predicate: Predicate, slices: list[Slice], verdict: Verdict) -> Answer:
    """`_settled`, compiled."""
    fraction, (low, high) = predicate.fraction, _interval(predicate)
    asked = (predicate.side == "at least", fraction.numerator, fraction.denominator, low, high)
    sides, verdicts = (_side(arrays, False), _side(arrays, True)), _verdicts(verdict, len(slices))
    return _kernels().two_sided(np.array(slices, float), verdicts, asked, sides, bins_in(arrays))


@cache
def _verdicts(verdict: Verdict, count: int) -> np.ndarray:
    """A verdict on each mask of `count` bits: 0 impossible, 1 certain, 2 to be looked at."""
    certain, possible = verdict(*(np.arange(1 << count) >> bit & 1 > 0 for bit in range(count)))
    return np.where(certain, 1, np.where(possible, 2, 0)).astype(np.uint8)


@cache
def _kernels() -> Any:
    """The module of kernels: an import takes a tenth of the time that a question on the grid does."""
    from mere.indexes.distribution import kernels

    return kernels


def _fast(arrays: Arrays, denominator: int) -> bool:
    """Whether kernels are there, and can compare rows with the fraction in whole numbers of 64 bits."""
    if not compiled.ready(DISTRIBUTION):
        return False
    below = arrays["hist.below"]
    return denominator * (1 << 32 if below.itemsize == 4 else int(below.max(initial=1))) < 1 << 62


def _side(arrays: Arrays, above: bool) -> SideArrays:
    if above:
        return arrays["order.above"], arrays["level.above"], True
    return arrays["order.below"], arrays["level.below"], False


def _slice(arrays: Arrays, above: bool, level: int, value: float) -> Answer:
    """Those that reach a level."""
    if level == 0 or not compiled.ready(DISTRIBUTION):
        return _numbers(_reached(arrays, above, level, value))
    return _slice_compiled(arrays, above, level, value)


def _slice_compiled(arrays: Arrays, above: bool, level: int, value: float) -> Answer:
    side = _side(arrays, above)
    begin, end = _kernels().slice_of(side, bins_in(arrays), level, value)
    return side[0][level - 1, begin:end]


def _reached(arrays: Arrays, above: bool, level: int, value: float) -> np.ndarray:
    """For each histogram, whether it reaches a level; level 0 is reached by all."""
    starts, edges, _ = bins_in(arrays)
    each = np.arange(len(starts) - 1)
    if level == 0:
        return np.ones(len(each), bool)
    places = _side(arrays, above)[1][level - 1]
    if not above:
        return edges[starts[:-1] + each + places] < value
    right, last = edges[starts[:-1] + each + places + 1], places == np.diff(starts) - 1
    return (right > value) | ((right == value) & last)


def run_kernels(arrays: Arrays) -> tuple[tuple[str, Callable[[], object]], ...]:
    """Calls that run each kernel of this module once: for compiling them."""
    between = Predicate(None, "at least", Fraction(1, 2), "between", (0.0, 1.0))
    return (
        ("slice_of", lambda: _slice_compiled(arrays, False, 1, 0.0)),
        ("one_sided", lambda: _one_sided(arrays, False, (1, 2 * LEVELS), 0.0)),
        ("two_sided", lambda: _two_sided(arrays, between, *_between(1, 2, 0.0, 1.0))),
    )
