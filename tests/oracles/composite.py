"""The same question, answered straight from its definition: every mapping of columns, every row, as sets of tuples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

import pyarrow as pa

from mere.answers import Hit, best
from mere.segments import Facts, Table, digest, summarise
from mere.values import Type

_NUMBERS = (Type.INTEGER, Type.DECIMAL)


def brute(query: Mapping[str, Any], tables: Sequence[Table]) -> list[Hit]:
    """The best k tables by the distinct keys they hold, each with its best mapping of columns (equation 2)."""
    cells = [pa.array([None if cell is None else str(cell) for cell in one], pa.string()) for one in query["columns"]]
    raw = pa.table(cells, names=[str(place) for place in range(len(cells))])
    [asked] = summarise([Facts("query", "", "")], digest([raw]))
    mine = Counter(key for key in zip(*columns_of(asked), strict=True) if None not in key)
    hits = []
    for table in tables:
        if table.facts.name == query.get("skip") or query.get("table") not in (None, table.facts.name):
            continue
        usable = [
            (name, column)
            for name, column, kind in zip(table.columns.names, columns_of(table), table.columns.types, strict=True)
            if query.get("numbers") is not False or kind not in _NUMBERS
        ]
        found = [_hit(table.facts.name, mapping, mine) for mapping in permutations(usable, len(cells))]
        least = (query.get("threshold") or 0.0) * len(mine)
        enough = [hit for hit in found if hit.score >= max(least, 1)]
        hits += sorted(enough, key=lambda hit: (-hit.score, _names_in_order(query.get("on") or (), hit)))[:1]
    return best(hits, query.get("k", 10))


def _names_in_order(mine: Sequence[str], hit: Hit) -> list[tuple[bool, str]]:
    """What orders equally good mappings: columns that are named like mine, in whatever case, then all by name."""
    named = [[name, name.lower(), name.upper(), name.title()] for name in mine] or [[] for _ in hit.columns]
    return [(name not in spelled, name) for name, spelled in zip(hit.columns, named, strict=True)]


def columns_of(table: Table) -> list[list[str | None]]:
    """The rows of each column, as values."""
    values, starts = table.sets.values.tolist(), table.sets.starts
    cells = b"".join(data.tobytes() for data in table.cells.data)
    columns = []
    for column, width in enumerate(table.cells.widths.tolist()):
        stretch = cells[table.cells.starts[column] : table.cells.starts[column + 1]]
        codes = [int.from_bytes(stretch[i : i + width], "little") for i in range(0, len(stretch), width)]
        columns.append([values[starts[column] + code - 1] if code else None for code in codes])
    return columns


def _hit(table: str, mapping: Sequence[tuple[str, list[str | None]]], mine: Counter[tuple[str | None, ...]]) -> Hit:
    names, columns = zip(*mapping, strict=True)
    theirs = Counter(key for key in zip(*columns, strict=True) if key in mine)
    rows = sum(theirs.values())
    evidence: dict[str, Any] = {"matched_keys": len(theirs), "share": len(theirs) / max(1, len(mine)), "rows": rows}
    if theirs:
        evidence["fan_out"] = {
            "rows": sum(mine[key] * count for key, count in theirs.items()),
            "left": sum(mine[key] for key in theirs) / len(theirs),
            "right": rows / len(theirs),
            "left_max": max(mine[key] for key in theirs),
            "right_max": max(theirs.values()),
            "shape": "-to-".join("one" if max(side[key] for key in theirs) == 1 else "many" for side in (mine, theirs)),
        }
    return Hit(table, names, len(theirs), True, evidence)
