"""What does a segment store?

    entry.pieces          u32: pieces, ascending; of equal ones, by set
    entry.sets            u32: the set that has each
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
from typing import Any

import numpy as np

from mere.indexes.sets.duplicate_sets import WITH_NUMBERS, DistinctSets, distinct_sets
from mere.indexes.transform.pieces import Pieces, pieces_of
from mere.segments import Segment
from mere.store import offsets_of, places_of, sums_of
from mere.values import mix

MOST_PIECES = "transform_pieces"  # the setting: how many pieces of a column are stored
USUAL_PIECES = 512
_AT_ONCE = 4_000_000  # pieces that are sorted together
_SET = np.uint64(32)  # bits below the number of a set in a key


def arrays_of(segment: Segment, settings: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """All arrays of the kind for a segment."""
    sets = distinct_sets(segment, bool(settings.get(WITH_NUMBERS, True)))
    most = int(settings.get(MOST_PIECES, USUAL_PIECES))
    pieces, counts = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
    for keys, sizes in _pieces_of_sets(sets, pieces_of(segment.dictionary.values), len(segment.dictionary)):
        pieces.append(keys[_ranks(sizes) < most])
        counts.append(sizes)
    keys, sizes = np.concatenate(pieces), np.concatenate(counts)
    keys = np.sort(keys << _SET | keys >> _SET)  # by piece, then by set
    column_starts, columns = sets.columns()
    return {
        "entry.pieces": (keys >> _SET).astype(np.uint32),
        "entry.sets": keys.astype(np.uint32),
        "set.pieces": sizes.astype(np.uint32),
        "set.kept": np.minimum(sizes, most).astype(np.uint32),
        "set.contents": mix(sums_of(mix(segment.dictionary.hashes[sets.ids]), sets.starts)),
        "set.of_column": sets.of_column,
        "column.starts": column_starts,
        "columns": columns,
    }


def _pieces_of_sets(sets: DistinctSets, pieces: Pieces, values: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Some sets at a time: their distinct pieces as keys (set, piece), ascending, and how many each has."""
    edges = offsets_of(np.bincount(pieces.owners, minlength=values))
    lengths = np.diff(edges)[sets.ids]
    running = offsets_of(lengths)[sets.starts]  # pieces before each set
    first = 0
    while first < len(sets.sizes):
        last = max(first + 1, int(np.searchsorted(running, running[first] + _AT_ONCE, side="right")) - 1)
        begin, end = sets.starts[first], sets.starts[last]
        ids, sizes = sets.ids[begin:end], lengths[begin:end]
        owners = np.repeat(np.arange(first, last), np.diff(running[first : last + 1])).astype(np.uint64)
        hashes = pieces.hashes[places_of(edges[ids], sizes)]
        keys = np.sort(owners << _SET | hashes)
        keys = keys[np.append(True, keys[1:] != keys[:-1])[: len(keys)]]
        yield keys, np.bincount((keys >> _SET).astype(np.int64) - first, minlength=last - first)
        first = last


def _ranks(sizes: np.ndarray) -> np.ndarray:
    """The place of each piece within its set."""
    return np.arange(sizes.sum()) - np.repeat(offsets_of(sizes)[:-1], sizes)
