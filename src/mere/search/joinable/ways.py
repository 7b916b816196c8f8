"""How do the values of a join match, if they are not equal as they are written?

The share of such a join is not one of equal values, and a plain join would find nothing: so the way is the first reason
of the hit, with an example, and its numbers are marked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LOOSE = ("similar", "transform")  # the kinds whose pairs of values are not equal
MARK = "≈"  # before numbers that count such pairs
_LONGEST = 30  # characters of an example


def way_of(kind: str, evidence: Mapping[str, Any]) -> str:
    """How values match, in words; empty if they are equal.

    >>> way_of("similar", {"pairs": [["wien", "wien", 0.0], ["viena", "vienna", 0.1]]})
    'similar spellings, e.g. viena ≈ vienna'
    >>> way_of("overlap", {"codes": {"digits": 5, "examples": [["1001", "01001"]]}})
    'codes: 1001 = 01001 (5 digits)'
    """
    if kind == "similar":
        return _similar(evidence)
    if kind == "transform":
        return _transformed(evidence)
    return _codes(evidence["codes"]) if evidence.get("codes") else ""


def _similar(evidence: Mapping[str, Any]) -> str:
    pairs = [(mine, theirs) for mine, theirs, *_ in evidence.get("pairs", []) if mine != theirs]
    return "similar spellings" + (f", e.g. {' ≈ '.join(map(_short, pairs[0]))}" if pairs else "")


def _transformed(evidence: Mapping[str, Any]) -> str:
    programs = [f"{program['key_text']} = {program['text']}" for program in evidence.get("programs", [])[:1]]
    return ": ".join(["after a transformation", *programs])


def _codes(codes: Mapping[str, Any]) -> str:
    examples = [" = ".join(pair) for pair in codes.get("examples", [])[:1]]
    return f"codes: {examples[0] if examples else 'leading zeros restored'} ({codes['digits']} digits)"


def _short(value: str) -> str:
    return value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"
