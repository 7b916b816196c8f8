"""Sets with vectors that are distributed alike are indexed together."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mere.errors import UsageError
from mere.indexes.similar import pexeso
from mere.indexes.similar.pexeso.partitions import Histograms, clustered, divergences, histograms_of
from mere.indexes.similar.records import Wanted, dense_vectors
from tests.indexes.similar.pexeso.cases import Case, brute_counts, cases, clustered_case, lists_of

SHARES = st.lists(st.integers(0, 4), min_size=4, max_size=4)


def divergence(a: list[float], b: list[float]) -> float:
    """Jensen-Shannon: the mean of the Kullback-Leibler divergences from the mean."""
    middle = [(x + y) / 2 for x, y in zip(a, b, strict=True)]
    return sum(
        x * math.log(x / m) for one in (a, b) for x, m in zip(one, middle, strict=True) if x > 0
    ) / 2  # fmt: skip


@given(st.lists(SHARES.filter(any), min_size=1, max_size=4), SHARES.filter(any))
def test_the_divergence_is_that_of_jensen_and_shannon(rows, center):
    shares = [[x / sum(row) for x in row] for row in (*rows, center)]
    entries = [(i, j, x) for i, row in enumerate(shares[:-1]) for j, x in enumerate(row) if x > 0]
    owners, bins, values = (np.array(column) for column in zip(*entries, strict=True))
    found = divergences(Histograms(owners, bins, values, len(rows), 4), np.array(shares[-1]))
    assert found == pytest.approx([divergence(row, shares[-1]) for row in shares[:-1]], abs=1e-12)
    assert (found <= math.log(2) + 1e-12).all()


@given(cases(), st.integers(1, 7))
def test_every_set_has_a_partition_and_no_partition_is_empty(case, count):
    found = pexeso.partitions(case.vectors, case.lists, 5, count)
    assert len(found) == 5 and set(found.tolist()) == set(range(min(count, 5)))
    assert found.tolist() == pexeso.partitions(case.vectors, case.lists, 5, count).tolist()


@given(cases())
def test_histograms_are_shares(case):
    histograms = histograms_of(case.vectors, case.lists, 5)
    totals = np.bincount(histograms.sets, histograms.shares, minlength=5)
    assert np.isclose(totals, 0).sum() + np.isclose(totals, 1).sum() == 5
    assert (histograms.bins < max(1, histograms.width)).all()


def test_sets_of_two_kinds_of_vectors_are_separated():
    rng = np.random.default_rng(3)
    kinds = rng.permutation(np.repeat([0, 1], 10))
    centers = np.array([[1.0, 0, 0, 0], [0, 0, 0, -1.0]])
    vectors = dense_vectors(np.repeat(centers[kinds], 30, axis=0) + 0.05 * rng.normal(size=(600, 4)))
    found = pexeso.partitions(vectors, lists_of([{place // 30} for place in range(600)]), 20, 2)
    assert found.tolist() in (kinds.tolist(), (1 - kinds).tolist())


def test_centers_move_to_the_mean_of_their_sets():
    rows = np.array([[1.0, 0, 0, 0], [0.9, 0.1, 0, 0], [0.1, 0.9, 0, 0], [0, 0, 0.5, 0.5], [0, 0, 0.4, 0.6]])
    owners, bins = np.nonzero(rows)
    found = clustered(Histograms(owners, bins, rows[owners, bins], 5, 4), 2)
    assert found[0] == found[1] == found[2] != found[3] == found[4]


def test_the_parts_together_give_the_answer_of_all_sets():
    case = clustered_case(limit=0.3)
    expected, owners = brute_counts(case), pexeso.partitions(case.vectors, case.lists, 20, 4)
    counts = np.zeros(20, np.int64)
    for part in range(4):
        rows = [
            {own for own in case.lists.sets[begin:end].tolist() if owners[own] == part}
            for begin, end in zip(case.lists.starts[:-1], case.lists.starts[1:], strict=True)
        ]
        kept = [place for place, row in enumerate(rows) if row]
        vectors = dense_vectors(case.vectors.dense[kept])
        index = pexeso.prepared(vectors, lists_of([rows[place] for place in kept]))
        own = Case(vectors, index.lists, case.question, Wanted(0.3, 1, owners == part))
        counts += pexeso.counted(index, own.question, own.wanted)[0]
    assert counts.tolist() == expected.tolist()


def test_no_partitions_are_refused():
    case = clustered_case()
    with pytest.raises(UsageError, match="the number of partitions is 0"):
        pexeso.partitions(case.vectors, case.lists, 20, 0)
