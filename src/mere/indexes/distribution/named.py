"""Which histograms does a question refer to: those of columns with a name, those of dates, those of numbers?"""

from __future__ import annotations

import numpy as np

from mere.indexes.kind import Part
from mere.language.columns import fitting
from mere.values import Type

_PATTERNS = 32  # column patterns whose columns are remembered


def dated_histograms(part: Part) -> np.ndarray:
    """Which histograms are of columns of dates: a date is compared only with these, a number only with the others."""
    if "dated" not in part.memo:
        part.memo["dated"] = part.segment.catalog["column.types"][part.arrays["hist.columns"]] == Type.DATETIME
    return np.asarray(part.memo["dated"])


def unsure_histograms(part: Part) -> np.ndarray:
    """The histograms, ascending, of columns whose numbers may be read in two ways: nothing is sure of them."""
    return np.asarray(part.arrays["hist.unsure"]) if "hist.unsure" in part.arrays else np.empty(0, np.uint32)


def named_histograms(part: Part, column: str | None) -> np.ndarray | None:
    """The histograms of columns whose name fits, ascending; None if every name does."""
    if column is None or column == "*":
        return None
    known: dict[str, np.ndarray] = part.memo.setdefault("named", {})
    if column not in known:
        if len(known) >= _PATTERNS:
            known.clear()
        names = part.segment.column_names
        fits = fitting(column, [names[number] for number in part.arrays["hist.columns"].tolist()])
        known[column] = np.flatnonzero(np.array(fits, bool)).astype(np.uint32)
    return known[column]
