"""What is a kind: one question a lake can answer.

    name, version                     its name, and the version of its arrays on disk
    settings                          what a lake keeps for it: default, bounds, whether it shapes the index
    parameters                        what its questions take, besides `k` and `per`; the first is what they ask with
    joins                             whether its hits can be joined with: on one column, or on several; then it has
                                      the parameters `on` and `table`, and the evidence of every join
    ranks_all                         whether all hits cost about as much as the best k: copies are then grouped among
                                      all of them
    fields, shown                     the main fields of its evidence, and how its hits are shown

    train(sample, settings)           once per lake; the result is frozen in the snapshot
    build(segment, trained, settings) pure: the same segment gives the same arrays
    question(given, inputs)           from what a user hands in to a checked query
    route(query, segments)            which kind answers the query, and how its hits are reported
    plan(query, parts)                once per question, with sight of every part (lake-wide statistics): the probe
    search(part, probe, bound)        the hits of one segment, and notes; hits with a score below `bound` may be omitted
    condition(query)                  the query as a condition on tables, which must not miss one that meets it
    tables(part, probe)               which tables of a segment meet it
    inspect(part, probe, table)       what is known of one table: why it meets the condition, or does not
    explain(part, probe, hits)        the evidence of the hits that are returned
    advice(query)                     what to ask instead, if there are none
    warm(parts)                       the calls that compile and load its kernels

and, among the tests, an oracle (`tests/oracles`): slow, short, and independent of the rest.

Law: answer(q, A + B) == merge(answer(q, A), answer(q, B)).  Answers depend neither on how a lake is divided into
segments, nor on dead tables that are still in them, nor on who runs the search.  `tests/kinds` tests this for every
kind.

A kind is a folder of this package with the same files as the others (`plan`, `build`, `train`, `search`, `evidence`,
`kernels`, `numpy`; those it needs) and one entry in the registry.  Kinds never import each other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from mere.answers import Field, Found, Hit, Shown
from mere.answers.shown import DEFAULT_SHOWN
from mere.compiled import Trial
from mere.errors import LakeError
from mere.indexes.declare import Parameter, Setting
from mere.indexes.inputs import Inputs
from mere.segments import Segment, SegmentEntry, Table
from mere.store import Container, Strings

Arrays = Mapping[str, np.ndarray]
Query = dict[str, Any]  # a checked question
Probe = Mapping[str, Any]  # a planned question: plain values and arrays; `probe.packed` writes it as JSON


@dataclass(frozen=True, eq=False)
class Part:
    """One kind's share of one segment, with the tables of it that live.

    `memo` is for the kind: what it keeps of the part between questions.  `lookups` is for one question: what `search`
    has looked up, `explain` need not look up again.
    """

    segment: Segment
    arrays: Container
    live: np.ndarray  # bool per table of the segment
    memo: dict[str, Any] = field(default_factory=dict)
    lookups: list[tuple[np.ndarray, np.ndarray]] | None = None  # hashes, and the ids of their values

    def for_question(self) -> Part:
        """The same part, which remembers what is looked up; for one question."""
        return replace(self, lookups=[])

    def find(self, values: Strings, hashes: np.ndarray) -> np.ndarray:
        """The id of each (normalised) value in the segment, -1 where it is not there; not to be changed."""
        for known, ids in self.lookups or ():
            if len(known) == len(hashes) and _address(known) == _address(hashes):
                return ids
        ids = self.segment.dictionary.find(values, hashes)
        if self.lookups is not None:
            self.lookups.append((hashes, ids))  # keeps the array, so that no other one can have its address
        return ids


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


class Meeting(NamedTuple):
    """Which tables of a segment meet a condition: per table the degree (0 to 1), whether it may, whether it surely does

    (`sure` implies `may`).  A table that may, and not surely, is **unknown**; if nothing speaks for or against it, its
    degree is NaN.  `hits` holds the hits of tables that may, by table number, where the kind has made them already.
    """

    degree: np.ndarray
    may: np.ndarray
    sure: np.ndarray
    hits: Mapping[int, Hit] | None = None
    notes: tuple[str, ...] = ()  # of the search


class ColumnPairs(NamedTuple):
    """Some pairs of columns of two segments, by their numbers, with what they share."""

    left: np.ndarray
    right: np.ndarray
    overlap: np.ndarray
    left_distinct: np.ndarray
    right_distinct: np.ndarray


class GraphPart(NamedTuple):
    """The part of the join graph between two segments: how many left columns take part, and the pairs."""

    columns: int
    pairs: Iterator[ColumnPairs]


def as_found(hit: Hit) -> Hit:
    """The hit itself: how most kinds report it."""
    return hit


@dataclass(frozen=True)
class Route:
    """The kind that answers a question, what it is asked, and how its hits are reported, with or without evidence."""

    kind: str
    query: Query
    report: Callable[[Hit], Hit] = as_found


class Kind(ABC):
    """One question a lake can answer."""

    name: ClassVar[str]
    version: ClassVar[int]
    settings: ClassVar[tuple[Setting, ...]] = ()
    parameters: ClassVar[tuple[Parameter, ...]]
    joins: ClassVar[Literal["", "one column", "several columns"]] = ""
    ranks_all: ClassVar[bool] = False
    fields: ClassVar[tuple[Field, ...]] = ()
    shown: ClassVar[tuple[Shown, ...]] = DEFAULT_SHOWN

    def train(self, sample: Sequence[Table], settings: Mapping[str, Any]) -> Arrays:
        """Learn what must stay the same for the whole lake; an empty mapping if nothing must."""
        return {}

    @abstractmethod
    def build(self, segment: Segment, trained: Arrays, settings: Mapping[str, Any]) -> Arrays:
        """This kind's arrays for one segment."""

    @abstractmethod
    def question(self, given: Mapping[str, Any], inputs: Inputs) -> Query:
        """The query of a question: `given` has a value for every parameter."""

    def default_k(self, given: Mapping[str, Any]) -> int:
        """How many hits are returned if the question does not say; 0 means all."""
        return 10

    def route(self, query: Query, segments: int) -> Route:
        """The way a query takes in a lake of so many segments."""
        return Route(self.name, query)

    @abstractmethod
    def plan(self, query: Query, parts: Sequence[Part]) -> Probe:
        """Everything about the question that does not depend on the segment; `notes` in it are for the user."""

    @abstractmethod
    def search(self, part: Part, probe: Probe, bound: float = 0.0) -> Found:
        """The hits of one segment, living tables only, in any order, and notes; the probe is not changed."""

    def condition(self, query: Query) -> Query:
        """The query as a condition: `may` must hold of every table that meets it, or "not" would give false answers."""
        return query

    def tables(self, part: Part, probe: Probe) -> Meeting:
        """Which tables meet the condition: those that have a hit, to the degree of its score up to 1."""
        return meeting_of_hits(part, self.search(part, probe), lambda hit: hit.score)

    def inspect(self, part: Part, probe: Probe, table: int) -> list[Hit]:
        """The hits of one table, best first, with what does not meet the condition labelled 'ruled out'.

        Asked only where `tables` returns no hits, and where a user looks at a table.
        """
        return []

    @abstractmethod
    def explain(self, part: Part, probe: Probe, hits: list[Hit]) -> list[Hit]:
        """The same hits of the part with their evidence: computed only for hits that are returned."""

    def advice(self, query: Query) -> str:
        """What to ask instead, if a question has no hits; nothing by default."""
        return ""

    def warm(self, parts: Sequence[Part]) -> Sequence[Trial]:
        """The calls that compile and load the kernels of questions in the default mode."""
        return ()

    def pairs(self, left: Part, right: Part, threshold: float, numbers: bool) -> GraphPart:
        """The pairs of columns of which the right one holds at least this share of the left one's values.

        One kind of the registry has it: `mere graph` uses that one.
        """
        raise NotImplementedError

    def describe(self, part: Part, column: int) -> dict[str, Any]:
        """What a published profile says of a column of the segment from this kind's arrays; nothing by default."""
        return {}


def meeting_of_hits(part: Part, found: Found, degree: Callable[[Hit], float]) -> Meeting:
    """Tables meet a condition if they have a hit; surely, if it is exact (see `search.finishing.meetings`)."""
    names, count = part.segment.names, part.segment.table_count
    degrees, may, sure = np.zeros(count), np.zeros(count, bool), np.zeros(count, bool)
    by_table = {bisect_left(names, hit.table): hit for hit in found.hits}
    for table, hit in by_table.items():
        degrees[table], may[table], sure[table] = min(1.0, degree(hit)), True, hit.exact
    return Meeting(degrees, may, sure, by_table, tuple(found.notes))


def open_part(kind: Kind, segment: Segment, live: np.ndarray) -> Part:
    """Map a kind's file of a segment."""
    name = f"{kind.name}.idx"
    if segment.entry.version_of(name) != kind.version:
        raise LakeError(f"the lake has no current '{kind.name}' index", "bring it up to date with 'mere index'")
    return Part(segment, segment.file(name, kind.name, kind.version), live)


def part_at(kind: Kind, lake: str, entry: SegmentEntry) -> Part:
    """A kind's part of the segment that a snapshot's entry names."""
    return open_part(kind, Segment(entry.folder(lake), entry), entry.live_mask())


def explained(kind: Kind, probe: Probe, pairs: Sequence[tuple[Hit, Part]]) -> list[Hit]:
    """Hits of several parts, in their order, with their evidence."""
    places: dict[int, list[int]] = {}
    for place, (_, part) in enumerate(pairs):
        places.setdefault(id(part), []).append(place)
    hits = [hit for hit, _ in pairs]
    for of_part in places.values():
        part = pairs[of_part[0]][1]
        for place, hit in zip(of_part, kind.explain(part, probe, [hits[place] for place in of_part]), strict=True):
            hits[place] = hit
    return hits
