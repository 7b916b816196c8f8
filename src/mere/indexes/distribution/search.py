"""Which columns of one segment may satisfy a predicate?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from mere.answers import Hit, best, first_best
from mere.errors import QueryError
from mere.indexes.distribution.counting import bounds_of, estimated, satisfied
from mere.indexes.distribution.engine import possible
from mere.indexes.distribution.fainder import BASELINES, answered
from mere.indexes.distribution.fainder import MODES as PAPER
from mere.indexes.distribution.likeness import Shape, distance, nearest, shape_of, similarity
from mere.indexes.kind import Arrays, Part
from mere.indexes.sets.answerers import tables_meant
from mere.indexes.sets.evidence import column_of
from mere.language import Predicate, parse
from mere.language.expressions import matcher
from mere.store import compiled

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
    if len(which):
        score, _, sure = _scored(arrays, which, predicate)
        yield from _best(part, arrays["hist.columns"][which], score, sure, probe, bound)


def _scored(arrays: Arrays, which: np.ndarray, predicate: Predicate) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How well each of some histograms satisfies a predicate, whether it may at all, and whether it surely does."""
    bounds = bounds_of(arrays, which, predicate.interval)
    may, sure = satisfied(predicate, bounds)
    share = estimated(arrays, which, predicate.interval, bounds)
    return share if predicate.side == "at least" else 1 - share, may, sure


def tables_of(part: Part, predicate: Predicate) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each table of a part: how well its best column satisfies a predicate (0 if none may), whether one may, and
    whether one surely does; of dead tables, too."""
    which, count = candidates(part, predicate), part.segment.table_count
    score, _, sure = _scored(part.arrays, which, predicate)
    tables = part.segment.table_of_column[part.arrays["hist.columns"][which]]
    degree, surely = _largest(tables, score, count), np.zeros(count, bool)
    surely[tables[sure]] = True
    return np.maximum(degree, 0.0), degree >= 0, surely


def _largest(owners: np.ndarray, scores: np.ndarray, count: int) -> np.ndarray:
    """The largest score of each owner; -1 for those that have none."""
    if compiled.ready():
        from mere.indexes.distribution.kernels import largest

        return np.asarray(largest(owners, scores, count))
    top = np.full(count, -1.0)
    np.maximum.at(top, owners, scores)
    return top


def columns_of(part: Part, predicate: Predicate, table: int) -> list[Hit]:
    """The columns of a table that a predicate means, best first, with their labels; `explained` tells more."""
    columns, owners = part.segment.columns_of(table), part.arrays["hist.columns"]
    which = np.arange(*np.searchsorted(owners, [columns.start, columns.stop]), dtype=np.uint32)
    if (named := _named(part, predicate.column)) is not None:
        which = np.intersect1d(which, named)
    if len(which) == 0:
        return []
    score, may, sure = _scored(part.arrays, which, predicate)
    name = part.segment.names[table]
    hits = [
        Hit(name, (part.segment.column_name(column),), points, certain, {"label": _label(possible, certain)})
        for column, points, possible, certain in zip(
            owners[which].tolist(), score.tolist(), may.tolist(), sure.tolist(), strict=True
        )
    ]
    return best(hits, 0)


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
    fits, _ = satisfied(predicate, bounds_of(part.arrays, named, predicate.interval))
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
    """The hits that may be among the best k; one a table, if so wished.  Tables stand in the order of their names, so
    of equally good ones the first are better."""
    segment, k = part.segment, probe["k"]
    kept = np.flatnonzero(score >= bound)
    tables = segment.table_of_column[columns[kept]]
    if probe["per"] == "table":
        top = _largest(tables, score[kept], segment.table_count)
        chosen = np.zeros(segment.table_count, bool)
        found = np.flatnonzero(top >= 0)
        chosen[found[first_best(top[found], k)]] = True
        kept = kept[chosen[tables] & (score[kept] == top[tables])]
    elif 0 < k < len(kept):
        order = np.argsort(tables, kind="stable")
        kept, tables = kept[order], tables[order]
        chosen = first_best(score[kept], k)
        level, last = score[kept[chosen]].min(), tables[chosen[-1]]
        kept = kept[(score[kept] > level) | ((score[kept] == level) & (tables <= last))]  # in a table, names decide
    hits = (
        Hit(segment.names[table], (segment.column_name(column),), float(points), bool(certain))
        for table, column, points, certain in zip(
            segment.table_of_column[columns[kept]].tolist(), columns[kept].tolist(), score[kept].tolist(),
            sure[kept].tolist(), strict=True,
        )
    )  # fmt: skip
    if probe["per"] != "table":
        yield from hits
        return
    by_table: dict[str, list[Hit]] = {}
    for hit in hits:
        by_table.setdefault(hit.table, []).append(hit)
    for several in by_table.values():
        yield from best(several, 1)


def with_evidence(part: Part, probe: Mapping[str, Any], hits: list[Hit]) -> list[Hit]:
    """The same hits with what their histograms say."""
    if "like.edges" in probe:
        return [_likeness(part, probe, hit, int(which)) for hit, which in zip(hits, _which(part, hits), strict=True)]
    return explained(part, predicate_in(probe), hits)


def explained(part: Part, predicate: Predicate, hits: list[Hit]) -> list[Hit]:
    """Hits with what their histograms say of a predicate."""
    if not hits:
        return hits
    which = _which(part, hits)
    bounds = bounds_of(part.arrays, which, predicate.interval)
    may, sure = satisfied(predicate, bounds)
    guesses = estimated(part.arrays, which, predicate.interval, bounds)
    return [
        replace(
            hit,
            evidence={
                "label": _label(may[i], sure[i]),
                "fraction": [float(bounds.under[i] / bounds.rows[i]), float(bounds.over[i] / bounds.rows[i])],
                "estimate": float(guesses[i]),
                "rows": int(bounds.rows[i]),
                "region": _region(predicate),
                "histogram": histogram(part, int(which[i])),
                **_profile_only(part, int(which[i])),
            },
        )
        for i, hit in enumerate(hits)
    ]


def _which(part: Part, hits: list[Hit]) -> np.ndarray:
    """The histograms of some hits."""
    columns = [column_of(part.segment, hit.table, hit.columns[0]) for hit in hits]
    return np.searchsorted(part.arrays["hist.columns"], columns).astype(np.uint32)


def _label(may: bool, sure: bool) -> str:
    return "guaranteed" if sure else "possible" if may else "ruled out"


def _region(predicate: Predicate) -> list[float | None]:
    """The part of the axis that a predicate speaks of; None is without an end."""
    value = predicate.value
    low, high = value if isinstance(value, tuple) else (None, value) if "<" in predicate.operator else (value, None)
    return [None if end is None or not np.isfinite(end) else end for end in (low, high)]


def _likeness(part: Part, probe: Mapping[str, Any], hit: Hit, which: int) -> Hit:
    like = Shape.of(probe["like.edges"], probe["like.counts"])
    drawn = histogram(part, which)
    away = distance(like, shape_of(part.arrays, which))
    told = {"distance": away, "rows": sum(drawn["counts"]), "histogram": drawn}
    return replace(hit, evidence={**told, **_profile_only(part, which)})


def _profile_only(part: Part, which: int) -> dict[str, bool]:
    """What to say of a column whose histogram was published, and whose rows were not."""
    table = part.segment.table_of_column[part.arrays["hist.columns"][which]]
    return {"profile_only": True} if part.segment.profile_only[table] else {}


def histogram(part: Part, which: int) -> dict[str, list[Any]]:
    """One histogram in plain numbers."""
    starts, below = part.arrays["hist.starts"], part.arrays["hist.below"]
    first, last = int(starts[which]), int(starts[which + 1])
    edges = part.arrays["hist.edges"][first + which : last + which + 1].tolist()
    return {"edges": edges, "counts": [up_to - before for before, up_to in pairwise([0, *below[first:last].tolist()])]}
