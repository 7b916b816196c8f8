"""The same question, answered straight from its definition: every value against every value."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mere.answers import Hit, best
from mere.indexes.kind import Arrays
from mere.indexes.sets.question import distinct_of
from mere.indexes.similar.embedders import embedder_named
from mere.segments import Table
from mere.values import Type
from tests.oracles.ranking import tie_of
from tests.oracles.spelling import spelling_vector

Vector = Mapping[int, float]
Match = tuple[float, bool, int, str]  # distance, whether the value differs from mine, its place, the value


def brute(query: Mapping[str, Any], tables: Sequence[Table], settings: Mapping[str, Any], trained: Arrays) -> list[Hit]:
    """The best k columns, or tables, by the share of the query's values that match, in order."""
    mine = distinct_of(query["values"])
    if mine.numeric:
        return []
    counts = dict(zip(mine.values.tolist(), mine.counts.tolist(), strict=True))
    limit, vectors = _limit(query, trained), Vectors(trained)
    hits = []
    for table in tables:
        if table.facts.name == query.get("skip") or query.get("table") not in (None, table.facts.name):
            continue
        found = []
        for name, theirs in _text_columns(table):
            matches = {text: _matches(text, theirs, vectors, limit) for text in counts}
            matches = {text: several for text, several in matches.items() if several}
            if matches and len(matches) >= query.get("share", 0.6) * len(counts) - 1e-9:
                tie = tie_of(query, list(counts), False, table, table.columns.names.index(name))
                kept = matches if query.get("matches") == "all" else {text: matches[text][:1] for text in matches}
                evidence = {**_evidence(counts, theirs, kept), "limit": round(limit / 2, 6)}
                found.append(Hit(table.facts.name, (name,), len(matches) / len(counts), True, evidence, tie))
        hits += found if query.get("per") == "column" else best(found, 1)
    return best(hits, query.get("k", 10))


def _text_columns(table: Table) -> list[tuple[str, dict[str, int]]]:
    """Of each column that is not of numbers its name, and its values with the rows that hold each."""
    values, counts, starts = table.sets.values.tolist(), table.sets.counts.tolist(), table.sets.starts
    return [
        (name, dict(zip(values[starts[c] : starts[c + 1]], counts[starts[c] : starts[c + 1]], strict=True)))
        for c, name in enumerate(table.columns.names)
        if table.columns.types[c] not in (Type.INTEGER, Type.DECIMAL)
    ]


def _limit(query: Mapping[str, Any], trained: Arrays) -> float:
    words = json.loads(trained["embedder"].tobytes())["distances"]
    distance = query.get("distance")
    return 2 * float(distance if isinstance(distance, float) else words[distance or "normal"])


class Vectors:
    """The vector of each value, made once."""

    def __init__(self, trained: Arrays) -> None:
        self._trained = trained
        self._name = json.loads(trained["embedder"].tobytes())["name"]
        self._known: dict[str, Vector] = {}

    def of(self, text: str) -> Vector:
        if text not in self._known:
            self._known[text] = self._made(text)
        return self._known[text]

    def _made(self, text: str) -> Vector:
        if self._name == "spelling":
            return spelling_vector(text, self._trained["word.weights"])
        [vector] = np.asarray(embedder_named(self._name).embed([text]), np.float64)
        length = math.sqrt(float((vector * vector).sum()))
        unit = (vector / length).astype(np.float32) if length else vector
        return dict(enumerate(unit.astype(np.float64).tolist()))


def _matches(text: str, theirs: Mapping[str, int], vectors: Vectors, limit: float) -> list[Match]:
    """The column's values that match one of mine, the closest first."""
    mine = vectors.of(text)
    distances = [0.0 if value == text else distance_between(mine, vectors.of(value)) for value in theirs]
    found = [
        (distance, value != text, place, value)
        for place, (value, distance) in enumerate(zip(theirs, distances, strict=True))
    ]
    return sorted(match for match in found if match[0] <= limit + 1e-9)


def distance_between(left: Vector, right: Vector) -> float:
    norms = [float(sum(x * x for x in side.values())) for side in (left, right)]
    if not all(norms):
        return math.inf
    if all(isinstance(x, float) for x in left.values()):  # of unit length
        return math.sqrt(sum((x - right[place]) ** 2 for place, x in left.items()))
    product = sum(weight * right.get(gram, 0) for gram, weight in left.items())
    return math.sqrt(max(0.0, 2 - 2 * (product / math.sqrt(norms[0] * norms[1]))))


def _evidence(mine: Mapping[str, int], theirs: Mapping[str, int], kept: Mapping[str, list[Match]]) -> dict[str, Any]:
    order = {text: place for place, text in enumerate(mine)}
    pairs = sorted((d, order[text], place, text, value) for text in kept for d, _, place, value in kept[text])
    right = {text: sum(theirs[value] for _, _, _, value in kept[text]) for text in kept}
    left: dict[str, int] = {}
    for _, _, _, text, value in pairs:
        left[value] = left.get(value, 0) + mine[text]
    most = max(left.values()), max(right.values())
    return {
        "shared": len(kept),
        "share": len(kept) / len(mine),
        "equal": sum(text == value for _, _, _, text, value in pairs),
        "pairs": [[text, value, round(distance / 2, 6)] for distance, _, _, text, value in pairs],
        "fan_out": {
            "rows": sum(mine[text] * right[text] for text in kept),
            "left": sum(mine[text] for text in kept) / len(kept),
            "right": sum(right.values()) / len(kept),
            "left_max": most[0],
            "right_max": most[1],
            "shape": "-to-".join("one" if rows == 1 else "many" for rows in most),
        },
    }
