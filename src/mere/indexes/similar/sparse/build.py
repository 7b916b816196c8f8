"""What does a segment store for the engine for sparse vectors?

    values                u32: ids of the values of columns that are not numbers, ascending; the place is the number here
    bitmaps               u64 per value: bit (feature modulo 64) is set for each of its features
    posting.starts        u32 (blocks, buckets + 1): blocks of 65,536 values; a bucket is the upper bits of a feature
    posting.places        u16: places within the block, by bucket; ascending
    value.sets            u32 per value: its set, or the number of a list with the highest bit set
    list.starts           where each list of several sets starts, and where the last one ends
    list.sets             u32: the sets, ascending
"""

from __future__ import annotations

import math

import numpy as np

from mere import compiled
from mere.compiled import Trial, read_only
from mere.indexes.sets.duplicate_sets import DistinctSets
from mere.indexes.similar.records import TOLERANCE, Vectors
from mere.indexes.similar.sparse import numpy as in_numpy
from mere.indexes.similar.sparse.records import BLOCK, REACH, SEVERAL
from mere.indexes.similar.spelling import Statistics, embed
from mere.indexes.similar.spelling.features import BUCKETS
from mere.store import Strings, offsets_of, places_of

INDEXING = compiled.Group("similar-prefixes", ("mere.indexes.similar.sparse.kernels",), compiling=1.5)
_LIST = 8  # postings per bucket that are aimed at


def least_cosine(limit: float) -> float:
    """The cosine of the angle between unit vectors at this distance, a little less."""
    limit += TOLERANCE
    return 1.0 - limit * limit / 2.0


def sparse_arrays(values: np.ndarray, texts: Strings, statistics: Statistics) -> dict[str, np.ndarray]:
    """The posting lists and bitmaps of the values with these ids."""
    shift = 32 - max(1, math.ceil(math.log2(max(2, min(len(values), BLOCK) * 8 // _LIST))))
    starts, places, bitmaps = [], [], []
    done = 0
    for first in range(0, len(values), BLOCK):
        vectors = embed(texts.take(values[first : first + BLOCK]), statistics)
        block_starts, block_places = _postings(vectors, statistics, shift)
        starts.append(block_starts + done)
        places.append(block_places)
        bitmaps.append(in_numpy.bitmaps(vectors))
        done += len(block_places)
    buckets = (1 << (32 - shift)) + 1
    return {
        "bitmaps": np.concatenate([np.zeros(0, np.uint64), *bitmaps]),
        "posting.starts": np.array(starts, np.uint32).reshape(-1, buckets),
        "posting.places": np.concatenate([np.zeros(0, np.uint16), *places]),
    }


def _postings(vectors: Vectors, statistics: Statistics, shift: int) -> tuple[np.ndarray, np.ndarray]:
    """The posting lists of one block: where each bucket starts, and the places."""
    keys, owners = _prefixes(vectors, statistics.ranks)
    buckets = keys >> np.uint32(shift)
    order = np.argsort(buckets, kind="stable")
    counts = np.bincount(buckets, minlength=1 << (32 - shift))
    return offsets_of(counts), owners[order].astype(np.uint16)


def _prefixes(vectors: Vectors, ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The features of the prefixes for `REACH`, and their vectors."""
    cosine = least_cosine(REACH)
    if not compiled.ready(INDEXING, trial):
        with compiled.time_fallback(INDEXING):
            return in_numpy.prefixes(vectors, ranks, cosine)
    from mere.indexes.similar.sparse import kernels

    features, owners = np.empty(len(vectors.grams), np.uint32), np.empty(len(vectors.grams), np.uint32)
    known = Vectors(*map(read_only, vectors))
    used = kernels.prefixes(known, read_only(ranks), cosine**2 * (1 - 1e-9), features, owners)
    return features[:used], owners[:used]


def trial() -> Trial:
    """Compiles what finding prefixes needs."""
    return Trial(INDEXING, (("prefixes", _find_nothing),))


def _find_nothing() -> None:
    from mere.indexes.similar.sparse import kernels

    known, nothing = Vectors(*map(read_only, in_numpy.no_vectors())), np.zeros(0, np.uint32)
    kernels.prefixes(known, read_only(np.zeros(BUCKETS, np.uint8)), 0.5, nothing, nothing.copy())


def sets_of_values(values: np.ndarray, sets: DistinctSets) -> dict[str, np.ndarray]:
    """The sets of each value; most values are in one only."""
    places = np.searchsorted(values, sets.ids)
    owners = np.repeat(np.arange(len(sets.sizes)), sets.sizes)
    order = np.argsort(places, kind="stable")
    owners, counts = owners[order].astype(np.uint32), np.bincount(places, minlength=len(values))
    first = offsets_of(counts)[:-1]
    several = np.flatnonzero(counts > 1)
    set_of = owners[first] if len(values) else np.zeros(0, np.uint32)
    set_of[several] = SEVERAL | np.arange(len(several), dtype=np.uint32)
    return {
        "value.sets": set_of,
        "list.starts": offsets_of(counts[several]),
        "list.sets": owners[places_of(first[several], counts[several])],
    }
