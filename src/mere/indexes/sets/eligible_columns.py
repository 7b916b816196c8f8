"""Which columns can be hits of a question about one column, and which of them are the best?

A part that compares sets stores, for each distinct set, the columns that have it (`column.starts`, `columns`).  Those
of live tables and of the right type are eligible; with one row per table, the table's best column counts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np

from mere.answers import Hit
from mere.compiled import read_only
from mere.indexes.kind import Part
from mere.indexes.sets.codes import coincident
from mere.indexes.sets.duplicate_sets import is_numeric
from mere.ranking import Mine, column_scores, column_signals, usual_model
from mere.store import offsets_of, places_of, sums_of


@dataclass(frozen=True, eq=False)
class EligibleColumns:
    """The columns that can be hits, set by set."""

    starts: np.ndarray  # int64, sets + 1
    columns: np.ndarray  # uint32
    tables: np.ndarray  # uint32: the table of each of these columns

    def owners(self, per: str) -> np.ndarray:
        """What `k` counts: the tables, or the columns themselves."""
        return self.tables if per == "table" else self.columns


def eligible_columns(part: Part, probe: Mapping[str, Any]) -> EligibleColumns:
    """The eligible columns of the part; kept in its memo unless the question names a table."""
    if (digits := probe.get("code_digits")) is not None:
        return _without_coincidences(part, _eligible(part, probe["numbers"], None, probe["skip"]), probe, digits)
    if probe["table"] is not None or probe["skip"] is not None:
        return _eligible(part, probe["numbers"], probe["table"], probe["skip"])
    key = f"eligible columns, numbers {probe['numbers']}"
    if key not in part.memo:
        part.memo[key] = _eligible(part, probe["numbers"], None, None)
    return part.memo[key]


def _eligible(part: Part, numbers: bool, only: str | None, skip: str | None) -> EligibleColumns:
    segment = part.segment
    may = tables_meant(part, only, skip)
    columns = part.arrays["columns"]
    tables = segment.table_of_column[columns].astype(np.uint32)
    chosen = may[tables]
    if not numbers:
        chosen &= ~is_numeric(segment.catalog["column.types"][columns])
    starts = offsets_of(sums_of(chosen.astype(np.int64), part.arrays["column.starts"]))
    return EligibleColumns(read_only(starts), read_only(columns[chosen]), read_only(tables[chosen]))


def _without_coincidences(
    part: Part, eligible: EligibleColumns, probe: Mapping[str, Any], digits: int
) -> EligibleColumns:
    """Those that may answer a question of codes of so many digits."""
    kept = ~coincident(part.segment, eligible.columns, len(probe["hashes"]), digits)
    starts = offsets_of(sums_of(kept.astype(np.int64), eligible.starts))
    return EligibleColumns(read_only(starts), read_only(eligible.columns[kept]), read_only(eligible.tables[kept]))


def tables_meant(part: Part, only: str | None, skip: str | None) -> np.ndarray:
    """Which tables can be hits: the live ones, or one of them, or all but one."""
    may = part.live.copy()
    if only is not None:
        may &= _named(part.segment.names, only)
    if skip is not None:
        may &= ~_named(part.segment.names, skip)
    return may


def _named(names: list[str], name: str) -> np.ndarray:
    mask = np.zeros(len(names), bool)
    place = bisect_left(names, name)
    mask[place : place + 1] = names[place : place + 1] == [name]
    return mask


def hits_among(
    part: Part,
    eligible: EligibleColumns,
    scored: tuple[np.ndarray, np.ndarray],
    probe: Mapping[str, Any],
    exact: bool = True,
) -> Iterator[Hit]:
    """The best k hits (0: all) among columns with these sets and scores; a few more where column names break ties.

    Ties are broken first by the score of the columns (`mere.ranking`), or, with ties by `keys`, by fewer rows per value
    and then by fewer values; and then by name.
    """
    sets, scores = scored
    if len(sets) == 0:
        return
    sizes = eligible.starts[sets + np.uint32(1)] - eligible.starts[sets]
    places = places_of(eligible.starts[sets], sizes)
    columns, tables, score = eligible.columns[places], eligible.tables[places], np.repeat(scores, sizes)
    k, by_name = probe["k"], probe["ties"] == "name"
    if k and by_name and len(score) > 8 * k:
        chosen = _without_lost_ties(score, tables, k)
        columns, tables, score = columns[chosen], tables[chosen], score[chosen]
    ties = [] if by_name else _ties(part, columns, score, probe)
    order = np.lexsort((tables, *ties[::-1], -score.astype(np.float64)))
    tied = zip(*(side[order].tolist() for side in ties), strict=True) if ties else repeat(())
    ranked = zip(columns[order].tolist(), tables[order].tolist(), score[order].tolist(), tied, strict=False)
    yield from (_columns_of if probe["per"] == "column" else _tables_of)(part, ranked, k, exact)


Ranked = Iterable[tuple[int, int, float, tuple[float, ...]]]  # column, table, score, tie


def _columns_of(part: Part, ranked: Ranked, k: int, exact: bool) -> Iterator[Hit]:
    last = None
    for number, (column, table, score, tie) in enumerate(ranked, 1):
        if k and number > k and (table, score, tie) != last:
            return
        last = (table, score, tie)
        yield Hit(part.segment.names[table], (part.segment.column_name(column),), float(score), exact, tie=tie)


def _tables_of(part: Part, ranked: Ranked, k: int, exact: bool) -> Iterator[Hit]:
    """One hit per table: its best column, of equals the first by name."""
    best: dict[int, Hit] = {}
    for column, table, score, tie in ranked:
        if table not in best and k and len(best) == k:
            break
        if table not in best or (best[table].score, best[table].tie) == (score, tie):
            hit = Hit(part.segment.names[table], (part.segment.column_name(column),), float(score), exact, tie=tie)
            best[table] = min(hit, best.get(table, hit), key=lambda other: other.columns)
    yield from best.values()


def _ties(part: Part, columns: np.ndarray, score: np.ndarray, probe: Mapping[str, Any]) -> list[np.ndarray]:
    """What orders columns of equal score, the smaller first."""
    if probe["ties"] == "keys":
        return [side[columns] for side in _crowding(part)]
    signals = column_signals(part.segment, columns.astype(np.int64), Mine.of(probe))
    return [-column_scores(signals, usual_model())]


def _crowding(part: Part) -> tuple[np.ndarray, np.ndarray]:
    """Of every column of the segment: rows per distinct value, and distinct values."""
    if "crowding" not in part.memo:
        segment = part.segment
        distinct = np.diff(segment.values["set.starts"])
        rows = segment.catalog["table.rows"][segment.table_of_column] - segment.catalog["column.nulls"]
        part.memo["crowding"] = (rows / np.maximum(distinct, 1), distinct.astype(np.float64))
    return part.memo["crowding"]


def _without_lost_ties(score: np.ndarray, tables: np.ndarray, k: int) -> np.ndarray:
    """Which columns to keep: of those with the lowest score, only columns of the first k tables can be among the best.

    Tables are numbered in the order of their names.

    >>> _without_lost_ties(np.array([2, 1, 1, 1]), np.array([7, 5, 3, 4]), 2)
    array([ True, False,  True,  True])
    """
    lowest = score == score.min()
    tied = np.flatnonzero(np.bincount(tables[lowest]))
    return ~lowest | (tables <= tied[:k][-1])
