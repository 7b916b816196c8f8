"""What must a lake learn once: the partitions of set sizes, and the table of shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mere.indexes.containment.partitions import best_bounds, extended
from mere.indexes.containment.tuning import best_shapes
from mere.segments import Table

PARTITIONS = "containment_partitions"


def trained_on(sample: Sequence[Table], settings: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The partitions that suit the sizes of the sample, and the table of shapes."""
    sizes = np.concatenate([np.zeros(0, np.int64), *(np.diff(table.sets.starts) for table in sample)])
    sizes, counts = np.unique(sizes[sizes > 0], return_counts=True)
    if len(sizes) == 0:
        sizes, counts = np.array([1]), np.array([1])
    return {
        "bounds": extended(best_bounds(sizes, counts, int(settings.get(PARTITIONS, 32)))),
        "shapes": best_shapes(),
    }
