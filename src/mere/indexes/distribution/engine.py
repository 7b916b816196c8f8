"""Which histograms of a segment satisfy "at least p of the values compare so"?  Possible, exactly; no scan.

On the grid the answer is a slice of one order, found by binary search.  Between two levels it lies between their
slices: what is in the slice of the higher level is sure, and the rest of the lower level's slice is looked at, bin by
bin.  Of two-sided ranges those are looked at that both sides leave.

Compiled, with a NumPy twin for processes in which compiling does not pay.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from mere.indexes.distribution.build import LEVELS
from mere.indexes.distribution.counting import OPERATOR_NUMBERS, OPPOSITE, bounds_of, satisfied
from mere.indexes.kind import Arrays
from mere.language import Predicate
from mere.store import compiled

Answer = np.ndarray  # numbers of histograms, in any order


def possible(arrays: Arrays, predicate: Predicate) -> Answer:
    """The histograms that may satisfy a predicate."""
    if isinstance(predicate.value, tuple):
        return _between(arrays, predicate)
    operator, fraction = predicate.operator, predicate.fraction
    if predicate.side == "at most":
        operator, fraction = OPPOSITE[operator], 1 - fraction
    return at_least(arrays, fraction, operator, float(predicate.value))


def at_least(arrays: Arrays, fraction: Fraction, operator: str, value: float) -> Answer:
    """The histograms of which at least this fraction may compare so."""
    scaled = fraction * LEVELS
    level = int(scaled)
    if scaled == level:
        return _slice(arrays, level, operator, value)
    sure, hopeful = _slice(arrays, level + 1, operator, value), _slice(arrays, level, operator, value)
    if compiled.ready() and _fits(arrays, fraction):
        from mere.indexes.distribution.kernels import reaching

        asked = (fraction.numerator, fraction.denominator, OPERATOR_NUMBERS[operator], value)
        return reaching(sure, hopeful, *asked, *_histograms(arrays))
    left = np.ones(len(arrays["hist.columns"]), bool)
    left[sure] = False
    unsure = hopeful[left[hopeful]]
    predicate = Predicate(None, "at least", fraction, operator, value)
    fits, _ = satisfied(predicate, bounds_of(arrays, unsure, operator, value))
    return np.concatenate([sure, unsure[fits]])


def _fits(arrays: Arrays, fraction: Fraction) -> bool:
    """Whether rows can be compared with the fraction in whole numbers of 64 bits."""
    return fraction.denominator * int(arrays["hist.below"].max(initial=1)) < 1 << 62


def _histograms(arrays: Arrays) -> tuple[np.ndarray, ...]:
    return arrays["hist.starts"], arrays["hist.edges"], arrays["hist.below"]


def _slice(arrays: Arrays, level: int, operator: str, value: float) -> Answer:
    """On the grid; level 0 is reached by everything."""
    if level == 0:
        return np.arange(len(arrays["hist.columns"]), dtype=np.uint32)
    below = operator in ("<", "<=")
    name = "below" if below else "above"
    order, bins = arrays[f"order.{name}"][level - 1], arrays[f"level.{name}"][level - 1]
    starts, edges = arrays["hist.starts"], arrays["hist.edges"]
    if compiled.ready():
        from mere.indexes.distribution.kernels import place_above, place_below

        if below:
            return order[: place_below(order, bins, starts, edges, value, operator == "<=")]
        return order[place_above(order, bins, starts, edges, value, operator == ">=") :]
    each = np.arange(len(order))
    if below:
        left = edges[starts[:-1] + each + bins]
        return np.flatnonzero(left <= value if operator == "<=" else left < value).astype(np.uint32)
    right = edges[starts[:-1] + each + bins + 1]
    fits = right > value
    if operator == ">=":
        fits |= (right == value) & (bins == np.diff(starts) - 1)
    return np.flatnonzero(fits).astype(np.uint32)


def _between(arrays: Arrays, predicate: Predicate) -> Answer:
    """Two-sided: those that both sides leave, looked at; "at most" has no side to start from."""
    low, high = predicate.value if isinstance(predicate.value, tuple) else (predicate.value, predicate.value)
    fraction = predicate.fraction
    which = np.arange(len(arrays["hist.columns"]), dtype=np.uint32)
    if predicate.side == "at least" and fraction > 0:
        level = int(fraction * LEVELS)
        sides = (_slice(arrays, level, ">=", low), _slice(arrays, level, "<=", high))
        if compiled.ready() and _fits(arrays, fraction):
            from mere.indexes.distribution.kernels import reaching_both

            asked = (fraction.numerator, fraction.denominator, low, high)
            return reaching_both(*sides, *asked, *_histograms(arrays))
        which = min(sides, key=len)
    fits, _ = satisfied(predicate, bounds_of(arrays, which, "between", (low, high)))
    return which[fits]
