"""How is a question answered: check, route, plan once, search every segment, merge, explain?

`merged_search` is the one way from a probe to hits: of the interactive engine, its threads and the tasks of a Spark
batch.  `lazy_answer` and `lazy_groups` mark them, and compute evidence where it is read.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np

from mere import compiled
from mere.answers import Found, Hit, Hits, LazyHits, Merged, all_notes
from mere.errors import UsageError
from mere.indexes import KINDS
from mere.indexes.declare import KEEP_WORDS, checked_parameters
from mere.indexes.kind import Kind, Part, Probe, Query, as_found, explained, open_part
from mere.search.catalog import find_rows
from mere.search.finishing.copies import FIELDS as COPIES_FIELDS
from mere.search.finishing.copies import (
    MORE,
    Group,
    completed,
    groups_among,
    representative,
    with_copies,
    with_copies_column,
)
from mere.search.finishing.marks import marks_of
from mere.search.rules import notes_on
from mere.segments import OpenSnapshot

if TYPE_CHECKING:
    import pyarrow as pa

    from mere.search.given import LakeInputs

THREADS_FROM = 50_000  # living tables: below, handing work to threads costs more than the work


class Answer(NamedTuple):
    """The hits of a question, whose evidence is computed when they are read, and the notes."""

    hits: LazyHits
    notes: list[str]


def unmarked_answer(kind: Kind, parts: Sequence[Part], probe: Probe, k: int, per: str) -> Found:
    """The best k hits (0: all) of all parts in order, with their evidence, and the notes of the searches.

    For a task on some of the parts: whoever merges such answers marks the hits that remain.
    """
    merged = merged_search(kind, [part.for_question() for part in parts], probe, k, per)
    return Found(explained(kind, probe, merged.pairs), merged.notes)


def lazy_answer(
    kind: Kind, parts: Sequence[Part], probe: Probe, k: int, per: str, report: Callable[[Hit], Hit] = as_found
) -> Answer:
    """The best k hits (0: all) of all parts in order, each marked and reported by a function; the notes."""
    merged = merged_search(kind, [part.for_question() for part in parts], probe, k, per)
    return _explained_when_read(kind, probe, merged.pairs, merged.notes, lambda _, hit: report(hit))


def lazy_groups(
    kind: Kind, parts: Sequence[Part], probe: Probe, k: int, per: str, report: Callable[[Hit], Hit] = as_found
) -> Answer:
    """As `lazy_answer`, with one hit for each of the best k groups of copies (0: all), which says how many they are."""
    parts, wanted = [part.for_question() for part in parts], first_wanted(kind, k)
    while True:
        merged = merged_search(kind, parts, {**probe, "k": wanted}, wanted, per)
        groups = best_groups(kind, parts, probe, Limits(k, wanted, per), merged.pairs)
        if groups is not None:
            break
        wanted *= MORE
    chosen = [representative(group) for group in groups]
    return _explained_when_read(
        kind, probe, chosen, merged.notes, lambda place, hit: report(with_copies(hit, groups[place]))
    )


def _explained_when_read(
    kind: Kind,
    probe: Probe,
    pairs: Sequence[tuple[Hit, Part]],
    notes: Sequence[str],
    report: Callable[[int, Hit], Hit],
) -> Answer:
    """These hits, each reported by a function of its place and itself, with evidence where it is read."""
    marks = marks_of(kind, pairs, probe)

    def explain(places: Sequence[int]) -> list[Hit]:
        with compiled.interruptible():
            hits = explained(kind, probe, [pairs[place] for place in places])
        return [report(place, marks.on(place, hit)) for place, hit in zip(places, hits, strict=True)]

    found = [report(place, marks.on(place, hit)) for place, (hit, _) in enumerate(pairs)]
    return Answer(LazyHits(found, explain), all_notes(notes, marks.notes))


class Limits(NamedTuple):
    """The best k groups are asked for (0: all), and the best `wanted` hits are known (0: all)."""

    k: int
    wanted: int
    per: str


def first_wanted(kind: Kind, k: int) -> int:
    """How many hits are asked for first, to find k groups of copies."""
    return 0 if kind.ranks_all else MORE * k


def best_groups(
    kind: Kind, parts: Sequence[Part], probe: Probe, limits: Limits, pairs: Sequence[tuple[Hit, Part]]
) -> list[Group] | None:
    """The best groups of copies with all their members, from the best hits; None if more hits are needed."""
    groups = groups_among(kind, pairs)
    if limits.wanted == 0 or len(pairs) < limits.wanted:
        return groups[: limits.k or None]
    if len(groups) < limits.k:
        return None
    everything = {**probe, "k": 0}
    return completed(
        kind, groups[: limits.k], parts, lambda some: merged_search(kind, some, everything, 0, limits.per).pairs
    )


def merged_search(kind: Kind, parts: Sequence[Part], probe: Probe, k: int, per: str) -> Merged[Part]:
    """The best hits of all parts, without their evidence; in threads if the lake is large."""
    merged: Merged[Part] = Merged(k, per)
    if len(parts) > 1 and sum(int(part.live.sum()) for part in parts) >= THREADS_FROM:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(lambda part: kind.search(part, probe, 0.0), parts)
            for part, result in zip(parts, results, strict=True):
                merged.add(part, result)
    else:
        for part in parts:
            merged.add(part, kind.search(part, probe, merged.bound))
    return merged


class Asker:
    """Answers questions of any kind from one snapshot; keeps the kinds' parts mapped between questions."""

    def __init__(self, opened: OpenSnapshot) -> None:
        self.opened = opened
        self._parts: dict[str, list[Part]] = {}
        self._unread: WeakValueDictionary[int, LazyHits] = WeakValueDictionary()  # answers that are in use, by id

    @cached_property
    def inputs(self) -> LakeInputs:
        """Reads what questions are asked with; imported with its readers when the first one needs it."""
        from mere.search.given import LakeInputs

        return LakeInputs(self.opened)

    @cached_property
    def stale(self) -> list[str]:
        """The notes that every answer of this lake has: which of its tables were read under other rules."""
        return notes_on(self.opened.snapshot)

    def parts(self, kind: Kind) -> list[Part]:
        segments = self.opened.segments  # an error if the lake was closed
        if kind.name not in self._parts:
            pairs = zip(segments, self.opened.live, strict=True)
            self._parts[kind.name] = [open_part(kind, segment, live) for segment, live in pairs]
        return self._parts[kind.name]

    def query(self, name: str, given: Mapping[str, Any]) -> Query:
        """The checked query of a question; `given` has some of the kind's parameters."""
        kind = kind_named(name)
        checked = checked_parameters(name, kind.parameters, given)
        return kind.question(checked, self.inputs.keeping(checked.get(KEEP_WORDS.name), checked.get("table")))

    def ask(
        self, name: str, given: Mapping[str, Any], k: int | None = None, per: str = "table", copies: bool = True
    ) -> Hits:
        """The best k answers (0: all; None: as many as is usual), one per table or one per column.

        Without `copies`, one for each group of copies."""
        kind = kind_named(name)
        k = kind.default_k(given) if k is None else k
        check_limits(k, per, copies)
        started = time.perf_counter()
        route = kind.route(self.query(name, given), len(self.opened.segments))
        answering = KINDS[route.kind]
        parts = self.parts(answering)
        probe = answering.plan({**route.query, "k": k, "per": per}, parts)
        with compiled.interruptible():
            search = lazy_answer if copies else lazy_groups
            result = search(answering, parts, probe, k, per, lambda hit: with_words(route.report(hit), given))
        hits = result.hits.complete() if result.hits.is_short else self._until_closed(result.hits)
        notes = all_notes(probe.get("notes", ()), result.notes)
        return self.hits(kind, hits, notes, time.perf_counter() - started, copies, kind.advice(route.query))

    def _until_closed(self, hits: LazyHits) -> LazyHits:
        """Remember hits whose evidence is not computed yet; they keep the snapshot open."""
        hits.keep(self.opened.telling_damage)
        self._unread[id(hits)] = hits
        return hits

    def close(self) -> None:
        """Close the snapshot; hits that are still in use get their evidence first, because its files may be deleted."""
        try:
            for hits in list(self._unread.values()):
                hits.complete()
        finally:
            self.opened.close()

    def hits(
        self, kind: Kind, hits: Sequence[Hit], notes: list[str], seconds: float, copies: bool = True, advice: str = ""
    ) -> Hits:  # fmt: skip
        """An answer of a kind, with how its hits are shown and converted; without hits, with advice what to ask."""
        notes = [*notes, *([advice] if advice and not hits else [])]
        fields, shown = kind.fields, kind.shown
        if not copies:
            fields, shown = (*fields, *COPIES_FIELDS), with_copies_column(shown)
        notes = [*notes, *self.stale]
        return Hits(kind.name, hits, self.opened.number, seconds * 1000, self.searched(), notes, fields, shown)

    def table(self, given: Any, columns: Sequence[str] = ()) -> pa.Table:
        """All rows of a frame, file or table of the lake; of several tables in a file, the first with these columns."""
        from mere.search.given import is_table_of_the_lake
        from mere.search.raw import raw_rows

        if is_table_of_the_lake(given):
            return raw_rows(self.opened, given)
        return self.inputs.frame(given, columns)

    def warm(self, progress: Callable[[str, float], None] | None = None) -> None:
        """Compile and load what the questions of every kind need."""
        for kind in KINDS.values():
            compiled.warm(kind.warm(self.parts(kind)), progress)

    def explain(self, name: str, given: Mapping[str, Any], table: str, columns: Sequence[str]) -> Hits:
        """The one hit that joins with these columns of a table, with the evidence that a question gives it."""
        from mere.search.given import several_columns

        kind, started = kind_named(name), time.perf_counter()
        if not kind.joins:
            joining = ", ".join(known.name for known in KINDS.joining())
            raise UsageError(f"hits of '{name}' are not joined with", f"choose one of {joining}")
        segment, number = find_rows(self.opened, table)
        names = several_columns(segment.columns(number).names, columns, f"table '{segment.names[number]}'")
        route = kind.route(kind.condition(self.query(name, {**given, "table": table})), len(self.opened.segments))
        answering = KINDS[route.kind]
        parts = self.parts(answering)
        probe = answering.plan({**route.query, "k": 1, "per": "table"}, parts)
        part = next(part for part in parts if part.segment is segment)
        [hit] = answering.explain(part, probe, [Hit(segment.names[number], tuple(names), 0.0)])
        marks = marks_of(answering, [(hit, part)], probe)
        hit = with_words(route.report(marks.on(0, replace(hit, score=float(hit.evidence["shared"])))), given)
        notes = all_notes(probe.get("notes", ()), marks.notes)
        return self.hits(kind, [hit], notes, time.perf_counter() - started)

    def searched(self) -> dict[str, int]:
        totals = self.opened.snapshot.totals
        return {
            "tables": totals.get("tables", 0),
            "columns": totals.get("columns", 0),
            "segments": len(self.opened.segments),
        }


def with_words(hit: Hit, given: Mapping[str, Any]) -> Hit:
    """The hit, which knows the words that were kept in my table, so that a join with it keeps them, too."""
    words = given.get(KEEP_WORDS.name)
    listed = [words] if isinstance(words, str) else list(words or ())
    return replace(hit, evidence={**hit.evidence, KEEP_WORDS.name: listed}) if listed else hit


def kind_named(name: str) -> Kind:
    if name not in KINDS:
        raise UsageError(f"no kind '{name}'", f"choose from {', '.join(sorted(KINDS))}")
    return KINDS[name]


def check_limits(k: int, per: str, copies: bool = True) -> None:
    """Refuse a wrong `k`, `per` or `copies` before anything is opened."""
    if not isinstance(k, int | np.integer) or isinstance(k, bool) or k < 0:
        raise UsageError(f"'k' must be an int >= 0, got {k!r}", "k=0 returns all hits")
    if per not in ("table", "column"):
        raise UsageError(
            f"'per' must be 'table' or 'column', got {per!r}", "per='table' returns the best hit of each table"
        )
    if not isinstance(copies, bool):
        raise UsageError(
            f"'copies' must be True or False, got {copies!r}", "copies=False returns one hit per group of copies"
        )
