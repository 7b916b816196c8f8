"""Which tables of one segment hold the most keys of the question?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mere.answers import Found as Answer
from mere.answers import Hit
from mere.indexes.composite.matches import TableMatch, Wanted, matches_in, ranked
from mere.indexes.composite.numpy import Descent, TookTooLong
from mere.indexes.composite.question import WORK, Question
from mere.indexes.kind import Part
from mere.indexes.sets.duplicate_sets import is_numeric
from mere.indexes.sets.eligible_columns import tables_meant
from mere.store import compiled

_NAMED = 5  # tables, in a note


def found_in(part: Part, probe: Mapping[str, Any], bound: float) -> Answer:
    """The best tables of the part, and which of them were not searched to the end."""
    question = Question.of(probe)
    if len(question) == 0:
        return Answer([], [])
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
        if reported:
            columns = tuple(part.segment.column_name(column) for column in found.columns)
            hits.append(Hit(name, columns, float(found.score), found.sure))
    return Answer(hits, list(_notes_on(cut)))


def _notes_on(cut: Mapping[bool, list[str]]) -> Iterator[str]:
    """Notes on tables that were not searched to the end."""
    for reported, outcome in ((True, "their keys are lower bounds"), (False, "they may hold more, and are left out")):
        if names := sorted(cut[reported]):
            more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
            some = ", ".join(f"'{name}'" for name in names[:_NAMED]) + more
            yield f"too many ways to match, in tables: {some}; {outcome}"


def _found(part: Part, question: Question, may: np.ndarray, k: int, floor: int, mode: str) -> Iterator[TableMatch]:
    """The tables that may be among the best k (0: all) with as many keys as the floor."""
    ids, wanted = part.segment.dictionary.find(question.values, question.hashes), Wanted(may, k, floor)
    if mode == "auto" and not compiled.ready():
        try:
            with compiled.rented():
                matches = list(Descent(part, question, ids, WORK).best_tables(wanted))
            yield from matches
            return
        except TookTooLong:
            pass  # the kernels start again from the beginning, and are faster all the same
    if not compiled.ready():  # the paper's modes exist as kernels only
        compiled.warm()
    if mode == "auto":
        yield from compiled_tables(part, question, ids, wanted)
        return
    from mere.indexes.composite import modes

    yield from modes.best_tables(mode, part, question, ids, wanted)


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
