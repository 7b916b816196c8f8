"""Which columns are summarised together: the pairs that depend most on each other, and every column at least once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mere.bundles.learned.column_sets import MOST_PAIRS, choose_column_sets, correlations

_queries = st.lists(st.frozensets(st.integers(0, 9), min_size=1, max_size=6), min_size=1, max_size=8)


def codes_of(columns: int, rows: int = 400, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 128, (rows, columns), dtype=np.uint8)


def plain_contingency(first: np.ndarray, second: np.ndarray) -> float:
    """Chi-square over all pairs of buckets, divided by the rows and by the smaller number of buckets less one."""
    buckets = [[16 if code == 0 else code // 8 for code in column.tolist()] for column in (first, second)]
    rows, total = len(first), 0.0
    for a in set(buckets[0]):
        for b in set(buckets[1]):
            expected = buckets[0].count(a) * buckets[1].count(b) / rows
            observed = sum(pair == (a, b) for pair in zip(*buckets, strict=True))
            total += (observed - expected) ** 2 / expected
    return total / rows / max(1, min(len(set(buckets[0])), len(set(buckets[1]))) - 1)


def test_the_strength_is_the_mean_square_contingency():
    codes = codes_of(3, rows=150)
    codes[:, 1] = np.where(codes[:, 0] > 60, codes[:, 0], codes[:, 1])
    strength = correlations(codes)
    for a in range(3):
        for b in range(3):
            assert np.isclose(strength[a, b], plain_contingency(codes[:, a], codes[:, b]), rtol=1e-4, atol=1e-6)


def test_a_column_depends_fully_on_its_copy_and_nulls_count_as_a_value():
    codes = codes_of(3)
    codes[:, 1] = codes[:, 0]
    codes[:, 2] = np.where(codes[:, 0] > 60, 0, 9)
    strength = correlations(codes)
    assert np.isclose(strength[0, 1], 1, atol=1e-4)
    assert strength[0, 2] > 0.9
    assert np.isclose(correlations(np.zeros((5, 2), np.uint8))[0, 1], 0, atol=1e-6)


@given(_queries)
def test_every_column_is_in_a_set_and_pairs_are_columns_of_one_query(queries):
    columns = sorted(set().union(*queries))
    sets = choose_column_sets(queries, columns, codes_of(len(columns)))
    assert {column for each in sets for column in each} == set(columns)
    pairs = [each for each in sets if len(each) == 2]
    assert len(pairs) <= MOST_PAIRS
    assert len({frozenset(pair) for pair in pairs}) == len(pairs)
    assert all(any(set(pair) <= query for query in queries) for pair in pairs)
    covered = {column for pair in pairs for column in pair}
    assert sorted(each[0] for each in sets if len(each) == 1) == sorted(set(columns) - covered)


def test_the_strongest_pair_comes_first_with_the_column_of_more_codes_first():
    codes = codes_of(3)
    codes[:, 2] = codes[:, 1] // 32 * 32 + 1
    sets = choose_column_sets([frozenset({4, 5, 6})], [4, 5, 6], codes)
    assert sets[0] == (5, 6)
    assert {frozenset(each) for each in sets[1:]} == {frozenset({4, 5}), frozenset({4, 6})}
