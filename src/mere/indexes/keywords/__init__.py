"""Which tables contain these words?

BM25F (Robertson and Zaragoza 2009) over the texts that describe a table: names, folders, headers, descriptions,
and, if `keywords_values` is set, values.  `ranking` has the formula and its symbols, `query` the language.

    words     what a word is            build      occurrences as sorted numbers
    fields    the texts of a table      postings   where a word occurs
    query     the language              plan       statistics of all segments
    ranking   the score                 search     the best tables of one segment
    typos     corrections of words      brute      the oracle

Why not tantivy, Lucene or SQLite's FTS: each is a second storage engine with segments, deletes and commits
of its own, and each scores with the statistics of its own index, deleted documents included.
Here a part is an immutable mapped file like that of any other kind; statistics are taken when a question is
asked, over the live tables of all parts, so that a score depends neither on segments nor on deletes; and an
answer can name the columns that matched.

Cost: build O(words log words), 8 bytes a word; a question reads the occurrences of its words, and decodes the
vocabulary only to correct a word that no table contains.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mere.answers import Field, Found, Hit, Shown
from mere.answers.shown import COLUMNS, TABLE, Cell, score_cell
from mere.indexes.declare import Parameter, Setting
from mere.indexes.inputs import Inputs
from mere.indexes.keywords.brute import brute
from mere.indexes.keywords.build import arrays_of
from mere.indexes.keywords.plan import probe_of
from mere.indexes.keywords.search import hits_of
from mere.indexes.kind import Arrays, Kind, Meeting, Part, Probe, Query, meeting_of_hits
from mere.segments import Segment

__all__ = ["Keywords", "brute"]

_VALUES = Setting(
    "keywords_values", False, "index cells as words, too: finds more, and takes more space", flag="--values/--no-values"
)


def _why_cell(hit: Hit) -> Cell:
    """world in table, column; cup in column"""
    words = "; ".join(f"{word} in {', '.join(fields)}" for word, fields in hit.evidence["terms"].items())
    return ("profile only; " if hit.evidence.get("profile_only") else "") + words


class Keywords(Kind):
    """The tables whose names, folders, headers and descriptions contain these words, best first."""

    name = "keywords"
    version = 1
    settings = (_VALUES,)
    parameters = (Parameter("text", 'words, "phrases", column:word, table:word, -word, word*'),)
    fields = (
        Field("terms", "json", "word of the question -> the fields that contain it"),
        Field("snippet", "string", "the description around the first match"),
    )
    shown = (
        Shown("score", score_cell, right=True),
        TABLE,
        COLUMNS,
        Shown("why", _why_cell, width=70),
    )

    def build(self, segment: Segment, trained: Arrays, settings: Mapping[str, Any]) -> Arrays:
        return arrays_of(segment, settings)

    def question(self, given: Mapping[str, Any], inputs: Inputs) -> Query:
        return dict(given)

    def plan(self, query: Query, parts: Sequence[Part]) -> Probe:
        return probe_of(query, parts)

    def search(self, part: Part, probe: Probe, bound: float = 0.0) -> Found:
        return Found(list(hits_of(part, dict(probe), bound)), [])

    def tables(self, part: Part, probe: Probe) -> Meeting:
        return meeting_of_hits(part, self.search(part, probe), lambda hit: 1.0)

    def explain(self, part: Part, probe: Probe, hits: list[Hit]) -> list[Hit]:
        return hits  # the search has already computed the evidence
