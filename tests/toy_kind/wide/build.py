"""The width of every table in the unit of the lake, and the average width of a sample, which shows what is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mere.indexes.kind import Arrays
from mere.segments import Segment, Table


def trained_on(sample: Sequence[Table]) -> dict[str, np.ndarray]:
    return {"average": np.array([np.mean([len(table.columns) for table in sample] or [0])])}


def arrays_of(segment: Segment, trained: Arrays, settings: Mapping[str, Any]) -> dict[str, np.ndarray]:
    widths = np.diff(segment.first_column) // settings.get("wide_unit", 1)
    return {"widths": widths.astype(np.int64), "average": np.asarray(trained["average"])}
