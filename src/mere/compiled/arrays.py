"""Which types do arrays have when they are handed to a kernel?  For another type the kernel is compiled again."""

from __future__ import annotations

import numpy as np


def read_only(array: np.ndarray) -> np.ndarray:
    """A read-only view, as the arrays of a lake are read-only: all arrays that kernels read then have the same type."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view
