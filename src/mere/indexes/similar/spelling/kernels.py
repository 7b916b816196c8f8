"""Embedding a value, compiled: the definition is in the package's docstring, the tables are in `features`."""

from __future__ import annotations

import math

import numpy as np

from mere.compiled.jit import helper, kernel
from mere.indexes.similar.spelling.features import (
    ABBREVIATION,
    BUCKET_BITS,
    EDGE,
    FIRST_STAYS,
    MOST_GRAMS,
    MOST_LETTERS,
    NUMBER,
    NUMBER_SEED,
    ORDINAL,
    PLAIN,
    SEPARATORS,
    SEQUENCE,
    SEQUENCE_SEED,
    TABLE_END,
    WORD,
    WORD_SEED,
)
from mere.store.hash_kernels import mix

_SEPARATORS = np.array(SEPARATORS, np.uint32)
_SPACE, _GRAMS = MOST_LETTERS + 2, 12 * MOST_LETTERS


@kernel
def embed(offsets, data, tables, vectors):
    """Write the vectors of all values; returns how many grams there are."""
    scratch, used = new_scratch(), 0
    for value in range(len(offsets) - 1):
        count = embed_value(data, offsets[value], offsets[value + 1], tables, scratch)
        norm = np.int64(0)
        for place in range(count):
            weight = scratch[3][place]
            vectors.grams[used + place], vectors.weights[used + place] = scratch[2][place], weight
            norm += np.int64(weight) * np.int64(weight)
        used += count
        vectors.starts[value + 1], vectors.norms[value] = used, norm
    return used


@helper(allocates=True)
def new_scratch():
    """Room for one value: its letters; its words and numbers (begin, end, hash); its grams and their weights; the same
    as they are found, in any order."""
    letters, tokens = np.empty(_SPACE, np.uint32), np.empty((_SPACE, 3), np.int64)
    grams, found = np.empty(_GRAMS, np.uint32), np.empty(_GRAMS, np.uint32)
    return letters, tokens, grams, np.empty(_GRAMS, np.int32), found, np.empty(_GRAMS, np.int32)


@helper
def embed_value(data, start, end, tables, scratch):
    """The grams of one value, ascending, with their weights, in `scratch`; returns how many."""
    letters, tokens, grams, weights, found, found_weights = scratch
    size = read_letters(data, start, end, tables, letters)
    count, digits = find_tokens(letters, size, tables, tokens)
    sequence, has_month, used, total = digits > 0 and count > 1, False, 0, 0.0
    chain, added = np.uint64(SEQUENCE_SEED), np.uint64(SEQUENCE_SEED)
    for token in range(count):
        begin, stop, hashed = tokens[token, 0], tokens[token, 1], np.uint64(tokens[token, 2])
        spelled = letters
        if is_digit(letters[begin]):
            weight = float(tables.weights[np.int64(hashed >> np.uint64(48))])
            found[used], found_weights[used] = np.uint32(hashed >> np.uint64(32)), np.int32(weight * NUMBER + 0.5)
            total += float(found_weights[used]) * float(found_weights[used])
            used += 1
        else:
            place = find_word(tables, hashed)
            known = what_is_known(tables, place)
            if digits > 0 and known & ABBREVIATION and not (token == 0 and known & FIRST_STAYS):
                spelled, begin, stop = tables.spelled, tables.starts[place], tables.starts[place + 1]
                hashed = hash_of(spelled, begin, stop, np.uint64(WORD_SEED))
                known = what_is_known(tables, find_word(tables, hashed))
            sequence = sequence and (stop - begin == 1 or known & PLAIN > 0)
            has_month = has_month or (known & PLAIN > 0 and stop - begin > 2)
            weight = float(tables.weights[np.int64(hashed >> np.uint64(48))])
            each = max(1.0, math.floor(weight * WORD / math.sqrt(float(stop - begin + 1)) + 0.5))
            used = add_word(spelled, begin, stop, np.int32(each), used, (found, found_weights))
            total += each * each * float(stop - begin + 1)
        chain, added = mix(chain + hashed), added + mix(hashed)
    if sequence:
        hashed = mix(added) if has_month else chain
        found[used] = np.uint32(hashed >> np.uint64(32))
        found_weights[used] = np.int32(math.sqrt(SEQUENCE * total) + 0.5)
        used += 1
    return merge(found, found_weights, used, grams, weights)


@helper
def add_word(letters, begin, stop, weight, used, found):
    """Append the bigrams of a word; returns how many grams there are now."""
    grams, weights = found
    before, first = np.uint64(EDGE), np.uint64(letters[begin]) << np.uint64(42)
    for place in range(begin, stop + 1):
        letter = np.uint64(letters[place]) if place < stop else np.uint64(EDGE)
        gram = before | (letter << np.uint64(21)) | first
        grams[used], weights[used] = np.uint32(mix(gram) >> np.uint64(32)), weight
        before = letter
        used += 1
    return used


@helper
def read_letters(data, start, end, tables, letters):
    """The letters of a value, 0 for what separates words, and a 0 at the end; returns how many."""
    count = 0
    while start < end and count < MOST_LETTERS:
        code, size = np.uint32(data[start]), 1
        if code >= 0xC0:
            size = 2 if code < 0xE0 else 3 if code < 0xF0 else 4
            code &= np.uint32(0x7F >> size)
            for place in range(start + 1, min(start + size, end)):
                code = (code << np.uint32(6)) | (np.uint32(data[place]) & np.uint32(0x3F))
        start += size
        if code < TABLE_END:
            code = tables.letters[code]
        else:
            for place in range(len(_SEPARATORS)):
                if _SEPARATORS[place, 0] <= code < _SEPARATORS[place, 1]:
                    code = np.uint32(0)
        letters[count] = code
        count += 1
    letters[count] = 0
    return count


@helper(inlined=True)
def is_digit(letter):
    return 48 <= letter < 58


@helper(inlined=True)
def is_sign(letter):
    return letter < 48 or 60 <= letter <= 62 or letter == 0xA3 or letter == 0xA5 or letter == 0xB0 or letter == 0x20AC


@helper
def find_tokens(letters, size, tables, tokens):
    """The words and numbers, without leading zeros and endings of ordinals; returns how many, and how many numbers."""
    count, digits, place = 0, 0, 0
    while place < size:
        if letters[place] == 0:
            place += 1
            continue
        begin, after_digit = place, place > 0 and is_digit(letters[place - 1])
        number, sign = is_digit(letters[place]), is_sign(letters[place])
        while letters[place] != 0 and is_digit(letters[place]) == number and is_sign(letters[place]) == sign:
            place += 1
        while number and place - begin > 1 and letters[begin] == 48:
            begin += 1
        hashed = hash_of(letters, begin, place, np.uint64(NUMBER_SEED) if number else np.uint64(WORD_SEED))
        if after_digit and not number and what_is_known(tables, find_word(tables, hashed)) & ORDINAL:
            continue
        tokens[count, 0], tokens[count, 1], tokens[count, 2] = begin, place, np.int64(hashed)
        count += 1
        digits += number
    return count, digits


@helper
def hash_of(letters, begin, end, state):
    """The hash of a run of letters, or of digits."""
    for place in range(begin, end):
        state = mix(state + np.uint64(letters[place]))
    return state


@helper(inlined=True)
def find_word(tables, hashed):
    """The place of a word among those that are known, or -1; few words have the first bits of one that is."""
    bucket = np.int64(hashed >> np.uint64(64 - BUCKET_BITS))
    for place in range(tables.buckets[bucket], tables.buckets[bucket + 1]):
        if tables.keys[place] == hashed:
            return place
    return np.int64(-1)


@helper(inlined=True)
def what_is_known(tables, place):
    """The flags of a known word; 0 for others."""
    return np.int64(tables.known[place]) if place >= 0 else np.int64(0)


@helper
def merge(found, found_weights, used, grams, weights):
    """Write the grams that were found in their order, equal ones once, with the sum of their weights; the first
    `MOST_GRAMS` of them.  Returns how many there are.

    A gram's place is the number of smaller ones.  To count them all is faster than to sort: a processor compares
    several at once, and has no branch to guess.
    """
    weights[:used] = -1
    for each in range(used):
        gram, place = found[each], 0
        for other in range(used):
            place += found[other] < gram
        grams[place] = gram
        weights[place] = max(weights[place], 0) + found_weights[each]
    kept = 0
    for place in range(used):
        if weights[place] >= 0 and kept < MOST_GRAMS:
            grams[kept], weights[kept] = grams[place], weights[place]
            kept += 1
    return kept
