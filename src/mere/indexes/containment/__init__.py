"""Which columns of the lake hold at least this share of my values?  Found by signatures, verified on the values.

LSH Ensemble: Zhu, Nargesian, Pu, Miller, PVLDB 2016; Zhu's thesis, chapter 2.

    the thesis            here
    Q, X, t*              the question, a set (columns with equal sets share one), `threshold`
    m                     `HASHES`
    [l_i, u_i]            a partition; `bounds` holds the u_i
    (b, r)                `bands`, `rows`: the shape of the search, per partition and question
    MinHash(X)            a row of `signatures`
    LSH forest            `trees`

    minhash      signatures                     search     one segment
    partitions   by size, optimally             kernels    signing, walking, verifying, compiled
    tuning       bands and rows                 brute      the oracle
    build        signatures and trees as arrays

Where we depart.  The partitions are optimal, by divide and conquer instead of a quadratic program.  (b, r) is looked
up in a table over a fine grid of x/q and thresholds, so the threshold belongs to the question and not to the index, and
it weighs rates instead of areas (`tuning` says why).  A candidate is dropped if it is too small to reach the threshold,
or if its whole signature says that it is unlikely to.  Sizes beyond those trained on get partitions that double.

Cost: build O(postings * m), 8 m bytes a set; a question costs O(values * m) once, and per segment a binary search in
each tree it walks, plus its candidates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mere.answers import Hit
from mere.indexes.containment import search
from mere.indexes.containment.brute import brute
from mere.indexes.containment.build import arrays_of, trained_on
from mere.indexes.kind import Arrays, Part
from mere.segments import Segment, Table

__all__ = ["Containment", "brute"]


class Containment:
    """The kind; a query is {"values": cells, "threshold": share, ...} as `sets.question` says; `verify` or not."""

    name = "containment"
    version = 1

    def train(self, sample: Sequence[Table], settings: Mapping[str, Any]) -> Arrays:
        return trained_on(sample, settings)

    def build(self, segment: Segment, trained: Arrays, settings: Mapping[str, Any]) -> Arrays:
        return arrays_of(segment, trained, settings)

    def plan(self, query: Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any]:
        return search.containment_probe(query, parts)

    def search(self, part: Part, probe: Mapping[str, Any], bound: float = float("-inf")) -> Iterator[Hit]:
        return search.hits_of(part, probe, bound)

    def explain(self, part: Part, probe: Mapping[str, Any], hits: list[Hit]) -> list[Hit]:
        return search.explain(part, probe, hits)
