"""What is the answer to "how can these tables be joined": paths, the best first, and what was searched?"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from mere.answers.hits import require


@dataclass(frozen=True)
class Step:
    """One join: a column of a table with a column of the next."""

    left_table: str
    left_column: str
    right_table: str
    right_column: str
    shared: int  # distinct values in both columns
    containment: float  # share of the left column's values that the right one has
    contained: float  # share of the right column's values that the left one has
    shape: str  # one-to-one, one-to-many, many-to-one or many-to-many
    rows: int  # of this join alone
    score: float
    marks: tuple[str, ...] = ()  # as hits are marked: unsure, hidden (`search.finishing.marks`)

    def to_dict(self) -> dict[str, Any]:
        return {**self.__dict__, "marks": list(self.marks)}


@dataclass(frozen=True)
class Path:
    """Joins that lead from the first table to the second."""

    score: float
    steps: tuple[Step, ...]
    kept: float  # rows of the first table that reach the second
    rows: float  # of all joins together
    exact: bool  # whether both are exact: with one step, on columns that are sure; else they are estimates
    commands: tuple[str, ...]  # that execute the joins
    copies: tuple[tuple[str, ...], ...] = ()  # tables of paths with equal columns, scores and shared values

    @property
    def tables(self) -> list[str]:
        return [self.steps[0].left_table, *(step.right_table for step in self.steps)]

    def to_dict(self) -> dict[str, Any]:
        return {
            "score": self.score,
            "tables": self.tables,
            "steps": [step.to_dict() for step in self.steps],
            "kept": self.kept,
            "rows": self.rows,
            "exact": self.exact,
            "commands": list(self.commands),
            "copies": [list(tables) for tables in self.copies],
        }


@dataclass
class Paths(Sequence[Path]):
    """Join paths between two tables; behaves as a list of them."""

    first: str
    second: str
    paths: list[Path]
    snapshot: int
    took_ms: float
    searched: dict[str, int]  # tables, columns, segments; tables_asked, questions, links
    longest: int
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, place: Any) -> Any:
        return self.paths[place]

    def __iter__(self) -> Iterator[Path]:
        return iter(self.paths)

    def to_dict(self) -> dict[str, Any]:
        """The JSON document."""
        return {
            "kind": "paths",
            "snapshot": self.snapshot,
            "took_ms": round(self.took_ms, 3),
            "first": self.first,
            "second": self.second,
            "longest": self.longest,
            "searched": self.searched,
            "paths": self.to_dicts(),
            "notes": self.notes,
        }

    def to_dicts(self) -> list[dict[str, Any]]:
        return [path.to_dict() for path in self.paths]

    def to_arrow(self) -> Any:
        """One row per path; steps as JSON text."""
        import pyarrow as pa

        schema = pa.schema(
            [
                ("score", pa.float64()), ("tables", pa.list_(pa.string())), ("steps", pa.string()),
                ("kept", pa.float64()), ("rows", pa.float64()), ("exact", pa.bool_()),
                ("commands", pa.list_(pa.string())), ("copies", pa.list_(pa.list_(pa.string()))),
            ]
        )  # fmt: skip
        rows = [{**path, "steps": json.dumps(path["steps"], ensure_ascii=False)} for path in self.to_dicts()]
        return pa.Table.from_pylist(rows, schema)

    def to_pandas(self) -> Any:
        require("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        return require("polars").from_arrow(self.to_arrow())

    def summary(self) -> str:
        """What was searched, in one line; an empty answer says it too."""
        count = "no path" if not self.paths else "1 path" if len(self.paths) == 1 else f"{len(self.paths)} paths"
        steps = "1 step" if self.longest == 1 else f"{self.longest} steps"
        return (
            f"{count} of at most {steps} in {self.took_ms:.0f} ms; {self.searched['links']:,} links of "
            f"{self.searched['tables_asked']:,} tables were looked at, of {self.searched['tables']:,} tables of "
            f"snapshot {self.snapshot}"
        )

    def __repr__(self) -> str:
        lines = [f"{path.score:10.4g}  {' -> '.join(path.tables)}" for path in self.paths]
        return "\n".join([f"<paths: {self.summary()}>", *lines])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("score", "path", "joins", "rows"))
        body = "".join(_html_row(path) for path in self.paths)
        notes = "".join(f"<br>note: {html.escape(note)}" for note in self.notes)
        caption = f"<caption>paths: {html.escape(self.summary())}{notes}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_row(path: Path) -> str:
    joins = "<br>".join(
        html.escape(
            ", ".join((f"{step.left_column} = {step.right_column}: {step.shared:,} shared", step.shape, *step.marks))
        )
        for step in path.steps
    )
    rows = f"{'' if path.exact else 'about '}{path.rows:,.0f}"
    cells = [f"{path.score:.3g}", html.escape(" -> ".join(path.tables)), joins, rows]
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
