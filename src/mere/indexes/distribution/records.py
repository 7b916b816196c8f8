"""What do kernels read?  Arrays that belong together, by name.

Python hands them over as plain tuples, and kernels name them: a NamedTuple takes half a microsecond to hand over, ten
times as long as a tuple.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Bins(NamedTuple):
    """The histograms of a segment: bin b of histogram i has edges[starts[i] + i + b] as its left edge."""

    starts: np.ndarray
    edges: np.ndarray
    below: np.ndarray  # rows up to and with each bin


class Side(NamedTuple):
    """The index of one side: per level, the bin in which it is reached, and the order of these bins' edges."""

    orders: np.ndarray
    levels: np.ndarray
    above: bool  # levels are reached from above, or from below


class Ratio(NamedTuple):
    """p / q, in whole numbers."""

    p: int
    q: int


class Means(NamedTuple):
    """Histograms in the order of their means, and the means."""

    order: np.ndarray
    values: np.ndarray


class Line(NamedTuple):
    """The cumulative curve of a shape: edges, and the share of values up to each of them."""

    edges: np.ndarray
    up_to: np.ndarray


BinArrays = tuple[np.ndarray, np.ndarray, np.ndarray]  # `Bins`
SideArrays = tuple[np.ndarray, np.ndarray, bool]  # `Side`
