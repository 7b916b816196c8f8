"""What does each join of a path do to rows, and how many rows arrive?

Each step is looked at alone and exactly: shared values, containment, fan-out.  Along a path of several steps the
numbers of rows are estimates: as if the rows that one join leaves were a random choice of the table's rows.

    kept    rows of the first table * share of the left rows that have a partner, step by step
    rows    rows of the first table * rows of the join per row of its left table, step by step
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mere.indexes.inputs import Distinct
from mere.indexes.sets.evidence import fan_out
from mere.indexes.sets.question import distinct_of
from mere.search.catalog import find_rows
from mere.search.finishing.marks import notes_on, unsure_names
from mere.search.given.whole import StoredTable, WholeTable
from mere.search.links.quality import score_of
from mere.search.paths.answer import Path, Step
from mere.search.paths.asking import shared_places
from mere.search.paths.best_paths import Found
from mere.search.paths.ends import FRAMES, End
from mere.search.paths.link import Link

if TYPE_CHECKING:
    from mere.search.asking.ask import Asker


class Explainer:
    """Looks at the steps of paths, each once."""

    def __init__(self, asker: Asker, ends: tuple[End, End], keep_words: Sequence[str] | str | None) -> None:
        self._asker = asker
        self._words = [keep_words] if isinstance(keep_words, str) else list(keep_words or ())
        self._tables: dict[str, WholeTable] = {end.name: end.table for end in ends}
        self._steps: dict[Link, tuple[Step, float, float]] = {}
        self._unsure: dict[str, None] = {}

    def path(self, found: Found) -> Path:
        """A path with what each of its joins does."""
        links = found.links
        looked_at = [self._step(link) for link in links]
        first = self._table(links[0].left).rows
        kept = rows = float(first)
        for _, share, growth in looked_at:
            kept, rows = kept * share, rows * growth
        return Path(
            score_of(found.cost),
            tuple(step for step, _, _ in looked_at),
            round(kept, 1),
            round(rows, 1),
            len(links) == 1 and "unsure" not in looked_at[0][0].marks,
            tuple(self._commands(links)),
            found.copies,
        )

    @property
    def notes(self) -> list[str]:
        """What is said of the steps that are not certain."""
        return notes_on(list(self._unsure))

    def _table(self, name: str) -> WholeTable:
        if name not in self._tables:
            self._tables[name] = StoredTable(self._asker.inputs, name)
        return self._tables[name]

    def _step(self, link: Link) -> tuple[Step, float, float]:
        """A step, the share of the left table's rows that have a partner, and rows of the join per row of it."""
        if link not in self._steps:
            sides = [self._column(link.left, link.left_column), self._column(link.right, link.right_column)]
            left, right = shared_places(*sides)
            joined: dict[str, Any] = fan_out(sides[0].counts[left], sides[1].counts[right])
            step = Step(
                link.left, link.left_column, link.right, link.right_column, len(left),
                len(left) / max(1, len(sides[0].hashes)), len(left) / max(1, len(sides[1].hashes)),
                joined["shape"], joined["rows"], score_of(min(link.costs)), self._marks(link),
            )  # fmt: skip
            rows = max(1, self._table(link.left).rows)
            self._steps[link] = (step, int(sides[0].counts[left].sum()) / rows, joined["rows"] / rows)
        return self._steps[link]

    def _marks(self, link: Link) -> tuple[str, ...]:
        """What both sides of a link are marked with, as a hit on each would be."""
        found: set[str] = set()
        for name, column in ((link.left, link.left_column), (link.right, link.right_column)):
            if self._table(name).table is None:
                continue
            segment, number = find_rows(self._asker.opened, name)
            unsure = unsure_names(segment, number, [column])
            self._unsure |= {f"'{each}' of '{name}'": None for each in unsure}
            found |= ({"unsure"} if unsure else set()) | ({"hidden"} if segment.is_hidden(number) else set())
        return tuple(sorted(found, reverse=True))

    def _column(self, table: str, column: str) -> Distinct:
        whole = self._table(table)
        return distinct_of(whole.distinct(whole.names.index(column)).cells)

    def _commands(self, links: Sequence[Link]) -> list[str]:
        """The `mere join` commands of a path: from its first table, or from its last; none if neither can be."""
        ways = (links, [link.reversed for link in reversed(links)])
        return next((self._commands_along(way) for way in ways if self._can_join(way)), [])

    def _can_join(self, links: Sequence[Link]) -> bool:
        """Whether `mere join` does: it takes files, and joins with tables of the lake as they are indexed."""
        name, column = links[-1].right, links[-1].right_column
        if self._table(name).table is None or links[0].left in FRAMES:
            return False
        indexed = StoredTable(self._asker.inputs, name)
        values = distinct_of(indexed.distinct(indexed.names.index(column)).cells)
        return np.array_equal(values.hashes, self._column(name, column).hashes)

    def _commands_along(self, links: Sequence[Link]) -> list[str]:
        """Each joins what the one before has written; a name that both tables have gets `_right`.

        Only in the first table words are kept: the others are joined with as they are indexed.
        """
        kept = [part for word in self._words for part in ("--keep-word", word)]
        given, used, own = links[0].left, list(self._table(links[0].left).names), dict[str, str]()
        commands = []
        for number, link in enumerate(links, 1):
            column = own.get(link.left_column, link.left_column)
            written = f"joined_{number}.csv"
            words = ["mere", "join", given, "--on", _quoted(column), "--with", link.right]
            words += ["--column", _quoted(link.right_column), "--how", "inner", *kept, "-o", written]
            commands.append(shlex.join(words))
            own, kept = {}, []
            for name in self._table(link.right).names:
                own[name] = _unused(name, used)
            given = written
        return commands


def _quoted(column: str) -> str:
    """A column's name as --on reads it."""
    return f'"{column}"' if "," in column else column


def _unused(name: str, used: list[str]) -> str:
    while name in used:
        name = f"{name}_right"
    used.append(name)
    return name
