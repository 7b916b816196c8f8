"""What does a histogram say of a predicate, or of a shape?

label       guaranteed (the histogram proves it), possible (it does not rule it out), or ruled out
fraction    [low, high]: bounds of the fraction of rows that satisfy the comparison; 0 and 1 if nothing is known of it
reason      why nothing is known of it (`unknown`)
estimate    the fraction if values are spread evenly in their bins
rows        values that the histogram counts
region      the part of the axis that the predicate covers
predicates  of several predicates of the same column, instead: condition, label, fraction, estimate, region of each
histogram   {"edges", "counts"}
distance    for `like`: Wasserstein's distance, in the unit of the column
profile_only  the rows of the table stay with their owner
unsure      the numbers of the column, whose histogram is drawn, may be read in two ways: see docs/numbers.md
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from mere.answers import Hit
from mere.indexes.distribution.counting import bounds_of, estimated, satisfied
from mere.indexes.distribution.likeness import Shape, distance, shape_of
from mere.indexes.distribution.plan import predicates_in
from mere.indexes.distribution.unknown import reasons_of
from mere.indexes.kind import Part
from mere.language import Predicate, SameColumn


def with_evidence(part: Part, probe: Mapping[str, Any], hits: list[Hit]) -> list[Hit]:
    """The same hits with what their histograms say."""
    if "like.edges" in probe:
        return [_likeness(part, probe, hit) for hit in hits]
    return predicate_evidence(part, predicates_in(probe), hits)


def predicate_evidence(part: Part, predicates: Sequence[Predicate], hits: list[Hit]) -> list[Hit]:
    """Hits with what their histograms say of a predicate, or of several of the same column."""
    columns = np.array([part.segment.column_number(hit.table, hit.columns[0]) for hit in hits], np.int64)
    why = reasons_of(part, columns)
    known = np.flatnonzero([not reason for reason in why])
    which = np.searchsorted(part.arrays["hist.columns"], columns[known]).astype(np.uint32)
    findings = iter(zip(*(_findings(part, which, predicate) for predicate in predicates), strict=True))
    of_each = [
        [_unknown(predicate, reason) for predicate in predicates] if reason else next(findings) for reason in why
    ]
    return [
        replace(
            hit, evidence={**_of_all(predicates, found), **_of_column(part, column), **_unsure(part, column, reason)}
        )
        for hit, column, found, reason in zip(hits, columns.tolist(), of_each, why, strict=True)
    ]


def _of_column(part: Part, column: int) -> dict[str, Any]:
    """What is told of a column whatever the predicate: its histogram, if there is one, and whether it has no rows."""
    which = _histogram_of(part, column)
    drawn = {} if which is None else histogram(part, which)
    marks = {"profile_only": True} if part.segment.profile_only[part.segment.table_of_column[column]] else {}
    return {**({"rows": sum(drawn["counts"]), "histogram": drawn} if drawn else {}), **marks}


def _unsure(part: Part, column: int, reason: str) -> dict[str, bool]:
    """The mark of a column whose numbers, of which there is a histogram, may be read in two ways."""
    return {"unsure": True} if reason and _histogram_of(part, column) is not None else {}


def _histogram_of(part: Part, column: int) -> int | None:
    owners = part.arrays["hist.columns"]
    which = int(np.searchsorted(owners, column))
    return which if which < len(owners) and owners[which] == column else None


def _unknown(predicate: Predicate, reason: str) -> dict[str, Any]:
    """What is known of a column without a histogram to go by."""
    return {"label": "possible", "fraction": [0.0, 1.0], "region": _region(predicate), "reason": reason}


def _findings(part: Part, which: np.ndarray, predicate: Predicate) -> list[dict[str, Any]]:
    """What each histogram says of one predicate."""
    bounds = bounds_of(part.arrays, which, predicate.intervals)
    may, sure = satisfied(predicate, bounds)
    guesses = estimated(part.arrays, which, predicate.ends, bounds)
    return [
        {
            "label": label_of(may[i], sure[i]),
            "fraction": [float(bounds.under[i] / bounds.rows[i]), float(bounds.over[i] / bounds.rows[i])],
            "estimate": float(guesses[i]),
            "region": _region(predicate),
        }
        for i in range(len(which))
    ]


def _of_all(predicates: Sequence[Predicate], findings: list[dict[str, Any]]) -> dict[str, Any]:
    """One finding as it is; several as a list, with the worst label as that of all."""
    if len(findings) == 1:
        return findings[0]
    labels = {finding["label"] for finding in findings}
    worst = next(label for label in ("ruled out", "possible", "guaranteed") if label in labels)
    written = SameColumn(tuple(predicates)).written()
    several = [{"condition": text, **finding} for text, finding in zip(written, findings, strict=True)]
    return {"label": worst, "predicates": several}


def label_of(may: bool, sure: bool) -> str:
    return "guaranteed" if sure else "possible" if may else "ruled out"


def _region(predicate: Predicate) -> list[float | None]:
    """The part of the axis that a predicate covers; None is an open end."""
    return [end if np.isfinite(end) else None for end in predicate.ends]


def _likeness(part: Part, probe: Mapping[str, Any], hit: Hit) -> Hit:
    like, column = (
        Shape.of(probe["like.edges"], probe["like.counts"]),
        part.segment.column_number(hit.table, hit.columns[0]),
    )
    which, [reason] = _histogram_of(part, column), reasons_of(part, np.array([column]))
    if which is None:
        return replace(hit, evidence={"label": "possible", "reason": reason, **_of_column(part, column)})
    away = distance(like, shape_of(part.arrays, which))
    return replace(hit, evidence={"distance": away, **_of_column(part, column), **_unsure(part, column, reason)})


def histogram(part: Part, which: int) -> dict[str, list[Any]]:
    """One histogram in plain numbers."""
    starts, below = part.arrays["hist.starts"], part.arrays["hist.below"]
    first, last = int(starts[which]), int(starts[which + 1])
    edges = part.arrays["hist.edges"][first + which : last + which + 1].tolist()
    return {"edges": edges, "counts": [up_to - before for before, up_to in pairwise([0, *below[first:last].tolist()])]}
