"""Which tables of one segment hold the most keys of the question?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mere import compiled
from mere.answers import Found as Answer
from mere.answers import Hit
from mere.compiled import Trial
from mere.indexes.composite.evidence import evidence_trial
from mere.indexes.composite.matches import TableMatch, Wanted, matches_in, ranked
from mere.indexes.composite.numpy import COMPOSITE, Descent, TookTooLong
from mere.indexes.composite.plan import WORK, Question, example_question
from mere.indexes.kind import Part
from mere.indexes.sets.duplicate_sets import is_numeric
from mere.indexes.sets.eligible_columns import tables_meant

_NAMED = 5  # tables, in a note


def found_in(part: Part, probe: Mapping[str, Any], bound: float) -> Answer:
    """The best tables of the part, and which of them were not searched to the end."""
    matches = possible_matches(part, probe, bound)
    return Answer([hit for hit in matches.hits if hit.score >= matches.floor], matches.notes)


class PossibleMatches(NamedTuple):
    """The tables of a part that hold keys: those that reach the floor, and those not searched to the end, which may."""

    hits: list[Hit]
    floor: int
    notes: list[str]


def possible_matches(part: Part, probe: Mapping[str, Any], bound: float) -> PossibleMatches:
    """Every table that reaches the floor, or may reach it."""
    question = Question.of(probe)
    if len(question) == 0:
        return PossibleMatches([], 0, [])
    floor = max(probe["at_least"], math.ceil(bound) if bound > 0 else 0)
    may = tables_meant(part, probe["table"], probe["skip"])[part.segment.table_of_column]
    if not probe["numbers"]:
        may &= ~is_numeric(part.segment.catalog["column.types"])
    hits: list[Hit] = []
    cut: dict[bool, list[str]] = {True: [], False: []}
    for found in _found(part, question, may, probe["k"], floor, probe["mode"]):
        name, reported = part.segment.names[found.table], found.score >= floor
        if not found.sure:
            cut[reported].append(name)
        if reported or not found.sure:
            columns = tuple(part.segment.column_name(column) for column in found.columns)
            hits.append(Hit(name, columns, float(found.score), found.sure))
    return PossibleMatches(hits, floor, list(_notes_on(cut)))


def _notes_on(cut: Mapping[bool, list[str]]) -> Iterator[str]:
    """Notes on tables that were not searched to the end."""
    for reported, outcome in ((True, "their keys are lower bounds"), (False, "they may hold more, and are left out")):
        if names := sorted(cut[reported]):
            more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
            some = ", ".join(f"'{name}'" for name in names[:_NAMED]) + more
            yield f"too many ways to match, in tables: {some}; {outcome}"


def _found(part: Part, question: Question, may: np.ndarray, k: int, floor: int, mode: str) -> Iterator[TableMatch]:
    """The tables that may be among the best k (0: all) with as many keys as the floor."""
    ids, wanted = part.find(question.values, question.hashes), Wanted(may, k, floor)
    if mode != "auto":  # modes named by the question have no NumPy version
        from mere.indexes.composite import modes

        yield from modes.best_tables(mode, part, question, ids, wanted)
        return
    if not compiled.ready(COMPOSITE, lambda: trial(part)):
        try:
            with compiled.time_fallback(COMPOSITE):
                matches = list(Descent(part, question, ids, WORK).best_tables(wanted))
            yield from matches
            return
        except TookTooLong:  # the kernels start from the beginning, and are faster all the same
            compiled.warm([trial(part)])
    yield from compiled_tables(part, question, ids, wanted)


def compiled_tables(part: Part, question: Question, ids: np.ndarray, wanted: Wanted) -> Iterator[TableMatch]:
    """By the compiled descent, which returns now and then so that it can be interrupted."""
    from mere.indexes.composite.descent import Budget, Order, best_tables
    from mere.indexes.composite.kernels import context_of

    context, most = context_of(part, question, ids, wanted)
    tables = ranked(most, wanted.floor)
    order = Order(tables, most[tables])
    top, begin, spent = np.zeros(min(wanted.k, len(tables)), np.int64), 0, 0
    while begin < len(tables):
        answers, begin, spent = best_tables(order, begin, Budget(wanted.floor, WORK, spent), top, context)
        yield from matches_in(answers)


def warm(parts: Sequence[Part]) -> list[Trial]:
    """Compiles what a question in the default mode needs, and the evidence of its hits."""
    from mere.indexes.composite.kernels import stored_of

    by_types = {tuple(array.dtype for array in stored_of(part)): part for part in parts if part.segment.column_count}
    lookups = [part.segment.dictionary.trial() for part in parts[:1]]
    return lookups + [one for part in by_types.values() for one in (trial(part), evidence_trial(part))]


def trial(part: Part) -> Trial:
    """Compiles what a question in the default mode needs, beside the look-up."""
    return Trial(
        COMPOSITE,
        (
            ("known_of, share", lambda: _empty_context(part)),
            ("best_tables", lambda: _open_no_tables(part)),
        ),
    )


def _empty_context(part: Part) -> Any:
    """What a search needs for a key that the part does not have."""
    from mere.indexes.composite.kernels import context_of

    question = example_question(part)
    wanted = Wanted(np.zeros(part.segment.column_count, bool), 1, 1)
    return context_of(part, question, np.full(len(question.hashes), -1), wanted)


def _open_no_tables(part: Part) -> None:
    from mere.indexes.composite.descent import Budget, Order, best_tables

    context, most = _empty_context(part)
    best_tables(Order(ranked(most, 1), most[:0]), 0, Budget(1, WORK, 0), np.zeros(1, np.int64), context)
