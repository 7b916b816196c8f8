"""What does the network of the learned estimator compute?

Distinctiveness maximisation (Wang and others, WWW 2025), section 4, on top of IRIS (Lu and others, VLDB 2021).

    paper          here               meaning
    phi_c          cell               a code of 0..127 -> 64 numbers
    phi_r, psi     row, embed_rows    the codes of a row in one column set -> 128 numbers
    e_C            mean_embedding     the mean of a table's rows in a column set
    phi_d, eq. 4   fold_tables        the embeddings of all queries' column sets -> one per table
    phi_q, eq. 5   fold_queries       the lowest and highest corners of all queries -> one per question
    phi_1..3       fraction           both, as the share of the table's rows that meet at least one query
    phi_e, eq. 7   merge              the embeddings of two tables -> that of their union
    x, eta         SETS, WIDTH        column sets per query; numbers per embedding

Departs: the share is a sigmoid of the last layer, so that it is between 0 and 1; of a single query the fold is the
query's own embedding, as the paper's first step needs two.

The module needs nothing but NumPy, so that the script that trains the network with torch can compare its own forward
pass with this one.  Cost: a row costs one addition of 128 numbers, because `row` after `cell` is linear and is
tabulated per code; a fold costs tables x queries x 0.5 million multiplications.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

CODES = 128  # per column; 0 is null
ABSENT = 128  # the second code of a column set that has one column: its cell embedding is zero
CELL = 64
WIDTH = 128
SETS = 4  # per query; fewer are padded with zeros

SHAPES = {
    "cell": (CODES, CELL),
    "row.weight": (2 * CELL, WIDTH),
    "row.bias": (WIDTH,),
    "table.weight": (2 * SETS * WIDTH, SETS * WIDTH),
    "table.bias": (SETS * WIDTH,),
    "query.weight": (4 * SETS * WIDTH, 2 * SETS * WIDTH),
    "query.bias": (2 * SETS * WIDTH,),
    "first.weight": (SETS * WIDTH, WIDTH),
    "first.bias": (WIDTH,),
    "second.weight": (2 * SETS * WIDTH, WIDTH),
    "second.bias": (WIDTH,),
    "hidden.weight": (WIDTH, WIDTH),
    "hidden.bias": (WIDTH,),
    "output.weight": (WIDTH, 1),
    "output.bias": (1,),
    "merge.weight": (2 * WIDTH, WIDTH),
    "merge.bias": (WIDTH,),
}


def _relu(values: np.ndarray) -> np.ndarray:
    return np.maximum(values, np.float32(0))


@dataclass(frozen=True, eq=False)
class Network:
    """The layers, by the names of `SHAPES`; 32-bit floats."""

    weights: Mapping[str, np.ndarray]

    @cached_property
    def _first_codes(self) -> np.ndarray:
        """What each code of the first column adds to a row before the ReLU; the bias is included."""
        return self._cells() @ self.weights["row.weight"][:CELL] + self.weights["row.bias"]

    @cached_property
    def _second_codes(self) -> np.ndarray:
        return self._cells() @ self.weights["row.weight"][CELL:]

    def _cells(self) -> np.ndarray:
        return np.concatenate([self.weights["cell"], np.zeros((1, CELL), np.float32)])

    def embed_rows(self, codes: np.ndarray) -> np.ndarray:
        """The embedding of each row of a column set; `codes` is (rows, 2)."""
        return _relu(self._first_codes[codes[:, 0]] + self._second_codes[codes[:, 1]])

    def mean_embedding(self, codes: np.ndarray) -> np.ndarray:
        """The embedding of a column set: the mean over its rows; zeros if it has none."""
        if not len(codes):
            return np.zeros(WIDTH, np.float32)
        pairs, counts = np.unique(codes[:, 0].astype(np.int64) * (CODES + 1) + codes[:, 1], return_counts=True)
        rows = self.embed_rows(np.stack([pairs // (CODES + 1), pairs % (CODES + 1)], axis=1))
        return (counts / len(codes)).astype(np.float32) @ rows

    def merge(self, these: np.ndarray, others: np.ndarray) -> np.ndarray:
        """The embeddings of unions of two tables; both (..., WIDTH)."""
        return _relu(self._layer("merge", np.concatenate([these, others], axis=-1)))

    def fold_tables(self, embeddings: np.ndarray) -> np.ndarray:
        """One embedding per table of (tables, queries, SETS * WIDTH)."""
        return self._fold("table", embeddings)

    def fold_queries(self, embeddings: np.ndarray) -> np.ndarray:
        """The embedding of all queries, (1, ...), of (queries, 2 * SETS * WIDTH)."""
        return self._fold("query", embeddings[None])

    def fraction(self, tables: np.ndarray, queries: np.ndarray) -> np.ndarray:
        """The share of each table's rows that meet at least one query; from both folds."""
        product = _relu(self._layer("first", tables)) * _relu(self._layer("second", queries))
        logits = self._layer("output", _relu(self._layer("hidden", product)))[:, 0]
        return 1 / (1 + np.exp(-logits.astype(np.float64)))

    def _fold(self, name: str, embeddings: np.ndarray) -> np.ndarray:
        """State after state: relu([embedding, state] @ weight + bias), the products with embeddings made beforehand."""
        count, steps, size = embeddings.shape
        weight = self.weights[f"{name}.weight"]
        added = embeddings[:, 1:].reshape(-1, size) @ weight[:size] + self.weights[f"{name}.bias"]
        state = embeddings[:, 0]
        for terms in added.reshape(count, steps - 1, weight.shape[1]).swapaxes(0, 1):
            state = _relu(terms + state @ weight[size:])
        return state

    def _layer(self, name: str, values: np.ndarray) -> np.ndarray:
        return values @ self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]
