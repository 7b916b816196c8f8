"""Which tables are linked with this one?  Every column of it is counted against all columns of the lake.

A link shares at least so many values, which are at least such a share of one of the two columns' values; accidents are
left out, and counted (`search.links`).  Exact: no link is missed.

Cost: one pass over the posting lists of each column's values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from mere.indexes import KINDS
from mere.indexes.inputs import Distinct
from mere.indexes.kind import Part
from mere.indexes.overlap.matches import shared_with
from mere.indexes.sets.eligible_columns import eligible_columns
from mere.indexes.sets.question import distinct_of
from mere.ranking.names import identifies
from mere.search.catalog import find_rows
from mere.search.given.whole import StoredTable, WholeTable
from mere.search.links import ACCIDENTS, Linked, PairNames, Sides, judge_links, linked, sides_given, sides_stored
from mere.search.links.quality import MAY_BE_KEYS, costs_of, match_scores
from mere.search.paths.link import Link
from mere.store import Dictionary, places_of
from mere.values import Type

if TYPE_CHECKING:
    from mere.search.asking.ask import Asker
    from mere.search.paths.ends import End

_SIDES = "sides of links"  # in a part's memo


@dataclass(frozen=True)
class Limits:
    """What is a link: the least number of shared values, and the least share of the smaller column's values."""

    least: int = 5
    threshold: float = 0.5
    accidents: bool = False


@dataclass(eq=False)
class LinkAsker:
    """Finds the links of tables; counts what was asked, and what was left out."""

    asker: Asker
    limits: Limits
    questions: int = 0  # columns that were asked with
    accidents: Counter[str] = field(default_factory=Counter)  # columns that were not asked with, by reason

    @property
    def _parts(self) -> list[Part]:
        return self.asker.parts(KINDS["overlap"])

    def links_of(self, name: str, table: WholeTable | None = None) -> list[Link]:
        """The links of a table with tables of the lake: the best column pair of each is among them."""
        whole = StoredTable(self.asker.inputs, name) if table is None else table
        sides = self._sides_of(whole)
        links: list[Link] = []
        for place, header in enumerate(whole.names):
            side = sides.take(np.array([place])).identified(np.array([identifies(header)]))
            reason = ACCIDENTS[int(side.accidents[0])]
            if side.distinct[0] < self.limits.least:
                continue
            if reason not in ("", *MAY_BE_KEYS) and not self.limits.accidents:
                self.accidents[reason] += 1
                continue
            self.questions += 1
            links += self._links(name, header, distinct_of(whole.distinct(place).cells), side)
        return links

    def _sides_of(self, whole: WholeTable) -> Sides:
        """What is known of the columns of a table: the same, whichever end of a link it is."""
        if whole.table is None:
            return sides_given(columns_of(whole))
        segment, number = find_rows(self.asker.opened, whole.table)
        part = next(part for part in self._parts if part.segment is segment)
        return _sides(part).take(np.asarray(segment.columns_of(number)))

    def _links(self, name: str, header: str, column: Distinct, side: Sides) -> Iterator[Link]:
        for part in self._parts:
            columns, shared = self._shared(part, column)
            tables = part.segment.table_of_column[columns]
            theirs = _sides(part).take(columns)
            enough = shared >= self.limits.threshold * np.minimum(side.distinct[0], theirs.distinct)
            chosen = np.flatnonzero((shared >= self.limits.least) & enough)
            names = part.segment.names
            others = [names[table] for table in tables[chosen].tolist()]
            headers = [part.segment.column_names[number] for number in columns[chosen].tolist()]
            given = PairNames([name] * len(chosen), [header] * len(chosen), others, headers)
            mine = side.take(np.zeros(len(chosen), np.int64))
            made = made_links(linked(shared[chosen], mine, theirs.take(chosen), given), given, self.limits)
            yield from (link for link in made if link.right != name)

    def _shared(self, part: Part, column: Distinct) -> tuple[np.ndarray, np.ndarray]:
        """The columns of a part that share values with mine, and how many."""
        ids = part.segment.dictionary.find(column.values, column.hashes)
        eligible = eligible_columns(part, {"table": None, "skip": None, "numbers": column.numeric})
        sets, (shared,) = shared_with(part, ids, ())
        sizes = eligible.starts[sets + 1] - eligible.starts[sets]
        columns = eligible.columns[places_of(eligible.starts[sets], sizes)].astype(np.int64)
        shared = np.repeat(shared, sizes)
        same_type = _is_number(part, columns) == column.numeric
        return columns[same_type], shared[same_type]


def direct_links(one: End, other: End, limits: Limits) -> list[Link]:
    """The links of two tables that are both no tables of the lake."""
    columns = [
        [distinct_of(end.table.distinct(place).cells) for place in range(len(end.headers))] for end in (one, other)
    ]
    found = []
    for at, mine in enumerate(columns[0]):
        for there, theirs in enumerate(columns[1]):
            shared = len(shared_places(mine, theirs)[0])
            smaller = min(len(mine.hashes), len(theirs.hashes))
            if mine.numeric == theirs.numeric and shared >= max(limits.least, limits.threshold * smaller):
                found.append((at, there, shared))
    if not found:
        return []
    sides = [sides_given([columns[end][pair[end]] for pair in found]) for end in (0, 1)]
    headers = [[end.headers[pair[place]] for pair in found] for place, end in enumerate((one, other))]
    names = PairNames([one.name] * len(found), headers[0], [other.name] * len(found), headers[1])
    shares = np.array([pair[2] for pair in found])
    return list(made_links(linked(shares, sides[0], sides[1], names), names, limits))


def made_links(links: Linked, names: PairNames, limits: Limits) -> Iterator[Link]:
    """The links as `paths` knows them, without accidents unless they are wanted."""
    _, accident = judge_links(links)
    matches = costs_of(match_scores(links.shared, links.left.distinct, links.right.distinct, links.agree))
    costs = zip(matches.tolist(), *(costs_of(side.unique).tolist() for side in (links.left, links.right)), strict=True)
    for at, (cost, left, right) in enumerate(costs):
        if limits.accidents or accident[at] == 0:
            (one, column, other, there), shared = (each[at] for each in names), int(links.shared[at])
            yield Link(one, column, other, there, cost, left, right, shared)


def shared_places(left: Distinct, right: Distinct) -> tuple[np.ndarray, np.ndarray]:
    """The places of the values that both columns have."""
    ids = Dictionary(right.hashes, right.values).find(left.values, left.hashes)
    known = np.flatnonzero(ids >= 0)
    return known, ids[known]


def columns_of(table: WholeTable) -> list[Distinct]:
    return [distinct_of(table.distinct(place).cells) for place in range(len(table.names))]


def _sides(part: Part) -> Sides:
    if _SIDES not in part.memo:
        part.memo[_SIDES] = sides_stored(part.segment)
    return part.memo[_SIDES]  # type: ignore[no-any-return]


def _is_number(part: Part, columns: np.ndarray) -> np.ndarray:
    types = part.segment.catalog["column.types"][columns]
    return np.asarray((types == Type.INTEGER) | (types == Type.DECIMAL))


def accident_notes(accidents: Counter[str]) -> list[str]:
    """What was not asked with, as a note."""
    if not accidents:
        return []
    counted = ", ".join(f"{reason} ({count})" for reason, count in sorted(accidents.items(), key=_most))
    return [f"columns left out because their matches are accidents: {counted}; accidents=True keeps them"]


def _most(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]
