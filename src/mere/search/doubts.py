"""Which hits are on columns whose numbers may be read in two ways?  They are not exact, and a note says so."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from mere.answers import Found, Hit
from mere.indexes.kind import Kind, Part
from mere.segments import Segment
from mere.values import Type

_SHOWN = 5  # columns named in a note


def with_doubts(kind: Kind, hits: Sequence[Hit], parts: Sequence[Part]) -> Found:
    """The hits of a kind that joins, each of one part; those that are not certain are marked in their evidence."""
    marked: list[Hit] = []
    doubted: list[str] = []
    for hit, part in zip(hits, parts, strict=True):
        unsure = _unsure(part.segment, hit) if kind.joins else []
        doubted += [f"'{name}' of '{hit.table}'" for name in unsure]
        marked.append(replace(hit, exact=False, evidence={**hit.evidence, "unsure": True}) if unsure else hit)
    return Found(marked, [_note(doubted)] if doubted else [])


def _note(columns: Sequence[str]) -> str:
    more = f" and {len(columns) - _SHOWN:,} more" if len(columns) > _SHOWN else ""
    return f"numbers in {', '.join(columns[:_SHOWN])}{more} may be read otherwise: they were read with decimal points"


def _unsure(segment: Segment, hit: Hit) -> list[str]:
    """The columns of a hit whose decimal mark is not known."""
    number = bisect_left(segment.names, hit.table)
    types = segment.catalog["column.types"]
    names = {segment.column_name(c) for c in segment.columns_of(number) if Type(int(types[c])).is_number}
    if names.isdisjoint(hit.columns):
        return []
    unsure = segment.facts(number).numbers.get("unsure", {})
    return [name for name in hit.columns if unsure.get(name) == "decimal"]
