"""Why is a column a hit: by which program, and which of its values does it pair with mine?

program       the first program in words; `programs` has all of them, with Python, Spark SQL and JSON
direction     whether the program reads my values or the column's
pairs         [my value, the column's value], in the order of my values
column_share  the share of the column's distinct values that have a partner
equal         pairs of equal values
agreement     how much of what is rare in my matched values their partners have, on average
Programs read and write values as the lake compares them: in lower case, with single spaces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mere.answers import Hit, shared_evidence
from mere.indexes.kind import Part
from mere.indexes.sets.comparing import EXAMPLES
from mere.indexes.sets.evidence import fan_out
from mere.indexes.sets.question import Question
from mere.indexes.transform.agreement import agreement_of
from mere.indexes.transform.learning import MINE, Pairs, learnt, paired
from mere.indexes.transform.rules import RULES, rules_from_dicts, shown_rules
from mere.transform import Rule


def explain(part: Part, probe: Mapping[str, Any], hits: list[Hit]) -> list[Hit]:
    """The same hits, each with its program and its pairs; one that was not searched for is learnt now."""
    question = Question.of(probe)
    mine = question.values.tolist()
    explained = []
    for hit in hits:
        column = part.segment.column_number(hit.table, hit.columns[0])
        theirs = part.segment.dictionary.values.take(part.segment.set_of(column))
        known = hit.evidence.get(RULES)
        rules = (
            learnt(question.values, theirs, probe["seconds"], probe["many_to_many"]).rules
            if known is None
            else rules_from_dicts(known)
        )
        pairs = paired(rules, mine, theirs.tolist())
        on = None if probe["on"] is None else [probe["on"]]
        evidence = {
            **shared_evidence(pairs.matched(), len(question), on, hit.columns),
            **_programs(rules, probe["on"] or MINE, hit.columns[0]),
            **_counted(question, pairs, part.segment.counts_of(column).astype(np.int64)),
            "pairs": [[mine[a], theirs[b]] for a, b in zip(pairs.mine.tolist(), pairs.theirs.tolist(), strict=True)],
        }
        evidence["agreement"] = agreement_of(pairs, question.values, theirs, probe).mean
        evidence["equal"] = sum(left == right for left, right in evidence["pairs"])
        explained.append(replace(hit, evidence=evidence))
    return explained


def _programs(rules: tuple[Rule, ...], mine: str, theirs: str) -> dict[str, Any]:
    shown = shown_rules(rules, mine, theirs)
    first = shown[0] if shown else dict.fromkeys(("text", "direction", "python", "spark_sql"))
    return {
        "program": first["text"],
        "direction": first["direction"],
        "python": first["python"],
        "spark_sql": first["spark_sql"],
        "programs": shown,
    }


def _counted(question: Question, pairs: Pairs, rows: np.ndarray) -> dict[str, Any]:
    """What follows from the pairs: what a join does to rows, the share of the column, examples."""
    counts = question.counts.astype(np.int64)
    matched, which = np.unique(pairs.mine, return_inverse=True)
    known = fan_out(counts[matched], np.bincount(which, rows[pairs.theirs], minlength=len(matched)).astype(np.int64))
    if len(matched):
        known["left_max"] = int(np.bincount(pairs.theirs, counts[pairs.mine]).max())
        known["shape"] = "-to-".join("one" if known[side] == 1 else "many" for side in ("left_max", "right_max"))
    is_matched = np.zeros(len(question), bool)
    is_matched[matched] = True
    return {
        "column_share": len(np.unique(pairs.theirs)) / max(1, len(rows)),
        "fan_out": known,
        "matched": _examples(question, is_matched),
        "unmatched": _examples(question, ~is_matched),
    }


def _examples(question: Question, chosen: np.ndarray) -> list[str]:
    return sorted(question.values[place] for place in np.flatnonzero(chosen)[:EXAMPLES].tolist())
