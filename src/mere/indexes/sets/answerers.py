"""Who may answer a question about one column, and which of them are among the best?

A part that compares sets keeps, for each distinct set, the columns that hold it (`column.starts`, `columns`).  Of
these, the living ones of the right type may answer; one row per table takes the table's best column.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from mere.answers import Hit
from mere.indexes.kind import Part
from mere.indexes.sets.twins import is_numeric
from mere.store import offsets_of, places_of, sums_of


@dataclass(frozen=True, eq=False)
class Answerers:
    """The columns that may answer, set by set."""

    starts: np.ndarray  # int64, sets + 1
    columns: np.ndarray  # uint32
    tables: np.ndarray  # uint32: the table of each of these columns

    def owners(self, per: str) -> np.ndarray:
        """Whom `k` counts: the tables, or the columns themselves."""
        return self.tables if per == "table" else self.columns


def answerers_of(part: Part, probe: Mapping[str, Any]) -> Answerers:
    """Those of the part who may answer this question; kept in its memo unless the question names a table."""
    if probe["table"] is not None or probe["skip"] is not None:
        return _answerers(part, probe["numbers"], probe["table"], probe["skip"])
    key = f"answerers, numbers {probe['numbers']}"
    if key not in part.memo:
        part.memo[key] = _answerers(part, probe["numbers"], None, None)
    return part.memo[key]


def _answerers(part: Part, numbers: bool, only: str | None, skip: str | None) -> Answerers:
    segment = part.segment
    may = part.live.copy()
    if only is not None:
        may &= _named(segment.names, only)
    if skip is not None:
        may &= ~_named(segment.names, skip)
    columns = part.arrays["columns"]
    tables = segment.table_of_column[columns].astype(np.uint32)
    chosen = may[tables]
    if not numbers:
        chosen &= ~is_numeric(segment.catalog["column.types"][columns])
    starts = offsets_of(sums_of(chosen.astype(np.int64), part.arrays["column.starts"]))
    return Answerers(starts, columns[chosen], tables[chosen])


def _named(names: list[str], name: str) -> np.ndarray:
    found = np.zeros(len(names), bool)
    place = bisect_left(names, name)
    found[place : place + 1] = names[place : place + 1] == [name]
    return found


def hits_among(
    part: Part, answerers: Answerers, sets: np.ndarray, scores: np.ndarray, probe: Mapping[str, Any], exact: bool = True
) -> Iterator[Hit]:
    """The best k hits (0: all) among columns with these sets and scores; a few more where column names break ties.

    Tables are numbered in the order of their names, so ties between them need no names.
    """
    if len(sets) == 0:
        return
    sizes = answerers.starts[sets + np.uint32(1)] - answerers.starts[sets]
    places = places_of(answerers.starts[sets], sizes)
    columns, tables, score = answerers.columns[places], answerers.tables[places], np.repeat(scores, sizes)
    if probe["k"] and len(score) > 8 * probe["k"]:
        chosen = _without_hopeless_ties(score, tables, probe["k"])
        columns, tables, score = columns[chosen], tables[chosen], score[chosen]
    order = np.lexsort((tables, -score.astype(np.float64)))
    ranked = zip(columns[order].tolist(), tables[order].tolist(), score[order].tolist(), strict=True)
    segment, k = part.segment, probe["k"]
    if probe["per"] == "column":
        last = None
        for number, (column, table, value) in zip(count(1), ranked, strict=False):
            if k and number > k and (table, value) != last:
                return
            last = (table, value)
            yield Hit(segment.names[table], (segment.column_name(column),), float(value), exact)
        return
    best: dict[int, tuple[float, str]] = {}
    for column, table, value in ranked:
        if table not in best and k and len(best) == k:
            break
        if table not in best or best[table][0] == value:
            name = segment.column_name(column)
            best[table] = (value, min(name, best[table][1]) if table in best else name)
    for table, (value, name) in best.items():
        yield Hit(segment.names[table], (name,), float(value), exact)


def _without_hopeless_ties(score: np.ndarray, tables: np.ndarray, k: int) -> np.ndarray:
    """Which columns to keep: of those with the lowest score, only columns of the first k tables can be among the best.

    >>> _without_hopeless_ties(np.array([2, 1, 1, 1]), np.array([7, 5, 3, 4]), 2)
    array([ True, False,  True,  True])
    """
    lowest = score == score.min()
    tied = np.flatnonzero(np.bincount(tables[lowest]))
    return ~lowest | (tables <= tied[:k][-1])
