"""How does a question use the paper's engine: which vectors, in which partitions, one at a time?

The paper's index is made in memory when it is first asked for, from the stored vectors, or from the texts where vectors
are not stored.  If it would take more memory than the question allows, the sets are divided into partitions by the
distribution of their vectors (section IV; the divergence is estimated from a sample), and further where a partition is
still too large; each is indexed, searched and dropped.  A set that is too large alone is indexed alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mere.indexes.kind import Part
from mere.indexes.similar import pexeso, spelling
from mere.indexes.similar.dense import vectors_at
from mere.indexes.similar.records import Lists, Vectors, Wanted, no_vectors
from mere.indexes.similar.spelling.features import MOST_GRAMS
from mere.indexes.similar.state import Frozen
from mere.store import offsets_of, places_of

_VECTOR, _POSTING = 60, 30  # bytes of the index per vector, and per value of a set, beside the vector itself
_SAMPLE = 20_000  # vectors from which the distributions are estimated


def counted(part: Part, lists: Lists, question: Vectors, wanted: Wanted, asked: tuple[str, int]) -> np.ndarray:
    """Per set, how many of the query's vectors match; `asked` is the mode, and the memory in bytes."""
    mode, memory = asked
    counts = np.zeros(len(wanted.owned), np.int64)
    for index, sets in indexes(part, lists, len(counts), memory):
        found, _ = pexeso.counted(index, question, wanted._replace(owned=wanted.owned[sets]), mode == "pexeso")
        counts[sets] = found
    return counts


def indexes(part: Part, lists: Lists, sets: int, memory: int) -> Iterator[tuple[pexeso.Index, np.ndarray]]:
    """The index of each partition, and its sets; one at a time."""
    groups = partitioned(part, lists, sets, memory)
    if len(groups) > 1:
        part.memo.pop("pexeso", None)
        yield from ((_index(part, lists, chosen), chosen) for chosen in groups)
        return
    if "pexeso" not in part.memo:
        part.memo["pexeso"] = _index(part, lists, groups[0])
    yield part.memo["pexeso"], groups[0]


def partitioned(part: Part, lists: Lists, sets: int, memory: int) -> list[np.ndarray]:
    """The sets of each partition."""
    key = f"partitions for {memory} bytes"
    if key not in part.memo:
        part.memo[key] = _partitioned(part, lists, sets, memory)
    return part.memo[key]


def _partitioned(part: Part, lists: Lists, sets: int, memory: int) -> list[np.ndarray]:
    each = np.repeat(_vector_bytes(part), lists.starts[1:] - lists.starts[:-1]) + _VECTOR + _POSTING
    sizes = np.bincount(lists.sets, each, minlength=sets)
    count = min(max(1, -(-int(sizes.sum()) // max(1, memory))), max(1, sets))
    if count == 1:
        return [np.arange(sets)]
    values = len(lists.starts) - 1
    sample = np.arange(0, values, max(1, values // _SAMPLE))
    owners = pexeso.partitions(_vectors(part, sample), _lists_of(lists, sample), sets, count)
    groups = [np.flatnonzero(owners == number) for number in range(int(owners.max()) + 1)]
    return [piece for group in groups if len(group) for piece in _small_enough(group, sizes, memory)]


def _small_enough(group: np.ndarray, sizes: np.ndarray, memory: int) -> Iterator[np.ndarray]:
    """The sets of a group in pieces that fit in memory."""
    if len(group) == 1 or sizes[group].sum() <= memory:
        yield group
        return
    for half in np.array_split(group, 2):
        yield from _small_enough(half, sizes, memory)


def _vector_bytes(part: Part) -> np.ndarray:
    """The bytes of each value's vector, at most."""
    ids, dimensions = part.arrays["values"].astype(np.int64), Frozen.read(part.arrays).dimensions
    if dimensions:
        return np.full(len(ids), 4 * dimensions)
    offsets = part.segment.dictionary.values.offsets
    return 8 * np.minimum(3 * (offsets[ids + 1] - offsets[ids]) + 8, MOST_GRAMS)


def _index(part: Part, lists: Lists, sets: np.ndarray) -> pexeso.Index:
    """The paper's index of some sets."""
    number = np.full(int(lists.sets.max(initial=0)) + 2, -1)
    number[sets] = np.arange(len(sets))
    inside = number[lists.sets] >= 0
    counts = np.add.reduceat(np.append(inside, False).astype(np.int64), lists.starts[:-1]) if len(inside) else inside
    places = np.flatnonzero(counts)
    mine = number[lists.sets[inside]].astype(np.uint32)
    return pexeso.prepared(_vectors(part, places), Lists(offsets_of(counts[places]), mine))


def _lists_of(lists: Lists, places: np.ndarray) -> Lists:
    sizes = lists.starts[places + 1] - lists.starts[places]
    return Lists(offsets_of(sizes), lists.sets[places_of(lists.starts[places], sizes)])


def _vectors(part: Part, places: np.ndarray) -> Vectors:
    """The vectors of some places."""
    arrays = part.arrays
    if Frozen.read(arrays).is_sparse:
        texts = part.segment.dictionary.values.take(arrays["values"][places])
        return spelling.embed(texts, spelling.Statistics.read(arrays))
    return no_vectors()._replace(dense=vectors_at(arrays, places))
