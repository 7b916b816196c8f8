"""Why is a column a hit: how much is shared, how large would a join be, and which values do and do not match?

overlap       distinct values in both                      containment   share of the query's values
distinct      distinct values of the column                jaccard       overlap / values in either
fan_out       rows        rows of the inner join
              left        the query's rows per matched value, on average; left_max the most
              right       the table's rows per matched value; right_max the most
              shape       one-to-one, one-to-many, many-to-one or many-to-many
matched, unmatched         a few of the query's values, chosen by hash: the same few on every machine
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mere.answers import Field, Hit, shared_evidence
from mere.indexes.kind import Part
from mere.indexes.sets.comparing import compared, counted
from mere.indexes.sets.question import Question
from mere.store import Strings

SET_FIELDS = (
    Field("overlap", "int64", "the same as `shared`: values of the query that the column has"),
    Field("containment", "double", "the same as `share`: overlap / values of the query"),
    Field("jaccard", "double", "overlap / values in either"),
    Field("distinct", "int64", "distinct values of the column"),
)


def with_evidence(part: Part, probe: Mapping[str, Any], hits: list[Hit]) -> list[Hit]:
    """The same hits, each with its evidence."""
    question, segment = Question.of(probe), part.segment
    columns = np.array([segment.column_number(hit.table, hit.columns[0]) for hit in hits], np.int64)
    result, examples = compared(part, question, columns), Examples(question.values)
    starts = segment.values["set.starts"]
    sizes = (starts[columns + 1] - starts[columns]).tolist()
    each = zip(hits, sizes, result.counted.tolist(), result.matched.tolist(), result.unmatched.tolist(), strict=True)
    return [
        replace(
            hit,
            evidence={
                **hit.evidence,
                **shared_by(probe, hit, counts[0]),
                **_shares(counts[0], len(question), distinct),
                "fan_out": fan_out_of(*counts),
                "matched": examples.at(matched),
                "unmatched": examples.at(unmatched),
            },
        )
        for hit, distinct, counts, matched, unmatched in each
    ]


def _shares(overlap: int, size: int, distinct: int) -> dict[str, Any]:
    return {
        "overlap": overlap,
        "containment": overlap / size,
        "jaccard": overlap / (size + distinct - overlap),
        "distinct": distinct,
    }


class Examples:
    """The query's values as examples; hits often have the same ones, so each is decoded once."""

    def __init__(self, values: Strings) -> None:
        self._values = values
        self._known: dict[int, str] = {}

    def at(self, places: Sequence[int]) -> list[str]:
        """The values at some places, in alphabetical order; -1 is no place."""
        for place in places:
            if place >= 0 and place not in self._known:
                self._known[place] = self._values[place]
        return sorted(self._known[place] for place in places if place >= 0)


def shared_by(probe: Mapping[str, Any], hit: Hit, overlap: int) -> dict[str, Any]:
    """The evidence that every join has, of a hit with one column."""
    return shared_evidence(overlap, len(probe["hashes"]), None if probe["on"] is None else [probe["on"]], hit.columns)


def fan_out_of(matched: int, rows: int, left: int, right: int, left_max: int, right_max: int) -> dict[str, Any]:
    """How many rows a join has: `left` and `right` are the rows of either side that hold a matched value.

    >>> fan_out_of(2, 4, 2, 4, 1, 3)
    {'rows': 4, 'left': 1.0, 'right': 2.0, 'left_max': 1, 'right_max': 3, 'shape': 'one-to-many'}
    """
    if matched == 0:
        return {"rows": 0, "left": 0.0, "right": 0.0, "left_max": 0, "right_max": 0, "shape": "none"}
    return {
        "rows": rows,
        "left": left / matched,
        "right": right / matched,
        "left_max": left_max,
        "right_max": right_max,
        "shape": f"{'one' if left_max == 1 else 'many'}-to-{'one' if right_max == 1 else 'many'}",
    }


def fan_out(left: np.ndarray, right: np.ndarray) -> dict[str, Any]:
    """The same, given how many rows on either side have each matched value.

    >>> fan_out(np.array([1, 1]), np.array([3, 1]))["shape"]
    'one-to-many'
    """
    [counts] = counted(np.array([0, len(left)]), left, right).tolist()
    return fan_out_of(*counts)
