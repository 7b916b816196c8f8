"""Which columns match mine if values are misspelt, or written differently?

Asked only where equal values give no good join, of the few columns of mine that look most like names or keys, and with
a limit of time: `similar` and `transform` cost much more than posting lists.  Their hits are scored as if the pairs of
values were equal, and then lowered: the signals, which reasons are made of, are what was counted.  Rarity is not known
of pairs, so a usual value stands for it.

Codes (`abkh1244`) are no words: how alike two of them are spelled says nothing.  So `similar` is asked with the other
values, if these are most of a column.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mere.answers import Hit
from mere.errors import LakeError
from mere.indexes.inputs import Column, Distinct
from mere.indexes.sets.question import distinct_of
from mere.ranking import SIGNALS, Model, column_signals, scores, table_signals
from mere.search.joinable.joins import Join
from mere.search.joinable.singles import Asked
from mere.values import codes_among

if TYPE_CHECKING:
    from mere.search.asking.ask import Asker

WEAK = 0.5  # the score below which other matches are looked for
_COLUMNS = 2  # of mine
_MOST_VALUES = 5_000  # of a column that is asked
_FEWEST = 3
_HITS = 5  # per column and kind
_SECONDS = 3.0  # of learning programs, per column
_ODDS = 0.5  # how much less likely a join of such pairs is wanted than the same one of equal values
_BITS = 10.0  # of information in a pair of values
_DIGITS = 6  # of a score

QUESTIONS: dict[str, dict[str, Any]] = {"similar": {}, "transform": {"seconds": _SECONDS}}


def loose_joins(
    asker: Asker, columns: Sequence[tuple[Asked, Column]], model: Model, table: str | None
) -> tuple[list[Join], list[str]]:
    """The joins on pairs of values that are not equal, and notes."""
    usable = [pair for pair in columns if _FEWEST <= len(pair[0].question) <= _MOST_VALUES and not pair[0].accident]
    usable.sort(key=lambda pair: (-len(pair[0].question) / max(pair[0].totals.rows, 1), pair[0].place))
    joins: list[Join] = []
    notes: list[str] = []
    for kind, more in QUESTIONS.items():
        for asked, column in usable[:_COLUMNS]:
            given = column if kind != "similar" else words_of(column)
            if given is None:
                continue
            try:
                hits = asker.ask(kind, {"values": given, "table": table, **more}, _HITS)
            except LakeError as error:  # an older lake may lack the kind
                notes.append(f"{error.message}; {error.remedy}")
                break
            notes += [f"{kind}: {note}" for note in hits.notes if note not in asked.probe["notes"]]
            joins += [_join(asker, kind, asked, hit, model) for hit in hits]
    return joins, notes


def words_of(column: Column) -> Column | None:
    """The column without its codes; None if they are most of its values."""
    cells = distinct_of(column.cells)
    words = np.flatnonzero(~codes_among(cells.values.to_arrow()))
    if 2 * len(words) <= len(cells.hashes):
        return None
    kept = (cells.values.take(words), cells.hashes[words], cells.counts[words])
    return replace(column, cells=Distinct(*kept, *cells[3:]))


def _join(asker: Asker, kind: str, asked: Asked, hit: Hit, model: Model) -> Join:
    segments = asker.opened.segments
    number = next(n for n, segment in enumerate(segments) if _has(segment.names, hit.table))
    column = segments[number].column_number(hit.table, hit.columns[0])
    columns = np.array([column])
    of_column = column_signals(segments[number], columns, asked.mine)[0]
    brings, alike = table_signals(segments[number], columns, asked.mine)[0].tolist()
    shared = int(hit.evidence["shared"])
    share = shared / len(asked.question)
    known = dict(zip(SIGNALS, of_column.tolist(), strict=False))
    known |= {"rows": _rows(hit, asked), "values": share, "bits": _BITS / 16, "trivial": asked.totals.trivial}
    known |= {"all_bits": min(float(np.log2(1 + shared * _BITS)) / 16, 1.0), "brings": brings, "alike": alike}
    known |= {"my_key": asked.totals.values / max(asked.totals.rows, 1), "two_keys": 0.0}
    signals = np.array([known[name] for name in SIGNALS])
    score = _lowered(float(scores(signals[None, :], model)[0]))
    evidence = {**hit.evidence, "share": share}
    found = Hit(hit.table, hit.columns, score, hit.exact, evidence, tie=(-share, float(asked.place)))
    return Join(
        found, kind, asked.probe, asked.parts[number], (asked.place,), signals, (column,), asked.columns / 2**_BITS,
        asked.accident, asked.mine.in_lake,
    )  # fmt: skip


def _rows(hit: Hit, asked: Asked) -> float:
    """The share of my rows that have a pair."""
    rows_per_value = hit.evidence["fan_out"]["left"]
    return min(float(rows_per_value * hit.evidence["shared"] / max(asked.totals.rows, 1)), 1.0)


def _lowered(score: float) -> float:
    odds = _ODDS * score
    return round(odds / (odds + 1 - score), _DIGITS)


def _has(names: Sequence[str], name: str) -> bool:
    place = bisect_left(names, name)
    return names[place : place + 1] == [name]
