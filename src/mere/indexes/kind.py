"""What is a kind: one question a lake can answer, as a chapter of fixed shape.

    train(sample)                    once per lake; the result is frozen in the snapshot
    build(segment, trained)          pure: the same segment gives the same arrays
    plan(query, parts)               once per question, with sight of every part (lake-wide statistics)
    search(part, probe, bound)       one segment; `bound` is a score below which hits need not be reported
    explain(part, probe, hits)       the evidence of the hits that came through

and, beside it, a public `brute` for the tests: slow, short, obviously right.

Law: answer(q, A + B) == merge(answer(q, A), answer(q, B)).  Answers depend neither on how a lake is cut into
segments, nor on dead tables still lying in them, nor on who ran the search.  `tests/kinds/` holds every kind to it.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from mere.answers import Hit
from mere.errors import LakeError
from mere.segments import Segment, SegmentEntry, Table
from mere.store import Container

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class Part:
    """One kind's share of one segment, with the tables of it that live.

    `memo` is for the kind: what it likes to keep of the part between questions.
    """

    segment: Segment
    arrays: Container
    live: np.ndarray  # bool per table of the segment
    memo: dict[str, Any] = field(default_factory=dict)


class Kind(Protocol):
    """One question a lake can answer."""

    name: str
    version: int  # of its arrays on disk

    def train(self, sample: Sequence[Table], settings: Mapping[str, Any]) -> Arrays:
        """Learn what must stay the same for the whole lake; an empty mapping if nothing must."""
        ...

    def build(self, segment: Segment, trained: Arrays, settings: Mapping[str, Any]) -> Arrays:
        """This kind's arrays for one segment."""
        ...

    def plan(self, query: Any, parts: Sequence[Part]) -> Any:
        """Everything about the question that does not depend on the segment: a flat mapping of plain values and arrays,
        which `packed` makes fit for JSON."""
        ...

    def search(self, part: Part, probe: Any, bound: float) -> Iterator[Hit]:
        """The hits of one segment, live tables only, in any order."""
        ...

    def explain(self, part: Part, probe: Any, hits: list[Hit]) -> list[Hit]:
        """The same hits of the segment with their evidence: asked only of those that are among the best."""
        ...


def open_part(kind: Kind, segment: Segment, live: np.ndarray) -> Part:
    """Map a kind's file of a segment."""
    name = f"{kind.name}.idx"
    if segment.entry.version_of(name) != kind.version:
        raise LakeError(f"the lake is older than its '{kind.name}' index", "bring it up to date with 'mere index'")
    return Part(segment, segment.file(name, kind.name, kind.version), live)


def part_at(kind: Kind, lake: str, entry: SegmentEntry) -> Part:
    """A kind's part of the segment that a snapshot's entry names."""
    return open_part(kind, Segment(entry.folder(lake), entry), entry.live_mask())


def explained(kind: Kind, probe: Any, found: Sequence[tuple[Hit, Part]]) -> list[Hit]:
    """Hits of several parts, in their order, with their evidence."""
    whole = [hit for hit, _ in found]
    for part in {id(part): part for _, part in found}.values():
        places = [place for place, (_, owner) in enumerate(found) if owner is part]
        for place, hit in zip(places, kind.explain(part, probe, [whole[place] for place in places]), strict=True):
            whole[place] = hit
    return whole


def packed(probe: Mapping[str, Any]) -> dict[str, Any]:
    """A probe fit for JSON: arrays become text."""
    return {name: _pack(value) if isinstance(value, np.ndarray) else value for name, value in probe.items()}


def unpacked(document: Mapping[str, Any]) -> dict[str, Any]:
    """The probe that was packed."""
    return {name: _unpack(value) if _is_packed(value) else value for name, value in document.items()}


def _pack(array: np.ndarray) -> dict[str, Any]:
    return {"array": base64.b64encode(array.tobytes()).decode(), "dtype": array.dtype.str}


def _is_packed(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {"array", "dtype"}


def _unpack(value: dict[str, Any]) -> np.ndarray:
    return np.frombuffer(base64.b64decode(value["array"]), value["dtype"])
