"""How are the words of a segment's tables stored in its file?

    term.offsets, term.data   the distinct words, sorted
    term.starts               where each word's occurrences start, and where the last one's end
    occurrences               u64: table in the upper 32 bits, field in the next 3, position in the lower 29;
                              word by word, ascending, each once
    lengths                   u32 (tables, fields): words in each field
    unit.starts               per table, where its units start
    unit.places               u32: field and position at which a run of words about one column starts
    unit.columns              i32: that column of the table, or -1

An occurrence is one number, so the occurrences of a word, of all words with a prefix, and of the next
position are each a slice, a slice and an addition.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mere.indexes.keywords.fields import (
    NAMES_COLUMNS,
    Field,
    Utterance,
    most_frequent,
    placed,
    utterances,
)
from mere.indexes.keywords.words import width
from mere.segments import Segment
from mere.store import Strings, offsets_of
from mere.values import Type

POSITION_BITS = 29
TABLE_BITS = 32
WITH_VALUES = "keywords_values"  # the setting that includes values in the index


def arrays_of(segment: Segment, settings: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Everything the kind keeps of a segment."""
    writer = _Writer(segment.table_count)
    for table in range(segment.table_count):
        writer.add(table, _utterances(segment, table, bool(settings.get(WITH_VALUES))))
    return writer.arrays()


def _utterances(segment: Segment, table: int, with_values: bool) -> Iterator[Utterance]:
    span = segment.columns_of(table)
    names = segment.column_names[span.start : span.stop]
    return utterances(segment.facts(table), names, _values(segment, span) if with_values else ())


def _values(segment: Segment, span: range) -> Iterator[tuple[int, list[str]]]:
    types = segment.catalog["column.types"]
    for number, column in enumerate(span):
        if types[column] == Type.TEXT:
            ids = segment.set_of(column)[most_frequent(segment.counts_of(column))]
            yield number, segment.dictionary.values.take(ids).tolist()


class _Writer:
    def __init__(self, tables: int) -> None:
        self.known: dict[str, int] = {}
        self.terms, self.occurrences = array("I"), array("Q")
        self.lengths = np.zeros((tables, len(Field)), np.uint32)
        self.units = np.zeros(tables, np.int64)
        self.unit_places, self.unit_columns = array("I"), array("i")

    def add(self, table: int, texts: Iterator[Utterance]) -> None:
        about: tuple[Field, int] | None = None
        for utterance, position, spelled in placed(texts):
            field, column, _ = utterance
            place = field << POSITION_BITS | position
            base = table << TABLE_BITS | place
            for offset, term in spelled:
                self.terms.append(self.known.setdefault(term, len(self.known)))
                self.occurrences.append(base + offset)
            self.lengths[table, field] += width(spelled)
            if field in NAMES_COLUMNS and about != (field, column):
                about = (field, column)
                self.units[table] += 1
                self.unit_places.append(place)
                self.unit_columns.append(column)

    def arrays(self) -> dict[str, np.ndarray]:
        terms = sorted(self.known)  # by code point, which is the order of their UTF-8 bytes
        rank = np.empty(len(terms), np.int64)
        rank[np.fromiter((self.known[term] for term in terms), np.int64, len(terms))] = np.arange(len(terms))
        term = rank[np.frombuffer(self.terms, np.uint32)] if self.terms else np.empty(0, np.int64)
        occurrences = np.array(self.occurrences, np.uint64)  # already ascending within each word
        return {
            **Strings.of(terms).arrays("term"),
            "term.starts": offsets_of(np.bincount(term, minlength=len(terms))),
            "occurrences": occurrences[np.argsort(term, kind="stable")],
            "lengths": self.lengths,
            "unit.starts": offsets_of(self.units),
            "unit.places": np.array(self.unit_places, np.uint32),
            "unit.columns": np.array(self.unit_columns, np.int32),
        }
