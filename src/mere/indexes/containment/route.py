"""Which way answers a question about containment?

Signatures may miss a column; posting lists, the arrays of `overlap`, cannot.  Posting lists look up every value in
every segment: they are used as long as that takes about a tenth of a second, unless the question says otherwise.  Every
hit says which way it was found.
"""

from __future__ import annotations

from dataclasses import replace

from mere.answers import Hit
from mere.indexes.containment.plan import USUAL
from mere.indexes.kind import Query, Route
from mere.indexes.sets.question import checked_threshold, distinct_of

LOOKUPS = 2_000_000  # values times segments: about a tenth of a second


def routed(query: Query, segments: int) -> Route:
    """By posting lists, or by signatures."""
    values = distinct_of(query["values"])
    threshold = checked_threshold(query.get("threshold", USUAL))
    exact = query.get("exact")
    if exact is None:
        exact = query.get("verify", True) and len(values.hashes) * segments <= LOOKUPS
    query = {**query, "values": values, "threshold": threshold}
    size = len(values.hashes)

    def by_containment(hit: Hit) -> Hit:
        """A hit of `overlap` as an answer about containment."""
        return replace(hit, score=hit.score / size, evidence={"found_by": "posting lists", **hit.evidence})

    return Route("overlap", query, by_containment) if exact else Route("containment", query)
