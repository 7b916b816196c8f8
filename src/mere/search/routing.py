"""Which kind answers a question best?

Containment is answered by signatures, which may miss a column, or by posting lists, which cannot.  The exact way looks
every value up in every segment; as long as that stays a matter of a tenth of a second it is taken, unless the question
says otherwise.  Every hit tells which way it was found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from mere.answers import Hit
from mere.indexes.containment.search import USUAL
from mere.indexes.sets.question import checked_threshold, distinct_of

LOOKUPS = 2_000_000  # values times segments: a tenth of a second, about


@dataclass(frozen=True)
class Route:
    """The kind to ask, what to ask it, and how its hits are told."""

    kind: str
    query: Mapping[str, Any]
    as_containment: bool = False

    def relabelled(self, hits: Iterable[Hit]) -> list[Hit]:
        """The hits as answers to the question that was put."""
        return [_by_containment(hit) if self.as_containment else hit for hit in hits]


def routed(kind: str, query: Mapping[str, Any], segments: int) -> Route:
    """The way a question takes."""
    if kind != "containment":
        return Route(kind, query)
    values = distinct_of(query["values"])
    exact = query.get("exact")
    if exact is None:
        exact = query.get("verify", True) and len(values.hashes) * segments <= LOOKUPS
    if not exact:
        return Route(kind, {**query, "values": values})
    threshold = checked_threshold(query.get("threshold", USUAL))
    return Route("overlap", {**query, "values": values, "threshold": threshold}, as_containment=True)


def _by_containment(hit: Hit) -> Hit:
    return replace(hit, score=hit.evidence["containment"], evidence={"found_by": "posting lists", **hit.evidence})
