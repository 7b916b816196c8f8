"""How are the signatures of a segment stored in its file?

    shapes                u8 (ratios, thresholds, 2): the best bands and rows, as `tuning` tabulates them
    signatures            u32 (sets, hashes)
    trees                 u16, of many sets u32 (hashes, sets): tree i lists the sets in the order of their signatures
                          from place i on
    keys                  u16 (hashes, sets): the first half of the first number each tree is sorted by
    set.sizes             u32: how many values each set holds
    set.of_column         u32 per column of the segment: its set, or NO_SET
    column.starts         where each set's columns start, and where the last one's end
    columns               u32: the columns of each set, ascending

The trees are an LSH forest (Bawa, Condie, Ganesan, WWW 2005) as sorted arrays: sets that agree in r rows from place i
on lie next to each other in tree i, for every r, so any number of rows can be asked for.  Band j of r rows begins at
place j * r, so tree i is sorted as deep as the largest r that divides i.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mere import compiled
from mere.indexes.containment.minhash import SIGNING, signatures, trial
from mere.indexes.containment.records import HASHES
from mere.indexes.containment.tuning import DEPTH, best_shapes
from mere.indexes.sets.duplicate_sets import WITH_NUMBERS, distinct_sets
from mere.segments import Segment
from mere.store import narrowest

_LARGE = 1_000_000  # values: loading the kernel takes less time than NumPy


def arrays_of(segment: Segment, settings: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """All arrays of the kind for a segment."""
    sets = distinct_sets(segment, bool(settings.get(WITH_NUMBERS, True)))
    if len(sets.ids) > _LARGE:
        compiled.load(SIGNING, trial)
    signed = signatures(segment.dictionary.hashes[sets.ids], sets.starts)
    trees = np.empty((HASHES, len(signed)), narrowest(len(signed)))
    for i in range(HASHES):
        trees[i] = _tree(signed, i)
    column_starts, columns = sets.columns()
    return {
        "shapes": best_shapes(),
        "signatures": signed,
        "trees": trees,
        "keys": (signed[trees, np.arange(HASHES)[:, None]] >> np.uint32(16)).astype(np.uint16),
        "set.sizes": sets.sizes.astype(np.uint32),
        "set.of_column": sets.of_column,
        "column.starts": column_starts,
        "columns": columns,
    }


def _tree(signed: np.ndarray, first: int) -> np.ndarray:
    """The sets in the order of their signatures from a place on, as deep as bands that begin there can be.

    Most sets differ in the first number already: number and set are sorted as one, and only the others by all numbers.
    """
    depth = max(r for r in range(1, DEPTH + 1) if first % r == 0)
    numbers = signed[:, first].astype(np.uint64) << np.uint64(32)
    keys = np.sort(numbers | np.arange(len(signed), dtype=np.uint64))
    tree = (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
    if depth == 1 or first + 1 == HASHES:
        return tree
    repeats = np.diff(keys >> np.uint64(32)) == 0
    tied = np.flatnonzero(np.append(repeats, False) | np.append(False, repeats))
    several = signed[tree[tied], first : min(first + depth, HASHES)]
    tree[tied] = tree[tied][np.lexsort(several.T[::-1])]
    return tree
