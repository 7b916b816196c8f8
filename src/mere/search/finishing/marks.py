"""What is said of the hits of every answer: which are not certain, and which stand on sheets that a workbook hides?

unsure   a column that was joined on, mine or the lake's, has numbers that may be read in two ways: such a hit is not
         exact, and a note names the column
hidden   the workbook hides the sheet: a person may not know of it
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mere.answers import Hit
from mere.indexes.kind import Kind, Part, Probe
from mere.segments import Segment
from mere.values import Type

_SHOWN = 5  # columns named in a note


@dataclass(frozen=True)
class Marks:
    """What the hits of an answer are marked with, by their places; and a note on those that are not certain."""

    of: Mapping[int, dict[str, Any]]
    notes: list[str]

    def on(self, place: int, hit: Hit) -> Hit:
        """The hit at a place, marked."""
        marks = self.of.get(place)
        if not marks:
            return hit
        return replace(hit, exact=hit.exact and "unsure" not in marks, evidence={**hit.evidence, **marks})

    def on_all(self, hits: Iterable[Hit]) -> list[Hit]:
        """All hits of the answer, marked."""
        return [self.on(place, hit) for place, hit in enumerate(hits)]


def marks_of(kind: Kind, pairs: Sequence[tuple[Hit, Part]], *probes: Probe) -> Marks:
    """The marks of the hits of a kind, each of one part, of one question or of one each.

    No evidence is needed to know them.
    """
    marks: dict[int, dict[str, Any]] = {}
    unsure: list[str] = []
    questions = probes if len(probes) == len(pairs) else probes * len(pairs)
    for place, ((hit, part), probe) in enumerate(zip(pairs, questions, strict=True)):
        segment, number = part.segment, bisect_left(part.segment.names, hit.table)
        names = unsure_names(segment, number, hit.columns) if kind.joins else []
        unsure += [f"'{name}' of '{hit.table}'" for name in names]
        of_hit = {"unsure": bool(kind.joins and (names or probe.get("unsure"))), "hidden": segment.is_hidden(number)}
        if any(of_hit.values()):
            marks[place] = {name: True for name, is_so in of_hit.items() if is_so}
    return Marks(marks, notes_on(unsure))


def notes_on(
    columns: Sequence[str], what: str = "numbers", how: str = "they were read with decimal points"
) -> list[str]:  # fmt: skip
    """A note on columns of numbers, or dates, that may be read in two ways, and how they were."""
    if not columns:
        return []
    more = f" and {len(columns) - _SHOWN:,} more" if len(columns) > _SHOWN else ""
    return [f"{what} in {', '.join(columns[:_SHOWN])}{more} may be read otherwise: {how}"]


def unsure_names(segment: Segment, table: int, names: Iterable[str] | None = None) -> list[str]:
    """The columns of a table (None: all; or these) whose decimal mark is not known."""
    types = segment.catalog["column.types"]
    known = {
        segment.column_name(column): None
        for column, what in segment.unsure_columns(table).items()
        if what == "decimal" and Type(int(types[column])).is_number
    }
    return [name for name in (known if names is None else names) if name in known]
