"""Which words do the cells of a segment contain, and in which columns?

    cell.offsets, cell.data   the distinct words of columns of text and dates, sorted
    cell.starts               where each word's columns start, and where the last one's end
    cell.columns              the columns (numbers of the segment) that have the word, ascending
    cell.buckets              u8: in which 256th of the column's set the first value with the word is
    cell.spread               bits: whether another 256th has a value with the word, too

Values come from the segment's dictionary, where each is kept once; what is kept here is one entry per word and
column, not per cell.  The bucket finds the value that an answer shows without reading the whole column.  Integers have
the smallest type that fits.  Columns of numbers are left out: numbers are asked for by conditions.

Two or three short words without a space between them are also one word: `jean-pierre`, `u.s.`, `4:10`.

Words of ASCII are cut, made distinct and counted as arrays; Python sees only the distinct chunks of other letters.
Cost: O(bytes of distinct values + words log words); on the index, about 20 bytes per distinct word.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.indexes.keywords.words import LONGEST, LONGEST_JOINED, MOST_JOINED, cell_words
from mere.segments import Segment
from mere.store import Strings, offsets_of, places_of, stable_order, sums_of
from mere.values import Type

BUCKETS = 256
TYPES = (Type.TEXT, Type.DATETIME)
_BYTES_AT_ONCE = 1 << 20  # of values that are cut into words: the arrays for that stay near the processor
_WORDS_AT_ONCE = 1 << 22  # that are sorted
_COLUMN_BITS, _BUCKET_BITS = 24, 8  # below the number of a word in an entry, and above a bit for the spread
_SPACE = ord(" ")
_IS_LETTER = np.zeros(256, bool)
_IS_LETTER[list(b"abcdefghijklmnopqrstuvwxyz0123456789")] = True
_IS_LETTER[128:] = True  # part of another letter: decided by `cell_words`


def cell_arrays(segment: Segment) -> dict[str, np.ndarray]:
    """The arrays of the cells, and the words of each table in them."""
    texts = np.isin(segment.catalog["column.types"], [int(type_) for type_ in TYPES])
    vocabulary, words, starts = _words_of_values(segment, texts)
    entries = _entries(segment, np.flatnonzero(texts), words, starts)
    word, column = entries >> np.uint64(_COLUMN_BITS + _BUCKET_BITS + 1), entries >> np.uint64(_BUCKET_BITS + 1)
    return {
        "cell.offsets": narrow(vocabulary.offsets),
        "cell.data": vocabulary.data,
        "cell.starts": narrow(offsets_of(np.bincount(word.astype(np.int64), minlength=len(vocabulary)))),
        "cell.columns": narrow(column & np.uint64((1 << _COLUMN_BITS) - 1)),
        "cell.buckets": (entries >> np.uint64(1)).astype(np.uint8),
        "cell.spread": np.packbits((entries & np.uint64(1)).astype(bool), bitorder="little"),
    }


def narrow(numbers: np.ndarray) -> np.ndarray:
    """The same integers, none of them negative, in the smallest type."""
    return numbers.astype(np.min_scalar_type(int(numbers.max()) if numbers.size else 0))


def bucket_width(values: int) -> int:
    """How many values of a column share a bucket."""
    return max(1, -(-values // BUCKETS))


def _words_of_values(segment: Segment, texts: np.ndarray) -> tuple[Strings, np.ndarray, np.ndarray]:
    """The sorted words of these columns; and the words of every value of the dictionary, one after the other."""
    dictionary, sets = segment.dictionary.values, segment.values
    wanted = np.zeros(len(dictionary), bool)
    wanted[sets["set.ids"][np.repeat(texts, np.diff(sets["set.starts"]))]] = True
    ids = np.flatnonzero(wanted)
    edges = np.cumsum(dictionary.lengths()[ids]) // _BYTES_AT_ONCE
    chunks, owners = [], []
    for batch in np.split(ids.astype(np.uint32), np.flatnonzero(np.diff(edges)) + 1):
        for pieces, places in _cut(dictionary.take(batch)):
            if len(pieces):  # Arrow drops empty arrays
                chunks.append(pieces.to_arrow())
                owners.append(batch[places])
    distinct, numbers = _distinct(chunks)
    vocabulary, first, words_of = _spelled(distinct)
    pairs = [(np.empty(0, np.uint32), np.empty(0, np.uint32))]
    pairs += [_words_with_owners(*batch, first, words_of) for batch in zip(numbers, owners, strict=True)]
    words, owner = (np.concatenate(sides) for sides in zip(*pairs, strict=True))
    return vocabulary, words[stable_order(owner)], offsets_of(np.bincount(owner, minlength=len(dictionary)))


def _words_with_owners(
    numbers: np.ndarray, owners: np.ndarray, first: np.ndarray, words: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The words of some chunks, given by their numbers, and the value that each is in."""
    counts = first[numbers + 1] - first[numbers]
    return words[places_of(first[numbers], counts)], np.repeat(owners, counts)


def _cut(values: Strings) -> Iterator[tuple[Strings, np.ndarray]]:
    """The chunks of all values, then those joined, each with the number of the value that it is in."""
    letters = _IS_LETTER[values.data]
    first, last = letters.copy(), letters.copy()
    first[1:] &= ~letters[:-1]
    last[:-1] &= ~letters[1:]
    inner = values.offsets[1:-1]  # a word ends where its value ends
    inner = inner[(inner > 0) & (inner < len(letters))]
    first[inner] = letters[inner]
    last[inner - 1] = letters[inner - 1]
    starts, ends = np.flatnonzero(first), np.flatnonzero(last) + 1
    chunks = Strings(offsets_of(ends - starts), values.data[letters])
    owners = np.repeat(np.arange(len(values)), np.diff(np.searchsorted(starts, values.offsets)))
    yield chunks, owners
    yield _joined(chunks, owners, _are_apart(values.data, starts, ends))


def _are_apart(data: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Whether there is a space between each chunk and the one before; most often, nothing else is."""
    apart = data[ends[:-1]] == _SPACE
    others = np.flatnonzero(~apart)
    gaps = starts[others + 1] - ends[others]
    spaces = (data[places_of(ends[others], gaps)] == _SPACE).astype(np.int64)
    apart[others] = sums_of(spaces, offsets_of(gaps)) > 0
    return apart


def _joined(chunks: Strings, owners: np.ndarray, apart: np.ndarray) -> tuple[Strings, np.ndarray]:
    """The chunks joined that have no space between them; `apart` says where there is one, from the second chunk on."""
    new = np.ones(len(owners) + 1, bool)
    new[1:-1] = (owners[1:] != owners[:-1]) | apart
    edges = np.flatnonzero(new)
    counts, size = np.diff(edges), np.diff(chunks.offsets[edges])
    joined = (counts > 1) & (counts <= MOST_JOINED) & (size <= LONGEST_JOINED)
    first = edges[:-1][joined]
    return Strings(offsets_of(size[joined]), chunks.data[places_of(chunks.offsets[first], size[joined])]), owners[first]


def _distinct(chunks: list[pa.Array]) -> tuple[Strings, list[np.ndarray]]:
    """The distinct chunks, and the number of every chunk among them, array by array."""
    encoded = pc.dictionary_encode(pa.chunked_array(chunks, pa.large_string()))
    if not encoded.num_chunks:
        return Strings.of([]), []
    distinct = encoded.chunk(encoded.num_chunks - 1).dictionary  # of all chunks
    return Strings.from_arrow(distinct), [np.asarray(chunk.indices) for chunk in encoded.chunks]


def _spelled(chunks: Strings) -> tuple[Strings, np.ndarray, np.ndarray]:
    """All words of distinct chunks, sorted by their bytes; where the words of each chunk start, and these words."""
    odd = _odd(chunks)
    respelled = [cell_words(chunk) for chunk in chunks.take(np.flatnonzero(odd)).tolist()]
    counts = np.ones(len(chunks), np.int64)
    counts[odd] = [len(words) for words in respelled]
    others = Strings.of(word for words in respelled for word in words)
    vocabulary, numbers = _sorted(Strings.concat([chunks.take(np.flatnonzero(~odd)), others]))
    words, is_odd = np.empty(len(numbers), np.uint32), np.repeat(odd, counts)
    words[~is_odd], words[is_odd] = np.split(numbers, [np.count_nonzero(~odd)])
    return vocabulary, offsets_of(counts), words


def _sorted(words: Strings) -> tuple[Strings, np.ndarray]:
    """The distinct words, sorted by their bytes, and the place of every word among them."""
    order = np.asarray(pc.sort_indices(words.to_arrow())).astype(np.int64)
    ordered = words.take(order)
    texts, first = ordered.to_arrow(), np.ones(len(words), bool)
    first[1:] = np.asarray(pc.not_equal(texts[1:], texts[:-1]))
    places = np.empty(len(words), np.int64)
    places[order] = np.cumsum(first) - 1
    return ordered if first.all() else ordered.take(np.flatnonzero(first)), places


def _odd(chunks: Strings) -> np.ndarray:
    """Which chunks have letters beyond ASCII, or are too long: their words are not what they are."""
    beyond = np.flatnonzero(chunks.data >= 128)
    odd = chunks.lengths() > LONGEST
    odd[np.searchsorted(chunks.offsets, beyond, side="right") - 1] = True
    return odd


def _entries(segment: Segment, columns: np.ndarray, words: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """One number per word and column, sorted: word, column, the first bucket, and whether there is another."""
    pieces = [np.empty(0, np.uint64)]
    for batch in _batches(segment, columns, np.diff(starts)):
        pieces.append(_first_buckets(_entries_of(segment, batch, words, starts)))
    return np.sort(np.concatenate(pieces))


def _batches(segment: Segment, columns: np.ndarray, counts: np.ndarray) -> list[np.ndarray]:
    """Columns that have about `_WORDS_AT_ONCE` words together."""
    if not columns.size:
        return []
    edges = segment.values["set.starts"]
    words = sums_of(counts[segment.values["set.ids"]], edges)[columns]
    return np.split(columns, np.flatnonzero(np.diff(np.cumsum(words) // _WORDS_AT_ONCE)) + 1)


def _entries_of(segment: Segment, columns: np.ndarray, words: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """One number per word of a value and column."""
    edges = segment.values["set.starts"]
    sizes = np.diff(edges)[columns]
    place = places_of(np.zeros(len(columns), np.int64), sizes)  # of each value in its column
    ids = segment.values["set.ids"][places_of(edges[columns], sizes)].astype(np.int64)
    bucket = place // np.repeat(np.maximum(1, -(-sizes // BUCKETS)), sizes)
    counts = starts[ids + 1] - starts[ids]
    owner = np.repeat(np.repeat(columns, sizes) << _BUCKET_BITS | bucket, counts)
    entries = words[places_of(starts[ids], counts)].astype(np.int64) << (_COLUMN_BITS + _BUCKET_BITS) | owner
    return entries.astype(np.uint64) << np.uint64(1)


def _first_buckets(entries: np.ndarray) -> np.ndarray:
    if not entries.size:
        return entries
    entries.sort()
    owner = entries >> np.uint64(_BUCKET_BITS + 1)
    first = np.flatnonzero(np.concatenate([[True], owner[1:] != owner[:-1]]))
    last = np.append(first[1:], len(entries)) - 1
    return entries[first] | (entries[first] != entries[last]).astype(np.uint64)
