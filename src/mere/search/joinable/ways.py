"""How do the values of a join match, if they are not equal as they are written?

The share of such a join is not one of equal values, and a plain join would find nothing: so the way is the first reason
of the hit, with an example, and its numbers are marked.  Where some values of two columns are equal, the join is that
on equal values, and how many more match otherwise is said beside it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

LOOSE = ("similar", "transform")  # the kinds whose pairs of values are not equal
MARK = "≈"  # before numbers that count such pairs
_LONGEST = 30  # characters of an example
_EXAMPLES = 3
_ADDED = {"similar": "similar", "transform": "after a transformation"}


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


def pairs_beside(evidence: Mapping[str, Any], named: Collection[str]) -> dict[str, str]:
    """Values of mine that a join on pairs matches with another value, each with one, if they are not named already.

    >>> pairs_beside({"pairs": [["wien", "wien", 0.0], ["viena", "vienna", 0.1], ["1", "01", 0.2]]}, {"1"})
    {'viena': 'vienna'}
    """
    return {mine: theirs for mine, theirs in _unequal(evidence) if mine not in named}


def also_of(kind: str, pairs: Mapping[str, str]) -> dict[str, Any]:
    """What a join on pairs adds to the one on equal values of the same columns."""
    return {"by": kind, "values": len(pairs), "examples": [list(pair) for pair in pairs.items()][:_EXAMPLES]}


def also_text(equal: int, also: Sequence[Mapping[str, Any]]) -> str:
    """How many values are equal, and how many more match otherwise; empty if none do.

    >>> also_text(1329, [{"by": "similar", "values": 932, "examples": [["viena", "vienna"]]}])
    '1,329 equal, 932 similar (viena ≈ vienna)'
    """
    more = [f"{added_text(each)} ({_pair(each['examples'][0])})" for each in also]
    return ", ".join([f"{equal:,} equal", *more]) if more else ""


def added_text(more: Mapping[str, Any]) -> str:
    """
    >>> added_text({"by": "transform", "values": 1})
    '1 after a transformation'
    """
    return f"{more['values']:,} {_ADDED[more['by']]}"


def _similar(evidence: Mapping[str, Any]) -> str:
    pairs = _unequal(evidence)
    return "similar spellings" + (f", e.g. {_pair(pairs[0])}" if pairs else "")


def _unequal(evidence: Mapping[str, Any]) -> list[list[str]]:
    return [[mine, theirs] for mine, theirs, *_ in evidence.get("pairs", []) if mine != theirs]


def _pair(pair: Sequence[str]) -> str:
    return " ≈ ".join(map(_short, pair))


def _transformed(evidence: Mapping[str, Any]) -> str:
    programs = [f"{program['key_text']} = {program['text']}" for program in evidence.get("programs", [])[:1]]
    return ": ".join(["after a transformation", *programs])


def _codes(codes: Mapping[str, Any]) -> str:
    examples = [" = ".join(pair) for pair in codes.get("examples", [])[:1]]
    return f"codes: {examples[0] if examples else 'leading zeros restored'} ({codes['digits']} digits)"


def _short(value: str) -> str:
    return value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"
