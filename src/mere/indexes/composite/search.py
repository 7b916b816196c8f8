"""Which tables of one segment hold the most keys of the question?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mere.answers import Hit
from mere.indexes.composite.plain import Descent, Found, Overtime, ranked, turns_of
from mere.indexes.composite.question import WORK, Question
from mere.indexes.composite.stored import stored_of
from mere.indexes.kind import Part
from mere.indexes.sets.duplicate_sets import is_numeric
from mere.indexes.sets.eligible_columns import tables_meant
from mere.store import compiled

_NAMED = 5  # tables, in a note


def hits_of(part: Part, probe: Mapping[str, Any], bound: float) -> Iterator[Hit]:
    """The best tables of the part."""
    question = Question.of(probe)
    if len(question) == 0:
        return
    floor = max(probe["at_least"], math.ceil(bound) if bound > 0 else 0)
    may = tables_meant(part, probe["table"], probe["skip"])[part.segment.table_of_column]
    if not probe["numbers"]:
        may &= ~is_numeric(part.segment.catalog["column.types"])
    cut: dict[bool, list[str]] = {True: [], False: []}
    for found in _found(part, question, may, probe["k"], floor, probe["mode"]):
        name, reported = part.segment.names[found.table], found.score >= floor
        if not found.sure:
            cut[reported].append(name)
        if reported:
            columns = tuple(part.segment.column_name(column) for column in found.columns)
            yield Hit(name, columns, float(found.score), found.sure)
    probe["notes"].extend(_told(cut))


def _told(cut: Mapping[bool, list[str]]) -> Iterator[str]:
    """What there is to say of tables that were not searched to the end."""
    for reported, outcome in ((True, "their keys are lower bounds"), (False, "they may hold more, and are left out")):
        if names := sorted(cut[reported]):
            more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
            some = ", ".join(f"'{name}'" for name in names[:_NAMED]) + more
            yield f"too many ways to match, in tables: {some}; {outcome}"


def _found(part: Part, question: Question, may: np.ndarray, k: int, floor: int, mode: str) -> Iterator[Found]:
    ids = part.segment.dictionary.find(question.values, question.hashes)
    if mode == "auto" and not compiled.ready():
        try:
            with compiled.rented():
                found = list(Descent(part, question, ids, WORK).best_tables(may, k, floor))
            yield from found
            return
        except Overtime:
            pass  # the kernels begin anew, and are soon further
    if not compiled.ready():  # the paper's modes have no twins
        compiled.warm()
    if mode == "auto":
        yield from compiled_tables(part, question, ids, may, k, floor)
        return
    from mere.indexes.composite import modes

    yield from modes.best_tables(mode, stored_of(part), question, ids, may, k, floor)


def compiled_tables(
    part: Part, question: Question, ids: np.ndarray, may: np.ndarray, k: int, floor: int
) -> Iterator[Found]:
    """By the compiled descent; it comes up for air now and then, so that it can be interrupted."""
    from mere.indexes.composite.descent import best_tables
    from mere.indexes.composite.kernels import known_of, share

    stored, tree, weights = stored_of(part), question.tree, question.weights
    known = known_of(ids, tree)
    shared, most = share(known, weights, tree, stored, may, floor)
    order = ranked(most, floor)
    most, turns = most[order], np.array(turns_of(question))
    top, begin, spent = np.zeros(min(k, len(order)), np.int64), 0, 0
    while begin < len(order):
        *several, begin, spent = best_tables(
            order, most, begin, floor, WORK, spent, top, turns, known, weights, tree, stored, shared
        )
        for table, score, sure, columns in zip(*(one.tolist() for one in several), strict=True):
            yield Found(table, score, sure, tuple(columns))
