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

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mere.answers import Field, Hit, shared_evidence
from mere.indexes.kind import Part
from mere.indexes.sets.question import Question
from mere.segments import Segment

EXAMPLES = 5
SET_FIELDS = (
    Field("overlap", "int64", "the same as `shared`: values of the query that the column has"),
    Field("containment", "double", "the same as `share`: overlap / values of the query"),
    Field("jaccard", "double", "overlap / values in either"),
    Field("distinct", "int64", "distinct values of the column"),
)


def with_evidence(part: Part, probe: Mapping[str, Any], hits: list[Hit]) -> list[Hit]:
    """The same hits, each with its evidence."""
    question = Question.of(probe)
    ids = part.segment.dictionary.find(question.values, question.hashes)
    known = np.flatnonzero(ids >= 0)  # the query's values that the segment has
    ids = ids[known].astype(np.uint32)
    explained = []
    for hit in hits:
        computed = _evidence(part.segment, question, ids, known, hit)
        explained.append(
            replace(hit, evidence={**hit.evidence, **shared_by(probe, hit, computed["overlap"]), **computed})
        )
    return explained


def shared_by(probe: Mapping[str, Any], hit: Hit, overlap: int) -> dict[str, Any]:
    """The evidence that every join has, of a hit with one column."""
    return shared_evidence(overlap, len(probe["hashes"]), None if probe["on"] is None else [probe["on"]], hit.columns)


def column_of(segment: Segment, table: str, column: str) -> int:
    """The number of a column that a hit names."""
    for number in segment.columns_of(bisect_left(segment.names, table)):
        if segment.column_name(number) == column:
            return number
    raise KeyError((table, column))


def _evidence(segment: Segment, question: Question, ids: np.ndarray, known: np.ndarray, hit: Hit) -> dict[str, Any]:
    column = column_of(segment, hit.table, hit.columns[0])
    theirs = segment.set_of(column)
    in_query, in_column = common_places(ids, theirs)
    mine = known[in_query]
    overlap, either = len(mine), len(question) + len(theirs) - len(mine)
    matched = np.zeros(len(question), bool)
    matched[mine] = True
    return {
        "overlap": overlap,
        "containment": overlap / len(question),
        "jaccard": overlap / either,
        "distinct": len(theirs),
        "fan_out": fan_out(question.counts[mine], segment.counts_of(column)[in_column]),
        "matched": _examples(question, matched),
        "unmatched": _examples(question, ~matched),
    }


def common_places(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places of the numbers in both arrays; each array ascends, without repeats.

    >>> common_places(np.array([1, 3, 5]), np.array([3, 4, 5]))
    (array([1, 2]), array([0, 2]))
    """
    if len(left) > len(right):
        there, here = common_places(right, left)
        return here, there
    place = np.searchsorted(right, left)
    in_left = np.flatnonzero(place < len(right))
    in_left = in_left[right[place[in_left]] == left[in_left]]
    return in_left, place[in_left]


def fan_out(left: np.ndarray, right: np.ndarray) -> dict[str, Any]:
    """How many rows a join has, given how many rows on either side have each matched value.

    >>> fan_out(np.array([1, 1]), np.array([3, 1]))
    {'rows': 4, 'left': 1.0, 'right': 2.0, 'left_max': 1, 'right_max': 3, 'shape': 'one-to-many'}
    """
    if len(left) == 0:
        return {"rows": 0, "left": 0.0, "right": 0.0, "left_max": 0, "right_max": 0, "shape": "none"}
    most = int(left.max()), int(right.max())
    shape = "-to-".join("one" if rows == 1 else "many" for rows in most)
    return {
        "rows": int(np.dot(left.astype(np.int64), right.astype(np.int64))),
        "left": float(left.mean()),
        "right": float(right.mean()),
        "left_max": most[0],
        "right_max": most[1],
        "shape": shape,
    }


def _examples(question: Question, chosen: np.ndarray) -> list[str]:
    return sorted(question.values[i] for i in np.flatnonzero(chosen)[:EXAMPLES].tolist())
