"""Which rows stand for a table?  The distinct rows with the smallest hashes.

A row has the same hash in every table, so it is in the samples of all tables that hold it, or of none, up to their
thresholds: a union or an overlap of tables can be counted on their samples (Cohen and Kaplan, "Summarizing data using
bottom-k sketches", PODC 2007).

    threshold   the (size + 1)-th smallest hash as a share of all hashes; 1 if the sample has all distinct rows
    distinct    how many distinct rows the table has; counted when the sample was made

The rows below the threshold are a uniform sample of the distinct rows.  Because the number of distinct rows is known,
each of them stands for distinct / size rows.  That is closer than 1 / threshold: if all rows meet a filter, the
estimate is exact.

Samples of parts of a table are merged by taking the smallest hashes of both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mere.bundles.relation import Relation
from mere.segments.row_sketch import DEFAULT_SIZE

WHOLE = 2.0**64


@dataclass(frozen=True, eq=False)
class Sample:
    """Some distinct rows of a table: `relation` has them in the order of their hashes, which ascend."""

    relation: Relation
    hashes: np.ndarray
    threshold: float
    distinct: int

    @property
    def complete(self) -> bool:
        """Whether it has every distinct row."""
        return self.threshold >= 1.0


def sample_of(relation: Relation, size: int = DEFAULT_SIZE) -> Sample:
    """The sample of a relation whose rows are at hand."""
    hashes, first = np.unique(relation.hashes(), return_index=True)
    kept = hashes[:size]
    threshold = 1.0 if len(hashes) <= size else float(hashes[size]) / WHOLE
    return Sample(relation.take(first[:size]), kept, threshold, len(hashes))
