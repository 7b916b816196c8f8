"""Estimates of one question: what they must have in common, whatever the weights of the network are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mere.bundles.filters import Filters
from mere.bundles.learned import LearnedEstimator
from mere.bundles.learned.network import ABSENT
from mere.bundles.predicates import And, Compare, Constant, IsNull, Like, Not, OneOf, Or
from mere.bundles.relation import relation_of_cells
from mere.bundles.sample import sample_of
from mere.bundles.schema import Schema
from mere.values import Type
from tests.bundles.learned.cases import (
    CITY,
    DAY,
    SCHEMA,
    SIZE,
    predicates,
    random_network,
    random_rows,
    random_sample,
    relation_of,
    tables,
)

NETWORK = random_network()
SAMPLES = [random_sample(300, seed) for seed in range(4)]
RANGES = (
    And((Compare(SIZE, ">=", 100.0), Compare(SIZE, "<", 300.0), Compare(CITY, ">", "k"))),
    And((Compare(CITY, "=", "graz"), Compare(DAY, "<", 1_579_000_000.0))),
    Compare(SIZE, ">", 800.0),
)
LEFT_OVER = "conditions that are no ranges"


def estimator(*queries, samples=SAMPLES):
    return LearnedEstimator(SCHEMA, queries, samples, NETWORK)


def estimates(*queries, samples=SAMPLES):
    made = estimator(*queries, samples=samples)
    return made.distinct_many([made.summary(sample) for sample in samples])


def test_several_estimates_at_once_are_those_of_each():
    made = estimator(*RANGES)
    summaries = [made.summary(sample) for sample in SAMPLES]
    summaries.append(made.merge(summaries[0], summaries[1]))
    alone = [made.distinct(summary) for summary in summaries]
    np.testing.assert_allclose(made.distinct_many(summaries), alone, rtol=1e-4)
    assert len(set(np.round(alone, 3))) == len(alone)
    assert made.distinct_many([]).tolist() == []


def test_the_same_question_has_the_same_estimate():
    assert estimates(*RANGES).tolist() == estimates(*RANGES).tolist()


@given(st.lists(predicates, min_size=1, max_size=5), st.data())
def test_the_order_of_queries_and_repeated_ones_change_nothing(queries, data):
    shuffled = data.draw(st.permutations(queries))
    samples = [random_sample(60, seed) for seed in (1, 2)]
    expected = estimates(*queries, samples=samples)
    np.testing.assert_allclose(estimates(*shuffled, samples=samples), expected, rtol=1e-6)


def test_of_queries_that_all_have_every_row_the_order_changes_nothing():
    queries = [IsNull(1), Compare(0, "<>", 0.0), Compare(1, "<=", "wien"), And((IsNull(0),))]
    samples = [random_sample(60, seed) for seed in (1, 2)]
    turned = [queries[1], queries[0], *queries[2:]]
    assert estimates(*queries, samples=samples).tolist() == estimates(*turned, samples=samples).tolist()


def test_a_repeated_query_changes_nothing():
    assert estimates(*RANGES, RANGES[0]).tolist() == estimates(*RANGES).tolist()


@given(st.lists(tables, min_size=1, max_size=3), st.lists(predicates, max_size=4))
def test_estimates_are_between_none_and_all_rows(several, queries):
    samples = [sample_of(relation_of(rows), 20) for rows in several]
    for value, sample in zip(estimates(*queries, samples=samples), samples, strict=True):
        assert 0 <= value <= sample.distinct * (1 + 1e-9)


def test_without_queries_every_row_counts_and_rows_of_unions_add_up():
    made = estimator()
    first, second = (made.summary(sample) for sample in SAMPLES[:2])
    assert made.distinct(first) == SAMPLES[0].distinct
    assert made.distinct(made.merge(first, second)) == SAMPLES[0].distinct + SAMPLES[1].distinct
    assert made.column_sets == []


@pytest.mark.parametrize("query", [Constant(True), Or((Constant(True), RANGES[0]))])
def test_a_condition_that_is_always_true_has_every_row(query):
    assert estimates(query, RANGES[1]).tolist() == [sample.distinct for sample in SAMPLES]


@pytest.mark.parametrize(
    "query",
    [Constant(False), Constant(None), Compare(SIZE, ">", 5000.0), And((Compare(SIZE, "<", 3.0), IsNull(SIZE)))],
)
def test_a_condition_that_no_sampled_row_can_meet_has_none(query):
    assert estimates(query).tolist() == [0.0] * len(SAMPLES)


def test_conditions_that_are_no_ranges_are_counted_on_the_sample_with_a_note():
    query = Like(CITY, "%i%")
    made = estimator(query)
    assert any(LEFT_OVER in note for note in made.notes)
    for sample in SAMPLES:  # these are complete: the count is exact
        assert made.distinct(made.summary(sample)) == pytest.approx(
            Filters(queries=(query,)).rows(sample.relation).sum()
        )


def test_such_a_condition_beside_a_range_is_multiplied_in():
    both = estimator(And((RANGES[2], Like(CITY, "g%"))))
    alone = estimator(RANGES[2])
    assert any(LEFT_OVER in note for note in both.notes)
    for sample in SAMPLES:
        rows = Filters(queries=(RANGES[2],)).rows(sample.relation)
        share = Filters(queries=(And((RANGES[2], Like(CITY, "g%"))),)).rows(sample.relation).sum() / rows.sum()
        expected = alone.distinct(alone.summary(sample)) * share
        assert both.distinct(both.summary(sample)) == pytest.approx(expected, rel=0.05)  # ranges end in buckets


@pytest.mark.parametrize("query", [*RANGES, OneOf(CITY, ("graz", "wien")), Not(IsNull(CITY)), Not(RANGES[0])])
def test_ranges_need_no_such_note(query):
    assert not any(LEFT_OVER in note for note in estimator(query).notes)


def test_the_share_of_other_conditions_in_a_union_is_the_mean_by_rows():
    made = estimator(Like(CITY, "g%"))
    small, large = (made.summary(random_sample(count, 9)) for count in (50, 300))
    merged = made.merge(small, large)
    assert merged.rows == small.rows + large.rows
    assert merged.rows * merged.kept == pytest.approx(small.rows * small.kept + large.rows * large.kept)


def test_tables_without_rows_are_summarised_and_merged():
    empty = sample_of(relation_of(random_rows(1, 0)).take(np.empty(0, np.int64)), 10)
    for queries in (RANGES, (Like(CITY, "g%"),), ()):
        made = estimator(*queries, samples=[empty, empty])
        summary = made.summary(empty)
        assert made.distinct(made.merge(summary, summary)) == 0


def test_a_table_without_rows_adds_nothing_to_a_union():
    made = estimator(*RANGES)
    table = made.summary(SAMPLES[0])
    empty = made.summary(sample_of(SAMPLES[0].relation.take(np.empty(0, np.int64)), 10))
    assert made.merge(table, empty) is table and made.merge(empty, table) is table


def test_a_lacking_column_is_the_same_as_one_that_is_null_in_all_rows():
    rows = random_rows(200, 7)
    lacking = sample_of(relation_of([row[:1] for row in rows], ("size",)), 1000)
    nulls = sample_of(relation_of([(row[0], None, None) for row in rows]), 1000)
    made = estimator(*RANGES)
    assert (made.summary(lacking).embeddings == made.summary(nulls).embeddings).all()
    assert made.distinct(made.summary(lacking)) == made.distinct(made.summary(nulls))


def test_nulls_have_the_embedding_of_the_code_0():
    made = estimator(IsNull(CITY))
    assert made.column_sets == [(CITY,)]
    nulls = sample_of(relation_of([(size, None, None) for size in range(30)]), 100)
    np.testing.assert_allclose(
        made.summary(nulls).embeddings, NETWORK.embed_rows(np.array([[0, ABSENT]])), rtol=1e-5, atol=1e-6
    )


def wide_estimator(*queries):
    columns = 10
    schema = Schema(tuple(f"c{place}" for place in range(columns)), (Type.INTEGER,) * columns)
    cells = np.random.default_rng(0).integers(0, 100, (columns, 200)).astype(str)
    relation = relation_of_cells("t", schema.names, [pa.array(part, pa.string()) for part in cells], schema)
    return LearnedEstimator(schema, queries, [sample_of(relation, 1000)], NETWORK)


def test_a_query_on_more_columns_than_four_sets_have_gets_the_note():
    conditions = tuple(Compare(place, "<", 90.0) for place in range(10))
    assert any("more than 4 sets of columns" in note for note in wide_estimator(And(conditions)).notes)
    assert not any("more than 4 sets" in note for note in wide_estimator(And(conditions[:2]), conditions[3]).notes)


def test_more_queries_than_in_training_get_a_note():
    ranges = [Compare(place, operator, 40.0) for place in range(10) for operator in ("<", ">", "=")]
    joined = [And((first, second)) for first, second in zip(ranges[:-1], ranges[3:] + ranges[:2], strict=True)]
    assert any("up to 20 queries" in note for note in wide_estimator(*joined).notes)
    assert not any("up to 20 queries" in note for note in wide_estimator(*joined[:20]).notes)


def test_every_estimate_says_that_rows_of_several_tables_count_repeatedly():
    assert "counted repeatedly" in estimator().notes[0]
