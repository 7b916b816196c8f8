"""The engine for sparse vectors without compiled kernels: prefixes, bitmaps, candidates, products."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.indexes.similar.records import TOLERANCE, Matches, Vectors
from mere.indexes.similar.sparse.records import BLOCK, CLASSES, EDGES, FULL, LEVELS, Asked, Inverted, Postings
from mere.indexes.similar.spelling import Statistics
from mere.indexes.similar.spelling import numpy as spelling
from mere.store import Strings, offsets_of, places_of

_PAIRS = 1 << 17  # candidate pairs that are tested at once


class Prefixes(NamedTuple):
    """The features of some vectors' prefixes."""

    features: np.ndarray  # uint32
    owners: np.ndarray  # int64: the vector of each
    left: np.ndarray  # float64: which share of the vector, in square, is left from this feature on


def prefixes(vectors: Vectors, ranks: np.ndarray, cosine: float) -> Prefixes:
    """The features of every vector's prefix, for pairs with at least this cosine.

    Features are ordered by rank, then by number.  A prefix ends where what is left is too short.
    """
    owner = np.repeat(np.arange(len(vectors.norms)), np.diff(vectors.starts))
    order = np.lexsort((vectors.grams, ranks[vectors.grams >> np.uint32(16)], owner))
    running = np.append(0, np.cumsum(vectors.weights[order].astype(np.int64) ** 2))
    left = vectors.norms[owner] - (running[:-1] - running[vectors.starts[owner]])  # from this feature on
    least = max(cosine, 0.0) ** 2 * (1 - 1e-9)
    kept = left >= least * vectors.norms[owner]
    return Prefixes(vectors.grams[order][kept], owner[kept], left[kept] / vectors.norms[owner[kept]])


def levels_of(left: np.ndarray) -> np.ndarray:
    """The level of each feature of a prefix."""
    return sum(((left < edge).astype(np.uint8) for edge in EDGES), np.zeros(len(left), np.uint8))


def levels_with_matches(left: np.ndarray, cosine: float) -> np.ndarray:
    """How many levels can hold a match, if the query's vector has so much left.

    Two vectors whose first shared feature this is have a product of at most the root of what is left of both.
    """
    needed = cosine * cosine * (1 - 1e-9) / left
    return 1 + sum(((needed < edge).astype(np.uint8) for edge in EDGES), np.zeros(len(left), np.uint8))


def bitmaps(vectors: Vectors) -> np.ndarray:
    """A bit for each feature (modulo 64) of every vector."""
    filled = np.flatnonzero(np.diff(vectors.starts))
    bits = np.zeros(len(vectors.norms), np.uint64)
    if len(filled):
        one = np.uint64(1) << (vectors.grams & np.uint32(63)).astype(np.uint64)
        bits[filled] = np.bitwise_or.reduceat(one, vectors.starts[filled])
    return bits


def least_counts(vectors: Vectors, cosine: float) -> np.ndarray:
    """How many features a vector must share with each, at least, to have this cosine: its heaviest would do."""
    owner = np.repeat(np.arange(len(vectors.norms)), np.diff(vectors.starts))
    order = np.lexsort((-vectors.weights, owner))
    running = np.append(0, np.cumsum(vectors.weights[order].astype(np.int64) ** 2))
    before = running[:-1] - running[vectors.starts[owner]]
    short = before < cosine * cosine * (1 - 1e-9) * vectors.norms[owner]
    return np.bincount(owner[short], minlength=len(vectors.norms)).astype(np.uint8)


def masses(vectors: Vectors) -> np.ndarray:
    """The share of each vector's squared weights in every class of features, rounded up."""
    owner = np.repeat(np.arange(len(vectors.norms)), np.diff(vectors.starts))
    keys = owner * CLASSES + vectors.grams % np.uint32(CLASSES)
    squares = _sums(keys, vectors.weights.astype(np.int64) ** 2, len(vectors.norms) * CLASSES)
    part = squares.reshape(-1, CLASSES) / np.maximum(vectors.norms, 1)[:, None].astype(np.float64)
    return np.minimum(FULL, np.ceil(part * FULL)).astype(np.uint8)


def _sums(keys: np.ndarray, numbers: np.ndarray, size: int) -> np.ndarray:
    """The sum of the whole numbers of every key."""
    order = np.argsort(keys, kind="stable")
    running = np.append(0, np.cumsum(numbers[order]))
    edges = np.searchsorted(keys[order], np.arange(size + 1))
    return running[edges[1:]] - running[edges[:-1]]


def candidates(postings: Postings, asked: Asked, cosine: float) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of a query's value and a place that share a feature of both prefixes and may reach the cosine."""
    owner = np.repeat(np.arange(len(asked.vectors.norms)), np.diff(asked.prefix_starts))
    lists = (asked.prefix >> np.uint32(postings.shift)).astype(np.int64) * LEVELS
    ends = lists + asked.levels
    pairs = [np.zeros(0, np.int64)]
    for block in range(len(postings.starts)):
        starts = postings.starts[block].astype(np.int64)
        sizes = starts[ends] - starts[lists]
        for a, b in _cuts(sizes):
            entries = postings.places[places_of(starts[lists[a:b]], sizes[a:b])].astype(np.int64)
            keys = (np.repeat(owner[a:b], sizes[a:b]) << 32) | (entries + block * BLOCK)
            pairs.append(_may_match(np.unique(keys), postings, asked, cosine))
    keys = np.unique(np.concatenate(pairs))
    return keys >> 32, keys & 0xFFFFFFFF


def _cuts(sizes: np.ndarray) -> list[tuple[int, int]]:
    """Ranges of lists with about `_PAIRS` entries each."""
    running = np.cumsum(sizes)
    edges = np.searchsorted(running, np.arange(_PAIRS, int(running[-1]) if len(running) else 0, _PAIRS)) + 1
    ends = np.unique(np.append(edges, len(sizes)))
    return [(int(a), int(b)) for a, b in zip(np.append(0, ends[:-1]), ends, strict=True) if b > a]


def _may_match(keys: np.ndarray, postings: Postings, asked: Asked, cosine: float) -> np.ndarray:
    """The pairs whose bitmaps do not show that too little of the query's vector is shared."""
    query, place = keys >> 32, keys & 0xFFFFFFFF
    vectors = asked.vectors
    sizes = vectors.starts[query + 1] - vectors.starts[query]
    features = places_of(vectors.starts[query], sizes)
    bits = np.repeat(postings.bitmaps[place], sizes) >> (vectors.grams[features] & np.uint32(63)).astype(np.uint64)
    shared = np.where(bits & np.uint64(1), vectors.weights[features].astype(np.int64) ** 2, 0)
    running = np.append(0, np.cumsum(shared))
    ends = offsets_of(sizes)
    mass = running[ends[1:]] - running[ends[:-1]]
    counted = np.append(0, np.cumsum(bits & np.uint64(1)))
    enough = (counted[ends[1:]] - counted[ends[:-1]]) >= postings.least[place]
    kept = np.flatnonzero(enough & (mass >= max(cosine, 0.0) ** 2 * (1 - 1e-9) * vectors.norms[query]))
    first_long = len(postings.values) - len(postings.masses)
    is_long = kept[place[kept] >= first_long]
    if len(is_long) == 0:
        return keys[kept]
    owner = np.repeat(np.arange(len(keys)), sizes)
    of_class = _sums(owner * CLASSES + vectors.grams[features] % np.uint32(CLASSES), shared, len(keys) * CLASSES)
    theirs = postings.masses[place[is_long] - first_long] / FULL
    both = np.sqrt(of_class.reshape(-1, CLASSES)[is_long] * theirs).sum(axis=1)
    refused = is_long[both < cosine * (1 - 1e-9) * np.sqrt(vectors.norms[query[is_long]])]
    return keys[np.setdiff1d(kept, refused)]


def verified(
    pairs: tuple[np.ndarray, np.ndarray],
    texts: tuple[Strings, np.ndarray],
    asked: Asked,
    statistics: Statistics,
    limit: float,
) -> Matches:
    """The pairs (query, place) that are close enough; `texts` are the dictionary's, and the id of each place."""
    query, place = pairs
    different, inverse = np.unique(place, return_inverse=True)
    vectors = spelling.embed(texts[0].take(texts[1][different]), statistics.weights)
    distance = np.concatenate(
        [np.zeros(0)]
        + [
            _distances(query[a : a + _PAIRS], vectors, inverse[a : a + _PAIRS], asked.vectors)
            for a in range(0, len(query), _PAIRS)
        ]
    )
    close = distance <= limit + TOLERANCE
    return Matches(query[close], place[close], distance[close])


def _distances(query: np.ndarray, vectors: Vectors, place: np.ndarray, asked: Vectors) -> np.ndarray:
    """The distance of each pair of a query's vector and a vector."""
    owner = np.repeat(np.arange(len(asked.norms)), np.diff(asked.starts))
    known = (owner.astype(np.uint64) << np.uint64(32)) | asked.grams
    sizes = vectors.starts[place + 1] - vectors.starts[place]
    features = places_of(vectors.starts[place], sizes)
    wanted = (np.repeat(query, sizes).astype(np.uint64) << np.uint64(32)) | vectors.grams[features]
    found = np.minimum(np.searchsorted(known, wanted), max(len(known) - 1, 0))
    both = np.zeros(len(wanted), np.int64)
    if len(known):
        same = known[found] == wanted
        both[same] = vectors.weights[features[same]].astype(np.int64) * asked.weights[found[same]]
    running, ends = np.append(0, np.cumsum(both)), offsets_of(sizes)
    product = (running[ends[1:]] - running[ends[:-1]]).astype(np.float64)
    norms = vectors.norms[place].astype(np.float64) * asked.norms[query].astype(np.float64)
    cosine = np.divide(product, np.sqrt(norms), out=np.full(len(norms), -1.0), where=norms > 0)
    return np.where(norms > 0, np.sqrt(np.maximum(0.0, 2.0 - 2.0 * cosine)), np.inf)


def inverted(vectors: Vectors) -> Inverted:
    """The query's features, each with the values that have it."""
    owner = np.repeat(np.arange(len(vectors.norms)), np.diff(vectors.starts))
    order = np.argsort(vectors.grams, kind="stable")
    features, counts = np.unique(vectors.grams, return_counts=True)
    return Inverted(features, offsets_of(counts), owner[order], vectors.weights[order], vectors.norms)


def scan(texts: Strings, query: Inverted, statistics: Statistics, limit: float) -> Matches:
    """The matching pairs of all query values with these texts."""
    vectors = spelling.embed(texts, statistics.weights)
    place = np.searchsorted(query.features, vectors.grams)
    both = np.flatnonzero(np.append(query.features, 0)[place] == vectors.grams) if len(query.features) else place[:0]
    sizes = query.starts[place[both] + 1] - query.starts[place[both]]
    postings = places_of(query.starts[place[both]], sizes)
    owner = np.repeat(np.arange(len(texts)), np.diff(vectors.starts))
    keys = (query.queries[postings] << 32) | np.repeat(owner[both], sizes)
    products = np.repeat(vectors.weights[both], sizes).astype(np.int64) * query.weights[postings]
    order = np.argsort(keys, kind="stable")
    first = np.flatnonzero(np.append(True, np.diff(keys[order]) != 0)[: len(keys)])
    product = np.add.reduceat(products[order], first) if len(keys) else products
    queries, places = keys[order][first] >> 32, keys[order][first] & 0xFFFFFFFF
    norms = vectors.norms[places].astype(np.float64) * query.norms[queries].astype(np.float64)
    distance = np.sqrt(np.maximum(0.0, 2.0 - 2.0 * (product / np.sqrt(norms))))
    close = distance <= limit + TOLERANCE
    return Matches(queries[close], places[close], distance[close])
