"""What must a lake learn once: how rare words and features are, or the principal axes of a model's vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mere.indexes.sets.duplicate_sets import is_numeric
from mere.indexes.similar import spelling
from mere.indexes.similar.embedders import embedder_named
from mere.indexes.similar.embedders.remembered import embed_remembered
from mere.indexes.similar.records import dense_vectors
from mere.indexes.similar.state import SPELLING, Frozen
from mere.segments import Table
from mere.store import Strings, offsets_of, places_of

EMBEDDER = "similar_embedder"
SAMPLE, DENSE_SAMPLE = 60_000, 20_000  # distinct values to learn from


def trained_on(sample: Sequence[Table], settings: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The frozen state, learnt from the values of the sample that have the smallest hashes."""
    name = settings.get(EMBEDDER, SPELLING.name)
    if name == SPELLING.name:
        statistics = spelling.statistics_of(Strings.concat(list(_sampled(sample, SAMPLE))))
        return {"embedder": SPELLING.array(), **statistics.arrays()}
    from mere.indexes.similar import dense

    embedder = embedder_named(name)
    texts = [text for piece in _sampled(sample, DENSE_SAMPLE) for text in piece.tolist()]
    vectors = dense_vectors(embed_remembered(embedder, texts)).dense
    return {"embedder": Frozen.of(embedder).array(), "dense.axes": dense.principal_axes(vectors)}


def _sampled(tables: Sequence[Table], most: int) -> Iterator[Strings]:
    """The values of columns that are not numbers, at most so many distinct ones, table by table."""
    pieces = [(table, _text_places(table)) for table in tables]
    hashes = np.sort(np.concatenate([np.zeros(0, np.uint64), *(table.sets.hashes[at] for table, at in pieces)]))
    hashes = hashes[np.append(True, hashes[1:] != hashes[:-1])[: len(hashes)]]  # distinct: much faster than np.unique
    last = hashes[most - 1] if len(hashes) > most else np.uint64(0xFFFFFFFFFFFFFFFF)
    chosen = [at[table.sets.hashes[at] <= last] for table, at in pieces]
    sampled = np.concatenate(
        [np.zeros(0, np.uint64), *(t.sets.hashes[at] for (t, _), at in zip(pieces, chosen, strict=True))]
    )
    is_first = np.zeros(len(sampled), bool)
    is_first[np.unique(sampled, return_index=True)[1]] = True
    edges = offsets_of(np.array([len(at) for at in chosen], np.int64))
    for number, (table, _) in enumerate(pieces):
        new = chosen[number][is_first[edges[number] : edges[number + 1]]]
        yield table.sets.values.take(new)


def _text_places(table: Table) -> np.ndarray:
    columns = np.flatnonzero(~is_numeric(table.columns.types))
    starts = table.sets.starts
    return places_of(starts[columns], starts[columns + 1] - starts[columns])
