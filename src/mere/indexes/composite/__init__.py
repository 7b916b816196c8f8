"""Which tables of the lake join with mine on a key of several columns, whatever columns and order they keep it in?

MATE: Esmailoghli, Quiane-Ruiz, Abedjan, PVLDB 2022.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mere.answers import Hit
from mere.indexes.composite.brute import brute
from mere.indexes.composite.build import arrays_of, trained_on
from mere.indexes.composite.evidence import with_evidence
from mere.indexes.composite.question import MODES, composite_probe
from mere.indexes.composite.search import hits_of
from mere.indexes.kind import Arrays, Part
from mere.segments import Segment, Table

__all__ = ["MODES", "Composite", "brute"]


class Composite:
    """The kind; a query is {"columns": [cells, ...], ...} as `question` says."""

    name = "composite"
    version = 1

    def train(self, sample: Sequence[Table], settings: Mapping[str, Any]) -> Arrays:
        return trained_on(sample)

    def build(self, segment: Segment, trained: Arrays, settings: Mapping[str, Any]) -> Arrays:
        return arrays_of(segment, trained, settings)

    def plan(self, query: Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any]:
        return composite_probe(query, parts)

    def search(self, part: Part, probe: Mapping[str, Any], bound: float = float("-inf")) -> Iterator[Hit]:
        return hits_of(part, probe, bound)

    def explain(self, part: Part, probe: Mapping[str, Any], hits: list[Hit]) -> list[Hit]:
        return with_evidence(part, probe, hits)
