"""Which columns of one segment may satisfy a predicate, or are distributed most like a shape?

Several predicates of the same column: a column surely satisfies all of them if and only if it surely satisfies each
(what holds wherever the values lie in their bins holds one by one, and the reverse), so the bounds of each are enough.
It may satisfy all of them only if it may satisfy each; whether one spread of its values does so for all together is not
looked at, so "possible" means that no single predicate rules the column out.  It satisfies them as well as the worst.

A column of which it is not known how it is distributed (`unknown`) may satisfy any, after all others: its score is 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mere import compiled
from mere.answers import Hit, best
from mere.compiled import Trial
from mere.indexes.distribution import counting, engine, ranking
from mere.indexes.distribution.counting import DISTRIBUTION, bounds_of, estimated, satisfied
from mere.indexes.distribution.engine import possible
from mere.indexes.distribution.evidence import label_of
from mere.indexes.distribution.fainder import answered
from mere.indexes.distribution.likeness import LIKENESS, Shape, comparable, likeness_trial, nearest, similarity
from mere.indexes.distribution.named import compared_histograms, named_histograms
from mere.indexes.distribution.plan import MISSING, predicates_in
from mere.indexes.distribution.ranking import best_hits, largest, tie_of
from mere.indexes.distribution.unknown import unknown_columns
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
    predicates, arrays = predicates_in(probe), part.arrays
    which = candidates(part, predicates, probe["mode"])
    meant = tables_meant(part, probe["table"], None)
    tables = part.segment.table_of_column[arrays["hist.columns"][which]]
    if not meant.all():
        which, tables = which[meant[tables]], tables[meant[tables]]
    if len(which):
        score, _, sure = _scored(part, which, predicates)
        which, score, sure = (each[sure] for each in (which, score, sure)) if probe["sure"] else (which, score, sure)
        yield from best_hits(part, arrays["hist.columns"][which], score, sure, probe, bound)
    if bound <= 0 and not probe["sure"]:
        if probe["per"] == "table":
            meant[tables] = False  # these have a better column
        yield from _unknown(part, predicates[0], probe, meant)


def _unknown(part: Part, predicate: Predicate, probe: Mapping[str, Any], meant: np.ndarray) -> Iterator[Hit]:
    """The columns of which it is not known whether they satisfy anything; all predicates name the same."""
    columns = _unknown_columns(part, predicate, probe["mode"])
    columns = columns[meant[part.segment.table_of_column[columns]]]
    yield from best_hits(part, columns, np.zeros(len(columns)), np.zeros(len(columns), bool), probe, 0.0)


def _unknown_columns(part: Part, predicate: Predicate, mode: str) -> np.ndarray:
    return np.empty(0, np.int64) if mode in MISSING else unknown_columns(part, predicate.column, predicate.dated)


def _scored(
    part: Part, which: np.ndarray, predicates: Sequence[Predicate]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How well each of some histograms satisfies all predicates, whether it may at all, and whether it surely does."""
    scores, mays, sures = zip(*(_scored_by_one(part, which, predicate) for predicate in predicates), strict=True)
    return np.minimum.reduce(scores), np.logical_and.reduce(mays), np.logical_and.reduce(sures)


def _scored_by_one(part: Part, which: np.ndarray, predicate: Predicate) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    bounds = bounds_of(part.arrays, which, predicate.intervals)
    may, sure = satisfied(predicate, bounds)
    share = estimated(part.arrays, which, predicate.ends, bounds)
    return share if predicate.side == "at least" else 1 - share, may, sure


def tables_of(part: Part, probe: Mapping[str, Any]) -> Meeting:
    """For each table of a part: how well its best column satisfies the predicates of a probe (0 if none may, NaN if
    that is not known), whether one may, and whether one surely does; dead tables included."""
    if compiled.ready(DISTRIBUTION, lambda: predicate_trial(part)):
        meeting = _tables_of(part, predicates_in(probe), probe["mode"])
    else:
        with compiled.time_fallback(DISTRIBUTION):
            meeting = _tables_of(part, predicates_in(probe), probe["mode"])
    if probe["table"] is None:
        return meeting
    meant = tables_meant(part, probe["table"], None)
    return Meeting(np.where(meant, meeting.degree, 0.0), meeting.may & meant, meeting.sure & meant)


def with_unknown(part: Part, probe: Mapping[str, Any], meeting: Meeting) -> Meeting:
    """What the columns that are most like a shape say of tables, and the tables with columns that may be like it."""
    unknown = tables_meant(part, probe["table"], probe["skip"]) & ~meeting.may
    owners = part.segment.table_of_column[_unknown_alike(part, probe)]
    unknown &= np.bincount(owners, minlength=len(unknown)) > 0
    return meeting._replace(degree=np.where(unknown, np.nan, meeting.degree), may=meeting.may | unknown)


def _tables_of(part: Part, predicates: Sequence[Predicate], mode: str) -> Meeting:
    which, count = candidates(part, predicates, mode), part.segment.table_count
    score, _, sure = _scored(part, which, predicates)
    tables = part.segment.table_of_column[part.arrays["hist.columns"][which]]
    degree, surely, unknown = largest(tables, score, count), np.zeros(count, bool), np.zeros(count, bool)
    surely[tables[sure]] = True
    unknown[part.segment.table_of_column[_unknown_columns(part, predicates[0], mode)]] = True
    may = degree >= 0
    return Meeting(np.where(may, degree, np.where(unknown, np.nan, 0.0)), may | unknown, surely)


def unknown_of(part: Part, probe: Mapping[str, Any], table: int) -> list[Hit]:
    """The columns of a table of which it is not known whether they are like a shape."""
    columns = _unknown_alike(part, probe)
    columns = columns[part.segment.table_of_column[columns] == table]
    name = part.segment.names[table]
    return [Hit(name, (part.segment.column_name(column),), 0.0, False) for column in columns.tolist()]


def _unknown_alike(part: Part, probe: Mapping[str, Any]) -> np.ndarray:
    return np.union1d(*(unknown_columns(part, probe["column"], dated) for dated in (False, True)))


def columns_of(part: Part, predicates: Sequence[Predicate], table: int) -> list[Hit]:
    """The columns of a table that predicates refer to, best first, each with its label."""
    predicate = predicates[0]  # all of them name the same columns
    columns, owners = part.segment.columns_of(table), part.arrays["hist.columns"]
    first, last = np.searchsorted(owners, [columns.start, columns.stop]).tolist()
    which = np.arange(first, last, dtype=np.uint32)
    if (named := named_histograms(part, predicate.column)) is not None:
        which = named[slice(*np.searchsorted(named, [first, last]))]
    which = which[compared_histograms(part, predicate.dated)[which]]
    unknown = _unknown_columns(part, predicate, "auto")
    unknown = unknown[slice(*np.searchsorted(unknown, [columns.start, columns.stop]))]
    each = [(column, 0.0, True, False) for column in unknown.tolist()]
    if len(which):
        score, may, sure = _scored(part, which, predicates)
        each += zip(owners[which].tolist(), score.tolist(), may.tolist(), sure.tolist(), strict=True)
    name = part.segment.names[table]
    hits = [
        Hit(name, (part.segment.column_name(column),), points, s, {"label": label_of(m, s)}, tie_of(s))
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


def candidates(part: Part, predicates: Sequence[Predicate], mode: str = "auto") -> np.ndarray:
    """The histograms that may satisfy all predicates, of columns that they mean; or those that a mode takes for that.

    The first predicate is answered by the index; of the others, only what is left is looked at.
    """
    which = _candidates(part, predicates[0], mode)
    for predicate in predicates[1:]:
        if mode == "auto":
            fits, _ = satisfied(predicate, bounds_of(part.arrays, which, predicate.intervals))
            which = which[fits]
        else:
            which = np.intersect1d(which, _candidates(part, predicate, mode))
    return which


def _candidates(part: Part, predicate: Predicate, mode: str) -> np.ndarray:
    named = named_histograms(part, predicate.column)
    if mode == "auto" and named is not None:
        fits, _ = satisfied(predicate, bounds_of(part.arrays, named, predicate.intervals))
        which = named[fits]
    else:
        auto = mode == "auto"
        which = possible(part.arrays, predicate) if auto else answered(part.arrays, predicate, mode, part.memo)
        which = which if named is None else np.intersect1d(which, named)
    return which[compared_histograms(part, predicate.dated)[which]]


def warm(parts: Sequence[Part]) -> list[Trial]:
    """Compiles what questions in the default mode need, and the evidence of their hits."""
    by_type = {part.arrays["hist.below"].dtype: part for part in parts}  # the only array with more than one type
    return [one for part in by_type.values() for one in (predicate_trial(part), likeness_trial(part))]


def predicate_trial(part: Part) -> Trial:
    """Compiles what a predicate needs."""
    of_part = counting.run_kernels(part.arrays), engine.run_kernels(part.arrays), ranking.run_kernels(part)
    return Trial(DISTRIBUTION, tuple(call for calls in of_part for call in calls))
