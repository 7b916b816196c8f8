"""The same question, answered straight from its definition: the set of every column, compared with the query's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from mere.answers import Hit, best
from mere.ranking.brute import tie_of
from mere.segments import Facts, Table, digest, summarise
from mere.values import Type

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
        hits += found if query.get("per") == "column" else best(found, 1)
    return best(hits, query.get("k", 10))


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
