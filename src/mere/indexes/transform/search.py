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
    out_of_time: bool


def hits_of(part: Part, probe: Mapping[str, Any], bound: float) -> Found:
    """The columns, or tables, of the part that a program joins with enough of the query's values.

    The time of a question is divided among the segments by their numbers of candidates.
    """
    eligible = eligible_columns(part, probe)
    sets = _candidate_sets(part, probe, eligible)
    deadline = time.monotonic() + probe["seconds"] * len(sets) / max(1, len(probe["candidates"]))
    joins: dict[int, Join] = {}
    unfinished = len(sets)
    for place, number in enumerate(sets):
        if place and time.monotonic() > deadline:
            break
        join = _learnt_join(part, probe, number, max(_SHORTEST, deadline - time.monotonic()))
        unfinished -= not join.out_of_time
        if join.rules and join.score >= max(probe["share"], bound) - _TOLERANCE:
            joins[number] = join
    scored = np.array(list(joins), np.uint32), np.array([join.score for join in joins.values()])
    hits = [_with_rules(part, hit, joins) for hit in hits_among(part, eligible, scored, probe, exact=False)]
    return Found(hits, _notes(unfinished, probe["seconds"]))


def _learnt_join(part: Part, probe: Mapping[str, Any], number: int, seconds: float) -> Join:
    """The rules for a set of the part, and its score; none if they match by accident, or only equal values."""
    mine, theirs = Question.of(probe).values, values_of(part, number)
    rules, out_of_time = learnt(mine, theirs, seconds, probe["many_to_many"])
    none = Join((), 0.0, out_of_time)
    if not rules:
        return none
    my_list, their_list = mine.tolist(), theirs.tolist()
    pairs = paired(rules, my_list, their_list)
    if probe["table"] is None and all(my_list[one] == their_list[other] for one, other in zip(*pairs, strict=True)):
        return none  # equality is what the other kinds are for
    if not probe["many_to_many"] and all(pairs.pairing(len(mine), len(theirs)).too_many):
        return none
    agreement = agreement_of(pairs, mine, theirs, probe)
    if agreement.mean < LEAST or (not agreement.is_complete and explained_by_chance(rules, my_list, their_list)):
        return none
    return Join(rules, agreement.score, out_of_time)


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
    number = int(part.arrays["set.of_column"][part.segment.column_number(hit.table, hit.columns[0])])
    return replace(hit, evidence={RULES: rules_to_dicts(joins[number].rules)})


def _notes(unfinished: int, seconds: float) -> list[str]:
    """How many columns were not tried, or not to the end."""
    if unfinished == 0:
        return []
    columns = "1 likely column was" if unfinished == 1 else f"{unfinished} likely columns were"
    return [f"{columns} not fully tried, because seconds={seconds:g} were over: more seconds may find more"]
