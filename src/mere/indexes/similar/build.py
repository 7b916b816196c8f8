"""What does a segment store?

    embedder              the embedder's name, version and distances (`state`)
    word.weights          u8 per bucket: how rare words are      } of the embedder for spellings
    gram.ranks            u8 per bucket: how common features are }
    set.of_column         u32 per column of the segment: its set, or NO_SET
    column.starts         where each set's columns start, and where the last one's end
    columns               u32: the columns of each set, ascending
    values, value.sets, list.*, bitmaps, posting.*               see `sparse.build`
    dense.*                                                      see `dense`

Only columns that are not numbers are indexed: numbers have no spelling.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mere.indexes.kind import Arrays
from mere.indexes.sets.duplicate_sets import distinct_sets
from mere.indexes.similar.embedders import embedder_named
from mere.indexes.similar.embedders.remembered import embed_remembered
from mere.indexes.similar.records import dense_vectors
from mere.indexes.similar.sparse.build import in_order, sets_of_values, sparse_arrays
from mere.indexes.similar.spelling import Statistics
from mere.indexes.similar.state import Frozen
from mere.indexes.similar.train import EMBEDDER
from mere.segments import Segment


def arrays_of(segment: Segment, trained: Arrays, settings: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """All arrays of the kind for a segment."""
    sets = distinct_sets(segment, numbers=False)
    column_starts, columns = sets.columns()
    frozen, values = Frozen.read(trained), _distinct(sets.ids, len(segment.dictionary))
    if frozen.is_sparse:
        values = in_order(values, segment.dictionary.values)
        statistics = Statistics.read(trained)
        vectors = {**statistics.arrays(), **sparse_arrays(values, segment.dictionary.values, statistics)}
    else:
        from mere.indexes.similar import dense

        embedder = embedder_named(settings[EMBEDDER])
        made = embed_remembered(embedder, segment.dictionary.values.take(values).tolist())
        vectors = {"dense.axes": trained["dense.axes"], **dense.arrays_of(dense_vectors(made), trained["dense.axes"])}
    return {
        "embedder": trained["embedder"],
        "set.of_column": sets.of_column,
        "column.starts": column_starts,
        "columns": columns,
        "values": values.astype(np.uint32),
        **sets_of_values(values, sets),
        **vectors,
    }


def _distinct(ids: np.ndarray, count: int) -> np.ndarray:
    """The distinct ids, ascending, of a dictionary with so many values."""
    present = np.zeros(count, bool)
    present[ids] = True
    return np.flatnonzero(present)
