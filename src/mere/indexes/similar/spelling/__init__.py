"""How is a value written as a vector that is close to the vectors of its other spellings?  The default embedder.

It needs no model and no download: a value's vector counts its character bigrams, word by word.

    letters    code points without accents; whatever is neither a letter, a digit nor a sign (such as + % $)
               separates words
    words      runs of letters, or of signs; in a value with digits (a date, an address), abbreviations are
               written out, and the endings of ordinals (9th) are dropped
    numbers    runs of digits, without leading zeros; a number is one feature, because 2019 and 2018 are not alike
    features   bigrams of `^word$`, each with the word's first letter; numbers; and, where a value has numbers and no
               words but months (a date, a telephone number), the sequence of all of them, which weighs three times as
               much as they do together: dates that differ in the day are not alike.  With a month's name, their
               order does not matter
    weights    a word has the weight of its rarity (inverse document frequency, learnt from a sample and frozen),
               divided evenly among its bigrams, in square; numbers count 1.75 times
    long text  the first `MOST_LETTERS` letters; of more than `MOST_GRAMS` features those with the smallest hashes

Weights are whole numbers, so products of vectors are exact, and every engine and machine computes the same distances.
Features and frequencies are hashed: a feature is a 32-bit number, a word's frequency is that of its bucket.

The features were chosen among bigrams and trigrams, with and without the first letter, on labelled pairs of records;
the first letter makes posting lists much shorter, and a typing error in it costs the word.
`benchmarks/similar_quality.py` measures the result.

Cost: compiled, a core embeds about a million short values a second; in NumPy, a fifth of that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from mere import compiled
from mere.compiled import Trial, read_only
from mere.indexes.similar.records import Vectors, sparse_vectors
from mere.indexes.similar.spelling import numpy as in_numpy
from mere.indexes.similar.spelling.features import BUCKETS, MOST_GRAMS, Tables, fixed_tables
from mere.store import Strings, stable_order

NAME, VERSION = "spelling", "1"
STRICT, NORMAL, LOOSE = 0.25, 0.34, 0.42  # shares of the largest distance; measured by benchmarks/similar_quality.py
SPELLING = compiled.Group("spelling", ("mere.indexes.similar.spelling.kernels",), compiling=6.0)
_STEP = 16  # a bucket's number stands for this part of a natural logarithm


class Statistics(NamedTuple):
    """What is learnt of a lake's values and frozen, per bucket of hashes."""

    weights: np.ndarray  # uint8: of words, the rarer the more
    ranks: np.ndarray  # uint8: of features, the rarer the less

    @staticmethod
    def read(arrays: Mapping[str, np.ndarray]) -> Statistics:
        return Statistics(arrays["word.weights"], arrays["gram.ranks"])

    def arrays(self) -> dict[str, np.ndarray]:
        return {"word.weights": self.weights, "gram.ranks": self.ranks}


def statistics_of(values: Strings) -> Statistics:
    """The statistics of a sample of distinct values."""
    seen, count = in_numpy.features_of(values), len(values)
    words = np.bincount(in_numpy.bucket_of(_distinct(seen.word_of, seen.words)), minlength=BUCKETS)
    pairs = np.sort(seen.value_of.astype(np.uint64) << np.uint64(32) | seen.grams)  # a gram counts once per value
    pairs = pairs[np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)]]
    grams = np.bincount(pairs.astype(np.uint32) >> np.uint32(16), minlength=BUCKETS)
    weights = np.clip(np.rint(_STEP * np.log((count + 1) / (np.minimum(words, count) + 1))), 1, 255)
    ranks = np.clip(np.rint(_STEP * np.log2(grams + 1.0)), 0, 255)
    return Statistics(weights.astype(np.uint8), ranks.astype(np.uint8))


def _distinct(owners: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The numbers, each once per owner."""
    order = np.argsort(numbers)  # equal numbers in any order, which NumPy sorts much faster
    order = order[stable_order(owners[order])]
    first = np.ones(len(order), bool)
    first[1:] = (np.diff(owners[order]) != 0) | (numbers[order][1:] != numbers[order][:-1])
    return numbers[order][first].astype(np.uint64)


def embed(values: Strings, statistics: Statistics) -> Vectors:
    """The sparse vector of every (normalised) value."""
    if compiled.ready(SPELLING, lambda: trial(statistics)):
        return embed_compiled(values, statistics)
    with compiled.time_fallback(SPELLING):
        return in_numpy.embed(values, statistics.weights)


def embed_compiled(values: Strings, statistics: Statistics) -> Vectors:
    """The same by kernels."""
    from mere.indexes.similar.spelling import kernels

    room = int(np.minimum(3 * values.lengths() + 8, MOST_GRAMS).sum())  # "1apt" has 11 features: apartment, written out
    vectors = sparse_vectors(
        np.zeros(len(values) + 1, np.int64), np.empty(room, np.uint32), np.empty(room, np.int32),
        np.zeros(len(values), np.int64),
    )  # fmt: skip
    offsets, data = read_only(values.offsets), read_only(values.data)
    used = kernels.embed(offsets, data, tables_of(statistics), vectors)
    return vectors._replace(grams=vectors.grams[:used], weights=vectors.weights[:used])


def tables_of(statistics: Statistics) -> Tables:
    """What the kernels need to know of letters, abbreviations and words."""
    return fixed_tables()._replace(weights=read_only(statistics.weights))


def trial(statistics: Statistics) -> Trial:
    """Compiles what embedding needs."""
    nothing = Strings.of([])
    return Trial(SPELLING, (("embed", lambda: embed_compiled(nothing, statistics)),))
