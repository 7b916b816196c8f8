"""Which columns of one segment may satisfy a predicate?"""

from __future__ import annotations

from bisect import bisect_left
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
from mere.indexes.distribution.likeness import Shape, comparable, distance, nearest, shape_of, similarity
from mere.indexes.kind import Arrays, Part
from mere.indexes.sets.eligible_columns import tables_meant
from mere.language import Predicate, parse
from mere.language.expressions import Moment, fitting
from mere.store import compiled
from mere.values import Type

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
        "range": [repr(float(low)), repr(float(high))],  # as text: JSON has no infinities
        "dated": predicate.dated,
        "table": query.get("table"),
        "mode": mode,
        "k": int(query.get("k", 10)),
        "per": query.get("per", "table"),
        "notes": [*(query.get("notes") or []), *unknown(parts, predicate)],
    }


def unknown(parts: Sequence[Part], predicate: Predicate) -> list[str]:
    """A note, if a predicate speaks of a column that there is not, with names that come close."""
    column = predicate.column
    if column is None or any((_dated(part)[_named(part, column)] == predicate.dated).any() for part in parts):
        return []
    from rapidfuzz import fuzz, process

    what = "dates" if predicate.dated else "numbers"
    names = sorted({part.segment.column_name(c) for part in parts for c in part.arrays["hist.columns"].tolist()})
    close = process.extract(column, names, scorer=fuzz.ratio, limit=3, score_cutoff=70, processor=str.casefold)
    said = f"; close are {', '.join(name for name, _, _ in close)}" if close else ""
    return [f"no column of {what} is called '{column}'{said}"] if parts else []


def _like_probe(query: Mapping[str, Any]) -> dict[str, Any]:
    """What a shape carries to the segments: {"edges", "counts"}, the columns that may answer, and a table to skip."""
    fitting(query.get("column"), [""])
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
    low, high = (Moment(end) if probe["dated"] else float(end) for end in probe["range"])
    value = (low, high) if probe["operator"] == "between" else low
    return Predicate(probe["column"], probe["side"], Fraction(*probe["fraction"]), probe["operator"], value)


def hits_of(part: Part, probe: Mapping[str, Any], bound: float) -> Iterator[Hit]:
    """The best columns, or tables, of the part."""
    find = _alike if "like.edges" in probe else _satisfying
    if compiled.ready():
        return find(part, probe, bound)
    with compiled.rented():
        return iter(list(find(part, probe, bound)))


def _satisfying(part: Part, probe: Mapping[str, Any], bound: float) -> Iterator[Hit]:
    """The columns that may satisfy a predicate."""
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
    bounds = bounds_of(arrays, which, predicate.intervals)
    may, sure = satisfied(predicate, bounds)
    share = estimated(arrays, which, predicate.ends, bounds)
    return share if predicate.side == "at least" else 1 - share, may, sure


def tables_of(part: Part, predicate: Predicate) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each table of a part: how well its best column satisfies a predicate (0 if none may), whether one may, and
    whether one surely does; of dead tables, too."""
    if not compiled.ready():
        with compiled.rented():
            return _tables_of(part, predicate)
    return _tables_of(part, predicate)


def _tables_of(part: Part, predicate: Predicate) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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
    first, last = np.searchsorted(owners, [columns.start, columns.stop]).tolist()
    which = np.arange(first, last, dtype=np.uint32)
    if (named := _named(part, predicate.column)) is not None:
        which = named[slice(*np.searchsorted(named, [first, last]))]
    which = which[_dated(part)[which] == predicate.dated]
    if len(which) == 0:
        return []
    score, may, sure = _scored(part.arrays, which, predicate)
    name, each = part.segment.names[table], zip(owners[which].tolist(), score.tolist(), may, sure, strict=True)
    hits = [
        Hit(name, (part.segment.column_name(column),), points, bool(s), {"label": _label(m, s)}, tie_of(s))
        for column, points, m, s in each
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
    owners[~(may & comparable(part.arrays))] = -1
    farthest = like.width() * (1 / bound - 1) if bound > 0 else np.inf
    which, distances = nearest(part.arrays, like, owners, probe["k"], farthest * (1 + 1e-9))
    yield from _best(part, columns[which], similarity(distances, like), None, probe, bound)


def candidates(part: Part, predicate: Predicate, mode: str = "auto") -> np.ndarray:
    """The histograms that may satisfy a predicate, of columns that it means; or those that a mode takes for that."""
    named = _named(part, predicate.column)
    if mode != "auto":
        which = answered(part.arrays, predicate, mode, part.memo)
        which = which if named is None else np.intersect1d(which, named)
    elif named is None:
        which = possible(part.arrays, predicate)
    else:
        fits, _ = satisfied(predicate, bounds_of(part.arrays, named, predicate.intervals))
        which = named[fits]
    return which[_dated(part)[which] == predicate.dated]


def _dated(part: Part) -> np.ndarray:
    """Which histograms are of columns of dates: a date is compared with these alone, a number with the others."""
    if "dated" not in part.memo:
        part.memo["dated"] = part.segment.catalog["column.types"][part.arrays["hist.columns"]] == Type.DATETIME
    return np.asarray(part.memo["dated"])


def _named(part: Part, column: str | None) -> np.ndarray | None:
    """The histograms of columns with a name that fits, ascending; None if every name does."""
    if column is None or column == "*":
        return None
    known: dict[str, np.ndarray] = part.memo.setdefault("named", {})
    if column not in known:
        if len(known) >= _PATTERNS:
            known.clear()
        names = part.segment.column_names
        fits = fitting(column, [names[number] for number in part.arrays["hist.columns"].tolist()])
        known[column] = np.flatnonzero(np.array(fits, bool)).astype(np.uint32)
    return known[column]


def _best(
    part: Part, columns: np.ndarray, score: np.ndarray, sure: np.ndarray | None, probe: Mapping[str, Any], bound: float
) -> Iterator[Hit]:
    """The hits that may be among the best k; one a table, if so wished.  Tables stand in the order of their names, so
    of equally good ones the first are better; before them, those that are sure (of estimates, nothing is)."""
    segment, k, ranked = part.segment, probe["k"], sure is not None
    certain = np.zeros(len(score), bool) if sure is None else sure
    kept = np.flatnonzero(score >= bound)
    tables = segment.table_of_column[columns[kept]]
    if probe["per"] == "table":
        top = _largest(tables, score[kept], segment.table_count)
        at_top, chosen, surely = score[kept] == top[tables], *np.zeros((2, segment.table_count), bool)
        surely[tables[at_top & certain[kept]]] = True
        found = np.flatnonzero(top >= 0)
        chosen[found[first_best(top[found], surely[found], k)]] = True
        kept = kept[chosen[tables] & at_top]
    elif 0 < k < len(kept):
        order = np.argsort(tables, kind="stable")
        kept, tables = kept[order], tables[order]
        last = first_best(score[kept], certain[kept], k)[-1]
        points, surely = score[kept], certain[kept]
        better = (points > points[last]) | ((points == points[last]) & (surely > surely[last]))
        equal = (points == points[last]) & (surely == surely[last]) & (tables <= tables[last])
        kept = kept[better | equal]  # in a table, names decide
    hits = (
        Hit(segment.names[table], (segment.column_name(column),), points, right, {}, tie_of(right) if ranked else ())
        for table, column, points, right in zip(
            segment.table_of_column[columns[kept]].tolist(), columns[kept].tolist(), score[kept].tolist(),
            certain[kept].tolist(), strict=True,
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


def tie_of(sure: bool) -> tuple[float, ...]:
    """Among equal scores, what is sure comes first."""
    return (0.0,) if sure else (1.0,)


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
    bounds = bounds_of(part.arrays, which, predicate.intervals)
    may, sure = satisfied(predicate, bounds)
    guesses = estimated(part.arrays, which, predicate.ends, bounds)
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
    tables: dict[str, dict[str, int]] = {}
    for table in {hit.table for hit in hits}:
        columns = part.segment.columns_of(bisect_left(part.segment.names, table))
        tables[table] = {part.segment.column_name(column): column for column in reversed(columns)}
    columns_hit = [tables[hit.table][hit.columns[0]] for hit in hits]
    return np.searchsorted(part.arrays["hist.columns"], columns_hit).astype(np.uint32)


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
