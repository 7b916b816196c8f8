"""How are learnt rules carried from the search to the evidence, and shown?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mere.transform import Program, Rule

RULES = "rules"  # the name under which a search leaves rules for the evidence
_DIRECTIONS = {"left to right": "mine to theirs", "right to left": "theirs to mine"}
_BACK = {shown: direction for direction, shown in _DIRECTIONS.items()}


def rules_to_dicts(rules: Sequence[Rule]) -> list[dict[str, Any]]:
    """Rules as JSON."""
    return [
        {
            "direction": _DIRECTIONS[rule.direction],
            "program": rule.program.to_json(),
            "key": rule.key.to_json(),
        }
        for rule in rules
    ]


def rules_from_dicts(documents: Sequence[Mapping[str, Any]]) -> tuple[Rule, ...]:
    return tuple(
        Rule(
            _BACK[document["direction"]],  # type: ignore[arg-type]
            Program.from_json(document["program"]),
            Program.from_json(document["key"]),
        )
        for document in documents
    )


def shown_rules(rules: Sequence[Rule], mine: str, theirs: str) -> list[dict[str, Any]]:
    """Rules over columns of these names, in words, as Python, as Spark SQL and as JSON."""
    shown = []
    for rule in rules:
        reads_mine = rule.direction == "left to right"
        program = replace(rule.program, columns=(mine if reads_mine else theirs,))
        key = replace(rule.key, columns=(theirs if reads_mine else mine,))
        shown.append(
            {
                "direction": _DIRECTIONS[rule.direction],
                "text": str(program),
                "key_text": str(key),
                "program": program.to_json(),
                "key": key.to_json(),
                "python": program.to_python(),
                "spark_sql": program.to_spark_sql(),
            }
        )
    return shown
