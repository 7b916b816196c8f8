"""Which pieces does a value have, of which some survive when the value is written differently?

Words are maximal runs of letters and maximal runs of digits, without accents, without leading zeros, months as numbers.
`2021-03-05`, `5 March 2021` and `05/03/2021` have the words 2021, 3 and 5.  A piece is

    a word                  SKU-1234 and 1234 share it
    two neighbouring words  in either order: rarer than each, and kept when something is added to the value
    all words               in any order: as rare as the value, also where each word is in every column (dates)
    the value without anything but letters and digits: (555) 123-4567 and 5551234567, 2021-03-05 and 20210305
    a word without its first letter: bobama and Barack Obama

known by 32 bits of a hash, the same in every segment.  Words, values without separators and words without their first
letter are compared with each other; the two combinations only with themselves.
Cost: compiled, one pass over the bytes; in NumPy a dozen, without a loop over values.  Texts that are not ASCII are
folded one by one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc

from mere import compiled
from mere.compiled import Trial, read_only
from mere.store import Strings, offsets_of, places_of, sums_of
from mere.transform.program import MONTH_NUMBER
from mere.values import hash_values, mix

LONGEST = 256  # characters of a value that are looked at
LEAST_WITHOUT_FIRST = 5  # bytes of a word whose tail is a piece
PIECES = compiled.Group("pieces", ("mere.indexes.transform.kernels",), compiling=3.0)
_BLOCK = 1 << 14  # values per pass: its temporary arrays stay in the cache
_LETTER, _DIGIT, _ZERO = 1, 2, ord("0")
_CLASS = np.zeros(256, np.uint8)
_CLASS[ord("0") : ord("9") + 1] = _DIGIT
_CLASS[ord("a") : ord("z") + 1] = _LETTER
_CLASS[128:] = _LETTER  # what is neither letter nor digit is replaced before


class Pieces(NamedTuple):
    """Pieces of values: the place of the value, and the piece; in the order of the places, some of them twice."""

    owners: np.ndarray  # int64
    hashes: np.ndarray  # uint32
    has_letters: np.ndarray  # bool: not only of numbers and months


class Words(NamedTuple):
    """The words of some texts, as ranges of their bytes, with hashes."""

    owners: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray
    is_text: np.ndarray  # whether the word starts with a letter from a to z
    is_number: np.ndarray  # or a month
    hashes: np.ndarray  # uint64


def pieces_of(values: Strings) -> Pieces:
    """The pieces of normalised values."""
    if compiled.ready(PIECES, trial):
        return _by_blocks(values, pieces_compiled)
    with compiled.time_fallback(PIECES):
        return _by_blocks(values, pieces_in_numpy)


def words_of(values: Strings) -> Pieces:
    """Only those pieces that are words."""
    return _by_blocks(values, _words_of_block)


def _by_blocks(values: Strings, made: Callable[[Strings], Pieces]) -> Pieces:
    found = [Pieces(np.zeros(0, np.int64), np.zeros(0, np.uint32), np.zeros(0, bool))]
    for start in range(0, len(values), _BLOCK):
        block = made(_folded(values.slice(start, min(start + _BLOCK, len(values)))))
        found.append(block._replace(owners=block.owners + start))
    return Pieces(*(np.concatenate(sides) for sides in zip(*found, strict=True)))


def _words_of_block(texts: Strings) -> Pieces:
    words = _words_of(texts)
    return Pieces(words.owners, _shortened(words.hashes), ~words.is_number)


def pieces_compiled(texts: Strings) -> Pieces:
    """The pieces of folded texts, by kernels."""
    from mere.indexes.transform import kernels

    longest = int(texts.lengths().max(initial=0))
    data = np.append(texts.data, np.zeros(8, np.uint8))
    scratch = np.empty(longest, np.uint64), np.empty((longest + 1, 4), np.int64), np.zeros(longest + 8, np.uint8)
    room = 3 * len(texts.data) + 2 * len(texts)  # a word of one byte has a neighbour; its tail would take five
    starts, hashes, lettered = np.zeros(len(texts) + 1, np.int64), np.empty(room, np.uint32), np.empty(room, bool)
    months, known = (read_only(_MONTHS), read_only(_MONTH_NUMBERS)), read_only(_CLASS)
    offsets, pieces = read_only(texts.offsets), (starts, hashes, lettered)
    used = kernels.find_pieces(offsets, read_only(data), known, months, LEAST_WITHOUT_FIRST, scratch, pieces)
    owners = np.repeat(np.arange(len(texts)), np.diff(starts))
    return Pieces(owners, hashes[:used].copy(), lettered[:used].copy())


def trial() -> Trial:
    """Compiles what pieces need."""
    return Trial(PIECES, (("find_pieces", lambda: pieces_compiled(Strings.of(["a 1"]))),))


def pieces_in_numpy(texts: Strings) -> Pieces:
    """The pieces of folded texts."""
    words = _words_of(texts)
    counts = np.bincount(words.owners, minlength=len(texts))
    several = np.flatnonzero(counts > 1)
    mixed = mix(words.hashes)
    neighbours = np.flatnonzero(words.owners[1:] == words.owners[:-1])
    tails = np.flatnonzero(words.is_text & (words.lengths >= LEAST_WITHOUT_FIRST))
    letters = ~words.is_number
    has_letters = np.bincount(words.owners, letters, minlength=len(texts))[several] > 0
    joined = hash_values(_without_separators(texts).take(several).to_arrow())
    without_first = _hashes_of(texts.data, words.starts[tails] + 1, words.lengths[tails] - 1)
    pieces = (
        (words.owners, words.hashes, letters),
        (
            words.owners[neighbours],
            mix(mixed[neighbours] + mixed[neighbours + 1]),
            letters[neighbours] | letters[neighbours + 1],
        ),
        (several, mix(sums_of(mixed, offsets_of(counts)))[several], has_letters),
        (several, joined, has_letters),
        (words.owners[tails], without_first, letters[tails]),
    )
    owners, hashes, flags = (np.concatenate(sides) for sides in zip(*pieces, strict=True))
    order = np.argsort(owners, kind="stable")
    return Pieces(owners[order], _shortened(hashes[order]), flags[order])


def _shortened(hashes: np.ndarray) -> np.ndarray:
    return (hashes >> np.uint64(32)).astype(np.uint32)


def _folded(values: Strings) -> Strings:
    """Values cut to the longest length, without accents; what is neither ASCII nor a letter or digit is a space."""
    texts = values.to_arrow()
    is_other = pc.or_(pc.greater(pc.binary_length(texts), LONGEST), pc.invert(pc.string_is_ascii(texts)))
    if pc.any(is_other).as_py():
        others = [text[:LONGEST].translate(_LETTERS) for text in texts.filter(is_other).to_pylist()]
        texts = pc.replace_with_mask(texts, is_other, Strings.of(others).to_arrow())
    return Strings.from_arrow(texts)


class _Letters(dict[int, str]):
    """What each letter is folded to, as it is first met; marks are dropped, so their order does not matter."""

    def __missing__(self, code: int) -> str:
        bare = [part for part in unicodedata.normalize("NFD", chr(code)) if not unicodedata.combining(part)]
        self[code] = "".join(letter if letter.isascii() or letter.isalnum() else " " for letter in bare)
        return self[code]


_LETTERS = _Letters()


def _words_of(texts: Strings) -> Words:
    data, kinds = texts.data, _CLASS[texts.data]
    is_edge = np.zeros(len(data) + 1, bool)  # a value starts or ends here
    is_edge[texts.offsets] = True
    changes = np.ones(len(data) + 1, bool)
    changes[1:-1] = kinds[1:] != kinds[:-1]
    changes |= is_edge
    starts = np.flatnonzero((kinds > 0) & changes[:-1])
    ends = np.flatnonzero((kinds > 0) & changes[1:]) + 1
    owners = np.searchsorted(texts.offsets, starts, side="right") - 1
    first = _without_leading_zeros(data, starts, ends, kinds[starts] == _DIGIT)
    is_text = (kinds[starts] == _LETTER) & (data[starts] < 128)
    written = _hashes_of(data, first, ends - first)
    hashes = _month_numbers(written)
    return Words(owners, first, ends - first, is_text, (kinds[starts] == _DIGIT) | (hashes != written), hashes)


def _without_leading_zeros(data: np.ndarray, starts: np.ndarray, ends: np.ndarray, digits: np.ndarray) -> np.ndarray:
    """Where each word starts if it is a number without leading zeros; one zero stays of a number that is zero."""
    others = np.append(np.flatnonzero(data != _ZERO), len(data))
    next_other = others[np.searchsorted(others, starts)]
    return np.where(digits, np.minimum(next_other, ends - 1), starts)


def _without_separators(texts: Strings) -> Strings:
    kept = _CLASS[texts.data] > 0
    return Strings(offsets_of(sums_of(kept.astype(np.int64), texts.offsets)), texts.data[kept])


def _hashes_of(data: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The 64-bit hash of each range of bytes."""
    return hash_values(Strings(offsets_of(lengths), data[places_of(starts, lengths)]).to_arrow())


def _month_hashes() -> tuple[np.ndarray, np.ndarray]:
    """The hashes of the names of months, ascending, and those of their numbers."""
    sides = (MONTH_NUMBER.keys(), MONTH_NUMBER.values())
    names, texts = (hash_values(Strings.of(side).to_arrow()) for side in sides)
    order = np.argsort(names)
    return names[order], texts[order]


_MONTHS, _MONTH_NUMBERS = _month_hashes()


def _month_numbers(hashes: np.ndarray) -> np.ndarray:
    """The hashes of words, of months those of their numbers."""
    place = np.minimum(np.searchsorted(_MONTHS, hashes), len(_MONTHS) - 1)
    return np.where(_MONTHS[place] == hashes, _MONTH_NUMBERS[place], hashes)
