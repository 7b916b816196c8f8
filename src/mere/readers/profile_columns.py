"""What does a profile say about one column, and is it consistent?

    histogram   bins (edges, ascending, one more than bins) with counts (integers) or densities (shares that sum to 1,
                or densities whose area is 1)
    statistics  count, nulls, distinct, min, max, mean
    unsure      what its owner does not know of it (`segments/plain_numbers`)

Edges of dates are seconds since 1970, or dates as text.  A column with a range and a count, and without a histogram,
gets one bin.

Refused with the reason: counts that are not integers >= 0, edges that are not ascending, more rows in the bins than in
the column, rows in bins outside the range, a range outside the bins that contain all rows, a mean outside the range, a
minimum above the maximum, more distinct values than cells, and dates outside of the years 1 to 9999.
"""

from __future__ import annotations

import math
from typing import Any

from mere.readers.descriptions import first_text
from mere.readers.profile_histograms import bins_of, histogram_of
from mere.readers.profile_values import MOST_ROWS, Json, Malformed, on_axis, property_of, row_count, shown
from mere.readers.table import Findings
from mere.segments.plain_numbers import SOME
from mere.values import Type

_ROUNDED = 0.01  # how far a rounded statistic may be off, relative to the largest...
_DAY = 86400.0  # ...and a date
_TYPES = (
    (("int", "uint"), Type.INTEGER),
    (("float", "double", "decimal", "number"), Type.DECIMAL),
    (("date", "time"), Type.DATETIME),
    (("bool",), Type.BOOLEAN),
)
_ALSO = {  # statistics that some publish as properties of the field itself
    "min": ("minDate", "min_date"),
    "max": ("maxDate", "max_date"),
    "distinct": ("nUnique", "n_unique", "uniqueDates", "unique_dates"),
}


def published_column(field: Json, findings: Findings) -> Json:
    """What a profile says about one column, checked."""
    histogram, statistics = (_object(property_of(field, name)) for name in ("histogram", "statistics"))
    column_type = _type_of(property_of(field, "dataType"))
    dated = column_type == Type.DATETIME
    count = _count(field, statistics)
    bins = bins_of(histogram)
    raw_range = [_statistic(field, statistics, name) for name in ("min", "max", "mean")]
    low, high, mean, *places = on_axis([*raw_range, *bins], dated)
    edges, counts = histogram_of(histogram, bins, places, count, findings)
    if count is None and property_of(histogram, "counts") is not None:
        count = sum(counts)
    if count == 0:
        column_type = Type.EMPTY
    elif edges and not column_type.has_order:
        column_type = Type.DECIMAL
    if not counts and column_type.has_order and count and low is not None and high is not None:
        edges, counts = [low, high], [count]
        findings.note("{n} {column has|columns have} a range and no histogram: all rows are in one bin", lost=False)
    properties = {
        "count": count,
        "nulls": row_count(_statistic(field, statistics, "nulls"), "nulls"),
        "distinct": row_count(_statistic(field, statistics, "distinct"), "distinct"),
        **({"low": low, "high": high, "mean": mean} if column_type.has_order else {}),
        **({"edges": edges, "counts": counts} if sum(counts) else {}),
        "unsure": _unsure(property_of(field, "unsure"), column_type),
    }
    column = {name: value for name, value in properties.items() if value is not None}
    _check_rows(column)
    _check_range(column, dated)
    return {"type": int(column_type), **column}


def _unsure(given: Any, column_type: Type) -> str | None:
    """What is not known of a column; a word that is not known here says that something is not."""
    if given is None or column_type in (Type.EMPTY, Type.BOOLEAN):
        return None
    fitting = {Type.DATETIME: ("dates",), Type.TEXT: SOME[::-1]}.get(column_type, ("decimal", "percent", "brackets"))
    return str(given) if given in fitting else fitting[0]


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _statistic(field: Json, statistics: Json, name: str) -> Any:
    """A statistic, wherever it is published."""
    values = (property_of(statistics, name), *(property_of(field, other) for other in _ALSO.get(name, ())))
    return next((value for value in values if value is not None), None)


def _count(field: Json, statistics: Json) -> int | None:
    """How many cells are not null; for booleans, some publish how many are true and how many false."""
    count = property_of(statistics, "count")
    for by_value in (property_of(field, "counts"), property_of(field, "count")):
        if count is None and isinstance(by_value, dict):
            count = sum(row_count(each, "count") or 0 for each in by_value.values())
    return row_count(count, "count")


def _type_of(data_types: Any) -> Type:
    """The nearest type to a data type; of several, the first that is more specific than text."""
    for each in data_types if isinstance(data_types, list) else [data_types]:
        text = each if isinstance(each, str) else first_text(each)
        word = text.replace("#", "/").replace(":", "/").rsplit("/", 1)[-1].casefold()
        for prefixes, column_type in _TYPES:
            if word.startswith(prefixes):
                return column_type
    return Type.TEXT


def _check_rows(column: Json) -> None:
    """No number of rows is too large, or larger than the number it is part of."""
    binned, count = sum(column.get("counts", ())), column.get("count")
    if binned >= MOST_ROWS:
        raise Malformed(f"{shown(binned)} rows, more than {MOST_ROWS:,}")
    if count is not None and binned > count:
        raise Malformed(f"{binned:,} rows in the histogram, but {count:,} in the column")
    if count is not None and column.get("distinct", 0) > count:
        raise Malformed(f"{column['distinct']:,} distinct values in {count:,} cells")


def _check_range(column: Json, dated: bool) -> None:
    """Minimum, mean, maximum and histogram agree, except for rounding."""
    low, high = column.get("low", -math.inf), column.get("high", math.inf)
    if low > high:
        raise Malformed(f"the minimum {low!r} is above the maximum {high!r}")
    finite = [abs(end) for end in (low, high) if math.isfinite(end)]
    tolerance = _DAY if dated else _ROUNDED * max(finite, default=0.0)
    mean = column.get("mean")
    if mean is not None and not low - tolerance <= mean <= high + tolerance:
        raise Malformed(f"the mean {mean!r} is not between the minimum {low!r} and the maximum {high!r}")
    if "edges" not in column:
        return
    edges, counts = column["edges"], column["counts"]
    filled = [place for place, count in enumerate(counts) if count]
    if edges[filled[0] + 1] < low - tolerance or edges[filled[-1]] > high + tolerance:
        raise Malformed(f"rows in bins below the minimum {low!r} or above the maximum {high!r}")
    below = column.get("low", edges[0]) < edges[0] - tolerance
    above = column.get("high", edges[-1]) > edges[-1] + tolerance
    if (below or above) and sum(counts) == column.get("count"):
        raise Malformed(f"all rows are in bins from {edges[0]!r} to {edges[-1]!r}, not from {low!r} to {high!r}")
