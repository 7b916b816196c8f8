"""The score of a join, straight from its definition: one column of one table at a time, from its cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log2
from typing import Any

import numpy as np

from mere.ranking.accidents import TRIVIAL, accident_of
from mere.ranking.names import agreement, all_words, folders, plain, table_words, words
from mere.ranking.score import Model, usual_model
from mere.ranking.signals import OF_COLUMNS, SIGNALS
from mere.segments import Table
from mere.store import Strings
from mere.values import Type

_NUMBERS = (Type.INTEGER, Type.DECIMAL)


def tie_of(
    query: Mapping[str, Any], mine: Sequence[str], numeric: bool, table: Table, column: int
) -> tuple[float, ...]:
    """What orders this column among others of equal score; `mine` are my values in the order of their hashes."""
    ties = query.get("ties") or "likely"
    if ties == "name":
        return ()
    start, stop = table.sets.starts[column : column + 2]
    if ties == "keys":
        return int(table.sets.counts[start:stop].sum()) / int(stop - start), int(stop - start)
    known = column_signals(query, mine, numeric, table, column)
    weights = dict(zip(SIGNALS, usual_model().weights.tolist(), strict=True))
    return (-round(sum(weights[name] * known[name] for name in OF_COLUMNS), 6),)


def column_signals(
    query: Mapping[str, Any], mine: Sequence[str], numeric: bool, table: Table, column: int
) -> dict[str, float]:
    """The signals of a column, whichever values match."""
    origin, header = query.get("origin") or ("", ()), table.columns.names[column]
    my_words, name = words(query.get("on") or ""), table.facts.name
    start, stop = table.sets.starts[column : column + 2]
    distinct, filled = int(stop - start), int(table.sets.counts[start:stop].sum())
    identifies = all_words(header) & {"id", "code", "key", "no", "nr", "num", "number", "pk", "fk", "uuid"}
    is_number = table.columns.types[column] in _NUMBERS
    in_lake = query.get("skip") is not None
    folder = _same_way(folders(origin[0]), folders(name)) if in_lake else 0.5
    supports = [
        agreement(my_words, words(header)), agreement(my_words, table_words(name)),
        agreement(words(header), table_words(origin[0])), folder if in_lake else 0.0,
    ]  # fmt: skip
    return {
        "unsupported": 1 - max(supports) if numeric else 0.0,
        "header": agreement(my_words, words(header)),
        "same_header": float(bool(my_words) and plain(header) == plain(query.get("on") or "")),
        "named_table": agreement(my_words, table_words(name)),
        "key_name": float((bool(identifies) and not words(header)) or agreement(words(header), table_words(name)) == 1),
        "my_table": agreement(words(header), table_words(origin[0])),
        "folder": folder,
        "key": float(distinct == table.facts.rows),
        "unique": distinct / filled,
        "repeats": min(log2(filled / distinct) / 10, 1.0),
        "filled": filled / table.facts.rows,
        "first": float(column == 0),
        "running": float(_counts(table, column, distinct)),
        "size": min(len(mine) / distinct, 1.0),
        "uneven": _unevenness(mine, table, column) if numeric and is_number else 0.0,
        "other_type": float(numeric != is_number),
    }


def _same_way(mine: Sequence[str], theirs: Sequence[str]) -> float:
    longest = max(len(mine), len(theirs))
    same = [left == right for left, right in zip(mine, theirs, strict=False)]
    return [*same, False].index(False) / longest if longest else 1.0


def _counts(table: Table, column: int, distinct: int) -> bool:
    low, high = table.columns.low[column], table.columns.high[column]
    return table.columns.types[column] == Type.INTEGER and low in (0, 1) and high - low + 1 == distinct


def _unevenness(mine: Sequence[str], table: Table, column: int) -> float:
    """Twice the mean distance between tenths and the shares of its rows below my deciles."""
    numbers = [number for text in mine[:200] if (number := _number(text)) is not None]
    low, high = float(table.columns.low[column]), float(table.columns.high[column])
    if not numbers or not np.isfinite(low + high):
        return 0.0
    bins = [float(rows) for rows in table.columns.histogram[column]]
    total, width = max(sum(bins), 1.0), ((high - low) or 1.0) / len(bins)
    apart = []
    for tenth in range(1, 10):
        number = float(np.quantile(np.array(numbers), tenth / 10))
        parts = [min(max((number - low) / width - place, 0.0), 1.0) for place in range(len(bins))]
        apart.append(abs(sum(part * rows for part, rows in zip(parts, bins, strict=True)) / total - tenth / 10))
    return min(2 * sum(apart) / 9, 1.0)


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "")) if np.isfinite(float(text.replace(",", ""))) else None
    except ValueError:
        return None


def all_scores(
    query: Mapping[str, Any], mine: Mapping[str, int], numeric: bool, tables: Sequence[Table], model: Model
) -> dict[tuple[str, str], float]:
    """The score of every column of every living table that shares a value with mine; `mine` has the rows of each value.

    Columns of numbers answer only to numbers.
    """
    columns = [(table, c, _set(table, c)) for table in tables for c in range(len(table.columns.names))]
    columns = [(table, c, theirs) for table, c, theirs in columns if theirs]
    accident = accident_of(Strings.of(list(mine)), numeric, sum(mine.values()), query.get("on") or "")
    scored = {}
    for table, c, theirs in columns:
        shared = mine.keys() & theirs
        if not shared or (table.columns.types[c] in _NUMBERS and not numeric) or table.facts.name == query.get("skip"):
            continue
        bits = sum(_bits(sum(value in other for _, _, other in columns), len(columns)) for value in shared)
        known = column_signals(query, list(mine), numeric, table, c)
        known |= {
            "rows": sum(mine[value] for value in shared) / sum(mine.values()),
            "values": len(shared) / len(mine),
            "bits": min(bits / len(shared) / 16, 1.0),
            "all_bits": min(log2(1 + bits) / 16, 1.0),
            "trivial": TRIVIAL[accident],
            "my_key": len(mine) / sum(mine.values()),
            **_brought(query, table),
        }
        names = max(known["header"], known["named_table"], known["my_table"])
        known["two_keys"] = known["key"] * (1 - names) if numeric and known["my_key"] == 1 else 0.0
        total = sum(weight * known[name] for name, weight in zip(SIGNALS, model.weights.tolist(), strict=True))
        scored[table.facts.name, table.columns.names[c]] = 1 / (1 + exp(-total - model.bias))
    return scored


def _set(table: Table, column: int) -> set[str]:
    start, stop = table.sets.starts[column : column + 2]
    return set(table.sets.values.tolist()[start:stop])


def _bits(columns_with: int, columns: int) -> float:
    """To a 256th."""
    return round(256 * log2(columns / columns_with)) / 256


def _brought(query: Mapping[str, Any], table: Table) -> dict[str, float]:
    known = {plain(header) for header in (query.get("origin") or ("", ()))[1]} - {""}
    headers = {plain(header) for header in table.columns.names} - {""}
    new = max(len(table.columns.names) - max(len(known & headers), 1), 0)
    return {"brings": min(log2(1 + new) / 6, 1.0), "alike": len(known & headers) / max(len(headers), 1)}
