"""Which columns are spread like this: at least, or at most, so much of them below, above or between?  From histograms.

FAINDER: Behme, Galhotra, Beedkar, Markl, PVLDB 2024.

    the paper              here
    H, b, v                a histogram, its bins, and rows instead of densities: whole numbers
    C, p, theta, r         a `Predicate`: column, fraction, "at least" or "at most" with <, <=, >, >= or =, number
    Algorithm 1, baselines see `fainder`
    full recall            possible: what a histogram does not rule out; what is searched for
    full precision         guaranteed: what it rules in; every hit says which

    plan        from what is asked to a probe           engine     from a fraction and a number to columns
    histograms  from values to bins                     search     one segment
    build       histograms and orders as arrays         ranking    the best columns or tables
    train       clusters, for `fainder`                 evidence   why
    named       columns by name, and those of dates     kernels    `engine` and `counting`, compiled
    counting    what a histogram says of a comparison   areas      `likeness`, compiled
    likeness    the columns most like a shape           records    arrays that kernels read, by name
    unknown     columns of which nothing is known
    fainder     the paper's index, modes and baselines

Where we depart.  The paper clusters histograms and aligns their bins, so that the axis of values can be indexed; that
costs exactness or a scan (`fainder` does so, if the setting `fainder_clusters` asks for it).  Fractions need no
alignment, so we index the axis of probability: see `build`.

Cost: build O(values log values) for the histograms and O(LEVELS n log n) for the orders of n of them.  A question costs
a binary search where its fraction is on the grid, and a look at the columns between two levels where it is not; where
it names columns, a look at those.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

from mere.answers import Field, Found, Hit, Shown
from mere.answers.shown import COLUMNS, TABLE, Cell, marked_number, picture_of, range_of
from mere.compiled import Trial
from mere.indexes.declare import Parameter, Setting
from mere.indexes.distribution.build import USUAL, arrays_of
from mere.indexes.distribution.evidence import histogram, with_evidence
from mere.indexes.distribution.fainder import SETTINGS as FAINDER_SETTINGS
from mere.indexes.distribution.histograms import strategy_of
from mere.indexes.distribution.plan import MODES, distribution_probe, distribution_query, predicates_in
from mere.indexes.distribution.search import columns_of, hits_of, tables_of, unknown_of, warm, with_unknown
from mere.indexes.distribution.train import trained_on
from mere.indexes.inputs import Inputs
from mere.indexes.kind import Arrays, Kind, Meeting, Part, Probe, Query, meeting_of_hits
from mere.segments import Segment, Table

__all__ = ["MODES", "Distribution"]

_BINS = Setting(
    "histogram_bins", USUAL, "how columns of numbers and dates are divided into bins, such as equal-width-16",
    check=lambda settings: strategy_of(settings["histogram_bins"]),
)  # fmt: skip


def _label_cell(hit: Hit) -> Cell:
    return hit.evidence.get("label", "") + (", profile only" if hit.evidence.get("profile_only") else "")


def _distance_cell(hit: Hit) -> Cell:
    return marked_number(hit, hit.evidence["distance"], 4) if "distance" in hit.evidence else ""


def _fraction_cell(hit: Hit) -> Cell:
    """The bounds of the fraction; of several predicates, of each in their order."""
    several = hit.evidence.get("predicates", [hit.evidence])
    return "; ".join(range_of(each["fraction"]) for each in several if "fraction" in each)


class Distribution(Kind):
    """The columns that may satisfy a predicate, or are distributed most like a shape, by their histograms alone."""

    name = "distribution"
    version = 3
    settings = (_BINS, *FAINDER_SETTINGS)
    parameters = (
        Parameter("predicate", "such as 'at least 30% of age < 40', or mere.at_least(0.3, 'age') < 40"),
        Parameter(
            "like", "instead: numbers, a column, a frame, file or table with `on`, or a curve such as 'normal(0, 1)'",
            asks=True,
        ),
        Parameter("on", "with `like`: the column of what was given"),
        Parameter("column", "with `like`: which columns may answer: a name, a glob or a /regular expression/"),
        Parameter("table", "the only table to look at"),
        Parameter("mode", "auto, or an algorithm of the FAINDER paper", default="auto", choices=MODES),
        Parameter("sure", "of a predicate: only what is guaranteed", default=False, type=bool),
    )  # fmt: skip
    fields = (
        Field("label", "string", "guaranteed or possible"),
        Field("fraction", "list<double>", "bounds of the fraction of rows that satisfy the comparison"),
        Field("estimate", "double", "the fraction if values are spread evenly in their bins"),
        Field("predicates", "json", "of several predicates of the same column: what the histogram says of each"),
        Field("distance", "double", "of `like`: Wasserstein's distance, in the unit of the column"),
        Field("rows", "int64", "values that the histogram counts"),
        Field("reason", "string", "why nothing is known of a possible one"),
    )
    shown = (
        Shown("score", lambda hit: marked_number(hit, hit.score), right=True),
        Shown("label", _label_cell, whole=True),
        Shown("distance", _distance_cell, right=True),
        TABLE,
        COLUMNS,
        Shown("histogram", lambda hit: picture_of(hit.evidence), whole=True),
        Shown("fraction", _fraction_cell, whole=True),
        Shown("reason", lambda hit: hit.evidence.get("reason", ""), width=48, below=True),
    )

    def train(self, sample: Sequence[Table], settings: Mapping[str, Any]) -> Arrays:
        return trained_on(sample, settings)

    def build(self, segment: Segment, trained: Arrays, settings: Mapping[str, Any]) -> Arrays:
        return arrays_of(segment, trained, settings)

    def question(self, given: Mapping[str, Any], inputs: Inputs) -> Query:
        return distribution_query(given, inputs)

    def plan(self, query: Query, parts: Sequence[Part]) -> Probe:
        return distribution_probe(query, parts)

    def search(self, part: Part, probe: Probe, bound: float = 0.0) -> Found:
        return Found(list(hits_of(part, probe, bound)), [])

    def condition(self, query: Query) -> Query:
        return query if "like" in query else {**query, "mode": "auto"}  # some of the paper's modes miss columns

    def tables(self, part: Part, probe: Probe) -> Meeting:
        if "like.edges" in probe:
            return with_unknown(part, probe, meeting_of_hits(part, self.search(part, probe), lambda hit: hit.score))
        return tables_of(part, probe)

    def inspect(self, part: Part, probe: Probe, table: int) -> list[Hit]:
        if "like.edges" in probe:
            return unknown_of(part, probe, table)
        return columns_of(part, predicates_in(probe), table)

    def warm(self, parts: Sequence[Part]) -> Sequence[Trial]:
        return warm(parts)

    def explain(self, part: Part, probe: Probe, hits: list[Hit]) -> list[Hit]:
        return with_evidence(part, probe, hits)

    def describe(self, part: Part, column: int) -> dict[str, Any]:
        """The histogram that the lake answers from: {"edges", "counts"}."""
        which = bisect_left(part.arrays["hist.columns"], column)
        owns = which < len(part.arrays["hist.columns"]) and part.arrays["hist.columns"][which] == column
        return dict(histogram(part, which)) if owns else {}
