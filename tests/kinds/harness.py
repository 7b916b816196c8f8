"""From tables to answers, as in a lake: segments on disk, a file per kind, mapped parts, one search and its marks."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from mere.answers import Found, Hit
from mere.indexes.kind import Arrays, Kind, Part, open_part
from mere.search.asking.ask import lazy_answer, lazy_groups
from mere.segments import Segment, Table, write_segment
from mere.store import container


@contextmanager
def folder() -> Iterator[str]:
    """A folder for one generated lake; in memory where the machine has such a folder."""
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(prefix="mere-kinds-", dir=memory) as path:
        yield path


def build_segment(
    kind: Kind, path: str, tables: Sequence[Table], trained: Arrays, settings: Mapping[str, Any]
) -> Segment:
    """Write a segment, and the kind's file beside it."""
    entry = write_segment(path, list(tables))
    arrays = kind.build(Segment(path, entry), trained, settings)
    file = container.write(file_of(kind, path), kind.name, kind.version, arrays)
    return Segment(path, entry.with_file(f"{kind.name}.idx", file))


def file_of(kind: Kind, path: str) -> str:
    return os.path.join(path, f"{kind.name}.idx")


def build_parts(
    kind: Kind,
    path: str,
    groups: Sequence[Sequence[Table]],
    trained: Arrays,
    settings: Mapping[str, Any],
    dead: frozenset[str] = frozenset(),
) -> list[Part]:
    """One segment per group of tables; dead tables are stored and not live."""
    parts = []
    for number, group in enumerate(groups):
        segment = build_segment(kind, os.path.join(path, str(number)), group, trained, settings)
        live = np.array([name not in dead for name in segment.names], bool)
        parts.append(open_part(kind, segment, live))
    return parts


def answer(kind: Kind, parts: Sequence[Part], probe: Any, k: int, per: str) -> Found:
    """An answer with all its evidence."""
    found = lazy_answer(kind, parts, probe, k, per)
    return Found(found.hits.complete(), found.notes)


def grouped_answer(kind: Kind, parts: Sequence[Part], probe: Any, k: int, per: str) -> Found:
    """The same, with one hit for each group of copies."""
    found = lazy_groups(kind, parts, probe, k, per)
    return Found(found.hits.complete(), found.notes)


def ask(kind: Kind, parts: Sequence[Part], query: Mapping[str, Any], k: int) -> list[Hit]:
    """The hits of an answer."""
    return answered(kind, parts, query, k).hits


def answered(kind: Kind, parts: Sequence[Part], query: Mapping[str, Any], k: int) -> Found:
    """Plan and answer, as every surface does."""
    return answer(kind, parts, kind.plan(dict(query), parts), k, query.get("per", "table"))


def dicts(hits: Sequence[Hit]) -> list[dict[str, Any]]:
    return [hit.to_dict() for hit in hits]
