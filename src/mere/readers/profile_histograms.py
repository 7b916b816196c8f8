"""The histogram of a profile: edges and numbers of rows, from counts, shares or densities.

    bins        edges, ascending, one more than bins; the last bin includes both edges, the others the left one
    counts      integers, or
    densities   shares that sum to 1, or densities whose area is 1

Shares become numbers of rows exactly if they are fractions of the number of rows, or of any integer; only shares that
the publisher rounded are rounded again, and this is noted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from mere.readers.profile_values import Json, Malformed, number_of, property_of, row_count, shown
from mere.readers.table import Findings
from mere.segments.published import MOST_BINS

_MILLION = 1_000_000  # rows that rounded shares are converted to if the number of rows is not published
_NEAR = 1e-6  # how far the sum of rounded shares may be from 1, and a share of rows from an integer
_AS_FLOATS = 1e-12  # how far a float may be from the fraction it stands for, relative to it
_LARGEST_DENOMINATOR, _LARGEST_COMMON = 10**6, 10**9  # denominators: of one share, of all shares


def bins_of(histogram: Json) -> list[Any]:
    bins = property_of(histogram, "bins")
    if bins is not None and not isinstance(bins, list):
        raise Malformed("a histogram needs a list of bins, and a list of counts or of densities")
    return bins or []


def histogram_of(
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
    shares = [share for each in raw if (share := number_of(each)) is not None]
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
