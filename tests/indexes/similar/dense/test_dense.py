"""The dense engines give the counts and the pairs of brute force, compiled or not."""

from __future__ import annotations

from typing import NamedTuple
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mere import compiled
from mere.compiled import read_only
from mere.errors import UsageError
from mere.indexes.similar.dense import (
    ENGINES,
    Options,
    arrays_of,
    counted,
    kernels,
    matched,
    principal_axes,
    search,
    trial,
)
from mere.indexes.similar.dense.mapping import SCALE, mapped
from mere.indexes.similar.records import TOLERANCE, Lists, Vectors, Wanted, dense_vectors


class Case(NamedTuple):
    values: Vectors
    lists: Lists
    question: Vectors
    wanted: Wanted


def brute_pairs(values: Vectors, question: Vectors, limit: float) -> dict[tuple[int, int], float]:
    """Every pair within the limit, with its distance."""
    pairs = {}
    for i, q in enumerate(question.dense.astype(np.float64)):
        for j, x in enumerate(values.dense.astype(np.float64)):
            distance = float(np.sqrt(((x - q) ** 2).sum()))
            if x.any() and q.any() and distance <= limit + TOLERANCE:
                pairs[i, j] = distance
    return pairs


def brute_counts(case: Case) -> np.ndarray:
    matching = brute_pairs(case.values, case.question, case.wanted.limit)
    of_set: list[set[int]] = [set() for _ in case.wanted.owned]
    for query, place in matching:
        for which in case.lists.sets[case.lists.starts[place] : case.lists.starts[place + 1]]:
            of_set[which].add(query)
    return np.array([len(queries) for queries in of_set], np.int64)


def made(seed: int, size: int, dimensions: int, queries: int, limit: float) -> Case:
    """Clustered vectors, with zeros and duplicates, in a few sets; the query has copies and neighbours of them."""
    chance = np.random.default_rng(seed)
    centres = chance.normal(size=(max(size // 20, 1), dimensions))
    raw = centres[chance.integers(0, len(centres), size)] + chance.normal(size=(size, dimensions)) * 0.1
    raw[chance.random(size) < 0.05] = 0.0
    raw[chance.random(size) < 0.1] = raw[:1]
    near = raw[chance.integers(0, size, queries)] if size else chance.normal(size=(queries, dimensions))
    near = near + chance.normal(size=near.shape) * 0.05 * (chance.random((queries, 1)) < 0.7)
    near[chance.random(queries) < 0.05] = 0.0
    sets = 7
    members = chance.random((size, sets)) < 0.2
    starts = np.concatenate([[0], np.cumsum(members.sum(axis=1))]).astype(np.int64)
    lists = Lists(starts, np.nonzero(members)[1].astype(np.uint32))
    need = int(chance.integers(1, queries + 2))
    return Case(
        dense_vectors(raw), lists, dense_vectors(near), Wanted(limit, need, chance.random(sets) < 0.8)
    )  # fmt: skip


def arrays_for(case: Case) -> dict[str, np.ndarray]:
    return arrays_of(case.values, principal_axes(case.values.dense[::2]))


def check(case: Case, options: Options) -> None:
    """Counts are right where they reach `need`, never too high, and no set that is not owned is counted."""
    arrays, right = arrays_for(case), brute_counts(case)
    counts = counted(arrays, case.lists, case.question, case.wanted, options)
    reaching = case.wanted.owned & (right >= case.wanted.need)
    np.testing.assert_array_equal(counts[reaching], right[reaching])
    assert np.all(counts <= np.where(case.wanted.owned, right, 0))
    chosen = np.random.default_rng(len(right)).random(len(case.values.dense)) < 0.6
    pairs = {
        (query, place): distance
        for piece in matched(arrays, case.question, case.wanted.limit, chosen, options)
        for query, place, distance in zip(*(side.tolist() for side in piece), strict=True)
    }
    expected = {
        pair: d for pair, d in brute_pairs(case.values, case.question, case.wanted.limit).items() if chosen[pair[1]]
    }
    assert pairs == pytest.approx(expected, rel=0, abs=1e-12)


LIMITS = st.one_of(st.sampled_from([0.0, 0.02, 0.12, 0.5, 1.0, 1.4, 2.0]), st.floats(0, 2))
CASES = st.builds(
    made, st.integers(0, 10_000), st.sampled_from([0, 1, 2, 127, 128, 129, 700, 2_100, 4_500]),
    st.sampled_from([1, 2, 5, 16, 50]), st.sampled_from([1, 2, 9, 30]), LIMITS,
)  # fmt: skip
MEMORY = st.sampled_from([1, 100_000, 64 << 20])


@settings(max_examples=60)
@given(CASES, st.sampled_from(ENGINES), MEMORY)
def test_compiled_engines_equal_brute_force(case, engine, memory):
    with patch.object(compiled, "ready", lambda *_: True):
        check(case, Options(engine, memory))


@settings(max_examples=40)
@given(CASES, st.sampled_from(ENGINES), MEMORY)
def test_numpy_equals_brute_force(case, engine, memory):
    with patch.object(compiled, "ready", lambda *_: False):
        check(case, Options(engine, memory))


@given(CASES)
def test_mapped_vectors_are_no_farther_apart_than_the_vectors(case):
    both = np.concatenate([case.values.dense, case.question.dense])
    axes = principal_axes(case.values.dense)
    points = mapped(both, axes).astype(np.float64) / SCALE
    slack = np.sqrt(points.shape[1]) / SCALE + 1e-6
    for i in range(0, len(both), 50):
        apart = np.sqrt(((both.astype(np.float64) - both[i]) ** 2).sum(axis=1))
        assert np.all(np.sqrt(((points - points[i]) ** 2).sum(axis=1)) <= apart + slack)


@given(CASES)
def test_axes_are_orthonormal(case):
    axes = principal_axes(case.values.dense).astype(np.float64)
    assert 1 <= len(axes) <= case.values.dense.shape[1]
    np.testing.assert_allclose(axes @ axes.T, np.eye(len(axes)), atol=1e-6)


@given(CASES)
def test_arrays_hold_every_vector_once_in_full_blocks_and_do_not_change(case):
    arrays = arrays_for(case)
    assert sorted(arrays["dense.order"].tolist()) == np.flatnonzero(case.values.dense.any(axis=1)).tolist()
    np.testing.assert_array_equal(arrays["dense.vectors"], case.values.dense[arrays["dense.order"]])
    again = arrays_for(case)
    assert list(again) == list(arrays)
    assert all(np.array_equal(arrays[name], again[name]) for name in arrays)


def test_sets_that_are_refused_are_no_longer_compared_and_the_rest_is_right():
    """Enough values for a second batch, in which few sets are alive, whose vectors alone are then compared."""
    case = made(5, 2_100, 16, 200, 0.3)
    case = case._replace(wanted=case.wanted._replace(need=150, owned=np.arange(7) == 3))
    for ready in (True, False):
        with patch.object(search, "_REFUSED", 0.0), patch.object(compiled, "ready", lambda *_, ready=ready: ready):
            for engine in ENGINES:
                check(case, Options(engine, 64 << 20))


def test_after_the_trial_no_question_compiles_anything():
    case = made(1, 300, 4, 3, 0.5)
    arrays = {name: read_only(array) for name, array in arrays_for(case).items()}
    calls = trial(arrays, case.lists).calls
    for _, call in calls:
        call()
    before = {name: len(getattr(kernels, name).signatures) for name, _ in calls}
    with patch.object(compiled, "ready", lambda *_: True):
        for engine in ENGINES:
            counted(arrays, case.lists, case.question, case.wanted, Options(engine))
    assert before == {name: len(getattr(kernels, name).signatures) for name, _ in calls}


def test_an_unknown_engine_is_an_error_that_names_the_engines():
    case = made(1, 10, 4, 3, 0.5)
    with pytest.raises(UsageError, match="no engine 'tree'; choose one of auto, blocks, product"):
        counted(arrays_for(case), case.lists, case.question, case.wanted, Options("tree"))
