"""Why is a column a hit: which of its values match mine, and how close are they?

pairs         [my value, the column's value, distance], by distance; of several values that match mine the closest,
              of equally close ones an equal one, then the first in the dictionary's order; or all of them
limit         the largest distance of a match
equal         pairs of equal values
Distances are shares of the largest distance, 2: 0 is equal or equivalent spelling.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from mere.answers import Field, Hit, shared_evidence
from mere.indexes.kind import Part
from mere.indexes.sets.comparing import EXAMPLES
from mere.indexes.sets.evidence import fan_out
from mere.indexes.sets.question import Question
from mere.indexes.similar.records import FARTHEST
from mere.indexes.similar.search import equal_places, matched, places_of_ids
from mere.indexes.similar.sparse.search import expanded
from mere.store import offsets_of

PAIR_FIELDS = (
    Field("pairs", "json", "[my value, the column's value, distance] of every match, or of the closest"),
    Field("equal", "int64", "of `shared`, how many values are equal"),
    Field("limit", "double", "the largest distance of a match, as a share of the largest distance there is"),
)


class Pairs(NamedTuple):
    """Matching pairs of values in sets, by numbers."""

    set: np.ndarray
    query: np.ndarray
    distance: np.ndarray
    place: np.ndarray


def explain(part: Part, probe: Mapping[str, Any], hits: list[Hit]) -> list[Hit]:
    """The same hits, each with its pairs."""
    columns = [part.segment.column_number(hit.table, hit.columns[0]) for hit in hits]
    pairs = _pairs_of(part, probe, columns)
    sets = part.arrays["set.of_column"]
    explained = []
    for hit, column in zip(hits, columns, strict=True):
        a, b = np.searchsorted(pairs.set, [int(sets[column]), int(sets[column]) + 1]).tolist()
        computed = _evidence(part, probe, column, Pairs(*(side[a:b] for side in pairs)))
        on = None if probe["on"] is None else [probe["on"]]
        shared = shared_evidence(computed.pop("shared"), len(probe["hashes"]), on, hit.columns)
        explained.append(replace(hit, evidence={**hit.evidence, **shared, **computed}))
    return explained


def _pairs_of(part: Part, probe: Mapping[str, Any], columns: list[int]) -> Pairs:
    """The pairs of the query's values with those of the columns, by set, then by distance."""
    ids_of, equal = part.arrays["values"], equal_places(part, Question.of(probe))
    chosen, starts, owners = _chosen_places(part, columns)
    best = probe["matches"] == "best"
    pieces = [Pairs(*(np.zeros(0, kind) for kind in (np.uint32, np.int64, np.float64, np.int64)))]
    for piece in matched(part, probe, chosen):
        at = np.searchsorted(chosen, piece.place)
        for entry, places in expanded(starts, at):
            pairs = Pairs(owners[places], piece.query[entry], piece.distance[entry], piece.place[entry])
            pieces.append(_closest(pairs, equal, ids_of) if best else pairs)
    pairs = Pairs(*(np.concatenate(sides) for sides in zip(*pieces, strict=True)))
    if best:
        pairs = _closest(pairs, equal, ids_of)
    order = np.lexsort((ids_of[pairs.place], pairs.query, pairs.distance, pairs.set))
    return Pairs(*(side[order] for side in pairs))


def _chosen_places(part: Part, columns: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The places of the columns' values, ascending; and the sets of the columns that have each, as starts and sets."""
    sets, first = np.unique(part.arrays["set.of_column"][columns], return_index=True)
    ids = [part.segment.set_of(columns[number]) for number in first.tolist()]
    places = places_of_ids(part, np.concatenate([np.zeros(0, np.uint32), *ids]))
    owners = np.repeat(sets, [len(one) for one in ids])[places >= 0]
    chosen, counts = np.unique(places[places >= 0], return_counts=True)
    return chosen, offsets_of(counts), owners[np.argsort(places[places >= 0], kind="stable")]


def _closest(pairs: Pairs, equal: np.ndarray, ids: np.ndarray) -> Pairs:
    """One pair for each set and value of the query."""
    differs = equal[pairs.query] != pairs.place
    order = np.lexsort((ids[pairs.place], differs, pairs.distance, pairs.query, pairs.set))
    ranked = Pairs(*(side[order] for side in pairs))
    first = np.ones(len(order), bool)
    first[1:] = (np.diff(ranked.set) != 0) | (np.diff(ranked.query) != 0)
    return Pairs(*(side[first] for side in ranked))


def _evidence(part: Part, probe: Mapping[str, Any], column: int, pairs: Pairs) -> dict[str, Any]:
    """What is known of the pairs of one column."""
    question, segment = Question.of(probe), part.segment
    ids = part.arrays["values"][pairs.place]
    rows = segment.counts_of(column)[np.searchsorted(segment.set_of(column), ids)].astype(np.int64)
    is_matched = np.zeros(len(question), bool)
    is_matched[pairs.query] = True
    mine, theirs = question.values.take(pairs.query).tolist(), segment.dictionary.values.take(ids).tolist()
    distances = np.round(pairs.distance / FARTHEST, 6).tolist()
    return {
        "shared": int(is_matched.sum()),
        "equal": sum(left == right for left, right in zip(mine, theirs, strict=True)),
        "limit": round(probe["limit"] / FARTHEST, 6),
        "pairs": [list(pair) for pair in zip(mine, theirs, distances, strict=True)],
        "fan_out": _fan_out(question.counts.astype(np.int64), pairs, rows),
        "matched": _examples(question, is_matched),
        "unmatched": _examples(question, ~is_matched),
    }


def _fan_out(counts: np.ndarray, pairs: Pairs, rows: np.ndarray) -> dict[str, Any]:
    """What a join on the pairs does to rows; several of my values may match one of the column's, and vice versa."""
    queries, which = np.unique(pairs.query, return_inverse=True)
    known = fan_out(counts[queries], np.bincount(which, rows, minlength=len(queries)).astype(np.int64))
    if len(queries):
        _, of_place = np.unique(pairs.place, return_inverse=True)
        known["left_max"] = int(np.bincount(of_place, counts[pairs.query]).max())
        known["shape"] = "-to-".join("one" if known[side] == 1 else "many" for side in ("left_max", "right_max"))
    return known


def _examples(question: Question, chosen: np.ndarray) -> list[str]:
    return sorted(question.values[place] for place in np.flatnonzero(chosen)[:EXAMPLES].tolist())
