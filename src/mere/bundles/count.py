"""How many distinct rows are held by exactly which tables?  Counted, in memory.

The rows of all tables that meet the filters are sorted by their hashes; equal rows follow each other, and the tables
that hold one are the bits of its mask.  Rows with the same mask, the signature, are counted together: any union of
tables is then a sum over a few thousand signatures.  `pipeline.signatures` does the same on Spark.  With more than 64
tables, few rows have the same mask, and every distinct row is an item of its own.

Cost: one sort of all rows that meet the filters, about 60 bytes each.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mere.bundles.coverage import Coverage, coverage_of_signatures, exact_coverage
from mere.bundles.exact_rows import equal_rows, wanted_rows
from mere.bundles.problem import Problem, Signatures

_BITS = 64


def count(problem: Problem, progress: Callable[[str], None] | None = None) -> Coverage:
    """What the base and the offered tables hold."""
    rows = []
    for number, relation in enumerate([lambda: problem.base, *(offer.relation for offer in problem.offers)]):
        if progress is not None:
            progress(f"counting table {number:,} of {len(problem.offers):,}" if number else "counting the base")
        rows.append(wanted_rows(relation(), problem.filters)[:2])
    return coverage_of_rows(rows)


def coverage_of_rows(rows: list[tuple[np.ndarray, np.ndarray]]) -> Coverage:
    """What tables hold whose rows are given as pairs of hashes; equal rows of a table count once."""
    if len(rows) <= _BITS:
        return coverage_of_signatures(signatures_of_rows(rows))
    table = np.repeat(np.arange(len(rows)), [len(first) for first, _ in rows])
    order, new = equal_rows(*(np.concatenate([hashes[side] for hashes in rows]) for side in (0, 1)))
    distinct = int(np.count_nonzero(new))
    held = np.unique(table[order] * distinct + np.cumsum(new) - 1)  # table by table, then row by row
    return exact_coverage(
        np.split(held % distinct, np.searchsorted(held, np.arange(1, len(rows)) * distinct)), np.ones(distinct)
    )


def signatures_of_rows(rows: list[tuple[np.ndarray, np.ndarray]]) -> Signatures:
    """The signatures of tables whose rows are given as pairs of hashes; equal rows of a table count once."""
    table = np.repeat(np.arange(len(rows)), [len(first) for first, _ in rows])
    first, second = (np.concatenate([hashes[side] for hashes in rows]) for side in (0, 1))
    order, new = equal_rows(first, second)
    masks = _masks(table[order], np.flatnonzero(new), len(rows))
    order = np.lexsort(masks.T)
    masks = masks[order]
    changes = np.append(True, (masks[1:] != masks[:-1]).any(axis=1))[: len(masks)]
    starts = np.flatnonzero(changes)
    return Signatures(masks[starts], np.diff(np.append(starts, len(masks))), len(rows))


def _masks(table: np.ndarray, starts: np.ndarray, tables: int) -> np.ndarray:
    """One row of words per distinct row: a bit for each table that holds it."""
    words = -(-tables // _BITS)
    masks = np.zeros((len(starts), words), np.uint64)
    if len(starts) == 0:
        return masks
    for word in range(words):
        here = table // _BITS == word
        bits = np.where(here, np.left_shift(np.uint64(1), (table % _BITS).astype(np.uint64)), np.uint64(0))
        masks[:, word] = np.bitwise_or.reduceat(bits, starts)
    return masks
