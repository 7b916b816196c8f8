"""What the kernel takes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Tables(NamedTuple):
    """The tables of a segment: how many columns each has, and whether it is alive."""

    widths: np.ndarray
    live: np.ndarray
