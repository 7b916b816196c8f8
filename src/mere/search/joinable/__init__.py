"""Which tables does a person want to join with mine, on the columns named, or on any?

Answers come in order of cost, and each replaces the one before (`on_update`):

1. one column of mine and equal values, for every column that may be joined on (`singles`)
2. several columns together, where they match one table (`combined`)
3. similar values, and values that a program makes equal, if all that is weak (`loose`); where values of the same two
   columns are equal, the join stays that on equal values, and has what the other adds in its evidence (`also`)

All are ranked by one score (`mere.ranking`), so that joins of different columns and kinds can be compared.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mere import compiled
from mere.answers import JOIN_FIELDS, Field, Hit, Hits, all_notes, best_by
from mere.answers.shown import Shown, join_shown, percent
from mere.errors import QueryError
from mere.indexes import KINDS
from mere.indexes.declare import KEEP_WORDS
from mere.indexes.kind import Part
from mere.ranking import Model, scores, usual_model
from mere.search.asking.ask import with_words
from mere.search.finishing.copies import FIELDS as COPIES_FIELDS
from mere.search.finishing.copies import MORE, copies_of, groups_among, representative, with_copies_column, with_names
from mere.search.finishing.marks import marks_of
from mere.search.given import as_table, several_columns, whole_table
from mere.search.joinable.choosing import chosen_columns
from mere.search.joinable.combined import Combined, promising
from mere.search.joinable.joins import Join, best_joins, doubts_about, with_evidence
from mere.search.joinable.loose import WEAK, loose_joins
from mere.search.joinable.singles import (
    OVERLAP,
    Candidates,
    all_joins_of,
    asked_column,
    by_codes,
    candidates_of,
    join_at,
    joins_of,
)
from mere.search.joinable.ways import LOOSE, MARK, also_of, pairs_beside

if TYPE_CHECKING:
    from mere.search.asking.ask import Asker

KIND = "joinable"
FIELDS = (
    *JOIN_FIELDS,
    Field("by", "string", "the kind that found the join: overlap, composite, similar or transform"),
    Field("reasons", "list<string>", "what lifted or lowered the hit, in words"),
    Field("signals", "json", "the numbers that the score is made of"),
    Field("also", "json", "beside equal values: by which kind more match, how many values not named before, examples"),
)
NO_ROWS = "my table has no rows, so nothing can match"
PRELIMINARY = "preliminary, until these have been tried"
Update = Callable[[Hits], object]
UNLIKELY = 0.1  # the score below which a first hit is no answer
_GENEROUS = 50  # tables of a key of several named columns that are ranked, at least
_ROUNDED = 2  # digits of a score that is shown
_EACH = 20  # tables of each combination that is tried
_RANKS = {"share": 1, "shared": 9, "on": 0, "table": 0, "columns": 0, "join": 8}  # the columns that are shown


@dataclass(frozen=True)
class Request:
    """A question: my table, the columns to join on (None: any), and how many hits."""

    given: Any
    on: Sequence[str] | str | None = None
    k: int = 10
    per: str = "table"
    table: str | None = None
    on_update: Update | None = None
    copies: bool = False
    model: Model | None = None
    keep_words: Sequence[str] | str | None = None


def score_cell(hit: Hit) -> str:
    """A score with two digits; what is more than 0 is not shown as 0."""
    return "<0.01" if 0 < hit.score < 0.005 else f"{hit.score:.2f}"


def _on_cell(hit: Hit) -> str:
    return ", ".join(hit.evidence.get("on", []))


def _mark(hit: Hit) -> str:
    """What precedes a number that does not count equal values, or that is not exact."""
    return MARK if hit.evidence["by"] in LOOSE else "" if hit.exact else "~"


def shown() -> tuple[Shown, ...]:
    """How the hits are shown: as those of other joins, with my columns and the first reasons.

    In a narrow terminal the numbers are left out first; what is joined with what stays.
    """
    score = Shown("score", score_cell, right=True)
    mine = Shown("on", _on_cell, width=24, name=True, full=True)
    why = Shown("why", lambda hit: "; ".join(hit.evidence["reasons"][:3]), width=48, below=True)
    known = {column.header: column for column in join_shown("shared")} | {"on": mine}
    known["share"] = replace(known["share"], cell=lambda hit: _mark(hit) + percent(hit.evidence["share"]))
    known["shared"] = replace(known["shared"], cell=lambda hit: f"{_mark(hit)}{hit.evidence['shared']:,}")
    return (score, *(replace(known[header], rank=rank) for header, rank in _RANKS.items()), why)


def find_joins(asker: Asker, request: Request) -> Hits:
    """The joins that a person most likely wants, best first."""
    search = _Search(asker, request)
    with compiled.interruptible():
        return search.run()


class _Search:
    """One question on its way: what was found so far, and the notes."""

    def __init__(self, asker: Asker, request: Request) -> None:
        self.asker, self.request = asker, request
        self.model = request.model or usual_model()
        self.started = time.perf_counter()
        on = [request.on] if isinstance(request.on, str) else request.on
        self.only = asker.inputs.table(request.table, with_rows=True)
        inputs = asker.inputs.keeping(request.keep_words, self.only)
        self.mine = whole_table(inputs, as_table(request.given), on or ())
        owner = f"'{request.given}'" if isinstance(request.given, str) else "the table"
        names = None if on is None else several_columns(self.mine.names, list(on), owner)
        self.named = None if names is None else [self.mine.names.index(name) for name in names]
        if self.named is not None and len(self.named) > 1 and request.per == "column":
            raise QueryError("a key of several columns is answered by tables, not by columns", "leave out per='column'")
        self.notes = list(self.mine.notes)
        self.found: list[list[Candidates]] = []  # of each column of mine, and of its codes
        self.grouped = not request.copies and self.only is None

    def run(self) -> Hits:
        places = self.named
        if places is None:
            places, notes = chosen_columns(self.mine, self.only is not None)
            self.notes += notes
        if self.mine.rows == 0:
            self.notes.append(NO_ROWS)
        found = [self.candidates(place) for place in places]
        if self.named is not None and len(self.named) > 1:
            most = max(_GENEROUS, 3 * self.request.k) if self.request.k else 0
            return self.answer(self.together(found, most), final=True)
        self.found = [*found, *(by_codes(each) for each in found)]
        joins = [join for each in self.found for join in self.singles(each, self.request.k)]
        if self.named is None:
            joins += self.combinations(joins, found)
        if max((join.hit.score for join in joins), default=0.0) < WEAK:
            self.update(joins, "similar values, and values that a transformation makes equal")
            joins = [*self.loosely(found), *joins]  # before those that are the same but for what others add
        return self.answer(joins, final=True)

    def combinations(self, joins: list[Join], found: list[list[Candidates]]) -> list[Join]:
        """The joins on several columns together; those on one are reported before."""
        by_place = {each[0].asked.place: each for each in found if each}
        wanted = promising(found, self.model, self.mine)
        if wanted:
            self.update(joins, "several columns together")
        return [join for places in wanted for join in self.together([by_place[place] for place in places], _EACH)]

    def loosely(self, found: list[list[Candidates]]) -> list[Join]:
        """The joins on values that are not equal; if some values of the two columns are, the join on these instead."""
        columns = [(each[0].asked, self.mine.distinct(each[0].asked.place)) for each in found if each]
        joins, notes = loose_joins(self.asker, columns, self.model, self.only)
        self.notes += notes
        answers: dict[tuple[int, Part, int], Join] = {}
        known: dict[tuple[int, Part, int], tuple[Join | None, set[str]]] = {}  # with the values of mine named already
        for join in joins:
            both = (join.places[0], join.part, join.columns[0])
            equal, named = known[both] = known.get(both) or self.equally(*both)
            if equal is None:
                answers[both] = min(join, answers.get(both, join), key=lambda join: join.hit.order)
            elif pairs := pairs_beside(join.hit.evidence, named):
                named.update(pairs)
                equal = answers.get(both, equal)
                hit = replace(equal.hit, score=max(equal.hit.score, join.hit.score))
                answers[both] = replace(equal, hit=hit, also=(*equal.also, also_of(join.kind, pairs)))
        return list(answers.values())

    def equally(self, place: int, part: Part, column: int) -> tuple[Join | None, set[str]]:
        """The join of two columns on values that are equal as they are, or as codes, if any is; and these of mine."""
        here = [
            (each, at)
            for each in (each for found in self.found for each in found)
            if each.asked.place == place and each.segment is part.segment
            for at in np.flatnonzero(each.columns == column).tolist()
        ]
        if not here:
            return None, set()
        each, at = max(here, key=lambda known: int(known[0].matched.values[known[1]]))
        return join_at(each, at, float(scores(each.signals[[at]], self.model)[0])), each.shared_with(column)

    def candidates(self, place: int) -> list[Candidates]:
        column = self.mine.distinct(place)
        self.notes += column.notes
        return candidates_of(asked_column(self.asker, column, place, self.only))

    def singles(self, found: list[Candidates], most: int) -> list[Join]:
        find = joins_of if self.request.per == "table" else all_joins_of
        return [join for each in found for join in find(each, self.model, most)]

    def groups(self, joins: list[Join]) -> list[Join]:
        """The joins that stand for the best k groups of copies, among as many on one column as hold them, and others.

        Copies may have other numbers of rows: scores that are shown as equal are equal here.
        """
        k, wanted = self.request.k, MORE * self.request.k
        others = [join for join in joins if join.kind != OVERLAP or join.also]
        while True:
            singles = [join for each in self.found for join in self.singles(each, wanted)]
            best = best_joins([*others, *singles], wanted, self.request.per)
            of_hit = {id(join.hit): join for join in best}
            pairs = [(join.hit, join.part) for join in best]
            groups = groups_among(KINDS[OVERLAP], pairs, lambda hit: of_hit[id(hit)].places)  # noqa: B023
            if wanted == 0 or len(best) < wanted or len(groups) >= k:
                chosen = [of_hit[id(representative(group, _ROUNDED)[0])] for group in groups[: k or None]]
                return best_by(chosen, 0, lambda join: join.hit)
            wanted *= MORE

    def together(self, found: list[list[Candidates]], k: int) -> list[Join]:
        joins, notes = Combined(self.asker, self.model, self.only).joins(self.mine, found, k)
        self.notes += notes
        return joins

    def update(self, joins: list[Join], trying: str) -> None:
        """Report the answer so far, with a note on what is tried next."""
        if self.request.on_update is not None:
            hits = self.answer(joins)
            hits.notes.append(f"{PRELIMINARY}: {trying}")
            self.request.on_update(hits)

    def answer(self, joins: list[Join], final: bool = False) -> Hits:
        best = self.groups(joins) if self.grouped else best_joins(joins, self.request.k, self.request.per)
        explained = with_evidence(best, self.model)
        marks = marks_of(KINDS[OVERLAP], explained, *(join.probe for join in best))
        words = {KEEP_WORDS.name: self.request.keep_words}
        hits = [with_words(hit, words) for hit in marks.on_all(hit for hit, _ in explained)]
        unlikely = self.unlikely(best, hits) if final else []
        fields: tuple[Field, ...] = FIELDS
        columns = shown()
        if self.grouped:
            hits = self.with_copies(best, hits)
            fields, columns = (*FIELDS, *COPIES_FIELDS), with_copies_column(columns)
        notes = all_notes(self.notes, [*marks.notes, *unlikely, *self.asker.stale])
        return Hits(
            KIND, hits, self.asker.opened.number, (time.perf_counter() - self.started) * 1000,
            self.asker.searched(), notes, fields, columns,
        )  # fmt: skip

    def unlikely(self, joins: list[Join], hits: list[Hit]) -> list[str]:
        """A note if not even the first join is a likely one, with what speaks against it."""
        if not joins or joins[0].hit.score >= (WEAK if joins[0].accident else UNLIKELY):
            return []
        against = "; ".join(doubts_about(joins[0], hits[0], self.model)[:2])
        best = f"the best score is {score_cell(joins[0].hit)}"
        return [f"no join is likely: {best}{f'; against the first: {against}' if against else ''}"]

    def with_copies(self, joins: list[Join], hits: list[Hit]) -> list[Hit]:
        """The hits with the copies of their tables; my own table is none, nor is one that has a hit of its own."""
        listed = {hit.table for hit in hits} | {str(join.probe["skip"]) for join in joins}
        parts = self.asker.parts(KINDS[OVERLAP])
        return [
            with_names(hit, [name for name in copies_of(KINDS[OVERLAP], (hit, join.part), parts) if name not in listed])
            for join, hit in zip(joins, hits, strict=True)
        ]
