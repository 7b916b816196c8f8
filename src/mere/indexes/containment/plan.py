"""What does a question carry to the segments: the column's values, its signature, and the shape of the search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mere.indexes.containment.minhash import signatures
from mere.indexes.containment.tuning import CLASSES, shapes_for
from mere.indexes.kind import Part
from mere.indexes.sets.question import checked_threshold, probe_of

USUAL = 0.6  # threshold
MAY_MISS = "candidates come from MinHash signatures: a column may be missed; exact=True finds all"
ESTIMATED = "scores are estimated from MinHash signatures alone; verify=True computes them"


def containment_probe(query: Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any]:
    """A question about one column: its signature, and the bands and rows to use in each size class."""
    threshold = checked_threshold(query.get("threshold", USUAL))
    probe = probe_of(query)
    size, verify = len(probe["hashes"]), bool(query.get("verify", True))
    signature, shapes = np.zeros(0, np.uint32), np.zeros((0, 2), np.int64)
    if parts and size:
        signature = signatures(probe["hashes"], np.array([0, size]))[0]
        shapes = shapes_for(parts[0].arrays["shapes"], CLASSES, size, threshold)
    notes = [*probe["notes"], MAY_MISS, *([] if verify else [ESTIMATED])]
    more = {"signature": signature, "bands": shapes[:, 0].copy(), "rows": shapes[:, 1].copy()}
    return {**probe, **more, "threshold": threshold, "verify": verify, "notes": notes}
