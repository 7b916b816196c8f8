"""Which tables meet a condition: predicates on columns and words, composed by and, or, not?

Each leaf is asked of its kind, segment by segment; then tables are combined, as arrays.  Histograms may leave it open
whether a predicate holds, so a leaf says which tables **surely** meet it and which **may**; "not" swaps them: what
surely is not is what may not even be.  The score is fuzzy (Zadeh, 1965): the least of the parts of an "and", the
largest of an "or".  Only of the best tables is it told why.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from dataclasses import replace
from functools import reduce
from typing import Any, NamedTuple, Protocol

import numpy as np

from mere import compiled
from mere.answers import Hit, Hits, best, first_best
from mere.indexes import KINDS
from mere.indexes.distribution.search import columns_of, explained, tables_of, tie_of, unknown
from mere.indexes.kind import Part
from mere.language import And, Expression, Not, Or, Predicate, Words
from mere.search.ask import Asker, check_question, notes_of

_TOLD = 5  # columns a condition of which a hit tells everything; wide tables may have a thousand that meet it


class Meeting(NamedTuple):
    """Per table of a segment: how well it meets a condition (0 where it may not), whether it may, and surely does."""

    degree: np.ndarray
    may: np.ndarray
    sure: np.ndarray


class Leaf(Protocol):
    """One predicate, or some words, put to a lake."""

    notes: list[str]

    def meeting(self, place: int) -> Meeting:
        """Which tables of the segment at a place meet it."""
        ...

    def reasons(self, place: int, table: int) -> tuple[list[Hit], list[str]]:
        """Why a table of that segment meets it: the best hits in it, explained, and the names of further columns."""
        ...


def tables_where(asker: Asker, expression: Expression, k: int) -> Hits:
    """The best k tables (0: all) that may meet the condition."""
    check_question("keywords", k, "table")
    started = time.perf_counter()
    found: list[tuple[Hit, int, int]] = []
    with compiled.interruptible():
        leaves: dict[Predicate | Words, Leaf] = {leaf: _asked(asker, leaf) for leaf in expression.leaves()}
        for place, segment in enumerate(asker.opened.segments):
            met = _meeting(expression, place, leaves)
            tables = np.flatnonzero(met.may & asker.opened.live[place])
            for table in tables[first_best(met.degree[tables], met.sure[tables], k)].tolist():
                sure = bool(met.sure[table])
                label = "guaranteed" if sure else "possible"
                evidence = {"label": label, **({"profile_only": True} if segment.profile_only[table] else {})}
                hit = Hit(segment.names[table], (), float(met.degree[table]), True, evidence, tie_of(sure))
                found.append((hit, place, table))
        kept = {hit.table for hit in best((hit for hit, _, _ in found), k)}
        told = {leaf: leaves[leaf] for leaf in _affirmed(expression)}
        hits = [_explained(hit, place, table, told) for hit, place, table in found if hit.table in kept]
    notes = list(dict.fromkeys(note for leaf in leaves.values() for note in leaf.notes))
    took = (time.perf_counter() - started) * 1000
    return Hits("where", best(hits, k), asker.opened.number, took, asker.searched(), notes)


def judged(asker: Asker, expression: Expression, table: str) -> list[dict[str, Any]]:
    """What the histograms of a table's columns say of each predicate of a condition, those that rule it out as well."""
    found = []
    for part in asker.parts(KINDS["distribution"]):
        number = bisect_left(part.segment.names, table)
        if number < part.segment.table_count and part.segment.names[number] == table and part.live[number]:
            for leaf in dict.fromkeys(expression.leaves()):
                if isinstance(leaf, Predicate):
                    hits = explained(part, leaf, columns_of(part, leaf, number))
                    found += [{"condition": str(leaf), "column": hit.columns[0], **hit.evidence} for hit in hits]
    return found


def _asked(asker: Asker, leaf: Predicate | Words) -> Leaf:
    return _Said(asker, leaf) if isinstance(leaf, Words) else _Spread(asker, leaf)


class _Spread:
    """A predicate."""

    def __init__(self, asker: Asker, predicate: Predicate) -> None:
        self._parts = asker.parts(KINDS["distribution"])
        self._predicate = predicate
        self.notes = unknown(self._parts, predicate)

    def meeting(self, place: int) -> Meeting:
        return Meeting(*tables_of(self._parts[place], self._predicate))

    def reasons(self, place: int, table: int) -> tuple[list[Hit], list[str]]:
        judged = columns_of(self._parts[place], self._predicate, table)
        meeting = [hit for hit in judged if hit.evidence["label"] != "ruled out"]
        told = explained(self._parts[place], self._predicate, meeting[:_TOLD])
        return told, [hit.columns[0] for hit in meeting[_TOLD:]]


class _Said:
    """Some words."""

    def __init__(self, asker: Asker, words: Words) -> None:
        self._kind = KINDS["keywords"]
        self._parts: list[Part] = asker.parts(self._kind)
        self._probe = self._kind.plan({"text": _searched(words.text), "k": 0, "per": "table"}, self._parts)
        self._hits = [{hit.table: hit for hit in self._kind.search(part, self._probe, 0.0)} for part in self._parts]
        self.notes = notes_of(self._probe)

    def meeting(self, place: int) -> Meeting:
        names = self._parts[place].segment.names
        met = np.zeros(len(names), bool)
        met[[bisect_left(names, table) for table in self._hits[place]]] = True
        return Meeting(met.astype(float), met, met)

    def reasons(self, place: int, table: int) -> tuple[list[Hit], list[str]]:
        hit = self._hits[place].get(self._parts[place].segment.names[table])
        return self._kind.explain(self._parts[place], self._probe, [hit]) if hit else [], []


def _searched(text: str) -> str:
    """Words as keyword search takes them: one as it would be typed there, several as a phrase."""
    quoted = text.replace('"', " ")
    return text if len(text.split()) == 1 and '"' not in text and not text.startswith("-") else f'"{quoted}"'


def _meeting(expression: Expression, place: int, leaves: dict[Predicate | Words, Leaf]) -> Meeting:
    if isinstance(expression, Not):
        degree, may, sure = _meeting(expression.part, place, leaves)
        return Meeting(np.where(sure, 0.0, 1.0 - degree), ~sure, ~may)
    if isinstance(expression, And | Or):
        parts = [_meeting(part, place, leaves) for part in expression.parts]
        return reduce(_both if isinstance(expression, And) else _either, parts)
    return leaves[expression].meeting(place)  # type: ignore[index]


def _both(one: Meeting, other: Meeting) -> Meeting:
    return Meeting(np.minimum(one.degree, other.degree), one.may & other.may, one.sure & other.sure)


def _either(one: Meeting, other: Meeting) -> Meeting:
    return Meeting(np.maximum(one.degree, other.degree), one.may | other.may, one.sure | other.sure)


def _affirmed(expression: Expression, turned: bool = False) -> list[Predicate | Words]:
    """The leaves that a table meets, not those that it must not meet; each once."""
    if isinstance(expression, Not):
        return _affirmed(expression.part, not turned)
    if isinstance(expression, And | Or):
        return list(dict.fromkeys(leaf for part in expression.parts for leaf in _affirmed(part, turned)))
    return [] if turned else list(expression.leaves())


def _explained(hit: Hit, place: int, table: int, leaves: dict[Predicate | Words, Leaf]) -> Hit:
    """A hit with the columns that meet the predicates, the best of each first, and what is known of them."""
    reasons: list[dict[str, Any]] = []
    columns: list[str] = []
    for condition, leaf in leaves.items():
        told, others = leaf.reasons(place, table)
        said = {"condition": str(condition)}
        reasons += [{**said, "columns": list(reason.columns), **_reason(reason)} for reason in told]
        reasons += [{**said, "columns": others}] if others else []
        if isinstance(condition, Predicate):
            columns += [*(reason.columns[0] for reason in told), *others]
    evidence = {**hit.evidence, "reasons": reasons}
    return replace(hit, columns=tuple(dict.fromkeys(columns)), evidence=evidence)


def _reason(hit: Hit) -> dict[str, Any]:
    return {
        name: hit.evidence[name]
        for name in ("label", "fraction", "region", "histogram", "terms")
        if name in hit.evidence
    }
