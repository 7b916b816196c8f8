"""Queries as boxes of codes: a box has the rows that meet the query, up to its left-over conditions."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from mere.bundles.filters import Filters
from mere.bundles.learned.boxes import Box, BoxMaker, columns_in, positive_form, without_contained
from mere.bundles.learned.quantiser import fit_quantiser, sort_keys
from mere.bundles.predicates import And, Compare, IsNull, Like, Not, OneOf, Or
from mere.values import Type
from tests.bundles.learned.cases import CITY, SCHEMA, SIZE, predicates, relation_of, tables


def quantisers_of(relation):
    fits = {}
    for place in (SIZE, CITY):
        column, kind = relation.columns[place], SCHEMA.types[place]
        counts = np.bincount(column.codes, minlength=len(column.values) + 1)[1:]
        fits[place] = fit_quantiser([sort_keys(column, kind)], [counts], kind)
    return fits


def rows_of(boxes, relation, quantisers):
    codes = {place: fit.code_rows(relation.columns[place], SCHEMA.types[place], relation.rows)
             for place, fit in quantisers.items()}  # fmt: skip
    found = np.zeros(relation.rows, bool)
    for box in boxes:
        inside = np.ones(relation.rows, bool)
        for column, (low, high) in box.ranges.items():
            inside &= (codes[column] >= low) & (codes[column] <= high)
        for part in box.left_over:
            inside &= Filters(queries=(part,)).rows(relation)
        found |= inside
    return found


@given(tables, predicates)
def test_the_boxes_of_a_query_have_exactly_its_rows_where_each_value_has_a_code(rows, query):
    relation = relation_of(rows)
    quantisers = quantisers_of(relation)
    for most in (1, 20):
        boxes = BoxMaker(quantisers, most).boxes(query)
        assert rows_of(boxes, relation, quantisers).tolist() == Filters(queries=(query,)).rows(relation).tolist()
        assert len(boxes) <= most


@given(tables, predicates)
def test_the_positive_form_is_true_for_the_same_rows(rows, query):
    relation = relation_of(rows)
    expected = Filters(queries=(query,)).rows(relation)
    assert Filters(queries=(positive_form(query),)).rows(relation).tolist() == expected.tolist()


@given(tables, predicates, predicates)
def test_leaving_out_contained_boxes_leaves_out_no_row(rows, one, other):
    relation = relation_of(rows)
    quantisers = quantisers_of(relation)
    maker = BoxMaker(quantisers, 20)
    boxes = [*maker.boxes(one), *maker.boxes(other)]
    kept = without_contained(boxes)
    assert rows_of(kept, relation, quantisers).tolist() == rows_of(boxes, relation, quantisers).tolist()
    assert not any(box.lies_in(other) for box in kept for other in kept if box is not other)


def test_values_of_a_list_that_are_neighbours_become_one_range():
    quantisers = {SIZE: fit_quantiser([np.arange(10.0)], [np.ones(10)], Type.INTEGER)}
    (box,) = BoxMaker(quantisers, 20).boxes(OneOf(SIZE, (3.0, 4.0, 5.0)))
    assert box.ranges[SIZE] == (int(quantisers[SIZE].first[3]), int(quantisers[SIZE].last[5]))


def test_like_is_left_over_and_a_query_of_too_many_boxes_is_too():
    quantisers = {SIZE: fit_quantiser([np.arange(10.0)], [np.ones(10)], Type.INTEGER)}
    (box,) = BoxMaker(quantisers, 20).boxes(And((Like(CITY, "g%"), Compare(SIZE, ">", 4.0))))
    assert box.left_over == (Like(CITY, "g%"),) and set(box.ranges) == {SIZE}
    (box,) = BoxMaker(quantisers, 1).boxes(OneOf(SIZE, (1.0, 5.0)))
    assert box.left_over and not box.ranges


def test_a_number_compared_with_a_column_of_texts_is_left_over():
    quantisers = {CITY: fit_quantiser([np.array(["1", "2"], object)], [np.ones(2)], Type.TEXT)}
    (box,) = BoxMaker(quantisers, 20).boxes(Compare(CITY, "=", 1.0))
    assert box.left_over == (Compare(CITY, "=", 1.0),)


def test_a_box_lies_in_one_with_fewer_conditions():
    narrow, wide = Box({SIZE: (3, 5), CITY: (1, 9)}), Box({SIZE: (2, 5)})
    assert narrow.lies_in(wide) and not wide.lies_in(narrow)
    assert not wide.lies_in(Box({SIZE: (1, 9)}, (Like(CITY, "a%"),)))


def test_the_columns_of_a_query_are_those_of_all_its_parts():
    assert columns_in(And((Not(IsNull(2)), Or((Like(1, "a"), OneOf(0, (1.0,))))))) == {0, 1, 2}
