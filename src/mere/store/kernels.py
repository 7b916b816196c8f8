"""Looking values up and comparing them, compiled; `dictionary` has NumPy versions.  Importing this imports Numba."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.compiled.jit import eight_bytes, fetch, helper, kernel

BLOCK = 32  # values looked up together: more than the number of reads that a core can wait for at once
AHEAD = 16  # pairs: as far ahead, memory for a comparison is being fetched


class Known(NamedTuple):
    """A dictionary as the kernels see it: the values in the order of (hash, bytes), and where each bucket starts.

    Hashes are spread evenly, so their first bits divide the sorted dictionary into buckets of a few values each: the
    sorted array is also a hash table.
    """

    hashes: np.ndarray
    offsets: np.ndarray
    data: np.ndarray
    buckets: np.ndarray  # uint32: start of each bucket, and end of the last
    shift: np.uint64  # bits of a hash that do not name its bucket


@kernel
def bucket_starts(hashes, shift, starts):
    """Fill `starts` with the first place of every bucket, and the end of the last."""
    bucket = 0
    for place in range(len(hashes)):
        while bucket <= hashes[place] >> shift:
            starts[bucket] = place
            bucket += 1
    for rest in range(bucket, len(starts)):
        starts[rest] = len(hashes)


@kernel
def find(hashes, offsets, data, known, ids):
    """Fill `ids` with the place of each value among the known ones, or -1.

    A look-up reads a bucket, a hash, an offset and bytes, and waits for memory each time.  So values are looked up in
    blocks: while one value is compared, the memory for the next ones is being fetched.
    """
    buckets, theirs, shift = known.buckets, known.hashes, known.shift
    known_offsets, known_data = known.offsets, known.data
    stops = np.empty(BLOCK, np.int64)
    for first in range(0, len(hashes), BLOCK):
        last = min(first + BLOCK, len(hashes))
        for i in range(first, last):
            fetch(buckets, hashes[i] >> shift)
        for i in range(first, last):
            bucket = hashes[i] >> shift
            ids[i], stops[i - first] = buckets[bucket], buckets[bucket + 1]
            fetch(theirs, ids[i])
        for i in range(first, last):
            place, stop = ids[i], stops[i - first]
            while place < stop and theirs[place] < hashes[i]:
                place += 1
            ids[i] = place if place < stop and theirs[place] == hashes[i] else -1
            if ids[i] >= 0:
                fetch(known_offsets, place)
        for i in range(first, last):
            if ids[i] >= 0:
                fetch(known_data, known_offsets[ids[i]])
        for i in range(first, last):
            place, stop = ids[i], stops[i - first]
            while place >= 0:
                start, end = known_offsets[place], known_offsets[place + 1]
                if same_bytes(data, offsets[i], offsets[i + 1], known_data, start, end):
                    break
                place = place + 1 if place + 1 < stop and theirs[place + 1] == hashes[i] else -1
            ids[i] = place


@kernel
def compare_bytes(left, left_places, right, right_places, equal):
    """Fill `equal` with whether each pair of strings, given by their places, has the same bytes."""
    (offsets, data), (other_offsets, other_data) = left, right
    size = len(left_places)
    for pair in range(size + 2 * AHEAD):
        if pair < size:
            fetch(offsets, left_places[pair])
            fetch(other_offsets, right_places[pair])
        if AHEAD <= pair < size + AHEAD:
            fetch(data, offsets[left_places[pair - AHEAD]])
            fetch(other_data, other_offsets[right_places[pair - AHEAD]])
        if pair >= 2 * AHEAD:
            one, other = left_places[pair - 2 * AHEAD], right_places[pair - 2 * AHEAD]
            start, stop = offsets[one], offsets[one + 1]
            other_start, other_stop = other_offsets[other], other_offsets[other + 1]
            equal[pair - 2 * AHEAD] = same_bytes(data, start, stop, other_data, other_start, other_stop)


@helper
def first_at_least(numbers, wanted, guess):
    """The first place whose number is at least the wanted one, searched for around a guess; numbers ascend."""
    size = len(numbers)
    if size == 0:
        return 0
    low = high = min(max(guess, 0), size - 1)
    step = 1
    if numbers[low] < wanted:
        while high < size and numbers[high] < wanted:
            low = high + 1
            high += step
            step *= 2
        high = min(high, size)
    else:
        while low > 0 and numbers[low - 1] >= wanted:
            high = low - 1
            low = max(0, low - step)
            step *= 2
        if high > low and numbers[low] >= wanted:
            high = low
    while low < high:
        middle = (low + high) >> 1
        if numbers[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@helper
def same_bytes(data, start, stop, other, other_start, other_stop):
    """Whether two strings have the same bytes; eight are compared at a time."""
    if stop - start != other_stop - other_start:
        return False
    ahead = other_start - start
    while start + 8 <= stop:
        if eight_bytes(data, start) != eight_bytes(other, start + ahead):
            return False
        start += 8
    while start < stop:
        if data[start] != other[start + ahead]:
            return False
        start += 1
    return True
