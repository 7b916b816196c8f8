"""Which hits are on columns whose numbers may be read in two ways?  They are not exact, and a note says so."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mere.answers import Hit
from mere.indexes.kind import Kind, Part
from mere.segments import Segment
from mere.values import Type

_SHOWN = 5  # columns named in a note


@dataclass(frozen=True)
class Doubts:
    """Some hits that are not certain, by their places in an answer; and a note that names their columns."""

    places: frozenset[int]
    notes: list[str]

    def marked(self, place: int, hit: Hit) -> Hit:
        """The hit at a place, marked if it is not certain."""
        return replace(hit, exact=False, evidence={**hit.evidence, "unsure": True}) if place in self.places else hit


def doubts_of(kind: Kind, pairs: Sequence[tuple[Hit, Part]]) -> Doubts:
    """The doubts about the hits of a kind that joins, each of one part; no evidence is needed to know them."""
    if not kind.joins:
        return Doubts(frozenset(), [])
    unsure = {place: names for place, (hit, part) in enumerate(pairs) if (names := _unsure(part.segment, hit))}
    columns = [f"'{name}' of '{pairs[place][0].table}'" for place, names in unsure.items() for name in names]
    return Doubts(frozenset(unsure), [_note(columns)] if columns else [])


def _note(columns: Sequence[str]) -> str:
    more = f" and {len(columns) - _SHOWN:,} more" if len(columns) > _SHOWN else ""
    return f"numbers in {', '.join(columns[:_SHOWN])}{more} may be read otherwise: they were read with decimal points"


def _unsure(segment: Segment, hit: Hit) -> list[str]:
    """The columns of a hit whose decimal mark is not known."""
    number = bisect_left(segment.names, hit.table)
    if not segment.may_be_unsure(number):
        return []
    types = segment.catalog["column.types"]
    names = {segment.column_name(c) for c in segment.columns_of(number) if Type(int(types[c])).is_number}
    if names.isdisjoint(hit.columns):
        return []
    unsure = segment.facts(number).numbers.get("unsure", {})
    return [name for name in hit.columns if unsure.get(name) == "decimal"]
