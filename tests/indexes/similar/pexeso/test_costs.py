"""The depth of the grid: the cost model, and which pivots are chosen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mere.indexes.similar.pexeso import costs
from mere.indexes.similar.pexeso.grid import cut, grid_of
from mere.indexes.similar.pexeso.pivots import map_to_pivots, not_zero, pivots_of, spread
from mere.indexes.similar.pexeso.records import frozen
from mere.indexes.similar.records import Lists, dense_vectors
from tests.indexes.similar.pexeso.cases import cases, clustered_case, lists_of

QUARTERS = st.integers(0, 8).map(lambda n: np.float32(n / 4))  # exact in float32


@given(
    arrays.arrays(np.float32, (9, 3), elements=QUARTERS),
    arrays.arrays(np.float32, (4, 3), elements=QUARTERS),
    st.integers(0, 8),
)
def test_the_vectors_near_a_query_vector_are_those_of_the_dimension_with_the_fewest(theirs, mine, quarters):
    found = costs.covered(np.sort(theirs, axis=0), mine, quarters / 4)
    expected = (np.abs(mine[:, None, :] - theirs[None, :, :]) <= quarters / 4).sum(axis=1).min(axis=1)
    assert found.tolist() == expected.tolist()


def mapped_clusters() -> tuple[np.ndarray, Lists]:
    case = clustered_case()
    places = not_zero(case.vectors)
    mapped = map_to_pivots(case.vectors, places, case.vectors, pivots_of(case.vectors, places, 5))
    return mapped, lists_of([set(range(n, 600, 20)) for n in range(20)])


def test_the_depth_with_the_least_cost_is_chosen():
    mapped, sets = mapped_clusters()
    grid, order = grid_of(mapped, 8)
    mapped = mapped[order]
    ascending = np.sort(mapped, axis=0)
    totals = [
        sum(costs.cost_of(frozen(cut(grid, depth)), ascending, *question)[0]
            for question in costs.workload_of(mapped, sets))
        for depth in range(1, 9)
    ]  # fmt: skip
    assert costs.depth_chosen(grid, mapped, sets) == 1 + int(np.argmin(totals))
    assert len(set(totals)) > 1


def test_the_cost_of_cells_makes_grids_shallower(monkeypatch: pytest.MonkeyPatch):
    mapped, sets = mapped_clusters()
    grid, order = grid_of(mapped, 8)
    depths = []
    for weight in (0.0, 0.5, 1e6):
        monkeypatch.setattr(costs, "CELLS", weight)
        monkeypatch.setattr(costs, "PAIR", weight)
        depths.append(costs.depth_chosen(grid, mapped[order], sets))
    assert depths[0] > depths[2] == 1 and depths == sorted(depths, reverse=True)


def test_the_workload_is_some_vectors_of_sets_that_have_any_with_limits_up_to_a_tenth():
    mapped, sets = mapped_clusters()
    sparse = Lists(np.concatenate([[0, 0], sets.starts]), sets.sets)  # two more sets, without vectors
    workload = costs.workload_of(mapped, sparse)
    assert len(workload) == costs.SETS and all(len(question.numbers) == costs.VALUES for question, _ in workload)
    limits = [limit for _, limit in workload]
    assert 0 < limits[0] < limits[-1] < 0.2 and limits == sorted(limits)


@given(cases(), st.integers(3, 7))
def test_pivots_are_different_vectors_that_are_not_zero(case, count):
    places = not_zero(case.vectors)
    if len(places) == 0:
        return
    pivots = pivots_of(case.vectors, places, count)
    assert 1 <= len(pivots) <= count and set(pivots.tolist()) <= set(places.tolist())
    between = map_to_pivots(case.vectors, pivots, case.vectors, pivots)
    assert (between[~np.eye(len(pivots), dtype=bool)] > 0).all()


def test_pivots_tell_vectors_apart_that_differ_in_one_direction_only():
    angles = np.linspace(0.0, 1.0, 500)
    arc = dense_vectors(np.stack([np.cos(angles), np.sin(angles), np.zeros(500)], axis=1))
    pivots = pivots_of(arc, np.arange(500), 3)
    assert min(pivots) < 50 or max(pivots) >= 450  # an outlier: near an end of the arc


@given(st.integers(0, 50), st.integers(1, 50))
def test_a_sample_is_spread_over_all_numbers(count, most):
    chosen = spread(count, most)
    assert len(set(chosen.tolist())) == len(chosen) == min(count, most)
    assert all(0 <= n < count for n in chosen.tolist())
    assert len(chosen) < 2 or np.diff(chosen).max() <= count // most + 1
