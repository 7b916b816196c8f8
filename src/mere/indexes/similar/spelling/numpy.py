"""Embedding values without compiled kernels: the same vectors, by flat arrays over all letters of many values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.indexes.similar.records import Vectors, sparse_vectors
from mere.indexes.similar.spelling.features import (
    ABBREVIATION,
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
    SIGNS,
    TABLE_END,
    WORD,
    WORD_SEED,
    fixed_tables,
)
from mere.store import Strings, offsets_of, places_of
from mere.values import mix

_BLOCK = 1 << 14  # values at once
_U = np.uint64
_SIGNS = np.array([ord(sign) for sign in SIGNS], np.uint32)


class Features(NamedTuple):
    """The features of some values, before they are weighted."""

    value_of: np.ndarray  # int64: the value of each gram
    grams: np.ndarray  # uint32
    token_of: np.ndarray  # int64: the word or number of each gram; -1 for a sequence
    word_of: np.ndarray  # int64: the value of each word or number
    words: np.ndarray  # uint64: the hash of each word or number
    sizes: np.ndarray  # int64: bigrams of each word; 0 for numbers


class Tokens(NamedTuple):
    """Words and numbers, in the order of the text."""

    value: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    number: np.ndarray  # bool
    hashes: np.ndarray


def bucket_of(words: np.ndarray) -> np.ndarray:
    """The bucket of each word's hash."""
    return (words >> _U(48)).astype(np.int64)


def embed(values: Strings, word_weights: np.ndarray) -> Vectors:
    """The sparse vector of every value."""
    blocks = [_embedded(values.slice(a, a + _BLOCK), word_weights) for a in _steps(len(values))]
    starts = offsets_of(np.concatenate([np.zeros(0, np.int64), *(np.diff(block.starts) for block in blocks)]))
    grams, weights, norms = (
        np.concatenate([np.zeros(0, kind), *(block[field] for block in blocks)])
        for field, kind in ((2, np.uint32), (3, np.int32), (4, np.int64))
    )
    return sparse_vectors(starts, grams, weights, norms)


def _steps(count: int) -> range:
    return range(0, count, _BLOCK)


def _embedded(values: Strings, word_weights: np.ndarray) -> Vectors:
    values = values.slice(0, min(_BLOCK, len(values)))
    features = _features(values)
    weights = _weights(features, word_weights)
    order = np.lexsort((features.grams, features.value_of))
    owner, grams, weights = features.value_of[order], features.grams[order], weights[order]
    first = np.ones(len(order), bool)
    first[1:] = (np.diff(owner) != 0) | (grams[1:] != grams[:-1])
    weights = np.add.reduceat(weights, np.flatnonzero(first)) if len(order) else weights
    owner, grams = owner[first], grams[first]
    rank = np.arange(len(owner)) - np.searchsorted(owner, owner)
    kept = rank < MOST_GRAMS
    owner, grams, weights = owner[kept], grams[kept], weights[kept].astype(np.int64)
    starts = offsets_of(np.bincount(owner, minlength=len(values)))
    running = np.append(0, np.cumsum(weights * weights))
    return sparse_vectors(starts, grams, weights.astype(np.int32), running[starts[1:]] - running[starts[:-1]])


def _weights(features: Features, word_weights: np.ndarray) -> np.ndarray:
    """The weight of each gram."""
    rarity = word_weights[bucket_of(features.words)].astype(np.float64)
    sizes = features.sizes.astype(np.float64)
    of_words = np.maximum(1.0, np.floor(rarity * WORD / np.sqrt(np.maximum(sizes, 1.0)) + 0.5))
    each = np.where(features.sizes > 0, of_words, np.floor(rarity * NUMBER + 0.5))
    values = int(features.value_of.max(initial=-1)) + 1
    total = np.bincount(features.word_of, each * each * np.maximum(sizes, 1.0), minlength=values)
    weights = np.append(each, 0.0)[features.token_of]
    sequence = np.flatnonzero(features.token_of < 0)
    weights[sequence] = np.floor(np.sqrt(SEQUENCE * total[features.value_of[sequence]]) + 0.5)
    return weights


def features_of(values: Strings) -> Features:
    """The features of many values, before they are weighted."""
    blocks, tokens = [], 0
    for start in _steps(len(values)) or range(1):
        block = _features(values.slice(start, min(start + _BLOCK, len(values))))
        shifted = np.where(block.token_of < 0, -1, block.token_of + tokens)
        tokens += len(block.words)
        blocks.append(block._replace(value_of=block.value_of + start, word_of=block.word_of + start, token_of=shifted))
    return Features(*(np.concatenate(pieces) for pieces in zip(*blocks, strict=True)))


def _features(values: Strings) -> Features:
    letters, owner = _letters(values)
    tokens = _tokens(letters, owner)
    letters, tokens, plain, month = _written_out(letters, tokens)
    words = np.flatnonzero(~tokens.number)
    sizes = tokens.end - tokens.begin + 1  # bigrams of a word
    places = places_of(tokens.begin[words], sizes[words])
    token_of = np.repeat(words, sizes[words])
    grams = _bigrams(letters, places, tokens.begin[token_of], tokens.end[token_of])
    numbers = np.flatnonzero(tokens.number)
    sequences, sequence_of = _sequences(tokens, plain, month)
    return Features(
        np.concatenate([tokens.value[token_of], tokens.value[numbers], sequence_of]),
        np.concatenate([grams, _upper(tokens.hashes[numbers]), _upper(sequences)]),
        np.concatenate([token_of, numbers, np.full(len(sequences), -1)]),
        tokens.value,
        tokens.hashes,
        np.where(tokens.number, 0, sizes),
    )


def _letters(values: Strings) -> tuple[np.ndarray, np.ndarray]:
    """The letters of all values, 0 for what separates words, each value followed by a 0; and the value of each."""
    codes = np.frombuffer(values.data.tobytes().decode("utf-8", "replace").encode("utf-32-le"), np.uint32)
    begins = (values.data & 0xC0) != 0x80
    counts = np.append(0, np.cumsum(begins))
    starts = counts[values.offsets]
    sizes = np.minimum(np.diff(starts), MOST_LETTERS)
    owner = np.repeat(np.arange(len(values)), sizes + 1)
    letters = np.zeros(len(owner), np.uint32)
    first = offsets_of(sizes + 1)[:-1]
    read = codes[places_of(starts[:-1], sizes)]
    table = fixed_tables().letters
    read = np.where(read < TABLE_END, table[np.minimum(read, TABLE_END - 1)], read)
    for low, high in SEPARATORS:
        read = np.where((read >= low) & (read < high), 0, read)
    letters[places_of(first, sizes)] = read
    return letters, owner


def _tokens(letters: np.ndarray, owner: np.ndarray) -> Tokens:
    """The words and numbers, without leading zeros and endings of ordinals."""
    kind = np.where((letters >= 48) & (letters < 58), 2, np.where(np.isin(letters, _SIGNS), 3, 1))
    kind = np.where(letters == 0, 0, kind)
    before = np.append(0, kind[:-1])
    begin = np.flatnonzero((kind != 0) & (kind != before))
    end = np.flatnonzero((kind != 0) & (kind != np.append(kind[1:], 0))) + 1
    number, after_digit = kind[begin] == 2, before[begin] == 2
    begin = _without_zeros(letters, begin, end, number)
    hashes = _hashes(letters, begin, end, np.where(number, NUMBER_SEED, WORD_SEED))
    ordinal = after_digit & ~number & (_known(hashes)[1] & ORDINAL > 0)
    keep = np.flatnonzero(~ordinal)
    return Tokens(owner[begin[keep]], begin[keep], end[keep], number[keep], hashes[keep])


def _without_zeros(letters: np.ndarray, begin: np.ndarray, end: np.ndarray, number: np.ndarray) -> np.ndarray:
    begin = begin.copy()
    waiting = np.flatnonzero(number)
    while waiting.size:
        waiting = waiting[(end[waiting] - begin[waiting] > 1) & (letters[begin[waiting]] == 48)]
        begin[waiting] += 1
    return begin


def _hashes(letters: np.ndarray, begin: np.ndarray, end: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    """The hash of each run of letters: letter by letter, for all runs that are long enough at once."""
    hashes = seeds.astype(np.uint64)
    order = np.argsort(begin - end, kind="stable")  # long runs first
    sizes = (end - begin)[order]
    for step in range(int(sizes.max(initial=0))):
        longer = order[: np.searchsorted(-sizes, -step, side="left")]
        hashes[longer] = mix(hashes[longer] + letters[begin[longer] + step].astype(np.uint64))
    return hashes


def _known(hashes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The place of each word among those that are known, and what is known of it (0: nothing)."""
    tables = fixed_tables()
    place = np.minimum(np.searchsorted(tables.keys, hashes), len(tables.keys) - 1)
    return place, np.where(tables.keys[place] == hashes, tables.known[place], 0)


def _written_out(letters: np.ndarray, tokens: Tokens) -> tuple[np.ndarray, Tokens, np.ndarray, np.ndarray]:
    """Abbreviations written out where a value has digits; which words may stand in dates, and which are months."""
    tables = fixed_tables()
    values = int(tokens.value.max(initial=-1)) + 1
    digits = np.bincount(tokens.value, tokens.number, minlength=values)[tokens.value] > 0
    is_first = np.append(True, np.diff(tokens.value) != 0)[: len(tokens.value)]
    place, known = _known(np.where(tokens.number, 0, tokens.hashes))
    short = digits & (known & ABBREVIATION > 0) & ~(is_first & (known & FIRST_STAYS > 0))
    begin = np.where(short, tables.starts[place] + len(letters), tokens.begin)
    end = np.where(short, tables.starts[place + 1] + len(letters), tokens.end)
    letters = np.concatenate([letters, tables.spelled])
    hashes = tokens.hashes.copy()
    hashes[short] = _hashes(letters, begin[short], end[short], np.full(np.count_nonzero(short), WORD_SEED))
    named = ~tokens.number & (_known(hashes)[1] & PLAIN > 0)
    plain = tokens.number | named | (end - begin == 1)
    return letters, tokens._replace(begin=begin, end=end, hashes=hashes), plain, named & (end - begin > 2)


def _bigrams(letters: np.ndarray, places: np.ndarray, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The bigram that ends at each place of a word, or behind it."""
    padded = np.concatenate([[0], letters, [0]]).astype(np.uint64)
    before = np.where(places > begin, padded[places], _U(EDGE))
    letter = np.where(places < end, padded[places + 1], _U(EDGE))
    return _upper(mix(before | (letter << _U(21)) | (padded[begin + 1] << _U(42))))


def _upper(hashes: np.ndarray) -> np.ndarray:
    return (hashes >> _U(32)).astype(np.uint32)


def _sequences(tokens: Tokens, plain: np.ndarray, month: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The hash of the sequence of words and numbers, and its value, for values that have one."""
    values = int(tokens.value.max(initial=-1)) + 1
    count, numbers, months, others = (
        np.bincount(tokens.value, which, minlength=values)
        for which in (np.ones(len(plain)), tokens.number, month, ~plain)
    )
    chosen = np.flatnonzero((count > 1) & (numbers > 0) & (others == 0))
    starts = np.append(0, np.cumsum(count)).astype(np.int64)
    chain, added = np.full(len(chosen), SEQUENCE_SEED, np.uint64), np.full(len(chosen), SEQUENCE_SEED, np.uint64)
    sizes = count[chosen].astype(np.int64)
    for step in range(int(sizes.max(initial=0))):
        longer = np.flatnonzero(sizes > step)
        hashes = tokens.hashes[starts[chosen[longer]] + step]
        chain[longer] = mix(chain[longer] + hashes)
        added[longer] += mix(hashes)
    return np.where(months[chosen] > 0, mix(added), chain), chosen
