"""Which tables of one segment have the best scores, and what matched in them?

Every clause gives its occurrences, sorted by table, field and position; counts and scores are sums over
runs of them. Evidence is computed for the best k only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mere.answers import Hit
from mere.indexes.keywords.build import POSITION_BITS
from mere.indexes.keywords.evidence import Evidence
from mere.indexes.keywords.fields import Field
from mere.indexes.keywords.postings import Postings, among, changes, postings_of
from mere.indexes.keywords.ranking import K1, OTHER_FORMS, WEIGHT, B
from mere.indexes.kind import Part

_WEIGHT = np.array([WEIGHT[field] for field in Field])


def hits_of(part: Part, probe: dict[str, Any], bound: float) -> Iterator[Hit]:
    """The segment's best k hits that reach the bound, best first."""
    postings = postings_of(part)
    matches = [_find(postings, clause) for clause in probe["clauses"]]
    scores = _scores(postings, probe, matches)
    tables = np.flatnonzero((scores > 0) & (scores >= bound))
    best = tables[np.lexsort((tables, -scores[tables]))]  # tables are in the order of their names
    if not best.size:
        return
    best = best[: probe["k"] or None]
    evidence = Evidence(part, best, probe, matches)
    for i, table in enumerate(best.tolist()):
        yield evidence.hit(i, table, float(scores[table]))


class _Matches(NamedTuple):
    """The occurrences of a clause, and those of other forms of its word."""

    exact: np.ndarray
    forms: np.ndarray


def _find(postings: Postings, clause: dict[str, Any]) -> _Matches:
    exact = postings.find(clause["options"], clause["fields"])
    forms = postings.find(clause["forms"], clause["fields"])
    return _Matches(exact, forms[~among(forms, exact)])


def _scores(postings: Postings, probe: dict[str, Any], matches: list[_Matches]) -> np.ndarray:
    """The score of every table; 0 where the question's conditions are not met."""
    tables, averages = len(postings.live), np.array(probe["averages"])
    score, allowed = np.zeros(tables), np.ones(tables, bool)
    words = [np.zeros(tables, bool)]
    for clause, own in zip(probe["clauses"], matches, strict=True):
        x = _frequency(postings, own, averages)
        if clause["excluded"]:
            allowed &= x == 0
            continue
        score += clause["weight"] * (x / (K1 + x))
        if clause["must"]:
            allowed &= x > 0
        else:
            words.append(x > 0)
    if len(words) > 1:
        allowed &= np.logical_or.reduce(words)
    return np.where(allowed, score, 0.0)


def _frequency(postings: Postings, matches: _Matches, averages: np.ndarray) -> np.ndarray:
    """x of every table: counts per field, weighed, and set against the field's length."""
    if not matches.exact.size + matches.forms.size:
        return np.zeros(len(postings.live))
    places = np.concatenate(matches) >> np.uint64(POSITION_BITS)  # by table, then field
    order = np.argsort(places, kind="stable")
    starts = changes(places[order])
    worth = np.repeat([OTHER_FORMS, 1], [len(matches.exact), len(matches.forms)])
    places, counts = places[order][starts], np.add.reduceat(worth[order], starts) / OTHER_FORMS
    tables, fields = (places >> np.uint64(3)).astype(np.int64), (places & np.uint64(7)).astype(np.int64)
    length = postings.lengths(tables, fields) / averages[fields]
    x = _WEIGHT[fields] * counts / ((1.0 - B) + B * length)
    return np.bincount(tables, x, minlength=len(postings.live))
