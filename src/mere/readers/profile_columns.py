"""What does a profile say about one column, and is it consistent?

    histogram   bins (edges, ascending, one more than bins) with counts (integers) or densities (shares that sum to 1,
                or densities whose area is 1)
    statistics  count, nulls, distinct, min, max, mean

Edges of dates are seconds since 1970, or dates as text.  A bin includes its left edge, the last one both edges.  A
column with a range and a count, and without a histogram, gets one bin.  Shares become numbers of rows exactly if they
are fractions of the number of rows, or of any integer; only shares that the publisher rounded are rounded again, and
this is noted.

Refused with the reason: counts that are not integers >= 0, edges that are not ascending, more rows in the bins than in
the column, rows in bins outside the range, a range outside the bins that contain all rows, a mean outside the range, a
minimum above the maximum, more distinct values than cells, and dates outside of the years 1 to 9999.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from mere.readers.descriptions import first_text
from mere.readers.table import Findings
from mere.segments.published import MOST_BINS
from mere.values import Type, normalise, parse_dates
from mere.values.dates import FIRST_MOMENT, LAST_MOMENT

Json = dict[str, Any]

_MILLION = 1_000_000  # rows that rounded shares are converted to if the number of rows is not published
_MOST_ROWS = 1 << 53  # a larger JSON number may be rounded; times the levels of the index, this fits in 64 bits
_NEAR = 1e-6  # how far the sum of rounded shares may be from 1, and a share of rows from an integer
_AS_FLOATS = 1e-12  # how far a float may be from the fraction it stands for, relative to it
_LARGEST_DENOMINATOR, _LARGEST_COMMON = 10**6, 10**9  # denominators: of one share, of all shares
_ROUNDED = 0.01  # how far a rounded statistic may be off, relative to the largest...
_DAY = 86400.0  # ...and a date
_DATE_CHARACTERS = 64
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


class Malformed(ValueError):
    """A profile that is inconsistent; the message says where."""


def property_of(node: Json, name: str) -> Any:
    """A property, by its name alone or with a prefix."""
    if name in node:
        return node[name]
    return next((value for key, value in node.items() if key.endswith((f":{name}", f"/{name}"))), None)


def published_column(field: Json, findings: Findings) -> Json:
    """What a profile says about one column, checked."""
    histogram, statistics = (_object(property_of(field, name)) for name in ("histogram", "statistics"))
    column_type = _type_of(property_of(field, "dataType"))
    dated = column_type == Type.DATETIME
    count = _count(field, statistics)
    bins = _bins(histogram)
    raw_range = [_statistic(field, statistics, name) for name in ("min", "max", "mean")]
    low, high, mean, *places = _on_axis([*raw_range, *bins], dated)
    edges, counts = _histogram(histogram, bins, places, count, findings)
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
    }
    column = {name: value for name, value in properties.items() if value is not None}
    _check_rows(column)
    _check_range(column, dated)
    return {"type": int(column_type), **column}


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


# histograms


def _bins(histogram: Json) -> list[Any]:
    bins = property_of(histogram, "bins")
    if bins is not None and not isinstance(bins, list):
        raise Malformed("a histogram needs a list of bins, and a list of counts or of densities")
    return bins or []


def _histogram(
    histogram: Json, bins: list[Any], places: Sequence[float | None], rows: int | None, findings: Findings
) -> tuple[list[float], list[int]]:
    """Edges and numbers of rows, checked; both empty if there are no bins."""
    if property_of(histogram, "bins") is None:
        return [], []
    raw_counts, densities = property_of(histogram, "counts"), property_of(histogram, "densities")
    heights = densities if raw_counts is None else raw_counts
    if not isinstance(heights, list):
        raise Malformed("a histogram needs a list of bins, and a list of counts or of densities")
    if len(bins) != len(heights) + 1:
        raise Malformed(f"{len(bins):,} edges for {len(heights):,} bins: there must be one edge more than bins")
    edges = _ascending(bins, places)
    counts = _counts(raw_counts) if raw_counts is not None else _from_shares(heights, edges, rows, findings)
    for place, count in enumerate(counts[:-1]):
        if count and edges[place] == edges[place + 1]:
            raise Malformed(f"{count:,} rows in a bin from {edges[place]!r} to itself, which is not the last bin")
    return _merge_bins(edges, counts, findings)


def _ascending(bins: list[Any], places: Sequence[float | None]) -> list[float]:
    edges = [place for place in places if place is not None]
    if len(edges) < len(bins):
        raise Malformed(f"an edge is not a finite number: {shown(bins[places.index(None)])}")
    for left, right in pairwise(edges):
        if left > right:
            raise Malformed(f"edges are not ascending: {right!r} after {left!r}")
    return edges


def _counts(raw: list[Any]) -> list[int]:
    counts = [count for each in raw if (count := row_count(each, "count")) is not None]
    if len(counts) < len(raw):
        raise Malformed("a count is missing, or is not a number")
    return counts


def _from_shares(raw: list[Any], edges: list[float], rows: int | None, findings: Findings) -> list[int]:
    """Numbers of rows in proportion to shares, or to densities times widths."""
    shares = _shares(raw, edges, findings)
    if not any(shares):
        return [0] * len(shares)
    if rows is None:
        findings.note("{n} {histogram has|histograms have} shares of an unknown number of rows", lost=False)
    exact = _as_fractions(shares) if rows is None else _of_rows(shares, rows)
    if exact is not None:
        return exact
    findings.note(
        "{n} {histogram has|histograms have} shares that were rounded by the publisher; answers have the same error",
        lost=False,
    )
    return rows_from_shares(shares, _MILLION if rows is None else rows)


def _shares(raw: list[Any], edges: list[float], findings: Findings) -> list[float]:
    """The share of each bin: as published, or density times width."""
    shares = [share for each in raw if (share := _number(each)) is not None]
    if len(shares) < len(raw):
        raise Malformed("a density is not a finite number")
    if any(share < 0 for share in shares):
        raise Malformed(f"a density is negative: {min(shares)!r}")
    areas = [share * (right - left) for share, (left, right) in zip(shares, pairwise(edges), strict=True)]
    plausible = [parts for parts in (shares, areas) if abs(sum(parts) - 1) <= _NEAR]
    if not plausible and any(shares):
        raise Malformed(f"densities sum to {sum(shares):g}: shares must sum to 1, or densities times widths")
    if len(plausible) > 1 and any(abs(share - area) > _NEAR for share, area in zip(shares, areas, strict=True)):
        findings.note(
            "{n} {histogram has|histograms have} densities that sum to 1, also times widths: read as shares", lost=False
        )
    return plausible[0] if plausible else shares


def _as_fractions(shares: Sequence[float]) -> list[int] | None:
    """The smallest integers in proportion to shares; None if the shares are not fractions that sum to 1.

    >>> _as_fractions([1 / 6, 1 / 3, 1 / 2])
    [1, 2, 3]
    """
    parts = [Fraction(share).limit_denominator(_LARGEST_DENOMINATOR) for share in shares]
    near = all(abs(part - Fraction(share)) <= _AS_FLOATS * share for part, share in zip(parts, shares, strict=True))
    common = 1
    for part in parts:
        common = min(math.lcm(common, part.denominator), _LARGEST_COMMON + 1)
    if not near or sum(parts) != 1 or common > _LARGEST_COMMON:
        return None
    return [int(part * common) for part in parts]


def _of_rows(shares: Sequence[float], rows: int) -> list[int] | None:
    """Numbers of rows by shares, if all of them are integers."""
    quotas = [Fraction(share) * rows for share in shares]
    counts = [round(quota) for quota in quotas]
    near = all(abs(quota - count) <= _NEAR for quota, count in zip(quotas, counts, strict=True))
    return counts if near and sum(counts) == rows else None


def rows_from_shares(shares: Sequence[float], rows: int) -> list[int]:
    """A number of rows divided by shares, by the method of largest remainders; of equal ones, the first.

    >>> rows_from_shares([0.5, 0.25, 0.25], 3)
    [1, 1, 1]
    """
    total = sum(map(Fraction, shares))
    quotas = [Fraction(share) * rows / total for share in shares]
    counts = [math.floor(quota) for quota in quotas]
    order = sorted(range(len(shares)), key=lambda place: (counts[place] - quotas[place], place))
    for place in order[: rows - sum(counts)]:
        counts[place] += 1
    return counts


def _merge_bins(edges: list[float], counts: list[int], findings: Findings) -> tuple[list[float], list[int]]:
    """Neighbouring bins merged until a bin's number fits in a byte: bounds become wider, and stay correct."""
    if len(counts) <= MOST_BINS:
        return edges, counts
    fault = f"{{n}} {{histogram has|histograms have}} more than {MOST_BINS} bins: neighbouring ones were merged"
    findings.note(fault, lost=False)
    step = -(-len(counts) // MOST_BINS)
    merged = [sum(counts[start : start + step]) for start in range(0, len(counts), step)]
    return [*edges[:-1:step], edges[-1]], merged


# consistency


def _check_rows(column: Json) -> None:
    """No number of rows is too large, or larger than the number it is part of."""
    binned, count = sum(column.get("counts", ())), column.get("count")
    if binned >= _MOST_ROWS:
        raise Malformed(f"{shown(binned)} rows, more than {_MOST_ROWS:,}")
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


# numbers


def shown(value: Any, most: int = 100) -> str:
    """A value in a message: escaped, and cut."""
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}..."


def row_count(value: Any, what: str) -> int | None:
    """A number of rows or values; None if it is not a number."""
    number = value if isinstance(value, int) and not isinstance(value, bool) else _number(value)
    if number is None:
        return None
    if number < 0:
        raise Malformed(f"{what} is negative: {shown(number)}")
    if number != int(number):
        raise Malformed(f"{what} is not an integer: {number!r}")
    if number >= _MOST_ROWS:
        raise Malformed(f"{what} is {shown(number)}, more than {_MOST_ROWS:,}")
    return int(number)


def _number(value: Any) -> float | None:
    """A finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _on_axis(values: Sequence[Any], dated: bool) -> list[float | None]:
    """Values as numbers; in a column of dates, dates become seconds since 1970.  None for any other value."""
    if not dated:
        return [_number(each) for each in values]
    moments = _moments([each if isinstance(each, str) else "" for each in values])
    places = [moment if isinstance(each, str) else _number(each) for each, moment in zip(values, moments, strict=True)]
    for each, place in zip(values, places, strict=True):
        if place is not None and not FIRST_MOMENT <= place <= LAST_MOMENT:
            raise Malformed(f"a date is outside of the years 1 to 9999: {shown(each)}")
    return places


def _moments(texts: list[str]) -> list[float | None]:
    """Seconds since 1970 of dates in ISO 8601 or, parsed together as one column, in other formats."""
    texts = [text if len(text) <= _DATE_CHARACTERS and text.isprintable() else "" for text in texts]
    if not any(texts):
        return [None] * len(texts)
    others = parse_dates(normalise(pa.array(texts)), np.zeros(len(texts), int)).tolist()
    return [_iso(text, other) for text, other in zip(texts, others, strict=True)]


def _iso(text: str, otherwise: float) -> float | None:
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except ValueError:
        return _number(otherwise)
