"""How are the words of a segment's tables stored in its file?

    term.offsets, term.data   the distinct words of names, headers and descriptions, sorted
    term.starts               where each word's occurrences start, and where the last one's end
    term.backwards            u32: the numbers of these words in the order of their last letters
    occurrences               u64: table in the upper 32 bits, field in the next 3, position in the lower 29;
                              word by word, ascending, each once
    lengths                   u32 (tables, fields): words in each field; of cells, words of each column
    unit.starts               per table, where its units start
    unit.places               u32: field and position at which a run of words about one column starts
    unit.columns              i32: that column of the table, or -1

An occurrence is one number, so the occurrences of a word, of all words with a prefix, and of the next
position are each a slice, a slice and an addition.  Words of cells are kept apart, in arrays that `cells` describes:
they are many more, and have no positions.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

import numpy as np

from mere.indexes.keywords.cells import cell_arrays
from mere.indexes.keywords.fields import NAMES_COLUMNS, Field, Utterance, placed, utterances
from mere.indexes.keywords.words import width
from mere.segments import Segment
from mere.store import Strings, offsets_of

POSITION_BITS = 29
TABLE_BITS = 32


def arrays_of(segment: Segment) -> dict[str, np.ndarray]:
    """Everything the kind keeps of a segment."""
    writer, cells = _Writer(segment.table_count), cell_arrays(segment)
    for table in range(segment.table_count):
        span = segment.columns_of(table)
        writer.add(table, utterances(segment.facts(table), segment.column_names[span.start : span.stop]))
    tables = segment.table_of_column[cells["cell.columns"]]
    writer.lengths[:, Field.VALUE] = np.bincount(tables, minlength=segment.table_count)
    return {**writer.arrays(), **cells}


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
        backwards = sorted(range(len(terms)), key=lambda place: terms[place][::-1])
        return {
            **Strings.of(terms).arrays("term"),
            "term.backwards": np.array(backwards, np.uint32),
            "term.starts": offsets_of(np.bincount(term, minlength=len(terms))),
            "occurrences": occurrences[np.argsort(term, kind="stable")],
            "lengths": self.lengths,
            "unit.starts": offsets_of(self.units),
            "unit.places": np.array(self.unit_places, np.uint32),
            "unit.columns": np.array(self.unit_columns, np.int32),
        }
