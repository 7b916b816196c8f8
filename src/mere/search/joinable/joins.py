"""A possible join: the hit, how it was found, and what its score was made of."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mere.answers import Hit, Merged
from mere.indexes import KINDS
from mere.indexes.kind import Part, Probe, explained
from mere.ranking import Model
from mere.ranking.reasons import MOST, Context, names_of, reasons, reasons_against
from mere.search.joinable.ways import also_text, way_of
from mere.segments import Segment


@dataclass(frozen=True, eq=False)
class Join:
    """One possible join of my table with one of the lake."""

    hit: Hit
    kind: str  # that found it, and explains it
    probe: Probe
    part: Part
    places: tuple[int, ...]  # of my columns
    signals: np.ndarray
    columns: tuple[int, ...]  # of the segment
    columns_with: float  # columns of the lake that have a shared value, on average
    accident: str
    in_lake: bool  # whether my table is one of the lake
    also: tuple[dict[str, Any], ...] = ()  # of a join on equal values: how many more match otherwise, kind by kind


def best_joins(joins: Iterable[Join], k: int, per: str) -> list[Join]:
    """The best k (0: all), one per table, or one per column of mine and of the lake."""
    merged: Merged[Join] = Merged(k, same=_table if per == "table" else _columns)
    merged.add_pairs([(join.hit, join) for join in joins])
    return [join for _, join in merged.pairs]


def _table(hit: Hit, join: Join) -> Hashable:
    return hit.table


def _columns(hit: Hit, join: Join) -> Hashable:
    return hit.table, hit.columns, join.places


def with_evidence(joins: Sequence[Join], model: Model) -> list[tuple[Hit, Part]]:
    """The hits with the evidence of the kind that found them, the reasons and the signals; each with its part."""
    return [(_with_reasons(join, hit, model), join.part) for join, hit in zip(joins, _explained(joins), strict=True)]


def _explained(joins: Sequence[Join]) -> list[Hit]:
    """The hits with their evidence, question by question; some have it already, because the score was made of it."""
    hits = [join.hit for join in joins]
    questions: dict[int, list[int]] = {}
    for place, join in enumerate(joins):
        if "shared" not in join.hit.evidence:
            questions.setdefault(id(join.probe), []).append(place)
    for places in questions.values():
        first = joins[places[0]]
        pairs = [(joins[place].hit, joins[place].part) for place in places]
        for place, hit in zip(places, explained(KINDS[first.kind], first.probe, pairs), strict=True):
            hits[place] = hit
    return hits


def _with_reasons(join: Join, hit: Hit, model: Model) -> Hit:
    context = _context(join.part.segment, join, hit.evidence)
    ways = [way_of(join.kind, hit.evidence), also_text(hit.evidence["shared"], join.also)]
    evidence = {
        **hit.evidence,
        "by": join.kind,
        "reasons": [*filter(None, ways), *reasons(join.signals, model, context)][:MOST],
        "signals": names_of(join.signals.tolist()),
        **({"also": list(join.also)} if join.also else {}),
    }
    return replace(hit, evidence=evidence)


def doubts_about(join: Join, hit: Hit, model: Model) -> list[str]:
    """What speaks against a join; the hit is that of the join, with its evidence."""
    return reasons_against(join.signals, model, _context(join.part.segment, join, hit.evidence))


def _context(segment: Segment, join: Join, evidence: Mapping[str, Any]) -> Context:
    column = join.columns[0]
    table = int(segment.table_of_column[column])
    catalog, distinct = segment.catalog, len(segment.set_of(column))
    rows = int(catalog["table.rows"][table]) - int(catalog["column.nulls"][column])
    fan_out = evidence.get("fan_out") or {}
    several = len(join.columns) > 1
    return Context(
        " and ".join(evidence.get("on", [])),
        " and ".join(join.hit.columns),
        len(segment.columns_of(table)),
        distinct,
        len(join.probe["hashes"]),
        float(fan_out.get("right", 1.0)) if several else rows / max(distinct, 1),
        float(catalog["column.low"][column]),
        float(catalog["column.high"][column]),
        join.columns_with,
        join.accident,
        join.in_lake,
    )
