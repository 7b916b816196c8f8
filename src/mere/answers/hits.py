"""What is the answer to a question: hits in order, what was searched, and the forms it converts to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from mere.answers.evidence import Field
from mere.answers.hit import Hit
from mere.answers.lazy import LazyHits
from mere.answers.shown import DEFAULT_SHOWN, Cell, Picture, Shown, score_cell, shown_cells
from mere.errors import LakeError

SHOWN = 50  # hits in a notebook, and in `repr`


@dataclass
class Hits(Sequence[Hit]):
    """The answer to one question; behaves as a list of hits.

    The evidence of a long list is computed when hits are read (`answers.lazy`).
    """

    kind: str
    hits: Sequence[Hit]
    snapshot: int
    took_ms: float
    searched: dict[str, int]
    notes: list[str] = field(default_factory=list)
    fields: tuple[Field, ...] = field(default=(), repr=False, compare=False)
    shown: tuple[Shown, ...] = field(default=DEFAULT_SHOWN, repr=False, compare=False)

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
        return [hit.to_dict() for hit in self.hits[:]]

    def to_arrow(self) -> Any:
        """One row per hit; the main fields of the evidence as columns, the rest of it as JSON text."""
        import pyarrow as pa

        common = {"table": pa.string(), "columns": pa.list_(pa.string()), "score": pa.float64(), "exact": pa.bool_()}
        main = {field.name: _arrow_type(field.type) for field in self.fields}
        rows = [{**hit.to_dict(), **self._main_fields(hit), "evidence": self._rest(hit)} for hit in self.hits[:]]
        return pa.Table.from_pylist(rows, pa.schema([*common.items(), *main.items(), ("evidence", pa.string())]))

    def _main_fields(self, hit: Hit) -> dict[str, Any]:
        values = {field.name: field.value(hit.evidence) for field in self.fields}
        as_json = {field.name for field in self.fields if field.type == "json"}
        return {
            name: _json(value) if name in as_json and value is not None else value for name, value in values.items()
        }

    def _rest(self, hit: Hit) -> str:
        """The evidence that has no column of its own; a part of a nested field leaves the field where it is."""
        in_columns = {field.keys[0] for field in self.fields if len(field.keys) == 1}
        return _json({name: value for name, value in hit.evidence.items() if name not in in_columns})

    def to_pandas(self) -> Any:
        require("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        return require("polars").from_arrow(self.to_arrow())

    def summary(self) -> str:
        """What was searched, in one line; an empty answer says it too."""
        place = f"{_counted(self.searched['tables'], 'table')}, {_counted(self.searched['columns'], 'column')}"
        return (
            f"{_counted(len(self.hits), 'hit')} in {self.took_ms:.1f} ms; searched {place} of snapshot {self.snapshot}"
        )

    def __repr__(self) -> str:
        found = self.hits.found if isinstance(self.hits, LazyHits) else self.hits
        lines = [f"{score_cell(hit):>10}  {hit.table}  {', '.join(hit.columns)}" for hit in found[:SHOWN]]
        return "\n".join([f"<{self.kind}: {self.summary()}>", *lines, *self._left_out()])

    def _left_out(self) -> list[str]:
        """What is said of hits that are not shown."""
        return [f"… and {len(self) - SHOWN:,} more"] if len(self) > SHOWN else []

    def _repr_html_(self) -> str:
        from html import escape  # slow to import, and only notebooks need it

        columns, rows = shown_cells(self.shown, self.hits[:SHOWN])
        head = "".join(f"<th>{escape(column.header)}</th>" for column in columns)
        body = "".join("<tr>" + "".join(f"<td>{_html(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        notes = "".join(f"<br>{escape(text)}" for text in [*(f"note: {n}" for n in self.notes), *self._left_out()])
        caption = f"<caption>{escape(self.kind)}: {escape(self.summary())}{notes}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def require(library: str) -> Any:
    """A library that is an extra; without it, an error that says how to install it."""
    try:
        return import_module(library)
    except ModuleNotFoundError as error:
        raise LakeError(f"{library} is not installed", f"pip install 'mere[{library}]'") from error


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _html(cell: Cell) -> str:
    from html import escape

    if isinstance(cell, str):
        return escape(cell)
    from mere.drawing import histogram_svg

    pictures = [cell] if isinstance(cell, Picture) else cell
    return "<br>".join(histogram_svg(picture.edges, picture.counts, region=picture.region) for picture in pictures)


def _json(value: Mapping[str, Any] | Sequence[Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _arrow_type(name: str) -> Any:
    import pyarrow as pa

    if name == "json":
        return pa.string()
    if name.startswith("list<"):
        return pa.list_(_arrow_type(name[5:-1]))
    return pa.type_for_alias(name)
