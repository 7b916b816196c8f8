"""Which hits are on sheets that their workbook hides?  Their evidence says so: a person may not know of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace

from mere.answers import Hit
from mere.segments import Segment


def with_hidden(hits: Sequence[Hit], segments: Iterable[Segment]) -> list[Hit]:
    """The hits, each of one segment; those on hidden sheets are marked in their evidence."""
    return [_marked(hit, segment) for hit, segment in zip(hits, segments, strict=True)]


def _marked(hit: Hit, segment: Segment) -> Hit:
    hidden = segment.is_hidden(bisect_left(segment.names, hit.table))
    return replace(hit, evidence={**hit.evidence, "hidden": True}) if hidden else hit
