"""PEXESO counts what comparing all pairs counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mere.errors import UsageError
from mere.indexes.similar import pexeso
from mere.indexes.similar.pexeso import blocking
from mere.indexes.similar.records import FARTHEST, Wanted, dense_vectors
from tests.indexes.similar.pexeso.cases import (
    Case,
    apart,
    brute_counts,
    cases,
    clustered_case,
    lists_of,
    sparse_of,
)

PIVOTS, DEPTHS = st.integers(3, 7), st.one_of(st.none(), st.integers(1, 8))


def answer(case: Case, pivots: int = 5, depth: int | None = None, **options: bool):
    index = pexeso.prepared(case.vectors, case.lists, pivots, depth)
    return pexeso.counted(index, case.question, case.wanted, **options)


def check(case: Case, counts: np.ndarray) -> None:
    expected = brute_counts(case)
    reached = expected >= case.wanted.need
    assert counts[reached].tolist() == expected[reached].tolist()
    assert (counts[~reached] <= expected[~reached]).all()


LINE = sparse_of([{0: 1}, {0: 2}, {0: 1, 1: 1}, {}, {1: 3}])
TIE = Case(LINE, lists_of([{0}, {1}, {0, 1}, {0}, {2}]), LINE, Wanted(FARTHEST, 1, np.ones(3, bool)))


@settings(max_examples=300)
@given(cases(), PIVOTS, DEPTHS)
@example(TIE, 5, None)
@example(TIE._replace(wanted=Wanted(0.0, 2, np.ones(3, bool))), 3, 8)
def test_the_counts_of_sets_that_reach_the_need_equal_brute_force(case, pivots, depth):
    counts, _ = answer(case, pivots, depth)
    check(case, counts)


@settings(max_examples=150)
@given(cases(), PIVOTS, DEPTHS)
def test_without_the_inverted_index_all_counts_equal_brute_force(case, pivots, depth):
    case = case._replace(wanted=case.wanted._replace(need=1))
    counts, counters = answer(case, pivots, depth, inverted=False)
    assert counts.tolist() == brute_counts(case).tolist()
    assert counters.filtered_by_pivots == counters.matched_by_pivots == counters.refused_early == 0


@settings(max_examples=150)
@given(cases(), DEPTHS, st.booleans())
def test_stopping_early_counts_up_to_the_need(case, depth, inverted):
    counts, counters = answer(case, 5, depth, inverted=inverted, stop_early=True)
    joinable = brute_counts(case) >= case.wanted.need
    assert (counts[joinable] == case.wanted.need).all() and (counts[~joinable] < case.wanted.need).all()
    assert counters.joinable_early == joinable.sum()


@settings(max_examples=100)
@given(cases(), DEPTHS, st.integers(1, 20))
def test_the_answer_does_not_depend_on_how_many_pairs_fit(case, depth, room):
    index = pexeso.prepared(case.vectors, case.lists, 5, depth)
    counts, counters = pexeso.counted(index, case.question, case.wanted, inverted=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocking, "PAIRS", room)
        again, split = pexeso.counted(index, case.question, case.wanted, inverted=False)
        check(case, pexeso.counted(index, case.question, case.wanted)[0])
    assert again.tolist() == counts.tolist()
    assert split.distances == counters.distances and split.candidates == counters.candidates


@pytest.mark.parametrize("limit", [0.04, 0.08, 0.12, 0.16, 0.6, 1.2, 1.99])
@pytest.mark.parametrize("share", [0.02, 0.2, 0.5, 0.8])
def test_clustered_vectors_at_the_limits_and_shares_of_the_paper(limit, share):
    case = clustered_case(limit=limit, need=int(np.ceil(60 * share)))
    for depth in (None, 2, 6):
        check(case, answer(case, 5, depth)[0])
        assert answer(case, 5, depth, inverted=False)[0].tolist() == brute_counts(case).tolist()


def test_pivots_save_distances_and_every_vector_of_a_candidate_cell_is_accounted_for():
    case = clustered_case(limit=0.3)
    _, plain = answer(case, 5, 3, inverted=False)
    _, ours = answer(case, 5, 3)
    assert plain.candidates == ours.candidates > 0 and plain.cells == ours.cells > 0
    assert 0 < ours.distances < plain.distances < 600 * 60
    assert 0 < ours.filtered_by_pivots <= plain.distances - ours.distances - ours.matched_by_pivots
    assert ours.mapping == 60 * 5


def test_wide_limits_match_whole_cells_and_vectors_by_their_pivots():
    _, counters = answer(clustered_case(limit=0.7), 5, 2)
    assert counters.matching > 0 and counters.matched_by_pivots > 0


def test_sets_that_cannot_reach_the_need_are_refused_before_all_values_are_compared():
    low, high = clustered_case(need=1), clustered_case(need=30)
    _, complete = answer(low, 5, 3)
    _, refused = answer(high, 5, 3)
    assert complete.refused_early == 0 and refused.refused_early > 0
    assert refused.distances < complete.distances


@pytest.mark.parametrize("depth", [1, 5, 8])
@pytest.mark.parametrize("more, matching", [(-0.02, 0), (-1e-4, 0), (-1e-7, 0), (0.0, 1), (1e-7, 1), (1e-4, 1)])
def test_a_query_vector_whose_only_near_vector_is_a_pivot_matches_up_to_the_limit(more, matching, depth):
    question = dense_vectors(np.array([[1.0, 0.1, 0.0]]))
    vectors, lists = dense_vectors(np.eye(3)), lists_of([{0}, {1}, {1}])
    wanted = Wanted(apart(vectors, 0, question, 0) + more, 1, np.ones(2, bool))
    assert answer(Case(vectors, lists, question, wanted), 3, depth)[0].tolist() == [matching, 0]


def test_no_vectors_or_no_question_match_nothing():
    nothing, some = dense_vectors(np.zeros((0, 3))), dense_vectors(np.eye(3))
    wanted = Wanted(FARTHEST, 1, np.ones(2, bool))
    for vectors, question in ((nothing, some), (some, nothing), (dense_vectors(np.zeros((3, 3))), some)):
        lists = lists_of([{0}] * len(vectors.dense))
        assert answer(Case(vectors, lists, question, wanted))[0].tolist() == [0, 0]


@pytest.mark.parametrize("pivots, depth", [(2, None), (8, None), (5, 9), (5, -1)])
def test_wrong_numbers_of_pivots_and_levels_are_refused(pivots, depth):
    case = clustered_case()
    with pytest.raises(UsageError, match="give a number from"):
        pexeso.prepared(case.vectors, case.lists, pivots, depth)


def test_the_index_is_deterministic():
    case = clustered_case()
    first, second = (pexeso.prepared(case.vectors, case.lists) for _ in range(2))
    assert first.pivots.tolist() == second.pivots.tolist() and first.order.tolist() == second.order.tolist()
    assert [a.tolist() for a in first.inverted] == [b.tolist() for b in second.inverted]
