"""Which tables speak of these words?

BM25F (Robertson and Zaragoza 2009) over what a table says of itself: names, folders, headers, descriptions,
and, if the lake wants them, values.  `ranking` has the formula and its symbols, `query` the language.

    words     what a word is            build      occurrences as sorted numbers
    fields    what a table says         postings   where a word stands
    query     what is asked for         plan       what the whole lake knows of it
    ranking   what a match is worth     search     the best tables of one segment
    typos     words nearly right        brute      the oracle

Why not tantivy, Lucene or SQLite's FTS: each is a second storage engine with segments, deletes and commits
of its own, and each scores with the statistics of what lies in its own index, dead documents included.
Here a part is an immutable mapped file like that of any other kind; statistics are taken when a question is
asked, over the live tables of all parts, so that neither segments nor deletes show in a score; and an
answer can name the columns that matched.

Cost: build O(words log words), 8 bytes a word; a question reads the occurrences of its words, and decodes the
vocabulary only to correct one that nobody knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mere.answers import Hit
from mere.indexes.keywords.brute import brute
from mere.indexes.keywords.build import arrays_of
from mere.indexes.keywords.plan import probe_of
from mere.indexes.keywords.search import hits_of
from mere.indexes.kind import Arrays, Part
from mere.segments import Segment, Table

__all__ = ["Keywords", "brute"]


class Keywords:
    """The kind; a query is a line of keywords, or {"text": line, "k": hits wanted}."""

    name = "keywords"
    version = 1

    def train(self, sample: Sequence[Table], settings: Mapping[str, Any]) -> Arrays:
        return {}

    def build(self, segment: Segment, trained: Arrays, settings: Mapping[str, Any]) -> Arrays:
        return arrays_of(segment, settings)

    def plan(self, query: str | Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any]:
        return probe_of(query, parts)

    def search(self, part: Part, probe: dict[str, Any], bound: float = float("-inf")) -> Iterator[Hit]:
        return hits_of(part, probe, bound)

    def explain(self, part: Part, probe: dict[str, Any], hits: list[Hit]) -> list[Hit]:
        return hits  # `hits_of` knows the evidence when it knows the score
