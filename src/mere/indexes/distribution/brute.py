"""The same question, answered from its definition: every bin of every histogram, one at a time, in exact numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from mere.answers import Hit, best
from mere.indexes.distribution.build import BINS, USUAL
from mere.indexes.distribution.fainder import MODES as PAPER
from mere.indexes.distribution.fainder.clusters import clusters_of
from mere.indexes.distribution.histograms import strategy_of, summed_up
from mere.indexes.distribution.likeness import FARTHEST, Shape, distance
from mere.indexes.kind import Arrays
from mere.language import Predicate
from mere.language.expressions import fitting
from mere.segments import Table, histograms_in
from mere.segments.axis import numbers_of
from mere.values import Type, infer

Bin = tuple[float, float, int, bool]  # left and right edge, rows, whether it is the last


def brute(query: Mapping[str, Any], tables: Sequence[Table], settings: Mapping[str, Any], trained: Arrays) -> list[Hit]:
    """The best k columns, or tables, that may satisfy the predicate; or that a mode of the paper's takes for that."""
    if query.get("like") is not None:
        return _alike(query, tables, settings)
    predicate: Predicate = query["predicate"]
    hits = []
    for table in tables:
        dated = _dates(table)
        found = [
            _hit(table, name, predicate, bins)
            for name, bins in histograms(table, settings).items()
            if fitting(predicate.column, [name])[0]
            and (name in dated) == predicate.dated
            and takes(query.get("mode") or "auto", predicate, bins, trained)
        ]
        hits += found if query.get("per") == "column" else best(found, 1)
    return best(hits, query.get("k", 10))


def _alike(query: Mapping[str, Any], tables: Sequence[Table], settings: Mapping[str, Any]) -> list[Hit]:
    like = Shape.of(**query["like"])
    hits = []
    for table in tables:
        found = []
        for name, bins in histograms(table, settings).items():
            known = bins[0][0] > -FARTHEST and bins[-1][1] < FARTHEST
            if known and fitting(query.get("column"), [name])[0] and table.facts.name != query.get("skip"):
                shape = Shape.of([*(left for left, _, _, _ in bins), bins[-1][1]], [count for _, _, count, _ in bins])
                away = distance(like, shape)
                evidence = {"distance": away, **_profile_only(table)}
                found.append(Hit(table.facts.name, (name,), 1 / (1 + away / like.width()), False, evidence))
        hits += found if query.get("per") == "column" else best(found, 1)
    return best(hits, query.get("k", 10))


def histograms(table: Table, settings: Mapping[str, Any]) -> dict[str, list[Bin]]:
    """The bins of each of a table's columns that has an axis; those that were published, if its rows were not."""
    if table.facts.published:
        names = table.columns.names
        return {names[place]: bins_of(edges, rows) for place, edges, rows in histograms_in(table.facts.published)}
    starts, counts = table.sets.starts, table.sets.counts.astype(np.int64)
    values = table.sets.values.to_arrow()
    told = infer(values, starts, counts)
    numeric = np.isin(told.types, (Type.INTEGER, Type.DECIMAL))
    numbers = np.where(np.repeat(numeric, np.diff(starts)), numbers_of(values), told.numbers)
    strategy, found = strategy_of(settings.get(BINS, USUAL)), {}
    for column, name in enumerate(table.columns.names):
        span = slice(int(starts[column]), int(starts[column + 1]))
        valid = np.isfinite(numbers[span])
        if valid.any():
            one = summed_up(np.zeros(valid.sum(), int), numbers[span][valid], counts[span][valid], strategy)
            found[name] = bins_of(one.edges.tolist(), one.counts.tolist())
    return found


def _dates(table: Table) -> set[str]:
    """The columns of dates."""
    if table.facts.published:
        types = [column["type"] for column in table.facts.published["columns"]]
    else:
        types = infer(
            table.sets.values.to_arrow(), table.sets.starts, table.sets.counts.astype(np.int64)
        ).types.tolist()
    return {name for name, kind in zip(table.columns.names, types, strict=True) if kind == Type.DATETIME}


def bins_of(edges: Sequence[float], counts: Sequence[int]) -> list[Bin]:
    last = len(counts) - 1
    return [(edges[i], edges[i + 1], count, i == last) for i, count in enumerate(counts)]


def bounds(predicate: Predicate, bins: Sequence[Bin]) -> tuple[Fraction, Fraction]:
    """The least and the largest fraction of the values that may satisfy the comparison."""
    rows = sum(count for _, _, count, _ in bins)
    under = sum(count for left, right, count, last in bins if _all(predicate, left, right, last))
    over = sum(count for left, right, count, last in bins if _some(predicate, left, right, last))
    return Fraction(under, rows), Fraction(over, rows)


def label(predicate: Predicate, bins: Sequence[Bin]) -> str | None:
    """'guaranteed', 'possible', or None if neither."""
    under, over = bounds(predicate, bins)
    if predicate.side == "at least":
        possible, sure = over >= predicate.fraction, under >= predicate.fraction
    else:
        possible, sure = under <= predicate.fraction, over <= predicate.fraction
    return "guaranteed" if sure else "possible" if possible else None


def _some(predicate: Predicate, left: float, right: float, last: bool) -> bool:
    """Whether a bin may hold a value that satisfies the comparison."""
    top, value = _top(right, last), predicate.value
    if left > top:
        return False
    if isinstance(value, tuple):
        return left <= value[1] and top >= value[0]
    below, above = left < value or _vague(left, value), top > value or _vague(top, value)
    return {"<": below, "<=": left <= value, ">": above, ">=": top >= value}[predicate.operator]


def _all(predicate: Predicate, left: float, right: float, last: bool) -> bool:
    """Whether a bin holds only values that satisfy it."""
    top, value = _top(right, last), predicate.value
    low, high = value if isinstance(value, tuple) else (value, value)
    from_low, up_to_high = left >= low and not _vague(left, low), top <= high and not _vague(top, high)
    if isinstance(value, tuple):
        return from_low and up_to_high
    return {"<": top < value, "<=": up_to_high, ">": left > value, ">=": from_low}[predicate.operator]


def _vague(one: float, other: float) -> bool:
    """Whether two floats are the same, and stand for whole numbers that need not be."""
    return one == other and 2.0**53 <= abs(one) < math.inf


def _top(right: float, last: bool) -> float:
    """The largest value that a bin may hold."""
    return right if last else math.nextafter(right, -math.inf)


def _score(predicate: Predicate, bins: Sequence[Bin]) -> float:
    """How much satisfies the comparison (of "at most": does not), if values are spread evenly in their bins."""
    under, over = (float(bound) for bound in bounds(predicate, bins))
    value = predicate.value
    if isinstance(value, tuple):
        share = _below(bins, value[1]) - _below(bins, value[0])
    else:
        share = _below(bins, value) if predicate.operator in ("<", "<=") else 1 - _below(bins, value)
    share = min(max(share, under), over)
    return share if predicate.side == "at least" else 1 - share


def _below(bins: Sequence[Bin], value: float) -> float:
    rows = 0.0
    for left, right, count, _ in bins:
        rows += count if right <= value else count * max(0.0, (value - left) / (right - left)) if left < value else 0
    return rows / sum(count for _, _, count, _ in bins)


def takes(mode: str, predicate: Predicate, bins: Sequence[Bin], trained: Arrays) -> bool:
    """Whether a mode takes a histogram for an answer."""
    if mode not in PAPER or mode == "exact":
        return label(predicate, bins) is not None
    features = np.array([[bins[0][0], bins[-1][1], bins[-1][1] / len(bins) - bins[0][0] / len(bins)]])
    [cluster] = clusters_of(features, trained).tolist()
    edges = trained["edge.values"][slice(*trained["edge.starts"][cluster : cluster + 2])].tolist()
    p, cautious, least = predicate.fraction, mode == "full-precision", predicate.side == "at least"
    low, high = predicate.intervals[:2] if least != cautious else predicate.intervals[2:]
    if -math.inf < high <= low < math.inf:
        return not least
    if low == -math.inf or high == math.inf:
        below, end = low == -math.inf, high if low == -math.inf else low
        return _at_least(mode, p if least else 1 - p, below == least, end, bins, edges)
    if least:
        share, asked, put = (1 + p) / 2 if cautious else p, ((False, low), (True, high)), all
    else:
        share, asked, put = 1 - p if cautious else (1 - p) / 2, ((True, low), (False, high)), any
    return put(_at_least(mode, share, below, end, bins, edges) for below, end in asked)


def _at_least(
    mode: str, fraction: Fraction, below: bool, value: float, bins: Sequence[Bin], edges: Sequence[float]
) -> bool:
    """Whether the edges of its cluster leave a histogram possible, or make it guaranteed."""
    if fraction <= 0:
        return True
    cautious = mode == "full-precision"
    down, up = [edge for edge in edges if edge <= value], [edge for edge in edges if edge >= value]
    known = down[-1:] if below == cautious else up[:1]
    if not known:
        return not cautious
    if mode == "low-memory":
        share = _below(bins, known[0])
        return share >= float(fraction) if below else share <= float(1 - fraction)
    surely = below == cautious
    held = sum(count for left, right, count, last in bins if (_top(right, last) if surely else left) < known[0])
    bound = Fraction(held, sum(count for _, _, count, _ in bins))
    return bound >= fraction if below else bound <= 1 - fraction


def _hit(table: Table, column: str, predicate: Predicate, bins: Sequence[Bin]) -> Hit:
    said = label(predicate, bins) or "ruled out"
    under, over = bounds(predicate, bins)
    rows = sum(count for _, _, count, _ in bins)
    evidence = {"label": said, "fraction": [float(under), float(over)], "rows": rows, **_profile_only(table)}
    sure = said == "guaranteed"
    return Hit(table.facts.name, (column,), _score(predicate, bins), sure, evidence, (0.0,) if sure else (1.0,))


def _profile_only(table: Table) -> dict[str, bool]:
    return {"profile_only": True} if table.facts.published else {}
