"""Which 64-bit hash does a value have?

A value is read as little-endian words of eight bytes (the last one padded with zeros); each word is mixed with
its position by the finaliser of SplitMix64 (Steele, Lea, Flood; OOPSLA 2014), the mixed words are added up, and
the sum is mixed once more with the length.  Addition commutes, so an Arrow array is hashed by a few NumPy
passes over its buffers, without a loop over values or words.

The dictionary is sorted by hash, so other hashes are other rules of values (`mere.values.VERSION`).  A hash never
decides equality: where two are equal, the bytes are compared.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

SEED = np.uint64(0x6D65726500000001)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_BLOCK = 1 << 14  # values per pass: its dozen temporary arrays stay in the second-level cache
_MASKS = np.array([(1 << 8 * count) - 1 for count in range(9)], np.uint64)


def hash_values(values: pa.Array) -> np.ndarray:
    """The 64-bit hash of every string of an Arrow array; a null hashes like the empty string."""
    offsets, data = string_buffers(values)
    hashes = np.empty(len(offsets) - 1, np.uint64)
    for start in range(0, len(hashes), _BLOCK):
        edges = offsets[start : start + _BLOCK + 1]
        hashes[start : start + _BLOCK] = _hash_block(edges - edges[0], data[edges[0] : edges[-1]])
    return hashes


def _hash_block(offsets: np.ndarray, data: np.ndarray) -> np.ndarray:
    lengths = np.diff(offsets)
    words_at = _windows(data)
    short = words_at[offsets[:-1]] & _first_bytes(lengths)  # of those with one word, this is the word
    sums = mix(short ^ _FIRST_PLACE)
    sums[lengths == 0] = 0
    long = np.flatnonzero(lengths > 8)
    if long.size:
        sums[long] = _sum_of_mixed_words(offsets[long], lengths[long], words_at)
    return mix(sums + mix(lengths.astype(np.uint64) ^ SEED))


def string_buffers(values: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Offsets (int64, len + 1) and bytes of a string array, as NumPy views or small copies."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    width = np.int64 if pa.types.is_large_string(values.type) else np.int32
    _, offset_buffer, data_buffer = values.buffers()
    if len(values) == 0 or offset_buffer is None:
        return np.zeros(len(values) + 1, np.int64), np.empty(0, np.uint8)
    offsets = np.frombuffer(offset_buffer, width)[values.offset : values.offset + len(values) + 1]
    data = np.frombuffer(data_buffer, np.uint8) if data_buffer is not None else np.empty(0, np.uint8)
    return offsets.astype(np.int64), data


def _sum_of_mixed_words(offsets: np.ndarray, lengths: np.ndarray, words_at: np.ndarray) -> np.ndarray:
    words = (lengths + 7) >> 3
    first = np.cumsum(words) - words
    position = np.arange(words.sum()) - np.repeat(first, words)
    left = np.repeat(lengths, words) - 8 * position  # bytes from this word to the end of the value, >= 1
    word = words_at[np.repeat(offsets, words) + 8 * position] & _first_bytes(left)
    place = (position.astype(np.uint64) + np.uint64(1)) * GOLDEN
    return np.add.reduceat(mix(word ^ mix(place ^ SEED)), first)


def _first_bytes(count: np.ndarray) -> np.ndarray:
    """The bits of the first `count` bytes of a word, of eight at most."""
    return _MASKS[np.minimum(count, 8)]


def _windows(data: np.ndarray) -> np.ndarray:
    """The eight bytes from each place as one number; bytes past the end read as zero."""
    padded = np.zeros(len(data) + 8, np.uint8)
    padded[: len(data)] = data
    return np.ndarray((len(data) + 1,), "<u8", padded, strides=(1,))


def check_hashes(values: pa.Array) -> np.ndarray:
    """Hashes that tell apart what `hash_values` may not: of the length, the first and the last eight bytes.

    Two different values of at most 16 bytes differ in one of the three, so both hashes together are 128 bits for them;
    of longer values only the ends count.
    """
    offsets, data = string_buffers(values)
    words = _windows(data)
    hashes = np.empty(len(offsets) - 1, np.uint64)
    for start in range(0, len(hashes), _BLOCK):
        edges = offsets[start : start + _BLOCK + 1]
        lengths = np.diff(edges)
        first = words[edges[:-1]] & _first_bytes(lengths)
        last = np.where(lengths > 8, words[np.maximum(edges[1:] - 8, 0)], np.uint64(0))
        hashes[start : start + _BLOCK] = mix(mix(first ^ SEED) + last * GOLDEN + lengths.astype(np.uint64))
    return hashes


def mix(x: np.ndarray) -> np.ndarray:
    """A bijection of the 64-bit numbers that spreads them evenly."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


_FIRST_PLACE = mix(np.array([GOLDEN ^ SEED]))  # of the first word of a value
