"""What does a histogram say of a predicate, or of a shape?

label       guaranteed (the histogram proves it), possible (it does not rule it out), or ruled out
fraction    [low, high]: bounds of the fraction of rows that satisfy the comparison
estimate    the fraction if values are spread evenly in their bins
rows        values that the histogram counts
region      the part of the axis that the predicate covers
predicates  of several predicates of the same column, instead: condition, label, fraction, estimate, region of each
histogram   {"edges", "counts"}
distance    for `like`: Wasserstein's distance, in the unit of the column
profile_only  the rows of the table stay with their owner
unsure      the numbers of the column may be read in two ways: see docs/numbers.md
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from mere.answers import Hit
from mere.indexes.distribution.counting import Bounds, bounds_of, estimated, satisfied
from mere.indexes.distribution.likeness import Shape, distance, shape_of
from mere.indexes.distribution.named import unsure_histograms
from mere.indexes.distribution.plan import predicates_in
from mere.indexes.kind import Part
from mere.language import Predicate, SameColumn


def with_evidence(part: Part, probe: Mapping[str, Any], hits: list[Hit]) -> list[Hit]:
    """The same hits with what their histograms say."""
    if "like.edges" in probe:
        return [_likeness(part, probe, hit, int(which)) for hit, which in zip(hits, _which(part, hits), strict=True)]
    return predicate_evidence(part, predicates_in(probe), hits)


def predicate_evidence(part: Part, predicates: Sequence[Predicate], hits: list[Hit]) -> list[Hit]:
    """Hits with what their histograms say of a predicate, or of several of the same column."""
    if not hits:
        return hits
    which = _which(part, hits)
    unsure = np.isin(which, unsure_histograms(part))
    findings = [_findings(part, which, predicate) for predicate in predicates]
    rows = bounds_of(part.arrays, which, predicates[0].intervals).rows
    return [
        replace(
            hit,
            evidence={
                **_of_all(predicates, [each[i] for each in findings]),
                "rows": int(rows[i]),
                "histogram": histogram(part, int(which[i])),
                **_profile_only(part, int(which[i])),
                **({"unsure": True} if unsure[i] else {}),
            },
        )
        for i, hit in enumerate(hits)
    ]


def _findings(part: Part, which: np.ndarray, predicate: Predicate) -> list[dict[str, Any]]:
    """What each histogram says of one predicate."""
    bounds = bounds_of(part.arrays, which, predicate.intervals)
    may, sure = judged(part, which, predicate, bounds)
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


def judged(part: Part, which: np.ndarray, predicate: Predicate, bounds: Bounds) -> tuple[np.ndarray, np.ndarray]:
    """Whether histograms may satisfy a predicate, and whether they surely do.

    A column whose numbers may be read in two ways may always, and never surely does.
    """
    may, sure = satisfied(predicate, bounds)
    unsure = np.isin(which, unsure_histograms(part))
    return may | unsure, sure & ~unsure


def _which(part: Part, hits: list[Hit]) -> np.ndarray:
    """The histograms of some hits."""
    columns = [part.segment.column_number(hit.table, hit.columns[0]) for hit in hits]
    return np.searchsorted(part.arrays["hist.columns"], columns).astype(np.uint32)


def label_of(may: bool, sure: bool) -> str:
    return "guaranteed" if sure else "possible" if may else "ruled out"


def _region(predicate: Predicate) -> list[float | None]:
    """The part of the axis that a predicate covers; None is an open end."""
    return [end if np.isfinite(end) else None for end in predicate.ends]


def _likeness(part: Part, probe: Mapping[str, Any], hit: Hit, which: int) -> Hit:
    like = Shape.of(probe["like.edges"], probe["like.counts"])
    drawn = histogram(part, which)
    away = distance(like, shape_of(part.arrays, which))
    evidence = {"distance": away, "rows": sum(drawn["counts"]), "histogram": drawn}
    unsure = {"unsure": True} if which in unsure_histograms(part) else {}
    return replace(hit, evidence={**evidence, **_profile_only(part, which), **unsure})


def _profile_only(part: Part, which: int) -> dict[str, bool]:
    """The mark of a column whose histogram was published without its rows."""
    table = part.segment.table_of_column[part.arrays["hist.columns"][which]]
    return {"profile_only": True} if part.segment.profile_only[table] else {}


def histogram(part: Part, which: int) -> dict[str, list[Any]]:
    """One histogram in plain numbers."""
    starts, below = part.arrays["hist.starts"], part.arrays["hist.below"]
    first, last = int(starts[which]), int(starts[which + 1])
    edges = part.arrays["hist.edges"][first + which : last + which + 1].tolist()
    return {"edges": edges, "counts": [up_to - before for before, up_to in pairwise([0, *below[first:last].tolist()])]}
