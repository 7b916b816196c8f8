"""Codes of cells: their order, their intervals, and the ranges that conditions become."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mere.bundles.learned.quantiser import HIGHEST, fit_quantiser, intersection
from mere.values import Type
from tests.bundles.learned.cases import CITY, SIZE, relation_of

_keys = st.lists(st.integers(-200, 200).map(float), min_size=1, max_size=300, unique=True)


def fitted(keys, counts=None):
    counts = np.ones(len(keys)) if counts is None else np.array(counts)
    return fit_quantiser([np.array(keys, float)], [counts], Type.DECIMAL)


@given(_keys, st.data())
def test_the_intervals_of_the_buckets_divide_all_codes(keys, data):
    counts = data.draw(st.lists(st.integers(1, 1000), min_size=len(keys), max_size=len(keys)))
    quantiser = fitted(keys, counts)
    covered = [code for low, high in zip(quantiser.first, quantiser.last, strict=True) for code in range(low, high + 1)]
    assert covered == list(range(1, HIGHEST + 1))
    assert (quantiser.first <= quantiser.codes).all() and (quantiser.codes <= quantiser.last).all()


@given(_keys, st.data())
def test_codes_ascend_with_the_values_and_differ_if_there_are_enough(keys, data):
    counts = data.draw(st.lists(st.integers(1, 1000), min_size=len(keys), max_size=len(keys)))
    codes = fitted(keys, counts).code(np.sort(np.array(keys)))
    steps = np.diff(codes.astype(int))
    assert (steps >= 0).all() and codes.min() >= 1
    assert len(keys) > HIGHEST or (steps > 0).all()


@given(_keys, st.floats(-250, 250), st.floats(0, 300), st.booleans(), st.booleans())
def test_a_range_has_the_codes_of_its_values_and_of_their_buckets_only(keys, low, width, above, below):
    quantiser, high = fitted(keys), low + width
    values = np.array(keys)
    inside = (values > low if above else values >= low) & (values < high if below else values <= high)
    limits = intersection(quantiser.at_least(low, above), quantiser.at_most(high, below))
    codes = quantiser.code(values)
    in_range = np.zeros(len(values), bool) if limits is None else (codes >= limits[0]) & (codes <= limits[1])
    assert not (inside & ~in_range).any()
    if len(keys) <= HIGHEST:  # one value per bucket: nothing is lost
        assert (in_range == inside).all()
    shared = {code for code in codes[in_range] if not inside[codes == code].any()}
    assert len(shared) <= 2  # a bucket at each end, of which no value need be inside


def test_a_frequent_value_has_an_interval_as_long_as_its_share():
    quantiser = fitted([1, 2, 3], [60, 30, 10])
    assert list(zip(quantiser.first, quantiser.codes, quantiser.last, strict=True)) == [
        (1, 39, 76),
        (77, 96, 114),
        (115, 121, 127),
    ]
    assert quantiser.at_least(2) == (77, 127) and quantiser.at_most(2, strictly=True) == (1, 76)


def test_null_and_cells_that_are_no_numbers_have_the_code_0():
    column = relation_of([(5, "graz", None), (None, "linz", None), ("many", "wien", None)]).columns[SIZE]
    quantiser = fitted([5.0])
    assert quantiser.code_rows(column, Type.INTEGER, 3).tolist() == [64, 0, 0]
    assert quantiser.code_rows(None, Type.INTEGER, 2).tolist() == [0, 0]


def test_a_column_without_values_has_the_code_0_and_no_ranges():
    quantiser = fit_quantiser([], [], Type.DECIMAL)
    assert quantiser.code(np.array([1.0, 2.0])).tolist() == [0, 0]
    assert quantiser.at_least(0.0) is None and quantiser.at_most(9.0) is None


def test_values_that_the_sample_lacks_have_the_code_of_a_neighbour():
    quantiser = fitted([10, 20, 30])
    known = quantiser.code(np.array([10.0, 20.0, 30.0]))
    assert quantiser.code(np.array([5.0, 15.0, 99.0])).tolist() == [known[0], known[1], known[2]]
    assert intersection(quantiser.at_least(15.0), quantiser.at_most(15.0)) is None  # no value of the sample is equal


def test_texts_are_ordered_as_texts():
    column = relation_of([(1, word, None) for word in ("wien", "graz", "linz")]).columns[CITY]
    keys = np.array(["graz", "linz", "wien"], object)
    quantiser = fit_quantiser([keys], [np.ones(3)], Type.TEXT)
    assert quantiser.orders_texts
    assert np.argsort(quantiser.code_rows(column, Type.TEXT, 3)).tolist() == [1, 2, 0]


@pytest.mark.parametrize("code", [0, 1, 39, 76, 77, 127])
def test_the_interval_of_a_code_has_it(code):
    first, last = fitted([1, 2, 3], [60, 30, 10]).intervals()
    assert first[code] <= code <= last[code]
