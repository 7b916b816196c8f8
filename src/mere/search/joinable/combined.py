"""Which of my columns together join with a table, where one alone matches too many rows?

A combination is worth a question of `composite` if each of its columns matches, alone, in the same tables, in
different columns of them, and if together they are more distinct in my table than any of them alone.  (A code and a
name of the same thing are not.)  Combinations are ranked by the scores that their columns reach alone, table by table,
of which the lowest counts; at most `MOST` are asked.  One of the columns must say something:
of numbers, years and letters alone, all combinations occur somewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from mere.answers import Hit
from mere.indexes import KINDS
from mere.indexes.kind import Part, Probe, explained
from mere.ranking import SIGNALS, UNITS, Model, scores
from mere.search.joinable.joins import Join
from mere.search.joinable.singles import Asked, Candidates

if TYPE_CHECKING:
    from mere.search.asking.ask import Asker
    from mere.search.given import WholeTable

COMPOSITE = "composite"
MOST = 6  # combinations that are asked...
_WIDER = 2  # ...of which as many have three columns
_TRIED = 24  # the best ones of each width, whose distinct rows are counted
_TABLES = 20  # hits of each
_COLUMNS = 16  # of mine that are combined: 120 pairs
_LEAST_ROWS = 0.3  # of my rows that a column must match alone
_MORE = 1.05  # times as many distinct combinations as the most distinct column has values
_SAMPLE = 50_000  # rows in which combinations are counted
_UNIT = 1_000_000  # scores are added as whole numbers, in any order

Places = tuple[int, ...]  # of my columns
_OF_ALL = ("folder", "brings", "alike")  # signals that are the same for all columns of a table
_LOWEST = ("trivial", "running", "size", "two_keys")  # one column that says something is enough
_MEANS = (
    "header", "same_header", "named_table", "key_name", "my_table", "filled", "first", "uneven", "other_type",
    "unsupported",
)  # fmt: skip


def promising(found: Sequence[Sequence[Candidates]], model: Model, mine: WholeTable) -> list[Places]:
    """The combinations to ask, the best first; `found` has the candidates of each of my columns."""
    alone = {each[0].asked.place: _by_table(each, model) for each in found if each}
    telling = {each[0].asked.place for each in found if each and not each[0].asked.accident}
    telling -= {each[0].asked.place for each in found if each and each[0].asked.mine.numeric}
    chosen = sorted(sorted(alone, key=lambda place: (-max(_levels(alone[place]), default=0), place))[:_COLUMNS])

    def best(pool: Iterable[Places], most: int) -> list[Places]:
        told = (places for places in pool if telling.intersection(places))
        worth = ((sum(_together([alone[place] for place in places])), places) for places in told)
        ranked = sorted((-total, places) for total, places in worth if total > 0)[:_TRIED]
        return [places for _, places in ranked if _adds(mine, places)][:most]

    pairs = best(combinations(chosen, 2), MOST)
    wider = best(_extended(pairs, chosen), _WIDER)
    return [*pairs[: MOST - len(wider)], *wider]


_Matches = dict[str, tuple[int, int]]  # by table: the score of its best column, and the column


def _levels(matches: _Matches) -> Iterable[int]:
    return (level for level, _ in matches.values())


def _by_table(found: Sequence[Candidates], model: Model) -> _Matches:
    """The tables that match most of my rows on this column alone."""
    matches: _Matches = {}
    rows = SIGNALS.index("rows")
    for each in found:
        places = np.flatnonzero(each.signals[:, rows] >= _LEAST_ROWS)
        level = np.rint(_UNIT * scores(each.signals[places], model)).astype(np.int64)
        order = np.lexsort((each.columns[places], level))  # the best of each table last
        names = each.segment.names
        for place in order.tolist():
            column = int(each.columns[places[place]])
            matches[names[int(each.tables[places[place]])]] = (int(level[place]), column)
    return matches


def _together(matches: Sequence[_Matches]) -> Iterable[int]:
    """For each table that matches on all of the columns, in different ones of its own, the lowest score."""
    smallest, *others = sorted(matches, key=len)
    for table, first in smallest.items():
        entries = [first, *(other[table] for other in others if table in other)]
        if len(entries) == len(matches) and len({column for _, column in entries}) == len(entries):
            yield min(level for level, _ in entries)


def _extended(pairs: Sequence[Places], places: Sequence[int]) -> list[Places]:
    """The pairs with one more column."""
    return sorted({tuple(sorted((*pair, place))) for pair in pairs for place in places if place not in pair})


def _adds(mine: WholeTable, places: Places) -> bool:
    """Whether the combination is more distinct than each smaller one within it."""
    whole = distinct_keys(mine, places)
    return all(whole >= _MORE * distinct_keys(mine, part) for part in combinations(places, len(places) - 1))


def distinct_keys(mine: WholeTable, places: Places) -> int:
    """How many different combinations my first rows have."""
    codes = [np.asarray(mine.coded(place).codes[:_SAMPLE], np.int64) for place in places]
    complete = np.logical_and.reduce([column > 0 for column in codes])
    keys = np.zeros(int(complete.sum()), np.int64)
    for column in codes:
        _, keys = np.unique(keys * (int(column.max(initial=0)) + 1) + column[complete], return_inverse=True)
    return int(keys.max(initial=-1)) + 1


class Combined:
    """Asks for combinations of my columns."""

    def __init__(self, asker: Asker, model: Model, only: str | None) -> None:
        self._asker, self._model, self._only = asker, model, only
        self._kind = KINDS[COMPOSITE]

    def joins(self, mine: WholeTable, found: Sequence[Sequence[Candidates]], k: int) -> tuple[list[Join], list[str]]:
        """The joins on these columns together, and notes; `found` has the candidates of each of them."""
        from mere.search.asking.ask import merged_search

        places = tuple(each[0].asked.place for each in found)
        parts = [part.for_question() for part in self._asker.parts(self._kind)]
        query = self._asker.query(COMPOSITE, {"frame": mine.key(places), "table": self._only})
        probe = self._kind.plan({**query, "k": k, "per": "table"}, parts)
        merged = merged_search(self._kind, parts, probe, k, "table")
        numbers = {id(part): number for number, part in enumerate(parts)}
        joins = []
        for hit, (_, part) in zip(explained(self._kind, probe, merged.pairs), merged.pairs, strict=True):
            joins.append(self._join(hit, probe, part, [each[numbers[id(part)]] for each in found]))
        return joins, [*probe.get("notes", ()), *merged.notes]

    def _join(self, hit: Hit, probe: Probe, part: Part, found: Sequence[Candidates]) -> Join:
        columns = tuple(part.segment.column_number(hit.table, column) for column in hit.columns)
        rows = [_row(each, column) for each, column in zip(found, columns, strict=True)]
        signals = combined_signals(rows, hit, probe)
        score = float(scores(signals[None, :], self._model)[0])
        bits = [_bits(each, column) for each, column in zip(found, columns, strict=True)]
        asked = [each.asked for each in found]
        tie = (-float(signals[SIGNALS.index("rows")]), *(float(each.place) for each in asked))
        return Join(
            Hit(hit.table, hit.columns, score, hit.exact, hit.evidence, tie), COMPOSITE, probe, part,
            tuple(each.place for each in asked), signals, columns, asked[0].columns / 2 ** sum(bits),
            _accident(asked), asked[0].mine.in_lake,
        )  # fmt: skip


def _place(found: Candidates, column: int) -> int | None:
    places = np.flatnonzero(found.columns == column)
    return int(places[0]) if len(places) else None


def _row(found: Candidates, column: int) -> np.ndarray:
    """The signals of a column alone; zeros if it answers only together with others."""
    place = _place(found, column)
    return np.zeros(len(SIGNALS)) if place is None else found.signals[place]


def _bits(found: Candidates, column: int) -> float:
    """The mean information of the values that a column alone shares."""
    place = _place(found, column)
    return 0.0 if place is None else float(found.matched.units[place] / UNITS / found.matched.values[place])


def _accident(asked: Sequence[Asked]) -> str:
    """What makes matches of all the columns say little; one column that is no accident is enough."""
    accidents = [each.accident for each in asked]
    return " and ".join(dict.fromkeys(accidents)) if all(accidents) else ""


def combined_signals(rows: Sequence[np.ndarray], hit: Hit, probe: Probe) -> np.ndarray:
    """The signals of several columns together: names on average, counts of the keys, information added up."""
    each = {name: np.array([row[place] for row in rows]) for place, name in enumerate(SIGNALS)}
    fan_out, shared = hit.evidence["fan_out"], hit.evidence["shared"]
    known = {name: float(each[name].mean()) for name in _MEANS}
    known |= {name: float(each[name].max()) for name in _OF_ALL}
    known |= {name: float(each[name].min()) for name in _LOWEST}
    bits = 16.0 * float(each["bits"].sum())
    known["bits"] = min(bits / 16.0, 1.0)
    known["all_bits"] = min(float(np.log2(1 + shared * bits)) / 16.0, 1.0)
    known["key"] = float(fan_out["right_max"] == 1)
    known["unique"] = 1.0 / max(fan_out["right"], 1.0)
    known["repeats"] = min(float(np.log2(max(fan_out["right"], 1.0))) / 10.0, 1.0)
    known["values"] = hit.evidence["share"]
    mine = max(int(np.sum(probe["counts"])), 1)
    known["rows"] = fan_out["left"] * shared / mine
    known["my_key"] = len(probe["counts"]) / mine
    return np.array([known[name] for name in SIGNALS])
