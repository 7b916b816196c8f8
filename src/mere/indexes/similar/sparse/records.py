"""What do the kernels of the engine for sparse vectors take?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.indexes.similar.records import Vectors

REACH = 0.8400001  # the largest distance for which prefixes are indexed
CLASSES = 16  # of features: their number modulo this; each has four bits of a bitmap
LONG = 24  # bytes: a longer text has masses
FULL = 255  # a mass that is the whole
EDGES = (0.9, 0.78, 0.66)  # of levels: which share of a vector is left from a feature of its prefix on
LEVELS = len(EDGES) + 1
BLOCK = 1 << 16  # values whose posting lists are stored together, as 16-bit numbers
SEVERAL = np.uint32(1 << 31)  # marks the number of a list of sets, where a value is in more than one


class Postings(NamedTuple):
    """The values of a part, as the engine knows them."""

    values: np.ndarray  # uint32 per place: the value's id in the dictionary; two ascending runs
    bitmaps: np.ndarray  # uint64 per place: a bit for each feature
    least: np.ndarray  # uint8 per place: how many features a vector must share with it to be within `REACH`
    masses: np.ndarray  # uint8 (long texts, CLASSES): of the last places, the share of squared weights in each class
    shift: int  # from a feature to its bucket
    starts: np.ndarray  # uint32 (blocks, buckets * LEVELS + 1): where the list of each bucket and level starts
    places: np.ndarray  # uint16: place in the block
    set_of: np.ndarray  # uint32 per place: its set; or SEVERAL and the number of a list
    list_starts: np.ndarray  # uint32
    list_sets: np.ndarray  # uint32


class Text(NamedTuple):
    """The dictionary's values."""

    offsets: np.ndarray
    data: np.ndarray


class Asked(NamedTuple):
    """The query's values."""

    vectors: Vectors
    prefix_starts: np.ndarray  # int64, vectors + 1
    prefix: np.ndarray  # uint32: the features of each prefix
    levels: np.ndarray  # uint8: how many levels of its bucket can hold a match
    equal: np.ndarray  # int64: the place of the equal value, or NO_PLACE


class Inverted(NamedTuple):
    """The query's features, each with the values that have it."""

    features: np.ndarray  # uint32, ascending
    starts: np.ndarray  # int64
    queries: np.ndarray  # int64
    weights: np.ndarray  # int32
    norms: np.ndarray  # int64 per query value
