"""What is published of one column, and does it hold together?

    histogram   bins (edges, ascending, one more than bins) with counts (whole rows) or densities (shares that sum to 1,
                or densities whose area is 1)
    statistics  count, nulls, distinct, min, max, mean

Edges of dates are seconds since 1970, or dates as text.  A bin holds its left edge, the last one both.  A column with a
range and a count, and without a histogram, has one bin.  Whatever contradicts itself is refused with the reason.
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

from mere.readers.about import first_text
from mere.readers.table import Findings
from mere.segments.published import MOST_BINS
from mere.values import Type, normalise, parse_dates

Json = dict[str, Any]

_MILLION = 1_000_000  # rows that shares are told in where nobody says how many there are
_MOST_ROWS = 1 << 53  # beyond, a JSON number need not be whole
_NEAR = 1e-6  # how far the sum of rounded shares may be from 1
_TYPES = (
    (("int", "uint"), Type.INTEGER),
    (("float", "double", "decimal", "number"), Type.DECIMAL),
    (("date", "time"), Type.DATETIME),
    (("bool",), Type.BOOLEAN),
)


_DISTINCT = ("nUnique", "n_unique", "uniqueDates", "unique_dates")


class Malformed(ValueError):
    """A profile that contradicts itself; the message says where."""


def property_of(thing: Json, name: str) -> Any:
    """A property, under its own name or with a prefix before it."""
    if name in thing:
        return thing[name]
    return next((value for key, value in thing.items() if key.endswith((f":{name}", f"/{name}"))), None)


def column_told(field: Json, findings: Findings) -> Json:
    """What is published of one column."""
    drawn, said = property_of(field, "histogram"), property_of(field, "statistics")
    drawn, said = (drawn if isinstance(drawn, dict) else {}), (said if isinstance(said, dict) else {})
    kind = _typeproperty_of(property_of(field, "dataType"))
    dated = kind == Type.DATETIME
    count = _count(field, said)
    edges, counts = _histogram(drawn, count, dated, findings)
    if sum(counts) > (sum(counts) if count is None else count):
        raise Malformed(f"the histogram holds {sum(counts):,} rows, and the column {count:,}")
    if count is None and property_of(drawn, "counts") is not None:
        count = sum(counts)
    low = _moment_or_number(
        _first(property_of(said, "min"), property_of(field, "minDate"), property_of(field, "min_date")), dated
    )
    high = _moment_or_number(
        _first(property_of(said, "max"), property_of(field, "maxDate"), property_of(field, "max_date")), dated
    )
    kind = Type.EMPTY if count == 0 else Type.DECIMAL if edges and not kind.has_order else kind
    if not counts and kind.has_order and count and low is not None and high is not None:
        if low > high:
            raise Malformed(f"the least value {low!r} is above the largest {high!r}")
        edges, counts = [low, high], [count]
        findings.note("{n} columns have a range and no histogram: all their rows are in one bin", lost=False)
    distinct = _first(*(property_of(said, "distinct"), *(property_of(field, key) for key in _DISTINCT)))
    known = {
        "count": count,
        "nulls": whole(property_of(said, "nulls"), "nulls"),
        "distinct": whole(distinct, "distinct"),
        "low": low if kind.has_order else None,
        "high": high if kind.has_order else None,
        "mean": _moment_or_number(property_of(said, "mean"), dated) if kind.has_order else None,
        **({"edges": edges, "counts": counts} if sum(counts) else {}),
    }
    return {"type": int(kind), **{name: value for name, value in known.items() if value is not None}}


def _count(field: Json, said: Json) -> int | None:
    """How many cells are not null; of truths, some publish how many are which."""
    split = _first(property_of(field, "counts"), property_of(field, "count"))
    if property_of(said, "count") is None and isinstance(split, dict):
        return sum(whole(each, "count") or 0 for each in split.values())
    return whole(property_of(said, "count"), "count")


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


def _typeproperty_of(told: Any) -> Type:
    """The type that a data type comes closest to; of several, the first that says more than text."""
    for each in told if isinstance(told, list) else [told]:
        text = each if isinstance(each, str) else first_text(each)
        word = text.replace("#", "/").replace(":", "/").rsplit("/", 1)[-1].casefold()
        for begins, kind in _TYPES:
            if word.startswith(begins):
                return kind
    return Type.TEXT


def _histogram(drawn: Json, rows: int | None, dated: bool, findings: Findings) -> tuple[list[float], list[int]]:
    """Edges and whole rows, checked; without any, if there are no rows."""
    bins = property_of(drawn, "bins")
    if not drawn or bins is None:
        return [], []
    counted, shares = property_of(drawn, "counts"), property_of(drawn, "densities")
    heights = shares if counted is None else counted
    if not isinstance(bins, list) or not isinstance(heights, list):
        raise Malformed("a histogram takes a list of bins, and a list of counts or of densities")
    if len(bins) != len(heights) + 1:
        raise Malformed(f"{len(bins):,} edges for {len(heights):,} bins: there must be one edge more than bins")
    edges = [_edge(bound, dated) for bound in bins]
    for left, right in pairwise(edges):
        if left > right:
            raise Malformed(f"edges are not ascending: {right!r} after {left!r}")
    counts = _counts(counted) if counted is not None else _from_shares(heights, edges, rows, findings)
    for place, count in enumerate(counts[:-1]):
        if count and edges[place] == edges[place + 1]:
            raise Malformed(f"{count:,} rows from {edges[place]!r} to itself, in a bin that is not the last")
    return _fewer(edges, counts, findings)


def _edge(told: Any, dated: bool) -> float:
    edge = _moment_or_number(told, dated)
    if edge is None:
        raise Malformed(f"an edge is not a finite number: {told!r}")
    return edge


def _counts(told: list[Any]) -> list[int]:
    counts = [count for each in told if (count := whole(each, "count")) is not None]
    if len(counts) < len(told):
        raise Malformed("a count is missing, or is not a number")
    if sum(counts) >= _MOST_ROWS:
        raise Malformed(f"{sum(counts):,} rows, more than {_MOST_ROWS:,}")
    return counts


def _from_shares(told: list[Any], edges: list[float], rows: int | None, findings: Findings) -> list[int]:
    """Whole rows in proportion to shares, or to densities times widths."""
    heights = [_number(each) for each in told]
    if any(height is None for height in heights):
        raise Malformed("a density is not a finite number")
    shares = [float(height or 0.0) for height in heights]
    if any(share < 0 for share in shares):
        raise Malformed(f"a density is negative: {min(shares)!r}")
    if not any(shares):
        return [0] * len(shares)
    areas = [share * (right - left) for share, left, right in zip(shares, edges[:-1], edges[1:], strict=True)]
    parts = next((parts for parts in (shares, areas) if abs(sum(parts) - 1) <= _NEAR), None)
    if parts is None:
        raise Malformed(f"densities sum to {sum(shares):g}: shares must sum to 1, or densities have the area 1")
    if rows is None:
        findings.note(
            "{n} histograms are told in shares, and nobody says of how many rows: told per million", lost=False
        )
    else:
        findings.note("{n} histograms are told in shares: rows were rounded to whole ones", lost=False)
    return whole_rows(parts, _MILLION if rows is None else rows)


def whole_rows(shares: Sequence[float], rows: int) -> list[int]:
    """So many rows dealt out by shares, by the method of largest remainders; of equal ones, the first.

    >>> whole_rows([0.5, 0.25, 0.25], 3)
    [1, 1, 1]
    """
    total = sum(map(Fraction, shares))
    quotas = [Fraction(share) * rows / total for share in shares]
    dealt = [math.floor(quota) for quota in quotas]
    order = sorted(range(len(shares)), key=lambda place: (dealt[place] - quotas[place], place))
    for place in order[: rows - sum(dealt)]:
        dealt[place] += 1
    return dealt


def _fewer(edges: list[float], counts: list[int], findings: Findings) -> tuple[list[float], list[int]]:
    """Neighbouring bins united until a bin's number fits in a byte: bounds get wider, and stay true."""
    if len(counts) <= MOST_BINS:
        return edges, counts
    findings.note(f"{{n}} histograms have more than {MOST_BINS} bins: neighbouring ones were united", lost=False)
    step = -(-len(counts) // MOST_BINS)
    united = [sum(counts[start : start + step]) for start in range(0, len(counts), step)]
    return [*edges[:-1:step], edges[-1]], united


def whole(told: Any, what: str) -> int | None:
    """A number of rows or values; None if none is told."""
    number = told if isinstance(told, int) and not isinstance(told, bool) else _number(told)
    if number is None:
        return None
    if number < 0:
        raise Malformed(f"{what} is negative: {number!r}")
    if number != int(number):
        raise Malformed(f"{what} is no whole number: {number!r}")
    if number >= _MOST_ROWS:
        raise Malformed(f"{what} is {int(number):,}, more than {_MOST_ROWS:,}")
    return int(number)


def _number(told: Any) -> float | None:
    """A finite number, or None."""
    if isinstance(told, bool) or not isinstance(told, int | float):
        return None
    try:
        number = float(told)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _moment_or_number(told: Any, dated: bool) -> float | None:
    """A place on a column's axis; in a column of dates, a date will do."""
    if not dated or not isinstance(told, str):
        return _number(told)
    try:
        moment = datetime.fromisoformat(told)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except ValueError:  # dates of other spellings, too
        return _number(float(parse_dates(normalise(pa.array([told])), np.zeros(1, int))[0]))
