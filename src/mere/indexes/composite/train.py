"""What must a lake learn once: how rare each character is, by which XASH chooses the characters of a value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mere.indexes.composite.super_keys import character_ranks
from mere.segments import Table
from mere.store import Strings


def trained_on(sample: Sequence[Table]) -> dict[str, np.ndarray]:
    """How rare each character is among the distinct values of the sample."""
    return {"ranks": character_ranks(Strings.concat([table.sets.values for table in sample]))}
