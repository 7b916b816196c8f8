"""The same question, answered straight from its definition: every column signed and banded one by one.

Shares with the index the hash functions, the size classes and the table of bands and rows, for these are the
definition; nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pyarrow as pa

from mere.answers import Hit, best
from mere.indexes.containment.records import HASHES, MULTIPLIERS, SUMMANDS
from mere.indexes.containment.tuning import CLASSES, RATIOS, best_shapes
from mere.segments import Facts, Table, digest, summarise
from mere.values import Type, hash_values
from tests.oracles.ranking import tie_of

_NUMBERS = (Type.INTEGER, Type.DECIMAL)


def brute(query: Mapping[str, Any], tables: Sequence[Table], settings: Mapping[str, Any]) -> list[Hit]:
    """The best k columns, or tables, that reach the threshold and whose signatures say so, in order."""
    cells = pa.array([None if cell is None else str(cell) for cell in query["values"]], pa.string())
    [asked] = summarise([Facts("query", "", "")], digest([pa.table({"query": cells})]))
    in_order = asked.sets.values.tolist()
    mine, numeric = frozenset(in_order), asked.columns.types[0] in _NUMBERS
    numbers = query.get("numbers")
    numbers = numeric if numbers is None else numbers
    hits = []
    for table in tables:
        if table.facts.name == query.get("skip") or query.get("table") not in (None, table.facts.name):
            continue
        found = []
        values, starts = table.sets.values.tolist(), table.sets.starts
        for c, name in enumerate(table.columns.names):
            theirs = frozenset(values[starts[c] : starts[c + 1]])
            may = table.columns.types[c] not in _NUMBERS or (numbers and settings.get("join_numbers", True))
            if may and mine and theirs and _is_candidate(mine, theirs, query["threshold"]):
                score = _score(mine, theirs, query.get("verify", True))
                tie = tie_of(query, in_order, numeric, table, c)
                if score >= query["threshold"]:
                    found.append(Hit(table.facts.name, (name,), score, query.get("verify", True), tie=tie))
        hits += found if query.get("per") == "column" else best(found, 1)
    return best(hits, query.get("k", 10))


@cache
def signature(values: frozenset[str]) -> list[int]:
    """The smallest hash under each function."""
    hashes = [int(h) for h in hash_values(pa.array(sorted(values)))]
    pairs = zip(MULTIPLIERS.tolist(), SUMMANDS.tolist(), strict=True)
    return [_scatter(min((a * h + b) % 2**64 >> 32 for h in hashes)) for a, b in pairs]


def _scatter(x: int) -> int:
    x = (x ^ x >> 16) * 0x85EBCA6B % 2**32
    x = (x ^ x >> 13) * 0xC2B2AE35 % 2**32
    return x ^ x >> 16


def _is_candidate(mine: frozenset[str], theirs: frozenset[str], threshold: float) -> bool:
    if len(theirs) < threshold * len(mine) * (1 - 1e-9):
        return False
    upper = min(int(u) for u in CLASSES if u >= len(theirs))
    ratio = min([i for i, r in enumerate(RATIOS) if r >= upper / len(mine) * (1 - 1e-9)] or [len(RATIOS) - 1])
    bands, rows = best_shapes()[ratio, max(int(threshold * 100 + 1e-9), 1) - 1].tolist()
    one, other = signature(mine), signature(theirs)
    banded = any(one[b * rows : (b + 1) * rows] == other[b * rows : (b + 1) * rows] for b in range(bands))
    p, n, z = _agreement(mine, theirs), HASHES, 1.5
    high = (p + z**2 / (2 * n) + z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))) / (1 + z**2 / n)
    return banded and _containment(mine, theirs, high) >= threshold


def _score(mine: frozenset[str], theirs: frozenset[str], verify: bool) -> float:
    return len(mine & theirs) / len(mine) if verify else _containment(mine, theirs, _agreement(mine, theirs))


def _agreement(mine: frozenset[str], theirs: frozenset[str]) -> float:
    return sum(a == b for a, b in zip(signature(mine), signature(theirs), strict=True)) / HASHES


def _containment(mine: frozenset[str], theirs: frozenset[str], similarity: float) -> float:
    estimate = (len(theirs) / len(mine) + 1) * similarity / (1 + similarity)
    return min(estimate, len(theirs) / len(mine), 1.0)
