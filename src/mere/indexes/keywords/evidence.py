"""What matched in a table: which words, as they are written there, in which fields, columns and cells?"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from mere.answers import Hit
from mere.indexes.keywords.build import POSITION_BITS, TABLE_BITS
from mere.indexes.keywords.fields import NAMES_COLUMNS, NO_COLUMN, Field, about, placed
from mere.indexes.keywords.matching import of_compound, sought_of
from mere.indexes.keywords.postings import Postings, postings_of
from mere.indexes.keywords.query import Option
from mere.indexes.keywords.words import spell, width
from mere.indexes.kind import Part
from mere.segments import Segment
from mere.store import Strings

_SNIPPET_BEFORE, _SNIPPET_AFTER = 8, 16  # chunks of text around a match
_PLACE = np.uint64((1 << TABLE_BITS) - 1)
_POSITION = (1 << POSITION_BITS) - 1


class Places:
    """Where the occurrences of several words are in some tables of a part: as field and position, one number each."""

    def __init__(self, part: Part, tables: np.ndarray, occurrences: Sequence[np.ndarray]) -> None:
        self._part, self._tables, self._occurrences = part, tables.tolist(), occurrences
        first = tables.astype(np.uint64) << np.uint64(TABLE_BITS)
        self._starts = [np.searchsorted(own, first).tolist() for own in occurrences]
        self._stops = [np.searchsorted(own, first | _PLACE, side="right").tolist() for own in occurrences]
        self._headers = Strings.mapped(part.segment.catalog, "column.names")

    def of(self, rank: int, word: int) -> list[int]:
        """The places of a word in the table of this rank."""
        start, stop = self._starts[word][rank], self._stops[word][rank]
        return (self._occurrences[word][start:stop] & _PLACE).tolist() if start < stop else []

    def columns(self, rank: int, words: Iterable[int]) -> tuple[str, ...]:
        """The columns whose header, description or cells have one of the words, in the order of the table."""
        places = [place for word in words for place in self.of(rank, word)]
        columns = {place & _POSITION for place in places if place >> POSITION_BITS == Field.VALUE}
        named = [place for place in places if place >> POSITION_BITS in NAMES_COLUMNS]
        if named:
            arrays, table = self._part.arrays, self._tables[rank]
            span = slice(int(arrays["unit.starts"][table]), int(arrays["unit.starts"][table + 1]))
            units = np.searchsorted(arrays["unit.places"][span], np.array(named, np.uint32), side="right") - 1
            columns |= set(arrays["unit.columns"][span][units].tolist()) - {NO_COLUMN}
        return tuple(self.header(rank, column) for column in sorted(columns))

    def header(self, rank: int, column: int) -> str:
        return self._headers[self.column(rank, column)]

    def column(self, rank: int, column: int) -> int:
        """The number in the segment of a column of the table."""
        return int(self._part.segment.first_column[self._tables[rank]]) + column


class _Spelling(NamedTuple):
    """One way in which a word of the question is written in the lake."""

    typed: str
    option: Option
    how: str  # word, form, part or correction
    occurrences: np.ndarray


def explained_hits(part: Part, probe: Mapping[str, Any], hits: Sequence[Hit]) -> list[Hit]:
    """The hits of a part with their evidence."""
    segment, postings = part.segment, postings_of(part)
    spellings = [s for clause in probe["clauses"] if not clause["excluded"] for s in _spellings(postings, clause)]
    names = Strings.mapped(segment.catalog, "table.name")
    tables = [bisect_left(range(len(names)), hit.table.encode(), key=names.bytes_at) for hit in hits]
    places = Places(part, np.array(tables, np.int64), [spelling.occurrences for spelling in spellings])
    explained = []
    for rank, (hit, table) in enumerate(zip(hits, tables, strict=True)):
        evidence = _evidence(postings, spellings, places, rank)
        if probe["corrected"]:
            evidence["corrected"] = probe["corrected"]
        everywhere = [place for word in range(len(spellings)) for place in places.of(rank, word)]
        if snippet := _snippet(segment, table, everywhere):
            evidence["snippet"] = snippet
        if segment.profile_only[table]:
            evidence["profile_only"] = True
        explained.append(replace(hit, evidence=evidence))
    return explained


def _spellings(postings: Postings, clause: Mapping[str, Any]) -> list[_Spelling]:
    """The ways in which the segment writes a clause."""
    sought, typed = sought_of(clause), clause["text"]
    found = [(option, _how(clause, option)) for option in sought.options]
    found += [((*option[:-1], (form,)), "form") for option in sought.forms for form in option[-1]]
    places = [postings.find((option,), sought.fields, sought.quoted) for option, _ in found]
    spellings = [_Spelling(typed, option, how, own) for (option, how), own in zip(found, places, strict=True)]
    for part in sought.parts:
        spellings.append(_Spelling(typed, ((part.word,),), "part", of_compound(postings, sought, part)))
    return [spelling for spelling in spellings if spelling.occurrences.size]


def _how(clause: Mapping[str, Any], option: Option) -> str:
    if clause["corrected"]:
        return "correction"
    joined = len(option) == 1 and clause["word"] and option[0][0] != clause["word"]
    return "part" if joined else "word"


def _evidence(postings: Postings, spellings: Sequence[_Spelling], places: Places, rank: int) -> dict[str, Any]:
    terms, matches = dict[str, set[int]](), dict[str, dict[str, dict[str, Any]]]()
    for word, spelling in enumerate(spellings):
        if own := places.of(rank, word):
            fields = {place >> POSITION_BITS for place in own}
            terms.setdefault(spelling.typed, set()).update(fields)
            found, own_matches = _spelled(spelling.option), matches.setdefault(spelling.typed, {})
            if found in own_matches:  # a joined word may be a compound, too
                continue
            own_matches[found] = match = {"found": found, "how": spelling.how, "in": _filters(fields)}
            if Field.VALUE in fields:
                column = min(place & _POSITION for place in own if place >> POSITION_BITS == Field.VALUE)
                match["column"] = places.header(rank, column)
                match["value"] = postings.cell_with(spelling.option, places.column(rank, column))
    listed = {typed: list(found.values()) for typed, found in matches.items()}
    return {"terms": {typed: _filters(fields) for typed, fields in terms.items()}, "matches": listed}


def _spelled(option: Option) -> str:
    return " ".join(" or ".join(slot) for slot in option)


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
