"""Of which columns that a question may mean is it not known how they are distributed, and why?

Their owner publishes no histogram, their numbers may be read in two ways, or they are text with many numbers.  Such a
column neither meets a predicate nor fails it: its table may meet the question, and its negation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mere.indexes.distribution.named import PATTERNS
from mere.indexes.kind import Part
from mere.language.columns import fitting
from mere.segments import Segment
from mere.values import Type

_TWO_WAYS = "{} may be read in two ways"
_SOME = "text in which {} are {}"
REASONS = {  # by what is not known: why; the order is part of the format
    "decimal": _TWO_WAYS.format("numbers"),
    "percent": "some numbers are percentages, others have no unit",
    "brackets": _TWO_WAYS.format("numbers in brackets"),
    "dates": _TWO_WAYS.format("dates"),
    "some numbers": _SOME.format("some cells", "numbers"),
    "some dates": _SOME.format("some cells", "dates"),
    "some numbers and dates": _SOME.format("some cells", "numbers or dates"),
    "withheld": "histogram withheld",
}
_CODES = list(REASONS)
_DATES = np.array([code in ("dates", "some dates", "some numbers and dates") for code in _CODES])
_NO_NUMBERS = np.array([code in ("dates", "some dates") for code in _CODES])


def unknown_arrays(segment: Segment) -> dict[str, np.ndarray]:
    """The arrays of a segment."""
    unsure = {
        column: what for table in range(segment.table_count) for column, what in segment.unsure_columns(table).items()
    }
    return {
        "unknown.columns": np.array(sorted(unsure), np.uint32),
        "unknown.reasons": np.array([_CODES.index(unsure[column]) for column in sorted(unsure)], np.uint8),
    }


def unknown_columns(part: Part, name: str | None, dated: bool) -> np.ndarray:
    """The unknown columns, ascending, that a comparison with a number, or with a date, may mean by a name."""
    known: dict[Any, np.ndarray] = part.memo.setdefault("unknown columns", {})
    if (name, dated) not in known:
        if len(known) >= PATTERNS:
            known.clear()
        known[name, dated] = _named(part, name, dated)
    return known[name, dated]


def _named(part: Part, name: str | None, dated: bool) -> np.ndarray:
    columns, reasons = part.arrays["unknown.columns"], part.arrays["unknown.reasons"]
    is_date = part.segment.catalog["column.types"][columns] == Type.DATETIME
    columns = columns[is_date | _DATES[reasons] if dated else ~(is_date | _NO_NUMBERS[reasons])]
    if name in (None, "*") or not columns.size:
        return columns
    return columns[np.array(fitting(name, [part.segment.column_name(column) for column in columns.tolist()]), bool)]


def reasons_of(part: Part, columns: np.ndarray) -> list[str]:
    """Why some columns are unknown; an empty text for one that is known."""
    known, reasons = part.arrays["unknown.columns"], part.arrays["unknown.reasons"]
    places = np.searchsorted(known, columns)
    found = places < len(known)
    found[found] = known[places[found]] == columns[found]
    texts = list(REASONS.values())
    return [
        texts[reasons[place]] if there else "" for place, there in zip(places.tolist(), found.tolist(), strict=True)
    ]
