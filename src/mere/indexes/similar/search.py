"""Which columns of one segment match enough of the query's values?  One engine is chosen by embedder and mode."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mere.answers import Hit
from mere.compiled import Trial
from mere.indexes.kind import Part
from mere.indexes.sets.eligible_columns import eligible_columns, hits_among
from mere.indexes.sets.question import Question
from mere.indexes.similar import spelling
from mere.indexes.similar.plan import vectors_of
from mere.indexes.similar.records import NO_PLACE, Matches, Vectors, Wanted
from mere.indexes.similar.sparse import search as sparse
from mere.indexes.similar.state import Frozen


def hits_of(part: Part, probe: Mapping[str, Any], bound: float) -> Iterator[Hit]:
    """The columns, or tables, of the part that match at least the needed number of the query's values."""
    size = len(probe["hashes"])
    if size == 0 or probe["numeric"] or len(part.arrays["values"]) == 0:
        return iter(())
    eligible = eligible_columns(part, probe)
    need = max(probe["need"], math.ceil(bound * size - 1e-6))
    owned = eligible.starts[1:] > eligible.starts[:-1]
    counts = counted(part, probe, Wanted(probe["limit"], need, owned))
    sets = np.flatnonzero(owned & (counts >= need)).astype(np.uint32)
    return hits_among(part, eligible, (sets, counts[sets] / size), probe)


def counted(part: Part, probe: Mapping[str, Any], wanted: Wanted) -> np.ndarray:
    """Per set, how many of the query's values match; exact where it reaches `wanted.need`."""
    vectors, equal, mode = vectors_of(probe), equal_places(part, Question.of(probe)), probe["mode"]
    is_sparse = Frozen.read(part.arrays).is_sparse
    if is_sparse and mode in ("auto", "scan"):
        return sparse.counted(part, vectors, equal, wanted, sparse.Limits(mode == "scan", probe["memory"]))
    vectors = with_stored(part, vectors, equal)
    only_equal = equal[(equal >= 0) & _is_zero(vectors)]  # zero vectors match nothing, but equal values match
    less = wanted._replace(need=max(1, wanted.need - len(only_equal)))
    counts = _counted_by_vectors(part, vectors, less, probe)
    sets, _ = sparse.sets_of_places(part.arrays, only_equal)
    return counts + np.bincount(sets, minlength=len(counts))


def _counted_by_vectors(part: Part, vectors: Vectors, wanted: Wanted, probe: Mapping[str, Any]) -> np.ndarray:
    if probe["mode"] in ("auto", "scan"):
        from mere.indexes.similar import dense

        return dense.counted(part.arrays, sparse.lists_of(part), vectors, wanted, _options(probe))
    from mere.indexes.similar import by_pexeso

    return by_pexeso.counted(part, sparse.lists_of(part), vectors, wanted, (probe["mode"], probe["memory"]))


def matched(part: Part, probe: Mapping[str, Any], chosen: np.ndarray) -> Iterator[Matches]:
    """The matching pairs of the query's values and the chosen places, piece by piece; equal values have distance 0."""
    vectors, limit = vectors_of(probe), probe["limit"]
    equal = equal_places(part, Question.of(probe))
    known = np.flatnonzero((equal >= 0) & _is_zero(vectors) & np.isin(equal, chosen))
    yield Matches(known, equal[known], np.zeros(len(known)))
    vectors = with_stored(part, vectors, equal)
    if Frozen.read(part.arrays).is_sparse:
        yield from sparse.matched(part, vectors, limit, chosen)
    else:
        from mere.indexes.similar import dense

        is_chosen = np.zeros(len(part.arrays["values"]), bool)
        is_chosen[chosen] = True
        yield from dense.matched(part.arrays, vectors, limit, is_chosen, _options(probe))


def with_stored(part: Part, vectors: Vectors, equal: np.ndarray) -> Vectors:
    """The query's vectors; that of a value which the part has is the stored one: a model's last bits may vary."""
    if vectors.dense.shape[1] == 0:
        return vectors
    from mere.indexes.similar import dense

    known, mine = np.flatnonzero(equal >= 0), vectors.dense.copy()
    mine[known] = dense.vectors_at(part.arrays, equal[known])
    return vectors._replace(dense=mine)


def _is_zero(vectors: Vectors) -> np.ndarray:
    return np.asarray(vectors.norms == 0 if vectors.dense.shape[1] == 0 else ~vectors.dense.any(axis=1))


def _options(probe: Mapping[str, Any]) -> Any:
    from mere.indexes.similar import dense

    return dense.Options("product" if probe["mode"] == "scan" else "auto", probe["memory"])


def equal_places(part: Part, question: Question) -> np.ndarray:
    """The place of the value that equals each of the query's, or NO_PLACE."""
    return places_of_ids(part, part.find(question.values, question.hashes))


def places_of_ids(part: Part, ids: np.ndarray) -> np.ndarray:
    """The place of each id of the dictionary, NO_PLACE for -1 and for those that are not compared."""
    values = part.arrays["values"]
    short = len(values) - (len(part.arrays["masses"]) if Frozen.read(part.arrays).is_sparse else 0)
    places = np.full(len(ids), NO_PLACE)
    for start, run in ((0, values[:short]), (short, values[short:])):  # two runs of ascending ids
        if len(run):
            found = np.minimum(np.searchsorted(run, np.maximum(ids, 0).astype(np.uint32)), len(run) - 1)
            places = np.where(run[found] == ids, start + found, places)
    return places


def warm(parts: Sequence[Part]) -> list[Trial]:
    """Compiles what a question in the default mode needs."""
    for part in parts[:1]:
        if not Frozen.read(part.arrays).is_sparse:
            from mere.indexes.similar import dense

            return [part.segment.dictionary.trial(), dense.trial(part.arrays, sparse.lists_of(part))]
        statistics = spelling.Statistics.read(part.arrays)
        return [part.segment.dictionary.trial(), spelling.trial(statistics), sparse.trial(part)]
    return []
