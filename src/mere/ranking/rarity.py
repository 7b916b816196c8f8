"""How much does it say that two columns share a value?

The information content of a value: the logarithm of how many columns of the lake there are for each that has it.
Small integers and years have next to none, ISO codes little, names much.  In whole units, so that sums do not depend
on their order.
"""

from __future__ import annotations

import numpy as np

UNITS = 256  # per bit


def information(columns_with: np.ndarray, columns: int) -> np.ndarray:
    """The information of values that so many of all columns have, in units; 0 for a value that none has.

    >>> information(np.array([1, 4, 0]), 8)
    array([768, 256,   0])
    """
    ratio = max(columns, 1) / np.maximum(columns_with, 1)
    return np.where(columns_with > 0, np.rint(UNITS * np.log2(np.maximum(ratio, 1.0))), 0).astype(np.int64)
