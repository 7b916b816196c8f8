"""Is a table's name just the words that were asked for: `customers.csv` for `customer`, not `customer_groups.csv`?

The name is that of the file up to its first dot, or that of the sheet or member in it.  It has to have as many words as
the question, each of them one of the question, as typed or in another form; a compound is another word.  Filtered
words count if they may be in a name.

The positions of the words (see `build`) leave few candidates, and only the names of these are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mere.indexes.keywords.build import POSITION_BITS
from mere.indexes.keywords.fields import Field
from mere.indexes.keywords.matching import Matches
from mere.indexes.keywords.postings import Postings, among, changes, fields_of, tables_of, union
from mere.indexes.keywords.words import width, words
from mere.segments import Segment
from mere.store import Strings

_POSITION = np.uint64((1 << POSITION_BITS) - 1)
_NONE = np.empty(0, np.int64)


def named_tables(postings: Postings, matches: Sequence[Matches]) -> np.ndarray:
    """The tables whose name is just these words, each given by its matches."""
    in_names = [_in_names(own) for own in matches]
    if not in_names or not all(own.size for own in in_names):
        return _NONE
    everywhere = union(in_names)
    tables, positions = tables_of(everywhere), (everywhere & _POSITION).astype(np.int64)
    length = postings.lengths(tables, np.full(len(tables), Field.TABLE)).astype(np.int64)
    # the first word of the file's name, or of a member's: after those of the file, and one position without a word
    candidates = tables[(positions == 0) | (positions == length - len(matches) + 1)]
    candidates = candidates[changes(candidates)]
    for own in in_names:
        candidates = candidates[among(candidates, tables_of(own))]
    starts, stops = np.searchsorted(tables, candidates), np.searchsorted(tables, candidates, side="right")
    spans = zip(candidates.tolist(), starts.tolist(), stops.tolist(), strict=True)
    just = [table for table, a, b in spans if _is_filled(postings.segment, table, positions[a:b], len(matches))]
    return np.array(just, np.int64)


def _in_names(matches: Matches) -> np.ndarray:
    """The occurrences of the word or another form of it in the names of tables."""
    occurrences = union([matches.exact, matches.forms])
    return occurrences[fields_of(occurrences) == Field.TABLE]


def _is_filled(segment: Segment, table: int, positions: np.ndarray, count: int) -> bool:
    """Whether one of the table's names has this many words, at these positions."""
    known = set(positions.tolist())
    return any(size == count and known.issuperset(range(start, start + size)) for start, size in _names(segment, table))


def _names(segment: Segment, table: int) -> Iterator[tuple[int, int]]:
    """Where in the field a name starts, and how many words it has: of the file, and of the member."""
    path = Strings.mapped(segment.catalog, "table.name")[table]
    member = segment.facts(table).member if "#" in path else ""
    file = (path.removesuffix(f"#{member}") if member else path).rpartition("/")[2]
    yield 0, width(words(file.partition(".")[0]))
    before = width(words(file))
    yield (before + 1 if before else 0), width(words(member))
