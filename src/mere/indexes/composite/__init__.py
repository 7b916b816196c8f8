"""Which tables of the lake join with mine on a key of several columns, whatever columns and order they keep it in?

MATE: Esmailoghli, Quiane-Ruiz, Abedjan, PVLDB 2022.

    the paper                 here
    d, Q                      the question; the columns of its key, as **levels** of a tree of keys
    j (equations 1 and 2)     a hit's score: distinct keys that the table holds under its best mapping of columns
    posting list, PL item     `list.columns` and `rows.order`: a value's columns, and its rows in each
    super key, XASH           `super.keys`; `super_keys` has XASH and the hash functions it is compared with
    q', the initial column    `modes`: Algorithm 1

    question    the keys as a tree                       descent    the best mapping of a table, compiled
    build       row lists and super keys as arrays       plain      the same in NumPy
    kernels     what columns share, look-ups             modes      the paper's algorithms, compiled
    search      one segment                              brute      the oracle
    evidence    why                                      stored     a segment's arrays for kernels
    super_keys  values as bits

Where we depart.  Algorithm 1 starts from one column of the key, visits rows, and finds out at each which mappings fit.
We go the other way: what every column shares with every level is read off the posting lists, which bounds what a table
can hold (the poorest level decides) and what each column can; tables are opened in the order of their bounds until the
k-th best beats the rest, and in a table mappings are built column by column, each with the rows that still agree
(`descent`).  So a row is looked at under few mappings, not every mapping at every row, and in memory nothing is left
for super keys to save: they stay for `mate`, which dismisses rows without reading them.  Keys are counted, not rows,
and nulls match nothing.  Small whole numbers in tables of dozens of such columns make mappings without number: a
descent ends after so many rows (`WORK`), and its hit says that it is a lower bound.

Cost: build O(cells log cells).  A question costs one look-up per value and segment, a pass over the segment's columns
per level, the posting lists of its values (columns, not rows), and in each table opened the rows that agree with the
first level, per mapping followed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mere.answers import Hit
from mere.indexes.composite.brute import brute
from mere.indexes.composite.build import arrays_of, trained_on
from mere.indexes.composite.evidence import with_evidence
from mere.indexes.composite.question import MODES, composite_probe
from mere.indexes.composite.search import hits_of
from mere.indexes.kind import Arrays, Part
from mere.segments import Segment, Table

__all__ = ["MODES", "Composite", "brute"]


class Composite:
    """The kind; a query is {"columns": [cells, ...], ...} as `question` says."""

    name = "composite"
    version = 1

    def train(self, sample: Sequence[Table], settings: Mapping[str, Any]) -> Arrays:
        return trained_on(sample)

    def build(self, segment: Segment, trained: Arrays, settings: Mapping[str, Any]) -> Arrays:
        return arrays_of(segment, trained, settings)

    def plan(self, query: Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any]:
        return composite_probe(query, parts)

    def search(self, part: Part, probe: Mapping[str, Any], bound: float = float("-inf")) -> Iterator[Hit]:
        return hits_of(part, probe, bound)

    def explain(self, part: Part, probe: Mapping[str, Any], hits: list[Hit]) -> list[Hit]:
        return with_evidence(part, probe, hits)
