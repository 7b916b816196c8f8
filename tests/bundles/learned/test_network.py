"""The forward pass of the network, against the formulas of the paper written out step by step."""

from __future__ import annotations

import numpy as np
import pytest

from mere.bundles.learned.network import ABSENT, CELL, CODES, SETS, WIDTH
from tests.bundles.learned.cases import random_network

NETWORK = random_network()
CLOSE = {"rtol": 1e-4, "atol": 1e-4}


def layer(name, values):
    weights = {part: NETWORK.weights[f"{name}.{part}"].astype(np.float64) for part in ("weight", "bias")}
    return values @ weights["weight"] + weights["bias"]


def relu(values):
    return np.maximum(values, 0)


def plain_rows(codes):
    """Each row by itself: the cells' embeddings side by side, then the layer."""
    cells = np.vstack([NETWORK.weights["cell"], np.zeros(CELL)])
    return np.array([relu(layer("row", np.concatenate([cells[first], cells[second]]))) for first, second in codes])


def plain_fold(name, embeddings):
    state = embeddings[0].astype(np.float64)
    for embedding in embeddings[1:]:
        state = relu(layer(name, np.concatenate([embedding, state])))
    return state


def test_rows_are_the_layer_over_their_cells():
    codes = np.array([[0, 0], [5, 127], [127, 5], [0, ABSENT], [9, ABSENT]])
    np.testing.assert_allclose(NETWORK.embed_rows(codes), plain_rows(codes), **CLOSE)


def test_the_order_of_two_columns_matters_and_null_is_not_the_same_as_no_second_column():
    embedded = NETWORK.embed_rows(np.array([[5, 127], [127, 5], [5, 0], [5, ABSENT]]))
    assert len(np.unique(embedded.round(4), axis=0)) == 4


@pytest.mark.parametrize("rows", [1, 2, 500])
def test_a_table_has_the_mean_of_its_rows(rows):
    codes = np.random.default_rng(rows).integers(0, CODES, (rows, 2))
    codes[::3] = codes[0]  # repeated rows count repeatedly
    np.testing.assert_allclose(NETWORK.mean_embedding(codes), plain_rows(codes).mean(axis=0), **CLOSE)


def test_a_table_without_rows_has_zeros():
    assert NETWORK.mean_embedding(np.empty((0, 2), np.int64)).tolist() == [0.0] * WIDTH


@pytest.mark.parametrize("queries", [1, 2, 7])
def test_folds_go_query_by_query(queries):
    rng = np.random.default_rng(queries)
    tables = 0.1 * rng.standard_normal((3, queries, SETS * WIDTH)).astype(np.float32)
    expected = np.array([plain_fold("table", table) for table in tables])
    np.testing.assert_allclose(NETWORK.fold_tables(tables), expected, rtol=1e-3, atol=1e-3)
    corners = 0.1 * rng.standard_normal((queries, 2 * SETS * WIDTH)).astype(np.float32)
    (folded,) = NETWORK.fold_queries(corners)
    expected = plain_fold("query", corners)
    np.testing.assert_allclose(folded, expected, atol=1e-3 * np.abs(expected).max())


def test_a_single_query_is_its_own_fold():
    tables = np.random.default_rng(0).random((2, 1, SETS * WIDTH)).astype(np.float32)
    assert (NETWORK.fold_tables(tables) == tables[:, 0]).all()


def test_the_fraction_is_the_sigmoid_of_the_layers_over_the_product():
    rng = np.random.default_rng(3)
    tables = 0.1 * rng.standard_normal((4, SETS * WIDTH)).astype(np.float32)
    queries = 0.1 * rng.standard_normal((1, 2 * SETS * WIDTH)).astype(np.float32)
    product = relu(layer("first", tables)) * relu(layer("second", queries))
    logits = layer("output", relu(layer("hidden", product)))[:, 0]
    fractions = NETWORK.fraction(tables, queries)
    np.testing.assert_allclose(fractions, 1 / (1 + np.exp(-logits)), **CLOSE)
    assert ((fractions > 0) & (fractions < 1)).all()


def test_merges_of_several_column_sets_are_those_of_each():
    rng = np.random.default_rng(4)
    these, others = rng.random((2, 5, WIDTH)).astype(np.float32)
    merged = NETWORK.merge(these, others)
    np.testing.assert_allclose(merged, relu(layer("merge", np.concatenate([these, others], axis=1))), **CLOSE)
    for place in range(5):
        np.testing.assert_allclose(NETWORK.merge(these[place], others[place]), merged[place], **CLOSE)
