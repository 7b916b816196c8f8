"""Which columns of the lake share values with one of mine, and how good is each as a join?

All columns that share anything are counted (`overlap.matches`) and scored at once, so the best are the best of all of
them, not of those with the most values in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from mere.answers import Hit
from mere.indexes import KINDS
from mere.indexes.inputs import Column
from mere.indexes.kind import Part, Probe
from mere.indexes.overlap.matches import columns_with, living_columns, shared_with
from mere.indexes.sets.codes import Recoding, recoded_probes
from mere.indexes.sets.eligible_columns import eligible_columns
from mere.indexes.sets.question import Question
from mere.ranking import (
    TRIVIAL,
    UNITS,
    Matched,
    Mine,
    Model,
    Totals,
    accident_of,
    column_signals,
    information,
    match_signals,
    scores,
    table_signals,
)
from mere.search.joinable.joins import Join
from mere.store import places_of

OVERLAP = "overlap"


@dataclass(frozen=True, eq=False)
class Asked:
    """One of my columns, planned: what is needed of it for every segment."""

    place: int  # among my columns
    name: str
    probe: Probe
    parts: Sequence[Part]
    recoding: Recoding | None = None  # if its codes are asked for in another spelling
    original: Probe | None = None  # the probe in my own spelling, if they are

    @cached_property
    def question(self) -> Question:
        return Question.of(self.probe)

    @cached_property
    def mine(self) -> Mine:
        return replace(Mine.of(self.probe), recoded=self.recoding is not None)

    @cached_property
    def ids(self) -> list[np.ndarray]:
        """The ids of my values in each segment."""
        return [part.find(self.question.values, self.question.hashes) for part in self.parts]

    @cached_property
    def columns(self) -> int:
        """Columns of living tables in the lake."""
        return sum(int(living_columns(part).sum()) for part in self.parts)

    @cached_property
    def units(self) -> np.ndarray:
        """The information of each of my values."""
        counts = np.zeros(len(self.question), np.int64)
        for part, ids in zip(self.parts, self.ids, strict=True):
            counts += columns_with(part, ids)
        return information(counts, self.columns)

    @cached_property
    def accident(self) -> str:
        """What makes a match say little; of codes, in whichever spelling they are numbers."""
        probes = [self.probe] if self.original is None else [self.probe, self.original]
        return max((_accident(probe) for probe in probes), key=TRIVIAL.__getitem__)

    @cached_property
    def totals(self) -> Totals:
        question = self.question
        return Totals(len(question), int(question.counts.sum()), TRIVIAL[self.accident], self.mine.digits)


def _accident(probe: Probe) -> str:
    question = Question.of(probe)
    mine = Mine.of(probe)
    return accident_of(question.values, mine.numeric, int(question.counts.sum()), mine.header)


@dataclass(frozen=True, eq=False)
class Candidates:
    """The columns of one segment that share values with one of mine."""

    asked: Asked
    part: int
    columns: np.ndarray
    matched: Matched
    signals: np.ndarray

    @property
    def segment(self) -> Any:
        return self.asked.parts[self.part].segment

    @cached_property
    def tables(self) -> np.ndarray:
        return self.segment.table_of_column[self.columns]

    def shared_with(self, column: int) -> set[str]:
        """Those of my values, as I spell them, that a column has."""
        ids, recoding = self.asked.ids[self.part], self.asked.recoding
        places = np.flatnonzero((ids >= 0) & np.isin(ids, self.segment.set_of(column)))
        values = self.asked.question.values.take(places).tolist()
        return set(values if recoding is None else map(recoding.mine, values))


def asked_column(asker: Any, column: Column, place: int, table: str | None) -> Asked:
    """My column, planned as a question of `overlap`."""
    query = asker.query(OVERLAP, {"values": column, "table": table})
    parts = [part.for_question() for part in asker.parts(KINDS[OVERLAP])]
    return Asked(place, column.name or "", KINDS[OVERLAP].plan({**query, "k": 0, "per": "column"}, parts), parts)


def candidates_of(asked: Asked) -> list[Candidates]:
    """All columns that share a value with mine, segment by segment."""
    return [_in_part(asked, number) for number in range(len(asked.parts))]


def by_codes(found: list[Candidates]) -> list[Candidates]:
    """The columns that have more of my codes without, or with, their leading zeros than as they are."""
    if not found:
        return []
    asked, coded = found[0].asked, []
    for recoding, probe in recoded_probes(asked.probe):
        other = Asked(asked.place, asked.name, probe, asked.parts, recoding, asked.probe)
        for equal, recoded in zip(found, candidates_of(other), strict=True):
            known = dict(zip(equal.columns.tolist(), equal.matched.values.tolist(), strict=True))
            pairs = zip(recoded.columns.tolist(), recoded.matched.values.tolist(), strict=True)
            more = np.array([number > known.get(column, 0) for column, number in pairs], bool)
            matched = Matched(*(total[more] for total in recoded.matched))
            coded.append(Candidates(other, recoded.part, recoded.columns[more], matched, recoded.signals[more]))
    return coded


def _in_part(asked: Asked, number: int) -> Candidates:
    part = asked.parts[number]
    eligible = eligible_columns(part, asked.probe)
    weights = (asked.question.counts.astype(np.int64), asked.units)
    sets, sums = shared_with(part, asked.ids[number], weights)
    sizes = eligible.starts[sets + 1] - eligible.starts[sets]
    columns = eligible.columns[places_of(eligible.starts[sets], sizes)].astype(np.int64)
    matched = Matched(*(np.repeat(total, sizes) for total in sums))
    of_columns = column_signals(part.segment, columns, asked.mine)
    tables = table_signals(part.segment, columns, asked.mine)
    signals = np.concatenate([of_columns, match_signals(matched, asked.totals, of_columns, tables)], axis=1)
    return Candidates(asked, number, columns, matched, signals)


def joins_of(candidates: Candidates, model: Model, most: int) -> list[Join]:
    """The best join of each of the best tables (all if `most` is 0), and every other of the same score."""
    if len(candidates.columns) == 0:
        return []
    score = scores(candidates.signals, model)
    tables = candidates.tables
    best = np.zeros(int(tables.max()) + 1)
    np.maximum.at(best, tables, score)
    chosen = score == best[tables]
    of_tables = best[np.unique(tables)]
    if most and len(of_tables) > most:  # tables are counted, which may have several columns of the same score
        chosen &= score >= np.partition(of_tables, -most)[-most]
    return [join_at(candidates, place, float(score[place])) for place in np.flatnonzero(chosen).tolist()]


def all_joins_of(candidates: Candidates, model: Model, most: int) -> list[Join]:
    """The same, one join per column."""
    score = scores(candidates.signals, model)
    chosen = np.ones(len(score), bool)
    if most and len(score) > most:
        chosen = score >= np.partition(score, -most)[-most]
    return [join_at(candidates, place, float(score[place])) for place in np.flatnonzero(chosen).tolist()]


def join_at(candidates: Candidates, place: int, score: float) -> Join:
    """The join with one of the columns."""
    asked, segment = candidates.asked, candidates.segment
    hit = Hit(
        segment.names[int(candidates.tables[place])],
        (segment.column_name(int(candidates.columns[place])),),
        score,
        tie=(-float(candidates.matched.rows[place]), float(asked.place)),
    )
    if asked.recoding is not None:
        codes = {"digits": asked.recoding.digits, "lost_in": asked.recoding.lost_in}
        hit = replace(hit, evidence={"codes": codes})
    columns_with = asked.columns / 2 ** (candidates.matched.units[place] / UNITS / candidates.matched.values[place])
    return Join(
        hit, OVERLAP, asked.original or asked.probe, asked.parts[candidates.part], (asked.place,),
        candidates.signals[place], (int(candidates.columns[place]),), float(columns_with), asked.accident,
        asked.mine.in_lake,
    )  # fmt: skip
