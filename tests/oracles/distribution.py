"""The same question, answered from its definition: every bin of every histogram, one at a time.

Shares with the index what a cell and a predicate mean, the names of settings, and nothing else: numbers, bins,
fractions, distances and clusters are worked out here in plain Python.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from mere.answers import Hit, best
from mere.indexes.distribution.build import BINS, USUAL
from mere.indexes.kind import Arrays
from mere.language import Predicate, SameColumn
from mere.language.columns import fitting
from mere.segments import Table, histograms_in
from mere.values import Type, infer, parse_numbers

Bin = tuple[float, float, int, bool]  # left and right edge, rows, whether it is the last
Curve = tuple[list[float], list[float]]  # edges, and the share of values up to each of them
_CLUSTERED = ("low-memory", "full-recall", "full-precision")  # modes that depend on clusters
_MISSING = ("low-memory", "full-precision", "normal-dist")  # modes that may miss columns
_LARGEST = 1.7976931348623157e308
_INFINITIES = {sign + word for sign in ("", "+", "-") for word in ("inf", "infinity", "∞")}
_FARTHEST = 1e300  # beyond, distances would be infinite


def brute(query: Mapping[str, Any], tables: Sequence[Table], settings: Mapping[str, Any], trained: Arrays) -> list[Hit]:
    """The best k columns, or tables, that may satisfy the predicate; or that a mode of the paper takes for that."""
    if query.get("like") is not None:
        return _alike(query, tables, settings)
    predicates, mode, hits = predicates_of(query["predicate"]), query.get("mode") or "auto", []
    for table in tables:
        dated = _dates(table)
        of_table = [
            _hit(table, name, predicates, bins)
            for name, bins in histograms(table, settings).items()
            if all(
                fitting(predicate.column, [name])[0]
                and (name in dated) == predicate.dated
                and takes(mode, predicate, bins, trained)
                for predicate in predicates
            )
            and name not in unknown(table)
        ]
        if mode not in _MISSING:
            of_table += [
                _unknown_hit(table, name, len(predicates) == 1, histograms(table, settings).get(name))
                for name, (dates, others) in unknown(table).items()
                if fitting(predicates[0].column, [name])[0] and (dates if predicates[0].dated else others)
            ]
        of_table = [hit for hit in of_table if hit.exact or not query.get("sure")]
        hits += of_table if query.get("per") == "column" else best(of_table, 1)
    return best(hits, query.get("k", 10))


def _alike(query: Mapping[str, Any], tables: Sequence[Table], settings: Mapping[str, Any]) -> list[Hit]:
    like = curve_of(query["like"]["edges"], query["like"]["counts"])
    hits = []
    for table in tables:
        of_table = []
        for name, bins in histograms(table, settings).items():
            comparable = bins[0][0] > -_FARTHEST and bins[-1][1] < _FARTHEST
            if comparable and fitting(query.get("column"), [name])[0] and table.facts.name != query.get("skip"):
                away = distance(like, curve_of([*(b[0] for b in bins), bins[-1][1]], [b[2] for b in bins]))
                unsure = {"unsure": True} if name in unknown(table) else {}
                evidence = {"distance": away, **_profile_only(table), **unsure}
                of_table.append(Hit(table.facts.name, (name,), 1 / (1 + away / _width(like)), False, evidence))
        hits += of_table if query.get("per") == "column" else best(of_table, 1)
    return best(hits, query.get("k", 10))


# distances


def curve_of(edges: Sequence[float], counts: Sequence[float]) -> Curve:
    """The share of values up to each edge."""
    up_to = [0.0]
    for count in counts:
        up_to.append(up_to[-1] + count)
    return [float(edge) for edge in edges], [share / up_to[-1] for share in up_to]


def distance(one: Curve, other: Curve) -> float:
    """The area between two curves: between neighbouring edges both are straight, so it is a trapezoid or two triangles.

    Added up from the left, as the index does, so that equal distances are equal floats in both.
    """
    area = 0.0
    for left, right in pairwise(sorted({*one[0], *other[0]})):
        (one_left, one_right), (other_left, other_right) = _piece(one, left, right), _piece(other, left, right)
        a, b = one_left - other_left, one_right - other_right
        both = abs(a) + abs(b)
        area += (right - left) * ((a * a + b * b) / (2 * both) if a * b < 0 else both / 2)
    return area


def _piece(curve: Curve, left: float, right: float) -> tuple[float, float]:
    """The shares right after one place and right before another, with no edge between them."""
    edges, up_to = curve
    passed = sum(edge <= left for edge in edges)
    if passed in (0, len(edges)):
        return (float(passed > 0),) * 2
    start, wide, rise = edges[passed - 1], edges[passed] - edges[passed - 1], up_to[passed] - up_to[passed - 1]
    at_left, at_right = (up_to[passed - 1] + (place - start) / wide * rise for place in (left, right))
    return at_left, at_right


def _width(curve: Curve) -> float:
    """The mean distance of values from their median; 1 if that is 0."""
    edges, up_to = curve
    last = max(place for place, share in enumerate(up_to) if share <= 0.5)
    median = edges[last]
    if up_to[last] < 0.5:
        slope = (edges[last + 1] - edges[last]) / (up_to[last + 1] - up_to[last])
        median = slope * (0.5 - up_to[last]) + edges[last]
    return distance(curve, ([median, median], [0.0, 1.0])) or 1.0


# histograms


def histograms(table: Table, settings: Mapping[str, Any]) -> dict[str, list[Bin]]:
    """The bins of each of a table's columns of numbers or dates; the published ones, if its rows were not."""
    if table.facts.published:
        names = table.columns.names
        return {names[place]: bins_of(edges, rows) for place, edges, rows in histograms_in(table.facts.published)}
    starts, counts = table.sets.starts, table.sets.counts.tolist()
    values = table.sets.values.to_arrow()
    day_first = table.facts.numbers.get("dates") == "day first"
    inferred = infer(values, starts, np.array(counts, np.int64), day_first=day_first)
    spelled, numbers, dates = values.to_pylist(), parse_numbers(values).tolist(), inferred.numbers.tolist()
    way, _, most = str(settings.get(BINS, USUAL)).rpartition("-")
    cut = by_depth if way == "equal-depth" else by_width
    bins = {}
    for column, name in enumerate(table.columns.names):
        rows: dict[float, int] = {}
        for i in range(starts[column], starts[column + 1]):
            numeric = inferred.types[column] in (Type.INTEGER, Type.DECIMAL)
            number = _number(spelled[i], numbers[i]) if numeric else dates[i]
            if math.isfinite(number):
                rows[number] = rows.get(number, 0) + counts[i]
        if rows:
            bins[name] = cut(sorted(rows.items()), int(most))
    return bins


def _number(spelled: str, number: float) -> float:
    """A cell as a number; an infinity is the largest number there is."""
    if math.isnan(number) and spelled in _INFINITIES:
        return -_LARGEST if spelled.startswith("-") else _LARGEST
    return number


def by_depth(values: Sequence[tuple[float, int]], most: int) -> list[Bin]:
    """A new bin where another `most`-th of the rows begins; a value with as many rows has its own, closed after it."""
    rows, before, edges, counts, closed = sum(count for _, count in values), 0, [], list[int](), True
    for place, (value, count) in enumerate(values):
        frequent = count * most >= rows
        if closed or frequent or before * most // rows != (before - values[place - 1][1]) * most // rows:
            edges.append(value)
            counts.append(0)
        counts[-1] += count
        before += count
        closed = frequent
        if frequent and place < len(values) - 1:
            edges.append(math.nextafter(value, math.inf))
            counts.append(0)
    return bins_of([*edges, values[-1][0]], counts)


def by_width(values: Sequence[tuple[float, int]], most: int) -> list[Bin]:
    """Bins of one width, from the smallest value to the largest; one bin, if they are the same."""
    low, high = values[0][0], values[-1][0]
    if low == high:
        return bins_of([low, high], [sum(count for _, count in values)])
    edges = [low]
    for place in range(1, most):
        edge = low * (1 - place / most) + high * (place / most)
        edges.append(max(edges[-1], min(max(edge, low), high)))
    counts = [0] * most
    for value, count in values:
        counts[bisect_right(edges, value) - 1] += count
    return bins_of([*edges, high], counts)


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
    """The smallest and the largest fraction of the values that may satisfy the comparison."""
    rows = sum(count for _, _, count, _ in bins)
    under = sum(count for left, right, count, last in bins if _all(predicate, left, right, last))
    over = sum(count for left, right, count, last in bins if _some(predicate, left, right, last))
    return Fraction(under, rows), Fraction(over, rows)


def label(predicate: Predicate, bins: Sequence[Bin]) -> str | None:
    """'guaranteed', 'possible', or None if neither."""
    under, over = bounds(predicate, bins)
    if predicate.side == "at least":
        possible, certain = over >= predicate.fraction, under >= predicate.fraction
    else:
        possible, certain = under <= predicate.fraction, over <= predicate.fraction
    return "guaranteed" if certain else "possible" if possible else None


def _some(predicate: Predicate, left: float, right: float, last: bool) -> bool:
    """Whether a bin may hold a value that satisfies the comparison."""
    top, value = _top(right, last), predicate.value
    if left > top:
        return False
    if isinstance(value, tuple):
        return left <= value[1] and top >= value[0]
    below, above = left < value or _vague(left, value), top > value or _vague(top, value)
    equal = left <= value <= top
    return {"<": below, "<=": left <= value, ">": above, ">=": top >= value, "=": equal}[predicate.operator]


def _all(predicate: Predicate, left: float, right: float, last: bool) -> bool:
    """Whether a bin holds only values that satisfy it."""
    top, value = _top(right, last), predicate.value
    low, high = value if isinstance(value, tuple) else (value, value)
    from_low, up_to_high = left >= low and not _vague(left, low), top <= high and not _vague(top, high)
    if isinstance(value, tuple):
        return from_low and up_to_high
    equal = left == top == value and from_low
    return {"<": top < value, "<=": up_to_high, ">": left > value, ">=": from_low, "=": equal}[predicate.operator]


def _vague(one: float, other: float) -> bool:
    """Whether two floats are the same, but stand for whole numbers that may differ."""
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
    elif predicate.operator == "=":
        share = 0.0  # a number has no width
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
    if mode not in _CLUSTERED:
        return label(predicate, bins) is not None
    cluster = _cluster([bins[0][0], bins[-1][1], bins[-1][1] / len(bins) - bins[0][0] / len(bins)], trained)
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


def _cluster(features: Sequence[float], trained: Arrays) -> int:
    """The cluster whose centre is nearest to these features, made comparable as the lake was trained.

    In the order of operations of the index, so that equally near centres are equally near in both.
    """
    marks, (shift, unit) = trained["scale.landmarks"].T.tolist(), (trained[f"scale.{n}"] for n in ("shift", "unit"))
    if marks[0]:
        place = [_middle_rank(own, column) for own, column in zip(features, marks, strict=True)]
    else:
        scaled = ((own - s) / u for own, s, u in zip(features, shift.tolist(), unit.tolist(), strict=True))
        place = [0.0 if math.isnan(own) else min(max(own, -1e100), 1e100) for own in scaled]
    away = [
        sum((own - its) * (own - its) for own, its in zip(place, centre, strict=True))
        for centre in trained["center.places"].tolist()
    ]
    return away.index(min(away))


def _middle_rank(value: float, marks: Sequence[float]) -> float:
    """The share of landmarks below a value; of several landmarks at the value, the middle one."""
    ranks = np.linspace(0.0, 1.0, len(marks)).tolist()
    below, above = _interpolated(value, marks, ranks), _interpolated(-value, [-mark for mark in marks[::-1]], ranks)
    return (below + 1 - above) / 2


def _interpolated(value: float, places: Sequence[float], heights: Sequence[float]) -> float:
    """The height at a place, on straight lines; of several at the same place, the last."""
    after = bisect_right(places, value)
    if after == 0 or after == len(places) or places[after - 1] == value:
        return heights[max(after - 1, 0)]
    slope = (heights[after] - heights[after - 1]) / (places[after] - places[after - 1])
    height = slope * (value - places[after - 1]) + heights[after - 1]
    return slope * (value - places[after]) + heights[after] if math.isnan(height) else height


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
    certainly = below == cautious
    rows = sum(count for left, right, count, last in bins if (_top(right, last) if certainly else left) < known[0])
    bound = Fraction(rows, sum(count for _, _, count, _ in bins))
    return bound >= fraction if below else bound <= 1 - fraction


def predicates_of(given: Predicate | SameColumn) -> tuple[Predicate, ...]:
    return given.predicates if isinstance(given, SameColumn) else (given,)


def _hit(table: Table, column: str, predicates: Sequence[Predicate], bins: Sequence[Bin]) -> Hit:
    """A column that satisfies all predicates: as well as the worst of them, and surely if each is guaranteed."""
    rows = sum(count for _, _, count, _ in bins)
    verdicts = [label(predicate, bins) or "ruled out" for predicate in predicates]
    verdict = next(worst for worst in ("ruled out", "possible", "guaranteed") if worst in verdicts)
    limits = [[float(bound) for bound in bounds(predicate, bins)] for predicate in predicates]
    evidence: dict[str, Any] = {
        "label": verdict,
        "rows": rows,
        **_profile_only(table),
    }
    if len(predicates) == 1:
        evidence["fraction"] = limits[0]
    score, certain = min(_score(predicate, bins) for predicate in predicates), verdict == "guaranteed"
    return Hit(table.facts.name, (column,), score, certain, evidence, (0.0,) if certain else (1.0,))


def unknown(table: Table) -> dict[str, tuple[bool, bool]]:
    """The columns of which it is not known how they are distributed: whether they may be meant where dates, and where
    numbers, are asked for."""
    known = {name: (what == "dates", what) for name, what in table.facts.numbers.get("unsure", {}).items()}
    for name, column in zip(table.columns.names, table.facts.published.get("columns", ()), strict=False):
        dated, ordered = column["type"] == Type.DATETIME, column["type"] in (Type.INTEGER, Type.DECIMAL, Type.DATETIME)
        if column.get("unsure") or (ordered and "edges" not in column):
            known[name] = (dated, column.get("unsure") or ("dates" if dated else "numbers"))
    return {
        name: (dated or "dates" in what, not dated and what != "some dates") for name, (dated, what) in known.items()
    }


def _unknown_hit(table: Table, column: str, single: bool, bins: Sequence[Bin] | None) -> Hit:
    evidence: dict[str, Any] = {"label": "possible", **_profile_only(table)}
    evidence |= {"fraction": [0.0, 1.0]} if single else {}
    evidence |= {"rows": sum(count for _, _, count, _ in bins), "unsure": True} if bins else {}
    return Hit(table.facts.name, (column,), 0.0, False, evidence, (1.0,))


def _profile_only(table: Table) -> dict[str, bool]:
    return {"profile_only": True} if table.facts.published else {}
