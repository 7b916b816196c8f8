"""Which tables of the lake join with mine on a key of several columns, whatever columns and order they keep it in?

MATE: Esmailoghli, Quiane-Ruiz, Abedjan, PVLDB 2022.

    the paper                 here
    d, Q                      the question; the columns of its key, as **levels** of a tree of keys
    j (equations 1 and 2)     a hit's score: distinct keys that the table holds under its best mapping of columns
    posting list, PL item     `list.columns` and `rows.order`: a value's columns, and its rows in each
    super key, XASH           `row_super_keys`; `super_keys` has XASH and the hash functions it is compared with
    q', the initial column    `modes`: Algorithm 1

    plan        the keys as a tree                       kernels     what columns share, look-ups; compiled
    build, train  row lists as arrays                    candidates  columns that may stand for a level; compiled
    search      one segment                              steps       rows that agree after one more column; compiled
    matches     what is wanted, and what comes back      descent     the best mapping of a table; compiled
    evidence    why                                      follow      the rows of one mapping; compiled
    numpy       the descent in NumPy                     modes       the paper's algorithms; compiled
    super_keys  values as bits

Where we depart.  Algorithm 1 starts from one column of the key, visits rows, and finds out at each which mappings fit.
We go the other way: what every column shares with every level is read off the posting lists, which bounds what a table
can hold (the poorest level decides) and what each column can; tables are opened in the order of their bounds until the
k-th best beats the rest, and in a table mappings are built column by column, each with the rows that still agree
(`descent`).  So a row is looked at under few mappings, not every mapping at every row, and in memory nothing is left
for super keys to save: only `mate`, which dismisses rows by them, has them computed.  Keys are counted, not rows, and
nulls match nothing.  Small whole numbers in tables of dozens of such columns make mappings without number: a
descent ends after so many rows (`WORK`), and its hit says that it is a lower bound.

Cost: build O(cells log cells).  A question costs one look-up per value and segment, a pass over the segment's columns
per level, the posting lists of its values (columns, not rows), and in each table opened the rows that agree with the
first level, per mapping followed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mere.answers import JOIN_FIELDS, Field, Found, Hit
from mere.answers.shown import join_shown
from mere.compiled import Trial
from mere.indexes.composite.build import USUAL, arrays_of
from mere.indexes.composite.evidence import with_evidence
from mere.indexes.composite.plan import MODES, composite_probe, key_query
from mere.indexes.composite.search import found_in, possible_matches, warm
from mere.indexes.composite.super_keys import recipe_of
from mere.indexes.composite.train import trained_on
from mere.indexes.declare import Parameter, Setting
from mere.indexes.inputs import Inputs
from mere.indexes.kind import Arrays, Kind, Meeting, Part, Probe, Query, meeting_of_hits
from mere.segments import Segment, Table

__all__ = ["MODES", "Composite"]

_SUPER_KEYS = Setting(
    "super_keys", USUAL, "hash function and bits of the rows' super keys, such as xash-128, the paper's",
    check=lambda settings: recipe_of(settings["super_keys"]), flag="--super-keys",
)  # fmt: skip


class Composite(Kind):
    """The tables that hold the most distinct keys of mine, in whichever columns and order they keep them: exact."""

    name = "composite"
    version = 1
    settings = (_SUPER_KEYS,)
    parameters = (
        Parameter("frame", "a frame, a file or a table of the lake", is_frame=True),
        Parameter("on", "the key's columns, one to eight; by default, all columns", type=list),
        Parameter("threshold", "only tables that hold this share of my keys", type=float, flags="--threshold"),
        Parameter(
            "numbers", "False: columns of numbers do not answer", type=bool, flags="--numbers/--no-numbers"
        ),
        Parameter("table", "the only table to look at"),
        Parameter("mode", "the algorithm; all give the same answer", default="auto", choices=MODES, flags="--mode"),
    )  # fmt: skip
    joins = "several columns"
    fields = (
        *JOIN_FIELDS,
        Field("matched_keys", "int64", "the same as `shared`: distinct keys of the query in the table"),
        Field("rows", "int64", "rows of the table that hold a matched key"),
    )
    shown = join_shown("keys", mark="≥")

    def train(self, sample: Sequence[Table], settings: Mapping[str, Any]) -> Arrays:
        return trained_on(sample)

    def build(self, segment: Segment, trained: Arrays, settings: Mapping[str, Any]) -> Arrays:
        return arrays_of(segment, trained, settings)

    def question(self, given: Mapping[str, Any], inputs: Inputs) -> Query:
        return key_query(given, inputs)

    def default_k(self, given: Mapping[str, Any]) -> int:
        return 10 if given.get("threshold") is None else 0

    def plan(self, query: Query, parts: Sequence[Part]) -> Probe:
        return composite_probe(query, parts)

    def search(self, part: Part, probe: Probe, bound: float = 0.0) -> Found:
        return found_in(part, probe, bound)

    def tables(self, part: Part, probe: Probe) -> Meeting:
        size, matches = max(1, len(probe["counts"])), possible_matches(part, probe, 0.0)
        meeting = meeting_of_hits(part, Found(matches.hits, matches.notes), lambda hit: hit.score / size)
        mapped = {table: hit for table, hit in (meeting.hits or {}).items() if hit.columns}  # others: no mapping known
        return meeting._replace(hits=mapped)

    def warm(self, parts: Sequence[Part]) -> Sequence[Trial]:
        return warm(parts)

    def explain(self, part: Part, probe: Probe, hits: list[Hit]) -> list[Hit]:
        return with_evidence(part, probe, hits)
