"""Which tables of one segment answer best, and what of them matched?

Every clause gives its occurrences, sorted by table, field and position; counts and scores are sums over
runs of them. Names, columns and snippets are made for the best k only.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from mere.answers import Hit
from mere.indexes.keywords.build import POSITION_BITS, TABLE_BITS
from mere.indexes.keywords.fields import NAMES_COLUMNS, NO_COLUMN, Field, about, placed
from mere.indexes.keywords.postings import Postings, among, changes, postings_of
from mere.indexes.keywords.ranking import K1, OTHER_FORMS, WEIGHT, B
from mere.indexes.keywords.words import spell, width
from mere.indexes.kind import Part
from mere.segments import Segment
from mere.store import Strings

_WEIGHT = np.array([WEIGHT[field] for field in Field])
_SNIPPET_BEFORE, _SNIPPET_AFTER = 8, 16  # chunks of text around a match
_PLACE = np.uint64((1 << TABLE_BITS) - 1)


def hits_of(part: Part, probe: dict[str, Any], bound: float) -> Iterator[Hit]:
    """The segment's best k hits that reach the bound, best first."""
    postings = postings_of(part)
    found = [_find(postings, clause) for clause in probe["clauses"]]
    scores = _scores(postings, probe, found)
    tables = np.flatnonzero((scores > 0) & (scores >= bound))
    best = tables[np.lexsort((tables, -scores[tables]))]  # tables lie in the order of their names
    if not best.size:
        return
    best = best[: probe["k"] or None]
    witness = _Witness(part, best, probe, found)
    for i, table in enumerate(best.tolist()):
        yield witness.hit(i, table, float(scores[table]))


class _Found(NamedTuple):
    """The occurrences of a clause, and those of other forms of its word."""

    exact: np.ndarray
    forms: np.ndarray


def _find(postings: Postings, clause: dict[str, Any]) -> _Found:
    exact = postings.find(clause["options"], clause["fields"])
    forms = postings.find(clause["forms"], clause["fields"])
    return _Found(exact, forms[~among(forms, exact)])


def _scores(postings: Postings, probe: dict[str, Any], found: list[_Found]) -> np.ndarray:
    """The score of every table; 0 where the question's conditions are not met."""
    tables, averages = len(postings.live), np.array(probe["averages"])
    score, allowed = np.zeros(tables), np.ones(tables, bool)
    words = [np.zeros(tables, bool)]
    for clause, occurrences in zip(probe["clauses"], found, strict=True):
        x = _frequency(postings, occurrences, averages)
        if clause["excluded"]:
            allowed &= x == 0
            continue
        score += clause["weight"] * (x / (K1 + x))
        if clause["must"]:
            allowed &= x > 0
        else:
            words.append(x > 0)
    if len(words) > 1:
        allowed &= np.logical_or.reduce(words)
    return np.where(allowed, score, 0.0)


def _frequency(postings: Postings, found: _Found, averages: np.ndarray) -> np.ndarray:
    """x of every table: counts per field, weighed, and set against the field's length."""
    if not found.exact.size + found.forms.size:
        return np.zeros(len(postings.live))
    places = np.concatenate(found) >> np.uint64(POSITION_BITS)  # by table, then field
    order = np.argsort(places, kind="stable")
    starts = changes(places[order])
    worth = np.repeat([OTHER_FORMS, 1], [len(found.exact), len(found.forms)])
    places, counts = places[order][starts], np.add.reduceat(worth[order], starts) / OTHER_FORMS
    tables, fields = (places >> np.uint64(3)).astype(np.int64), (places & np.uint64(7)).astype(np.int64)
    length = postings.lengths(tables, fields) / averages[fields]
    x = _WEIGHT[fields] * counts / ((1.0 - B) + B * length)
    return np.bincount(tables, x, minlength=len(postings.live))


class _Witness:
    """Tells what of the best tables matched."""

    def __init__(self, part: Part, best: np.ndarray, probe: dict[str, Any], found: list[_Found]) -> None:
        asked = [i for i, clause in enumerate(probe["clauses"]) if not clause["excluded"]]
        self.matches = {probe["clauses"][i]["text"]: [_cut(o, best) for o in found[i]] for i in asked}
        self.segment, self.corrected = part.segment, probe["corrected"]
        self.names = Strings.mapped(part.segment.catalog, "table.name")
        self.headers = Strings.mapped(part.segment.catalog, "column.names")
        self.first_column = part.segment.first_column
        self.unit_starts = part.arrays["unit.starts"]
        self.unit_places, self.unit_columns = part.arrays["unit.places"], part.arrays["unit.columns"]

    def hit(self, rank: int, table: int, score: float) -> Hit:
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
    """Gives the places (field and position) of the occurrences in each of these tables, by its rank."""
    first = tables.astype(np.uint64) << np.uint64(TABLE_BITS)
    starts = np.searchsorted(occurrences, first).tolist()
    stops = np.searchsorted(occurrences, first + _PLACE, side="right").tolist()

    def places(rank: int) -> list[int]:
        start, stop = starts[rank], stops[rank]
        return (occurrences[start:stop] & _PLACE).tolist() if start < stop else []

    return places


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
    chunks = text.split()
    ends = list(accumulate(width(spell(chunk)) for chunk in chunks))
    here = bisect_right(ends, position)
    first, last = max(0, here - _SNIPPET_BEFORE), here + 1 + _SNIPPET_AFTER
    dots = "… " if first else "", " …" if last < len(chunks) else ""
    return dots[0] + " ".join(chunks[first:last]) + dots[1]
