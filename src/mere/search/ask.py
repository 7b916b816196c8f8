"""How is a question answered: plan once, search every segment, merge, say what was searched."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from mere import compiled
from mere.answers import Hit, Hits, best_by
from mere.errors import UsageError
from mere.indexes import KINDS
from mere.indexes.kind import Kind, Part, explained, open_part
from mere.indexes.sets.eligible_columns import tables_meant
from mere.search.routing import routed
from mere.segments import OpenSnapshot

_THREADS_FROM = 50_000  # living tables: below, handing work to threads costs more than the work


class Asker:
    """Puts questions of any kind to one snapshot; keeps the kinds' parts mapped between questions."""

    def __init__(self, opened: OpenSnapshot) -> None:
        self.opened = opened
        self._parts: dict[str, list[Part]] = {}

    def parts(self, kind: Kind) -> list[Part]:
        if kind.name not in self._parts:
            pairs = zip(self.opened.segments, self.opened.live, strict=True)
            self._parts[kind.name] = [open_part(kind, segment, live) for segment, live in pairs]
        return self._parts[kind.name]

    def ask(self, name: str, query: dict[str, Any], k: int = 10, per: str = "table") -> Hits:
        """The best k answers (0: all), one per table or one per column."""
        check_question(name, k, per)
        started = time.perf_counter()
        route = routed(name, query, len(self.opened.segments))
        kind = KINDS[route.kind]
        parts = self.parts(kind)
        probe = kind.plan({**route.query, "k": k, "per": per}, parts)
        planned = notes_of(probe)
        with compiled.interruptible():
            hits = explained(kind, probe, self._search(kind, parts, probe, k, per))
        notes = [*planned, *sorted(notes_of(probe)[len(planned) :])]
        took = (time.perf_counter() - started) * 1000
        return Hits(name, route.relabelled(hits), self.opened.number, took, self.searched(), notes)

    def explained(self, name: str, query: dict[str, Any], hit: Hit) -> Hit:
        """A hit that somebody named, with the evidence it would have been found with."""
        kind = KINDS[name]
        parts = self.parts(kind)
        probe = kind.plan({**query, "k": 1, "per": "table"}, parts)
        home = next(part for part in parts if tables_meant(part, hit.table, None).any())
        return kind.explain(home, probe, [hit])[0]

    def _search(self, kind: Kind, parts: Sequence[Part], probe: Any, k: int, per: str) -> list[tuple[Hit, Part]]:
        """The best hits of all parts; one after the other, what the k-th best scores saves work in the next."""
        if self.searched()["tables"] >= _THREADS_FROM and len(parts) > 1:
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                found = pool.map(lambda part: list(kind.search(part, probe, 0.0)), parts)
                pairs = zip(parts, found, strict=True)
                return _best_of([(hit, part) for part, hits in pairs for hit in in_rows(hits, per)], k)
        hits: list[tuple[Hit, Part]] = []
        for part in parts:
            bound = hits[k - 1][0].score if 0 < k <= len(hits) else 0.0
            more = [(hit, part) for hit in in_rows(kind.search(part, probe, bound), per)]
            hits = _best_of([*hits, *more], k) if more else hits
        return hits

    def searched(self) -> dict[str, int]:
        totals = self.opened.snapshot.totals
        return {
            "tables": totals.get("tables", 0),
            "columns": totals.get("columns", 0),
            "segments": len(self.opened.segments),
        }


def _best_of(hits: list[tuple[Hit, Part]], k: int) -> list[tuple[Hit, Part]]:
    return best_by(hits, k, lambda pair: pair[0])


def in_rows(hits: Iterable[Hit], per: str) -> Iterator[Hit]:
    """One row per table, or one per column that took part in the answer."""
    for hit in hits:
        if per == "column" and len(hit.columns) > 1:
            yield from (replace(hit, columns=(column,)) for column in hit.columns)
        else:
            yield hit


def notes_of(probe: Any) -> list[str]:
    """What the planner wants the asker to know, such as a corrected spelling."""
    return list(probe.get("notes", [])) if isinstance(probe, dict) else []


def check_question(kind: str, k: int, per: str) -> None:
    """What is asked of every kind must make sense before anything is opened."""
    if kind not in KINDS:
        raise UsageError(f"no kind '{kind}'", f"known are {', '.join(sorted(KINDS))}")
    if not isinstance(k, int | np.integer) or isinstance(k, bool) or k < 0:
        raise UsageError(f"'k' must be an int >= 0, got {k!r}", "0 asks for all")
    if per not in ("table", "column"):
        raise UsageError(f"'per' must be 'table' or 'column', got {per!r}", "choose one of them")
