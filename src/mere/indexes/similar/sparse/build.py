"""What does a segment store for the engine for sparse vectors?

values                u32: ids of the values of columns that are not numbers; the place is the number here.  Texts
                      of up to 24 bytes, ascending, then the longer ones, ascending
bitmaps               u64 per value: bit (feature modulo 64) is set for each of its features
least                 u8 per value: how many features a vector must share with it to be within `REACH`
masses                u8 (longer texts, 16): where the squared weights are, by class of features (modulo 16), in
                      255ths, rounded up
posting.starts        u32 (blocks, 4 * buckets + 1): blocks of 65,536 values; a bucket is the upper bits of a
                      feature; its four lists are levels of how much of a vector is left from the feature on
posting.places        u16: places within the block, list after list; ascending
value.sets            u32 per value: its set, or the number of a list with the highest bit set
list.starts           u32: where each list of several sets starts, and where the last one ends
list.sets             u32: the sets, ascending
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mere import compiled
from mere.compiled import Trial, read_only
from mere.indexes.sets.duplicate_sets import DistinctSets
from mere.indexes.similar.records import TOLERANCE, Vectors, no_vectors
from mere.indexes.similar.sparse import numpy as in_numpy
from mere.indexes.similar.sparse.records import BLOCK, CLASSES, LEVELS, LONG, REACH, SEVERAL
from mere.indexes.similar.spelling import SPELLING, Statistics, embed
from mere.indexes.similar.spelling import trial as embedding_trial
from mere.indexes.similar.spelling.features import BUCKETS
from mere.store import Strings, offsets_of, places_of, stable_order

INDEXING = compiled.Group("similar-indexing", ("mere.indexes.similar.sparse.kernels",), compiling=2.0)
_LARGE = 100_000  # values: loading the kernels takes less time than NumPy


def least_cosine(limit: float) -> float:
    """The cosine of the angle between unit vectors at this distance, a little less."""
    limit += TOLERANCE
    return 1.0 - limit * limit / 2.0


class Block(NamedTuple):
    """What is stored of a block of vectors."""

    features: np.ndarray  # of the prefixes
    owners: np.ndarray  # the vector of each
    levels: np.ndarray  # the level of each
    bitmaps: np.ndarray
    least: np.ndarray
    masses: np.ndarray


def in_order(ids: np.ndarray, texts: Strings) -> np.ndarray:
    """The ids of short texts, then those of long ones; each ascending."""
    is_long = texts.offsets[ids.astype(np.int64) + 1] - texts.offsets[ids] > LONG
    return np.concatenate([ids[~is_long], ids[is_long]])


def sparse_arrays(values: np.ndarray, texts: Strings, statistics: Statistics) -> dict[str, np.ndarray]:
    """The posting lists, bitmaps and least counts of the values with these ids."""
    bits = max(1, math.ceil(math.log2(max(2, min(len(values), BLOCK) // 4))))
    if len(values) > _LARGE:
        compiled.load(SPELLING, lambda: embedding_trial(statistics))
        compiled.load(INDEXING, trial)
    starts, places, bitmaps, least, masses = [], [], [], [], [np.zeros((0, CLASSES), np.uint8)]
    done = 0
    first_long = len(values) - np.count_nonzero(
        texts.offsets[values.astype(np.int64) + 1] - texts.offsets[values] > LONG
    )
    for first in range(0, len(values), BLOCK):
        block = indexed(embed(texts.take(values[first : first + BLOCK]), statistics), statistics.ranks)
        lists = (block.features >> np.uint32(32 - bits)) * np.uint32(LEVELS) + block.levels
        starts.append(offsets_of(np.bincount(lists, minlength=LEVELS << bits)) + done)
        by_list = np.argsort(lists.astype(np.uint16), kind="stable")  # at most 4 * 2^14 lists; NumPy's radix sort
        places.append(block.owners[by_list].astype(np.uint16))
        bitmaps.append(block.bitmaps)
        least.append(block.least)
        masses.append(block.masses[max(0, first_long - first) :])
        done += len(places[-1])
    return {
        "bitmaps": np.concatenate([np.zeros(0, np.uint64), *bitmaps]),
        "least": np.concatenate([np.zeros(0, np.uint8), *least]),
        "masses": np.concatenate(masses),
        "posting.starts": np.array(starts, np.uint32).reshape(-1, (LEVELS << bits) + 1),
        "posting.places": np.concatenate([np.zeros(0, np.uint16), *places]),
    }


def indexed(vectors: Vectors, ranks: np.ndarray) -> Block:
    """What is stored of a block of vectors."""
    if compiled.ready(INDEXING, trial):
        return indexed_compiled(vectors, ranks)
    with compiled.time_fallback(INDEXING):
        return indexed_in_numpy(vectors, ranks)


def indexed_in_numpy(vectors: Vectors, ranks: np.ndarray) -> Block:
    """The same without kernels."""
    cosine = least_cosine(REACH)
    prefixes = in_numpy.prefixes(vectors, ranks, cosine)
    levels, least = in_numpy.levels_of(prefixes.left), in_numpy.least_counts(vectors, cosine)
    bitmaps, masses = in_numpy.bitmaps(vectors), in_numpy.masses(vectors)
    return Block(prefixes.features, prefixes.owners, levels, bitmaps, least, masses)


def indexed_compiled(vectors: Vectors, ranks: np.ndarray) -> Block:
    """The same by kernels."""
    from mere.indexes.similar.sparse import kernels

    room, size = len(vectors.grams), len(vectors.norms)
    block = Block(
        np.empty(room, np.uint32),
        np.empty(room, np.uint32),
        np.zeros(room, np.uint8),
        np.zeros(size, np.uint64),
        np.zeros(size, np.uint8),
        np.zeros((size, CLASSES), np.uint8),
    )
    known = Vectors(*map(read_only, vectors))
    used = kernels.index_block(known, read_only(ranks), least_cosine(REACH), tuple(block))
    return block._replace(features=block.features[:used], owners=block.owners[:used], levels=block.levels[:used])


def trial() -> Trial:
    """Compiles what indexing needs."""
    nothing, ranks = no_vectors(), np.zeros(BUCKETS, np.uint8)
    return Trial(INDEXING, (("index_block", lambda: indexed_compiled(nothing, ranks)),))


def sets_of_values(values: np.ndarray, sets: DistinctSets) -> dict[str, np.ndarray]:
    """The sets of each value; most values are in one only."""
    place_of = np.zeros(int(values.max(initial=-1)) + 1, np.int64)
    place_of[values] = np.arange(len(values))
    places = place_of[sets.ids]
    owners = np.repeat(np.arange(len(sets.sizes)), sets.sizes)
    by_place = stable_order(places)
    owners, counts = owners[by_place].astype(np.uint32), np.bincount(places, minlength=len(values))
    first = offsets_of(counts)[:-1]
    several = np.flatnonzero(counts > 1)
    set_of = owners[first] if len(values) else np.zeros(0, np.uint32)
    set_of[several] = SEVERAL | np.arange(len(several), dtype=np.uint32)
    return {
        "value.sets": set_of,
        "list.starts": offsets_of(counts[several]).astype(np.uint32),
        "list.sets": owners[places_of(first[several], counts[several])],
    }
