"""Which tables contain these words?

BM25F (Robertson and Zaragoza 2009) over the texts of a table: names, folders, headers, descriptions, and cells.
`ranking` has the formula and its symbols, `query` the language.

    words      what a word is                    build       occurrences as sorted numbers
    fields     the texts of a table              cells       words of cells, and their columns
    query      the language of questions         vocabulary  at which place a word is
    stopwords  words that are left out           postings    where a word occurs; phrases in cells
    stems      other forms of a word             plan        statistics of all segments
    compounds  words with the word as a part     matching    where a clause is matched
    typos      corrections of unknown words      search      the best tables of one segment
    ranking    the score                         evidence    what matched
    naming     names that are just the words

Why not tantivy, Lucene or SQLite's FTS: each is a second storage engine with segments, deletes and commits
of its own, and each scores with the statistics of its own index, deleted documents included.
Here a part is an immutable mapped file like that of any other kind; statistics are taken when a question is
asked, over the live tables of all parts, so that a score depends neither on segments nor on deletes; and an
answer can name the columns that matched.

Cost: build O(bytes + words log words); 8 bytes per word of names, headers and descriptions, and for cells some
20 bytes per distinct word and 3 to 5 per word and column.  A question reads the occurrences of its words, and decodes
the vocabulary of names, and of cells the words with its first letter, only to correct a word that no table contains.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mere.answers import Field, Found, Hit, Shown
from mere.answers.shown import COLUMNS, TABLE, Cell, score_cell
from mere.indexes.declare import Parameter
from mere.indexes.inputs import Inputs
from mere.indexes.keywords.build import arrays_of
from mere.indexes.keywords.evidence import explained_hits
from mere.indexes.keywords.plan import advice, probe_of
from mere.indexes.keywords.search import hits_of, without_cells
from mere.indexes.kind import Arrays, Kind, Meeting, Part, Probe, Query, meeting_of_hits
from mere.segments import Segment

__all__ = ["Keywords"]


def _why_cell(hit: Hit) -> Cell:
    """house as housing in table; wolfe in Team: wolfe tones"""
    words = "; ".join(f"{typed} {_found(matches)}" for typed, matches in hit.evidence["matches"].items())
    return ("profile only; " if hit.evidence.get("profile_only") else "") + words


def _found(matches: Sequence[Mapping[str, Any]]) -> str:
    """The spellings of a word, each with the fields in which no earlier one was found."""
    spellings, known = list[str](), set[str]()
    for match in matches:
        if new := [field for field in match["in"] if field not in known]:
            known.update(new)
            spelled = "" if match["how"] == "word" else f"as {match['found']} "
            cell = f"{match.get('column')}: {match.get('value')}"
            spellings.append(f"{spelled}in {', '.join(cell if field == 'value' else field for field in new)}")
    return ", ".join(spellings)


class Keywords(Kind):
    """The tables whose names, folders, headers, descriptions and cells contain these words, best first."""

    name = "keywords"
    version = 2
    parameters = (Parameter("text", 'words, "phrases", column:word, table:word, -word, word*'),)
    fields = (
        Field("terms", "json", "word of the question -> the fields that contain it"),
        Field("matches", "json", "word of the question -> how it is written in the table, and where"),
        Field("snippet", "string", "the description around the first match"),
    )
    shown = (
        Shown("score", score_cell, right=True),
        TABLE,
        COLUMNS,
        Shown("why", _why_cell, width=70, below=True),
    )

    def build(self, segment: Segment, trained: Arrays, settings: Mapping[str, Any]) -> Arrays:
        return arrays_of(segment)

    def question(self, given: Mapping[str, Any], inputs: Inputs) -> Query:
        return dict(given)

    def plan(self, query: Query, parts: Sequence[Part]) -> Probe:
        return probe_of(query, parts)

    def search(self, part: Part, probe: Probe, bound: float = 0.0) -> Found:
        return Found(hits_of(part, probe, bound), [])

    def tables(self, part: Part, probe: Probe) -> Meeting:
        return without_cells(part, probe, meeting_of_hits(part, self.search(part, probe), lambda hit: 1.0))

    def advice(self, query: Query) -> str:
        return advice(query)

    def explain(self, part: Part, probe: Probe, hits: list[Hit]) -> list[Hit]:
        return explained_hits(part, probe, hits)
