"""What does a question carry to the segments: the column's values, the least overlap of interest, and the mode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mere.errors import QueryError
from mere.indexes.sets.codes import with_codes
from mere.indexes.sets.question import checked_threshold, least_overlap, probe_of

MODES = ("auto", "merge", "probe", "josie")


def overlap_probe(query: Mapping[str, Any]) -> dict[str, Any]:
    """The probe of a question about one column."""
    mode = query.get("mode") or "auto"
    if mode not in MODES:
        raise QueryError(f"no mode '{mode}' for one column", f"choose one of {', '.join(MODES)}")
    threshold = query.get("threshold")
    share = 0.0 if threshold is None else checked_threshold(threshold)
    probe = probe_of(query)
    probe |= {"at_least": least_overlap(share, len(probe["hashes"])), "mode": mode}
    return with_codes(probe, query.get("codes"), query.get("numbers"))
