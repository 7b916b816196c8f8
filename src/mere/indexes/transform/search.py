"""Which candidates of one segment join with mine after a transformation?"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mere.answers import Found, Hit
from mere.indexes.kind import Part
from mere.indexes.sets.eligible_columns import EligibleColumns, eligible_columns, hits_among
from mere.indexes.sets.evidence import column_of
from mere.indexes.sets.question import Question
from mere.indexes.transform.learning import learnt, paired
from mere.indexes.transform.rules import rules_to_dicts
from mere.store import Strings
from mere.transform import Rule


def hits_of(part: Part, probe: Mapping[str, Any], bound: float) -> Found:
    """The columns, or tables, of the part that a program joins with the needed number of the query's values.

    The time of a question is divided among the segments by their numbers of candidates.
    """
    eligible, size = eligible_columns(part, probe), len(probe["hashes"])
    sets = _candidate_sets(part, probe, eligible)
    deadline = time.monotonic() + probe["seconds"] * len(sets) / max(1, len(probe["candidates"]))
    need = max(probe["need"], math.ceil(bound * size - 1e-6))
    rules: dict[int, tuple[Rule, ...]] = {}
    counts: dict[int, int] = {}
    tried = 0
    for number in sets:
        if tried and time.monotonic() > deadline:
            break
        tried += 1
        rules[number], count = matched_by(part, probe, number, max(0.01, deadline - time.monotonic()))
        if count >= need:
            counts[number] = count
    chosen = np.array(list(counts), np.uint32)
    scores = np.array(list(counts.values()), np.float64) / max(1, size)
    hits = [_with_rules(part, hit, rules) for hit in hits_among(part, eligible, (chosen, scores), probe, exact=False)]
    return Found(hits, _notes(len(sets) - tried, probe["seconds"]))


def matched_by(part: Part, probe: Mapping[str, Any], number: int, seconds: float) -> tuple[tuple[Rule, ...], int]:
    """The rules for a set of the part, and how many of my values they match."""
    mine, theirs = Question.of(probe).values, values_of(part, number)
    rules = learnt(mine, theirs, seconds)
    return rules, paired(rules, mine.tolist(), theirs.tolist()).count() if rules else 0


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


def _with_rules(part: Part, hit: Hit, rules: Mapping[int, tuple[Rule, ...]]) -> Hit:
    """A hit with the rules that made it, for its evidence."""
    number = int(part.arrays["set.of_column"][column_of(part.segment, hit.table, hit.columns[0])])
    return replace(hit, evidence={"rules": rules_to_dicts(rules[number])})


def _notes(untried: int, seconds: float) -> list[str]:
    if untried == 0:
        return []
    columns = "1 likely column was" if untried == 1 else f"{untried} likely columns were"
    return [f"{columns} not tried, because seconds={seconds:g} were over"]
