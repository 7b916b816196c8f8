"""The pieces of values, compiled: the definition is in `pieces`, which has the NumPy version."""

from __future__ import annotations

import numpy as np

from mere.compiled.jit import helper, kernel
from mere.store.hash_kernels import hash_of, mix

LETTER, DIGIT = 1, 2
_ZERO, _ASCII = 48, 128


@kernel
def find_pieces(offsets, data, classes, months, least_tail, scratch, pieces):
    """Write the pieces of each text and whether they have letters; returns how many there are.

    `data` has eight bytes more than the texts; `months` are hashes of their names, ascending, and those of their
    numbers; `scratch` has room for the words of one text, and for its bytes with eight more; `pieces` are where each
    text's end, their hashes and flags.
    """
    starts, hashes, lettered = pieces
    used = 0
    for text in range(len(offsets) - 1):
        count = find_words(data, offsets[text], offsets[text + 1], classes, months, scratch)
        used = write_pieces(data, count, least_tail, scratch, hashes, lettered, used)
        starts[text + 1] = used
    return used


@helper
def find_words(data, start, end, classes, months, scratch):
    """The words of a text, without leading zeros: hash, first byte, length, flags; returns how many.

    The bytes of all of them, one after another, are written too; their number is left at the end.
    """
    words, ranges, joined = scratch
    count, size, place = 0, 0, start
    while place < end:
        kind = classes[data[place]]
        begin = place
        while place < end and classes[data[place]] == kind:
            place += 1
        if kind == 0:
            continue
        for copied in range(begin, place):
            joined[size] = data[copied]
            size += 1
        while kind == DIGIT and begin < place - 1 and data[begin] == _ZERO:
            begin += 1
        hashed, is_number = hash_of(data, begin, place - begin), kind == DIGIT
        if kind == LETTER:
            month = place_of(months[0], hashed)
            if month >= 0:
                hashed, is_number = months[1][month], True
        words[count] = hashed
        ranges[count, 0], ranges[count, 1] = begin, place - begin
        ranges[count, 2] = 0 if is_number else 1
        ranges[count, 3] = 1 if kind == LETTER and data[begin] < _ASCII else 0
        count += 1
    ranges[count, 0] = size
    return count


@helper
def write_pieces(data, count, least_tail, scratch, hashes, lettered, used):
    """The words, neighbours, all words, the text without separators, tails of words; returns how many in all."""
    words, ranges, joined = scratch
    total, any_letters = np.uint64(0), 0
    for word in range(count):
        hashes[used], lettered[used] = shortened(words[word]), ranges[word, 2] > 0
        total += mix(words[word])
        any_letters |= ranges[word, 2]
        used += 1
    for word in range(1, count):
        hashes[used] = shortened(mix(mix(words[word - 1]) + mix(words[word])))
        lettered[used] = (ranges[word - 1, 2] | ranges[word, 2]) > 0
        used += 1
    if count > 1:
        hashes[used], lettered[used] = shortened(mix(total)), any_letters > 0
        hashes[used + 1], lettered[used + 1] = shortened(hash_of(joined, 0, ranges[count, 0])), any_letters > 0
        used += 2
    for word in range(count):
        if ranges[word, 3] and ranges[word, 1] >= least_tail:
            hashes[used] = shortened(hash_of(data, ranges[word, 0] + 1, ranges[word, 1] - 1))
            lettered[used] = ranges[word, 2] > 0
            used += 1
    return used


@helper(inlined=True)
def shortened(hashed):
    return np.uint32(hashed >> np.uint64(32))


@helper
def place_of(ascending, wanted):
    """The place of a number, or -1."""
    low, high = 0, len(ascending)
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < len(ascending) and ascending[low] == wanted else -1
