"""Which columns join with mine after a transformation: with zeros, prefixes, separators or the order of parts changed?

Zhu, He, Chaudhuri (Auto-Join, VLDB 2017; Zhu's thesis, chapter 4) join two given tables; `mere.transform` does that.
Here one column is given, and the other is looked for among all columns of the lake.

    pieces       words, numbers and combinations of them, of which some survive a transformation
    build        an index of the pieces of every column
    candidates   the columns that share the rarest pieces with mine
    learning     the program for a candidate, and the pairs of values that it makes
    agreement    how much the values of pairs agree
    chance       whether chance explains the matches: such joins are refused
    rules        programs as JSON, and shown
    plan, search, evidence: as in every kind

The score of a hit is the share of my distinct values that its programs match, each by how well the two values agree;
of more than 20,000 values, it is computed from 20,000, and a note says so.  The search is not exhaustive: programs are
learnt for the best candidates only, from samples of large columns, and within a time limit, so hits are not marked as
exact.  Values are compared as in every other join; programs read and write them like that: in lower case, with single
spaces.

Cost: a segment stores at most 512 pieces of each distinct set, 8 bytes each.  A question looks up its pieces in every
segment, and then learns one program per candidate, which takes nearly all of its time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mere.answers import JOIN_FIELDS, Found, Hit, Shown
from mere.answers.shown import Cell, join_shown
from mere.compiled import Trial
from mere.indexes.declare import KEEP_WORDS, Parameter, Setting
from mere.indexes.inputs import Inputs
from mere.indexes.kind import Arrays, Kind, Part, Probe, Query
from mere.indexes.sets.question import JOIN_NUMBERS, ON, TABLE, TIE_BREAK, VALUES, column_query
from mere.indexes.transform.build import MOST_PIECES, USUAL_PIECES, arrays_of
from mere.indexes.transform.fields import PROGRAM_FIELDS
from mere.indexes.transform.pieces import trial
from mere.indexes.transform.plan import (
    USUAL_CANDIDATES,
    USUAL_SECONDS,
    USUAL_SHARE,
    advice,
    checked_candidates,
    checked_seconds,
    checked_share,
    transform_probe,
)
from mere.segments import Segment

__all__ = ["Transform"]

_SHARE = Parameter(
    "share", "the least share of my values that must match, each by its agreement; 0 means any", default=USUAL_SHARE,
    type=float, flags="--share",
)  # fmt: skip
_CANDIDATES = Parameter(
    "candidates", "how many columns a program is learnt for: those that share the rarest words and numbers with mine",
    default=USUAL_CANDIDATES, type=int, flags="--candidates",
)  # fmt: skip
_SECONDS = Parameter(
    "seconds", "how long learning may take; the most likely columns come first", default=USUAL_SECONDS, type=float,
    flags="--seconds",
)  # fmt: skip
_MANY_TO_MANY = Parameter(
    "many_to_many", "also columns that join many to many: neither my values nor the column's have one partner each",
    default=False, type=bool, flags="--many-to-many/--no-many-to-many",
)  # fmt: skip
_PIECES = Setting(
    MOST_PIECES, USUAL_PIECES, "words, numbers and combinations of them that are stored of a column, to find columns "
    "that join after a transformation", least=1,
)  # fmt: skip


def _program_cell(hit: Hit) -> Cell:
    """holder = word 2 of person (and 2 more)"""
    programs = hit.evidence.get("programs", [])
    more = f" (and {len(programs) - 1} more)" if len(programs) > 1 else ""
    return f"{programs[0]['key_text']} = {programs[0]['text']}{more}" if programs else ""


def _pairs_cell(hit: Hit) -> Cell:
    """sku-1234 → 1234, sku-77 → 77"""
    pairs = hit.evidence.get("pairs", [])
    differing = [pair for pair in pairs if pair[0] != pair[1]] or pairs
    return ", ".join(f"{mine} → {theirs}" if mine != theirs else mine for mine, theirs in differing[:2])


def _shown() -> tuple[Shown, ...]:
    columns = {column.header: column for column in join_shown("matching")}
    order = ["share", "matching", "table", "columns", "join"]
    extra = (Shown("program", _program_cell, width=60, below=True), Shown("pairs", _pairs_cell, width=60))
    return (*(columns[name] for name in order), *extra, columns["unmatched"])


class Transform(Kind):
    """The columns that join with mine after a transformation, each with the program that was learnt."""

    name = "transform"
    version = 2
    settings = (JOIN_NUMBERS, _PIECES)
    parameters = (VALUES, _SHARE, ON, TABLE, TIE_BREAK, KEEP_WORDS, _CANDIDATES, _SECONDS, _MANY_TO_MANY)
    joins = "one column"
    ranks_all = True
    fields = (*JOIN_FIELDS, *PROGRAM_FIELDS)
    shown = _shown()

    def build(self, segment: Segment, trained: Arrays, settings: Mapping[str, Any]) -> Arrays:
        return arrays_of(segment, settings)

    def question(self, given: Mapping[str, Any], inputs: Inputs) -> Query:
        checked_share(given["share"])
        checked_candidates(given["candidates"])
        checked_seconds(given["seconds"])
        return column_query(given, inputs)

    def plan(self, query: Query, parts: Sequence[Part]) -> Probe:
        return transform_probe(query, parts)

    def search(self, part: Part, probe: Probe, bound: float = 0.0) -> Found:
        from mere.indexes.transform.search import hits_of  # with `mere.transform`, which other questions do not need

        return hits_of(part, probe, bound)

    def warm(self, parts: Sequence[Part]) -> Sequence[Trial]:
        return (trial(),)

    def advice(self, query: Query) -> str:
        return advice(query)

    def explain(self, part: Part, probe: Probe, hits: list[Hit]) -> list[Hit]:
        from mere.indexes.transform.evidence import explain

        return explain(part, probe, hits)
