"""Which columns of one segment may satisfy a predicate?"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from mere.answers import Hit, best
from mere.errors import QueryError
from mere.indexes.distribution.counting import bounds_of, estimated, satisfied
from mere.indexes.distribution.engine import possible
from mere.indexes.distribution.fainder import BASELINES, answered
from mere.indexes.distribution.fainder import MODES as PAPER
from mere.indexes.distribution.likeness import Shape, distance, nearest, shape_of, similarity
from mere.indexes.kind import Part
from mere.indexes.sets.answerers import tables_meant
from mere.indexes.sets.evidence import column_of
from mere.language import Predicate, parse
from mere.language.expressions import matcher

MODES = ("auto", *PAPER, *BASELINES)
_PATTERNS = 32  # column identifiers whose columns are remembered


def distribution_probe(query: Mapping[str, Any], parts: Sequence[Part] = ()) -> dict[str, Any]:
    """What a predicate carries to the segments: plain values."""
    if query.get("like") is not None:
        return _like_probe(query)
    given = query.get("predicate")
    predicate = parse(given) if isinstance(given, str) else given
    if not isinstance(predicate, Predicate):
        raise QueryError(f"'{given}' is not one predicate", "write for example: at least 30% of age < 40")
    mode = query.get("mode") or "auto"
    if mode not in MODES:
        raise QueryError(f"no mode '{mode}'", f"known are {', '.join(MODES)}")
    if mode in PAPER and any("fainder.starts" not in part.arrays for part in parts):
        raise QueryError(f"mode '{mode}' needs the paper's index", "run 'mere index --set fainder_clusters=250'")
    low, high = predicate.value if isinstance(predicate.value, tuple) else (predicate.value, predicate.value)
    return {
        "column": predicate.column,
        "side": predicate.side,
        "fraction": [predicate.fraction.numerator, predicate.fraction.denominator],
        "operator": predicate.operator,
        "range": [repr(low), repr(high)],  # as text: JSON has no infinities
        "table": query.get("table"),
        "mode": mode,
        "k": int(query.get("k", 10)),
        "per": query.get("per", "table"),
        "notes": list(query.get("notes") or []),
    }


def _like_probe(query: Mapping[str, Any]) -> dict[str, Any]:
    """What a shape carries to the segments: {"edges", "counts"}, the columns that may answer, and a table to skip."""
    matcher(query.get("column"))
    return {
        "like.edges": np.asarray(query["like"]["edges"], float),
        "like.counts": np.asarray(query["like"]["counts"], float),
        "column": query.get("column"),
        "table": query.get("table"),
        "skip": query.get("skip"),
        "k": int(query.get("k", 10)),
        "per": query.get("per", "table"),
        "notes": list(query.get("notes") or []),
    }


def predicate_in(probe: Mapping[str, Any]) -> Predicate:
    """The predicate that a probe carries."""
    low, high = (float(end) for end in probe["range"])
    value = (low, high) if probe["operator"] == "between" else low
    return Predicate(probe["column"], probe["side"], Fraction(*probe["fraction"]), probe["operator"], value)


def hits_of(part: Part, probe: Mapping[str, Any], bound: float) -> Iterator[Hit]:
    """The best columns, or tables, of the part."""
    if "like.edges" in probe:
        yield from _alike(part, probe, bound)
        return
    predicate, arrays = predicate_in(probe), part.arrays
    which = candidates(part, predicate, probe["mode"])
    if probe["table"] is not None or not part.live.all():
        tables = part.segment.table_of_column[arrays["hist.columns"][which]]
        which = which[tables_meant(part, probe["table"], None)[tables]]
    if len(which) == 0:
        return
    _, sure = satisfied(predicate, bounds_of(arrays, which, predicate.operator, predicate.value))
    score = estimated(arrays, which, predicate)
    score = score if predicate.side == "at least" else 1 - score
    yield from _best(part, arrays["hist.columns"][which], score, sure, probe, bound)


def _alike(part: Part, probe: Mapping[str, Any], bound: float) -> Iterator[Hit]:
    """The columns that are spread most like a shape."""
    like, columns = Shape.of(probe["like.edges"], probe["like.counts"]), part.arrays["hist.columns"]
    tables = part.segment.table_of_column[columns]
    owners = tables.copy() if probe["per"] == "table" else np.arange(len(columns))
    may = tables_meant(part, probe["table"], probe["skip"])[tables]
    if (named := _named(part, probe["column"])) is not None:
        may &= np.isin(np.arange(len(columns)), named)
    owners[~may] = -1
    farthest = like.width() * (1 / bound - 1) if bound > 0 else np.inf
    which, distances = nearest(part.arrays, like, owners, probe["k"], farthest * (1 + 1e-9))
    sure = np.ones(len(which), bool)
    yield from _best(part, columns[which], similarity(distances, like), sure, probe, bound)


def candidates(part: Part, predicate: Predicate, mode: str = "auto") -> np.ndarray:
    """The histograms that may satisfy a predicate, of columns that it means; or those that a mode takes for that."""
    named = _named(part, predicate.column)
    if mode != "auto":
        which = answered(part.arrays, predicate, mode, part.memo)
        return which if named is None else np.intersect1d(which, named)
    if named is None:
        return possible(part.arrays, predicate)
    fits, _ = satisfied(predicate, bounds_of(part.arrays, named, predicate.operator, predicate.value))
    return named[fits]


def _named(part: Part, column: str | None) -> np.ndarray | None:
    """The histograms of columns with a name that fits; None if every name does."""
    fits = matcher(column)
    if fits is None:
        return None
    known: dict[str | None, np.ndarray] = part.memo.setdefault("named", {})
    if column not in known:
        if len(known) >= _PATTERNS:
            known.clear()
        names = part.segment.column_names
        columns = part.arrays["hist.columns"].tolist()
        known[column] = np.array([i for i, number in enumerate(columns) if fits(names[number])], np.uint32)
    return known[column]


def _best(
    part: Part, columns: np.ndarray, score: np.ndarray, sure: np.ndarray, probe: Mapping[str, Any], bound: float
) -> Iterator[Hit]:
    """The hits that may be among the best k; one a table, if so wished."""
    segment, k, per_table = part.segment, probe["k"], probe["per"] == "table"
    kept = np.flatnonzero(score >= bound)
    order = kept[np.lexsort((columns[kept], -score[kept]))]
    tables = segment.table_of_column[columns[order]]
    if per_table:  # of a table's equally good columns, the first by name
        top = np.full(segment.table_count, -np.inf)
        np.maximum.at(top, tables, score[order])
        order = order[score[order] == top[tables]]
        tables = segment.table_of_column[columns[order]]
    if k and len(order) > k:
        _, firsts = np.unique(tables if per_table else columns[order], return_index=True)
        if len(firsts) > k:
            level = score[order[np.partition(firsts, k - 1)[k - 1]]]
            order = order[score[order] >= level]
    hits = (
        Hit(segment.names[table], (segment.column_name(column),), float(points), bool(certain))
        for table, column, points, certain in zip(
            segment.table_of_column[columns[order]].tolist(), columns[order].tolist(), score[order].tolist(),
            sure[order].tolist(), strict=True,
        )
    )  # fmt: skip
    if not per_table:
        yield from hits
        return
    by_table: dict[str, list[Hit]] = {}
    for hit in hits:
        by_table.setdefault(hit.table, []).append(hit)
    for several in by_table.values():
        yield from best(several, 1)


def with_evidence(part: Part, probe: Mapping[str, Any], hits: list[Hit]) -> list[Hit]:
    """The same hits with what their histograms say."""
    columns = [column_of(part.segment, hit.table, hit.columns[0]) for hit in hits]
    which = np.array([bisect_left(part.arrays["hist.columns"], column) for column in columns], np.uint32)
    if len(which) == 0:
        return hits
    if "like.edges" in probe:
        return [_likeness(part, probe, hit, int(number)) for hit, number in zip(hits, which, strict=True)]
    predicate = predicate_in(probe)
    bounds = bounds_of(part.arrays, which, predicate.operator, predicate.value)
    may, sure = satisfied(predicate, bounds)
    guesses = estimated(part.arrays, which, predicate)
    return [
        replace(
            hit,
            evidence={
                "label": "guaranteed" if sure[i] else "possible" if may[i] else "ruled out",
                "fraction": [float(bounds.under[i] / bounds.rows[i]), float(bounds.over[i] / bounds.rows[i])],
                "estimate": float(guesses[i]),
                "rows": int(bounds.rows[i]),
                "region": _region(predicate),
                "histogram": histogram(part, int(which[i])),
            },
        )
        for i, hit in enumerate(hits)
    ]


def _region(predicate: Predicate) -> list[float | None]:
    """The part of the axis that a predicate speaks of; None is without an end."""
    value = predicate.value
    low, high = value if isinstance(value, tuple) else (None, value) if "<" in predicate.operator else (value, None)
    return [None if end is None or not np.isfinite(end) else end for end in (low, high)]


def _likeness(part: Part, probe: Mapping[str, Any], hit: Hit, which: int) -> Hit:
    like = Shape.of(probe["like.edges"], probe["like.counts"])
    drawn = histogram(part, which)
    away = distance(like, shape_of(part.arrays, which))
    return replace(hit, evidence={"distance": away, "rows": sum(drawn["counts"]), "histogram": drawn})


def histogram(part: Part, which: int) -> dict[str, list[Any]]:
    """One histogram in plain numbers."""
    starts, below = part.arrays["hist.starts"], part.arrays["hist.below"]
    first, last = int(starts[which]), int(starts[which + 1])
    edges = part.arrays["hist.edges"][first + which : last + which + 1].tolist()
    return {"edges": edges, "counts": np.diff(below[first:last].astype(np.int64), prepend=0).tolist()}
