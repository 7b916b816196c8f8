"""Which columns match mine although values are misspelt, abbreviated or written differently?  Exact, with the pairs.

PEXESO: Dong, Takeoka, Xiao, Oyamada, ICDE 2021.

    the paper            here
    Q, S                 the question's distinct values; a **set** (columns with equal sets share one)
    v, d                 the vector of a value, from an **embedder**; Euclidean distance of unit vectors
    tau                  `limit`: `distance` times 2, the largest distance there is (section V)
    T, jn(Q, S)          `share`, `need`; the score of a hit: the share of the question's values that match
    M(q, x)              a pair of `records.Matches`
    S_V                  the values of a segment's columns that are not numbers; the number of one is its **place**
    HG, I, P, m          `pexeso`, which implements the paper's index and algorithms as the modes pexeso and pexeso-h

    embedders   models as plug-ins            sparse    the engine for spellings: posting lists of rare features
    spelling    the default embedder          dense     the engine for models: principal axes, blocks, products
    state       the frozen embedder           pexeso    the paper's engine
    plan, train, build, search, evidence: as in every kind

Where we depart.  Distinct values are counted, as by every other kind, and not rows.  Equal values match even if an
embedder knows nothing of them.  The default embedder needs no model: it compares spellings, by bigrams weighted by
the rarity of words; at the distances of misspellings neither the paper's pivots nor principal axes refuse enough, and
shared rare bigrams do.  Dense vectors are searched by principal axes, which refuse many more pairs than pivots do.
The paper's threshold of 6 % means little outside its embeddings: every embedder has calibrated distances.  All
engines are exact: they give the same answer.

Cost: `sparse` and `dense` say what is stored; a question embeds its values once, and reads in each segment the posting
lists (or blocks) that can hold a match.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mere.answers import JOIN_FIELDS, Found, Hit, Shown
from mere.answers.shown import Cell, join_shown
from mere.compiled import Trial
from mere.indexes.declare import Parameter, Setting
from mere.indexes.inputs import Inputs
from mere.indexes.kind import Arrays, Kind, Part, Probe, Query
from mere.indexes.sets.question import ON, TABLE, TIE_BREAK, VALUES, column_query
from mere.indexes.similar import search
from mere.indexes.similar.build import arrays_of
from mere.indexes.similar.embedders import checked_name
from mere.indexes.similar.evidence import PAIR_FIELDS, explain
from mere.indexes.similar.plan import (
    MATCHES,
    MEMORY,
    MODES,
    USUAL,
    advice,
    checked_distance,
    checked_memory,
    checked_share,
    similar_probe,
)
from mere.indexes.similar.state import SPELLING
from mere.indexes.similar.train import EMBEDDER, trained_on
from mere.segments import Segment, Table

__all__ = ["MODES", "Similar"]

_SHARE = Parameter(
    "share", "the least share of my values that must match; 0 means any", default=USUAL, type=float, flags="--share"
)
_DISTANCE = Parameter(
    "distance", "how far apart two values may be: 'strict', 'normal' or 'loose', or a share of the largest distance, "
    "such as 0.06 or 6%; by default 'normal'", flags="--distance",
)  # fmt: skip
_MATCHES = Parameter(
    "matches", "of several values that match one of mine, the 'best' or 'all'", default=MATCHES[0], choices=MATCHES,
    flags="--matches",
)  # fmt: skip
_MODE = Parameter("mode", "the algorithm; all give the same answer", default="auto", choices=MODES, flags="--mode")
_EMBEDDER = Parameter(
    "embedder", "your own function, if the lake was indexed with one: the function, or 'module:function'",
    flags="--embedder",
)  # fmt: skip
_MEMORY = Parameter(
    "memory", "MiB that temporary arrays may take, for matrix products and for the index of the mode pexeso",
    default=MEMORY, type=int, flags="--memory",
)  # fmt: skip
_SETTING = Setting(
    EMBEDDER, SPELLING.name, "how values become vectors: 'spelling'; 'wordllama' or 'glove' (models, extras); or "
    "'module:function' for your own", flag="--embedder", check=lambda settings: checked_name(settings[EMBEDDER]),
)  # fmt: skip


def _pairs_cell(hit: Hit) -> Cell:
    """jerry ≈ jerri (0.28), tom"""
    pairs = hit.evidence.get("pairs", [])
    differing = [pair for pair in pairs if pair[0] != pair[1]] or pairs
    return ", ".join(
        f"{mine} ≈ {theirs} ({far:.2f})" if mine != theirs else mine for mine, theirs, far in differing[:3]
    )


def _shown() -> tuple[Shown, ...]:
    columns = {column.header: column for column in join_shown("matching")}
    order = ["share", "matching", "table", "columns", "join"]
    return (*(columns[name] for name in order), Shown("pairs", _pairs_cell, width=60, below=True), columns["unmatched"])


class Similar(Kind):
    """The columns of which values match mine by spelling or meaning: exact, with the pairs."""

    name = "similar"
    version = 1
    settings = (_SETTING,)
    parameters = (VALUES, _SHARE, _DISTANCE, ON, TABLE, TIE_BREAK, _MATCHES, _MODE, _MEMORY, _EMBEDDER)
    joins = "one column"
    ranks_all = True
    fields = (*JOIN_FIELDS, *PAIR_FIELDS)
    shown = _shown()

    def train(self, sample: Sequence[Table], settings: Mapping[str, Any]) -> Arrays:
        return trained_on(sample, settings)

    def build(self, segment: Segment, trained: Arrays, settings: Mapping[str, Any]) -> Arrays:
        return arrays_of(segment, trained, settings)

    def question(self, given: Mapping[str, Any], inputs: Inputs) -> Query:
        checked_share(given["share"])
        checked_distance(given["distance"])
        checked_memory(given["memory"])
        return column_query(given, inputs)

    def default_k(self, given: Mapping[str, Any]) -> int:
        return 0

    def plan(self, query: Query, parts: Sequence[Part]) -> Probe:
        return similar_probe(query, parts)

    def search(self, part: Part, probe: Probe, bound: float = 0.0) -> Found:
        return Found(list(search.hits_of(part, probe, bound)), [])

    def advice(self, query: Query) -> str:
        return advice(query)

    def warm(self, parts: Sequence[Part]) -> Sequence[Trial]:
        return search.warm(parts)

    def explain(self, part: Part, probe: Probe, hits: list[Hit]) -> list[Hit]:
        return explain(part, probe, hits)
