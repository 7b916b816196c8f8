"""The same question, answered straight from its definition: the set of every column, compared with the query's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from mere.answers import Hit, best
from mere.segments import Facts, Table, digest, summarise
from mere.values import Type
from tests.oracles.ranking import tie_of

_NUMBERS = (Type.INTEGER, Type.DECIMAL)


def brute(query: Mapping[str, Any], tables: Sequence[Table], settings: Mapping[str, Any]) -> list[Hit]:
    """The best k columns, or tables, by overlap, in order."""
    cells = pa.array([None if cell is None else str(cell) for cell in query["values"]], pa.string())
    [asked] = summarise([Facts("query", "", "")], digest([pa.table({"query": cells})]))
    [(_, mine, kind)] = columns_of(asked)
    numeric = kind in _NUMBERS
    numbers = query.get("numbers")
    numbers = numeric if numbers is None else numbers
    hits = []
    for table in tables:
        if table.facts.name == query.get("skip") or query.get("table") not in (None, table.facts.name):
            continue
        found = []
        for c, (name, theirs, kind) in enumerate(columns_of(table)):
            may = kind not in _NUMBERS or (numbers and settings.get("join_numbers", True))
            shared = mine.keys() & theirs.keys()
            if may and shared and len(shared) / len(mine) >= (query.get("threshold") or 0.0):
                tie = tie_of(query, list(mine), numeric, table, c)
                found.append(Hit(table.facts.name, (name,), len(shared), True, _evidence(mine, theirs), tie))
        found = with_codes(found, query, table, mine, settings)
        hits += found if query.get("per") == "column" else best(found, 1)
    return best(hits, query.get("k", 10))


def with_codes(
    equal: list[Hit], query: Mapping[str, Any], table: Table, mine: dict[str, int], settings: Mapping[str, Any]
) -> list[Hit]:
    """The hits of a table's columns; where codes with leading zeros match more, those by codes.

    Codes are compared as integers: mine, of equal length, with spellings without a leading zero; or my integers with
    spellings of the length of the longest of mine, or of one digit more.
    """
    digits = [value for value in mine if value.isascii() and value.isdigit()]
    lengths = {len(value) for value in digits}
    is_code = len(digits) >= 3 and len(digits) >= 0.9 * len(mine) and max(lengths) <= 18
    if not query.get("codes") or not is_code:
        return equal
    longest, lost_in = max(lengths), "mine"
    if any(value.startswith("0") and value != "0" for value in digits):
        widths, lost_in = [longest] if len(lengths) == 1 else [], "theirs"
    else:
        widths = [longest, longest + 1] if len(lengths) > 1 else [longest + 1]
    best = (
        {hit.columns: replace(hit, tie=(0.0, *hit.tie)) for hit in equal} if widths else {h.columns: h for h in equal}
    )
    for number, (name, theirs, kind) in enumerate(columns_of(table)):
        is_number = kind in _NUMBERS
        if not theirs or (is_number and (query.get("numbers") is False or not settings.get("join_numbers", True))):
            continue
        low, high = table.columns.low[number], table.columns.high[number]
        running = low in (0, 1) and len(theirs) >= 0.9 * (high - low + 1)
        many = is_number and len(theirs) > 2 * len(mine) and query.get("table") is None
        for width in widths:
            if many and (running or width <= 3):
                continue
            plain = [value for value in theirs if value.isascii() and value.isdigit()]
            spelled = [v for v in plain if (v == str(int(v)) if lost_in == "theirs" else len(v) == width)]
            numbers = {int(value) for value in spelled}
            others = (mine.keys() - set(digits)) & theirs.keys()
            score = sum(int(value) in numbers for value in digits) + len(others)
            tie = (1.0, *((sum(theirs.values()) / len(theirs), len(theirs)) if query.get("ties") == "keys" else ()))
            evidence = {"codes": {"digits": width, "lost_in": lost_in}}
            hit = Hit(table.facts.name, (name,), score, True, evidence, tie)
            enough = score > 0 and score / len(mine) >= (query.get("threshold") or 0.0)
            if enough and (hit.columns not in best or hit.order < best[hit.columns].order):
                best[hit.columns] = hit
    return list(best.values())


def columns_of(table: Table) -> list[tuple[str, dict[str, int], Type]]:
    """Of each column its name, its distinct values with the rows that hold each, and its type."""
    values, starts = table.sets.values.tolist(), table.sets.starts
    return [
        (
            name,
            dict(
                zip(
                    values[starts[c] : starts[c + 1]],
                    table.sets.counts[starts[c] : starts[c + 1]].tolist(),
                    strict=True,
                )
            ),
            Type(int(table.columns.types[c])),
        )
        for c, name in enumerate(table.columns.names)
    ]


def _evidence(mine: dict[str, int], theirs: dict[str, int]) -> dict[str, Any]:
    shared = mine.keys() & theirs.keys()
    return {
        "overlap": len(shared),
        "containment": len(shared) / len(mine),
        "jaccard": len(shared) / len(mine.keys() | theirs.keys()),
        "distinct": len(theirs),
        "fan_out": {
            "rows": sum(mine[value] * theirs[value] for value in shared),
            "left": sum(mine[value] for value in shared) / len(shared),
            "right": sum(theirs[value] for value in shared) / len(shared),
            "left_max": max(mine[value] for value in shared),
            "right_max": max(theirs[value] for value in shared),
            "shape": "-to-".join(
                "one" if max(side[value] for value in shared) == 1 else "many" for side in (mine, theirs)
            ),
        },
    }
