"""Which types do arrays have when they are handed to a kernel?  Another type means to compile the kernel again."""

from __future__ import annotations

import numpy as np


def read_only(array: np.ndarray) -> np.ndarray:
    """A view that cannot be written to, as arrays are that lie in a lake: what kernels read has this one type."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view
