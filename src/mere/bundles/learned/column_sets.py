"""Which columns are summarised together?

Pairs of columns that depend on each other (kappa = 2 in the paper), found as in CORDS (Ilyas and others, SIGMOD 2004):
the mean-square contingency of two columns on a sample, with the values in a few buckets.  The pair with the strongest
dependence is taken first, each pair once.

The paper stops when the column sets of a table take 4 kB.  An embedding has 128 numbers of 4 bytes, so that is eight
pairs.  It chooses the sets of each table alone; here they are chosen once per question, from a sample of all its
tables, because embeddings of different sets cannot be compared or merged.  As the queries are known by then, only pairs
that occur together in a query are considered; a column that no chosen pair has becomes a set of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

MOST_PAIRS = 8
_BUCKETS = 16
ColumnSet = tuple[int, ...]  # one or two places in the schema; the one with more codes first


def correlations(codes: np.ndarray) -> np.ndarray:
    """How much each two columns depend on each other, 0 to 1; `codes` is (rows, columns)."""
    rows, columns = codes.shape
    bucket = np.where(codes == 0, _BUCKETS, codes >> 3).astype(np.int64)
    indicator = np.zeros((rows, columns * (_BUCKETS + 1)), np.float32)
    np.put_along_axis(indicator, bucket + np.arange(columns) * (_BUCKETS + 1), 1, axis=1)
    both = (indicator.T @ indicator).astype(np.float64)
    alone = np.diagonal(both)
    expected = np.maximum(np.outer(alone, alone) / max(rows, 1), 1e-9)
    terms = ((both - expected) ** 2 / expected).reshape(columns, _BUCKETS + 1, columns, _BUCKETS + 1).sum(axis=(1, 3))
    used = (alone > 0).reshape(columns, _BUCKETS + 1).sum(axis=1)
    freedom = np.maximum(np.minimum.outer(used, used) - 1, 1)
    return terms / max(rows, 1) / freedom


def choose_column_sets(
    together: Sequence[frozenset[int]], columns: Sequence[int], codes: np.ndarray
) -> list[ColumnSet]:
    """The column sets of a question.

    `together` has the columns of each query, `columns` all of them, and `codes` the codes of a sample's rows in these.
    """
    place = {column: number for number, column in enumerate(columns)}
    distinct = [len(np.unique(codes[:, number])) for number in range(len(columns))]
    strength = correlations(codes)
    pairs = {(a, b) for used in together for a in used for b in used if a < b}
    ranked = sorted(pairs, key=lambda pair: (-strength[place[pair[0]], place[pair[1]]], pair))[:MOST_PAIRS]
    covered = {column for pair in ranked for column in pair}
    ordered = [tuple(sorted(pair, key=lambda column: (-distinct[place[column]], column))) for pair in ranked]
    return ordered + [(column,) for column in columns if column not in covered]
