"""What matched in a table: which words in which fields, which columns, and which text of its description?"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from mere.answers import Hit
from mere.indexes.keywords.build import POSITION_BITS, TABLE_BITS
from mere.indexes.keywords.fields import NAMES_COLUMNS, NO_COLUMN, Field, about, placed
from mere.indexes.keywords.words import spell, width
from mere.indexes.kind import Part
from mere.segments import Segment
from mere.store import Strings

_SNIPPET_BEFORE, _SNIPPET_AFTER = 8, 16  # chunks of text around a match
_PLACE = np.uint64((1 << TABLE_BITS) - 1)
Occurrences = Sequence[np.ndarray]  # those of a clause, and those of other forms of its word


class Evidence:
    """What matched in the best tables of a part; `occurrences` are those of each clause."""

    def __init__(self, part: Part, best: np.ndarray, probe: dict[str, Any], occurrences: Sequence[Occurrences]) -> None:
        asked = [i for i, clause in enumerate(probe["clauses"]) if not clause["excluded"]]
        self.matches = {probe["clauses"][i]["text"]: [_cut(o, best) for o in occurrences[i]] for i in asked}
        self.segment, self.corrected = part.segment, probe["corrected"]
        self.names = Strings.mapped(part.segment.catalog, "table.name")
        self.headers = Strings.mapped(part.segment.catalog, "column.names")
        self.first_column = part.segment.first_column
        self.unit_starts = part.arrays["unit.starts"]
        self.unit_places, self.unit_columns = part.arrays["unit.places"], part.arrays["unit.columns"]

    def hit(self, rank: int, table: int, score: float) -> Hit:
        """The hit of a table, given its rank among the best."""
        terms: dict[str, list[str]] = {}
        places: list[int] = []
        for text, (exact, forms) in self.matches.items():
            if own := [*exact(rank), *forms(rank)]:
                terms[text] = _filters({place >> POSITION_BITS for place in own})
                places += own
        evidence: dict[str, Any] = {"terms": terms}
        if self.corrected:
            evidence["corrected"] = self.corrected
        if snippet := _snippet(self.segment, table, places):
            evidence["snippet"] = snippet
        if self.segment.profile_only[table]:
            evidence["profile_only"] = True
        return Hit(self.names[table], self._columns(table, places), score, True, evidence)

    def _columns(self, table: int, places: list[int]) -> tuple[str, ...]:
        """The columns whose header, description or values matched, in the order of the table."""
        named = [place for place in places if place >> POSITION_BITS in NAMES_COLUMNS]
        if not named:
            return ()
        span = slice(int(self.unit_starts[table]), int(self.unit_starts[table + 1]))
        units = np.searchsorted(self.unit_places[span], np.array(named, np.uint32), side="right") - 1
        columns = sorted(set(self.unit_columns[span][units].tolist()) - {NO_COLUMN})
        first = int(self.first_column[table])
        return tuple(self.headers[first + column] for column in columns)


def _cut(occurrences: np.ndarray, tables: np.ndarray) -> Callable[[int], list[int]]:
    """A function from a table's rank to the places (field and position) of the occurrences in it."""
    first = tables.astype(np.uint64) << np.uint64(TABLE_BITS)
    starts = np.searchsorted(occurrences, first).tolist()
    stops = np.searchsorted(occurrences, first + _PLACE, side="right").tolist()

    def places(rank: int) -> list[int]:
        start, stop = starts[rank], stops[rank]
        return (occurrences[start:stop] & _PLACE).tolist() if start < stop else []

    return places


def _filters(fields: set[int]) -> list[str]:
    """The fields' names, as filters spell them."""
    return list(dict.fromkeys(Field(field).filter for field in sorted(fields)))


def _snippet(segment: Segment, table: int, places: list[int]) -> str:
    """The text of the table's description around the first match in it."""
    described = [place for place in places if place >> POSITION_BITS in (Field.TITLE, Field.DESCRIPTION)]
    if not described:
        return ""
    field, position = divmod(min(described), 1 << POSITION_BITS)
    facts, span = segment.facts(table), segment.columns_of(table)
    columns = [Strings.mapped(segment.catalog, "column.names")[column] for column in span]
    for utterance, start, spelled in placed(about(facts.about, columns)):
        if utterance.field == field and start <= position < start + width(spelled):
            return _around(utterance.text, position - start)
    return ""


def _around(text: str, position: int) -> str:
    """A few chunks of the text on either side of the word at this position."""
    chunks = text.split()
    ends = list(accumulate(width(spell(chunk)) for chunk in chunks))
    here = bisect_right(ends, position)
    first, last = max(0, here - _SNIPPET_BEFORE), here + 1 + _SNIPPET_AFTER
    dots = "… " if first else "", " …" if last < len(chunks) else ""
    return dots[0] + " ".join(chunks[first:last]) + dots[1]
