"""Small vectors of both forms with duplicates, ties and zeros; and what comparing all pairs gives."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from mere.indexes.similar.records import (
    FARTHEST,
    TOLERANCE,
    Lists,
    Vectors,
    Wanted,
    dense_vectors,
    sparse_vectors,
)


class Case(NamedTuple):
    vectors: Vectors
    lists: Lists
    question: Vectors
    wanted: Wanted


def sparse_of(rows: list[dict[int, int]]) -> Vectors:
    """Vectors of weights under gram numbers."""
    entries = [sorted((gram, weight) for gram, weight in row.items() if weight) for row in rows]
    flat = [entry for row in entries for entry in row]
    return sparse_vectors(
        np.cumsum([0, *map(len, entries)]).astype(np.int64),
        np.array([gram for gram, _ in flat], np.uint32),
        np.array([weight for _, weight in flat], np.int32),
        np.array([sum(weight * weight for _, weight in row) for row in entries], np.int64),
    )


def count_of(vectors: Vectors) -> int:
    return max(len(vectors.dense), len(vectors.norms))


def apart(left: Vectors, i: int, right: Vectors, j: int) -> float | None:
    """The distance of two vectors; None if one is zero."""
    if left.dense.shape[1]:
        x, q = left.dense[i].astype(float).tolist(), right.dense[j].astype(float).tolist()
        total = 0.0
        for a, b in zip(x, q, strict=True):
            total += (a - b) * (a - b)
        return math.sqrt(total) if any(x) and any(q) else None
    mine, theirs = (
        dict(zip(v.grams[v.starts[n] : v.starts[n + 1]].tolist(), v.weights[v.starts[n] :].tolist(), strict=False))
        for v, n in ((left, i), (right, j))
    )
    if not mine or not theirs:
        return None
    product = sum(weight * theirs.get(gram, 0) for gram, weight in mine.items())
    return math.sqrt(max(0.0, 2.0 - 2.0 * (product / math.sqrt(float(left.norms[i]) * float(right.norms[j])))))


def matches(case: Case, place: int, query: int) -> bool:
    away = apart(case.vectors, place, case.question, query)
    return away is not None and away <= case.wanted.limit + TOLERANCE


def brute_counts(case: Case) -> np.ndarray:
    """How many query vectors match a vector of each owned set."""
    matched = [set() for _ in case.wanted.owned]
    for place in range(count_of(case.vectors)):
        for query in range(count_of(case.question)):
            if matches(case, place, query):
                for own in case.lists.sets[case.lists.starts[place] : case.lists.starts[place + 1]].tolist():
                    matched[own].add(query)
    return np.array([len(m) if o else 0 for m, o in zip(matched, case.wanted.owned, strict=True)], np.int64)


def lists_of(rows: list[set[int]]) -> Lists:
    flat = [own for row in rows for own in sorted(row)]
    return Lists(np.cumsum([0, *map(len, rows)]).astype(np.int64), np.array(flat, np.uint32))


_SETS = 5
_dense = st.lists(st.integers(-2, 2), min_size=3, max_size=3)
_close = st.builds(lambda a, b: [math.cos(a), math.sin(a), b], st.sampled_from([0.0, 0.1, 0.11, 0.2, 3.1]),
                   st.sampled_from([0.0, 0.02, -0.3]))  # fmt: skip
_sparse = st.dictionaries(st.integers(0, 5), st.integers(1, 3), max_size=4)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    dense = draw(st.booleans())
    row = draw(st.sampled_from([_dense, _close, _dense | _close])) if dense else _sparse
    rows, asked = draw(st.lists(row, max_size=14)), draw(st.lists(row, max_size=8))
    if rows and asked and draw(st.booleans()):
        asked = [*asked, rows[0]]
    make = (lambda chosen: dense_vectors(np.array(chosen, np.float64).reshape(-1, 3))) if dense else sparse_of
    vectors, question = make(rows), make(asked)
    lists = lists_of([draw(st.sets(st.integers(0, _SETS - 1), max_size=3)) for _ in rows])
    limits = st.sampled_from([0.0, 0.01, 0.12, 0.5, 1.0, math.sqrt(2.0), 1.9, FARTHEST])
    limit = draw(limits)
    if rows and asked and draw(st.booleans()):  # a tie: the distance of a pair, or almost
        tie = apart(vectors, 0, question, draw(st.integers(0, len(asked) - 1))) or limit
        limit = max(0.0, tie - draw(st.sampled_from([0.0, 1e-7, 0.02])))
    owned = np.array(draw(st.lists(st.booleans(), min_size=_SETS, max_size=_SETS)))
    return Case(vectors, lists, question, Wanted(limit, draw(st.integers(1, 4)), owned))


def clustered_case(seed: int = 0, limit: float = 0.12, need: int = 1) -> Case:
    """Some hundred vectors near a few centers, in sets by center; the query is near some of them."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(12, 8))
    near = rng.integers(0, 12, 600)
    vectors = dense_vectors(centers[near] + 0.15 * rng.normal(size=(600, 8)))
    lists = lists_of([{int(own), int(own + 1) % 12, int(other)} for own, other in zip(near, rng.integers(0, 20, 600))])  # noqa: B905
    question = dense_vectors(vectors.dense[:60] + 0.02 * rng.normal(size=(60, 8)))
    return Case(vectors, lists, question, Wanted(limit, need, np.ones(20, bool)))
