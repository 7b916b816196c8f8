"""Which distinct rows of a table meet the filters?  As hashes of 128 bits, by which rows of tables are compared.

Two different rows of 128 bits agree with a probability of rows^2 / 2^129: for a billion rows, 10^-21.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mere.assemble.relation import Relation

if TYPE_CHECKING:
    from mere.assemble.filters import Filters


def distinct_rows(relation: Relation, filters: Filters) -> tuple[np.ndarray, np.ndarray]:
    """Both hashes of every distinct row that meets the filters, in ascending order."""
    rows = np.flatnonzero(filters.rows(relation))
    first, second = relation.hashes(rows), relation.second_hashes(rows)
    order = np.lexsort((second, first))
    first, second = first[order], second[order]
    new = np.append(True, (first[1:] != first[:-1]) | (second[1:] != second[:-1]))[: len(first)]
    return first[new], second[new]
