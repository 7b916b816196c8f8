"""What is an answer: a hit with its evidence, the order of hits, and how partial answers are merged.

The order is total: higher scores first, then whatever tie-break the question asked for, then the table's name, then
its columns.  So the best k of a union are the
best k of the pieces' best k, ties included, and an answer does not depend on how a lake was cut into segments.
"""

from __future__ import annotations

import heapq
import html
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

import numpy as np

from mere.drawing import histogram_svg

T = TypeVar("T")


@dataclass(frozen=True)
class Hit:
    """One answer: where, how well, whether exactly, and why."""

    table: str
    columns: tuple[str, ...]
    score: float
    exact: bool = True
    evidence: dict[str, Any] = field(default_factory=dict, compare=False)
    tie: tuple[float, ...] = ()  # among equal scores, smaller comes first

    @property
    def order(self) -> tuple[float, tuple[float, ...], str, tuple[str, ...]]:
        """Smaller is better."""
        return (-self.score, self.tie, self.table, self.columns)

    def to_dict(self) -> dict[str, Any]:
        told = {**asdict(self), "columns": list(self.columns)}
        del told["tie"]
        return told


def best(hits: Iterable[Hit], k: int) -> list[Hit]:
    """The k best hits in order; all of them if k is 0."""
    return best_by(hits, k, lambda hit: hit)


def best_by(things: Iterable[T], k: int, hit_of: Callable[[T], Hit]) -> list[T]:
    """The k things with the best hits, in order; all of them if k is 0."""
    if k <= 0:
        return sorted(things, key=lambda thing: hit_of(thing).order)
    return heapq.nsmallest(k, things, key=lambda thing: hit_of(thing).order)


def first_best(scores: np.ndarray, sure: np.ndarray, k: int) -> np.ndarray:
    """The places of the k best scores, of equal ones those that are sure, and then the first; all of them if k is 0."""
    if not 0 < k < len(scores):
        return np.arange(len(scores))
    level = np.partition(scores, len(scores) - k)[len(scores) - k]
    better, equal = np.flatnonzero(scores > level), np.flatnonzero(scores == level)
    return np.concatenate([better, equal[sure[equal]], equal[~sure[equal]]])[:k]


@dataclass
class Hits(Sequence[Hit]):
    """The answer to one question: hits in order, and what was searched to find them."""

    kind: str
    hits: list[Hit]
    snapshot: int
    took_ms: float
    searched: dict[str, int]
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, place: Any) -> Any:
        return self.hits[place]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def to_dict(self) -> dict[str, Any]:
        """The JSON document of the question."""
        document = {
            "kind": self.kind,
            "snapshot": self.snapshot,
            "took_ms": round(self.took_ms, 3),
            "searched": self.searched,
            "hits": self.to_dicts(),
        }
        return {**document, "notes": self.notes} if self.notes else document

    def to_dicts(self) -> list[dict[str, Any]]:
        return [hit.to_dict() for hit in self.hits]

    def to_arrow(self) -> Any:
        """One row per hit; the evidence as JSON text."""
        import pyarrow as pa

        rows = [{**hit.to_dict(), "evidence": json.dumps(hit.evidence, ensure_ascii=False)} for hit in self.hits]
        types = {
            "table": pa.string(),
            "columns": pa.list_(pa.string()),
            "score": pa.float64(),
            "exact": pa.bool_(),
        }
        return pa.Table.from_pylist(rows, pa.schema([*types.items(), ("evidence", pa.string())]))

    def to_pandas(self) -> Any:
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        import polars

        return polars.from_arrow(self.to_arrow())

    def summary(self) -> str:
        """What was searched, in one line: an empty answer says it too."""
        found = f"{len(self.hits)} hit{'' if len(self.hits) == 1 else 's'}"
        place = f"{self.searched['tables']:,} tables, {self.searched['columns']:,} columns"
        return f"{found} in {self.took_ms:.1f} ms; searched {place} of snapshot {self.snapshot}"

    def __repr__(self) -> str:
        lines = [f"{hit.score:10.4g}  {hit.table}  {', '.join(hit.columns)}" for hit in self.hits]
        return "\n".join([f"<{self.kind}: {self.summary()}>", *lines])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("score", "table", "columns", "exact", "evidence"))
        rows = "".join(_html_row(hit) for hit in self.hits)
        caption = f"<caption>{html.escape(self.kind)}: {html.escape(self.summary())}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _html_row(hit: Hit) -> str:
    said = [hit.evidence, *hit.evidence.get("reasons", [])]
    told = [{name: value for name, value in one.items() if name not in ("histogram", "reasons")} for one in said]
    exact = "exact" if hit.exact else "estimated"
    cells = (f"{hit.score:.4g}", hit.table, ", ".join(hit.columns), exact)
    why = [
        (histogram_svg(**one["histogram"], region=one.get("region")) if "histogram" in one else "")
        + html.escape(json.dumps(rest, ensure_ascii=False))
        for one, rest in zip(said, told, strict=True)
    ]
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in [*map(html.escape, cells), "<br>".join(why)]) + "</tr>"
