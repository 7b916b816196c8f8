"""Which candidates of one segment join with mine after a transformation?"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from mere.answers import Found, Hit
from mere.indexes.kind import Part
from mere.indexes.sets.eligible_columns import EligibleColumns, eligible_columns, hits_among
from mere.indexes.sets.evidence import column_of
from mere.indexes.sets.question import Question
from mere.indexes.transform.agreement import LEAST, agreement_of
from mere.indexes.transform.chance import explained_by_chance
from mere.indexes.transform.learning import learnt, paired
from mere.indexes.transform.rules import RULES, rules_to_dicts
from mere.store import Strings
from mere.transform import Rule

_SHORTEST = 0.01  # seconds for a program
_TOLERANCE = 1e-9  # of scores


class Join(NamedTuple):
    """What was learnt for a set."""

    rules: tuple[Rule, ...]
    score: float


def hits_of(part: Part, probe: Mapping[str, Any], bound: float) -> Found:
    """The columns, or tables, of the part that a program joins with enough of the query's values.

    The time of a question is divided among the segments by their numbers of candidates.
    """
    eligible = eligible_columns(part, probe)
    sets = _candidate_sets(part, probe, eligible)
    deadline = time.monotonic() + probe["seconds"] * len(sets) / max(1, len(probe["candidates"]))
    joins: dict[int, Join] = {}
    tried = 0
    for number in sets:
        if tried and time.monotonic() > deadline:
            break
        tried += 1
        join = _learnt_join(part, probe, number, max(_SHORTEST, deadline - time.monotonic()))
        if join.rules and join.score >= max(probe["share"], bound) - _TOLERANCE:
            joins[number] = join
    scored = np.array(list(joins), np.uint32), np.array([join.score for join in joins.values()])
    hits = [_with_rules(part, hit, joins) for hit in hits_among(part, eligible, scored, probe, exact=False)]
    return Found(hits, _notes(len(sets) - tried, probe["seconds"]))


def _learnt_join(part: Part, probe: Mapping[str, Any], number: int, seconds: float) -> Join:
    """The rules for a set of the part, and its score; no rules if there are none, or if they match by accident."""
    mine, theirs = Question.of(probe).values, values_of(part, number)
    rules = learnt(mine, theirs, seconds)
    if not rules:
        return Join((), 0.0)
    my_list, their_list = mine.tolist(), theirs.tolist()
    agreement = agreement_of(paired(rules, my_list, their_list), mine, theirs, probe)
    if agreement.mean < LEAST or (not agreement.is_complete and explained_by_chance(rules, my_list, their_list)):
        return Join((), 0.0)
    return Join(rules, agreement.score)


def values_of(part: Part, number: int) -> Strings:
    """The values of a set, in the order of hashes."""
    column = part.arrays["columns"][part.arrays["column.starts"][number]]
    return part.segment.dictionary.values.take(part.segment.set_of(column))


def _candidate_sets(part: Part, probe: Mapping[str, Any], eligible: EligibleColumns) -> list[int]:
    """The sets of the part to try, the most likely first."""
    contents = part.arrays["set.contents"]
    is_owned = np.diff(eligible.starts) > 0
    places = {content: place for place, content in enumerate(probe["candidates"].tolist())}
    sets = np.flatnonzero(is_owned & np.isin(contents, probe["candidates"])).tolist()
    return sorted(sets, key=lambda number: (places[int(contents[number])], number))


def _with_rules(part: Part, hit: Hit, joins: Mapping[int, Join]) -> Hit:
    """A hit with the rules that made it, for its evidence."""
    number = int(part.arrays["set.of_column"][column_of(part.segment, hit.table, hit.columns[0])])
    return replace(hit, evidence={RULES: rules_to_dicts(joins[number].rules)})


def _notes(untried: int, seconds: float) -> list[str]:
    if untried == 0:
        return []
    columns = "1 likely column was" if untried == 1 else f"{untried} likely columns were"
    return [f"{columns} not tried, because seconds={seconds:g} were over"]
