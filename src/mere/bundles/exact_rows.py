"""Which distinct rows of a table meet the filters?  As two hashes of 64 bits, by which rows of tables are compared.

The second hash also depends on the length and the ends of each value (`values.check_hashes`).  So two different rows
agree in both with a probability of about rows^2 / 2^129, which for a billion rows is 10^-21; if they differ only in the
middle of values of more than 16 bytes, of values^2 / 2^65, which for a million different values is 10^-8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mere.bundles.relation import Relation

if TYPE_CHECKING:
    from mere.bundles.filters import Filters


def distinct_rows(relation: Relation, filters: Filters) -> tuple[np.ndarray, np.ndarray]:
    """Both hashes of every distinct row that meets the filters, in ascending order."""
    first, second, _ = wanted_rows(relation, filters)
    order, new = equal_rows(first, second)
    return first[order][new], second[order][new]


def wanted_rows(relation: Relation, filters: Filters) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both hashes of every row that meets the filters, and the numbers of these rows."""
    rows = np.flatnonzero(filters.rows(relation))
    return relation.hashes(rows), relation.second_hashes(rows), rows


def equal_rows(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An order in which equal rows follow each other, and where in it a new row starts."""
    order = np.argsort(first)  # one key: several times faster than two
    ordered, others = first[order], second[order]
    other_first, other_second = ordered[1:] != ordered[:-1], others[1:] != others[:-1]
    if (other_second & ~other_first).any():  # two rows have the same first hash
        order = np.lexsort((second, first))
        ordered, others = first[order], second[order]
        other_first, other_second = ordered[1:] != ordered[:-1], others[1:] != others[:-1]
    return order, np.append(True, other_first | other_second)[: len(first)]
