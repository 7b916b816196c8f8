"""Which histograms does a question refer to: those of columns with a name, those of dates, those of numbers?"""

from __future__ import annotations

import numpy as np

from mere.indexes.kind import Part
from mere.language.columns import fitting
from mere.values import Type

PATTERNS = 32  # column patterns whose columns are remembered


def compared_histograms(part: Part, dated: bool) -> np.ndarray:
    """Which histograms are compared: with a date only those of dates, with a number only the others; none of a column
    of which it is not known how it is distributed (`unknown`)."""
    key = "with dates" if dated else "with numbers"
    if key not in part.memo:
        columns = part.arrays["hist.columns"]
        of_dates = part.segment.catalog["column.types"][columns] == Type.DATETIME
        part.memo[key] = (of_dates == dated) & ~np.isin(columns, part.arrays["unknown.columns"])
    return np.asarray(part.memo[key])


def named_histograms(part: Part, column: str | None) -> np.ndarray | None:
    """The histograms of columns whose name fits, ascending; None if every name does."""
    if column is None or column == "*":
        return None
    known: dict[str, np.ndarray] = part.memo.setdefault("named", {})
    if column not in known:
        if len(known) >= PATTERNS:
            known.clear()
        names = part.segment.column_names
        fits = fitting(column, [names[number] for number in part.arrays["hist.columns"].tolist()])
        known[column] = np.flatnonzero(np.array(fits, bool)).astype(np.uint32)
    return known[column]
