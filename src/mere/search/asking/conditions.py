"""Which tables meet a condition: questions of any kind, composed by and, or, not?

Each leaf of a condition is a question of one kind, asked segment by segment (`finishing.meetings`); then tables are
combined as arrays.  A leaf says of each table: surely, surely not, or unknown (Kleene's strong logic, 1938).  There are
two sets, the tables that **surely** meet it and those that **may**: sure(not x) = not may(x), may(not x) = not sure(x).

The degree is fuzzy (Zadeh, 1965): the minimum of the parts of an "and", the maximum of an "or".  Where nothing speaks
for or against a table it is NaN; such a table is an answer after all others.  Evidence is computed only for the final
top k.

Predicates may be answered in a mode of their kind.  A mode that is approximate labels what is not guaranteed
"approximate"; one that may miss columns is refused under a "not", where a missed table would be guaranteed.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from mere import compiled
from mere.answers import Field, Found, Hit, Hits, Merged, Picture, Shown, all_notes, first_best
from mere.answers.shown import COLUMNS, TABLE, Cell, marked_number, picture_of, range_of
from mere.errors import UsageError
from mere.indexes.kind import Kind, Meeting, Part, Probe
from mere.language import And, Expression, Leaf, Not, Or
from mere.search.asking.ask import Asker, check_limits, kind_named
from mere.search.finishing.marks import marks_of
from mere.search.finishing.meetings import meeting_of, why_unknown
from mere.segments import Segment

_EXPLAINED = 5  # columns of a condition whose evidence a hit has; wide tables may have a thousand that meet it
_BESIDE = ("label", "fraction", "reason", "unsure", "histogram", "region")  # of a reason, beside the main fields


class LeafSearch:
    """One leaf of a condition, answered segment by segment."""

    def __init__(self, asker: Asker, leaf: Leaf, mode: str = "auto") -> None:
        kind = kind_named(leaf.kind)
        given = {kind.parameters[0].name if name == "given" else name: value for name, value in leaf.query().items()}
        query = {**kind.condition(asker.query(leaf.kind, given)), "k": 0, "per": "table"}
        query |= {"mode": mode} if leaf.has_modes else {}
        route = kind.route(query, len(asker.opened.segments))
        self.kind = kind_named(route.kind)
        self.parts: list[Part] = [part.for_question() for part in asker.parts(self.kind)]
        self.probe: Probe = self.kind.plan(route.query, self.parts)
        self._meetings: dict[int, Meeting] = {}

    @property
    def approximate(self) -> bool:
        """Whether its mode may be wrong."""
        return bool(self.probe.get("approximate"))

    def notes_on(self, answers: Sequence[tuple[Hit, int]]) -> list[str]:
        """The notes of the plan, then those of the segments searched, then those on its own hits of these tables."""
        searched = sorted({note for meeting in self._meetings.values() for note in meeting.notes})
        own = [(self._hit(place, hit.table), self.parts[place]) for hit, place in answers]
        marks = marks_of(self.kind, [(hit, part) for hit, part in own if hit], self.probe)
        return all_notes(self.probe.get("notes", ()), [*searched, *marks.notes])

    def _hit(self, place: int, table: str) -> Hit | None:
        """The hit of a table of that segment, where the kind has made it already."""
        hits = self.meeting(place).hits
        return hits.get(bisect_left(self.parts[place].segment.names, table)) if hits else None

    def meeting(self, place: int) -> Meeting:
        """Which tables of the segment at a place meet the leaf."""
        if place not in self._meetings:
            self._meetings[place] = meeting_of(self.kind, self.parts[place], self.probe)
        return self._meetings[place]

    def reasons(self, place: int, table: int) -> tuple[list[Hit], list[str]]:
        """Why a table of that segment meets the leaf: its best hits, explained, and the names of further columns."""
        part, hits = self.parts[place], self.meeting(place).hits
        if hit := (hits or {}).get(table):
            return marks_of(self.kind, [(hit, part)], self.probe).on_all(self.kind.explain(part, self.probe, [hit])), []
        inspected = self.kind.inspect(part, self.probe, table)
        if not inspected and np.isnan(self.meeting(place).degree[table]):
            return [self._unknown(place, table)], []
        meeting = [hit for hit in inspected if not _is_ruled_out(hit)]
        if self.approximate:
            meeting = meeting or inspected  # the mode was wrong, and the evidence says so
        further = [column for hit in meeting[_EXPLAINED:] for column in hit.columns[:1]]
        return self.kind.explain(part, self.probe, meeting[:_EXPLAINED]), further

    def _unknown(self, place: int, table: int) -> Hit:
        """What is told of a table of which nothing is known."""
        name = self.parts[place].segment.names[table]
        columns, reason = why_unknown(self.parts[place], self.probe, name)
        return Hit(name, tuple(columns), 0.0, False, {"label": "possible", "fraction": [0.0, 1.0], "reason": reason})

    def is_unknown(self, place: int, table: int) -> bool:
        """Whether a table may meet the leaf, and may not."""
        meeting = self.meeting(place)
        return bool(meeting.may[table] and not meeting.sure[table])


def _is_ruled_out(hit: Hit) -> bool:
    return hit.evidence.get("label") == "ruled out"


Leaves = dict[Leaf, LeafSearch]


def tables_where(asker: Asker, expression: Expression, k: int, mode: str = "auto", only_sure: bool = False) -> Hits:
    """The best k tables (0: all) that may, or surely do, meet the condition; its predicates answered in a mode."""
    check_limits(k, "table")
    started = time.perf_counter()
    merged: Merged[int] = Merged(k)
    with compiled.interruptible():
        leaves: Leaves = {leaf: LeafSearch(asker, leaf, mode) for leaf in expression.leaves()}
        _refuse_misses(expression, leaves, mode)
        approximate = any(leaf.approximate for leaf in leaves.values())
        for place, segment in enumerate(asker.opened.segments):
            meeting = _meeting(expression, place, leaves)
            meeting = meeting._replace(degree=np.nan_to_num(meeting.degree))
            tables = np.flatnonzero((meeting.sure if only_sure else meeting.may) & asker.opened.live[place])
            chosen = tables[first_best(meeting.degree[tables], meeting.sure[tables], k)].tolist()
            merged.add(place, Found([_hit(segment, table, meeting, approximate) for table in chosen], []))
        affirmed = _affirmed(expression)
        hits = [_explained(asker, hit, place, leaves, affirmed) for hit, place in merged.pairs]
    notes = [*dict.fromkeys(note for leaf in leaves.values() for note in leaf.notes_on(merged.pairs)), *asker.stale]
    took = (time.perf_counter() - started) * 1000
    return Hits("where", hits, asker.opened.number, took, asker.searched(), notes, FIELDS, SHOWN)


def _refuse_misses(expression: Expression, leaves: Leaves, mode: str) -> None:
    """Refuse a "not" before a leaf that may miss tables: it would give wrong tables as guaranteed."""
    for leaf in _affirmed(expression, negated=True):
        if leaves[leaf].probe.get("misses"):
            fault = f"mode '{mode}' may miss columns, so that 'not {leaf}' would give wrong answers"
            raise UsageError(fault, "leave out mode=, or leave out 'not'")


def _hit(segment: Segment, table: int, meeting: Meeting, approximate: bool) -> Hit:
    """A table that may meet the condition; among equal degrees, sure ones come first."""
    sure = bool(meeting.sure[table])
    evidence: dict[str, Any] = {"label": "guaranteed" if sure else "approximate" if approximate else "possible"}
    if segment.profile_only[table]:
        evidence["profile_only"] = True
    if segment.is_hidden(table):
        evidence["hidden"] = True
    return Hit(segment.names[table], (), float(meeting.degree[table]), sure, evidence, (0.0,) if sure else (1.0,))


def judged(asker: Asker, expression: Expression, table: str) -> list[dict[str, Any]]:
    """What each leaf of a condition shows of the columns of a table, including those that rule it out."""
    judgements = []
    for leaf in dict.fromkeys(expression.leaves()):
        search = LeafSearch(asker, leaf)
        for part in search.parts:
            number = bisect_left(part.segment.names, table)
            if number < part.segment.table_count and part.segment.names[number] == table and part.live[number]:
                hits = search.kind.explain(part, search.probe, search.kind.inspect(part, search.probe, number))
                judgements += [{"column": ", ".join(hit.columns), **each} for hit in hits for each in _parts(leaf, hit)]
    return judgements


def _meeting(expression: Expression, place: int, leaves: Leaves) -> Meeting:
    if isinstance(expression, Not):
        part = _meeting(expression.part, place, leaves)
        return Meeting(np.where(part.sure, 0.0, 1.0 - part.degree), ~part.sure, ~part.may)  # 1 - NaN is NaN
    if isinstance(expression, And | Or):
        parts = [_meeting(part, place, leaves) for part in expression.parts]
        return reduce(_and if isinstance(expression, And) else _or, parts)
    return leaves[expression].meeting(place)  # type: ignore[index]


def _and(left: Meeting, right: Meeting) -> Meeting:
    """If the degree of one is not known, that of both is not."""
    may = left.may & right.may
    return Meeting(np.where(may, np.minimum(left.degree, right.degree), 0.0), may, left.sure & right.sure)


def _or(left: Meeting, right: Meeting) -> Meeting:
    """As good as the better one whose degree is known."""
    may = left.may | right.may
    known = np.fmax(*(np.where(each.may, each.degree, np.nan) for each in (left, right)))
    return Meeting(np.where(may, known, 0.0), may, left.sure | right.sure)


def _affirmed(expression: Expression, negated: bool = False) -> list[Leaf]:
    """The leaves that a table has to meet, without those under a `not`; each once."""
    if isinstance(expression, Not):
        return _affirmed(expression.part, not negated)
    if isinstance(expression, And | Or):
        return list(dict.fromkeys(leaf for part in expression.parts for leaf in _affirmed(part, negated)))
    return [] if negated else list(expression.leaves())


def _explained(asker: Asker, hit: Hit, place: int, leaves: Leaves, affirmed: Sequence[Leaf]) -> Hit:
    """A hit with the columns that meet the leaves, the best of each first, and their evidence; of leaves under a `not`
    only what is not known."""
    reasons: list[dict[str, Any]] = []
    columns: list[str] = []
    table = bisect_left(asker.opened.segments[place].names, hit.table)
    for leaf, search in leaves.items():
        if leaf not in affirmed and not search.is_unknown(place, table):
            continue
        hits, further = search.reasons(place, table)
        if leaf not in affirmed:
            hits = [_possible(reason) for reason in hits if reason.evidence.get("label") != "guaranteed"]
            further = []
        reasons += [_reason(search.kind, reason, each) for reason in hits for each in _parts(leaf, reason)]
        reasons += [{"condition": str(leaf), "columns": further}] if further else []
        if leaf.names_columns and leaf in affirmed:
            columns += [*(column for reason in hits for column in reason.columns), *further]
    evidence = {**hit.evidence, "reasons": reasons}
    return replace(hit, columns=tuple(dict.fromkeys(columns)), evidence=evidence)


def _possible(reason: Hit) -> Hit:
    return replace(reason, evidence={"label": "possible", **reason.evidence})


def _parts(leaf: Leaf, hit: Hit) -> list[dict[str, Any]]:
    """The evidence of a leaf with its condition; of several predicates of the same column, that of each."""
    evidence = {"condition": str(leaf), **hit.evidence}
    several = evidence.pop("predicates", [{}])
    return [{**evidence, **each} for each in several]


def _reason(kind: Kind, hit: Hit, evidence: dict[str, Any]) -> dict[str, Any]:
    """The main fields of the evidence, and what is drawn of it."""
    names = dict.fromkeys([*(field.keys[0] for field in kind.fields), *_BESIDE])
    main = {name: evidence[name] for name in names if name in evidence}
    return {"condition": evidence["condition"], "columns": list(hit.columns), **main}


def _label_cell(hit: Hit) -> Cell:
    return hit.evidence["label"] + (", profile only" if hit.evidence.get("profile_only") else "")


def _histogram_cell(hit: Hit) -> Cell:
    """The histograms of the columns that meet the conditions, the best of each first."""
    pictures = (picture_of(reason) for reason in hit.evidence["reasons"])
    return tuple(picture for picture in pictures if isinstance(picture, Picture))


def _why_cell(hit: Hit) -> Cell:
    """Each condition with what its best column shows."""
    first = {reason["condition"]: reason for reason in reversed(hit.evidence["reasons"])}
    return "; ".join(f"{condition}: {_bounds(reason)}" for condition, reason in reversed(first.items()))


def _bounds(reason: dict[str, Any]) -> str:
    if "reason" in reason:
        return f"not known ({reason['reason']})"
    return range_of(reason["fraction"]) if "fraction" in reason else "yes"


FIELDS = (
    Field("label", "string", "guaranteed or possible; approximate if the mode is, and it is not guaranteed"),
    Field("reasons", "json", "per condition: the columns that meet it, with their evidence"),
)
SHOWN = (
    Shown("score", lambda hit: marked_number(hit, hit.score), right=True),
    Shown("label", _label_cell, whole=True),
    TABLE,
    COLUMNS,
    Shown("histogram", _histogram_cell, whole=True),
    Shown("why", _why_cell, width=100, below=True),
)
