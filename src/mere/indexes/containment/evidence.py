"""Why does a column answer: computed from its values, or estimated from signatures, with an interval.

The evidence is that of every question about one column (`sets.evidence`); `found_by` says which way a hit was found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mere.answers import Hit
from mere.indexes.containment.search import estimated_containment
from mere.indexes.kind import Part
from mere.indexes.sets.evidence import shared_by, with_evidence

_INTERVAL = 1.96  # standard deviations around an estimate that is shown: 95 %


def explain(part: Part, probe: Mapping[str, Any], hits: list[Hit]) -> list[Hit]:
    """The hits with their evidence: computed, or estimated from the signatures."""
    if probe["verify"]:
        hits = [replace(hit, evidence={"found_by": "signatures"}) for hit in hits]
        return with_evidence(part, probe, hits)
    return [replace(hit, evidence=_estimated_evidence(part, probe, hit)) for hit in hits]


def _estimated_evidence(part: Part, probe: Mapping[str, Any], hit: Hit) -> dict[str, Any]:
    column = part.segment.column_number(hit.table, hit.columns[0])
    which = part.arrays["set.of_column"][column : column + 1]
    agreed = np.count_nonzero(part.arrays["signatures"][which] == probe["signature"], axis=1)
    zs = (-_INTERVAL, 0.0, _INTERVAL)
    low, likely, high = (float(estimated_containment(part, probe, which, agreed, z)[0]) for z in zs)
    size, distinct = len(probe["hashes"]), int(part.arrays["set.sizes"][which[0]])
    return {
        "found_by": "signatures",
        **shared_by(probe, hit, round(likely * size)),
        "share": likely,
        "overlap": round(likely * size),
        "containment": likely,
        "interval": [low, high],
        "jaccard": likely * size / (size + distinct - likely * size),
        "distinct": distinct,
        "fan_out": None,
        "matched": [],
        "unmatched": [],
    }
