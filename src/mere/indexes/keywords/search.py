"""Which tables of one segment answer best, and what of them matched?

Every clause gives its occurrences, sorted by table, field and position; counts and scores are sums over runs of them.
Names, columns and snippets are made for the best k only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mere.answers import Hit
from mere.indexes.keywords.build import POSITION_BITS, TABLE_BITS
from mere.indexes.keywords.fields import NAMES_COLUMNS, NO_COLUMN, Field, about, placed
from mere.indexes.keywords.postings import Postings, fields_of, tables_of
from mere.indexes.keywords.ranking import K1, WEIGHT, B
from mere.indexes.keywords.words import spell, width
from mere.indexes.kind import Part
from mere.segments import Segment
from mere.store import Strings

_WEIGHT = np.array([WEIGHT[field] for field in Field])
_B = np.array([B[field] for field in Field])
_SNIPPET_BEFORE, _SNIPPET_AFTER = 8, 16  # chunks of text around a match
_PLACE = np.uint64((1 << TABLE_BITS) - 1)


def hits_of(part: Part, probe: dict[str, Any], bound: float) -> Iterator[Hit]:
    """The segment's best k hits that reach the bound, best first."""
    postings = Postings(part)
    found = [postings.find(clause["options"], clause["fields"]) for clause in probe["clauses"]]
    scores = _scores(postings, probe, found)
    tables = np.flatnonzero((scores > 0) & (scores >= bound))
    best = tables[np.lexsort((tables, -scores[tables]))]  # tables lie in the order of their names
    if not best.size:
        return
    asked = [(c, f) for c, f in zip(probe["clauses"], found, strict=True) if not c["excluded"]]
    witness = _Witness(part, asked, probe["corrected"])
    for table in best[: probe["k"] or None].tolist():
        yield witness.hit(table, float(scores[table]))


def _scores(postings: Postings, probe: dict[str, Any], found: list[np.ndarray]) -> np.ndarray:
    """The score of every table; 0 where the question's conditions are not met."""
    tables = len(postings.live)
    score, answered, all_weights = np.zeros(tables), np.zeros(tables), 0.0
    allowed, said, words = np.ones(tables, bool), np.zeros(tables, bool), False
    for clause, occurrences in zip(probe["clauses"], found, strict=True):
        x = _frequency(postings, occurrences, probe["averages"])
        if clause["excluded"]:
            allowed &= x == 0
            continue
        if clause["must"]:
            allowed &= x > 0
        else:
            said |= x > 0
            words = True
        score += clause["weight"] * (x / (K1 + x))
        answered += np.where(x > 0, clause["weight"], 0.0)
        all_weights += clause["weight"]
    return np.where(allowed & said if words else allowed, score * (answered / all_weights), 0.0)


def _frequency(postings: Postings, occurrences: np.ndarray, averages: list[float]) -> np.ndarray:
    """x of every table: counts per field, weighed, and set against the field's length."""
    places, counts = np.unique(occurrences >> np.uint64(POSITION_BITS), return_counts=True)
    tables, fields = (places >> np.uint64(3)).astype(np.int64), (places & np.uint64(7)).astype(np.int64)
    against = (1.0 - _B[fields]) + _B[fields] * (postings.lengths(tables, fields) / np.array(averages)[fields])
    return np.bincount(tables, _WEIGHT[fields] * counts / against, minlength=len(postings.live))


class _Witness:
    """Tells what of a table matched."""

    def __init__(self, part: Part, asked: list[tuple[dict[str, Any], np.ndarray]], corrected: dict[str, Any]) -> None:
        self.segment, self.asked, self.corrected = part.segment, asked, corrected
        self.names = Strings.mapped(part.segment.catalog, "table.name")
        self.headers = Strings.mapped(part.segment.catalog, "column.names")
        self.first_column = part.segment.first_column
        self.unit_starts = part.arrays["unit.starts"]
        self.unit_places, self.unit_columns = part.arrays["unit.places"], part.arrays["unit.columns"]

    def hit(self, table: int, score: float) -> Hit:
        terms: dict[str, list[str]] = {}
        places = []
        for clause, occurrences in self.asked:
            edges = np.array([table, table + 1], np.uint64) << np.uint64(TABLE_BITS)
            start, stop = np.searchsorted(occurrences, edges)
            if start < stop:
                own = (occurrences[start:stop] & _PLACE).tolist()
                terms[clause["text"]] = _filters({place >> POSITION_BITS for place in own})
                places += own
        evidence: dict[str, Any] = {"terms": terms}
        if self.corrected:
            evidence["corrected"] = self.corrected
        if snippet := _snippet(self.segment, table, places):
            evidence["snippet"] = snippet
        return Hit(self.names[table], self._columns(table, places), score, True, evidence)

    def _columns(self, table: int, places: list[int]) -> tuple[str, ...]:
        """The columns whose header, description or values matched, in the order of the table."""
        named = [place for place in places if place >> POSITION_BITS in NAMES_COLUMNS]
        if not named:
            return ()
        span = slice(int(self.unit_starts[table]), int(self.unit_starts[table + 1]))
        units = np.searchsorted(self.unit_places[span], np.array(named, np.uint32), side="right") - 1
        columns = np.unique(self.unit_columns[span][units])
        first = int(self.first_column[table])
        return tuple(self.headers[first + column] for column in columns.tolist() if column != NO_COLUMN)


def _filters(fields: set[int]) -> list[str]:
    """The fields' names, as a filter would call them."""
    return list(dict.fromkeys(Field(field).filter for field in sorted(fields)))


def _snippet(segment: Segment, table: int, places: list[int]) -> str:
    """What the table's description says around the first match in it."""
    said = [place for place in places if place >> POSITION_BITS in (Field.TITLE, Field.DESCRIPTION)]
    if not said:
        return ""
    field, position = divmod(min(said), 1 << POSITION_BITS)
    facts, span = segment.facts(table), segment.columns_of(table)
    columns = [Strings.mapped(segment.catalog, "column.names")[column] for column in span]
    for utterance, start, spelled in placed(about(facts.about, columns)):
        if utterance.field == field and start <= position < start + width(spelled):
            return _around(utterance.text, position - start)
    return ""


def _around(text: str, position: int) -> str:
    """Some chunks of the text on either side of the word at this position."""
    chunks, here, passed = text.split(), 0, 0
    for here, chunk in enumerate(chunks):
        passed += width(spell(chunk))
        if passed > position:
            break
    first, last = max(0, here - _SNIPPET_BEFORE), here + 1 + _SNIPPET_AFTER
    dots = "… " if first else "", " …" if last < len(chunks) else ""
    return dots[0] + " ".join(chunks[first:last]) + dots[1]
