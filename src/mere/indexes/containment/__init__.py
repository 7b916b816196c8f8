"""Which columns of the lake hold at least this share of my values?  Found by signatures, verified on the values.

LSH Ensemble: Zhu, Nargesian, Pu, Miller, PVLDB 2016; Zhu's thesis, chapter 2.

    the thesis            here
    Q, X, t*              the question, a set (columns with equal sets share one), `threshold`
    m                     `HASHES`
    [l_i, u_i]            a size class; `CLASSES` holds the u_i
    (b, r)                `bands`, `rows`: the shape of the search, per size class and question
    MinHash(X)            a row of `signatures`
    LSH forest            `trees`

    plan         the probe                      kernels    signing and walking, compiled
    build        signatures and trees           numpy      the same without compiled kernels
    route        signatures or posting lists    minhash    signatures
    search       one segment                    tuning     size classes, bands and rows
    evidence     why, or how likely

Where we depart.  Partitions are classes of sizes, two in each doubling, and not chosen by the sizes that a lake has: an
answer depends on the data alone and not on which tables came first, and candidates are as precise.  (b, r) is looked
up in a table over a fine grid of x/q and thresholds, so the threshold belongs to the question and not to the index, and
it weighs rates instead of areas (`tuning` says why).  A candidate is dropped if it is too small to reach the threshold,
or if its whole signature says that it is unlikely to.

Cost: build O(postings * m), 8 m bytes a set; a question costs O(values * m) once, and per segment a binary search in
each tree it walks, plus its candidates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mere.answers import JOIN_FIELDS, Field, Found, Hit
from mere.answers.shown import join_shown
from mere.compiled import Trial
from mere.indexes.containment import search
from mere.indexes.containment.build import arrays_of
from mere.indexes.containment.evidence import explain
from mere.indexes.containment.plan import USUAL, containment_probe
from mere.indexes.containment.route import routed
from mere.indexes.declare import KEEP_WORDS, Parameter
from mere.indexes.inputs import Inputs
from mere.indexes.kind import Arrays, Kind, Part, Probe, Query, Route
from mere.indexes.sets.codes import CODES, CODES_FIELD
from mere.indexes.sets.evidence import SET_FIELDS
from mere.indexes.sets.question import JOIN_NUMBERS, NUMBERS, ON, TABLE, TIE_BREAK, VALUES, column_query
from mere.segments import Segment

__all__ = ["Containment"]

_THRESHOLD = Parameter(
    "threshold", "the least share of my values that a column must have", default=USUAL, type=float,
    flags="--threshold",
)  # fmt: skip
_EXACT = Parameter(
    "exact", "find every column (True), or take candidates from signatures, which may miss one (False); by default, "
    "exact unless that takes long", type=bool, flags="--exact/--approximate", needs="threshold",
)  # fmt: skip
_VERIFY = Parameter(
    "verify", "compute the containment of candidates from signatures (True), or estimate it (False)", default=True,
    type=bool, flags="--verify/--no-verify", needs="threshold",
)  # fmt: skip
_ROUTE = (
    Field("found_by", "string", "posting lists (finds all) or signatures (may miss a column)"),
    Field("interval", "json", "of an estimated containment: 95 % confidence bounds"),
)


class Containment(Kind):
    """The columns that hold at least this share of my distinct values; all of them, or the best k."""

    name = "containment"
    version = 2
    settings = (JOIN_NUMBERS,)
    parameters = (VALUES, _THRESHOLD, ON, NUMBERS, CODES, TABLE, TIE_BREAK, KEEP_WORDS, _EXACT, _VERIFY)
    joins = "one column"
    fields = (*JOIN_FIELDS, *SET_FIELDS, CODES_FIELD, *_ROUTE)
    shown = join_shown("shared")

    def build(self, segment: Segment, trained: Arrays, settings: Mapping[str, Any]) -> Arrays:
        return arrays_of(segment, settings)

    def question(self, given: Mapping[str, Any], inputs: Inputs) -> Query:
        return column_query(given, inputs)

    def default_k(self, given: Mapping[str, Any]) -> int:
        return 0

    def condition(self, query: Query) -> Query:
        return {**query, "exact": True}  # signatures may miss a column

    def route(self, query: Query, segments: int) -> Route:
        return routed(query, segments)

    def plan(self, query: Query, parts: Sequence[Part]) -> Probe:
        return containment_probe(query, parts)

    def search(self, part: Part, probe: Probe, bound: float = 0.0) -> Found:
        return Found(list(search.hits_of(part, probe, bound)), [])

    def warm(self, parts: Sequence[Part]) -> Sequence[Trial]:
        return search.warm(parts)

    def explain(self, part: Part, probe: Probe, hits: list[Hit]) -> list[Hit]:
        return explain(part, probe, hits)
