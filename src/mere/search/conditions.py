"""Which tables meet a condition: predicates on columns and words, composed by and, or, not?

Each leaf is asked of its kind; then tables are combined.  Histograms may leave it open whether a predicate holds, so a
leaf gives two sets, the tables that **surely** meet it and those that **may**; "not" swaps them: what surely is not is
what may not even be.  The score is fuzzy (Zadeh, 1965): the least of the parts of an "and", the largest of an "or".
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

from mere.answers import Hit, Hits, best
from mere.language import And, Expression, Not, Or, Predicate, Words
from mere.search.ask import Asker, check_question

Tables = dict[str, float]  # with the degree to which each meets the condition


@dataclass(frozen=True)
class Meeting:
    """The tables that may meet a condition, and those of them that surely do."""

    possible: Tables
    sure: frozenset[str]


def tables_where(asker: Asker, expression: Expression, k: int) -> Hits:
    """The best k tables (0: all) that may meet the condition."""
    check_question("keywords", k, "table")
    started = time.perf_counter()
    every = frozenset(_living(asker))
    answers: dict[Predicate | Words, Hits] = {}
    for leaf in expression.leaves():
        if leaf not in answers:
            answers[leaf] = _asked(asker, leaf)
    met = _meeting(expression, every, answers)
    told = {leaf: _by_table(hits) for leaf, hits in answers.items() if leaf in set(_affirmed(expression))}
    hits = [
        Hit(table, _columns(table, told), score, True, _evidence(table, table in met.sure, told))
        for table, score in met.possible.items()
    ]
    notes = list(dict.fromkeys(note for hits_of_leaf in answers.values() for note in hits_of_leaf.notes))
    took = (time.perf_counter() - started) * 1000
    return Hits("where", best(hits, k), asker.opened.number, took, asker.searched(), notes)


def _living(asker: Asker) -> list[str]:
    pairs = zip(asker.opened.segments, asker.opened.live, strict=True)
    return [name for segment, live in pairs for name, lives in zip(segment.names, live, strict=True) if lives]


def _asked(asker: Asker, leaf: Predicate | Words) -> Hits:
    if isinstance(leaf, Words):
        quoted = leaf.text.replace('"', " ")
        return asker.ask("keywords", {"text": f'"{quoted}"'}, 0)
    return asker.ask("distribution", {"predicate": leaf}, 0, "column")


def _meeting(expression: Expression, every: frozenset[str], answers: dict[Any, Hits]) -> Meeting:
    if isinstance(expression, Not):
        inner = _meeting(expression.part, every, answers)
        turned = {table: 1.0 - inner.possible.get(table, 0.0) for table in every - inner.sure}
        return Meeting(turned, every - inner.possible.keys())
    if isinstance(expression, And | Or):
        parts = [_meeting(part, every, answers) for part in expression.parts]
        return reduce(_both if isinstance(expression, And) else _either, parts)
    possible: Tables = {}
    sure = set()
    for hit in answers[expression]:
        degree = 1.0 if isinstance(expression, Words) else hit.score
        possible[hit.table] = max(degree, possible.get(hit.table, 0.0))
        if hit.evidence.get("label", "guaranteed") == "guaranteed":
            sure.add(hit.table)
    return Meeting(possible, frozenset(sure))


def _both(one: Meeting, other: Meeting) -> Meeting:
    shared = one.possible.keys() & other.possible.keys()
    return Meeting({table: min(one.possible[table], other.possible[table]) for table in shared}, one.sure & other.sure)


def _either(one: Meeting, other: Meeting) -> Meeting:
    joined = _merged(one.possible, other.possible, max)
    return Meeting(joined, one.sure | other.sure)


def _merged(one: Tables, other: Tables, better: Callable[[float, float], float]) -> Tables:
    return {table: better(one.get(table, 0.0), other.get(table, 0.0)) for table in one.keys() | other.keys()}


def _affirmed(expression: Expression, turned: bool = False) -> list[Predicate | Words]:
    """The leaves that a table meets, not those that it must not meet."""
    if isinstance(expression, Not):
        return _affirmed(expression.part, not turned)
    if isinstance(expression, And | Or):
        return [leaf for part in expression.parts for leaf in _affirmed(part, turned)]
    return [] if turned else list(expression.leaves())


def _by_table(hits: Hits) -> dict[str, list[Hit]]:
    found: dict[str, list[Hit]] = {}
    for hit in hits:
        found.setdefault(hit.table, []).append(hit)
    return found


def _columns(table: str, told: dict[Any, dict[str, list[Hit]]]) -> tuple[str, ...]:
    """The columns that meet the predicates, each once, the best of each predicate first."""
    named = [hit.columns for leaf, found in told.items() if isinstance(leaf, Predicate) for hit in found.get(table, [])]
    return tuple(dict.fromkeys(column for columns in named for column in columns))


def _evidence(table: str, sure: bool, told: dict[Any, dict[str, list[Hit]]]) -> dict[str, Any]:
    reasons = [
        {"condition": str(leaf), "columns": list(hit.columns), **_reason(hit)}
        for leaf, found in told.items()
        for hit in found.get(table, [])
    ]
    return {"label": "guaranteed" if sure else "possible", "reasons": reasons}


def _reason(hit: Hit) -> dict[str, Any]:
    return {
        name: hit.evidence[name]
        for name in ("label", "fraction", "region", "histogram", "terms")
        if name in hit.evidence
    }
