"""What is published of one column, and does it hold together?

    histogram   bins (edges, ascending, one more than bins) with counts (whole rows) or densities (shares that sum to 1,
                or densities whose area is 1)
    statistics  count, nulls, distinct, min, max, mean

Edges of dates are seconds since 1970, or dates as text.  A bin holds its left edge, the last one both.  A column with a
range and a count, and without a histogram, has one bin.  Shares become rows exactly wherever they are fractions of so
many rows, or of any whole number; only shares that their publisher rounded are rounded again, and that is noted.

Refused with the reason: numbers of rows that are no such numbers, edges that descend, more rows in the bins than in the
column, rows in bins beyond the range or a range beyond the bins that hold all rows, a mean beyond the range, a range
upside down, more distinct values than cells, and moments outside of the years 1 to 9999.
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
from mere.values.dates import FIRST_MOMENT, LAST_MOMENT

Json = dict[str, Any]

_MILLION = 1_000_000  # rows that rounded shares are told in where nobody says how many there are
_MOST_ROWS = 1 << 53  # beyond, a JSON number need not be whole; times the levels of the index, it fits in 64 bits
_NEAR = 1e-6  # how far the sum of rounded shares may be from 1, and a share of rows from a whole number
_AS_FLOATS = 1e-12  # how far a float may be from the fraction it stands for, relative to it
_LARGEST_PART, _LARGEST_WHOLE = 10**6, 10**9  # denominators: of one share, of all of them
_ROUNDED = 0.01  # how far a rounded statistic may be off, relative to the largest...
_DAY = 86400.0  # ...and a moment
_DATE_CHARACTERS = 64
_TYPES = (
    (("int", "uint"), Type.INTEGER),
    (("float", "double", "decimal", "number"), Type.DECIMAL),
    (("date", "time"), Type.DATETIME),
    (("bool",), Type.BOOLEAN),
)
_ALSO = {  # statistics that others publish of the field itself
    "min": ("minDate", "min_date"),
    "max": ("maxDate", "max_date"),
    "distinct": ("nUnique", "n_unique", "uniqueDates", "unique_dates"),
}


class Malformed(ValueError):
    """A profile that contradicts itself; the message says where."""


def property_of(thing: Json, name: str) -> Any:
    """A property, under its own name or with a prefix before it."""
    if name in thing:
        return thing[name]
    return next((value for key, value in thing.items() if key.endswith((f":{name}", f"/{name}"))), None)


def column_told(field: Json, findings: Findings) -> Json:
    """What is published of one column."""
    drawn, said = (_object(property_of(field, name)) for name in ("histogram", "statistics"))
    kind = _type_of(property_of(field, "dataType"))
    dated = kind == Type.DATETIME
    count = _count(field, said)
    bins = _bins(drawn)
    told = [_told(field, said, name) for name in ("min", "max", "mean")]
    low, high, mean, *places = _on_axis([*told, *bins], dated)
    edges, counts = _histogram(drawn, bins, places, count, findings)
    if count is None and property_of(drawn, "counts") is not None:
        count = sum(counts)
    kind = Type.EMPTY if count == 0 else Type.DECIMAL if edges and not kind.has_order else kind
    if not counts and kind.has_order and count and low is not None and high is not None:
        edges, counts = [low, high], [count]
        findings.note("{n} columns have a range and no histogram: all their rows are in one bin", lost=False)
    known = {
        "count": count,
        "nulls": whole(_told(field, said, "nulls"), "nulls"),
        "distinct": whole(_told(field, said, "distinct"), "distinct"),
        **({"low": low, "high": high, "mean": mean} if kind.has_order else {}),
        **({"edges": edges, "counts": counts} if sum(counts) else {}),
    }
    column = {name: value for name, value in known.items() if value is not None}
    _check_rows(column)
    _check_range(column, dated)
    return {"type": int(kind), **column}


def _object(told: Any) -> Json:
    return told if isinstance(told, dict) else {}


def _told(field: Json, said: Json, name: str) -> Any:
    """A statistic, wherever it is published."""
    found = (property_of(said, name), *(property_of(field, other) for other in _ALSO.get(name, ())))
    return next((value for value in found if value is not None), None)


def _count(field: Json, said: Json) -> int | None:
    """How many cells are not null; of truths, some publish how many are which."""
    told = property_of(said, "count")
    for split in (property_of(field, "counts"), property_of(field, "count")):
        if told is None and isinstance(split, dict):
            told = sum(whole(each, "count") or 0 for each in split.values())
    return whole(told, "count")


def _type_of(told: Any) -> Type:
    """The type that a data type comes closest to; of several, the first that says more than text."""
    for each in told if isinstance(told, list) else [told]:
        text = each if isinstance(each, str) else first_text(each)
        word = text.replace("#", "/").replace(":", "/").rsplit("/", 1)[-1].casefold()
        for begins, kind in _TYPES:
            if word.startswith(begins):
                return kind
    return Type.TEXT


# histograms


def _bins(drawn: Json) -> list[Any]:
    bins = property_of(drawn, "bins")
    if bins is not None and not isinstance(bins, list):
        raise Malformed("a histogram takes a list of bins, and a list of counts or of densities")
    return bins or []


def _histogram(
    drawn: Json, bins: list[Any], places: Sequence[float | None], rows: int | None, findings: Findings
) -> tuple[list[float], list[int]]:
    """Edges and whole rows, checked; without any, if there are no rows."""
    if property_of(drawn, "bins") is None:
        return [], []
    counted, shares = property_of(drawn, "counts"), property_of(drawn, "densities")
    heights = shares if counted is None else counted
    if not isinstance(heights, list):
        raise Malformed("a histogram takes a list of bins, and a list of counts or of densities")
    if len(bins) != len(heights) + 1:
        raise Malformed(f"{len(bins):,} edges for {len(heights):,} bins: there must be one edge more than bins")
    edges = _ascending(bins, places)
    counts = _counts(counted) if counted is not None else _from_shares(heights, edges, rows, findings)
    for place, count in enumerate(counts[:-1]):
        if count and edges[place] == edges[place + 1]:
            raise Malformed(f"{count:,} rows from {edges[place]!r} to itself, in a bin that is not the last")
    return _fewer(edges, counts, findings)


def _ascending(bins: list[Any], places: Sequence[float | None]) -> list[float]:
    edges = [place for place in places if place is not None]
    if len(edges) < len(bins):
        raise Malformed(f"an edge is not a finite number: {shown(bins[places.index(None)])}")
    for left, right in pairwise(edges):
        if left > right:
            raise Malformed(f"edges are not ascending: {right!r} after {left!r}")
    return edges


def _counts(told: list[Any]) -> list[int]:
    counts = [count for each in told if (count := whole(each, "count")) is not None]
    if len(counts) < len(told):
        raise Malformed("a count is missing, or is not a number")
    return counts


def _from_shares(told: list[Any], edges: list[float], rows: int | None, findings: Findings) -> list[int]:
    """Whole rows in proportion to shares, or to densities times widths."""
    parts = _parts(told, edges, findings)
    if not any(parts):
        return [0] * len(parts)
    if rows is None:
        findings.note("{n} histograms are told in shares, and nobody says of how many rows", lost=False)
    exact = _as_fractions(parts) if rows is None else _of_rows(parts, rows)
    if exact is not None:
        return exact
    findings.note(
        "{n} histograms have shares that were rounded by their publisher; answers are as exact as these", lost=False
    )
    return whole_rows(parts, _MILLION if rows is None else rows)


def _parts(told: list[Any], edges: list[float], findings: Findings) -> list[float]:
    """The share of each bin: as told, or as the area over it."""
    shares = [share for each in told if (share := _number(each)) is not None]
    if len(shares) < len(told):
        raise Malformed("a density is not a finite number")
    if any(share < 0 for share in shares):
        raise Malformed(f"a density is negative: {min(shares)!r}")
    areas = [share * (right - left) for share, (left, right) in zip(shares, pairwise(edges), strict=True)]
    fit = [parts for parts in (shares, areas) if abs(sum(parts) - 1) <= _NEAR]
    if not fit and any(shares):
        raise Malformed(f"densities sum to {sum(shares):g}: shares must sum to 1, or densities have the area 1")
    if len(fit) > 1 and any(abs(share - area) > _NEAR for share, area in zip(shares, areas, strict=True)):
        findings.note(
            "{n} histograms have densities that are 1 in sum and in area: they were taken for shares", lost=False
        )
    return fit[0] if fit else shares


def _as_fractions(shares: Sequence[float]) -> list[int] | None:
    """The least whole numbers in proportion to shares; None where they are no fractions that sum to 1.

    >>> _as_fractions([1 / 6, 1 / 3, 1 / 2])
    [1, 2, 3]
    """
    parts = [Fraction(share).limit_denominator(_LARGEST_PART) for share in shares]
    near = all(abs(part - Fraction(share)) <= _AS_FLOATS * share for part, share in zip(parts, shares, strict=True))
    whole = 1
    for part in parts:
        whole = min(math.lcm(whole, part.denominator), _LARGEST_WHOLE + 1)
    if not near or sum(parts) != 1 or whole > _LARGEST_WHOLE:
        return None
    return [int(part * whole) for part in parts]


def _of_rows(shares: Sequence[float], rows: int) -> list[int] | None:
    """So many rows, if every share of them is a whole number."""
    quotas = [Fraction(share) * rows for share in shares]
    dealt = [round(quota) for quota in quotas]
    near = all(abs(quota - count) <= _NEAR for quota, count in zip(quotas, dealt, strict=True))
    return dealt if near and sum(dealt) == rows else None


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


# contradictions


def _check_rows(column: Json) -> None:
    """No number of rows is too large, or larger than the number it is part of."""
    held, count = sum(column.get("counts", ())), column.get("count")
    if held >= _MOST_ROWS:
        raise Malformed(f"{shown(held)} rows, more than {_MOST_ROWS:,}")
    if count is not None and held > count:
        raise Malformed(f"the histogram holds {held:,} rows, and the column {count:,}")
    if count is not None and column.get("distinct", 0) > count:
        raise Malformed(f"{column['distinct']:,} distinct values in {count:,} cells")


def _check_range(column: Json, dated: bool) -> None:
    """Least value, mean, largest value and histogram agree, but for rounding."""
    low, high = column.get("low", -math.inf), column.get("high", math.inf)
    if low > high:
        raise Malformed(f"the least value {low!r} is above the largest {high!r}")
    told = [abs(end) for end in (low, high) if math.isfinite(end)]
    slack = _DAY if dated else _ROUNDED * max(told, default=0.0)
    mean = column.get("mean")
    if mean is not None and not low - slack <= mean <= high + slack:
        raise Malformed(f"the mean {mean!r} is not between the least value {low!r} and the largest {high!r}")
    if "edges" not in column:
        return
    edges, counts = column["edges"], column["counts"]
    filled = [place for place, count in enumerate(counts) if count]
    if edges[filled[0] + 1] < low - slack or edges[filled[-1]] > high + slack:
        raise Malformed(f"rows in bins beyond the least value {low!r} or the largest {high!r}")
    beyond = column.get("low", edges[0]) < edges[0] - slack or column.get("high", edges[-1]) > edges[-1] + slack
    if beyond and sum(counts) == column.get("count"):
        raise Malformed(f"all rows are in bins from {edges[0]!r} to {edges[-1]!r}, not from {low!r} to {high!r}")


# numbers


def shown(told: Any, most: int = 100) -> str:
    """A value in a message: escaped, and never endless."""
    text = repr(told)
    return text if len(text) <= most else f"{text[:most]}..."


def whole(told: Any, what: str) -> int | None:
    """A number of rows or values; None if none is told."""
    number = told if isinstance(told, int) and not isinstance(told, bool) else _number(told)
    if number is None:
        return None
    if number < 0:
        raise Malformed(f"{what} is negative: {shown(number)}")
    if number != int(number):
        raise Malformed(f"{what} is no whole number: {number!r}")
    if number >= _MOST_ROWS:
        raise Malformed(f"{what} is {shown(number)}, more than {_MOST_ROWS:,}")
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


def _on_axis(told: Sequence[Any], dated: bool) -> list[float | None]:
    """Places on a column's axis; in a column of dates, dates will do.  None where there is no such place."""
    if not dated:
        return [_number(each) for each in told]
    moments = _moments([each if isinstance(each, str) else "" for each in told])
    places = [moment if isinstance(each, str) else _number(each) for each, moment in zip(told, moments, strict=True)]
    for each, place in zip(told, places, strict=True):
        if place is not None and not FIRST_MOMENT <= place <= LAST_MOMENT:
            raise Malformed(f"a moment is outside of the years 1 to 9999: {shown(each)}")
    return places


def _moments(texts: list[str]) -> list[float | None]:
    """Seconds since 1970 of dates in ISO's spelling or, all of them together, in others."""
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
