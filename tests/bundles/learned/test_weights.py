"""The weights in the package: they are read without torch, and estimate what they estimated when they were made."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from mere.bundles.filters import Filters
from mere.bundles.learned import LearnedEstimator
from mere.bundles.learned.network import CODES, SETS, SHAPES, WIDTH
from mere.bundles.learned.weights import PATH, packaged_network, read_network
from mere.bundles.predicates import And, Compare
from mere.bundles.sample import sample_of
from mere.errors import Corrupt
from tests.bundles.learned.cases import CITY, SCHEMA, SIZE, random_network, relation_of

NUMBERS = np.arange(4 * CODES)
TABLES = [np.stack([(7 * NUMBERS + 31 * t) % CODES, NUMBERS * NUMBERS // (t + 3) % CODES], axis=1) for t in range(2)]
BOXES = [[[10, 1], [60, 127]], [[30, 40], [90, 80]], [[100, 1], [127, 20]]]  # the lowest and the highest codes


def fractions(network, boxes):
    """What the network says of two tables, and of their union, in one column set."""
    first, second = (network.mean_embedding(codes) for codes in TABLES)
    embeddings = np.stack([first, second, network.merge(first, second)])
    tables = np.zeros((3, len(boxes), SETS * WIDTH), np.float32)
    tables[:, :, :WIDTH] = embeddings[:, None]
    queries = np.zeros((len(boxes), 2 * SETS * WIDTH), np.float32)
    queries[:, : 2 * WIDTH] = [network.embed_rows(np.array(box)).ravel() for box in boxes]
    return network.fraction(network.fold_tables(tables), network.fold_queries(queries))


def inside(codes, boxes):
    return np.any([((codes >= low) & (codes <= high)).all(axis=1) for low, high in boxes], axis=0)


@pytest.mark.parametrize(
    ("boxes", "expected"),
    [(BOXES, [0.46500, 0.45948, 0.46241]), (BOXES[:1], [0.37314, 0.38158, 0.37950])],
)
def test_the_packaged_weights_estimate_as_when_they_were_made(boxes, expected):
    np.testing.assert_allclose(fractions(packaged_network(), boxes), expected, rtol=1e-3)


@pytest.mark.parametrize("boxes", [BOXES, BOXES[:2], BOXES[:1], BOXES[1:2]])
def test_the_packaged_weights_are_near_the_truth_for_tables_and_their_union(boxes):
    truth = [inside(codes, boxes).mean() for codes in (*TABLES, np.concatenate(TABLES))]
    assert np.allclose(fractions(packaged_network(), boxes), truth, rtol=0.25)


def test_estimates_of_a_table_of_texts_and_numbers_are_near_the_truth():
    rows = [
        (number * 37 % 1000, ["graz", "linz", "steyr", "wien"][number * number % 7 % 4], None) for number in range(900)
    ]
    sample = sample_of(relation_of(rows), 1000)
    for low, high, city in ((100, 300, "graz"), (500, 900, "linz"), (0, 999, "steyr")):
        query = And((Compare(SIZE, ">=", low), Compare(SIZE, "<=", high), Compare(CITY, "=", city)))
        made = LearnedEstimator(SCHEMA, (query,), [sample])
        truth = Filters(queries=(query,)).rows(sample.relation).sum()
        assert truth / 2.5 <= made.distinct(made.summary(sample)) <= truth * 2.5


def test_asking_needs_no_torch():
    program = (
        "import sys; sys.modules['torch'] = None\n"  # an import of it would fail
        "from tests.bundles.lakes import problem\n"
        "from mere.bundles.answer import assemble\n"
        "rows = [(str(i), 'x', None) for i in range(9)]\n"
        "print(assemble(problem(rows, [(rows, 1.0)], ['a > 3'], 1.0), 'ml').method)\n"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=False)
    assert done.stdout == "ml\n", done.stderr


def test_the_weights_are_in_the_package_and_small():
    assert PATH.stat().st_size < 6_000_000
    weights = packaged_network().weights
    assert {name: array.shape for name, array in weights.items()} == SHAPES
    assert all(array.dtype == np.float32 and np.isfinite(array).all() for array in weights.values())


def test_weights_are_read_once():
    assert packaged_network() is packaged_network()


def test_a_missing_or_damaged_file_is_refused(tmp_path):
    path = tmp_path / "weights.safetensors"
    with pytest.raises(Corrupt, match=r"weights\.safetensors: the weights .* cannot be read"):
        read_network(path)
    path.write_bytes(PATH.read_bytes()[:1000])
    with pytest.raises(Corrupt, match="cannot be read"):
        read_network(path)


def test_a_file_with_other_layers_is_refused(tmp_path):
    weights = dict(random_network().weights)
    weights["merge.bias"] = np.zeros(3, np.float32)
    del weights["cell"]
    save_file(weights, tmp_path / "weights.safetensors")
    with pytest.raises(Corrupt, match=r"unexpected shapes of cell, merge\.bias"):
        read_network(tmp_path / "weights.safetensors")
