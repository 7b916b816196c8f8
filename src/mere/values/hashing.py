"""Which 64-bit hash does a value have?

A value is read as little-endian words of eight bytes (the last one padded with zeros); each word is mixed with
its position by the finaliser of SplitMix64 (Steele, Lea, Flood; OOPSLA 2014), the mixed words are added up, and
the sum is mixed once more with the length.  Addition commutes, so an Arrow array is hashed by a few NumPy
passes over its buffers, without a loop over values or words.

The dictionary is sorted by hash, so `SEED` and `VERSION` are part of the format.  It never decides
equality: where two hashes are equal, the bytes are compared.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

VERSION = 1
SEED = np.uint64(0x6D65726500000001)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_BLOCK = 1 << 14  # values per pass: its dozen temporary arrays stay in the second-level cache
_FULL = np.uint64(0xFFFFFFFFFFFFFFFF)


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
    sums = np.zeros(len(lengths), np.uint64)
    words = (lengths + 7) >> 3
    full = np.flatnonzero(words)
    if full.size:
        sums[full] = _sum_of_mixed_words(offsets[full], lengths[full], words[full], data)
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


def _sum_of_mixed_words(offsets: np.ndarray, lengths: np.ndarray, words: np.ndarray, data: np.ndarray) -> np.ndarray:
    first = np.cumsum(words) - words
    position = np.arange(words.sum()) - np.repeat(first, words)
    left = np.repeat(lengths, words) - 8 * position  # bytes from this word to the end of the value, >= 1
    word = _words_at(data, np.repeat(offsets, words) + 8 * position)
    padding = (8 * (8 - np.minimum(left, 8))).astype(np.uint64)
    word = word & (_FULL >> padding)
    place = (position.astype(np.uint64) + np.uint64(1)) * GOLDEN
    return np.add.reduceat(mix(word ^ mix(place ^ SEED)), first)


def _words_at(data: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The eight bytes from each start as one number; bytes past the end read as zero."""
    padded = np.zeros(len(data) + 8, np.uint8)
    padded[: len(data)] = data
    windows: np.ndarray = np.ndarray((len(data) + 1,), "<u8", padded, strides=(1,))
    return windows[starts].astype(np.uint64, copy=False)


def check_hashes(values: pa.Array) -> np.ndarray:
    """Hashes that tell apart what `hash_values` may not: of the length, the first and the last eight bytes.

    Two different values of at most 16 bytes differ in one of the three, so both hashes together are 128 bits for them;
    of longer values only the ends count.
    """
    offsets, data = string_buffers(values)
    padded = np.zeros(len(data) + 8, np.uint8)
    padded[: len(data)] = data
    words: np.ndarray = np.ndarray((len(data) + 1,), "<u8", padded, strides=(1,))
    hashes = np.empty(len(offsets) - 1, np.uint64)
    for start in range(0, len(hashes), _BLOCK):
        edges = offsets[start : start + _BLOCK + 1]
        lengths = np.diff(edges)
        unused = (64 - 8 * np.clip(lengths, 1, 8)).astype(np.uint64)  # bits of the first word after the value's end
        first = np.where(lengths > 0, words[edges[:-1]] & (_FULL >> unused), np.uint64(0))
        last = np.where(lengths > 8, words[np.maximum(edges[1:] - 8, 0)], np.uint64(0))
        hashes[start : start + _BLOCK] = mix(mix(first ^ SEED) + last * GOLDEN + lengths.astype(np.uint64))
    return hashes


def mix(x: np.ndarray) -> np.ndarray:
    """A bijection of the 64-bit numbers that spreads them evenly."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
