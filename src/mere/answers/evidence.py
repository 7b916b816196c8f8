"""Which names does evidence have?

Evidence is a mapping that can be written as JSON.  Its **main fields** are declared here or by the kind that has them,
with a type; `Hits.to_arrow`, `to_pandas` and `to_polars` give each of them a column of its own, and the rest as JSON
text in the column `evidence`.

Every kind that finds joins has `JOIN_FIELDS`, under these names:

    shared      distinct values (or keys) of the query that the table has
    share       shared / distinct values (or keys) of the query
    mapping     the query's column -> the table's column; a query column without a name is its position, from "1"
    fan_out     what a join does to rows: {rows, left, right, left_max, right_max, shape}; None if it was not counted
    matched     examples of the query's values (or keys) that match
    unmatched   examples that do not
    on          the names of the query's columns; absent if they have none
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Field:
    """One main field of evidence: the name of its column, its Arrow type, its meaning, and where it is found."""

    name: str
    type: str  # an Arrow type's name: int64, double, string, bool, list<string>, json
    meaning: str
    path: tuple[str, ...] = ()  # keys from the evidence to the value; the name itself if empty

    @property
    def keys(self) -> tuple[str, ...]:
        return self.path or (self.name,)

    def value(self, evidence: Mapping[str, Any]) -> Any:
        """The value in this evidence; None if it is not there."""
        value: Any = evidence
        for key in self.keys:
            value = value.get(key) if isinstance(value, Mapping) else None
        return value


JOIN_FIELDS = (
    Field("shared", "int64", "distinct values (or keys) of the query that the table has"),
    Field("share", "double", "shared / distinct values (or keys) of the query"),
    Field("mapping", "json", "the query's column -> the table's column"),
    Field("join_shape", "string", "one-to-one, one-to-many, many-to-one or many-to-many", ("fan_out", "shape")),
    Field("join_rows", "int64", "rows of the inner join", ("fan_out", "rows")),
    Field("matched", "json", "examples of the query's values (or keys) that match"),
    Field("unmatched", "json", "examples that do not"),
)


def shared_evidence(shared: int, size: int, on: Sequence[str] | None, columns: Sequence[str]) -> dict[str, Any]:
    """The fields of a join that follow from its counts and columns; `size` is what the query has.

    >>> shared_evidence(2, 4, ["land"], ["country"])
    {'shared': 2, 'share': 0.5, 'mapping': {'land': 'country'}, 'on': ['land']}
    >>> shared_evidence(0, 0, None, ["country"])
    {'shared': 0, 'share': 0.0, 'mapping': {'1': 'country'}}
    """
    names = [str(place + 1) for place in range(len(columns))] if on is None else list(on)
    counts = {"shared": shared, "share": shared / size if size else 0.0}
    return {**counts, "mapping": dict(zip(names, columns, strict=True)), **({} if on is None else {"on": names})}
