"""Which columns of one segment may satisfy a predicate, or are distributed most like a shape?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mere import compiled
from mere.answers import Hit, best
from mere.compiled import Trial
from mere.indexes.distribution import counting, engine, ranking
from mere.indexes.distribution.counting import DISTRIBUTION, bounds_of, estimated
from mere.indexes.distribution.engine import possible
from mere.indexes.distribution.evidence import judged, label_of
from mere.indexes.distribution.fainder import answered
from mere.indexes.distribution.likeness import LIKENESS, Shape, comparable, likeness_trial, nearest, similarity
from mere.indexes.distribution.named import dated_histograms, named_histograms, unsure_histograms
from mere.indexes.distribution.plan import predicate_in
from mere.indexes.distribution.ranking import best_hits, largest, tie_of
from mere.indexes.kind import Meeting, Part
from mere.indexes.sets.eligible_columns import tables_meant
from mere.language import Predicate


def hits_of(part: Part, probe: Mapping[str, Any], bound: float) -> Iterator[Hit]:
    """The best columns, or tables, of the part."""
    if "like.edges" in probe:
        find, group, trial = _alike, LIKENESS, likeness_trial
    else:
        find, group, trial = _satisfying, DISTRIBUTION, predicate_trial
    if compiled.ready(group, lambda: trial(part)):
        return find(part, probe, bound)
    with compiled.time_fallback(group):
        return iter(list(find(part, probe, bound)))


def _satisfying(part: Part, probe: Mapping[str, Any], bound: float) -> Iterator[Hit]:
    """The columns that may satisfy a predicate."""
    predicate, arrays = predicate_in(probe), part.arrays
    which = candidates(part, predicate, probe["mode"])
    if probe["table"] is not None or not part.live.all():
        tables = part.segment.table_of_column[arrays["hist.columns"][which]]
        which = which[tables_meant(part, probe["table"], None)[tables]]
    if len(which):
        score, _, sure = _scored(part, which, predicate)
        yield from best_hits(part, arrays["hist.columns"][which], score, sure, probe, bound)


def _scored(part: Part, which: np.ndarray, predicate: Predicate) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How well each of some histograms satisfies a predicate, whether it may at all, and whether it surely does."""
    bounds = bounds_of(part.arrays, which, predicate.intervals)
    may, sure = judged(part, which, predicate, bounds)
    share = estimated(part.arrays, which, predicate.ends, bounds)
    return share if predicate.side == "at least" else 1 - share, may, sure


def tables_of(part: Part, probe: Mapping[str, Any]) -> Meeting:
    """For each table of a part: how well its best column satisfies the predicate of a probe (0 if none may), whether
    one may, and whether one surely does; dead tables included."""
    if compiled.ready(DISTRIBUTION, lambda: predicate_trial(part)):
        return _tables_of(part, predicate_in(probe), probe["mode"])
    with compiled.time_fallback(DISTRIBUTION):
        return _tables_of(part, predicate_in(probe), probe["mode"])


def _tables_of(part: Part, predicate: Predicate, mode: str) -> Meeting:
    which, count = candidates(part, predicate, mode), part.segment.table_count
    score, _, sure = _scored(part, which, predicate)
    tables = part.segment.table_of_column[part.arrays["hist.columns"][which]]
    degree, surely = largest(tables, score, count), np.zeros(count, bool)
    surely[tables[sure]] = True
    return Meeting(np.maximum(degree, 0.0), degree >= 0, surely)


def columns_of(part: Part, predicate: Predicate, table: int) -> list[Hit]:
    """The columns of a table that a predicate refers to, best first, each with its label."""
    columns, owners = part.segment.columns_of(table), part.arrays["hist.columns"]
    first, last = np.searchsorted(owners, [columns.start, columns.stop]).tolist()
    which = np.arange(first, last, dtype=np.uint32)
    if (named := named_histograms(part, predicate.column)) is not None:
        which = named[slice(*np.searchsorted(named, [first, last]))]
    which = which[dated_histograms(part)[which] == predicate.dated]
    if len(which) == 0:
        return []
    score, may, sure = _scored(part, which, predicate)
    name, each = part.segment.names[table], zip(owners[which].tolist(), score.tolist(), may, sure, strict=True)
    hits = [
        Hit(name, (part.segment.column_name(column),), points, bool(s), {"label": label_of(m, s)}, tie_of(s))
        for column, points, m, s in each
    ]
    return best(hits, 0)


def _alike(part: Part, probe: Mapping[str, Any], bound: float) -> Iterator[Hit]:
    """The columns that are spread most like a shape."""
    like, columns = Shape.of(probe["like.edges"], probe["like.counts"]), part.arrays["hist.columns"]
    tables = part.segment.table_of_column[columns]
    owners = tables.copy() if probe["per"] == "table" else np.arange(len(columns))
    may = tables_meant(part, probe["table"], probe["skip"])[tables]
    if (named := named_histograms(part, probe["column"])) is not None:
        may &= np.isin(np.arange(len(columns)), named)
    owners[~(may & comparable(part.arrays))] = -1
    farthest = like.width() * (1 / bound - 1) if bound > 0 else np.inf
    which, distances = nearest(part.arrays, like, owners, probe["k"], farthest * (1 + 1e-9))
    yield from best_hits(part, columns[which], similarity(distances, like), None, probe, bound)


def candidates(part: Part, predicate: Predicate, mode: str = "auto") -> np.ndarray:
    """The histograms that may satisfy a predicate, of columns that it means; or those that a mode takes for that."""
    named = named_histograms(part, predicate.column)
    if mode != "auto":
        which = answered(part.arrays, predicate, mode, part.memo)
        which = which if named is None else np.intersect1d(which, named)
    elif named is None:
        which, unsure = possible(part.arrays, predicate), unsure_histograms(part)
        which = np.union1d(which, unsure) if unsure.size else which
    else:
        fits, _ = judged(part, named, predicate, bounds_of(part.arrays, named, predicate.intervals))
        which = named[fits]
    return which[dated_histograms(part)[which] == predicate.dated]


def warm(parts: Sequence[Part]) -> list[Trial]:
    """Compiles what questions in the default mode need, and the evidence of their hits."""
    by_type = {part.arrays["hist.below"].dtype: part for part in parts}  # the only array with more than one type
    return [one for part in by_type.values() for one in (predicate_trial(part), likeness_trial(part))]


def predicate_trial(part: Part) -> Trial:
    """Compiles what a predicate needs."""
    of_part = counting.run_kernels(part.arrays), engine.run_kernels(part.arrays), ranking.run_kernels(part)
    return Trial(DISTRIBUTION, tuple(call for calls in of_part for call in calls))
