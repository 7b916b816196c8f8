"""What does a segment store?

    entry.pieces          u32: pieces, ascending; of equal ones, by set.  Of many entries (`HALVES`), u16: the lower
                          halves of the pieces
    entry.starts          only then: where the entries of each upper half start, and where the last one's end
    entry.sets            u16, or u32 of many sets: the set that has each
    set.pieces            u32: distinct pieces of each set
    set.kept              u32: how many of them are stored
    set.contents          u64: a hash of its values: equal for equal sets of several segments
    set.of_column         u32 per column of the segment: its set, or NO_SET
    column.starts         where each set's columns start, and where the last one's end
    columns               u32: the columns of each set, ascending

Of a set with many pieces, those with the smallest hashes are stored: a coordinated sample (Broder 1997), because a
piece that two sets share is kept in both or in neither, up to the least of their last hashes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from mere import compiled
from mere.indexes.kind import Arrays
from mere.indexes.sets.duplicate_sets import WITH_NUMBERS, DistinctSets, distinct_sets
from mere.indexes.transform.pieces import PIECES, Pieces, pieces_of, trial
from mere.segments import Segment
from mere.store import narrowest, offsets_of, places_of, sums_of
from mere.values import mix

MOST_PIECES = "transform_pieces"  # the setting: how many pieces of a column are stored
USUAL_PIECES = 512
HALVES = 1 << 19  # entries, from which on the upper halves of pieces are stored once
_AT_ONCE = 4_000_000  # pieces that are sorted together
_LARGE = 100_000  # values: loading the kernels takes less time than NumPy
_SET = np.uint64(32)  # bits below the number of a set in a key


def arrays_of(segment: Segment, settings: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """All arrays of the kind for a segment."""
    sets = distinct_sets(segment, bool(settings.get(WITH_NUMBERS, True)))
    most = int(settings.get(MOST_PIECES, USUAL_PIECES))
    values = segment.dictionary.values
    if len(values) > _LARGE:
        compiled.load(PIECES, trial)
    kept, counts = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
    for keys, sizes in _pieces_of_sets(sets, pieces_of(values), len(values), most):
        kept.append(keys)
        counts.append(sizes)
    keys, sizes = np.concatenate(kept), np.concatenate(counts)
    keys.sort()
    column_starts, columns = sets.columns()
    return {
        **_entries((keys >> _SET).astype(np.uint32)),
        "entry.sets": keys.astype(np.uint32).astype(narrowest(len(sizes))),
        "set.pieces": sizes.astype(np.uint32),
        "set.kept": np.minimum(sizes, most).astype(np.uint32),
        "set.contents": mix(sums_of(mix(segment.dictionary.hashes[sets.ids]), sets.starts)),
        "set.of_column": sets.of_column,
        "column.starts": column_starts,
        "columns": columns,
    }


def _entries(pieces: np.ndarray) -> dict[str, np.ndarray]:
    """The ascending pieces of all entries."""
    if len(pieces) < HALVES:
        return {"entry.pieces": pieces}
    starts = offsets_of(np.bincount(pieces >> np.uint32(16), minlength=1 << 16))
    return {"entry.starts": starts, "entry.pieces": pieces.astype(np.uint16)}


def entries_with(arrays: Arrays, pieces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places of the entries with some distinct pieces, and the number of the piece of each; pieces ascend."""
    stored = arrays["entry.pieces"]
    if "entry.starts" not in arrays:
        starts, ends = (np.searchsorted(stored, pieces, side=side) for side in ("left", "right"))
        return places_of(starts, ends - starts), np.repeat(np.arange(len(pieces)), ends - starts)
    upper, edges = pieces >> np.uint32(16), arrays["entry.starts"]
    lengths = edges[upper + 1] - edges[upper]
    places, numbers = places_of(edges[upper], lengths), np.repeat(np.arange(len(pieces)), lengths)
    same = stored[places] == pieces.astype(np.uint16)[numbers]
    return places[same], numbers[same]


def _pieces_of_sets(
    sets: DistinctSets, pieces: Pieces, values: int, most: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Some sets at a time: their smallest pieces as keys (piece, set), and how many distinct ones each has."""
    edges = offsets_of(np.bincount(pieces.owners, minlength=values))
    lengths = np.diff(edges)[sets.ids]
    running = offsets_of(lengths)[sets.starts]  # pieces before each set
    first = 0
    while first < len(sets.sizes):
        last = max(first + 1, int(np.searchsorted(running, running[first] + _AT_ONCE, side="right")) - 1)
        begin, end = sets.starts[first], sets.starts[last]
        hashes = pieces.hashes[places_of(edges[sets.ids[begin:end]], lengths[begin:end])]
        bounds = running[first : last + 1] - running[first]
        for a, b in pairwise(bounds.tolist()):
            hashes[a:b].sort()  # many small arrays: much faster than one of all pieces with their sets
        is_new = np.ones(len(hashes), bool)
        np.not_equal(hashes[1:], hashes[:-1], out=is_new[1:])
        is_new[bounds[:-1][np.diff(bounds) > 0]] = True
        sizes = sums_of(is_new.astype(np.int64), bounds)
        distinct = hashes[is_new]
        kept = np.minimum(sizes, most)
        places = places_of(offsets_of(sizes)[:-1], kept)
        owners = np.repeat(np.arange(first, last, dtype=np.uint64), kept)
        yield distinct[places].astype(np.uint64) << _SET | owners, sizes
        first = last
