"""Which columns of the lake share the most values with mine?  Exact, the best k.

JOSIE: Zhu, Deng, Nargesian, Miller, SIGMOD 2019; Zhu's thesis, chapter 3.

    the thesis           here
    Q, x_i               the question's values; a **group** stands for all values with one posting list
    X, |X|               a **set**; `set.sizes`; columns with equal sets share one
    L(f), S(|X|)         `Costs`: measured, not assumed
    X_k, |Q n X_k|       the k-th best **owner** (table or column) and what it has reached: `kth_best`
    prefix filter        `left_weight < level`: no set still unseen can reach the k-th best
    position filter      `list.after`: values of the set behind the entry

    plan       the probe                                 kernels   a compiled question, step by step
    build      groups, lists, sets as arrays             reading   lists and sets, read and probed, compiled
    search     one segment                               ranking   the best sets, compiled
    numpy      MergeList without compiled kernels        josie     the thesis's ProbeSet and JOSIE, compiled
    costs      what reading costs on this machine        pairs     the join graph, set by set, compiled
    records    what kernels take

Where we depart.  The thesis groups equal posting lists; we also collapse equal sets, and write sets as groups: on open
data this leaves a fifth of the postings or less.  What is left lies in memory, where JOSIE's estimates cost more than
the reads they save; so the default (`auto`) reads lists like MergeList, rare values first, and decides only a few
times per question, by measured costs, whether probing the candidates is cheaper than reading on.  `merge`, `probe`
and `josie` are the thesis's algorithms, by name.  All four are exact, and ties are broken by name.

Cost: build O(postings log postings).  A question costs one look-up per value and segment, and reads at most the posting
lists of its groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mere.answers import JOIN_FIELDS, Found, Hit
from mere.answers.shown import join_shown
from mere.compiled import Trial
from mere.indexes.declare import Parameter
from mere.indexes.inputs import Inputs
from mere.indexes.kind import Arrays, GraphPart, Kind, Meeting, Part, Probe, Query, meeting_of_hits
from mere.indexes.overlap.build import arrays_of
from mere.indexes.overlap.plan import MODES, overlap_probe
from mere.indexes.overlap.search import hits_of, warm
from mere.indexes.sets.codes import CODES, CODES_FIELD, better_of, explained_by, marked, may_match, recoded_probes
from mere.indexes.sets.evidence import SET_FIELDS, with_evidence
from mere.indexes.sets.question import JOIN_NUMBERS, NUMBERS, ON, TABLE, TIE_BREAK, VALUES, column_query
from mere.segments import Segment

__all__ = ["MODES", "Overlap"]

_MODE = Parameter("mode", "the algorithm; all give the same answer", default="auto", choices=MODES, flags="--mode")


class Overlap(Kind):
    """The columns that share the most distinct values with mine: exact, the best k."""

    name = "overlap"
    version = 1
    settings = (JOIN_NUMBERS,)
    parameters = (VALUES, ON, NUMBERS, CODES, TABLE, TIE_BREAK, _MODE)
    joins = "one column"
    fields = (*JOIN_FIELDS, *SET_FIELDS, CODES_FIELD)
    shown = join_shown("shared")

    def build(self, segment: Segment, trained: Arrays, settings: Mapping[str, Any]) -> Arrays:
        return arrays_of(segment, settings)

    def question(self, given: Mapping[str, Any], inputs: Inputs) -> Query:
        return column_query(given, inputs)

    def plan(self, query: Query, parts: Sequence[Part]) -> Probe:
        return overlap_probe(query)

    def search(self, part: Part, probe: Probe, bound: float = 0.0) -> Found:
        if not probe["codes"]:
            return Found(list(hits_of(part, probe, bound)), [])
        asked_with = [(None, probe), *(pair for pair in recoded_probes(probe) if may_match(part, *pair))]
        hits = (marked(hit, recoding) for recoding, asked in asked_with for hit in hits_of(part, asked, bound))
        return Found(better_of(hits, probe["per"]), [])

    def tables(self, part: Part, probe: Probe) -> Meeting:
        size = max(1, len(probe["hashes"]))
        return meeting_of_hits(part, self.search(part, probe), lambda hit: hit.score / size)

    def warm(self, parts: Sequence[Part]) -> Sequence[Trial]:
        return warm(parts)

    def pairs(self, left: Part, right: Part, threshold: float, numbers: bool) -> GraphPart:
        from mere.indexes.overlap.column_pairs import graph_part  # imports compiled kernels

        return graph_part(left, right, threshold, numbers)

    def explain(self, part: Part, probe: Probe, hits: list[Hit]) -> list[Hit]:
        return explained_by(with_evidence, part, probe, hits)
