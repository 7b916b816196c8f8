"""Which columns are spread like this: at least, or at most, so much of them below, above or between?  From histograms.

FAINDER: Behme, Galhotra, Beedkar, Markl, PVLDB 2024.

    the paper              here
    H, b, v                a histogram, its bins, and rows instead of densities: whole numbers
    C, p, theta, r         a `Predicate`: column, fraction, "at least" or "at most" with <, <=, > or >=, number
    Algorithm 1, baselines see `fainder`
    full recall            possible: what a histogram does not rule out; what is searched for
    full precision         guaranteed: what it rules in; every hit says which

    histograms  from values to bins                     engine     from a fraction and a number to columns
    build       histograms and orders as arrays         search     one segment
    counting    what a histogram says of a comparison   kernels    compiled
    likeness    the columns most like a shape           brute      the oracle
    fainder     the paper's index, modes and baselines

Where we depart.  The paper clusters histograms and aligns their bins, so that the axis of values can be indexed; that
costs exactness or a scan (`fainder` does so, if the setting `fainder_clusters` asks for it).  Fractions need no
alignment, so we index the axis of probability: see `build`.

Cost: build O(values log values) for the histograms and O(LEVELS n log n) for the orders of n of them.  A question costs
a binary search where its fraction is on the grid, and a look at the columns between two levels where it is not; where
it names columns, a look at those.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mere.answers import Hit
from mere.indexes.distribution.brute import brute
from mere.indexes.distribution.build import arrays_of
from mere.indexes.distribution.search import MODES, distribution_probe, hits_of, with_evidence
from mere.indexes.distribution.train import trained_on
from mere.indexes.kind import Arrays, Part
from mere.segments import Segment, Table

__all__ = ["MODES", "Distribution", "brute"]


class Distribution:
    """The kind; a query is {"predicate": a Predicate or its text, ...}."""

    name = "distribution"
    version = 2

    def train(self, sample: Sequence[Table], settings: Mapping[str, Any]) -> Arrays:
        return trained_on(sample, settings)

    def build(self, segment: Segment, trained: Arrays, settings: Mapping[str, Any]) -> Arrays:
        return arrays_of(segment, trained, settings)

    def plan(self, query: Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any]:
        return distribution_probe(query, parts)

    def search(self, part: Part, probe: Mapping[str, Any], bound: float = float("-inf")) -> Iterator[Hit]:
        return hits_of(part, probe, bound)

    def explain(self, part: Part, probe: Mapping[str, Any], hits: list[Hit]) -> list[Hit]:
        return with_evidence(part, probe, hits)
